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

// models draws a model with factors in their range.
func models() *rapid.Generator[starter] {
	return rapid.Custom(func(t *rapid.T) starter {
		unit := rapid.Map(rapid.IntRange(0, 20), func(i int) float64 { return float64(i) / 20 })
		a, b, c := unit.Draw(t, "alpha"), unit.Draw(t, "beta"), unit.Draw(t, "gamma")
		all := rapid.Bool().Draw(t, "all")
		triple := smoothing.Triple{Form: smoothing.Form(rapid.IntRange(0, 2).Draw(t, "form")), Alpha: a, Beta: b, Gamma: c}
		triple.Clamp()
		holt := smoothing.Holt{Alpha: a, Beta: b, Phi: c}
		season := rapid.IntRange(0, 5).Draw(t, "season")
		switch rapid.IntRange(0, 12).Draw(t, "model") {
		case 0:
			return &smoothing.Naive{}
		case 1:
			return &smoothing.Drift{}
		case 2:
			return &smoothing.Simple{Alpha: a}
		case 3:
			return &smoothing.Holt{Alpha: a, Beta: b}
		case 4:
			return &holt
		case 5:
			return &triple
		case 6:
			return &smoothing.AdaptiveTriple{Model: triple, Gamma: c, All: all}
		case 7:
			return &smoothing.SeasonalNaive{Period: season}
		case 8:
			return &smoothing.Mean{Window: season}
		case 9:
			return &smoothing.HoltWinters{Period: season, Period2: 2 * season, Alpha: a / 2, Beta: b, Gamma: c / 4, Delta: b / 4, Phi: c, Rho: a / 2}
		case 10:
			return &smoothing.Harmonic{Period: float64(2 * season), Alpha: a, Beta: b / 2, Phi: c, Gamma: c / 10}
		case 11:
			return &smoothing.Autoregression{Difference: 1 + season, Lags: []int{1, 3}, Coef: []float64{a / 2, -b / 2}}
		default:
			return &smoothing.Blend{Near: holt, Far: smoothing.Holt{Alpha: b, Beta: a, Phi: .9}}
		}
	})
}

// Intervals hold the forecast, widen with the horizon and with the level, and meet
// the quantiles.
func TestPropIntervals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom(Names()).Draw(t, "name")
		m, err := New(name)
		if err != nil {
			t.Fatal(err)
		}
		p := Predictor{Model: m, Analytic: rapid.Bool().Draw(t, "analytic")}
		var f Fitter
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
