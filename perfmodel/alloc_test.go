package perfmodel

import (
	"testing"

	"github.com/plimsoll/plimsoll/internal/allocs"
)

// Warm, neither fits nor estimates nor choices allocate, whatever the
// profile is that is no larger than those before.
func TestModelsAllocateNothing(t *testing.T) {
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	large := scaled(t)
	small := large.Select(func(r *Run) bool { return r.Processes <= 8 })
	profiles := []*Profile{&large, &small, &large}
	x := []float64{1e7, 500}
	counts := AppendCounts(nil, AnyCount, 1, 1000)
	dst := make([]Estimate, len(counts))
	q := Query{Features: x, Processes: counts, Mean: true}
	models := map[string]Model{
		"loglinear": &LogLinear{}, "work": &LogLinear{Work: Product}, "quadratic": &LogLinear{Quadratic: true}, "network": &Network{},
		"cap3": &CAP3{AllToAll: true}, "amdahl": &USL{Amdahl: true, Work: Product}, "usl": &USL{Work: Product},
	}
	for name, m := range models {
		for _, p := range profiles {
			got := allocs.Once(func() {
				must(m.Fit(p))
				must(m.EstimateTo(dst, q))
			})
			if got != 0 {
				t.Errorf("%s, %d runs: %v allocations", name, len(p.Runs), got)
			}
		}
	}
	var c Chooser
	choice := []Model{models["loglinear"], models["usl"]}
	var scores []Score
	for _, p := range profiles {
		for _, c.Most = range []bool{false, true} {
			got := allocs.Once(func() {
				var err error
				_, scores, err = c.Choose(scores[:0], choice, p)
				must(err)
			})
			if got != 0 {
				t.Errorf("choice, %d runs: %v allocations", len(p.Runs), got)
			}
		}
	}
	all, shapes := madeUpProfiles(t, 53)
	m := &Machine{Shapes: shapes}
	must(m.FitAll(all))
	for _, n := range []int{8, 3, 7} {
		m.Shapes = shapes[:n]
		got := allocs.Once(func() {
			must(m.FitAll(all[:n]))
			must(m.Application(2).EstimateTo(dst[:10], Query{Features: all[2].Runs[0].Features, Processes: counts[:10], Mean: true}))
		})
		if got != 0 {
			t.Errorf("machine of %d: %v allocations", n, got)
		}
	}
	got := allocs.Once(func() { counts = AppendCounts(counts[:0], Squares, 1, 1000) })
	if got != 0 {
		t.Errorf("counts: %v allocations", got)
	}
}
