package exchange

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/inputerr"
)

// Each number of a client's state has its limits: what is just within is taken, and what is
// just outside is an error.
func TestClientStateLimits(t *testing.T) {
	nan := math.NaN()
	listings := func(n int) (ls []listing) {
		for i := range n {
			ls = append(ls, listing{Number: uint64(i + 1)})
		}
		return ls
	}
	for _, c := range []struct {
		name      string
		good, bad func(s *clientState)
	}{
		{"name", nil, func(s *clientState) { s.Partition = "" }},
		{"every", func(s *clientState) { s.Every = 1 }, func(s *clientState) { s.Every = 0 }},
		{"now", func(s *clientState) { s.Now, s.ValuesAt, s.Listings, s.Leases = 0, 0, nil, nil }, func(s *clientState) { s.Now, s.ValuesAt, s.Listings, s.Leases = -1, 0, nil, nil }},
		{"number", func(s *clientState) { s.Number = maxNumber }, func(s *clientState) { s.Number = maxNumber + 1 }},
		{"least number", func(s *clientState) { *s = clientState{Partition: "p", Every: 1, Number: 1} }, func(s *clientState) { *s = clientState{Partition: "p", Every: 1} }},
		{"values", func(s *clientState) { s.ValuesAt = s.Now }, func(s *clientState) { s.ValuesAt = s.Now + 1 }},
		{"values, early", func(s *clientState) { s.ValuesAt = 0 }, func(s *clientState) { s.ValuesAt = -1 }},
		{"asked", func(s *clientState) { s.Asked = s.Number }, func(s *clientState) { s.Asked = s.Number + 1 }},
		{"queued", func(s *clientState) { s.Queued = s.Number - 1 }, func(s *clientState) { s.Queued = s.Number }},
		{"beat", func(s *clientState) { s.NextBeat = 0 }, func(s *clientState) { s.NextBeat = -1 }},
		{"add", func(s *clientState) { s.NextAdd = 0 }, func(s *clientState) { s.NextAdd = -1 }},
		{"back", func(s *clientState) { s.NextBack = 0 }, func(s *clientState) { s.NextBack = -1 }},
		{"listings", func(s *clientState) { s.Number, s.Listings = 1e6, listings(maxListings) }, func(s *clientState) { s.Number, s.Listings = 1e6, listings(maxListings+1) }},
		{"number of a listing", func(s *clientState) { s.Listings[1].Number = s.Number - 1 }, func(s *clientState) { s.Listings[1].Number = s.Number }},
		{"order of listings", func(s *clientState) { s.Listings[1].Number = 3 }, func(s *clientState) { s.Listings[1].Number = 2 }},
		{"listing, early", func(s *clientState) { s.Listings[0].Sent = 0 }, func(s *clientState) { s.Listings[0].Sent = -1 }},
		{"listing, late", func(s *clientState) { s.Listings[0].Sent = s.Now }, func(s *clientState) { s.Listings[0].Sent = s.Now + 1 }},
		{"request", func(s *clientState) { s.Requests[0].ID = s.Number - 1 }, func(s *clientState) { s.Requests[0].ID = s.Number }},
		{"node", func(s *clientState) { s.Leases[0].Node = 0 }, func(s *clientState) { s.Leases[0].Node = -1 }},
		{"order of nodes", func(s *clientState) { s.Leases[1].Node = 2 }, func(s *clientState) { s.Leases[1].Node = 1 }},
		{"epoch", func(s *clientState) { s.Leases[0].Epoch = 1 }, func(s *clientState) { s.Leases[0].Epoch = 0 }},
		{"value", func(s *clientState) { s.Leases[0].Value = 0 }, func(s *clientState) { s.Leases[0].Value = -.1 }},
		{"high value", func(s *clientState) { s.Leases[0].Value = 1 }, func(s *clientState) { s.Leases[0].Value = 1.1 }},
		{"no value", nil, func(s *clientState) { s.Leases[0].Value = nan }},
		{"valid", func(s *clientState) { s.Leases[0].Valid = 0 }, func(s *clientState) { s.Leases[0].Valid = -1 }},
		{"first", func(s *clientState) { s.Leases[1].First = s.Now }, func(s *clientState) { s.Leases[1].First = s.Now + 1 }},
		{"first, early", func(s *clientState) { s.Leases[1].First = 0 }, func(s *clientState) { s.Leases[1].First = -1 }},
		{"grace", func(s *clientState) { s.Leases[1].Grace = 0 }, func(s *clientState) { s.Leases[1].Grace = -1 }},
		{"draining", func(s *clientState) { s.Leases[1].Preemption = 1 }, func(s *clientState) { s.Leases[1].Preemption = 0 }},
	} {
		state := func(set func(*clientState)) error {
			s := clientState{
				Partition: "p", Every: time.Minute, Now: time.Hour, Number: 10, ValuesAt: time.Minute, Asked: 4, Queued: 4,
				Requests: []Request{{ID: 5, Count: 2}},
				Listings: []listing{{Number: 2, Sent: 1}, {Number: 4, Sent: 2}},
				Leases:   []leaseState{{}, {}},
			}
			s.Leases[0].Node, s.Leases[0].Epoch, s.Leases[0].Value = 1, 3, .5
			s.Leases[1].Node, s.Leases[1].Epoch, s.Leases[1].Value = 4, 3, .5
			s.Leases[1].Draining, s.Leases[1].Preemption, s.Leases[1].First, s.Leases[1].Grace = true, 7, 1, 1
			if set != nil {
				set(&s)
			}
			return s.check()
		}
		if err := state(c.good); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		var in *inputerr.Error
		if err := state(c.bad); !errors.As(err, &in) {
			t.Errorf("%s: %v, want an input error", c.name, err)
		}
	}
}

