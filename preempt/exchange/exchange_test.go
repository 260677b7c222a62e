package exchange

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/inputerr"
)

// pair is a manager of four nodes and its client, and what is said between them arrives at
// once.
type pair struct {
	t   *testing.T
	now time.Duration
	m   *Manager
	c   map[string]*Client

	restarts bool // both sides restart before each message and tick
}

// restart restarts all processes, from what they have saved, if that is wanted.
func (p *pair) restart() {
	if p.restarts {
		p.m = reload(p.t, p.m)
		for name, c := range p.c {
			p.c[name] = reload(p.t, c)
		}
	}
}

func newPair(t *testing.T, opts ManagerOptions, kinds []string, names ...string) *pair {
	t.Helper()
	m, err := NewManager(opts, kinds)
	if err != nil {
		t.Fatal(err)
	}
	p := &pair{t: t, m: m, c: map[string]*Client{}}
	for _, name := range names {
		if err := m.CreatePartition(name, 1, 0); err != nil {
			t.Fatal(err)
		}
		if p.c[name], err = NewClient(name, ClientOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// newShares is newPair with partitions of given weights and floors: name weight floor, …
func newShares(t *testing.T, opts ManagerOptions, kinds []string, parts string) *pair {
	t.Helper()
	p := newPair(t, opts, kinds)
	f := strings.Fields(parts)
	for i := 0; i < len(f); i += 3 {
		var weight, floor int
		fmt.Sscan(f[i+1]+" "+f[i+2], &weight, &floor)
		if err := p.m.CreatePartition(f[i], weight, floor); err != nil {
			t.Fatal(err)
		}
		p.c[f[i]], _ = NewClient(f[i], ClientOptions{})
	}
	return p
}

// talk delivers the messages and all answers.
func (p *pair) talk(msgs []Message, err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
	var q []Message
	add := func(msgs []Message) {
		for _, m := range msgs {
			q = append(q, m.Clone())
		}
	}
	add(msgs)
	for len(q) > 0 {
		msg := q[0]
		q = q[1:]
		p.restart()
		var out []Message
		if msg.Call <= AcknowledgeDelete {
			out, err = p.m.Handle(p.now, msg)
		} else {
			out, err = p.c[msg.Partition].Handle(p.now, msg)
		}
		if err != nil {
			p.t.Fatalf("%+v: %v", msg, err)
		}
		add(out)
	}
}

func (p *pair) ask(name, kind string, count int) uint64 {
	p.t.Helper()
	id, msgs, err := p.c[name].AddNodes(p.now, kind, count)
	p.talk(msgs, err)
	return id
}

// wait lets time pass in steps of ten seconds, during which partitions tell that all their
// nodes are worth 1.
func (p *pair) wait(d time.Duration, lazy ...string) {
	p.t.Helper()
	for end := p.now + d; p.now < end; {
		p.now += 10 * time.Second
		p.restart()
		p.talk(p.m.Tick(p.now), nil)
		for _, name := range []string{"a", "b", "c"} {
			if p.c[name] == nil {
				continue
			}
			p.talk(p.c[name].Tick(p.now), nil)
			if len(lazy) > 0 && lazy[0] == name {
				continue
			}
			var values []NodeValue
			c := p.c[name]
			for _, h := range c.AppendNodes(nil, p.now) {
				if h.State != Returned {
					values = append(values, NodeValue{h.Node, 1})
				}
			}
			p.talk(c.SetResourceValues(p.now, values))
		}
	}
}

// owners says who has each node: a letter, "*" behind it if it is to end, "-" for none.
func (p *pair) owners() string {
	var b strings.Builder
	for _, a := range p.m.AppendAssignments(nil) {
		switch {
		case a.Partition == "":
			b.WriteString("-")
		case a.Preemption > 0:
			b.WriteString(a.Partition + "*")
		default:
			b.WriteString(a.Partition)
		}
	}
	return b.String()
}

func (p *pair) want(owners string) {
	p.t.Helper()
	if got := p.owners(); got != owners {
		p.t.Fatalf("at %v: owners %s, want %s", p.now, got, owners)
	}
}

// One whole preemption, step by step.
func TestPreemption(t *testing.T) {
	p := newPair(t, ManagerOptions{}, make([]string, 4), "a", "b")
	p.ask("a", "", 4)
	p.want("aaaa")
	p.talk(p.c["a"].SetResourceValues(p.now, []NodeValue{{0, 1}, {1, 0.5}, {2, 0.25}, {3, 0.5}}))
	// b may have two: its share is then that of a. The least values are those of 2 and, of two
	// equal ones, the lower node.
	p.ask("b", "", 3)
	p.want("aa*a*a")
	a := p.c["a"]
	want := []NodeStatus{
		{Node: 0, Epoch: 1, Request: 1, State: Usable, Value: 1, End: 15 * time.Minute},
		{Node: 1, Epoch: 1, Request: 1, State: Draining, Value: 0.5, Preemption: 2, End: 2 * time.Minute},
		{Node: 2, Epoch: 1, Request: 1, State: Draining, Value: 0.25, Preemption: 1, End: 2 * time.Minute},
		{Node: 3, Epoch: 1, Request: 1, State: Usable, Value: 0.5, End: 15 * time.Minute},
	}
	if diff := cmp.Diff(want, a.AppendNodes(nil, p.now)); diff != "" {
		t.Fatalf("holdings (-want +got):\n%s", diff)
	}
	// The job on node 2 ends; b has the node at once.
	p.now += 30 * time.Second
	p.talk(a.DeleteNodes(p.now, 2))
	p.want("aa*ba")
	// The notice is repeated each minute.
	p.now = time.Minute
	out := p.m.Tick(p.now)
	if len(out) != 1 || out[0].Call != NotifyDeletePending || out[0].Partition != "a" {
		t.Fatalf("after a minute: %+v, want a notice", out)
	}
	p.talk(out, nil)
	// b's request is for one more than it may have, and stays.
	if diff := cmp.Diff([]Request{{ID: 1, Count: 3, Granted: 0}}, p.c["b"].AppendRequests(nil)); diff != "" {
		t.Fatalf("requests (-want +got):\n%s", diff)
	}
	// The manager waits for the skew as well. The client does not.
	p.now = 2 * time.Minute
	if got := a.AppendNodes(nil, p.now)[1].State; got != Returned {
		t.Errorf("at the end of the grace period the node is %v", got)
	}
	p.talk(p.m.Tick(p.now+4*time.Second), nil)
	p.want("aa*ba")
	p.talk(p.m.Tick(p.now+5*time.Second), nil)
	p.want("abba")
	wantStats := ManagerStats{Granted: 6, Preemptions: 2, Completed: 1, Withdrawn: 1}
	if diff := cmp.Diff(wantStats, p.m.Stats()); diff != "" {
		t.Errorf("stats (-want +got):\n%s", diff)
	}
}

// Restarts at any time do not postpone the end of a grace period, on either side.
func TestRestarts(t *testing.T) {
	for _, restarts := range []bool{false, true} {
		p := newPair(t, ManagerOptions{}, make([]string, 2), "a", "b")
		p.restarts, p.now = restarts, time.Hour
		p.ask("a", "", 2)
		p.talk(p.c["a"].SetResourceValues(p.now, nil))
		p.ask("b", "", 1)
		p.want("a*a")
		p.wait(110 * time.Second)
		if got := p.c["a"].AppendNodes(nil, p.now)[0]; got.State != Draining || got.End != time.Hour+2*time.Minute {
			t.Errorf("restarts %v: %+v", restarts, got)
		}
		p.restart()
		p.now = time.Hour + 2*time.Minute
		p.talk(p.m.Tick(p.now+4*time.Second), nil)
		p.want("a*a")
		p.talk(p.m.Tick(p.now+5*time.Second), nil)
		p.want("ba")
		if s := p.m.Stats(); s.Withdrawn != 1 {
			t.Errorf("restarts %v: %+v", restarts, s)
		}
	}
}

// A client that lists its nodes and hears no notice is not renewed those that are to
// end, and the answer tells it so. One that does not hear that either loses them when the
// lease is over.
func TestDeaf(t *testing.T) {
	p := newPair(t, ManagerOptions{}, make([]string, 2), "a", "b")
	p.ask("a", "", 2)
	p.talk(p.c["a"].SetResourceValues(p.now, nil))
	if _, _, err := p.c["b"].AddNodes(p.now, "", 1); err != nil {
		t.Fatal(err)
	}
	if _, err := p.m.Handle(p.now, Message{Call: AddNodes, Partition: "b", Number: 1, Requests: []Request{{ID: 1, Count: 1}}}); err != nil {
		t.Fatal(err)
	}
	p.want("a*a") // and the notice is lost
	listed := []Lease{{Node: 0, Epoch: 1}, {Node: 1, Epoch: 1}}
	for number := uint64(100); ; number++ {
		out, err := p.m.Handle(p.now, Message{Call: SetResourceValues, Partition: "a", Number: number, Sent: p.now, Leases: listed})
		if err != nil {
			t.Fatal(err)
		}
		if p.owners() == "ba" {
			break
		}
		want := []Lease{{Node: 0, Epoch: 1, Preemption: 1, Grace: 2 * time.Minute, State: Pending}, {Node: 1, Epoch: 1}}
		if diff := cmp.Diff(want, out[0].Leases); diff != "" {
			t.Fatalf("renewed (-want +got):\n%s", diff)
		}
		if number == 100 { // a client that reads it begins to drain
			c := reload(t, p.c["a"])
			c.s.Number, c.s.Listings = 200, []listing{{number, p.now}}
			if _, err := c.Handle(p.now, out[0]); err != nil {
				t.Fatal(err)
			}
			if h := c.AppendNodes(nil, p.now)[0]; h.State != Draining || h.End != p.now+2*time.Minute {
				t.Errorf("after the answer: %+v", h)
			}
		}
		if p.now += 30 * time.Second; p.now > time.Hour {
			t.Fatal("it is never taken")
		}
		p.m.Tick(p.now)
	}
	if want := 15*time.Minute + 30*time.Second; p.now != want { // the first time after 15:05
		t.Errorf("taken at %v, want %v", p.now, want)
	}
}

// What comes late is known for it.
func TestLateMessages(t *testing.T) {
	p := newPair(t, ManagerOptions{}, make([]string, 2), "a", "b")
	p.ask("a", "", 2)
	a := p.c["a"]
	p.talk(a.DeleteNodes(p.now, 0))
	p.ask("a", "", 1) // node 0 in its second lease
	p.talk(a.SetResourceValues(p.now, nil))
	p.ask("b", "", 1)
	p.want("a*a") // preemption 1
	p.talk(p.c["b"].Cancel(p.now, p.c["b"].AppendRequests(nil)[0].ID))
	p.want("aa")
	p.ask("b", "", 1)
	p.want("a*a") // preemption 2
	want := a.AppendNodes(nil, p.now)
	if want[0].State != Draining || want[0].Preemption != 2 {
		t.Fatalf("%+v", want)
	}
	lease := func(node int, epoch, preemption uint64) []Lease {
		return []Lease{{Node: node, Epoch: epoch, Preemption: preemption, Grace: time.Hour}}
	}
	p.now += time.Minute
	for _, msg := range []Message{
		{Call: DeleteCancelled, Leases: lease(0, 2, 1)},
		{Call: DeleteCancelled, Leases: lease(0, 1, 9)},
		{Call: NotifyDeletePending, Leases: lease(0, 2, 1)},
		{Call: NotifyDeletePending, Leases: lease(0, 1, 9)},
		{Call: NotifyDeletePending, Leases: lease(0, 2, 2)}, // again
		{Call: NodesAdded, Leases: lease(0, 1, 0)},
		{Call: NodesAdded, Leases: lease(0, 2, 0)},
		{Call: NodesDeleted, Leases: lease(0, 1, 0)},
		{Call: NodesDeleted, Leases: lease(0, 2, 0)}, // of what was not given back
		{Call: LeasesRenewed, Leases: []Lease{{Node: 0, Epoch: 1, State: Ended}}},
		{Call: LeasesRenewed, Leases: []Lease{{Node: 0, Epoch: 2, Preemption: 1, State: Cancelled}}, Term: 15 * time.Minute},
		{Call: LeasesRenewed, Leases: lease(0, 2, 0), Term: time.Second},
	} {
		msg.Partition = "a"
		if _, err := a.Handle(p.now, msg); err != nil {
			t.Fatalf("%+v: %v", msg, err)
		}
		if diff := cmp.Diff(want, a.AppendNodes(nil, p.now)); diff != "" {
			t.Errorf("%+v changes the holdings (-want +got):\n%s", msg, diff)
		}
	}
	// And by the manager.
	ledger := p.m.AppendAssignments(nil)
	for _, msg := range []Message{
		{Call: AcknowledgeDelete, Number: 50, Leases: lease(0, 2, 1)},
		{Call: DeleteNodes, Leases: lease(0, 1, 0)},
		{Call: SetResourceValues, Number: 1},
	} {
		msg.Partition = "a"
		if _, err := p.m.Handle(p.now, msg); err != nil {
			t.Fatalf("%+v: %v", msg, err)
		}
		if diff := cmp.Diff(ledger, p.m.AppendAssignments(nil)); diff != "" {
			t.Errorf("%+v changes the ledger (-want +got):\n%s", msg, diff)
		}
	}
	// A request that was withdrawn does not come back.
	if _, err := p.m.Handle(p.now, Message{Call: AddNodes, Partition: "b", Number: 1, Requests: []Request{{ID: 1, Count: 2}}}); err != nil {
		t.Fatal(err)
	}
	p.talk(p.c["b"].Cancel(p.now, p.c["b"].AppendRequests(nil)[0].ID))
	p.want("aa")
}

// A grant and a renewal that are both late do not make a partition believe in a lease that it
// has given back: the renewal is the answer to a question from before.
func TestLateGrantAndRenewal(t *testing.T) {
	p := newPair(t, ManagerOptions{}, make([]string, 1), "a")
	a := p.c["a"]
	p.ask("a", "", 1)
	grant := Message{Call: NodesAdded, Partition: "a", Leases: []Lease{{Node: 0, Epoch: 1, Request: 1}}}
	msgs, err := a.SetResourceValues(p.now, nil)
	if err != nil {
		t.Fatal(err)
	}
	question := msgs[0].Clone()
	msgs, err = p.m.Handle(p.now, question)
	if err != nil {
		t.Fatal(err)
	}
	renewal := msgs[0].Clone()
	p.now += time.Minute
	p.talk(a.DeleteNodes(p.now, 0))
	if got := a.AppendNodes(nil, p.now); len(got) != 0 {
		t.Fatalf("%+v", got)
	}
	for _, msg := range []Message{grant, renewal} {
		if _, err := a.Handle(p.now, msg); err != nil {
			t.Fatal(err)
		}
	}
	if got := a.AppendNodes(nil, p.now); len(got) != 1 || got[0].State != Offered {
		t.Fatalf("%+v, want the node offered", got)
	}
	p.talk(a.SetResourceValues(p.now, nil))
	if got := a.AppendNodes(nil, p.now); len(got) != 0 {
		t.Errorf("%+v, want nothing", got)
	}
	p.want("-")
}

// Nobody waits any more, and the nodes stay; a late acknowledgement does not bring
// the preemption back.
func TestCancelled(t *testing.T) {
	p := newPair(t, ManagerOptions{}, make([]string, 2), "a", "b")
	p.ask("a", "", 2)
	p.talk(p.c["a"].SetResourceValues(0, nil))
	id := p.ask("b", "", 1)
	p.want("a*a")
	late := Message{Call: AcknowledgeDelete, Partition: "a", Number: 50, Leases: []Lease{{Node: 0, Epoch: 1, Preemption: 1}}}
	p.talk(p.c["b"].Cancel(p.now, id))
	p.want("aa")
	if got := p.c["a"].AppendNodes(nil, p.now)[0].State; got != Usable {
		t.Errorf("the node is %v", got)
	}
	p.ask("b", "", 1)
	p.talk([]Message{late}, nil)
	p.want("a*a")
	if s := p.m.Stats(); s.Cancelled != 1 || s.Preemptions != 2 {
		t.Errorf("%+v, want two preemptions, one cancelled", s)
	}
	// A cancellation that was lost is told with the next renewal.
	b := p.c["b"]
	msgs, err := b.Cancel(p.now, b.AppendRequests(nil)[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	for _, out := range msgs {
		if _, err := p.m.Handle(p.now, out); err != nil { // the answers are lost
			t.Fatal(err)
		}
	}
	p.want("aa")
	if got := p.c["a"].AppendNodes(nil, p.now)[0].State; got != Draining {
		t.Errorf("the node is %v, and nobody said so", got)
	}
	p.talk(p.c["a"].SetResourceValues(p.now, nil))
	if got := p.c["a"].AppendNodes(nil, p.now)[0].State; got != Usable {
		t.Errorf("the node is %v", got)
	}
}

// say hands a message to the manager and returns the answers, which do not arrive.
func (p *pair) say(msg Message) []Message {
	p.t.Helper()
	out, err := p.m.Handle(p.now, msg)
	if err != nil {
		p.t.Fatal(err)
	}
	return out
}

// What one step says to a partition is one message of each kind, each about its own nodes; and
// what is due to be repeated goes along.
func TestOneStep(t *testing.T) {
	p := newPair(t, ManagerOptions{}, []string{"gpu", "cpu", "cpu", "cpu", "cpu"}, "a", "b")
	p.ask("a", "", 4)
	p.ask("b", "gpu", 1)
	p.talk(p.c["a"].SetResourceValues(p.now, []NodeValue{{2, 1}, {3, 1}}))
	p.want("a*aaa-")
	id, msgs, err := p.c["a"].AddNodes(p.now, "cpu", 1)
	if err != nil {
		t.Fatal(err)
	}
	p.say(msgs[0]) // the grant of node 4 is lost
	p.now = time.Minute
	out := p.say(Message{Call: AddNodes, Partition: "b", Number: 50, Requests: []Request{{ID: 9, Kind: "cpu", Count: 1}}})
	want := []Message{
		{Call: NodesQueued, Partition: "b", Number: 50, Requests: []Request{{ID: 9, Kind: "cpu", Count: 1}}},
		{Call: DeleteCancelled, Partition: "a", Leases: []Lease{{Node: 0, Epoch: 1, Preemption: 1}}},
		{Call: NotifyDeletePending, Partition: "a", Leases: []Lease{{Node: 1, Epoch: 1, Preemption: 2, Grace: 2 * time.Minute}}},
		{Call: NodesAdded, Partition: "a", Leases: []Lease{{Node: 4, Epoch: 1, Request: id}}},
	}
	if diff := cmp.Diff(want, out); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A node that was granted, is to end and then stays after all is granted again in the same
// step, since the partition may not know of the lease.
func TestCancelledGrant(t *testing.T) {
	p := newPair(t, ManagerOptions{}, make([]string, 2), "a", "b")
	p.talk(p.c["a"].SetResourceValues(p.now, nil))
	p.say(Message{Call: AddNodes, Partition: "a", Number: 50, Requests: []Request{{ID: 9, Count: 2}}})
	p.say(Message{Call: AddNodes, Partition: "b", Number: 50, Requests: []Request{{ID: 9, Count: 1}}})
	p.want("a*a")
	p.now = 10 * time.Second
	out := p.say(Message{Call: AddNodes, Partition: "b", Number: 51})
	want := []Message{
		{Call: NodesQueued, Partition: "b", Number: 51},
		{Call: DeleteCancelled, Partition: "a", Leases: []Lease{{Node: 0, Epoch: 1, Preemption: 1}}},
		{Call: NodesAdded, Partition: "a", Leases: []Lease{{Node: 0, Epoch: 1, Request: 9}}},
	}
	if diff := cmp.Diff(want, out); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Ticks repeat notices each minute; a message that decides nothing does not.
func TestTicksRepeat(t *testing.T) {
	p := newPair(t, ManagerOptions{}, make([]string, 2), "a", "b")
	p.ask("a", "", 2)
	p.talk(p.c["a"].SetResourceValues(p.now, nil))
	p.ask("b", "", 1)
	p.want("a*a")
	p.now = time.Minute
	if out := p.say(Message{Call: AcknowledgeDelete, Partition: "a", Number: 50, Leases: []Lease{{Node: 0, Epoch: 1, Preemption: 1, Since: time.Minute}}}); len(out) > 0 {
		t.Errorf("an acknowledgement is answered by %+v", out)
	}
	want := []Message{{Call: NotifyDeletePending, Partition: "a", Leases: []Lease{{Node: 0, Epoch: 1, Preemption: 1, Grace: 2 * time.Minute}}}}
	if diff := cmp.Diff(want, p.m.Tick(p.now)); diff != "" {
		t.Errorf("a minute after the first notice (-want +got):\n%s", diff)
	}
}

// A grant that is read again before the manager has confirmed it is listed again at once; one
// that is confirmed, or given back, is not.
func TestGrantAgain(t *testing.T) {
	p := newPair(t, ManagerOptions{}, make([]string, 2), "a")
	a := p.c["a"]
	grant := Message{Call: NodesAdded, Partition: "a", Leases: []Lease{{Node: 0, Epoch: 1}, {Node: 1, Epoch: 1}}}
	listings := func(lists int) {
		t.Helper()
		out, err := a.Handle(p.now, grant)
		if err != nil {
			t.Fatal(err)
		}
		if len(out) != lists || lists > 0 && (out[0].Call != SetResourceValues || len(out[0].Leases) != 2) {
			t.Fatalf("the answer to a grant is %+v, want %d listings of two leases", out, lists)
		}
	}
	p.say(Message{Call: AddNodes, Partition: "a", Number: 1, Requests: []Request{{ID: 9, Count: 2}}})
	listings(1) // and the listing is lost
	p.now = 10 * time.Second
	listings(1)
	p.talk(a.SetResourceValues(p.now, nil))
	listings(0)
	if _, err := a.DeleteNodes(p.now, 0, 1); err != nil {
		t.Fatal(err)
	}
	listings(0)
}

// The values of a listing replace all values before: what it does not name is worth nothing.
func TestValuesReplace(t *testing.T) {
	p := newPair(t, ManagerOptions{}, make([]string, 2), "a")
	p.ask("a", "", 2)
	for _, v := range [][]NodeValue{{{0, 1}, {1, 0.5}}, {{1, 0.25}}} {
		p.talk(p.c["a"].SetResourceValues(p.now, v))
	}
	for i, want := range []float64{0, 0.25} {
		if got := p.m.Assignment(i).Value; got != want {
			t.Errorf("node %d is worth %v, want %v", i, got, want)
		}
	}
}

// A renewal lasts for the Term from the question to the nanosecond.
func TestTermEnds(t *testing.T) {
	p := newPair(t, ManagerOptions{Term: time.Minute}, make([]string, 1), "a")
	p.now = time.Hour
	p.ask("a", "", 1)
	for at, want := range map[time.Duration]NodeState{time.Minute - 1: Usable, time.Minute: Unsure} {
		if h := p.c["a"].AppendNodes(nil, time.Hour+at)[0]; h.State != want {
			t.Errorf("%v after the question the node is %v, want %v", at, h.State, want)
		}
	}
}

// Stale values delay a preemption, then abort it, and it goes to the next partition.
func TestStaleValues(t *testing.T) {
	const delay = 4 * time.Minute
	setup := func(opts ManagerOptions) *pair {
		opts.MaxAge, opts.MaxDelay = 3*time.Minute, delay
		p := newPair(t, opts, make([]string, 6), "a", "b", "c")
		p.ask("a", "", 4)
		p.ask("b", "", 2)
		p.wait(5*time.Minute, "a")
		p.want("aaaabb")
		p.ask("c", "", 1)
		p.want("aaaabb") // a is furthest above its share, and its values are unknown
		p.wait(delay-10*time.Second, "a")
		p.want("aaaabb")
		return p
	}
	t.Run("new values", func(t *testing.T) {
		p := setup(ManagerOptions{})
		p.talk(p.c["a"].SetResourceValues(p.now, []NodeValue{{0, 1}, {1, 1}, {3, 1}}))
		p.want("aaa*abb")
		if s := p.m.Stats(); s.Delayed != 1 || s.Aborted != 0 {
			t.Errorf("%+v, want one delay", s)
		}
	})
	t.Run("old values", func(t *testing.T) {
		p := setup(ManagerOptions{})
		msg := Message{Call: SetResourceValues, Partition: "a", Number: 99999, Age: 3*time.Minute + 1,
			Leases: []Lease{{Node: 0, Epoch: 1}, {Node: 1, Epoch: 1}, {Node: 2, Epoch: 1}, {Node: 3, Epoch: 1}}}
		if _, err := p.m.Handle(p.now, msg); err != nil {
			t.Fatal(err)
		}
		p.want("aaaabb")
		msg.Number, msg.Age = msg.Number+1, 3*time.Minute
		if _, err := p.m.Handle(p.now, msg); err != nil {
			t.Fatal(err)
		}
		p.want("a*aaabb")
	})
	t.Run("abort", func(t *testing.T) {
		p := setup(ManagerOptions{})
		p.wait(10*time.Second, "a")
		p.want("aaaab*b") // c's share is then b's
		if s := p.m.Stats(); s.Delayed != 1 || s.Aborted != 1 {
			t.Errorf("%+v, want one delay and one abort", s)
		}
		// From now on a is passed over at once, until it says something.
		p.wait(3*time.Minute, "a")
		p.want("aaaacb")
		p.ask("b", "", 1)
		p.want("aaaacb")
		p.talk(p.c["a"].SetResourceValues(p.now, nil))
		p.want("a*aaacb")
	})
	t.Run("take", func(t *testing.T) {
		p := setup(ManagerOptions{TakeStale: true})
		p.wait(10*time.Second, "a")
		p.want("a*aaabb")
	})
}

// Max-min by weights, with floors and kinds.
func TestFairness(t *testing.T) {
	for _, c := range []struct {
		name   string
		kinds  string // a letter a node
		parts  string // name weight floor, …
		first  string // requests in order: partition count kind, …
		second string
		want   string
	}{
		{"equal", "xxxxxxxx", "a 1 0 b 1 0", "a 8 -", "b 8 -", "bbbbaaaa"},
		{"weights", "xxxxxxxx", "a 1 0 b 3 0", "a 8 -", "b 8 -", "bbbbbbaa"},
		// Seven nodes in shares of 1:1: nobody gets a node for which the other one would ask again.
		{"odd", "xxxxxxx", "a 1 0 b 1 0", "a 7 -", "b 7 -", "bbbaaaa"},
		{"floor", "xxxxxxxx", "a 1 6 b 1 0", "a 8 -", "b 8 -", "bbaaaaaa"},
		{"from the greatest", "xxxxxxx", "a 1 0 b 1 0 c 1 0", "a 3 - b 4 -", "c 1 -", "aaacbbb"},
		{"ties to the first", "xxxxxx", "a 1 0 b 1 0 c 1 0", "a 3 - b 3 -", "c 1 -", "caabbb"},
		{"two askers", "xxxxxxxxx", "a 1 0 b 1 0 c 1 0", "a 9 -", "b 9 - c 9 -", "bcbcbcaaa"},
		{"no more than asked for", "xxxxxxxx", "a 1 0 b 1 0", "a 8 -", "b 1 -", "baaaaaaa"},
		{"kinds", "xxyyxxyy", "a 1 0 b 1 0", "a 8 -", "b 4 y", "aabbaabb"},
		{"already fair", "xxxx", "a 1 0 b 1 0", "a 2 - b 2 -", "b 2 -", "aabb"},
		{"a share of nothing", "xx", "a 1 0 b 1 0 c 1 0", "a 1 - b 1 -", "c 1 -", "ab"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newShares(t, ManagerOptions{}, strings.Split(c.kinds, ""), c.parts)
			for _, asks := range []string{c.first, c.second} {
				f := strings.Fields(asks)
				for i := 0; i < len(f); i += 3 {
					var n int
					fmt.Sscan(f[i+1], &n)
					p.ask(f[i], strings.Trim(f[i+2], "-"), n)
				}
				p.wait(5 * time.Minute)
			}
			p.want(c.want)
			before := p.m.Stats()
			p.wait(10 * time.Minute) // and that is that
			if diff := cmp.Diff(before, p.m.Stats()); diff != "" {
				t.Errorf("it goes on (-before +after):\n%s", diff)
			}
		})
	}
}

// A request for any kind is granted nodes that nobody waits for by name, if there are any.
func TestSparesKinds(t *testing.T) {
	for kinds, want := range map[string][]int{"yxy": {1, 0}, "yy": {0, 1}, "yyx": {2, 0}, "xxyy": {0, 2}} {
		p := newPair(t, ManagerOptions{}, strings.Split(kinds, ""), "a")
		p.c["a"].s.Number = 9
		p.talk([]Message{{Call: AddNodes, Partition: "a", Requests: []Request{{ID: 3, Count: 1}, {ID: 5, Kind: "y", Count: 1}}, Number: 1}}, nil)
		got := []int{-1, -1}
		for _, h := range p.c["a"].AppendNodes(nil, 0) {
			got[(h.Request-3)/2] = h.Node
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("kinds %s: nodes for any kind and for y (-want +got):\n%s", kinds, diff)
		}
	}
}

// A request for any kind takes the first free node where nobody waits for a kind by name,
// though somebody has got one by name before.
func TestKindsNobodyWaitsFor(t *testing.T) {
	p := newPair(t, ManagerOptions{}, []string{"y", "y", "x"}, "a", "b")
	p.ask("a", "y", 1)
	p.ask("b", "", 1)
	p.want("ab-")
}

// A value of -0 is a value of 0: the lower node is taken first, and so the host says.
func TestNegativeZero(t *testing.T) {
	zero := math.Copysign(0, -1)
	p := newPair(t, ManagerOptions{}, make([]string, 3), "a", "b")
	p.ask("a", "", 3)
	p.talk(p.c["a"].SetResourceValues(p.now, []NodeValue{{0, 1}, {1, zero}, {2, 0}}))
	list, err := p.m.AppendResources(nil, "b")
	if err != nil || list[1].Value != 0.5 || list[2].Value != 1 {
		t.Errorf("b sees %+v, %v: want node 1 as the one that it may get", list, err)
	}
	p.ask("b", "", 1)
	p.want("aa*a")
}

// An administrator takes back.
func TestReclaim(t *testing.T) {
	p := newPair(t, ManagerOptions{}, make([]string, 3), "a")
	p.ask("a", "", 3)
	p.talk(p.c["a"].SetResourceValues(0, []NodeValue{{0, 0.5}}))
	if _, err := p.m.Reclaim(p.now, "a", 4); !errors.Is(err, ErrTooMany) {
		t.Errorf("4 of 3: %v", err)
	}
	p.talk(p.m.Reclaim(p.now, "a", 2))
	p.want("aa*a*")
	if _, err := p.m.Reclaim(p.now, "a", 2); !errors.Is(err, ErrTooMany) {
		t.Errorf("2 of 1: %v", err)
	}
	p.wait(150 * time.Second)
	p.want("a--")
	// Without values it waits, and then does without.
	p = newPair(t, ManagerOptions{}, make([]string, 3), "a")
	p.ask("a", "", 3)
	p.talk(p.m.Reclaim(p.now, "a", 2))
	if _, err := p.m.Reclaim(p.now, "a", 2); !errors.Is(err, ErrTooMany) {
		t.Errorf("2 of 1: %v", err)
	}
	p.want("aaa")
	p.wait(290*time.Second, "a")
	p.want("aaa")
	p.wait(10*time.Second, "a")
	p.want("a*a*a")
	if diff := cmp.Diff(ManagerStats{Granted: 3, Preemptions: 2, Delayed: 1}, p.m.Stats()); diff != "" {
		t.Errorf("stats (-want +got):\n%s", diff)
	}
	// One waits as long where the partition has just been passed over for another's sake.
	p = newPair(t, ManagerOptions{}, make([]string, 3), "a", "b")
	p.ask("a", "", 3)
	p.ask("b", "", 1)
	p.wait(310*time.Second, "a")
	p.want("aaa")
	if s := p.m.Stats(); s.Aborted != 1 {
		t.Errorf("%+v, want one abort", s)
	}
	p.talk(p.m.Reclaim(p.now, "a", 1))
	p.wait(290*time.Second, "a")
	p.want("aaa")
	p.wait(10*time.Second, "a")
	p.want("a*aa")
	// The values end the waiting.
	p = newPair(t, ManagerOptions{}, make([]string, 2), "a")
	p.ask("a", "", 2)
	p.talk(p.m.Reclaim(p.now, "a", 1))
	p.want("aa")
	p.talk(p.c["a"].SetResourceValues(p.now, []NodeValue{{0, 1}}))
	p.want("aa*")
}

// A client whose state is lost begins anew, and what it had goes back.
func TestLostState(t *testing.T) {
	p := newPair(t, ManagerOptions{}, make([]string, 3), "a")
	p.ask("a", "", 3)
	p.want("aaa")
	p.c["a"], _ = NewClient("a", ClientOptions{Instance: "2"})
	p.talk(p.m.ResetClient(p.now, "a", "2", true))
	p.want("---")
	p.ask("a", "", 2)
	p.want("aa-")
	if got := p.c["a"].AppendNodes(nil, p.now); len(got) != 2 || got[0].State != Usable || got[0].Epoch != 2 {
		t.Errorf("holdings %+v", got)
	}
}

func TestDiscover(t *testing.T) {
	p := newPair(t, ManagerOptions{}, []string{"cpu", "gpu", "cpu"}, "a", "b")
	p.ask("a", "gpu", 1)
	p.ask("b", "cpu", 1)
	p.talk(p.c["a"].DiscoverResources(p.now), nil)
	want := []Resource{{Node: 0, Kind: "cpu", Value: 1}, {Node: 1, Kind: "gpu", Value: 1, Mine: true}, {Node: 2, Kind: "cpu"}}
	if diff := cmp.Diff(want, p.c["a"].AppendResources(nil)); diff != "" {
		t.Errorf("resources (-want +got):\n%s", diff)
	}
}

// What cannot be granted is refused, and the rest of the message is not.
func TestRefused(t *testing.T) {
	p := newPair(t, ManagerOptions{}, []string{"cpu", "gpu"}, "a")
	p.ask("a", "gpu", 2)
	id := p.ask("a", "tpu", 1)
	p.ask("a", "", 3)
	p.ask("a", "", 2)
	want := []Request{
		{ID: 1, Kind: "gpu", Count: 2, Refused: "more nodes than the cluster has of the kind"},
		{ID: id, Kind: "tpu", Count: 1, Refused: "the cluster has no node of the kind"},
		{ID: id + 2, Count: 3, Refused: "more nodes than the cluster has of the kind"},
	}
	got := p.c["a"].AppendRequests(nil)
	if len(got) == 4 { // granted, and not yet told so
		p.wait(time.Minute)
		got = p.c["a"].AppendRequests(nil)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
	p.want("aa")
	p.talk(p.c["a"].Cancel(p.now, id))
	if got := len(p.c["a"].AppendRequests(nil)); got != 2 {
		t.Errorf("%d requests after one of three is forgotten", got)
	}
}

// Bad input is told, and changes nothing.
func TestBadInput(t *testing.T) {
	p := newPair(t, ManagerOptions{}, []string{"cpu", "gpu", "cpu"}, "a", "b")
	p.ask("a", "", 2)
	p.talk(p.c["a"].SetResourceValues(0, []NodeValue{{0, 1e-20}, {1, 0.1}})) // they stay what they are to the last digit
	p.ask("b", "", 2)
	p.want("aab")
	m, c := p.m, p.c["a"]
	c.s.Number += 5
	nan := math.NaN()
	var many []Request
	for i := range 65 {
		many = append(many, Request{ID: uint64(i + 2), Count: 1})
	}
	lease := func(l Lease) []Lease { return []Lease{l} }
	for i, tc := range []struct {
		msg      Message
		sentinel error
		field    string
	}{
		{Message{Call: AddNodes, Partition: "x"}, ErrUnknown, "Partition"},
		{Message{Partition: "a"}, ErrUnknown, "Call"},
		{Message{Call: lastCall + 1, Partition: "a"}, ErrUnknown, "Call"},
		{Message{Call: NodesAdded, Partition: "a"}, ErrUnknown, "Call"},
		{Message{Call: SetResourceValues, Partition: "a", Number: 99, Sent: -1}, ErrRange, "Sent"},
		{Message{Call: AddNodes, Partition: "a", Number: 99, Requests: []Request{{ID: 0, Count: 1}}}, ErrRange, "Requests.ID"},
		{Message{Call: AddNodes, Partition: "a", Number: 99, Requests: []Request{{ID: 7, Count: 1}, {ID: 7, Count: 1}}}, ErrRange, "Requests.ID"},
		{Message{Call: AddNodes, Partition: "a", Number: 99, Requests: []Request{{ID: 7, Count: 0}}}, ErrRange, "Requests.Count"},
		{Message{Call: AddNodes, Partition: "a", Number: 99, Requests: []Request{{ID: 7, Count: 1, Granted: 2}}}, ErrRange, "Requests.Granted"},
		{Message{Call: AddNodes, Partition: "a", Number: 99, Requests: []Request{{ID: 1, Count: 3}}}, ErrRange, "Requests"},
		{Message{Call: SetResourceValues, Partition: "a", Number: 99, Leases: lease(Lease{Node: -1, Epoch: 1})}, ErrRange, "Leases.Node"},
		{Message{Call: SetResourceValues, Partition: "a", Number: 99, Leases: lease(Lease{Node: maxNodes, Epoch: 1})}, ErrRange, "Leases.Node"},
		{Message{Call: SetResourceValues, Partition: "a", Number: 99, Leases: []Lease{{Node: 1, Epoch: 1}, {Node: 1, Epoch: 1}}}, ErrRange, "Leases.Node"},
		{Message{Call: DeleteNodes, Partition: "a", Leases: lease(Lease{Node: 0})}, ErrRange, "Leases.Epoch"},
		{Message{Call: DeleteNodes, Partition: "a", Leases: lease(Lease{Node: 0, Epoch: maxEpoch + 1})}, ErrRange, "Leases.Epoch"},
		{Message{Call: AddNodes, Partition: "a", Instance: "x", Number: 99}, ErrInstance, "Instance"},
		{Message{Call: AddNodes, Partition: "a", Number: maxJump + 99}, ErrRange, "Number"},
		{Message{Call: SetResourceValues, Partition: "a", Number: math.MaxUint64}, ErrRange, "Number"},
		{Message{Call: AddNodes, Partition: "a", Number: 99, Requests: make([]Request, 65)}, ErrRange, "Requests.ID"},
		{Message{Call: AddNodes, Partition: "a", Number: 99, Requests: many}, ErrTooMany, "Requests"},
		{Message{Call: AddNodes, Partition: "a", Number: 99, Requests: []Request{{ID: 7, Count: 1, Kind: "a\x1b[2J"}}}, ErrRange, "Requests.Kind"},
		{Message{Call: AddNodes, Partition: "a", Number: 99, Requests: []Request{{ID: 7, Count: 1, Kind: strings.Repeat("k", 201)}}}, ErrRange, "Requests.Kind"},
		{Message{Call: SetResourceValues, Partition: "a", Number: 99, Leases: lease(Lease{Node: 0, Epoch: 1, Value: nan})}, ErrRange, "Leases.Value"},
		{Message{Call: SetResourceValues, Partition: "a", Number: 99, Leases: lease(Lease{Node: 0, Epoch: 1, Value: 1.01})}, ErrRange, "Leases.Value"},
		{Message{Call: SetResourceValues, Partition: "a", Number: 99, Leases: lease(Lease{Node: 0, Epoch: 1, Value: -0.01})}, ErrRange, "Leases.Value"},
		{Message{Call: AcknowledgeDelete, Partition: "a", Leases: lease(Lease{Node: 0, Epoch: 1, Preemption: maxEpoch + 1})}, ErrRange, "Leases.Preemption"},
		{Message{Call: AcknowledgeDelete, Partition: "a", Leases: lease(Lease{Node: 0, Epoch: 1, Since: -1})}, ErrRange, "Leases.Since"},
		{Message{Call: AcknowledgeDelete, Partition: "a", Leases: lease(Lease{Node: 0, Epoch: 1, Grace: -1})}, ErrRange, "Leases.Grace"},
		{Message{Call: AcknowledgeDelete, Partition: "a", Leases: lease(Lease{Node: 0, Epoch: 1, State: 9})}, ErrUnknown, "Leases.State"},
	} {
		before, _ := json.Marshal(m)
		out, err := m.Handle(p.now, tc.msg)
		var in *inputerr.Error
		if !errors.Is(err, tc.sentinel) || !errors.As(err, &in) || in.Field != tc.field || out != nil {
			t.Errorf("case %d, %+v: %v, %v; want field %s, %v", i, tc.msg, out, err, tc.field, tc.sentinel)
		}
		if after, _ := json.Marshal(m); string(after) != string(before) {
			t.Errorf("case %d changes the manager", i)
		}
	}
	for i, tc := range []struct {
		msg      Message
		sentinel error
		field    string
	}{
		{Message{Call: NodesAdded, Partition: "b"}, ErrUnknown, "Partition"},
		{Message{Call: AddNodes, Partition: "a"}, ErrUnknown, "Call"},
		{Message{Call: NodesAdded, Partition: "a", Leases: lease(Lease{Node: -1, Epoch: 1})}, ErrRange, "Leases.Node"},
		{Message{Call: NodesQueued, Partition: "a", Requests: []Request{{ID: 1, Count: -1}}}, ErrRange, "Requests.Count"},
		{Message{Call: NodesQueued, Partition: "a", Number: 1000}, ErrRange, "Number"},
		{Message{Call: LeasesRenewed, Partition: "a", Number: 1, Sent: p.now + 1}, ErrRange, "Sent"},
		{Message{Call: LeasesRenewed, Partition: "a", Number: c.s.Listings[1].Number, Sent: c.s.Listings[1].Sent + 1}, ErrRange, "Sent"},
		{Message{Call: LeasesRenewed, Partition: "a", Number: c.s.Number - 2, Term: -1}, ErrUnknown, "Number"},
		{Message{Call: NodesAdded, Partition: "a", Instance: "x"}, ErrInstance, "Instance"},
		{Message{Call: NodesAdded, Partition: "a", Leases: lease(Lease{Node: 2, Epoch: 1, Request: 1000})}, ErrUnknown, "Leases.Request"},
		{Message{Call: NodesAdded, Partition: "a", Leases: lease(Lease{Node: 2, Epoch: 1, Request: c.s.Number})}, ErrUnknown, "Leases.Request"},
		{Message{Call: NodesAdded, Partition: "a", Leases: lease(Lease{Node: 2, Epoch: maxEpoch + 1})}, ErrRange, "Leases.Epoch"},
		{Message{Call: NodesQueued, Partition: "a", Requests: []Request{{ID: 1, Count: 1, Refused: "\r\n"}}}, ErrRange, "Requests.Refused"},
		{Message{Call: ResourcesDiscovered, Partition: "a", Resources: []Resource{{Node: 1}, {Node: 1}}}, ErrRange, "Resources.Node"},
		{Message{Call: ResourcesDiscovered, Partition: "a", Resources: []Resource{{Node: maxNodes}}}, ErrRange, "Resources.Node"},
		{Message{Call: ResourcesDiscovered, Partition: "a", Resources: []Resource{{Node: 1, Value: 2}}}, ErrRange, "Resources.Value"},
		{Message{Call: ResourcesDiscovered, Partition: "a", Resources: []Resource{{Node: 1, Kind: "\x00"}}}, ErrRange, "Resources.Kind"},
	} {
		before, _ := json.Marshal(c)
		out, err := c.Handle(p.now, tc.msg)
		var in *inputerr.Error
		if !errors.Is(err, tc.sentinel) || !errors.As(err, &in) || in.Field != tc.field || out != nil {
			t.Errorf("client case %d, %+v: %v, %v; want field %s, %v", i, tc.msg, out, err, tc.field, tc.sentinel)
		}
		if after, _ := json.Marshal(c); string(after) != string(before) {
			t.Errorf("client case %d changes the client", i)
		}
	}
	for name, f := range map[string]func() error{
		"no node":           func() error { _, err := NewManager(ManagerOptions{}, nil); return err },
		"negative grace":    func() error { _, err := NewManager(ManagerOptions{Grace: -1}, make([]string, 1)); return err },
		"negative notices":  func() error { return m.SetOptions(ManagerOptions{Every: -1}) },
		"negative age":      func() error { return m.SetOptions(ManagerOptions{MaxAge: -1}) },
		"no name":           func() error { return m.CreatePartition("", 1, 0) },
		"a name twice":      func() error { return m.CreatePartition("a", 1, 0) },
		"no weight":         func() error { return m.CreatePartition("c", 0, 0) },
		"too much weight":   func() error { return m.CreatePartition("c", 1<<20+1, 0) },
		"negative floor":    func() error { return m.CreatePartition("c", 1, -1) },
		"too high a floor":  func() error { return m.CreatePartition("c", 1, 4) },
		"reclaim of nobody": func() error { _, err := m.Reclaim(0, "c", 1); return err },
		"reclaim of none":   func() error { _, err := m.Reclaim(0, "a", 0); return err },
		"client, no name":   func() error { _, err := NewClient("", ClientOptions{}); return err },
		"client, every":     func() error { _, err := NewClient("a", ClientOptions{Every: -1}); return err },
		"add none":          func() error { _, _, err := c.AddNodes(0, "", 0); return err },
		"cancel nothing":    func() error { _, err := c.Cancel(0, 99); return err },
		"delete another's":  func() error { _, err := c.DeleteNodes(0, 0, 2); return err },
		"delete twice":      func() error { _, err := c.DeleteNodes(0, 0, 1, 0); return err },
		"client, instance":  func() error { _, err := NewClient("a", ClientOptions{Instance: "\n"}); return err },
		"a long name":       func() error { return m.CreatePartition(strings.Repeat("n", 101), 1, 0) },
		"a name of control": func() error { return m.CreatePartition("a\x1b[1m", 1, 0) },
		"kind of control":   func() error { _, _, err := c.AddNodes(0, "\x07", 1); return err },
		"node of control":   func() error { _, err := NewManager(ManagerOptions{}, []string{"\x07"}); return err },
		"most partitions":   func() error { return m.SetOptions(ManagerOptions{MaxPartitions: -1}) },
		"share of nobody":   func() error { _, err := m.SetShare(0, "c", 1, 0); return err },
		"share of none":     func() error { _, err := m.SetShare(0, "a", 0, 0); return err },
		"reset of nobody":   func() error { _, err := m.ResetClient(0, "c", "2", false); return err },
		"reset to the same": func() error { _, err := m.ResetClient(0, "a", "", false); return err },
		"reset to control":  func() error { _, err := m.ResetClient(0, "a", "\t", false); return err },
		"remove nobody":     func() error { _, err := m.RemovePartition(0, "c", false); return err },
		"prepared, no node": func() error { _, err := m.Prepared(0, 3, 1); return err },
		"prepared, epoch":   func() error { _, err := m.Prepared(0, 0, 2); return err },
		"negative wait":     func() error { _, err := m.PrepareFailed(0, 0, 1, -1); return err },
		"push to nobody":    func() error { _, err := m.PushResources(0, "c"); return err },
		"values of nobody":  func() error { _, err := m.AppendResources(nil, "c"); return err },
		"value of another's": func() error {
			_, err := c.SetResourceValues(0, []NodeValue{{Node: 2}})
			return err
		},
		"value over 1": func() error {
			_, err := c.SetResourceValues(0, []NodeValue{{Node: 0, Value: 1.5}})
			return err
		},
		"value not a number": func() error {
			_, err := c.SetResourceValues(0, []NodeValue{{Node: 0, Value: nan}})
			return err
		},
		"value twice": func() error {
			_, err := c.SetResourceValues(0, []NodeValue{{Node: 0, Value: 0.5}, {Node: 1, Value: 1}, {Node: 0, Value: 1}})
			return err
		},
	} {
		beforeM, _ := json.Marshal(m)
		beforeC, _ := json.Marshal(c)
		var in *inputerr.Error
		if err := f(); !errors.As(err, &in) {
			t.Errorf("%s: %v, want an input error", name, err)
		}
		afterM, _ := json.Marshal(m)
		afterC, _ := json.Marshal(c)
		if string(beforeM) != string(afterM) || string(beforeC) != string(afterC) {
			t.Errorf("%s changes something", name)
		}
	}
}

// Time that runs backwards stands still.
func TestClockBack(t *testing.T) {
	p := newPair(t, ManagerOptions{}, make([]string, 1), "a")
	p.now = time.Hour
	p.ask("a", "", 1)
	p.m.Tick(time.Minute)
	if p.m.Now() != time.Hour {
		t.Errorf("the manager's time is %v", p.m.Now())
	}
	c := p.c["a"]
	c.Tick(time.Minute)
	if c.Now() != time.Hour || c.AppendNodes(nil, 0)[0].State != Usable {
		t.Errorf("the client's time is %v", c.Now())
	}
}

// Options that are 0 are the defaults, negative ones none, and they are saved.
func TestOptions(t *testing.T) {
	m, err := NewManager(ManagerOptions{Skew: -1, MaxDelay: -5, Term: -9}, make([]string, 1))
	if err != nil {
		t.Fatal(err)
	}
	want := ManagerOptions{Grace: 2 * time.Minute, Every: time.Minute, Term: -1, MaxAge: 5 * time.Minute, MaxPartitions: 1024, MaxRequests: 64}
	if diff := cmp.Diff(want, m.s.Options); diff != "" {
		t.Errorf("options (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want, reload(t, m).s.Options); diff != "" {
		t.Errorf("saved (-want +got):\n%s", diff)
	}
	if err := m.SetOptions(ManagerOptions{}); err != nil {
		t.Fatal(err)
	}
	want = ManagerOptions{Grace: 2 * time.Minute, Every: time.Minute, Term: 15 * time.Minute, Skew: 5 * time.Second, MaxAge: 5 * time.Minute, MaxDelay: 5 * time.Minute, MaxPartitions: 1024, MaxRequests: 64}
	if diff := cmp.Diff(want, m.s.Options); diff != "" {
		t.Errorf("options (-want +got):\n%s", diff)
	}
}

// Every call and status has a name of its own that reads back.
func TestNames(t *testing.T) {
	seen := map[string]bool{}
	for c := AddNodes; c <= lastCall; c++ {
		text, err := c.MarshalText()
		var back Call
		if err != nil || back.UnmarshalText(text) != nil || back != c || seen[string(text)] || c.String() != string(text) {
			t.Errorf("%v: %q, %v, back %v", c, text, err, back)
		}
		seen[string(text)] = true
	}
	for s := Renewed; s <= Cancelled; s++ {
		text, err := s.MarshalText()
		var back LeaseState
		if err != nil || back.UnmarshalText(text) != nil || back != s || seen[string(text)] || s.String() != string(text) {
			t.Errorf("%v: %q, %v, back %v", s, text, err, back)
		}
		seen[string(text)] = true
	}
	for _, bad := range []interface{ MarshalText() ([]byte, error) }{Call(0), lastCall + 1, Cancelled + 1, Returned + 1} {
		if _, err := bad.MarshalText(); !errors.Is(err, ErrUnknown) {
			t.Errorf("%v: %v", bad, err)
		}
	}
	if new(Call).UnmarshalText(nil) == nil || new(LeaseState).UnmarshalText([]byte("x")) == nil {
		t.Error("a name of nothing is read")
	}
	if lastCall.String() == (lastCall+1).String() || Cancelled.String() == (Cancelled+1).String() {
		t.Error("what has no name has one")
	}
}
