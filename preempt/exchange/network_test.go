package exchange

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/inputerr"
)

// What somebody forges to a client costs the partition nothing for longer than a listing:
// grants of nodes and epochs that do not exist, notices with numbers from the future.
func TestForgedToClient(t *testing.T) {
	p := newPair(t, ManagerOptions{}, make([]string, 3), "a")
	p.ask("a", "", 2)
	a := p.c["a"]
	p.talk(a.SetResourceValues(p.now, nil))
	for _, msg := range []Message{
		{Call: NodesAdded, Leases: []Lease{{Node: 0, Epoch: maxEpoch}, {Node: 2, Epoch: 7}, {Node: 5000, Epoch: 1}}},
		{Call: NotifyDeletePending, Leases: []Lease{{Node: 1, Epoch: 1, Preemption: maxEpoch, Grace: time.Second}, {Node: 2, Epoch: 99, Preemption: 4}, {Node: 7000, Epoch: 1, Preemption: 4}}},
		{Call: DeleteCancelled, Leases: []Lease{{Node: 1, Epoch: 1, Preemption: maxEpoch - 1}}},
	} {
		msg.Partition = "a"
		p.talk(a.Handle(p.now, msg))
	}
	for range 3 { // listings
		p.now += time.Minute
		p.talk(a.Tick(p.now), nil)
	}
	// Node 0 was lost to the forged grant, since the client cannot have two leases of a node;
	// it comes back when it is asked for.
	p.ask("a", "", 3-count(a, p.now, Usable))
	if got := count(a, p.now, Usable); got != 3 {
		t.Fatalf("%d usable nodes, want 3: %+v", got, a.AppendNodes(nil, p.now))
	}
	if got := p.m.Stats().Unknown; got == 0 {
		t.Error("nothing is counted as unknown")
	}
	// A real preemption is understood.
	if err := p.m.CreatePartition("b", 1, 0); err != nil {
		t.Fatal(err)
	}
	p.talk(a.SetResourceValues(p.now, []NodeValue{{0, 1}, {2, 1}}))
	p.talk(p.m.Reclaim(p.now, "a", 1))
	p.want("aa*a")
	if got := count(a, p.now, Draining); got != 1 {
		t.Errorf("%d nodes drain, want 1: %+v", got, a.AppendNodes(nil, p.now))
	}
}

// A forged notice does not survive the next listing: from then on the client understands a real
// one, also one that was under way and lost.
func TestForgedNotice(t *testing.T) {
	for _, lost := range []bool{false, true} {
		p := newPair(t, ManagerOptions{}, make([]string, 1), "a")
		p.ask("a", "", 1)
		a := p.c["a"]
		p.talk(a.SetResourceValues(p.now, []NodeValue{{0, 1}}))
		p.talk(a.Handle(p.now, Message{Call: NotifyDeletePending, Partition: "a", Leases: []Lease{{Node: 0, Epoch: 1, Preemption: maxEpoch, Grace: time.Hour}}}))
		if lost {
			if _, err := p.m.Reclaim(p.now, "a", 1); err != nil {
				t.Fatal(err)
			}
		}
		p.now += time.Minute
		p.talk(a.Tick(p.now), nil)
		if !lost {
			if got := count(a, p.now, Usable); got != 1 {
				t.Errorf("after the listing: %+v, want a usable node", a.AppendNodes(nil, p.now))
			}
			p.talk(p.m.Reclaim(p.now, "a", 1))
		}
		p.want("a*")
		if got := a.AppendNodes(nil, p.now); len(got) != 1 || got[0].State != Draining || got[0].End > p.now+2*time.Minute {
			t.Errorf("lost %v: %+v, want a node that drains for two minutes", lost, got)
		}
	}
}