// The same of a manager's state.
func TestManagerStateLimits(t *testing.T) {
	for _, c := range []struct {
		name      string
		good, bad func(s *managerState)
	}{
		{"now", func(s *managerState) { s.Now = 0 }, func(s *managerState) { s.Now = -1 }},
		{"grace", func(s *managerState) { s.Options.Grace = 0 }, func(s *managerState) { s.Options.Grace = -1 }},
		{"every", func(s *managerState) { s.Options.Every = 1 }, func(s *managerState) { s.Options.Every = 0 }},
		{"term", func(s *managerState) { s.Options.Term = -1 }, func(s *managerState) { s.Options.Term = -2 }},
		{"no term", func(s *managerState) { s.Options.Term = 1 }, func(s *managerState) { s.Options.Term = 0 }},
		{"skew", func(s *managerState) { s.Options.Skew = 0 }, func(s *managerState) { s.Options.Skew = -1 }},
		{"age", func(s *managerState) { s.Options.MaxAge = 0 }, func(s *managerState) { s.Options.MaxAge = -1 }},
		{"delay", func(s *managerState) { s.Options.MaxDelay = 0 }, func(s *managerState) { s.Options.MaxDelay = -1 }},
		{"nodes", nil, func(s *managerState) { *s = managerState{Options: s.Options} }},
		{"name", nil, func(s *managerState) { s.Partitions[0].Name = "" }},
		{"names", func(s *managerState) { s.Partitions[2] = partitionState{Name: "b", Weight: 1, Removed: true} }, func(s *managerState) { s.Partitions[2].Name = "b" }},
		{"weight", func(s *managerState) { s.Partitions[0].Weight = maxWeight }, func(s *managerState) { s.Partitions[0].Weight = maxWeight + 1 }},
		{"least weight", func(s *managerState) { s.Partitions[0].Weight = 1 }, func(s *managerState) { s.Partitions[0].Weight = 0 }},
		{"floor", func(s *managerState) { s.Partitions[0].Floor = 4 }, func(s *managerState) { s.Partitions[0].Floor = 5 }},
		{"least floor", func(s *managerState) { s.Partitions[0].Floor = 0 }, func(s *managerState) { s.Partitions[0].Floor = -1 }},
		{"reclaim", func(s *managerState) { s.Partitions[0].Reclaim = 4 }, func(s *managerState) { s.Partitions[0].Reclaim = 5 }},
		{"least reclaim", func(s *managerState) { s.Partitions[0].Reclaim = 0 }, func(s *managerState) { s.Partitions[0].Reclaim = -1 }},
		{"delay since", func(s *managerState) { s.Partitions[0].DelaySince = 0 }, func(s *managerState) { s.Partitions[0].DelaySince = -1 }},
		{"reclaim at", func(s *managerState) { s.Partitions[0].ReclaimAt = 0 }, func(s *managerState) { s.Partitions[0].ReclaimAt = -1 }},
		{"removed and asks", func(s *managerState) { s.Partitions[1].Removed, s.Partitions[1].Requests = true, nil }, func(s *managerState) { s.Partitions[1].Removed = true }},
		{"removed and reclaims", nil, func(s *managerState) { s.Partitions[2].Removed, s.Partitions[2].Reclaim = true, 1 }},
		{"ID", nil, func(s *managerState) { s.Partitions[1].Requests[0].ID = 0 }},
		{"order", func(s *managerState) { s.Partitions[1].Requests[1].ID = 3 }, func(s *managerState) { s.Partitions[1].Requests[1].ID = 2 }},
		{"count", func(s *managerState) { s.Partitions[1].Requests[0].Count = 4 }, func(s *managerState) { s.Partitions[1].Requests[0].Count = 5 }},
		{"least count", func(s *managerState) { s.Partitions[1].Requests[0].Count = 1 }, func(s *managerState) { s.Partitions[1].Requests[0].Count = 0 }},
		{"refused", func(s *managerState) {
			s.Partitions[1].Requests[0].Refused, s.Partitions[1].Requests[0].Count = "too many", 9
		}, func(s *managerState) {
			s.Partitions[0].Requests[0].Refused = "too many"
		}},
		{"kind", func(s *managerState) { s.Partitions[1].Requests[0].Kind = "gpu" }, func(s *managerState) { s.Partitions[1].Requests[0].Kind = "tpu" }},
		{"holder", nil, func(s *managerState) { s.Nodes[1].Holder = 3 }},
		{"negative holder", nil, func(s *managerState) { s.Nodes[3].Holder = -2 }},
		{"out", func(s *managerState) { s.Nodes[3].Out = 0 }, func(s *managerState) { s.Nodes[3].Out = -1 }},
		{"free with a lease", nil, func(s *managerState) { s.Nodes[3].Value = 1 }},
		{"out with a lease", nil, func(s *managerState) { s.Nodes[0].Out = 1 }},
		{"epoch", func(s *managerState) { s.Nodes[0].Epoch = 1 }, func(s *managerState) { s.Nodes[0].Epoch = 0 }},
		{"value", func(s *managerState) { s.Nodes[0].Value = 1 }, func(s *managerState) { s.Nodes[0].Value = 1.1 }},
		{"least value", func(s *managerState) { s.Nodes[0].Value = 0 }, func(s *managerState) { s.Nodes[0].Value = -.1 }},
		{"until", func(s *managerState) { s.Nodes[0].Until = 0 }, func(s *managerState) { s.Nodes[0].Until = -1 }},
		{"next", func(s *managerState) { s.Nodes[0].Next = 0 }, func(s *managerState) { s.Nodes[0].Next = -1 }},
		{"forced", nil, func(s *managerState) { s.Nodes[0].Forced = true }},
		{"notice", nil, func(s *managerState) { s.Nodes[0].First = 1 }},
		{"grace of none", nil, func(s *managerState) { s.Nodes[0].Grace = 1 }},
		{"acknowledged", nil, func(s *managerState) { s.Nodes[0].Acked = true }},
		{"deadline of none", nil, func(s *managerState) { s.Nodes[0].Deadline = 1 }},
		{"preemption", func(s *managerState) { s.Nodes[1].Preemption = 9 }, func(s *managerState) { s.Nodes[1].Preemption = 10 }},
		{"first", func(s *managerState) { s.Nodes[1].First = 0 }, func(s *managerState) { s.Nodes[1].First = -1 }},
		{"grace of a notice", func(s *managerState) { s.Nodes[1].Grace = 0 }, func(s *managerState) { s.Nodes[1].Grace = -1 }},
		{"deadline", func(s *managerState) { s.Nodes[1].Acked, s.Nodes[1].Deadline = true, 5 }, func(s *managerState) { s.Nodes[1].Acked, s.Nodes[1].Deadline = true, 4 }},
		{"number of its own", func(s *managerState) { s.Nodes[0].Preemption = 7 }, func(s *managerState) { s.Nodes[0].Preemption = 8 }},
		{"orphan", func(s *managerState) { s.Nodes[1].Orphan, s.Nodes[1].Forced = true, true }, func(s *managerState) { s.Nodes[1].Orphan = true }},
		{"prepared", nil, func(s *managerState) { s.Nodes[0].Unprepared = true }},
	} {
		state := func(set func(*managerState)) error {
			s := managerState{
				Options: ManagerOptions{}.resolve(), Now: time.Hour, Preemption: 9,
				Nodes: []nodeState{
					{Kind: "cpu", Epoch: 2, Holder: 0, Request: 1, Confirmed: true, Value: .5},
					{Kind: "cpu", Epoch: 2, Holder: 0, Request: 1, Confirmed: true, Preemption: 8, First: 5, Grace: 5},
					{Kind: "gpu", Epoch: 2, Holder: -1}, {Kind: "gpu", Epoch: 2, Holder: -1, Out: 7},
				},
				Partitions: []partitionState{
					{Name: "a", Weight: 2, Floor: 1, Requests: []requestState{{Request: Request{ID: 1, Count: 3, Granted: 2}, Given: 2}}},
					{Name: "b", Weight: 1, Requests: []requestState{{Request: Request{ID: 2, Count: 1}}, {Request: Request{ID: 4, Count: 1}}}},
					{Name: "c", Weight: 1},
				},
			}
			if set != nil {
				set(&s)
			}
			return s.check()
		}
		if err := state(c.good); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		var in *inputerr.Error
		if err := state(c.bad); !errors.As(err, &in) {
			t.Errorf("%s: %v, want an input error", c.name, err)
		}
	}
}

