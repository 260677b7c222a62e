package forecast

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/plimsoll/plimsoll/forecast/smoothing"
	"github.com/plimsoll/plimsoll/internal/inputerr"
)

// What a fit keeps, and the fit's options, are checked before anything is changed.
func TestFitChecks(t *testing.T) {
	nan := math.NaN()
	for i, tt := range []struct {
		m    smoothing.Model
		f    smoothing.Fitter
		want error
	}{
		{&smoothing.Holt{Phi: 1.5}, smoothing.Fitter{}, ErrFactor},
		{&smoothing.Holt{Phi: -.5}, smoothing.Fitter{}, ErrFactor},
		{&smoothing.Holt{Phi: nan}, smoothing.Fitter{}, ErrFactor},
		{&smoothing.Triple{Form: 3}, smoothing.Fitter{}, ErrFactor},
		{&smoothing.AdaptiveTriple{Signal: smoothing.Signal{Phi: nan}}, smoothing.Fitter{}, ErrFactor},
		{&smoothing.AdaptiveTriple{Gamma: 7}, smoothing.Fitter{}, ErrFactor},
		{&smoothing.AdaptiveTriple{Gamma: nan}, smoothing.Fitter{}, ErrFactor},
		{&smoothing.AdaptiveTriple{Model: smoothing.Triple{Form: 3}}, smoothing.Fitter{}, ErrFactor},
		{named("blend"), smoothing.Fitter{Steps: -3}, ErrFactor},
		{named("naive"), smoothing.Fitter{Steps: -3}, ErrFactor},
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
		{Model: named("naive"), Limits: Limits{Multiple: -1}},
		{Model: named("naive"), Signal: smoothing.Signal{Phi: 2}},
	} {
		var b Backtester
		var f smoothing.Fitter
		_, err := p.Fit(&f, airPassengers)
		_, err2 := b.Score(p, airPassengers, []float64{1})
		var in *inputerr.Error
		if !errors.As(err, &in) || !errors.As(err2, &in) {
			t.Errorf("Predictor %d: %v, in a backtest %v", i, err, err2)
		}
	}
}