// No forged notice or cancellation lets a client use a node that the manager has taken. Real
// notices have numbers 1 and 2 and a grace period of two minutes.
func TestForgedPastDeadline(t *testing.T) {
	notice := func(preemption uint64, grace time.Duration) Message {
		return Message{Call: NotifyDeletePending, Partition: "a", Leases: []Lease{{Node: 0, Epoch: 1, Preemption: preemption, Grace: grace}}}
	}
	cancelled := notice(1, 0)
	cancelled.Call = DeleteCancelled
	for _, c := range []struct {
		name   string
		forged Message
		early  bool // the client reads the forged message before the real preemption begins,
		listed bool // and lists its leases in between; what it acknowledges is late
		deaf   bool // from then on all messages but the late ones are lost
	}{
		{name: "a greater number", forged: notice(maxEpoch, time.Hour)},
		{name: "a greater number, deaf", forged: notice(maxEpoch, time.Hour), deaf: true},
		{name: "the number of another preemption", forged: notice(2, time.Hour)},
		{name: "the number of another preemption, deaf", forged: notice(2, time.Hour), deaf: true},
		{name: "a cancellation", forged: cancelled},
		{name: "a cancellation, deaf", forged: cancelled, deaf: true},
		{name: "a longer grace period", forged: notice(1, time.Hour)},
		{name: "the next number", forged: notice(1, time.Hour), early: true},
		{name: "the next number, deaf", forged: notice(1, time.Hour), early: true, deaf: true},
		{name: "the next number, denied and deaf", forged: notice(1, time.Minute), early: true, listed: true, deaf: true},
	} {
		p := newPair(t, ManagerOptions{Skew: -1}, make([]string, 2), "a")
		p.ask("a", "", 2)
		a := p.c["a"]
		p.talk(a.SetResourceValues(p.now, []NodeValue{{1, 1}}))
		var late []Message
		forge := func() {
			msgs, err := a.Handle(p.now, c.forged)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range msgs {
				late = append(late, m.Clone())
			}
		}
		if c.early {
			forge()
		}
		p.now += 30 * time.Second
		if c.listed {
			p.talk(a.SetResourceValues(p.now, []NodeValue{{1, 1}}))
		}
		msgs, err := p.m.Reclaim(p.now, "a", 2)
		if err != nil || p.m.Assignment(0).Preemption != 1 {
			t.Fatalf("%s: %+v, %v", c.name, p.m.Assignment(0), err)
		}
		if !c.early || !c.deaf {
			p.talk(msgs, nil)
		}
		p.now += 30 * time.Second
		if !c.early {
			forge()
		}
		p.talk(late, nil)
		for range 200 { // 1,000 s: the lease runs out after 900
			p.now += 5 * time.Second
			toManager, toClient := a.Tick(p.now), p.m.Tick(p.now)
			for _, h := range a.AppendNodes(nil, p.now) {
				if l := p.m.Assignment(h.Node); (h.State == Usable || h.State == Draining) && (l.Partition != "a" || l.Epoch != h.Epoch) {
					t.Fatalf("%s: at %v the client uses %+v, and the ledger says %+v", c.name, p.now, h, l)
				}
			}
			if !c.deaf {
				p.talk(slices.Concat(toManager, toClient), nil)
			}
		}
		if l := p.m.Assignment(0); l.Partition != "" {
			t.Errorf("%s: %+v, want a free node", c.name, l)
		}
	}
}

// A return that is late does not end a lease that the client has listed since, though somebody
// forged what made the client forget the return. A return that the manager reads first ends it.
func TestForgedReturn(t *testing.T) {
	lease := func(call Call, epoch uint64) Message {
		return Message{Call: call, Partition: "a", Leases: []Lease{{Node: 0, Epoch: epoch, Preemption: 1, Grace: time.Minute}}}
	}
	for _, early := range []bool{false, true} {
		for _, future := range []bool{false, true} { // the lease that is given back is not granted yet
			p := newPair(t, ManagerOptions{}, make([]string, 1), "a", "b")
			a := p.c["a"]
			var late []Message
			if future {
				msgs, err := a.Handle(p.now, lease(NotifyDeletePending, 1))
				if err != nil || len(msgs) != 1 || msgs[0].Call != DeleteNodes {
					t.Fatalf("%+v, %v: want that the client declines the node", msgs, err)
				}
				late = append(late, msgs[0].Clone())
				p.talk(a.Handle(p.now, lease(NodesDeleted, 1)))
				if early {
					p.talk(late, nil)
				}
				p.ask("a", "", 1)
			} else {
				p.ask("a", "", 1)
				msgs, err := a.DeleteNodes(p.now, 0)
				if err != nil {
					t.Fatal(err)
				}
				late = append(late, msgs[0].Clone())
				if early {
					p.talk(late, nil)
				}
				p.talk(a.Handle(p.now, lease(NodesDeleted, 1)))
				p.talk(a.Handle(p.now, lease(NodesAdded, 1))) // the old offer
			}
			p.talk(late, nil)
			p.ask("b", "", 1)
			want := "a"
			if early && !future {
				want = "b"
			}
			p.want(want)
			if got := count(a, p.now, Usable); (got == 1) != (want == "a") {
				t.Errorf("early %v, future %v: client a has %+v, and the node is with %s", early, future, a.AppendNodes(nil, p.now), p.owners())
			}
		}
	}
}