// A time that does not fit in a span never comes.
func TestAfter(t *testing.T) {
	for _, c := range []struct{ t, d, want time.Duration }{
		{1, 2, 3}, {forever - 1, 1, forever}, {forever - 1, 2, forever}, {forever, forever, forever}, {0, forever, forever},
	} {
		if got := after(c.t, c.d); got != c.want {
			t.Errorf("%d after %d is %d, want %d", c.d, c.t, got, c.want)
		}
	}
}

// A record of renewed leases with new values takes about 10 bytes for each lease.
func TestRecordSize(t *testing.T) {
	const nodes = 1000
	m, c := benchCluster(t, nodes)
	m.ChangesSaved()
	var values []NodeValue
	for i := range nodes {
		values = append(values, NodeValue{i, 1 / float64(i+3)})
	}
	msgs, err := c.SetResourceValues(time.Hour, values)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Handle(time.Hour, msgs[0]); err != nil {
		t.Fatal(err)
	}
	if n := len(m.AppendChanges(nil)); n < 8*nodes || n > 11*nodes {
		t.Errorf("%d bytes for %d leases", n, nodes)
	}
}

// A node that comes free for a waiting request while the host asks for something else is
// granted at the next Tick, which is wanted at once: the time at which it came free.
func TestNextTickKeepsWhatTheClockHasPassed(t *testing.T) {
	p := newPair(t, ManagerOptions{Prepare: true}, []string{"cpu"}, "a")
	p.ask("a", "", 1)
	list := p.m.AppendUnprepared(nil)
	if len(list) != 1 {
		t.Fatalf("%v is to be made ready", list)
	}
	if _, err := p.m.PrepareFailed(0, 0, list[0].Epoch, time.Minute); err != nil {
		t.Fatal(err)
	}
	if next, ok := p.m.NextTick(); !ok || next != time.Minute {
		t.Errorf("the next call is wanted at %v, %v; want a minute, when the node comes free", next, ok)
	}
	if _, err := p.m.PushResources(2*time.Minute, "a"); err != nil {
		t.Fatal(err)
	}
	if next, ok := p.m.NextTick(); !ok || next != time.Minute {
		t.Errorf("later the next call is wanted at %v, %v; want a minute", next, ok)
	}
	p.m.Tick(2 * time.Minute)
	if list = p.m.AppendUnprepared(list[:0]); len(list) != 1 {
		t.Errorf("%v is to be made ready again", list)
	}
}

