package exchange

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/allocs"
)

// A manager that never began a preemption lists the nodes without allocating, too.
func TestResourcesWithoutPreemptions(t *testing.T) {
	m, _ := benchCluster(t, 100)
	m.work.due = nil
	var dst []Resource
	list := func() {
		var err error
		if dst, err = m.AppendResources(dst[:0], "hpc"); err != nil {
			t.Fatal(err)
		}
	}
	list()
	taken := 0
	for _, r := range dst {
		if r.Value > 0 && r.Value < 1 {
			taken++
		}
	}
	if taken != 50 {
		t.Errorf("%d nodes that fairness may give up, want half of 100", taken)
	}
	if n := allocs.Once(list); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// A node that is not there, and a state without records since.
func TestManagerBeyond(t *testing.T) {
	m, _ := benchCluster(t, 3)
	for _, node := range []int{-1, 3, math.MaxInt} {
		func() {
			defer func() {
				if m, _ := recover().(string); !strings.HasPrefix(m, "exchange: ") {
					t.Errorf("node %d: panic %q", node, m)
				}
			}()
			m.Assignment(node)
		}()
	}
	state, err := m.MarshalText()
	if err != nil {
		t.Fatal(err)
	}
	if err := new(Manager).Restore(state, nil); err != nil {
		t.Error(err)
	}
}

// A call that returns an error changes nothing: a manager and clients that get wrong calls between
// the right ones say what others say that do not get them.
func TestErrorsChangeNothing(t *testing.T) {
	lease := func(l Lease) []Lease { return []Lease{l} }
	ok := Lease{Node: 1, Epoch: 1}
	toManager := []Message{
		{Call: AddNodes, Partition: "nobody"}, {Call: AddNodes, Partition: "a", Instance: "other"}, {Call: NodesAdded, Partition: "a"},
		{Call: SetResourceValues, Partition: "a", Number: 1 << 40}, {Call: SetResourceValues, Partition: "a", Number: 900, Sent: -1},
		{Call: SetResourceValues, Partition: "a", Number: 900, Leases: []Lease{ok, ok}}, {Call: DeleteNodes, Partition: "a", Number: 900, Leases: []Lease{ok, {Node: -1, Epoch: 1}}},
		{Call: AcknowledgeDelete, Partition: "a", Number: 900, Leases: []Lease{ok, {Node: 2, Epoch: 1, Since: -1}}}, {Call: DeleteNodes, Partition: "a", Leases: lease(Lease{Node: 1})},
		{Call: SetResourceValues, Partition: "a", Number: 900, Leases: lease(Lease{Node: 1, Epoch: 1, Value: math.NaN()})},
		{Call: AddNodes, Partition: "a", Number: 900, Requests: []Request{{ID: 1, Count: 1}, {ID: 1, Count: 1}}},
		{Call: AddNodes, Partition: "a", Number: 900, Requests: make([]Request, 70)}, {Call: AddNodes, Partition: "a", Number: 900, Requests: []Request{{ID: 1, Count: -1}}},
		{Call: AddNodes, Partition: "a", Number: 900, Requests: []Request{{ID: 1, Count: 1, Kind: "\x00"}}},
	}
	toClient := []Message{
		{Call: NodesAdded, Partition: "b"}, {Call: NodesAdded, Partition: "a", Instance: "other"}, {Call: AddNodes, Partition: "a"},
		{Call: NodesDeleted, Partition: "a", Leases: []Lease{ok, ok}}, {Call: NotifyDeletePending, Partition: "a", Leases: []Lease{ok, {Node: 2, Epoch: 1, Grace: -1}}},
		{Call: NodesAdded, Partition: "a", Leases: []Lease{{Node: 0, Epoch: 9}, {Node: 1, Epoch: 9, Request: 1 << 50}}}, {Call: NodesQueued, Partition: "a", Number: 1 << 50},
		{Call: LeasesRenewed, Partition: "a", Sent: 1 << 62}, {Call: NodesQueued, Partition: "a", Requests: []Request{{ID: 1, Count: 1, Granted: 2}}},
		{Call: ResourcesDiscovered, Partition: "a", Resources: []Resource{{Node: 1, Value: 2}}},
	}
	type call func() error
	rng := rand.New(rand.NewPCG(6, 2))
	wrong := 0
	for range 8 {
		p, q := newPair(t, ManagerOptions{}, make([]string, 5), "a", "b"), newPair(t, ManagerOptions{}, make([]string, 5), "a", "b")
		for range 60 {
			m, c := p.m, p.c["a"]
			late := p.now + time.Duration(rng.IntN(2))*time.Hour
			calls := []call{
				func() error { _, err := m.Handle(late, toManager[rng.IntN(len(toManager))]); return err },
				func() error { _, err := c.Handle(late, toClient[rng.IntN(len(toClient))]); return err },
				func() error { return m.CreatePartition("b", 1, 0) },
				func() error { return m.SetOptions(ManagerOptions{Grace: -1}) },
				func() error { _, err := m.SetShare(late, "a", 2, 9); return err },
				func() error { _, err := m.ResetClient(late, "a", "", true); return err },
				func() error { _, err := m.RemovePartition(late, "nobody", true); return err },
				func() error { _, err := m.Reclaim(late, "a", 6); return err },
				func() error { _, err := m.Fence(late, 0, 1<<40); return err },
				func() error { _, err := m.Prepared(late, 5, 1); return err },
				func() error { _, err := m.PrepareFailed(late, 0, 0, -1); return err },
				func() error { _, err := m.PushResources(late, "nobody"); return err },
				func() error { return m.UnmarshalText([]byte(`{"nodes":[]}`)) },
				func() error { _, _, err := c.AddNodes(late, "", 0); return err },
				func() error { _, err := c.Cancel(late, 1<<40); return err },
				func() error { _, err := c.DeleteNodes(late, 99); return err },
				func() error {
					nodes := []int{99}
					for _, h := range c.AppendNodes(nil, p.now) {
						nodes = append([]int{h.Node, h.Node}, nodes...)
					}
					_, err := c.DeleteNodes(late, nodes...)
					return err
				},
				func() error { _, err := c.SetResourceValues(late, []NodeValue{{99, 1}}); return err },
				func() error { return c.UnmarshalText([]byte(`{"partition":""}`)) },
			}
			for range 1 + rng.IntN(3) {
				if err := calls[rng.IntN(len(calls))](); err == nil {
					t.Fatal("a wrong call has no error")
				}
				wrong++
			}
			name := []string{"a", "b"}[rng.IntN(2)]
			what, n := rng.IntN(6), rng.IntN(5)
			p.now += time.Duration(rng.IntN(90)) * time.Second
			q.now = p.now
			for _, x := range []*pair{p, q} {
				c := x.c[name]
				switch rs, hs := c.AppendRequests(nil), c.AppendNodes(nil, x.now); {
				case what == 0 && len(rs) < 2:
					x.ask(name, "", 1+n%3)
				case what == 1 && len(rs) > 0:
					x.talk(c.Cancel(x.now, rs[0].ID))
				case what == 2 && len(hs) > 0 && hs[n%len(hs)].State != Returned:
					x.talk(c.DeleteNodes(x.now, hs[n%len(hs)].Node))
				case what == 3:
					if msgs, err := x.m.Reclaim(x.now, name, 1); err == nil {
						x.talk(msgs, nil)
					}
				case what == 4:
					x.talk(c.Tick(x.now), nil)
				default:
					x.talk(x.m.Tick(x.now), nil)
				}
			}
			if diff := cmp.Diff(q.state(), p.state()); diff != "" {
				t.Fatalf("after wrong calls (-without +with):\n%s", diff)
			}
		}
	}
	if wrong < 500 {
		t.Errorf("only %d wrong calls", wrong)
	}
}

// state is all that the manager and the clients save, and what they are to be called for.
func (p *pair) state() (all []string) {
	p.t.Helper()
	add := func(v any) {
		data, err := json.Marshal(v)
		if err != nil {
			p.t.Fatal(err)
		}
		all = append(all, string(data))
	}
	next, ok := p.m.NextTick()
	add(p.m)
	add([]any{next, ok})
	for _, name := range []string{"a", "b"} {
		add(p.c[name])
		add(p.c[name].NextTick())
	}
	return all
}
