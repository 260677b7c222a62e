package exchange

import (
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/inputerr"
)

// testStates returns saved states of a manager and its clients in the midst of things.
func testStates(t fataler) (managers, clients [][]byte) {
	rng := rand.New(rand.NewPCG(3, 3))
	w := newWorld(t, rng.IntN, simOptions, simKinds)
	for i := range 6000 {
		w.step(t)
		if i%300 == 299 && !w.down && len(managers) < 12 {
			data, err := json.Marshal(w.m)
			if err != nil {
				t.Fatalf("%v", err)
			}
			managers = append(managers, data)
			for _, p := range w.parts {
				data, err := json.Marshal(p.c)
				if err != nil {
					t.Fatalf("%v", err)
				}
				clients = append(clients, data)
			}
		}
	}
	return managers, clients
}

// What is restored is what was saved, and goes on in the same way.
func TestSaved(t *testing.T) {
	managers, clients := testStates(t)
	if len(managers) < 5 {
		t.Fatalf("only %d states", len(managers))
	}
	for _, data := range managers {
		var a, b Manager
		if err := json.Unmarshal(data, &a); err != nil {
			t.Fatal(err)
		}
		again, err := json.Marshal(&a)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(data), string(again)); diff != "" {
			t.Fatalf("saved again (-want +got):\n%s", diff)
		}
		if err := json.Unmarshal(again, &b); err != nil {
			t.Fatal(err)
		}
		// The simulator's copies leave nothing out.
		var c Manager
		copyManager(&c, &a)
		c.changes.link = a.changes.link
		if copied, _ := json.Marshal(&c); string(copied) != string(again) {
			t.Fatal("a copy is not the state")
		}
		for i, now := 0, a.Now(); i < 70; i, now = i+1, now+17*time.Second {
			if diff := cmp.Diff(a.Tick(now), b.Tick(now)); diff != "" {
				t.Fatalf("two restarts differ:\n%s", diff)
			}
		}
	}
	for _, data := range clients {
		var a Client
		if err := json.Unmarshal(data, &a); err != nil {
			t.Fatal(err)
		}
		again, err := json.Marshal(&a)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(data), string(again)); diff != "" {
			t.Fatalf("saved again (-want +got):\n%s", diff)
		}
		var c Client
		copyClient(&c, &a)
		if copied, _ := json.Marshal(&c); string(copied) != string(again) {
			t.Fatal("a copy is not the state")
		}
	}
}

