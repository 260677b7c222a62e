package smoothing

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// BenchmarkFit fits to 144 points, all known or five of them missing; the SSE is that of
// one-step errors.
func BenchmarkFit(b *testing.B) {
	gaps := slices.Clone(airPassengers)
	for i := 14; i < len(gaps); i += 29 {
		gaps[i] = math.NaN()
	}
	for _, series := range [][]float64{airPassengers, gaps} {
		missing := 0
		for _, x := range series {
			if x != x {
				missing++
			}
		}
		for _, name := range Names() {
			b.Run(fmt.Sprintf("model=%s/points=144/missing=%d", name, missing), func(b *testing.B) {
				m, err := New(name)
				if err != nil {
					b.Fatal(err)
				}
				var f Fitter
				var fit Fit
				b.ReportAllocs()
				for b.Loop() {
					if fit, err = m.Fit(&f, series); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(fit.SSE, "SSE")
				b.ReportMetric(float64(fit.Evaluations), "evaluations")
			})
		}
	}
}
