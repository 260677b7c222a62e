package exchange

import (
	"encoding/json"
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

// Each call returns its own messages alone: what calls before have returned is gone.
func TestCallsReturnTheirOwnMessages(t *testing.T) {
	p := newPair(t, ManagerOptions{}, []string{"cpu", "gpu", "cpu"}, "a", "b")
	p.ask("a", "gpu", 1)
	for range 3 {
		if got := p.c["a"].DiscoverResources(p.now); len(got) != 1 || got[0].Call != DiscoverResources {
			t.Fatalf("%+v", got)
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