// The first partition and the first lease are as good as others.
func TestTheFirst(t *testing.T) {
	p := newPair(t, ManagerOptions{}, []string{"cpu", "cpu"}, "a", "b")
	p.ask("a", "", 2)
	for _, name := range []string{"a", "b"} {
		if list, err := p.m.AppendResources(nil, name); err != nil || len(list) != 2 || list[0].Mine != (name == "a") {
			t.Errorf("%s sees %+v, %v", name, list, err)
		}
	}
	if _, err := p.c["a"].DeleteNodes(0, 0, 0); err == nil {
		t.Error("a node is given back twice")
	}
	p.talk(p.c["a"].DeleteNodes(0, 0))
	p.want("-a")
}

// What is just within the limits of options, names, kinds, weights and floors is taken, and
// what is just outside is an error.
func TestManagerLimits(t *testing.T) {
	long := func(n int) string { return strings.Repeat("k", n) }
	var in *inputerr.Error
	for _, c := range []struct {
		good, bad ManagerOptions
	}{
		{ManagerOptions{Grace: 1}, ManagerOptions{Grace: -1}},
		{ManagerOptions{Every: 1}, ManagerOptions{Every: -1}},
		{ManagerOptions{MaxAge: 1}, ManagerOptions{MaxAge: -1}},
		{ManagerOptions{MaxPartitions: 1}, ManagerOptions{MaxPartitions: -1}},
		{ManagerOptions{MaxPartitions: maxNodes}, ManagerOptions{MaxPartitions: maxNodes + 1}},
		{ManagerOptions{MaxRequests: 1}, ManagerOptions{MaxRequests: -1}},
		{ManagerOptions{MaxRequests: maxNodes}, ManagerOptions{MaxRequests: maxNodes + 1}},
		{ManagerOptions{Skew: -1, MaxDelay: -1, Term: -1}, ManagerOptions{Grace: -1}}, // no skew, delay and end
	} {
		if _, err := NewManager(c.good, []string{""}); err != nil {
			t.Errorf("%+v: %v", c.good, err)
		}
		if _, err := NewManager(c.bad, []string{""}); !errors.As(err, &in) {
			t.Errorf("%+v: %v", c.bad, err)
		}
	}
	if _, err := NewManager(ManagerOptions{}, []string{"a", long(maxKind)}); err != nil {
		t.Error(err)
	}
	for _, kinds := range [][]string{nil, {"a", long(maxKind + 1)}, {"a", "b\n"}, {"\xff"}} {
		if _, err := NewManager(ManagerOptions{}, kinds); !errors.As(err, &in) {
			t.Errorf("kinds %.20q: %v", kinds, err)
		}
	}
	m, err := NewManager(ManagerOptions{MaxPartitions: 3}, []string{"a", "b"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name          string
		weight, floor int
	}{{"", 1, 0}, {long(maxName + 1), 1, 0}, {"tab\t", 1, 0}, {"p", 0, 0}, {"p", maxWeight + 1, 0}, {"p", 1, -1}, {"p", 1, 3}} {
		if err := m.CreatePartition(c.name, c.weight, c.floor); !errors.As(err, &in) {
			t.Errorf("partition %.10q of weight %d and floor %d: %v", c.name, c.weight, c.floor, err)
		}
	}
	for i, name := range []string{long(maxName), "q", "r"} {
		if err := m.CreatePartition(name, []int{1, maxWeight, 5}[i], []int{0, 2, 0}[i]); err != nil {
			t.Error(err)
		}
	}
	if err := m.CreatePartition("s", 1, 0); !errors.Is(err, ErrTooMany) {
		t.Errorf("a fourth of three partitions: %v", err)
	}
	for _, c := range []struct {
		weight, floor int
		good          bool
	}{{1, 0, true}, {maxWeight, 2, true}, {0, 0, false}, {maxWeight + 1, 0, false}, {1, -1, false}, {1, 3, false}} {
		if _, err := m.SetShare(0, "q", c.weight, c.floor); (err == nil) != c.good {
			t.Errorf("a weight of %d and a floor of %d: %v", c.weight, c.floor, err)
		}
	}
}

// The answer to a listing repeats the time of the listing.
func TestAnswerHasTheTimeOfItsListing(t *testing.T) {
	p := newPair(t, ManagerOptions{}, make([]string, 1), "a")
	a := p.c["a"]
	msgs, err := a.SetResourceValues(time.Minute, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer := Message{Call: LeasesRenewed, Partition: "a", Number: msgs[0].Number, Sent: time.Minute}
	for _, sent := range []time.Duration{time.Minute - 1, time.Minute + 1} {
		answer.Sent = sent
		var in *inputerr.Error
		if _, err := a.Handle(time.Hour, answer); !errors.As(err, &in) || in.Field != "Sent" || !strings.HasSuffix(err.Error(), "want the time of listing 1, 1m0s") {
			t.Errorf("sent %v: %v", sent, err)
		}
	}
	answer.Sent = time.Minute
	if _, err := a.Handle(time.Hour, answer); err != nil {
		t.Error(err)
	}
}

// A clone goes on as the manager was, whatever becomes of the manager.
func TestCloneSharesNothing(t *testing.T) {
	p := newPair(t, ManagerOptions{}, make([]string, 2), "a", "b")
	p.ask("a", "", 3)
	p.ask("b", "", 2)
	p.talk(p.c["a"].SetResourceValues(p.now, nil))
	clone := p.m.Clone()
	want, err := json.Marshal(clone)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a", "b"} {
		p.talk(p.c[name].Cancel(p.now, p.c[name].AppendRequests(nil)[0].ID))
		p.ask(name, "", 1)
		p.ask(name, "x", 1)
	}
	p.talk(p.m.SetShare(p.now, "a", 7, 1))
	if got, err := json.Marshal(clone); err != nil || string(got) != string(want) {
		t.Errorf("the clone is now %s, %v, want %s", got, err, want)
	}
}

// A manager that nobody asks for nodes has nothing to wait for, though a partition is silent.
func TestNextTickOfTheSilent(t *testing.T) {
	p := newPair(t, ManagerOptions{}, make([]string, 1), "a", "b")
	p.ask("a", "", 1)
	if at, ok := p.m.NextTick(); ok {
		t.Errorf("the manager wants to be called at %v", at)
	}
	p.ask("b", "", 1) // from now on the lease of a matters: it runs out after a term and the skew
	if at, ok := p.m.NextTick(); !ok || at > 15*time.Minute+5*time.Second {
		t.Errorf("the manager wants to be called at %v, %v", at, ok)
	}
}

// The host's values are what the partition would get if it asked for all nodes now: 0 for the free
// nodes that are granted to it, (r+1)/(k+1) for the k nodes of another partition that are then to end,
// the r-th of them by value, and 1 for the others.
func TestResourcesByDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 7))
	taken, ending := 0, 0
	for range 300 {
		nodes := 4 + rng.IntN(9)
		p := newShares(t, ManagerOptions{}, make([]string, nodes), fmt.Sprintf("a %d %d b %d %d c %d %d",
			1+rng.IntN(3), rng.IntN(3), 1+rng.IntN(3), rng.IntN(3), 1+rng.IntN(3), rng.IntN(3)))
		left := nodes - rng.IntN(2)
		for _, name := range []string{"b", "c", "a"} {
			if n := rng.IntN(left + 1); n > 0 {
				p.ask(name, "", n)
				left -= n
			}
			var values []NodeValue
			for _, h := range p.c[name].AppendNodes(nil, p.now) {
				values = append(values, NodeValue{h.Node, float64(rng.IntN(4)) / 4})
			}
			p.talk(p.c[name].SetResourceValues(p.now, values))
		}
		if n := count(p.c["a"], p.now, Usable); n > 0 && rng.IntN(2) == 0 {
			p.talk(p.m.Reclaim(p.now, "a", 1+rng.IntN(n)))
			ending++
		}
		got, err := p.m.AppendResources(nil, "a")
		if err != nil {
			t.Fatal(err)
		}
		asked := p.m.Clone()
		if _, err := asked.Handle(p.now, Message{Call: AddNodes, Partition: "a", Number: 1000, Requests: []Request{{ID: 999, Count: nodes}}}); err != nil {
			t.Fatal(err)
		}
		ends := map[string][]Assignment{}
		want := make([]float64, nodes)
		for i := range want {
			is, was := asked.Assignment(i), p.m.Assignment(i)
			switch {
			case was.Partition == "":
				if is.Partition != "a" {
					t.Fatalf("node %d is free and not granted", i)
				}
			case is.Preemption > 0 && was.Preemption == 0:
				ends[is.Partition] = append(ends[is.Partition], is)
				taken++
			default:
				want[i] = 1
			}
		}
		for _, list := range ends {
			slices.SortStableFunc(list, func(a, b Assignment) int { return cmp.Compare(a.Value, b.Value) })
			for r, a := range list {
				want[a.Node] = float64(r+1) / float64(len(list)+1)
			}
		}
		for i, r := range got {
			if r.Value != want[i] {
				t.Fatalf("%+v: node %d has value %v, want %v of %v", p.m.AppendPartitions(nil), i, r.Value, want[i], want)
			}
		}
	}
	if taken < 200 || ending < 50 {
		t.Errorf("%d nodes would be taken, %d times some are to end: too few", taken, ending)
	}
}

