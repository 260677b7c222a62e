package forecast

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/plimsoll/plimsoll/forecast/smoothing"
	"gonum.org/v1/gonum/mathext"
	"pgregory.net/rapid"
)

// simulated runs a model on its own forecasts plus errors: the path that these make.
func simulated(m smoothing.Model, errors []float64) []float64 {
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
func linearModels() map[string]starter {
	return map[string]starter{
		"naive":    &smoothing.Naive{Level: 3, N: 1},
		"simple":   &smoothing.Simple{Alpha: .4, Level: 10, N: 1},
		"holt":     &smoothing.Holt{Alpha: .4, Beta: .3, Level: 10, Trend: 1, N: 2},
		"damped":   &smoothing.Holt{Alpha: .4, Beta: .3, Phi: .8, Level: 10, Trend: 1, N: 2},
		"midpoint": &smoothing.Triple{Form: smoothing.Midpoint, Alpha: .6, Beta: .3, Gamma: .3, Level: 10, Trend: 1, Accel: .1, N: 2},
		"backward": &smoothing.Triple{Form: smoothing.BackwardDifference, Alpha: .6, Beta: .3, Gamma: .3, Level: 10, Trend: 1, Accel: .1, N: 2},
		"blend": &smoothing.Blend{Near: smoothing.Holt{Alpha: .4, Beta: .3, Phi: .8, Level: 10, Trend: 1, N: 2},
			Far: smoothing.Holt{Alpha: .4, Beta: .3, Phi: .8, Level: 10, Trend: 1, N: 2}},
		"seasonal-naive": &smoothing.SeasonalNaive{Period: 3, Season: []float64{5, 9, 7}, At: 1, Level: 5, Seen: 3, N: 7},
		"mean":           &smoothing.Mean{Window: 4, Last: []float64{1, 2, 3, 4}, Sum: 10, N: 4},
		"winters": &smoothing.HoltWinters{Period: 3, Alpha: .3, Beta: .2, Phi: .9, Gamma: .25, Level: 20, Trend: 1, Season: []float64{-1, 3, -2},
			Season2: []float64{0}, At: 2, Seen: 3, N: 9},
		"two-seasons": &smoothing.HoltWinters{Period: 3, Period2: 6, Alpha: .2, Gamma: .25, Delta: .1, Rho: .6, Level: 20, Residual: 2,
			Season: []float64{-1, 3, -2}, Season2: []float64{1, -1, 2, 0, -2, 0}, At: 2, At2: 5, Seen: 3, N: 9},
		"harmonics": &smoothing.Harmonic{Period: 52.18, Alpha: .2, Beta: .1, Phi: .95, Gamma: .05, Level: 9, Trend: 1, Sine: []float64{3, 1}, Cosine: []float64{-1, 2}, N: 80},
		"lags": &smoothing.Autoregression{Difference: 3, Lags: []int{1, 2, 4}, Coef: []float64{.5, -.2, .3}, Constant: .1,
			Last: []float64{4, 5, 7, 4, 6, 8, 5}, Level: 5, Seen: 7, N: 7},
		"walk":   &smoothing.Autoregression{Last: []float64{4}, Level: 4, Seen: 1, N: 7},
		"levels": &smoothing.Autoregression{Lags: []int{1, 2, 4}, Coef: []float64{.5, .1, .3}, Constant: 1, Last: []float64{4, 5, 7, 4}, Level: 4, Seen: 4, N: 7},
	}
}

// The deviations of a path are what errors change in a run of the model on its own
// forecasts, and what an error of 1 leads to has the spread that the model states.
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
		deviate(m, dev)
		for i, d := range dev {
			if got := mean[i] + d; math.Abs(got-want[i]) > 1e-9*(1+math.Abs(want[i])) {
				t.Errorf("%s: the path is %v after %d steps, simulated %v", name, got, i+1, want[i])
				break
			}
		}
		response, spread := make([]float64, steps), make([]float64, steps)
		response[0] = 1
		deviate(m, response)
		spreadOf(m, spread)
		s := 0.0
		for i, psi := range response {
			s += psi * psi
			if math.Abs(math.Sqrt(s)-spread[i]) > 1e-9*spread[i] {
				t.Errorf("%s: %d steps ahead the spread is %v, from the response %v", name, i+1, spread[i], math.Sqrt(s))
				break
			}
		}
	}
}

// drawn returns n paths of so many steps.
func drawn(p *Predictor, n, steps int, rng *rand.Rand) [][]float64 {
	paths := make([][]float64, n)
	for i := range paths {
		paths[i] = make([]float64, steps)
	}
	p.Paths(paths, rng)
	return paths
}