// A state that cannot be is refused, and the machine stays as it was.
func TestBadState(t *testing.T) {
	p := newPair(t, ManagerOptions{}, []string{"cpu", "gpu"}, "a", "b")
	p.ask("a", "", 2)
	p.talk(p.c["a"].SetResourceValues(0, []NodeValue{{0, 1}}))
	p.ask("b", "gpu", 1)
	p.want("aa*")
	good, _ := p.m.MarshalText()
	for name, spoil := range map[string]func(s *managerState){
		"grace":           func(s *managerState) { s.Options.Grace = -1 },
		"every":           func(s *managerState) { s.Options.Every = 0 },
		"every below":     func(s *managerState) { s.Options.Every = math.MinInt64 },
		"term":            func(s *managerState) { s.Options.Term = 0 },
		"term below":      func(s *managerState) { s.Options.Term = -2 },
		"skew":            func(s *managerState) { s.Options.Skew = -1 },
		"age":             func(s *managerState) { s.Options.MaxAge = -1 },
		"delay":           func(s *managerState) { s.Options.MaxDelay = -1 },
		"partitions":      func(s *managerState) { s.Options.MaxPartitions = 0 },
		"requests":        func(s *managerState) { s.Options.MaxRequests = 0 },
		"now":             func(s *managerState) { s.Now = -1 },
		"last preemption": func(s *managerState) { s.Preemption = 0 },
		"epoch":           func(s *managerState) { s.Nodes[0].Epoch = 0 },
		"free":            func(s *managerState) { s.Nodes[0].Holder = -1 },
		"holder":          func(s *managerState) { s.Nodes[0].Holder = 2 },
		"holder below":    func(s *managerState) { s.Nodes[0].Holder = -2 },
		"value":           func(s *managerState) { s.Nodes[0].Value = 2 },
		"no value":        func(s *managerState) { s.Nodes[0].Value = math.NaN() },
		"until":           func(s *managerState) { s.Nodes[0].Until = -1 },
		"next":            func(s *managerState) { s.Nodes[0].Next = -1 },
		"out":             func(s *managerState) { s.Nodes[0].Out = 1 },
		"orphan":          func(s *managerState) { s.Nodes[0].Orphan = true },
		"unprepared":      func(s *managerState) { s.Nodes[0].Unprepared = true },
		"no preemption":   func(s *managerState) { s.Nodes[1].Preemption = 0 },
		"forced alone":    func(s *managerState) { s.Nodes[0].Forced = true },
		"preempted twice": func(s *managerState) { s.Nodes[0].Preemption, s.Nodes[0].Grace = 1, 1 },
		"deadline":        func(s *managerState) { s.Nodes[1].Acked, s.Nodes[1].First, s.Nodes[1].Deadline = true, 2, 1 },
		"weight":          func(s *managerState) { s.Partitions[0].Weight = 0 },
		"great weight":    func(s *managerState) { s.Partitions[0].Weight = maxWeight + 1 },
		"floor":           func(s *managerState) { s.Partitions[0].Floor = 3 },
		"reclaim":         func(s *managerState) { s.Partitions[0].Reclaim = 3 },
		"reclaimed at":    func(s *managerState) { s.Partitions[0].ReclaimAt = -1 },
		"delayed since":   func(s *managerState) { s.Partitions[0].DelaySince = -1 },
		"removed":         func(s *managerState) { s.Partitions[1].Removed = true },
		"names":           func(s *managerState) { s.Partitions[1].Name = "a" },
		"no name":         func(s *managerState) { s.Partitions[1].Name = "" },
		"given":           func(s *managerState) { s.Partitions[0].Requests[0].Given = 3 },
		"given and not":   func(s *managerState) { s.Partitions[0].Requests[0].Given = 1 },
		"refused":         func(s *managerState) { s.Partitions[0].Requests[0].Refused = "no" },
		"not listed":      func(s *managerState) { s.Nodes[0].Confirmed = false },
		"kind":            func(s *managerState) { s.Partitions[1].Requests[0].Kind = "tpu" },
		"too many":        func(s *managerState) { s.Partitions[1].Requests[0].Count = 3 },
		"id":              func(s *managerState) { s.Partitions[1].Requests[0].ID = 0 },
		"no nodes":        func(s *managerState) { s.Nodes = nil },
	} {
		var bad Manager
		copyManager(&bad, p.m)
		spoil(&bad.s)
		text, _ := bad.MarshalText()
		var in *inputerr.Error
		if err := p.m.UnmarshalText(text); !errors.As(err, &in) {
			t.Errorf("%s: %v, want an input error", name, err)
		}
	}
	var bad Manager
	copyManager(&bad, p.m)
	bad.s.Partitions[0].Requests[0].Granted = 1
	text, _ := bad.MarshalText()
	if err := p.m.UnmarshalText(text); err == nil || !strings.Contains(err.Error(), `1 nodes granted for request 1 of "a" are not confirmed: want as many as the ledger has such leases, 0`) {
		t.Errorf("one of two nodes confirmed: %v", err)
	}
	if after, _ := p.m.MarshalText(); string(after) != string(good) {
		t.Error("a bad state changes the manager")
	}
	a := p.c["a"]
	if _, _, err := a.AddNodes(0, "", 1); err != nil {
		t.Fatal(err)
	}
	good, _ = a.MarshalText()
	for name, spoil := range map[string]func(s *clientState){
		"partition":    func(s *clientState) { s.Partition = "" },
		"every":        func(s *clientState) { s.Every = 0 },
		"every below":  func(s *clientState) { s.Every = math.MinInt64 },
		"number":       func(s *clientState) { s.Number = 0 },
		"old number":   func(s *clientState) { s.Number = 2 },
		"great number": func(s *clientState) { s.Number = maxNumber + 1 },
		"now":          func(s *clientState) { s.Now = -1 },
		"values at":    func(s *clientState) { s.ValuesAt = 1 },
		"next beat":    func(s *clientState) { s.NextBeat = -1 },
		"order":        func(s *clientState) { s.Leases[0].Node = 1 },
		"node":         func(s *clientState) { s.Leases[0].Node = -1 },
		"epoch":        func(s *clientState) { s.Leases[0].Epoch = 0 },
		"value":        func(s *clientState) { s.Leases[0].Value = -1 },
		"valid":        func(s *clientState) { s.Leases[0].Valid = -1 },
		"first":        func(s *clientState) { s.Leases[0].First = 1 },
		"preemption":   func(s *clientState) { s.Leases[1].Preemption = 0 },
		"count":        func(s *clientState) { s.Requests[0].Count = 0 },
		"listing":      func(s *clientState) { s.Listings[0].Number = s.Number },
		"sent":         func(s *clientState) { s.Listings[0].Sent = 1 },
	} {
		var bad Client
		copyClient(&bad, a)
		spoil(&bad.s)
		text, _ := bad.MarshalText()
		var in *inputerr.Error
		if err := a.UnmarshalText(text); !errors.As(err, &in) {
			t.Errorf("client, %s: %v, want an input error", name, err)
		}
	}
	if after, _ := a.MarshalText(); string(after) != string(good) {
		t.Error("a bad state changes the client")
	}
}

