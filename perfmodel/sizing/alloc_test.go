package sizing

import (
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/allocs"
	"github.com/plimsoll/plimsoll/perfmodel"
)

// Warm, no choice of a size allocates, whatever the model.
func TestSizerAllocatesNothing(t *testing.T) {
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	p := scaled(t)
	x := []float64{1e7, 500}
	counts := perfmodel.AppendCounts(nil, perfmodel.AnyCount, 1, 1000)
	in := Huang13InstanceTypes()[3]
	var pl Sizer
	var options []Size
	for name, m := range map[string]perfmodel.Model{
		"loglinear": &perfmodel.LogLinear{}, "work": &perfmodel.LogLinear{Work: perfmodel.Product}, "quadratic": &perfmodel.LogLinear{Quadratic: true}, "network": &perfmodel.Network{},
		"cap3": &perfmodel.CAP3{AllToAll: true}, "amdahl": &perfmodel.USL{Amdahl: true, Work: perfmodel.Product}, "usl": &perfmodel.USL{Work: perfmodel.Product},
	} {
		must(m.Fit(&p))
		for _, task := range []Target{
			{Features: x, Deadline: time.Hour, Counts: counts, MaxScale: 100},
			{Features: x, Deadline: 10 * time.Hour, Counts: counts, Cheapest: true, Confidence: 0.9},
		} {
			got := allocs.Once(func() {
				_, err := pl.Size(m, in, task)
				must(err)
				options, err = pl.AppendSizes(options[:0], m, in, task)
				must(err)
				options, err = pl.AppendFront(options[:0], m, in, task)
				must(err)
			})
			if got != 0 {
				t.Errorf("%s, plan: %v allocations", name, got)
			}
		}
	}
}