// What a client that is not itself says does not hold up a listing.
func TestForgedToManager(t *testing.T) {
	p := newPair(t, ManagerOptions{}, make([]string, 2), "a")
	p.ask("a", "", 2)
	before := p.m.AppendAssignments(nil)
	for i, msg := range []Message{
		{Call: SetResourceValues, Leases: []Lease{{Node: 0, Epoch: 1}, {Node: 1, Epoch: 1}, {Node: 2, Epoch: 5}}},
		{Call: SetResourceValues, Leases: []Lease{{Node: 0, Epoch: 1}, {Node: 1, Epoch: 1, Preemption: maxEpoch}}},
		{Call: DeleteNodes, Leases: []Lease{{Node: 0, Epoch: maxEpoch}, {Node: 2, Epoch: 1}, {Node: 99, Epoch: 1}}},
		{Call: AcknowledgeDelete, Leases: []Lease{{Node: 0, Epoch: 1, Preemption: 9}, {Node: 2, Epoch: 1}, {Node: 99, Epoch: 1}}},
	} {
		msg.Partition, msg.Number = "a", uint64(50+i)
		if _, err := p.m.Handle(p.now, msg); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(before, p.m.AppendAssignments(nil)); diff != "" {
			t.Errorf("message %d changes the ledger:\n%s", i, diff)
		}
	}
	if got := p.m.Stats().Unknown; got != 5 {
		t.Errorf("%d unknown, want 5", got)
	}
}