// No flipped bit, cut, swap, gap or foreign record of a saved state gives another state: each
// is refused. A client's state alike.
func TestDamageIsFound(t *testing.T) {
	p := newPair(t, ManagerOptions{}, []string{"cpu", "gpu"}, "a", "b")
	state, _ := p.m.MarshalText()
	p.m.ChangesSaved()
	var records [][]byte
	save := func() {
		records = append(records, p.m.AppendChanges(nil))
		p.m.ChangesSaved()
	}
	p.ask("a", "", 2)
	save()
	p.talk(p.c["a"].SetResourceValues(0, []NodeValue{{0, 1}}))
	save()
	p.ask("b", "gpu", 1)
	save()
	p.talk(p.m.Tick(time.Minute), nil)
	save()
	restore := func(state []byte, records [][]byte) error {
		return new(Manager).Restore(state, func(yield func([]byte, error) bool) {
			for _, r := range records {
				if !yield(r, nil) {
					return
				}
			}
		})
	}
	if err := restore(state, records); err != nil {
		t.Fatal(err)
	}
	refused := func(what string, err error) {
		t.Helper()
		if in := new(inputerr.Error); !errors.As(err, &in) {
			t.Errorf("%s: %v, want an input error", what, err)
		}
	}
	client, _ := p.c["a"].MarshalText()
	for n := range state {
		for bit := range 8 {
			bad := slices.Clone(state)
			bad[n] ^= 1 << bit
			refused("a bit of the state", restore(bad, records))
		}
		refused("a cut state", restore(state[:n], records))
	}
	for n := range client {
		for bit := range 8 {
			bad := slices.Clone(client)
			bad[n] ^= 1 << bit
			refused("a bit of the client", new(Client).UnmarshalText(bad))
		}
		refused("a cut client", new(Client).UnmarshalText(client[:n]))
	}
	for k, r := range records {
		for n := range r {
			with := slices.Clone(records)
			for bit := range 8 {
				with[k] = slices.Clone(r)
				with[k][n] ^= 1 << bit
				refused("a bit of a record", restore(state, with))
			}
			with[k] = r[:n]
			refused("a cut record", restore(state, with))
		}
		if k < len(records)-1 {
			refused("a gap", restore(state, slices.Delete(slices.Clone(records), k, k+1)))
		}
		for other := range k {
			with := slices.Clone(records)
			with[k], with[other] = with[other], with[k]
			refused("a swap", restore(state, with))
		}
		refused("a record twice", restore(state, slices.Insert(slices.Clone(records), k, r)))
	}
	later, _ := p.m.MarshalText()
	refused("records of an older state", restore(later, records))
	refused("a client as a manager", restore(client, nil))
	refused("a manager as a client", new(Client).UnmarshalText(later))
}

