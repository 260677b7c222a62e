package forecast

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/plimsoll/plimsoll/forecast/smoothing"
	"github.com/plimsoll/plimsoll/internal/allocs"
)

// Nothing allocates once it has seen the longest series.
func TestAllocs(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22)) // seed 21, 22
	gaps := append([]float64(nil), airPassengers...)
	for i := 5; i < len(gaps); i += 9 {
		gaps[i] = math.NaN()
	}
	inputs := [][]float64{airPassengers, gaps, airPassengers[:90], airPassengers[10:], airPassengers[:30]}
	dst, lo, hi := make([]float64, 156), make([]float64, 156), make([]float64, 156)
	run := func(name string, f func(series []float64) error) {
		t.Helper()
		for i, series := range append(inputs[:2:2], inputs...) { // the longest first, to warm up
			n := allocs.Once(func() {
				if err := f(series); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
			})
			if i > 1 && n != 0 {
				t.Errorf("%s: %v allocations for input %d, want 0", name, n, i-2)
			}
		}
	}
	scores := make([]Score, 2)
	paths := [][]float64{make([]float64, 26), make([]float64, 52)}
	for _, name := range Names() {
		m := named(name)
		var f smoothing.Fitter
		p := &Predictor{Model: m, Limits: Limits{NonNegative: true, Multiple: 2}}
		r := &Rolling{Predictor: Predictor{Model: m}, Every: 7, Keep: 60}
		b := &Backtester{Horizon: 4, Origins: 3}
		run(name+" Update", func(series []float64) error {
			for _, x := range series {
				m.Update(x)
			}
			m.Forecast(dst)
			spreadOf(m, dst)
			return nil
		})
		run(name+" Fit", func(series []float64) error {
			_, err := m.Fit(&f, series)
			return err
		})
		run(name+" Predictor", func(series []float64) error {
			if _, err := p.Fit(&f, series); err != nil {
				return err
			}
			p.Update(series[0])
			p.Forecast(dst)
			p.Quantile(dst, .9)
			p.Interval(lo, hi, .95)
			p.Paths(paths, rng)
			return nil
		})
		run(name+" Rolling", func(series []float64) error {
			for _, x := range series {
				r.Update(x)
			}
			r.Quantile(dst, .9)
			return nil
		})
		candidates := []*Predictor{p, {Model: named("naive")}}
		run(name+" Select", func(series []float64) error {
			_, err := b.Select(candidates, series, scores)
			return err
		})
	}
}