// A share that is raised takes nodes in the same call, with notice.
func TestSetShareTakesAtOnce(t *testing.T) {
	p := newShares(t, ManagerOptions{}, make([]string, 4), "a 1 0 b 1 0")
	p.ask("a", "", 4)
	p.talk(p.c["a"].SetResourceValues(p.now, nil))
	p.ask("b", "", 3)
	p.want("a*a*aa")
	msgs, err := p.m.SetShare(p.now, "b", 3, 0)
	if err != nil || len(msgs) != 1 || msgs[0].Call != NotifyDeletePending || len(msgs[0].Leases) != 1 || msgs[0].Leases[0].Node != 2 {
		t.Errorf("%+v, %v, want a notice for node 2", msgs, err)
	}
	p.want("a*a*a*a")
}

// Delayed counts what waits for values, and nothing else.
func TestDelayedReclaims(t *testing.T) {
	for _, stale := range []bool{false, true} {
		p := newPair(t, ManagerOptions{}, make([]string, 2), "a")
		p.ask("a", "", 2)
		if !stale {
			p.talk(p.c["a"].SetResourceValues(p.now, nil))
		}
		if _, err := p.m.Reclaim(p.now, "a", 1); err != nil {
			t.Fatal(err)
		}
		if got, want := p.m.Stats().Delayed, map[bool]int{true: 1}[stale]; got != want {
			t.Errorf("stale %v: %d times delayed, want %d", stale, got, want)
		}
	}
}

