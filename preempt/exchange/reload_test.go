package exchange

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// A state that is read into a manager that has seen another cluster is that of a new manager:
// it goes on in the same way, message by message.
func TestReloadedAsNew(t *testing.T) {
	managers, _ := testStates(t)
	for i, data := range managers {
		var used, fresh Manager
		if err := json.Unmarshal(managers[(i+5)%len(managers)], &used); err != nil {
			t.Fatal(err)
		}
		for k, now := 0, used.Now(); k < 20; k, now = k+1, now+31*time.Second {
			used.Tick(now)
		}
		if err := json.Unmarshal(data, &used); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(data, &fresh); err != nil {
			t.Fatal(err)
		}
		for k, now := 0, fresh.Now(); k < 60; k, now = k+1, now+17*time.Second {
			if d := cmp.Diff(fresh.Tick(now), used.Tick(now), cmpopts.EquateEmpty()); d != "" {
				t.Fatalf("state %d, tick %d (-new +used):\n%s", i, k, d)
			}
			a, okA := fresh.NextTick()
			b, okB := used.NextTick()
			if a != b || okA != okB {
				t.Fatalf("state %d, tick %d: the next tick at %v, want %v", i, k, b, a)
			}
		}
		a, err := json.Marshal(&fresh)
		if err != nil {
			t.Fatal(err)
		}
		if b, err := json.Marshal(&used); err != nil || string(a) != string(b) {
			t.Fatalf("state %d: %s", i, cmp.Diff(string(a), string(b)))
		}
	}
}

// A manager that is restored has the kinds and the changes of the state, and none of the cluster
// that it had before.
func TestRestoredForgets(t *testing.T) {
	used := newPair(t, ManagerOptions{}, []string{"gpu", "gpu"}, "a")
	used.ask("a", "gpu", 1)
	fresh := newPair(t, ManagerOptions{}, []string{"cpu", "cpu"}, "a")
	data, err := json.Marshal(fresh.m)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, used.m); err != nil {
		t.Fatal(err)
	}
	if record := used.m.AppendChanges(nil); len(record) > 0 {
		t.Errorf("%d bytes have changed", len(record))
	}
	fresh.m = used.m
	fresh.ask("a", "gpu", 1)
	if r := fresh.c["a"].AppendRequests(nil); len(r) != 1 || r[0].Refused != "the cluster has no node of the kind" {
		t.Errorf("%+v", r)
	}
}

// A restart changes nothing that must be saved where nobody waits and no lease is about to run
// out. Where an operator waits for nodes, the record and the state have the time of the restart.
func TestRestartChanges(t *testing.T) {
	for _, reclaim := range []bool{false, true} {
		p := newPair(t, ManagerOptions{}, make([]string, 4), "a", "b")
		p.now = time.Hour
		p.ask("a", "", 4)
		if reclaim {
			p.talk(p.m.Reclaim(p.now, "a", 1)) // waits for values
		}
		state, err := p.m.MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		p.m = reload(t, p.m)
		p.now += time.Minute
		p.talk(p.m.Tick(p.now), nil)
		record := p.m.AppendChanges(nil)
		if len(record) > 0 != reclaim {
			t.Errorf("reclaim %v: a record of %d bytes", reclaim, len(record))
		}
		if !reclaim {
			continue
		}
		var again Manager
		if err := again.Restore(state, func(yield func([]byte, error) bool) { yield(record, nil) }); err != nil {
			t.Fatal(err)
		}
		p.m.ChangesSaved()
		a, _ := json.Marshal(p.m)
		if b, _ := json.Marshal(&again); string(a) != string(b) {
			t.Errorf("(-manager +records):\n%s", cmp.Diff(string(a), string(b)))
		}
		// What has been waited for since the restart is taken, and so is what is reclaimed then.
		p.now += 5*time.Minute - 1
		p.talk(p.m.Tick(p.now), nil)
		p.want("aaaa")
		p.now++
		p.talk(p.m.Tick(p.now), nil)
		p.want("a*aaa")
		p.talk(p.c["a"].SetResourceValues(p.now, nil))
		p.talk(p.m.Reclaim(p.now, "a", 2))
		p.want("a*a*a*a")
	}
}

