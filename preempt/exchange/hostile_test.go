package exchange

import (
	"math"
	"strings"
	"testing"

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
	state, err := m.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	if err := new(Manager).Restore(state, nil); err != nil {
		t.Error(err)
	}
}
