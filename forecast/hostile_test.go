package forecast

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/forecast/smoothing"
)

func TestBacktesterOfHugeSteps(t *testing.T) {
	series := make([]float64, 100)
	for i := range series {
		series[i] = float64(i % 7)
	}
	for _, b := range []Backtester{
		{Horizon: 1, Step: math.MaxInt},
		{Horizon: math.MaxInt},
		{Horizon: 1, Origins: math.MaxInt, Step: 1},
		{Horizon: 1, Origins: math.MaxInt, Step: math.MaxInt},
	} {
		p := &Predictor{Model: new(smoothing.Naive)}
		if _, err := b.Run(p, series); !errors.Is(err, ErrShort) || !strings.Contains(err.Error(), ": 100 values: want more than 9223372036854775807 for ") {
			t.Errorf("horizon %d, %d origins, step %d: %v", b.Horizon, b.Origins, b.Step, err)
		}
	}
}

// How long a series has to be, in the words of the error.
func TestBacktesterOfShortSeries(t *testing.T) {
	b := Backtester{Horizon: 3, Origins: 4, Step: 2}
	_, err := b.Run(&Predictor{Model: new(smoothing.Naive)}, make([]float64, 9))
	if want := "forecast: series: too few observations: 9 values: want more than 9 for 4 forecasts of 3 steps"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

func TestPredictorWithoutModel(t *testing.T) {
	for name, f := range map[string]func(p *Predictor){
		"forecast": func(p *Predictor) { p.Forecast(make([]float64, 1)) },
		"update":   func(p *Predictor) { p.Update(1) },
		"interval": func(p *Predictor) { p.Interval(make([]float64, 1), make([]float64, 1), 0.9) },
	} {
		func() {
			defer func() {
				if m, _ := recover().(string); !strings.Contains(m, "without a Model") {
					t.Errorf("%s: panic %q", name, m)
				}
			}()
			f(new(Predictor))
		}()
	}
}

// A horizon that no series has is refused.
func TestAutoOfHugeHorizon(t *testing.T) {
	series := make([]float64, 40)
	for i := range series {
		series[i] = float64(i % 5)
	}
	for _, horizon := range []int{1<<20 + 1, math.MaxInt / 8, math.MaxInt - 1} {
		var a Auto
		if _, err := a.Fit(&Fitter{Horizon: horizon}, series); !errors.Is(err, ErrHorizon) {
			t.Errorf("horizon %d: %v", horizon, err)
		}
	}
}