// A preemption for another partition that is cancelled leaves its node to Reclaim, in the same call:
// Tick has nothing more to do, and the partition loses as many nodes as the operator was promised.
func TestReclaimAfterCancel(t *testing.T) {
	for _, c := range []struct {
		name           string
		stale          bool // the manager takes nodes by stale values after MaxDelay
		count          int
		before, wait   time.Duration
		pending, after string // owners before and after the other partition withdraws its request
	}{
		// The lease of node 0 has run out, and node 0 is to end for b. Reclaim waits for the lease of node 1.
		{"run out", false, 1, 0, 0, "a*a", "a*a"},
		// By stale values b gets node 0 before Reclaim may use them.
		{"stale", true, 2, 3 * time.Minute, 5 * time.Minute, "a*a*", "a*a*"},
	} {
		p := newPair(t, ManagerOptions{Term: -1, TakeStale: c.stale}, make([]string, 2), "a", "b")
		p.ask("a", "", 2)
		p.talk(p.c["a"].SetResourceValues(p.now, nil))
		delete(p.c, "a")
		p.now = 6 * time.Minute // the values are stale
		if !c.stale {
			p.m.s.Nodes[0].Until = time.Minute
		}
		send := func(msgs []Message, err error) { // what a is told is lost
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range msgs {
				if m = m.Clone(); m.Partition != "a" {
					p.talk([]Message{m}, nil)
				}
			}
		}
		b := p.c["b"]
		id, msgs, err := b.AddNodes(p.now, "", 1)
		if err != nil {
			t.Fatal(err)
		}
		say := func(msgs []Message) {
			t.Helper()
			for _, m := range msgs {
				send(p.m.Handle(p.now, m.Clone()))
			}
		}
		say(msgs)
		p.now += c.before
		send(p.m.Reclaim(p.now, "a", c.count))
		for end := p.now + c.wait; ; {
			next, ok := p.m.NextTick()
			if !ok || next > end {
				p.now = end
				break
			}
			if next < p.now {
				t.Fatalf("%s: at %v the manager wants %v again", c.name, p.now, next)
			}
			p.now = next
			send(p.m.Tick(p.now), nil)
		}
		p.want(c.pending)
		msgs, err = b.Cancel(p.now, id)
		if err != nil {
			t.Fatal(err)
		}
		say(msgs)
		p.want(c.after)
		for i := range p.m.Nodes() {
			if n := &p.m.s.Nodes[i]; n.Preemption > 0 && !n.Forced {
				t.Errorf("%s: node %d is to end for nobody", c.name, i)
			}
		}
		if got := p.m.AppendPartitions(nil)[0].Reclaim; got > 0 {
			t.Errorf("%s: Reclaim still waits to choose %d nodes", c.name, got)
		}
		if msgs := p.m.Tick(p.now); len(msgs) > 0 {
			t.Errorf("%s: a call of Tick sends %+v", c.name, msgs)
		}
		var in *inputerr.Error
		if _, err := p.m.Reclaim(p.now, "a", 3); !errors.As(err, &in) || !strings.Contains(err.Error(), "want at most "+fmt.Sprint(2-c.count)+",") {
			t.Errorf("%s: three more nodes: %v", c.name, err)
		}
	}
}

