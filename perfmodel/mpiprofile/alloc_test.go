package mpiprofile

import (
	"testing"

	"github.com/plimsoll/plimsoll/internal/allocs"
	"github.com/plimsoll/plimsoll/perfmodel"
)

// A fitted model estimates without allocating.
func TestEstimatesAllocateNothing(t *testing.T) {
	p := exact()
	var m Model
	if err := m.Fit(&p); err != nil {
		t.Fatal(err)
	}
	counts := perfmodel.AppendCounts(nil, perfmodel.AnyCount, 1, 500)
	dst, x := make([]perfmodel.Estimate, len(counts)), []float64{5}
	estimate := func() {
		if err := m.EstimateTo(dst, perfmodel.Query{Features: x, Processes: counts, Mean: true}); err != nil {
			t.Error(err)
		}
	}
	estimate()
	if n := allocs.Once(estimate); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
