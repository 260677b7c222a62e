package federation

import (
	"slices"
	"testing"

	"github.com/plimsoll/plimsoll/reserve"
	"github.com/plimsoll/plimsoll/reserve/rules"
)

// The three logs: greedy in several orders and at several prices, the plan, its bound,
// and tasks split by slot, each at least the next. The
// numbers are of this test; what it holds fast is their order and the gap.
func TestOptimumLogs(t *testing.T) {
	var o Optimizer
	for _, p := range []struct {
		name string
		plan reserve.Planner
	}{
		{"HGR", &reserve.HGR{}}, {"Periodic", &rules.Periodic{}}, {"Exact", &reserve.Exact{}},
	} {
		centres, tasks, fees := liuFederation(t, 600, p.plan)
		sunk := sum(fees)
		split, err := splitCost(centres, tasks)
		if err != nil {
			t.Fatal(err)
		}
		bookings, err := Share(nil, centres, tasks, Options{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := o.Solve(centres, tasks, OptimumOptions{Start: bookings, MaxSteps: 200})
		if err != nil {
			t.Fatal(err)
		}
		d, s := planCost(t, centres, tasks, planOf(&o, tasks))
		proved := bound(t, centres, tasks, o.prices)
		if d+s != got.Cost || proved != got.Bound {
			t.Errorf("%s: the plan costs %v, said %v; the prices prove %v, said %v", p.name, d+s, got.Cost, proved, got.Bound)
		}
		if got.Cost < got.Bound || got.Bound < split {
			t.Errorf("%s: plan %v ≥ bound %v ≥ split %v: not so", p.name, got.Cost, got.Bound, split)
		}
		gap := float64(got.Cost-got.Bound) / float64(got.Bound)
		if gap > 3e-4 {
			t.Errorf("%s: a gap of %v", p.name, gap)
		}
		t.Logf("%s: fees %s, plan %s, bound %s (%.4f%%), split %s; with fees %s", p.name, sunk.Fixed(0),
			got.Cost.Fixed(2), got.Bound.Fixed(2), 100*gap, split.Fixed(2), (sunk + got.Cost).Fixed(0))
		for _, opts := range []Options{
			{}, {Order: CheapestFirst}, {Excess: NoExcess}, {Price: Unpaid}, {Price: Unpaid, Order: CheapestFirst}, {Order: Alone},
		} {
			for _, expects := range []bool{true, false} {
				told := slices.Clone(centres)
				if !expects {
					for j := range told {
						told[j].Demand = nil
					}
				}
				if bookings, err = Share(bookings[:0], told, tasks, opts); err != nil {
					t.Fatal(err)
				}
				greedy := spent(bookings)
				if greedy < got.Cost {
					t.Errorf("%s %+v: greedy costs %v, the plan %v", p.name, opts, greedy, got.Cost)
				}
				t.Logf("%-8s %+v, expects %v: %s, over the bound %.2f%%, with fees %.2f%%", p.name, opts, expects, greedy.Fixed(0),
					100*(greedy.Float64()/got.Bound.Float64()-1), 100*((greedy+sunk).Float64()/(got.Bound+sunk).Float64()-1))
			}
		}
	}
}
