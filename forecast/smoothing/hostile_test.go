package smoothing

import (
	"errors"
	"testing"
)

// A state that says that it has taken observations and has no season is refused: a forecast
// would look for one. So is a horizon whose multiples no int holds.
func TestStateWithoutItsSeason(t *testing.T) {
	for name, m := range map[string]interface{ Validate() error }{
		"naive":          &SeasonalNaive{Period: 3, cycle: cycle{Level: 1, N: 1}},
		"autoregression": &Autoregression{Lags: []int{1}, Coef: []float64{0.5}, memory: memory{Level: 1, N: 1}},
		"winters":        &HoltWinters{Period: 3, seasons: seasons{Level: 1, N: 1}},
	} {
		if err := m.Validate(); !errors.Is(err, ErrState) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
