package exchange

import (
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/allocs"
)

// Once warm, neither side allocates: renewals, a preemption begun and cancelled, notices
// repeated, ticks without work, what is read out.
func TestAllocs(t *testing.T) {
	const nodes = 500
	m, c := benchCluster(t, nodes)
	now := c.Now()
	if n := allocs.Once(func() {
		now += time.Minute
		renewal(t, m, c, now)
	}); n != 0 {
		t.Errorf("a renewal allocates %v times", n)
	}
	number := uint64(0)
	reqs := []Request{{}}
	for _, take := range []int{200, 7, 100} {
		if n := allocs.Once(func() {
			number += 2
			reqs[0] = Request{ID: number, Count: take}
			for k := range 2 {
				if _, err := m.Handle(now, Message{Call: AddNodes, Partition: "hpc", Number: number + uint64(k), Requests: reqs[:1-k]}); err != nil {
					t.Fatal(err)
				}
			}
		}); n != 0 {
			t.Errorf("a preemption of %d nodes allocates %v times", take, n)
		}
	}
	number += 2
	if _, err := m.Handle(now, Message{Call: AddNodes, Partition: "hpc", Number: number, Requests: []Request{{ID: number, Count: 50}}}); err != nil {
		t.Fatal(err)
	}
	msgs := 0
	if n := allocs.Once(func() {
		now += time.Minute
		out := m.Tick(now)
		msgs += len(out)
		for _, msg := range out {
			if _, err := c.Handle(now, msg); err != nil {
				t.Fatal(err)
			}
		}
	}); n != 0 {
		t.Errorf("notices allocate %v times", n)
	}
	if msgs == 0 {
		t.Error("no notices")
	}
	var ledger []Assignment
	var holdings []NodeStatus
	if n := allocs.Once(func() {
		ledger = m.AppendAssignments(ledger[:0])
		holdings = c.AppendNodes(holdings[:0], now)
		m.NextTick()
		c.NextTick()
	}); n != 0 {
		t.Errorf("reading out allocates %v times", n)
	}
}