// Quantiles of many paths are those of the intervals, for normal errors: of models
// whose spread is their own, whose slope is an estimate, whose errors grew more than
// the model says, and that have few errors to judge by.
func TestPathsMeetIntervals(t *testing.T) {
	rng := rand.New(rand.NewPCG(25, 26)) // seed 25, 26
	errors := make([]float64, keptErrors)
	squares := 0.0
	for i := range errors { // quantiles of the normal distribution, in any order
		errors[i] = mathext.NormalQuantile((float64(i) + .5) / keptErrors)
		squares += errors[i] * errors[i]
	}
	const n, steps = 20_000, 12
	growth := make([]float64, steps)
	for i := range growth {
		growth[i] = 1 + float64(i)
	}
	predictors := map[string]*Predictor{
		"drift": {Model: &smoothing.Drift{First: 1, Last: 9, Steps: 16, N: 17}, Squares: squares, Errors: keptErrors, Recent: errors},
		"grown": {Model: &smoothing.Simple{Alpha: .2, Level: 3, N: 9}, Squares: squares, Errors: keptErrors, Recent: errors, Growth: growth},
		"few":   {Model: &smoothing.Holt{Alpha: .5, Beta: .1, Level: 3, N: 9}, Squares: 9, Errors: 9, Free: 2, Recent: errors[:9]},
		"other": {Model: struct{ smoothing.Model }{&smoothing.Naive{Level: 3, N: 9}}, Squares: squares, Errors: keptErrors, Recent: errors},
	}
	for name, m := range linearModels() {
		predictors[name] = &Predictor{Model: m, Squares: squares, Errors: keptErrors, Recent: errors}
	}
	for name, p := range predictors {
		paths := drawn(p, n, steps, rng)
		lo, hi, mean := make([]float64, steps), make([]float64, steps), make([]float64, steps)
		p.Interval(lo, hi, .9)
		p.Forecast(mean)
		column := make([]float64, n)
		for h := range steps {
			for i := range paths {
				column[i] = paths[i][h]
			}
			slices.Sort(column)
			width := hi[h] - lo[h]
			// A quantile of 5% from n values is known to 0.5% of the width, four sigma to 2%.
			if a, b := column[n/20], column[n-n/20]; math.Abs(a-lo[h]) > .02*width || math.Abs(b-hi[h]) > .02*width {
				t.Errorf("%s: %d steps ahead 90%% of the paths are within %.3f and %.3f, the interval is %.3f to %.3f", name, h+1, a, b, lo[h], hi[h])
				break
			}
			if mid := column[n/2]; math.Abs(mid-mean[h]) > .02*width {
				t.Errorf("%s: %d steps ahead the median is %v, the forecast %v", name, h+1, mid, mean[h])
			}
		}
	}
}

// Steps of one path are correlated: for a random walk those of h and k steps, h < k,
// by √(h/k).
func TestPathsCorrelated(t *testing.T) {
	p := Predictor{Model: &smoothing.Naive{Level: 100, N: 50}, Squares: 5000, Errors: 5000} // without Recent: normal errors
	paths := drawn(&p, 20_000, 9, rand.New(rand.NewPCG(27, 28)))                            // seed 27, 28
	var xx, xy, yy float64
	for _, path := range paths {
		x, y := path[3]-100, path[8]-100
		xx += x * x
		xy += x * y
		yy += y * y
	}
	if got, want := xy/math.Sqrt(xx*yy), 2./3; math.Abs(got-want) > .015 {
		t.Errorf("steps 4 and 9 are correlated by %.3f, want %.3f", got, want)
	}
}

// Errors that are skewed make paths that are.
func TestPathsSkewed(t *testing.T) {
	errors := make([]float64, 100)
	for i := range errors {
		errors[i] = -1
		if i%10 == 0 {
			errors[i] = 9
		}
	}
	p := Predictor{Model: &smoothing.Naive{N: 100}, Squares: 900, Errors: 100, Recent: errors}
	above := 0
	for _, path := range drawn(&p, 5000, 1, rand.New(rand.NewPCG(29, 30))) { // seed 29, 30
		if path[0] > 0 {
			above++
		}
	}
	if above < 400 || above > 600 {
		t.Errorf("%d of 5000 paths go up, want a tenth", above)
	}
}

// The same seed gives the same paths, pinned; the model and the state stay.
func TestPathsGolden(t *testing.T) {
	m := smoothing.Holt{Alpha: .5, Beta: .1, Level: 100, Trend: 2, N: 2}
	p := Predictor{Model: &m, Limits: Limits{NonNegative: true, Multiple: 1.2}, Peak: 90, Squares: 80, Errors: 22, Free: 2}
	for i := range 22 {
		p.Recent = append(p.Recent, float64(i%3*2-2))
	}
	paths := [][]float64{make([]float64, 3), nil, make([]float64, 1), make([]float64, 4)}
	before := m
	p.Paths(paths, rand.New(rand.NewPCG(1, 2))) // seed 1, 2
	// From the first run, on amd64; TestDeviate and TestPathsMeetIntervals say that it is right.
	want := [][]float64{{104.4300153871294, 107.76652385005058, 108}, nil, {102.08703345280216}, {104.59863895423344, 108, 108, 108}}
	if d := cmp.Diff(want, paths, cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-9 })); d != "" {
		t.Errorf("%s\n%#v", d, paths)
	}
	if m != before {
		t.Errorf("the model was changed to %+v", m)
	}
}

// Paths keep to the limits, whatever the model.
func TestPropPaths(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := models().Draw(t, "model")
		p := Predictor{Model: m, Limits: Limits{NonNegative: true, Multiple: 2, Freeze: rapid.IntRange(0, 9).Draw(t, "freeze")}}
		for _, x := range seriesOf(0, 60).Draw(t, "series") {
			p.Update(x)
		}
		seed := rapid.Uint64().Draw(t, "seed")
		steps := rapid.IntRange(0, 30).Draw(t, "steps")
		first := drawn(&p, 3, steps, rand.New(rand.NewPCG(seed, 1)))
		for _, path := range first {
			for h, x := range path {
				if !(x >= 0 && x <= 2*p.Peak) {
					t.Fatalf("%v after %d steps, with a peak of %v", x, h+1, p.Peak)
				}
			}
		}
		p.Update(math.NaN())
		p.Paths([][]float64{make([]float64, 50)}, rand.New(rand.NewPCG(seed, 2))) // dirty memory
		q := p
		if !cmp.Equal(drawn(&p, 3, steps, rand.New(rand.NewPCG(seed, 1))), drawn(&q, 3, steps, rand.New(rand.NewPCG(seed, 1)))) {
			t.Fatal("the same seed makes other paths")
		}
	})
}
