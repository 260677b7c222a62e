package federation

import (
	"fmt"
	"testing"

	"github.com/plimsoll/plimsoll/reserve"
	"github.com/plimsoll/plimsoll/reserve/rules"
)

// BenchmarkOptimum plans the three logs of [Liu21], with the reservations of each
// planner. gap-ratio is what is not proved, as a part of on demand and traffic;
// greedy-ratio what Algorithm 3 costs over the bound.
func BenchmarkOptimum(b *testing.B) {
	for _, c := range []struct {
		name  string
		hours int
		plan  reserve.Planner
	}{
		{"hgr", 600, &reserve.HGR{}},
		{"periodic", 600, &rules.Periodic{}},
		{"exact", 600, &reserve.Exact{}},
		{"hgr", 8760, &reserve.HGR{}},
	} {
		for _, start := range []bool{false, true} {
			b.Run(fmt.Sprintf("reserve=%s/hours=%d/start=%v", c.name, c.hours, start), func(b *testing.B) {
				centres, tasks, fees := liuFederation(b, c.hours, c.plan)
				sunk := sum(fees)
				bookings, err := Share(nil, centres, tasks, Options{})
				if err != nil {
					b.Fatal(err)
				}
				var o Optimizer
				opts := OptimumOptions{}
				if start {
					opts.Start = bookings
				}
				got, err := o.Solve(centres, tasks, opts) // warm
				if err != nil {
					b.Fatal(err)
				}
				b.ReportAllocs()
				for b.Loop() {
					if got, err = o.Solve(centres, tasks, opts); err != nil {
						b.Fatal(err)
					}
				}
				greedy := spent(bookings)
				b.ReportMetric(float64(got.Cost-got.Bound)/float64(got.Bound), "gap-ratio")
				b.ReportMetric(float64(greedy)/float64(got.Bound)-1, "greedy-gap")
				b.ReportMetric(float64(greedy+sunk)/float64(got.Bound+sunk)-1, "greedy-total-gap")
				b.ReportMetric(float64(got.Rounds), "rounds")
				b.ReportMetric(float64(got.Steps), "steps")
				b.Logf("%d tasks; reserved %v; greedy %v; plan %v, bound %v", len(tasks), sunk, greedy, got.Cost, got.Bound)
			})
		}
	}
}

// BenchmarkOptimumMadeUp has more centres and longer tasks, which are what takes time.
func BenchmarkOptimumMadeUp(b *testing.B) {
	for _, size := range [][3]int{{3, 2000, 20_000}, {8, 500, 5_000}, {8, 1000, 10_000}, {8, 2000, 20_000}} {
		b.Run(fmt.Sprintf("centres=%d/slots=%d/tasks=%d", size[0], size[1], size[2]), func(b *testing.B) {
			centres, tasks := busyFederation(size[0], size[1], size[2], 3)
			var o Optimizer
			var got Optimum
			for b.Loop() {
				var err error
				if got, err = o.Solve(centres, tasks, OptimumOptions{}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(got.Cost-got.Bound)/float64(got.Bound), "gap-ratio")
			b.ReportMetric(float64(got.Rounds), "rounds")
		})
	}
}
