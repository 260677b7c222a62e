package forecast

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/plimsoll/plimsoll/forecast/smoothing"
)

// What a fit keeps, and the fit's options, are checked before anything is changed.
func TestFitChecks(t *testing.T) {
	nan := math.NaN()
	for i, tt := range []struct {
		m    smoothing.Fittable
		f    Fitter
		want error
	}{
		{&smoothing.Holt{Phi: 1.5}, Fitter{}, ErrFactor},
		{&smoothing.Holt{Phi: -.5}, Fitter{}, ErrFactor},
		{&smoothing.Holt{Phi: nan}, Fitter{}, ErrFactor},
		{&smoothing.Triple{Form: 3}, Fitter{}, ErrFactor},
		{&smoothing.AdaptiveTriple{Signal: smoothing.Signal{Phi: nan}}, Fitter{}, ErrFactor},
		{&smoothing.AdaptiveTriple{Gamma: 7}, Fitter{}, ErrFactor},
		{&smoothing.AdaptiveTriple{Gamma: nan}, Fitter{}, ErrFactor},
		{&smoothing.AdaptiveTriple{Model: smoothing.Triple{Form: 3}}, Fitter{}, ErrFactor},
		{&smoothing.Blend{}, Fitter{Steps: -3}, ErrFactor},
		{&smoothing.Naive{}, Fitter{Steps: -3}, ErrFactor},
	} {
		before := fmt.Sprint(tt.m)
		p := Predictor{Model: tt.m}
		_, err := tt.m.Fit(&tt.f, airPassengers)
		_, err2 := p.Fit(&tt.f, airPassengers)
		if !errors.Is(err, tt.want) || !errors.Is(err2, tt.want) {
			t.Errorf("case %d: %v, and of a Predictor %v, want %v", i, err, err2, tt.want)
		}
		if after := fmt.Sprint(tt.m); after != before {
			t.Errorf("case %d: the error made %s of %s", i, after, before)
		}
	}
	for i, p := range []*Predictor{
		{},
		{Model: &smoothing.Naive{}, Limits: Limits{Multiple: -1}},
		{Model: &smoothing.Naive{}, Signal: smoothing.Signal{Phi: 2}},
		{Model: unfitting{&smoothing.Triple{Alpha: .1, Beta: .5, Gamma: .9}}},
	} {
		var b Backtester
		var f Fitter
		_, err := p.Fit(&f, airPassengers)
		_, err2 := b.Score(p, airPassengers, []float64{1})
		var in *InputError
		if !errors.As(err, &in) || !errors.As(err2, &in) {
			t.Errorf("Predictor %d: %v, in a backtest %v", i, err, err2)
		}
	}
}

// unfitting is a model that has no Fit.
type unfitting struct{ m *smoothing.Triple }

func (u unfitting) Update(x float64)       { u.m.Update(x) }
func (u unfitting) Forecast(dst []float64) { u.m.Forecast(dst) }
func (u unfitting) Validate() error        { return u.m.Validate() }
