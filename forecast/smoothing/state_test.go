package smoothing

import (
	"math"
	"testing"
)

// A missing observation counts as the model's own forecast: the next forecasts are those that
// were made before, a step on. That holds in every form of the triple recursion but the
// printed one, whose forecast and state do not agree [Niu16].
func TestMissingIsTheForecast(t *testing.T) {
	for _, m := range []starter{
		&Triple{Form: Midpoint, Alpha: .4, Beta: .2, Gamma: .3}, &Triple{Form: BackwardDifference, Alpha: .4, Beta: .2, Gamma: .3},
		&AdaptiveTriple{Model: Triple{Form: Midpoint, Beta: .1}, Gamma: .1},
	} {
		for i, x := range []float64{3, 4, 9, 17, 20, 33, 40, 61} {
			m.Update(x)
			if i < 3 {
				continue
			}
			before, after := make([]float64, 6), make([]float64, 5)
			m.Forecast(before)
			m.Update(math.NaN())
			m.Forecast(after)
			for h, y := range after {
				if math.Abs(y-before[h+1]) > 1e-9*math.Abs(y) {
					t.Errorf("%T %+v: %v, want %v", m, m, after, before[1:])
					break
				}
			}
		}
	}
}
