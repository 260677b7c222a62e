package forecast

import (
	"errors"
	"math"
	"strings"
	"testing"
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
		p := &Predictor{Model: new(Naive)}
		if _, err := b.Run(p, series); !errors.Is(err, ErrShort) {
			t.Errorf("horizon %d, %d origins, step %d: %v", b.Horizon, b.Origins, b.Step, err)
		}
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
