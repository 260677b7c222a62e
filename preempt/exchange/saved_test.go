package exchange

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
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
	good, _ := json.Marshal(p.m)
	for _, c := range [][2]string{
		{`"grace_ns":120000000000`, `"grace_ns":-1`},
		{`"every_ns":60000000000`, `"every_ns":0`},
		{`"term_ns":900000000000`, `"term_ns":0`},
		{`"now_ns":0`, `"now_ns":-1`},
		{`"preemption":1,"nodes"`, `"preemption":0,"nodes"`},
		{`"epoch":1`, `"epoch":0`},
		{`"holder":0`, `"holder":-1`},
		{`"holder":0`, `"holder":2`},
		{`"holder":0`, `"holder":-2`},
		{`"value":1`, `"value":2`},
		{`"preemption":1,"grace_ns"`, `"preemption":0,"grace_ns"`},
		{`"weight":1`, `"weight":0`},
		{`"name":"b"`, `"name":"a"`},
		{`"name":"b"`, `"name":""`},
		{`"given":2`, `"given":3`},
		{`"given":2`, `"given":1`},
		{`"confirmed":true,`, ``}, // a lease that is not confirmed, where all that is granted is
		{`"id":1,"kind":"gpu"`, `"id":1,"kind":"tpu"`},
		{`"id":1`, `"id":0`},
		{`"nodes":[{`, `"nodes":[],"x":[{`},
	} {
		bad := strings.Replace(string(good), c[0], c[1], 1)
		if bad == string(good) {
			t.Errorf("%s is not in %s", c[0], good)
			continue
		}
		var in *InputError
		if err := json.Unmarshal([]byte(bad), p.m); !errors.As(err, &in) {
			t.Errorf("with %s: %v, want an InputError", c[1], err)
		}
	}
	bad := strings.Replace(string(good), `"granted":2`, `"granted":1`, 1)
	if err := json.Unmarshal([]byte(bad), p.m); err == nil || !strings.Contains(err.Error(), `1 nodes granted for request 1 of "a" are not confirmed: want as many as the ledger has such leases, 0`) {
		t.Errorf("one of two nodes confirmed: %v", err)
	}
	if after, _ := json.Marshal(p.m); string(after) != string(good) {
		t.Error("a bad state changes the manager")
	}
	a := p.c["a"]
	id, _, err := a.AddNodes(0, "", 1)
	if err != nil {
		t.Fatal(err)
	}
	good, _ = json.Marshal(a)
	_ = id
	for _, c := range [][2]string{
		{`"partition":"a"`, `"partition":""`},
		{`"every_ns":60000000000`, `"every_ns":0`},
		{`"number":8`, `"number":0`},
		{`"number":8`, `"number":2`},
		{`"number":8`, `"number":9223372036854775809`},
		{`"node":0`, `"node":1`},
		{`"node":0`, `"node":-1`},
		{`"epoch":1`, `"epoch":0`},
		{`"value":1`, `"value":-1`},
		{`"preemption":1`, `"preemption":0`},
		{`"now_ns":0`, `"now_ns":-1`},
		{`"count":1`, `"count":0`},
	} {
		bad := strings.Replace(string(good), c[0], c[1], 1)
		if bad == string(good) {
			t.Errorf("%s is not in %s", c[0], good)
			continue
		}
		var in *InputError
		if err := json.Unmarshal([]byte(bad), a); !errors.As(err, &in) {
			t.Errorf("client with %s: %v, want an InputError", c[1], err)
		}
	}
	if after, _ := json.Marshal(a); string(after) != string(good) {
		t.Error("a bad state changes the client")
	}
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
