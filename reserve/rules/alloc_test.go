package rules

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/allocs"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
)

// anyDemand returns a demand that rises and falls by day, of a fixed seed.
func anyDemand(rng *rand.Rand, slots, peak int) []int {
	demand := make([]int, slots)
	level := peak / 2
	for t := range demand {
		level = min(peak, max(0, level+rng.IntN(peak/10+3)-(peak/10+3)/2))
		demand[t] = level
		if t%24 < 8 {
			demand[t] = level / 3
		}
	}
	return demand
}

// month is a list of a month and two weeks, as prepaid and by use.
func month() pricing.List {
	return pricing.List{OnDemand: 60 * pricing.Milli, Classes: []pricing.Class{
		{Name: "month", Term: 720 * time.Hour, Upfront: 25 * pricing.Unit},
		{Name: "month-light", Term: 720 * time.Hour, Upfront: 5 * pricing.Unit, Hourly: 40 * pricing.Milli, Billed: pricing.WhenUsed},
		{Name: "fortnight", Term: 336 * time.Hour, Upfront: 14 * pricing.Unit},
	}}
}

// No algorithm allocates once it has seen the largest problem.
func TestAllocs(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2)) // seed 1, 2
	var problems []*reserve.Problem
	for i, n := range []int{9000, 1, 8999, 24, 744, 4000} {
		p := &reserve.Problem{Demand: anyDemand(rng, n, []int{500, 3, 40}[i%3]), Slot: time.Hour, Prices: month(), Horizon: reserve.Horizon(i % 2)}
		p.Held = []pricing.Holding{{Class: 0, Count: 1 + i, Until: 100 * i}}
		problems = append(problems, p)
	}
	dst := make([]pricing.Purchase, 0, 30_000)
	run := func(name string, f func(p *reserve.Problem) error) {
		t.Helper()
		for i, p := range append(problems[:1:1], problems...) { // the largest first, to warm up
			n := allocs.Once(func() {
				if err := f(p); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
			})
			if i > 0 && n != 0 {
				t.Errorf("%s: %v allocations for input %d, want 0", name, n, i-1)
			}
		}
	}
	for _, a := range planners(0) {
		run(nameOf(a), func(p *reserve.Problem) error {
			plan, err := a.AppendPlan(dst[:0], p)
			if len(plan) == 0 && len(p.Demand) == 9000 {
				t.Errorf("%s: nothing bought", nameOf(a))
			}
			return err
		})
	}
	var c reserve.Competitive
	run("Competitive", func(p *reserve.Problem) error { _, err := c.Bound(p); return err })
}

// nameOf returns the name of an algorithm in benchmarks.
func nameOf(a reserve.Planner) string {
	switch a := a.(type) {
	case *reserve.HGR:
		return "hgr"
	case *Periodic:
		return "periodic"
	case *SEC:
		return "sec"
	case *reserve.Exact:
		return "exact"
	case *RHO:
		return "rho"
	case *Robust:
		return "robust"
	case *Constant:
		if a.Peak {
			return "peak"
		}
		return "constant"
	}
	return "?"
}
