package treelp

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// BenchmarkSolve solves made-up trees of weeks: three years that branch in three or four every half
// year, at prices of a quarter, a year and three years.
func BenchmarkSolve(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		for classes := range 4 {
			if classes == 0 {
				continue
			}
			b.Run(fmt.Sprintf("nodes=%d/classes=%d", n, classes), func(b *testing.B) {
				p := weeks(rand.New(rand.NewPCG(39, 6)), n)
				p.Classes = []Class{{52, 26_250}, {13, 9_009}, {156, 53_750}}[:classes]
				var s Solver
				for b.Loop() {
					s.Solve(p)
				}
				b.ReportMetric(float64(s.Stats.Steps), "steps")
				b.ReportMetric(float64(s.Stats.Touched)/float64(s.Stats.Steps), "nodes/step")
			})
		}
	}
}

// weeks makes up a tree of about n nodes.
func weeks(rng *rand.Rand, n int) Problem {
	p := Problem{Price: 840}
	leaves := max(3, n/60)
	var grow func(parent int32, depth, level int, weight int64, leaves int)
	grow = func(parent int32, depth, level int, weight int64, leaves int) {
		for {
			v := int32(len(p.Parent))
			p.Parent, p.Weight = append(p.Parent, parent), append(p.Weight, weight)
			p.Demand = append(p.Demand, max(0, level+rng.IntN(7)-3))
			if depth++; depth == 156 {
				return
			}
			parent = v
			if ways := 3 + rng.IntN(2); depth%26 == 0 && leaves >= ways {
				for range ways {
					grow(v, depth, max(0, level+rng.IntN(17)-8), weight/int64(ways), leaves/ways)
				}
				return
			}
		}
	}
	grow(-1, 0, 40, 1<<40, leaves)
	return p
}
