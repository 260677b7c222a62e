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

// BenchmarkUpdateLimit is the arithmetic alone of adaptive simple smoothing, with its
// state in registers and without a look at missing values or limits of the factor: what
// an update with the same bits cannot be faster than, since each operation waits for the
// one before. rule=product has a multiplication in place of the division, and other bits.
func BenchmarkUpdateLimit(b *testing.B) {
	const phi = DefaultPhi
	for _, c := range []struct {
		rule string
		pass func(l float64) float64
	}{
		{"original", func(l float64) float64 {
			signal, size := 0.0, 1.0
			for _, x := range airPassengers {
				e := x - l
				signal += phi * (e - signal)
				size += phi * (math.Abs(e) - size)
				l += math.Abs(signal/size) * e
			}
			return l
		}},
		{"lagged", func(l float64) float64 {
			signal, size, f := 0.0, 1.0, DefaultAlpha0
			for _, x := range airPassengers {
				e := x - l
				l += f * e
				signal += phi * (e - signal)
				size += phi * (math.Abs(e) - size)
				f = math.Abs(signal / size)
			}
			return l
		}},
		{"product", func(l float64) float64 {
			signal, size := 0.0, 1.0
			for _, x := range airPassengers {
				e := x - l
				signal += phi * (e - signal)
				size += phi * (math.Abs(e) - size)
				l += math.Abs(signal*size*1e-6) * e
			}
			return l
		}},
	} {
		b.Run("model=adaptive-simple/rule="+c.rule, func(b *testing.B) {
			l := airPassengers[0]
			for b.Loop() {
				l = min(1000, c.pass(l))
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(airPassengers)), "ns/update")
		})
	}
}
