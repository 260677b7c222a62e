package forecast

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/plimsoll/plimsoll/forecast/internal/boxcox"
	"github.com/plimsoll/plimsoll/forecast/smoothing"
	"gonum.org/v1/gonum/mathext"
	"pgregory.net/rapid"
)

// fittedModels returns each model that has errors of one size, fitted to a year of days.
func fittedModels() map[string]smoothing.Model {
	series := make([]float64, 364)
	for i := range series {
		series[i] = 100 + float64(i)/20 + 20*math.Sin(float64(i)*2*math.Pi/7) + float64(i*i%11)
	}
	models := map[string]smoothing.Model{}
	for _, name := range Names() {
		m := named(name)
		if _, err := m.Fit(new(smoothing.Fitter), series); err != nil {
			panic(err)
		}
		if boxcox.Of(m) == 1 {
			models[name] = m
		}
	}
	return models
}

// in returns m with the state of a JSON form.
func in[M smoothing.Model](m M, state string) M {
	if err := json.Unmarshal([]byte(state), m); err != nil {
		panic(err)
	}
	return m
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
		"drift": {Model: in(named("drift"), `{"first":1,"last":9,"steps":16,"n":17}`), tally: tally{Squares: squares, Errors: keptErrors, Recent: errors}},
		"grown": {Model: in(&smoothing.Simple{Alpha: .2}, `{"level":3,"n":9}`), tally: tally{Squares: squares, Errors: keptErrors, Recent: errors, Growth: growth}},
		"few":   {Model: in(&smoothing.Holt{Alpha: .5, Beta: .1}, `{"level":3,"n":9}`), tally: tally{Squares: 9, Errors: 9, Free: 2, Recent: errors[:9]}},
		"other": {Model: struct{ smoothing.Model }{in(named("naive"), `{"level":3,"n":9}`)}, tally: tally{Squares: squares, Errors: keptErrors, Recent: errors}},
	}
	for name, m := range fittedModels() {
		predictors[name] = &Predictor{Model: m, tally: tally{Squares: squares, Errors: keptErrors, Recent: errors}}
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
	p := Predictor{Model: in(named("naive"), `{"level":100,"n":50}`), tally: tally{Squares: 5000, Errors: 5000}} // without recent: normal errors
	paths := drawn(&p, 20_000, 9, rand.New(rand.NewPCG(27, 28)))                                                 // seed 27, 28
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
	p := Predictor{Model: in(named("naive"), `{"n":100}`), tally: tally{Squares: 900, Errors: 100, Recent: errors}}
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
	m := *in(&smoothing.Holt{Alpha: .5, Beta: .1}, `{"level":100,"trend":2,"n":2}`)
	p := Predictor{Model: &m, Limits: Limits{NonNegative: true, Multiple: 1.2}, tally: tally{Peak: 90, Squares: 80, Errors: 22, Free: 2}}
	for i := range 22 {
		p.Recent = append(p.Recent, float64(i%3*2-2))
	}
	paths := [][]float64{make([]float64, 3), nil, make([]float64, 1), make([]float64, 4)}
	before := m
	p.Paths(paths, rand.New(rand.NewPCG(1, 2))) // seed 1, 2
	// From the first run, on amd64; TestDeviate and TestPathsMeetIntervals say that it is right.
	want := [][]float64{{104.46567625853896, 107.66773987499968, 108}, nil, {102.12269432421172}, {104.634299825643, 107.92910640401094, 108, 108}}
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
		p := Predictor{Model: named(rapid.SampledFrom(Names()).Draw(t, "model")), Limits: Limits{NonNegative: true, Multiple: 2}}
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

// An error moves the mean of Auto's members by the weighted mean of what it moves each.
func TestAutoDeviate(t *testing.T) {
	m := auto{scale: 1, members: []member{{"simple", .75, &smoothing.Simple{Alpha: .5}}, {"naive", .25, named("naive")}}}
	got := []float64{8, 0, 0}
	m.Deviate(got)
	if want := []float64{8, .75*4 + .25*8, .75*4 + .25*8}; !cmp.Equal(got, want) {
		t.Errorf("an error of 8 adds %v, want %v", got, want)
	}
}

// Within limits, and on another scale, the mean of the paths is the forecast, of many paths and of
// few; without, it is as near as chance allows. Rounded paths keep their sums.
func TestPathsKeepTheMean(t *testing.T) {
	errors := make([]float64, 60)
	for i := range errors { // skewed: many small ones below, few large ones above
		errors[i] = 12 * (math.Pow(float64(i+1)/30, 3) - 2)
	}
	p := &Predictor{Model: in(&smoothing.Simple{Alpha: .1}, `{"level":0.97,"n":60}`), Limits: Limits{NonNegative: true, Multiple: 4},
		tally: tally{Peak: 60, Squares: 60 * 144, Errors: 60, Free: 2, Recent: errors}}
	log := &Predictor{Model: &auto{scale: 0, n: 60, members: []member{{"simple", 1, in(&smoothing.Simple{Alpha: .3}, `{"level":2,"n":60}`)}}},
		tally: tally{Squares: 60 * .25, Errors: 60, Free: 2, Peak: 60}}
	for name, p := range map[string]*Predictor{"cut at 0": p, "logarithm": log} {
		for _, n := range []int{1, 7, 200} {
			const steps = 30
			rng := rand.New(rand.NewPCG(41, uint64(n))) // seed 41
			want := make([]float64, steps)
			p.Forecast(want)
			sum, square, calls := make([]float64, steps), make([]float64, steps), 2000/n
			for range calls {
				mean := make([]float64, steps)
				for _, path := range drawn(p, n, steps, rng) {
					for h, x := range path {
						mean[h] += x / float64(n)
					}
				}
				for h, x := range mean {
					sum[h] += x / float64(calls)
					square[h] += x * x / float64(calls)
				}
			}
			for h := range want {
				off := math.Abs(sum[h] - want[h])
				if chance := 5 * math.Sqrt(max(0, square[h]-sum[h]*sum[h])/float64(calls)); n < leastPaths && off > chance || n >= leastPaths && off > 1e-9*want[h] {
					t.Errorf("%s: %d steps ahead the mean of %d paths is %v, the forecast %v", name, h+1, n, sum[h], want[h])
					break
				}
			}
		}
	}
}

func TestWhole(t *testing.T) {
	for name, c := range map[string]struct {
		path []float64
		want []int
	}{
		"whole":     {[]float64{3, 0, 4}, []int{3, 0, 4}},
		"a third":   {[]float64{1. / 3, 1. / 3, 1. / 3, 1. / 3, 1. / 3, 1. / 3}, []int{0, 1, 0, 0, 1, 0}},
		"below 0":   {[]float64{-.4, -.4, -.4}, []int{0, -1, 0}},
		"too large": {[]float64{1e300, 1}, []int{math.MaxInt32, 1}},
	} {
		t.Run(name, func(t *testing.T) {
			got := make([]int, len(c.path))
			Whole(got, c.path)
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
		})
	}
	rapid.Check(t, func(t *rapid.T) {
		path := rapid.SliceOf(rapid.Float64Range(0, 100)).Draw(t, "path")
		got, sum := make([]int, len(path)), 0.0
		Whole(got, path)
		for i, x := range path {
			if sum += x - float64(got[i]); math.Abs(sum) > .5+1e-9 || got[i] < 0 {
				t.Fatalf("%v is left after %d values of %v", sum, i+1, got)
			}
		}
	})
}
