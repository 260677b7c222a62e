package forecast

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll/forecast/smoothing"
	_ "github.com/plimsoll/plimsoll/internal/seeded" // repeatable
)

// seriesOf draws series of small numbers, some of them missing.
func seriesOf(least, most int) *rapid.Generator[[]float64] {
	return rapid.Custom(func(t *rapid.T) []float64 {
		series := rapid.SliceOfN(rapid.Map(rapid.IntRange(-50, 400), func(i int) float64 { return float64(i) / 4 }), least, most).Draw(t, "series")
		if rapid.Bool().Draw(t, "gaps") {
			for i := range series {
				if rapid.IntRange(0, 7).Draw(t, "missing") == 0 {
					series[i] = math.NaN()
				}
			}
		}
		return series
	})
}

// Intervals hold the forecast, widen with the horizon and with the level, and meet
// the quantiles.
func TestPropIntervals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom(Names()).Draw(t, "name")
		m := named(name)
		p := Predictor{Model: m, Analytic: rapid.Bool().Draw(t, "analytic")}
		var f smoothing.Fitter
		series := seriesOf(20, 80).Draw(t, "series")
		if _, err := p.Fit(&f, series); err != nil {
			return
		}
		for _, x := range rapid.SliceOfN(rapid.Float64Range(-10, 100), 0, 5).Draw(t, "more") {
			p.Update(x)
		}
		mean, lo, hi, up, wide := make([]float64, 60), make([]float64, 60), make([]float64, 60), make([]float64, 60), make([]float64, 60)
		p.Forecast(mean)
		p.Interval(lo, hi, .8)
		p.Quantile(up, .9)
		p.Quantile(wide, .99)
		for i := range mean {
			half := hi[i] - mean[i]
			slack := 1e-9 * (1 + math.Abs(mean[i]) + half)
			if half < 0 || math.Abs(hi[i]-up[i]) > slack || math.Abs(mean[i]-lo[i]-half) > slack || wide[i] < up[i] ||
				i > 0 && half < (hi[i-1]-mean[i-1])*(1-1e-9)-slack {
				t.Fatalf("%d steps ahead: %v in [%v, %v], quantiles %v, %v", i+1, mean[i], lo[i], hi[i], up[i], wide[i])
			}
		}
	})
}
