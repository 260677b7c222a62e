package forecast

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/forecast/smoothing"
)

// How long a series has to be, in the words of the error, also where no int holds the length.
func TestBacktesterOfShortSeries(t *testing.T) {
	const huge = "9223372036854775807 for "
	for want, list := range map[string][]Backtester{
		"forecast: series: too few observations: 9 values: want more than 9 for 4 forecasts of 3 steps": {{Horizon: 3, Origins: 4, Step: 2}},
		"forecast: series: too few observations: 9 values: want more than " + huge: {
			{Horizon: 1, Step: math.MaxInt}, {Horizon: math.MaxInt}, {Horizon: 1, Origins: math.MaxInt, Step: 1}, {Horizon: 1, Origins: math.MaxInt, Step: math.MaxInt}},
	} {
		for _, b := range list {
			if _, err := b.Run(&Predictor{Model: named("naive")}, make([]float64, 9)); !errors.Is(err, ErrShort) || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("horizon %d, %d origins, step %d: %v, want %s", b.Horizon, b.Origins, b.Step, err, want)
			}
		}
	}
}

// A horizon that no series has is refused.
func TestAutoOfHugeHorizon(t *testing.T) {
	series := make([]float64, 40)
	for i := range series {
		series[i] = float64(i % 5)
	}
	for _, horizon := range []int{1<<20 + 1, math.MaxInt / 8, math.MaxInt - 1} {
		var a auto
		if _, err := a.Fit(&smoothing.Fitter{Horizon: horizon}, series); !errors.Is(err, ErrHorizon) {
			t.Errorf("horizon %d: %v", horizon, err)
		}
	}
}
