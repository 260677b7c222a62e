package market

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/plimsoll/plimsoll/examples/internal/parallel"
	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/generate"
	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/group"
	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/record"
	"github.com/plimsoll/plimsoll/reserve/savings"
)

// BenchmarkFleet takes the four steps on made-up fleets, and reports the gap of the whole.
// rounds-gap is that of the sample, which the search sees.
func BenchmarkFleet(b *testing.B) {
	for _, curves := range []int{10, 100, 1000, 10_000} {
		for _, want := range []int{400, 2000} {
			if want == 2000 && curves < 1000 {
				continue
			}
			b.Run(fmt.Sprintf("curves=%d/sample=%d", curves, want), func(b *testing.B) {
				for b.Loop() {
					f := generate.Fleet{Seed: 3, Curves: curves}
					x := f.Terms()
					sample := Sample{Want: want}
					var c generate.Curves
					var g record.Group
					tickets := make([]Ticket, curves)
					for i := range tickets {
						c.At(&f, i, &g)
						tickets[i] = Draw(&x, &g, 1)
						sample.Add(tickets[i])
					}
					var members []Member
					for i := range tickets {
						if times := sample.Times(tickets[i]); times > 0 {
							m := Member{Times: times}
							c.At(&f, i, &m.Group)
							members = append(members, m)
						}
					}
					rounds, gap := 0, 0.0
					search := Search{Round: func(round int, p *Plan) { rounds, gap = round, p.Gap() }}
					price, err := search.Find(&x, members)
					if err != nil {
						b.Fatal(err)
					}
					sums := make([]Sum, parallel.Workers())
					makers := make([]generate.Curves, len(sums))
					groups := make([]record.Group, len(sums))
					planners := make([]group.Planner, len(sums))
					parallel.Do(curves, func(w, i int) error {
						makers[w].At(&f, i, &groups[w])
						a, failure := price.Plan(&planners[w], &x, &groups[w])
						if failure != nil {
							return errors.New(failure.Reason)
						}
						sums[w].Add(&groups[w], &a)
						return nil
					})
					var sum Sum
					for w := range sums {
						sum.Merge(&sums[w])
					}
					p, _, err := Commit(&x, &sum, &price)
					if err != nil {
						b.Fatal(err)
					}
					b.ReportMetric(p.Gap()*1e6, "gap-ppm")
					b.ReportMetric(gap*1e6, "sample-gap-ppm")
					b.ReportMetric(float64(rounds), "rounds")
				}
			})
		}
	}
}

// BenchmarkSeeds plans many made-up fleets of each size, all groups in the sample, and reports the
// median gap, the worst, and how many are above a thousandth.
func BenchmarkSeeds(b *testing.B) {
	type seeds struct{ curves, from, to uint64 }
	var all []seeds
	for _, curves := range []uint64{1, 2, 3, 5, 10, 20} {
		all = append(all, seeds{curves, 1, 20}, seeds{curves, 21, 40})
	}
	for _, curves := range []uint64{50, 100, 200, 500} {
		all = append(all, seeds{curves, 1, 8})
	}
	for _, c := range all {
		b.Run(fmt.Sprintf("curves=%d/seeds=%d-%d", c.curves, c.from, c.to), func(b *testing.B) {
			for b.Loop() {
				var gaps []float64
				above := 0
				for seed := c.from; seed <= c.to; seed++ {
					x, groups := seeded(seed, int(c.curves))
					p, _ := plan(b, &x, groups, Search{})
					gaps = append(gaps, p.Gap())
					if p.Gap() > Enough {
						above++
					}
				}
				slices.Sort(gaps)
				b.ReportMetric((gaps[(len(gaps)-1)/2]+gaps[len(gaps)/2])/2*1e6, "median-ppm")
				b.ReportMetric(gaps[len(gaps)-1]*1e6, "worst-ppm")
				b.ReportMetric(float64(above), "above")
			}
		})
	}
}

// BenchmarkMixed plans the smaller fleets by package savings, with a type for each group, to
// compare the cost with: above-ppm is by how much the plan of package market is dearer.
func BenchmarkMixed(b *testing.B) {
	for _, curves := range []int{5, 10, 20, 40} {
		b.Run(fmt.Sprintf("curves=%d", curves), func(b *testing.B) {
			for b.Loop() {
				x, groups := fleet(curves)
				var mixed savings.Solver
				best, err := mixed.Solve(problemOf(&x, groups))
				if err != nil {
					b.Fatal(err)
				}
				p, _ := plan(b, &x, groups, Search{})
				b.ReportMetric((p.Cost.Float64()/best.Cost.Float64()-1)*1e6, "above-ppm")
				b.ReportMetric(p.Gap()*1e6, "gap-ppm")
				b.ReportMetric(best.Gap()*1e6, "mixed-gap-ppm")
			}
		})
	}
}