// The numbers of two messages are at most maxJump apart. The first message may have any number
// if the partition never had another client.
func TestNumberJumps(t *testing.T) {
	p := newPair(t, ManagerOptions{}, make([]string, 2), "a", "b")
	if _, err := p.m.ResetClient(0, "b", "second", true); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		partition, instance string
		call                Call
		number              uint64
		good                bool
	}{
		{"a", "", AddNodes, maxNumber, true},
		{"a", "", AddNodes, maxNumber - 9, true}, // late
		{"a", "", SetResourceValues, maxNumber + maxJump + 1, false},
		{"a", "", SetResourceValues, maxNumber + maxJump, true},
		{"a", "", AddNodes, maxNumber + 2*maxJump, true},
		{"a", "", AddNodes, maxNumber + 3*maxJump + 1, false},
		{"a", "", DiscoverResources, math.MaxUint64, true},
		{"b", "second", SetResourceValues, maxJump + 1, false},
		{"b", "second", SetResourceValues, maxJump, true},
	} {
		_, err := p.m.Handle(0, Message{Call: c.call, Partition: c.partition, Instance: c.instance, Number: c.number, Age: -1})
		if c.good && err != nil || !c.good && !errors.Is(err, ErrRange) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// A client that is replaced keeps its nodes until its leases have run out, and is not heard.
func TestResetClient(t *testing.T) {
	p := newPair(t, ManagerOptions{}, make([]string, 2), "a", "b")
	p.ask("a", "", 2)
	p.now = time.Minute
	p.talk(p.c["a"].Tick(p.now), nil)
	old := p.c["a"]
	p.c["a"], _ = NewClient("a", ClientOptions{Instance: "second"})
	p.now = 2 * time.Minute
	p.talk(p.m.ResetClient(p.now, "a", "second", false))
	p.want("a*a*")
	p.ask("b", "", 1)
	for _, msg := range old.Tick(p.now) {
		if _, err := p.m.Handle(p.now, msg.Clone()); !errors.Is(err, ErrInstance) {
			t.Errorf("%v of the old client: %v", msg.Call, err)
		}
	}
	for p.owners() == "a*a*" && p.now < time.Hour {
		p.now += 10 * time.Second
		if count(old, p.now, Usable) > 0 && p.owners() != "a*a*" {
			t.Fatalf("at %v the old client uses a node: %s", p.now, p.owners())
		}
		p.talk(p.m.Tick(p.now), nil)
		p.talk(p.c["a"].Tick(p.now), nil)
	}
	p.want("b-")
	if got := count(old, p.now, Usable); got != 0 {
		t.Errorf("the old client believes in %d nodes", got)
	}
	if _, err := p.m.ResetClient(p.now, "a", "second", false); !errors.Is(err, ErrInstance) {
		t.Errorf("the same instance again: %v", err)
	}
}

// A partition that is removed frees its place and its nodes; a partition with more weight
// gets more.
func TestRemoveAndShare(t *testing.T) {
	p := newPair(t, ManagerOptions{MaxPartitions: 2}, make([]string, 6), "a", "b")
	p.ask("a", "", 6)
	p.talk(p.c["a"].SetResourceValues(p.now, nil))
	p.ask("b", "", 5)
	p.wait(5 * time.Minute)
	p.want("bbbaaa")
	p.talk(p.m.SetShare(p.now, "b", 2, 0))
	p.wait(5 * time.Minute)
	p.want("bbbbaa")
	if err := p.m.CreatePartition("c", 1, 0); !errors.Is(err, ErrTooMany) {
		t.Errorf("a third partition: %v", err)
	}
	p.talk(p.m.RemovePartition(p.now, "b", false))
	delete(p.c, "b")
	p.want("b*b*b*b*aa")
	if _, err := p.m.Handle(p.now, Message{Call: DiscoverResources, Partition: "b"}); !errors.Is(err, ErrUnknown) {
		t.Errorf("a message of a partition that is removed: %v", err)
	}
	if err := p.m.CreatePartition("c", 1, 0); err != nil {
		t.Error(err)
	}
	if got := p.m.AppendPartitions(nil); len(got) != 3 || !got[1].Removed || got[1].Held != 4 {
		t.Errorf("partitions %+v", got)
	}
	p.m = reload(t, p.m)
	p.wait(20 * time.Minute)
	p.want("----aa")
	if got := p.m.AppendPartitions(nil); len(got) != 2 {
		t.Errorf("partitions %+v", got)
	}
	p.talk(p.m.RemovePartition(p.now, "a", true))
	p.want("------")
}

// The host withholds a node until it is ready; where that fails, the partition gets another.
func TestPrepare(t *testing.T) {
	p := newPair(t, ManagerOptions{Prepare: true}, make([]string, 3), "a")
	p.ask("a", "", 2)
	todo := toPrepare(p.m)
	want := []unprepared{{0, 1, "", "a"}, {1, 1, "", "a"}}
	if diff := cmp.Diff(want, todo); diff != "" {
		t.Fatal(diff)
	}
	if got := len(p.c["a"].AppendNodes(nil, p.now)); got != 0 {
		t.Fatalf("the client knows of %d nodes", got)
	}
	// Neither a notice nor a forged listing makes it the partition's.
	out, err := p.m.Handle(p.now, Message{Call: SetResourceValues, Partition: "a", Number: 40, Leases: []Lease{{Node: 0, Epoch: 1}}})
	if err != nil || out[0].Leases[0].State != Ended {
		t.Errorf("%+v, %v", out, err)
	}
	p.talk(p.m.PrepareFailed(p.now, 0, 1, time.Hour))
	p.talk(p.m.Prepared(p.now, 1, 1))
	p.talk(p.m.Prepared(p.now, 1, 1)) // again
	if diff := cmp.Diff([]unprepared{{2, 1, "", "a"}}, toPrepare(p.m)); diff != "" {
		t.Errorf("still to prepare (-want +got):\n%s", diff)
	}
	p.m = reload(t, p.m)
	p.c["a"].s.Number = 60
	p.talk(p.m.PrepareFailed(p.now, 2, 1, 0)) // no wait: it is granted again at once
	if diff := cmp.Diff([]unprepared{{2, 2, "", "a"}}, toPrepare(p.m)); diff != "" {
		t.Errorf("still to prepare (-want +got):\n%s", diff)
	}
	p.talk(p.m.Prepared(p.now, 2, 2))
	if got := count(p.c["a"], p.now, Usable); got != 2 {
		t.Errorf("%d usable nodes, want 2", got)
	}
	// What is ready cannot fail any more, nor can what is over.
	for node, epoch := range map[int]uint64{1: 1, 0: 1} {
		before := p.m.AppendAssignments(nil)
		p.talk(p.m.PrepareFailed(p.now, node, epoch, time.Minute))
		p.talk(p.m.Prepared(p.now, node, epoch))
		if diff := cmp.Diff(before, p.m.AppendAssignments(nil)); diff != "" {
			t.Errorf("node %d changes (-want +got):\n%s", node, diff)
		}
	}
	// The node that failed is granted again after its time.
	p.ask("a", "", 1)
	p.wait(59 * time.Minute)
	if got := len(p.m.AppendUnprepared(nil)); got != 0 {
		t.Errorf("%d nodes to prepare before the hour is over", got)
	}
	p.wait(2 * time.Minute)
	if diff := cmp.Diff([]unprepared{{0, 2, "", "a"}}, toPrepare(p.m)); diff != "" {
		t.Errorf("after an hour (-want +got):\n%s", diff)
	}
}

func TestFits(t *testing.T) {
	for _, c := range []struct {
		want, kind string
		fits       bool
	}{
		{"", "", true}, {"", "epyc+gpu", true}, {"epyc", "epyc", true}, {"epyc", "epyc+gpu", true}, {"epyc", "xeon", false},
		{"+gpu", "epyc+ib+gpu", true}, {"+gpu", "epyc+gpus", false}, {"+gpu", "gpu", false}, {"+gpu+ib", "epyc+ib+gpu", true},
		{"+gpu+ib", "epyc+ib", false}, {"epyc+gpu", "xeon+gpu", false}, {"epyc+", "epyc", true}, {"epyc", "", false}, {"+", "x", true},
	} {
		if got := fits(c.want, c.kind); got != c.fits {
			t.Errorf("a node of %q for a request for %q: %v", c.kind, c.want, got)
		}
	}
}

// Requests for features get nodes that have them, and leave rare nodes to narrow requests.
func TestFeatures(t *testing.T) {
	p := newPair(t, ManagerOptions{}, []string{"x+gpu", "x", "y+gpu+ib", "y"}, "a", "b", "c")
	p.ask("a", "+gpu", 1)
	p.want("a---")
	p.ask("b", "y+ib", 1)
	p.want("a-b-")
	p.ask("c", "+gpu+mic", 1)
	p.ask("c", "+gpu", 3)
	got := p.c["c"].AppendRequests(nil)
	if got[0].Refused != "the cluster has no node of the kind" || got[1].Refused != "more nodes than the cluster has of the kind" {
		t.Errorf("requests %+v", got)
	}
	p.ask("c", "", 2)
	p.want("acbc")
	// In one step: any node, a gpu, and the only node with both.
	p = newPair(t, ManagerOptions{}, []string{"x+gpu+ib", "x+gpu", "y"}, "a")
	if _, err := p.m.Handle(0, Message{Call: AddNodes, Partition: "a", Number: 1, Requests: []Request{{ID: 1, Count: 1}, {ID: 2, Kind: "+gpu", Count: 1}, {ID: 3, Kind: "+gpu+ib", Count: 1}}}); err != nil {
		t.Fatal(err)
	}
	var requests []uint64
	for i := range p.m.s.Nodes {
		requests = append(requests, p.m.s.Nodes[i].Request)
	}
	if diff := cmp.Diff([]uint64{3, 2, 1}, requests); diff != "" {
		t.Errorf("nodes by request (-want +got):\n%s", diff)
	}
}

// Each set of kinds that somebody asks for is remembered as a group. Groups that nobody asks for
// any more are forgotten, and requests that wait all the while get what they asked for.
func TestManySetsOfKinds(t *testing.T) {
	// Node i lacks feature i, so that each set of features fits another set of nodes.
	const n = 10
	kinds := make([]string, n)
	kind := func(features int) string {
		s := ""
		for f := range n {
			if features>>f&1 == 1 {
				s += fmt.Sprint("+f", f)
			}
		}
		return s
	}
	for i := range kinds {
		kinds[i] = kind(1<<n - 1 - 1<<i)
	}
	p := newPair(t, ManagerOptions{}, kinds, "a", "b", "c")
	p.ask("c", "", n)
	p.ask("a", "+f0+f1", 1) // wait: nobody has told values
	p.ask("a", "+f2", 1)
	for number, features := uint64(100), 1; features < 1<<n-1; number++ {
		var rs []Request
		for ; len(rs) < 50 && features < 1<<n-1; features++ {
			rs = append(rs, Request{ID: uint64(1000 + features), Kind: kind(features), Count: 1})
		}
		p.say(Message{Call: AddNodes, Partition: "b", Number: number, Requests: rs})
		if g := len(p.m.groups); g > maxGroups+50 {
			t.Fatalf("%d groups are remembered", g)
		}
	}
	p.say(Message{Call: AddNodes, Partition: "b", Number: 1000})
	for _, node := range []int{0, 1, 2, 3} { // node 0 lacks f0, 1 lacks f1, 2 lacks f2
		p.talk(p.c["c"].DeleteNodes(p.now, node))
	}
	p.want("a-a-cccccc")
	if r := p.m.s.Nodes[2].Request; r != 1 {
		t.Errorf("node 2 is for request %d, want 1, for +f0+f1", r)
	}
}

// The host's vector: free nodes 0, the nodes that fairness would take in their order, others 1.
func TestHostValues(t *testing.T) {
	p := newPair(t, ManagerOptions{}, make([]string, 8), "a", "b", "c")
	p.ask("a", "", 6)
	p.ask("c", "", 1)
	p.talk(p.c["a"].SetResourceValues(p.now, []NodeValue{{0, 0.5}, {1, 0.1}, {2, 0.9}, {3, 0.3}, {4, 1}, {5, 1}}))
	got, err := p.m.AppendResources(nil, "b")
	if err != nil {
		t.Fatal(err)
	}
	var values []float64
	for _, r := range got {
		values = append(values, r.Value)
	}
	// b takes the free node 7 and then 2 of a: 6-2 >= 1+2, and 6-3 < 1+3.
	if diff := cmp.Diff([]float64{1, 1. / 3, 1, 2. / 3, 1, 1, 1, 0}, values); diff != "" {
		t.Errorf("values (-want +got):\n%s", diff)
	}
	p.talk(p.m.PushResources(p.now, "b"))
	if diff := cmp.Diff(got, p.c["b"].AppendResources(nil)); diff != "" {
		t.Errorf("pushed (-want +got):\n%s", diff)
	}
}

// An operator cuts off a node whose lease does not run out.
func TestFence(t *testing.T) {
	p := newPair(t, ManagerOptions{Term: -1}, make([]string, 2), "a", "b")
	p.ask("a", "", 2)
	p.talk(p.m.Fence(p.now, 1, 1))
	p.want("a-")
	p.talk(p.m.Fence(p.now, 1, 1)) // again
	p.talk(p.c["a"].SetResourceValues(p.now, nil))
	if got := count(p.c["a"], p.now, Usable); got != 1 {
		t.Errorf("%d usable nodes, want 1", got)
	}
}

// A record that is not one is refused, and so is one that fits another state.
func TestBadRecord(t *testing.T) {
	m, err := NewManager(ManagerOptions{}, make([]string, 2))
	if err != nil {
		t.Fatal(err)
	}
	state, _ := m.MarshalText()
	if len(m.AppendChanges(nil)) != 0 {
		t.Error("a new manager has changes")
	}
	if err := m.CreatePartition("a", 1, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Handle(time.Minute, Message{Call: AddNodes, Partition: "a", Number: 1, Requests: []Request{{ID: 1, Count: 2}}}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int{0, 1}, m.AppendChanged(nil)); diff != "" {
		t.Error(diff)
	}
	good := m.AppendChanges(nil)
	restore := func(records ...[]byte) error {
		return new(Manager).Restore(state, func(yield func([]byte, error) bool) {
			for _, r := range records {
				if !yield(r, nil) {
					return
				}
			}
		})
	}
	if err := restore(good); err != nil {
		t.Error(err)
	}
	for n := range good {
		var in *inputerr.Error
		if err := restore(good[:n]); !errors.As(err, &in) {
			t.Errorf("%d bytes of %d: %v", n, len(good), err)
		}
		for bit := range 8 {
			bad := slices.Clone(good)
			bad[n] ^= 1 << bit
			if err := restore(bad); !errors.As(err, &in) {
				t.Errorf("bit %d of byte %d: %v", bit, n, err)
			}
		}
	}
	if err := new(Manager).Restore([]byte("{"), func(func([]byte, error) bool) {}); err == nil {
		t.Error("half a state: no error")
	}
	if err := m.SetOptions(ManagerOptions{Grace: time.Hour}); err != nil {
		t.Fatal(err)
	}
	if err := restore(m.AppendChanges(nil)); err != nil {
		t.Error(err)
	}
	fail := errors.New("the disk is broken")
	if err := m.Restore(state, func(yield func([]byte, error) bool) { yield(nil, fail) }); err != fail {
		t.Errorf("%v", err)
	}
}

// An unprepared is what the host needs to know of a node that it has to make ready.
type unprepared struct {
	Node            int
	Epoch           uint64
	Kind, Partition string
}

func toPrepare(m *Manager) (list []unprepared) {
	for _, a := range m.AppendUnprepared(nil) {
		list = append(list, unprepared{a.Node, a.Epoch, a.Kind, a.Partition})
	}
	return list
}
