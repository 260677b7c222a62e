package treelp

import (
	"fmt"
	"os"
	"testing"
)

func BenchmarkSolve(b *testing.B) {
	for _, name := range []string{"quarters", "bushy"} {
		for _, three := range []bool{false, true} {
			p := readTree(b, os.Getenv("PLIMSOLL_SHARED")+"/scenarios/tree/"+name+".csv")
			p.Price = 840
			p.Classes = []Class{{52, 26250}}
			if three {
				p.Classes = []Class{{13, 9009}, {52, 26250}, {156, 53750}}
			}
			{
				{

					b.Run(fmt.Sprintf("%s/%v", name, three), func(b *testing.B) {
						var s Solver
						for b.Loop() {
							s.Solve(p)
						}
						b.ReportMetric(float64(s.Stats.Steps), "steps")
						b.ReportMetric(float64(s.Stats.Stale), "stale")
						b.ReportMetric(float64(s.Stats.Sweeps), "sweeps")
						b.ReportMetric(float64(s.Stats.Touched), "touched")
					})
				}
			}
		}
	}
}