// A state from anywhere is refused or can be worked with.
func FuzzManagerState(f *testing.F) {
	managers, clients := testStates(f)
	for i, m := range managers {
		f.Add(m, clients[i])
	}
	f.Fuzz(func(t *testing.T, manager, client []byte) {
		var m Manager
		if json.Unmarshal(manager, &m) == nil {
			now := m.Now()
			for range 5 {
				m.Tick(now)
				now, _ = m.NextTick()
			}
			first, err := json.Marshal(&m)
			if err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(first, &m); err != nil {
				t.Fatalf("%v: %s", err, first)
			}
		}
		var c Client
		if json.Unmarshal(client, &c) == nil {
			now := c.Now()
			for range 5 {
				c.Tick(now)
				now = max(now, c.NextTick())
			}
			first, err := json.Marshal(&c)
			if err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(first, &c); err != nil {
				t.Fatalf("%v: %s", err, first)
			}
		}
	})
}

// A message from anywhere is refused or read, and leaves a state that can be saved and restored.
func FuzzMessage(f *testing.F) {
	managers, clients := testStates(f)
	for _, s := range []string{
		`{"call":"AddNodes","partition":"hpc","number":90000,"requests":[{"id":90000,"kind":"gpu","count":2}]}`,
		`{"call":"DeleteNodes","partition":"htc","leases":[{"node":0,"epoch":1},{"node":3,"epoch":2}]}`,
		`{"call":"SetResourceValues","partition":"cloud","number":90001,"sent_ns":5,"age_ns":7,"leases":[{"node":1,"epoch":1,"value":0.5,"preemption":3,"since_ns":9}]}`,
		`{"call":"AcknowledgeDelete","partition":"hpc","leases":[{"node":2,"epoch":3,"preemption":1,"since_ns":120000000000}]}`,
		`{"call":"NodesAdded","partition":"hpc","leases":[{"node":5,"epoch":77,"request":3}]}`,
		`{"call":"NotifyDeletePending","partition":"hpc","leases":[{"node":5,"epoch":77,"preemption":4,"grace_ns":9223372036854775807}]}`,
		`{"call":"LeasesRenewed","partition":"hpc","number":1,"term_ns":-1,"leases":[{"node":5,"epoch":7,"status":"cancelled","preemption":4}]}`,
		`{"call":"DiscoverResources","partition":"hpc"}`,
	} {
		f.Add([]byte(s), uint8(len(s)))
	}
	f.Fuzz(func(t *testing.T, data []byte, which uint8) {
		var msg Message
		if json.Unmarshal(data, &msg) != nil {
			return
		}
		m, c := new(Manager), new(Client)
		if err := json.Unmarshal(managers[int(which)%len(managers)], m); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(clients[int(which)%len(clients)], c); err != nil {
			t.Fatal(err)
		}
		_, errM := m.Handle(m.Now(), msg)
		_, errC := c.Handle(c.Now(), msg)
		if errM == nil && errC == nil {
			t.Fatalf("both sides read %+v", msg)
		}
		m.Tick(m.Now() + time.Hour)
		c.Tick(c.Now() + time.Hour)
		reload(t, m)
		reload(t, c)
	})
}