// The first call after a restart sends the notices that are not acknowledged, whatever the call
// is: from then on the grace period counts. TestUnderFaults has found a node that was taken too
// soon because a question for the host's nodes came first.
func TestNoticesAfterRestart(t *testing.T) {
	for name, call := range map[string]func(m *Manager, now time.Duration) ([]Message, error){
		"tick":   func(m *Manager, now time.Duration) ([]Message, error) { return m.Tick(now), nil },
		"push":   func(m *Manager, now time.Duration) ([]Message, error) { return m.PushResources(now, "b") },
		"fence":  func(m *Manager, now time.Duration) ([]Message, error) { return m.Fence(now, 1, 0) },
		"ready":  func(m *Manager, now time.Duration) ([]Message, error) { return m.Prepared(now, 1, 0) },
		"failed": func(m *Manager, now time.Duration) ([]Message, error) { return m.PrepareFailed(now, 1, 0, time.Hour) },
		"discover": func(m *Manager, now time.Duration) ([]Message, error) {
			return m.Handle(now, Message{Call: DiscoverResources, Partition: "b"})
		},
		"an old listing": func(m *Manager, now time.Duration) ([]Message, error) {
			return m.Handle(now, Message{Call: SetResourceValues, Partition: "a", Number: 1})
		},
		"nothing acknowledged": func(m *Manager, now time.Duration) ([]Message, error) {
			return m.Handle(now, Message{Call: AcknowledgeDelete, Partition: "b"})
		},
	} {
		p := newPair(t, ManagerOptions{}, make([]string, 2), "a", "b")
		p.ask("a", "", 2)
		p.talk(p.c["a"].SetResourceValues(0, nil))
		p.say(Message{Call: AddNodes, Partition: "b", Number: 9, Requests: []Request{{ID: 9, Count: 1}}}) // the notice is lost
		p.want("a*a")
		p.m = reload(t, p.m)
		out, err := call(p.m, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		want := Message{Call: NotifyDeletePending, Partition: "a", Leases: []Lease{{Node: 0, Epoch: 1, Preemption: 1, Grace: 2 * time.Minute}}}
		if !slices.ContainsFunc(out, func(m Message) bool { return cmp.Equal(m, want) }) {
			t.Errorf("%s: %+v, and no notice", name, out)
		}
	}
}

// Each call returns its own messages alone: what calls before have returned is gone.
func TestCallsReturnTheirOwnMessages(t *testing.T) {
	p := newPair(t, ManagerOptions{}, []string{"cpu", "gpu", "cpu"}, "a", "b")
	p.ask("a", "gpu", 1)
	for range 3 {
		if got := p.c["a"].DiscoverResources(p.now); len(got) != 1 || got[0].Call != DiscoverResources {
			t.Fatalf("%+v", got)
		}
		p.now += time.Minute
		if got, err := p.m.PushResources(p.now, "a"); err != nil || len(got) != 1 || got[0].Call != ResourcesDiscovered || p.m.Now() != p.now {
			t.Fatalf("at %v: %+v, %v; the manager's time is %v", p.now, got, err, p.m.Now())
		}
	}
}

// A node that is cut off goes to a partition that waits, in the same step.
func TestFencedNodeGoesOn(t *testing.T) {
	p := newPair(t, ManagerOptions{Term: -1}, make([]string, 2), "a", "b")
	p.ask("a", "", 2)
	p.ask("b", "", 1)
	p.want("aa")
	msgs, err := p.m.Fence(p.now, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	granted := false
	for _, m := range msgs {
		granted = granted || m.Partition == "b" && len(m.Leases) == 1 && m.Leases[0].Node == 1
	}
	if !granted {
		t.Errorf("%+v", msgs)
	}
	p.talk(msgs, nil)
	p.want("ab")
}
