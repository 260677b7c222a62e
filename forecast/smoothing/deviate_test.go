package smoothing

import (
	"math"
	"math/rand/v2"
	"testing"
)

// simulated runs a model on its own forecasts plus errors: the path that these make.
func simulated(m Model, errors []float64) []float64 {
	path := make([]float64, len(errors))
	var next [1]float64
	for i, e := range errors {
		m.Forecast(next[:])
		path[i] = next[0] + e
		m.Update(path[i])
	}
	return path
}

// linearModels are models whose factors do not change, with a state.
func linearModels() map[string]Model {
	return map[string]Model{
		"naive":    &naive{level: level{Level: 3, N: 1}},
		"simple":   &Simple{Alpha: .4, level: level{Level: 10, N: 1}},
		"holt":     &Holt{Alpha: .4, Beta: .3, motion: motion{Level: 10, Trend: 1, N: 2}},
		"damped":   &Holt{Alpha: .4, Beta: .3, Phi: .8, motion: motion{Level: 10, Trend: 1, N: 2}},
		"midpoint": &Triple{Form: Midpoint, Alpha: .6, Beta: .3, Gamma: .3, motion: motion{Level: 10, Trend: 1, N: 2}, bend: bend{Accel: .1}},
		"backward": &Triple{Form: BackwardDifference, Alpha: .6, Beta: .3, Gamma: .3, motion: motion{Level: 10, Trend: 1, N: 2}, bend: bend{Accel: .1}},
		"blend": &blend{Near: Holt{Alpha: .4, Beta: .3, Phi: .8, motion: motion{Level: 10, Trend: 1, N: 2}},
			Far: Holt{Alpha: .4, Beta: .3, Phi: .8, motion: motion{Level: 10, Trend: 1, N: 2}}},
		"seasonal-naive": &SeasonalNaive{Period: 3, cycle: cycle{Season: []float64{5, 9, 7}, At: 1, Level: 5, Seen: 3, N: 7}},
		"mean":           &Mean{Window: 4, recent: recent{Last: []float64{1, 2, 3, 4}, Sum: 10, N: 4}},
		"winters":        &HoltWinters{Period: 3, Alpha: .3, Beta: .2, Phi: .9, Gamma: .25, seasons: seasons{Level: 20, Trend: 1, Season: []float64{-1, 3, -2}, Season2: []float64{0}, At: 2, Seen: 3, N: 9}},
		"two-seasons":    &HoltWinters{Period: 3, Period2: 6, Alpha: .2, Gamma: .25, Delta: .1, Rho: .6, seasons: seasons{Level: 20, Residual: 2, Season: []float64{-1, 3, -2}, Season2: []float64{1, -1, 2, 0, -2, 0}, At: 2, At2: 5, Seen: 3, N: 9}},
		"harmonics":      &Harmonic{Period: 52.18, Alpha: .2, Beta: .1, Phi: .95, Gamma: .05, waves: waves{Level: 9, Trend: 1, Sine: []float64{3, 1}, Cosine: []float64{-1, 2}, N: 80}},
		"lags":           &Autoregression{Difference: 3, Lags: []int{1, 2, 4}, Coef: []float64{.5, -.2, .3}, Constant: .1, memory: memory{Last: []float64{4, 5, 7, 4, 6, 8, 5}, Level: 5, Seen: 7, N: 7}},
		"walk":           &Autoregression{memory: memory{Last: []float64{4}, Level: 4, Seen: 1, N: 7}},
		"levels":         &Autoregression{Lags: []int{1, 2, 4}, Coef: []float64{.5, .1, .3}, Constant: 1, memory: memory{Last: []float64{4, 5, 7, 4}, Level: 4, Seen: 4, N: 7}},
	}
}

// The deviations of a path are what errors change in a run of the model on its own
// forecasts.
func TestDeviate(t *testing.T) {
	rng := rand.New(rand.NewPCG(23, 24)) // seed 23, 24
	const steps = 40
	for name, m := range linearModels() {
		dev := make([]float64, steps)
		for i := range dev {
			dev[i] = rng.NormFloat64()
		}
		mean := simulated(twin(m), make([]float64, steps))
		want := simulated(twin(m), dev)
		m.Deviate(dev)
		for i, d := range dev {
			if got := mean[i] + d; math.Abs(got-want[i]) > 1e-9*(1+math.Abs(want[i])) {
				t.Errorf("%s: the path is %v after %d steps, simulated %v", name, got, i+1, want[i])
				break
			}
		}
	}
}