// A withdrawal is repeated until the manager has read it, though no request is open.
func TestCancelIsRepeated(t *testing.T) {
	c, err := NewClient("a", ClientOptions{})
	if err != nil {
		t.Fatal(err)
	}
	id, msgs, err := c.AddNodes(0, "", 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Handle(0, Message{Call: NodesQueued, Partition: "a", Number: msgs[0].Number, Requests: []Request{{ID: id, Count: 1}}}); err != nil {
		t.Fatal(err)
	}
	if msgs, err = c.Cancel(0, id); err != nil || len(msgs) != 1 {
		t.Fatal(msgs, err)
	}
	asks := func(now time.Duration) (numbers []uint64) {
		for _, m := range c.Tick(now) {
			if m.Call == AddNodes {
				numbers = append(numbers, m.Number)
			}
		}
		return numbers
	}
	again := asks(time.Minute)
	if len(again) != 1 || c.NextTick() > 2*time.Minute {
		t.Fatalf("%d messages after a minute, the next call at %v", len(again), c.NextTick())
	}
	if _, err := c.Handle(time.Minute, Message{Call: NodesQueued, Partition: "a", Number: again[0]}); err != nil {
		t.Fatal(err)
	}
	if again := asks(2 * time.Minute); len(again) > 0 {
		t.Error("the withdrawal is repeated after its answer")
	}
}

// A notice that a later one has replaced is not answered, nor is one whose preemption is off.
func TestOldNoticeIsNotAnswered(t *testing.T) {
	p := newPair(t, ManagerOptions{}, make([]string, 2), "a", "b")
	p.ask("a", "", 2)
	a, b := p.c["a"], p.c["b"]
	p.talk(a.SetResourceValues(p.now, nil))
	old := Message{Call: NotifyDeletePending, Partition: "a", Leases: []Lease{{Node: 0, Epoch: 1, Preemption: 1, Grace: 2 * time.Minute}}}
	p.ask("b", "", 1)
	p.want("a*a")
	p.talk(b.Cancel(p.now, b.AppendRequests(nil)[0].ID))
	if msgs, err := a.Handle(p.now, old); err != nil || len(msgs) > 0 {
		t.Errorf("the preemption is off, and the client sends %+v, %v", msgs, err)
	}
	p.ask("b", "", 1)
	if msgs, err := a.Handle(p.now, old); err != nil || len(msgs) > 0 {
		t.Errorf("the preemption is replaced, and the client sends %+v, %v", msgs, err)
	}
}
