package exchange

import (
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
