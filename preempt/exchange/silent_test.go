package exchange

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// What a partition has been told that it may use for a long term it may, whatever the
// terms become, and however it is renewed after that.
func TestTermChanges(t *testing.T) {
	for _, long := range []time.Duration{2 * time.Hour, -1} {
		p := newPair(t, ManagerOptions{Term: long, TakeStale: true, MaxDelay: -1}, make([]string, 2), "a", "b")
		p.ask("a", "", 2)
		a := p.c["a"]
		if err := p.m.SetOptions(ManagerOptions{Term: 5 * time.Minute, TakeStale: true, MaxDelay: -1}); err != nil {
			t.Fatal(err)
		}
		p.now = time.Minute
		msgs, err := a.SetResourceValues(p.now, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.m.Handle(p.now, msgs[0]); err != nil { // and the answer is lost
			t.Fatal(err)
		}
		delete(p.c, "a") // as is all that follows
		msgs, err = nil, nil
		if _, msgs, err = p.c["b"].AddNodes(p.now, "", 1); err != nil {
			t.Fatal(err)
		}
		if _, err := p.m.Handle(p.now, msgs[0]); err != nil {
			t.Fatal(err)
		}
		for ; p.now < 2*time.Hour; p.now += time.Minute {
			p.m.Tick(p.now)
			if h := a.AppendNodes(nil, p.now)[0]; h.State != Usable || p.owners()[0] != 'a' {
				t.Fatalf("term %v: at %v the partition has %+v, the ledger %s", long, p.now, h, p.owners())
			}
		}
		p.m.Tick(2*time.Hour + 5*time.Second)
		want := "ba"
		if long < 0 {
			want = "a*a"
		}
		p.want(want)
	}
}

// A request for any kind leaves the node to one that names its kind, if there is
// another one to be had.
func TestNamedKinds(t *testing.T) {
	// c has all. b asks for the gpu by name and then a, which is before b in all ties, for any.
	p := newPair(t, ManagerOptions{}, []string{"gpu", "cpu", "cpu", "cpu"}, "a", "b", "c")
	p.ask("c", "", 4)
	p.talk(p.c["c"].SetResourceValues(0, nil))
	p.ask("b", "gpu", 1)
	p.want("c*ccc")
	p.ask("a", "", 1)
	p.want("c*c*cc")
	p.wait(3 * time.Minute)
	p.want("bacc")

	// Both ask before there are values, and it is the same.
	p = newPair(t, ManagerOptions{}, []string{"gpu", "cpu", "cpu", "cpu"}, "a", "b", "c")
	p.ask("c", "", 4)
	p.ask("a", "", 1)
	p.ask("b", "gpu", 1)
	p.want("cccc")
	p.talk(p.c["c"].SetResourceValues(0, nil))
	p.want("c*c*cc")
	p.wait(3 * time.Minute)
	p.want("bacc")

	// The gpu is free: it goes to the one that names it, and the other one has a node taken.
	together := func(p *pair) {
		for i, kind := range []string{"", "gpu"} {
			g, _ := p.m.group(Request{Kind: kind})
			r := requestState{group: g, Request: Request{ID: 90, Kind: kind, Count: 1}}
			p.m.s.Partitions[i].Requests = append(p.m.s.Partitions[i].Requests, r)
			p.m.waiting++
		}
		p.m.Tick(p.now)
	}
	p = newPair(t, ManagerOptions{}, []string{"gpu", "cpu", "cpu", "cpu"}, "a", "b", "c")
	p.ask("c", "cpu", 3)
	p.talk(p.c["c"].SetResourceValues(0, nil))
	together(p)
	p.want("bc*cc")

	// But not if b has so much that nothing may be taken for its sake.
	p = newPair(t, ManagerOptions{}, []string{"gpu", "cpu", "cpu", "cpu", "cpu", "cpu"}, "a", "b", "c")
	p.ask("b", "cpu", 2)
	p.ask("c", "cpu", 3)
	p.talk(p.c["c"].SetResourceValues(0, nil))
	together(p)
	p.want("abbccc")
}

// A node that was given up for a request is not given up again for the next one: there is one
// x, which a, who may have any node, leaves to b. d waits.
func TestNamedKindOnce(t *testing.T) {
	p := newPair(t, ManagerOptions{}, []string{"x", "y", "y", "y"}, "a", "b", "c", "d")
	for i, kind := range []string{"", "x", "y", "x"} {
		g, _ := p.m.group(Request{Kind: kind})
		p.m.s.Partitions[i].Requests = []requestState{{group: g, Request: Request{ID: 90, Kind: kind, Count: 1}}}
		p.m.waiting++
	}
	p.m.replan = true
	p.m.Tick(p.now)
	p.want("bac-")
}

// Who gives a node up for whom, where a request for several kinds has a node that another
// request needs.
func TestNamedKindsMove(t *testing.T) {
	// a's gpu is to end, and b waits for it. a asks for a gpu, and that one is not for a: so b
	// stays where it is, and c loses nothing.
	p := newPair(t, ManagerOptions{}, []string{"gpu", "cpu", "cpu", "cpu", "cpu"}, "a", "b", "c")
	p.ask("a", "gpu", 1)
	p.ask("c", "cpu", 4)
	p.talk(p.c["c"].SetResourceValues(0, nil))
	p.talk(p.c["a"].SetResourceValues(0, nil))
	p.talk(p.m.Reclaim(0, "a", 1))
	p.ask("b", "", 1)
	p.ask("a", "gpu", 1)
	p.want("a*cccc")

	// b comes before a and gets the node that is free. a does not get it for the one that is to
	// end, which is a's own: both ask for the same kinds.
	p = newPair(t, ManagerOptions{}, []string{"x", "y"}, "b", "a", "c")
	p.ask("a", "x", 1)
	p.ask("c", "y", 1)
	p.talk(p.c["a"].SetResourceValues(0, nil))
	p.talk(p.m.Reclaim(0, "a", 1))
	p.ask("a", "", 1)
	p.ask("b", "", 1)
	p.talk(p.c["c"].DeleteNodes(0, 1))
	p.want("a*b")

	// A node is free, one of no feature is to end, and v has one more gpu. The request for any
	// node moves for that for a gpu, and this one moves for that for the very kind.
	p = newPair(t, ManagerOptions{Grace: time.Hour}, []string{"x+gpu", "cpu", "y+gpu", "cpu", "cpu", "cpu"}, "a", "b", "d", "v")
	p.ask("v", "", 6)
	p.talk(p.c["v"].SetResourceValues(0, []NodeValue{{0, 1}, {2, 1}, {3, 1}, {4, 1}, {5, 1}}))
	p.talk(p.m.Reclaim(0, "v", 1))
	p.now = 6 * time.Minute // the values are stale
	p.ask("a", "", 1)
	p.ask("b", "+gpu", 1)
	p.ask("d", "x+gpu", 1)
	p.want("vv*vvvv")
	if _, err := p.c["v"].DeleteNodes(p.now, 0); err != nil { // it is lost, and the listing says the same
		t.Fatal(err)
	}
	p.talk(p.c["v"].SetResourceValues(p.now, nil))
	p.want("dv*v*vvv")
}

// With the default options, too, a dead partition keeps what fairness leaves it and no
// more, and an administrator gets the rest.
func TestDeadByDefault(t *testing.T) {
	p := newPair(t, ManagerOptions{}, make([]string, 4), "a", "b")
	p.ask("a", "", 4)
	p.talk(p.c["a"].SetResourceValues(0, []NodeValue{{0, 1}, {1, 0.25}, {2, 0.5}, {3, 1}}))
	dead := p.c["a"]
	p.c["a"] = nil
	tick := func(at time.Duration) { // what is said to the dead is lost
		t.Helper()
		next, ok := p.m.NextTick()
		if !ok || next != at {
			t.Fatalf("at %v the manager wants %v, %v, and not %v", p.now, next, ok, at)
		}
		p.now = at
		for _, msg := range p.m.Tick(at) {
			if msg = msg.Clone(); msg.Partition == "b" {
				p.talk(p.c["b"].Handle(at, msg))
			}
		}
	}
	p.now = 6 * time.Minute // the values are stale
	p.ask("b", "", 4)
	p.want("aaaa")
	status := []PartitionStatus{
		{Name: "a", Weight: 1, Held: 4, Delaying: true},
		{Name: "b", Weight: 1, Waiting: 4},
	}
	if diff := cmp.Diff(status, p.m.AppendPartitions(nil)); diff != "" {
		t.Errorf("partitions (-want +got):\n%s", diff)
	}
	tick(11 * time.Minute) // aborted
	p.want("aaaa")
	status[0].Delaying, status[0].Passed = false, true
	if diff := cmp.Diff(status, p.m.AppendPartitions(nil)); diff != "" {
		t.Errorf("partitions (-want +got):\n%s", diff)
	}
	tick(15*time.Minute + 5*time.Second) // the lease is over
	p.want("aa*a*a")
	tick(16*time.Minute + 5*time.Second)
	tick(17*time.Minute + 5*time.Second) // and so is the grace period
	p.want("abba")
	want := ManagerStats{Granted: 6, Preemptions: 2, Fenced: 2, Delayed: 1, Aborted: 1}
	if diff := cmp.Diff(want, p.m.Stats()); diff != "" {
		t.Errorf("stats (-want +got):\n%s", diff)
	}
	for _, h := range dead.AppendNodes(nil, p.now) {
		if h.State != Unsure {
			t.Errorf("the dead partition has %+v", h)
		}
	}
	// An administrator gives b the rest.
	if _, err := p.m.Reclaim(p.now, "a", 2); err != nil {
		t.Fatal(err)
	}
	p.want("a*bba*")
	tick(18*time.Minute + 5*time.Second)
	tick(19*time.Minute + 5*time.Second)
	p.want("bbbb")
}

// Who is silent since the manager was down is waited for.
func TestManagerDown(t *testing.T) {
	p := newPair(t, ManagerOptions{}, make([]string, 2), "a", "b")
	p.ask("a", "", 2)
	p.talk(p.c["a"].SetResourceValues(0, nil))
	p.m = reload(t, p.m)
	p.now = time.Hour
	p.ask("b", "", 1)
	p.want("aa") // by its values or after MaxDelay
	p.talk(p.c["a"].SetResourceValues(p.now, []NodeValue{{0, 1}}))
	p.want("aa*")
}

// However old the values, their age is no accident.
func TestAge(t *testing.T) {
	for _, age := range []time.Duration{5 * time.Minute, 5*time.Minute + 1, math.MaxInt64} {
		p := newPair(t, ManagerOptions{}, make([]string, 2), "a", "b")
		p.ask("a", "", 2)
		p.now = time.Hour
		msg := Message{Call: SetResourceValues, Partition: "a", Number: 100, Age: age, Leases: []Lease{{Node: 0, Epoch: 1}, {Node: 1, Epoch: 1}}}
		if _, err := p.m.Handle(p.now, msg); err != nil {
			t.Fatal(err)
		}
		if age == math.MaxInt64 {
			p.now += time.Minute // it is more then than a span can be
		}
		p.ask("b", "", 1)
		if age == 5*time.Minute {
			p.want("a*a")
		} else {
			p.want("aa")
		}
	}
}

// A client in the place of one that was lost does not wait for what that one has asked for.
func TestLostRequests(t *testing.T) {
	p := newPair(t, ManagerOptions{}, make([]string, 1), "a", "b")
	p.ask("b", "", 1)
	p.ask("a", "", 1)
	p.c["a"], _ = NewClient("a", ClientOptions{Instance: "2"})
	p.talk(p.m.ResetClient(p.now, "a", "2", false))
	p.wait(10 * time.Second)
	p.talk(p.c["b"].DeleteNodes(p.now, 0))
	p.want("-")
}

// A lease that its partition hears of first by a notice is declined. Without terms it
// would else stay with one that cannot answer.
func TestDeclined(t *testing.T) {
	p := newPair(t, ManagerOptions{Term: -1, TakeStale: true, MaxDelay: -1}, make([]string, 1), "a", "b")
	_, msgs, err := p.c["a"].AddNodes(p.now, "", 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.m.Handle(p.now, msgs[0]); err != nil { // the grant is lost
		t.Fatal(err)
	}
	p.talk(p.m.Reclaim(p.now, "a", 1))
	if a := p.m.AppendAssignments(nil)[0]; a.Epoch != 2 || a.Preemption != 0 {
		t.Errorf("%+v, want the node free, and granted again as it is still asked for", a)
	}
}

// An acknowledgement counts from the preemption's begin at the soonest, though the
// client's clock has gone faster.
func TestKnownTooLong(t *testing.T) {
	p := newPair(t, ManagerOptions{}, make([]string, 1), "a")
	p.ask("a", "", 1)
	p.talk(p.c["a"].SetResourceValues(0, nil))
	p.now = time.Hour
	p.talk(p.c["a"].SetResourceValues(p.now, nil))
	if _, err := p.m.Reclaim(p.now, "a", 1); err != nil {
		t.Fatal(err)
	}
	p.now += 10 * time.Second
	if _, err := p.m.Handle(p.now, Message{Call: AcknowledgeDelete, Partition: "a", Number: 50, Leases: []Lease{{Node: 0, Epoch: 1, Preemption: 1, Since: 30 * time.Second}}}); err != nil {
		t.Fatal(err)
	}
	if a := p.m.AppendAssignments(nil)[0]; a.End != time.Hour+2*time.Minute+5*time.Second {
		t.Errorf("it ends at %v", a.End)
	}
}

// A request that comes back under its old name is not granted what was granted before.
func TestRequestAgain(t *testing.T) {
	p := newPair(t, ManagerOptions{}, make([]string, 2), "a")
	add := func(number uint64, rs ...Request) {
		t.Helper()
		if _, err := p.m.Handle(0, Message{Call: AddNodes, Partition: "a", Number: number, Requests: rs}); err != nil {
			t.Fatal(err)
		}
	}
	add(1, Request{ID: 1, Count: 1})
	add(2)
	add(3, Request{ID: 1, Count: 1})
	p.want("aa")
	if _, err := p.m.Handle(0, Message{Call: SetResourceValues, Partition: "a", Number: 4, Age: -1, Leases: []Lease{{Node: 0, Epoch: 1}, {Node: 1, Epoch: 1}}}); err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(p.m)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, new(Manager)); err != nil {
		t.Error(err)
	}
}

// Of a silent partition's nodes those come first whose leases are over, whatever they were
// worth, and the others wait for values. Of one that speaks the values count.
func TestLapsed(t *testing.T) {
	for age, want := range map[time.Duration]string{time.Minute: "aa*", 6 * time.Minute: "a*a"} {
		p := newPair(t, ManagerOptions{}, make([]string, 2), "a", "b")
		p.ask("a", "", 2)
		p.talk(p.c["a"].SetResourceValues(0, []NodeValue{{0, 1}, {1, 0.5}}))
		p.m.s.Nodes[0].Until = time.Minute // the partition has heard of the preemption too late to be renewed, say
		p.now = age
		p.ask("b", "", 1)
		p.want(want)
	}
}

// The lease of a silent partition that is over frees its own kind alone.
func TestLapsedKind(t *testing.T) {
	for kind, want := range map[string]string{"gpu": "abb*bbb", "cpu": "abbbbb"} {
		p := newPair(t, ManagerOptions{}, []string{"tpu", "gpu", "gpu", "cpu", "cpu", "cpu"}, "a", "b", "c")
		p.ask("a", "tpu", 1)
		p.ask("b", "gpu", 2)
		p.ask("b", "cpu", 3)
		p.talk(p.c["b"].SetResourceValues(0, []NodeValue{{1, 0.5}, {2, 1}}))
		p.m.s.Nodes[2].Until = time.Minute // as in TestLapsed
		p.now = 6 * time.Minute
		p.ask("c", kind, 1)
		p.want(want)
	}
}

// A partition for whose values one request waits has a node less for the next request: of the
// kind that is asked for, and of no other partition.
func TestWaitingRequests(t *testing.T) {
	for _, c := range []struct {
		name, kinds, parts, asks, want string // kinds and owners by node
	}{
		{"two gpus asked of one", "gpu cpu cpu cpu cpu cpu gpu tpu tpu tpu", "x 1 0 s 1 0 f 1 0 b 1 0", "b 2 gpu", "ssssssf*fff"},
		{"each has its own", "x+gpu y+gpu cpu cpu cpu cpu z+gpu cpu cpu", "x 1 0 s 1 0 f 1 0 b 1 0", "b 2 +gpu", "ssssssfff"},
		{"the first partition is not charged", "gpu gpu gpu gpu cpu cpu cpu cpu cpu cpu cpu cpu cpu cpu cpu cpu tpu tpu", "f 1 0 b 4 0 s 1 0 c 1 0", "b 5 cpu c 1 gpu", "f*fffsssssssssssscc"},
	} {
		kinds := strings.Fields(c.kinds)
		p := newShares(t, ManagerOptions{}, kinds, c.parts)
		for i, kind := range kinds { // each node by its kind and its owner's
			owner := strings.ReplaceAll(c.want, "*", "")[i : i+1]
			p.talk(p.c[owner].SetResourceValues(0, nil))
			p.ask(owner, kind, 1)
		}
		p.now = 6 * time.Minute // the values are stale
		p.talk(p.c["f"].SetResourceValues(p.now, nil))
		fields := strings.Fields(c.asks)
		for i := 0; i < len(fields); i += 3 {
			n := int(fields[i+1][0] - '0')
			p.ask(fields[i], fields[i+2], n)
		}
		if got := p.owners(); got != c.want {
			t.Errorf("%s: owners %s, want %s", c.name, got, c.want)
		}
	}
}

// A delay ends with the wait for it, and the next one is as long.
func TestDelayEnds(t *testing.T) {
	p := newPair(t, ManagerOptions{}, make([]string, 2), "a", "b")
	p.ask("a", "", 2)
	p.now = 6 * time.Minute
	id := p.ask("b", "", 1)
	delaying := func(want bool) {
		t.Helper()
		if got := p.m.AppendPartitions(nil)[0]; got.Delaying != want {
			t.Fatalf("at %v: %+v, want Delaying %v", p.now, got, want)
		}
	}
	delaying(true)
	p.now += 4 * time.Minute
	p.talk(p.c["b"].Cancel(p.now, id))
	delaying(false)
	p.ask("b", "", 1)
	delaying(true)
	p.talk(p.m.Tick(p.now+5*time.Minute-1), nil)
	delaying(true)
	p.talk(p.m.Tick(p.now+5*time.Minute), nil)
	delaying(false)
	if s := p.m.Stats(); s.Delayed != 2 || s.Aborted != 1 {
		t.Errorf("%+v, want two delays, one aborted", s)
	}
}
