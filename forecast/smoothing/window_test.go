package smoothing

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// rise is a line with a season and noise, so steep that a mean is no candidate.
func rise(n, season int) []float64 {
	rng := rand.New(rand.NewPCG(8, uint64(n)))
	series := make([]float64, n)
	for i := range series {
		series[i] = 100 + 10*float64(i) + 20*rng.NormFloat64()
		if season > 1 {
			series[i] += 60 * math.Sin(2*math.Pi*float64(i)/float64(season))
		}
	}
	return series
}

// N counts the observations that a model has taken, without missing ones, also after a fit. A model
// with a trend is ready with the second.
func TestModelsCount(t *testing.T) {
	nan := math.NaN()
	fitted := rise(120, 12)
	fitted[5], fitted[60] = nan, nan
	for _, m := range []Model{
		&naive{}, &drift{}, &Simple{Alpha: .5}, &Mean{}, &Mean{Window: 2}, &Holt{Alpha: .5, Beta: .5}, &Triple{Alpha: .5, Beta: .5, Gamma: .5}, &Triple{Form: Midpoint}, &Triple{Form: BackwardDifference},
		&SeasonalNaive{Period: 2}, &HoltWinters{Period: 2, Alpha: .5}, &HoltWinters{Period: 2, Multiplicative: true, Alpha: .5}, &Harmonic{Alpha: .5}, &Autoregression{Lags: []int{1}, Coef: []float64{.5}}, &Autoregression{Difference: 1}, &blend{},
	} {
		count := reflect.ValueOf(m).Elem()
		if b, ok := m.(*blend); ok {
			count = reflect.ValueOf(&b.Near).Elem()
		}
		n := 0
		for i, x := range []float64{nan, 3, nan, nan, 4, 6, nan, 5, nan, 1500} {
			if i == 8 {
				if _, err := m.Fit(&Fitter{Season: 12}, fitted); err != nil {
					t.Errorf("%T: %v", m, err)
				}
				n = 118
			}
			m.Update(x)
			if !math.IsNaN(x) {
				n++
			}
			if got := count.FieldByName("N").Int(); got != int64(n) {
				t.Errorf("%T: N is %d after %d observations", m, got, n)
			}
			switch m.(type) {
			case *drift, *Holt, *Triple:
				if m.Ready() != (n > 1) {
					t.Errorf("%T: ready is %v after %d observations", m, m.Ready(), n)
				}
			}
		}
	}
}

// A missing observation counts as its own forecast: of the level until there are as many as
// the recursion looks back, and of the recursion then. What cannot be said is the level.
func TestAutoregressionMissing(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		m          Autoregression
		with, same []float64
	}{
		{Autoregression{Lags: []int{1, 3}, Coef: []float64{.5, .25}}, []float64{nan, nan, 4, nan, 6, nan}, []float64{4, 4, 6, 4}},
		{Autoregression{Lags: []int{1, 2}, Coef: []float64{.5, .25}}, []float64{8, 4, nan}, []float64{8, 4, 4}},
		{Autoregression{Lags: []int{1}, Coef: []float64{.5}}, []float64{8, nan, nan}, []float64{8, 4, 2}},
		{Autoregression{Lags: []int{1}, Coef: []float64{2}}, []float64{1, Largest, nan}, []float64{1, Largest, Largest}},
	} {
		with, same := c.m, c.m
		for _, x := range c.with {
			with.Update(x)
		}
		for _, x := range c.same {
			same.Update(x)
		}
		with.N = same.N
		if diff := cmp.Diff(same, with, cmp.Exporter(func(reflect.Type) bool { return true })); diff != "" {
			t.Errorf("after %v (-as after %v +got)\n%s", c.with, c.same, diff)
		}
	}
}

// A triple model's forecast of the next value, from which it takes its errors, is the first
// of its forecasts, in every form.
func TestTriplePredictsWhatItForecasts(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for _, form := range []Form{AsPrinted, Midpoint, BackwardDifference} {
		m := Triple{Alpha: .5, Beta: .4, Gamma: .3, Form: form}
		for range 50 {
			m.Update(rng.NormFloat64())
			var next [1]float64
			if m.Forecast(next[:]); m.Ready() && math.Abs(next[0]-m.predict()) > 1e-12 {
				t.Fatalf("%v: %v is forecast, and %v expected", form, next[0], m.predict())
			}
		}
	}
}

// The edges of the factors that are stable: none may be 0, and each may be 1.
func TestStableEdges(t *testing.T) {
	for _, form := range []Form{AsPrinted, Midpoint, BackwardDifference} {
		for _, c := range []struct {
			a, b, g float64
			want    bool
		}{
			{0, .5, .5, false}, {.5, 0, .1, false}, {.5, .5, 0, false},
			{1, .5, .5, true}, {.9, 1, .1, true}, {1, 1, 1, true},
			{.5, .5, 1, form == AsPrinted}, // the limit of the backward difference
			{1.1, .5, .5, false}, {.5, 1.1, .1, false}, {1, .5, 1.1, false},
		} {
			if m := (Triple{Alpha: c.a, Beta: c.b, Gamma: c.g, Form: form}); m.Stable() != c.want {
				t.Errorf("%v: α = %v, β = %v, γ = %v: stable is %v", form, c.a, c.b, c.g, m.Stable())
			}
		}
		for _, a := range []float64{0, -1, math.NaN()} {
			if m := (Triple{Alpha: a, Beta: .5, Form: form}); m.GammaLimit() != 0 {
				t.Errorf("%v: with α = %v all γ up to %v are stable", form, a, m.GammaLimit())
			}
		}
	}
}

// A recursion is stable if an error of 1 leads to 4 at most, to less in the second half of the steps than in the
// first, and is looked at for four times as long as it looks back.
func TestRecursionsThatDieOut(t *testing.T) {
	for _, c := range []struct {
		lags []int
		coef []float64
		n    int
		want bool
	}{
		{nil, nil, 8, true},
		{[]int{10}, []float64{-3}, 8, false}, // 9 after twenty steps
		{[]int{1, 2, 3, 4}, []float64{-2.75, -3.5625, -2.546875, -0.81640625}, 16, true}, // 1, -2.75, 4, -3.75, ...
		{[]int{1, 2}, []float64{1.5, -.6}, 8, true},                                      // 1.65 in the first half, 1.37 in the second
		{[]int{1}, []float64{.99}, 16, false},                                            // .92 after eight steps
		{[]int{1}, []float64{.98}, 16, true},                                             // .85
		{[]int{1}, []float64{-.98}, 16, true},
		{[]int{1}, []float64{math.NaN()}, 16, false},
	} {
		m := Autoregression{Lags: c.lags, Coef: c.coef}
		if got := new(Fitter).stable(&m, c.n); got != c.want {
			t.Errorf("lags %v, coefficients %v over %d steps: stable is %v", c.lags, c.coef, c.n, got)
		}
	}
}

// Evaluations are the passes over the series: one where nothing is fitted, and in the fit of seasons those of the grid
// and of the simplex.
func TestFitEvaluations(t *testing.T) {
	series := rise(60, 12)
	for _, c := range []struct {
		m           Model
		least, most int
	}{{&naive{}, 1, 1}, {&drift{}, 1, 1}, {&HoltWinters{Alpha: .1, Gamma: .1}, 20, 300}, {&Harmonic{Alpha: .1, Beta: .1}, 20, 300}} {
		fit, err := c.m.Fit(&Fitter{Season: 12}, series)
		if err != nil || fit.Evaluations < c.least || fit.Evaluations > c.most {
			t.Errorf("%T: %d passes, want %d to %d: %v", c.m, fit.Evaluations, c.least, c.most, err)
		}
	}
	// What smooths a season has no effect where there is none.
	for _, multiplicative := range []bool{false, true} {
		with := HoltWinters{Multiplicative: multiplicative, Alpha: .1, Gamma: .1, Delta: .1}
		without := HoltWinters{Multiplicative: multiplicative, Alpha: .1}
		a, err := with.Fit(&Fitter{Season: 1}, series)
		b, err2 := without.Fit(&Fitter{Season: 1}, series)
		if err != nil || err2 != nil || a.SSE != b.SSE || with.Alpha != without.Alpha || with.Level != without.Level {
			t.Errorf("without a season: %+v, %v, want %+v, %v", a, err, b, err2)
		}
	}
	// A Phi of 1 is no damping, and is not fitted.
	for _, m := range []Model{&Harmonic{Alpha: .1, Beta: .1, Phi: 1}, &Holt{Phi: 1}, &HoltWinters{Alpha: .1, Beta: .1, Phi: 1}} {
		fitted(t, m, &Fitter{Season: 12}, series)
		if phi := reflect.ValueOf(m).Elem().FieldByName("Phi").Float(); phi != 0 && phi != 1 {
			t.Errorf("%T: a trend without damping is fitted with a Phi of %v", m, phi)
		}
	}
	// blend takes any series of three values or more.
	for n := 3; n < 9; n++ {
		if _, err := new(blend).Fit(new(Fitter), series[:n]); err != nil {
			t.Errorf("%d values: %v", n, err)
		}
	}
}

// The limit of an alarm is that of the table, and lies between its rows by lines; 0 and 1 are its ends.
func TestAlarmLimits(t *testing.T) {
	for phi, want := range map[float64]float64{.05: .5, .075: .585, .1: .67, .2: .86, .25: .9, .3: .94, .65: .97, 1: 1, 1.5: 1, .025: .25} {
		if got := alarmLimit(phi); math.Abs(got-want) > 1e-12 {
			t.Errorf("phi %v: %v, want %v", phi, got, want)
		}
	}
	for _, n := range []int{9, 10} { // with phi .1 there is none before ten errors
		if s := (Signal{errorSums: errorSums{E: .7, M: 1, N: n}}); s.Alarm(0) != (n == 10) {
			t.Errorf("after %d errors: %v", n, s.Alarm(0))
		}
	}
	if s := (Signal{errorSums: errorSums{E: -.66, M: 1, N: 50}}); s.Alarm(0) || !s.Alarm(.65) || s.Alarm(.66) {
		t.Error("a signal of -.66")
	}
}

// The second season is in phase from the first observation on, and a season of one step has no effects, whatever its
// factor is.
func TestPhasesOfSeasons(t *testing.T) {
	m := HoltWinters{Period: 2, Period2: 6, Alpha: .5, Gamma: .5, Delta: .5}
	for i, x := range []float64{3, 9, 4, 8, 1, 7, 5, 2} {
		if m.Update(x); m.At != (i+1)%2 || m.At2 != (i+1)%6 {
			t.Errorf("after %d observations the phases are %d and %d", i+1, m.At, m.At2)
		}
	}
	for _, multiplicative := range []bool{false, true} {
		with := HoltWinters{Multiplicative: multiplicative, Alpha: .5, Beta: .5, Gamma: .5, Delta: .5}
		without := HoltWinters{Multiplicative: multiplicative, Alpha: .5, Beta: .5}
		a, b := make([]float64, 5), make([]float64, 5)
		for _, x := range []float64{3, 9, 4, 8, 1, 7} {
			with.Update(x)
			without.Update(x)
			with.Forecast(a)
			without.Forecast(b)
			if !slices.Equal(a, b) {
				t.Fatalf("without a season: %v, want %v", a, b)
			}
		}
		a[0], b[0] = 1, 1
		clear(a[1:])
		clear(b[1:])
		with.Deviate(a)
		if without.Deviate(b); !slices.Equal(a, b) {
			t.Errorf("without a season: errors grow as %v, want %v", a, b)
		}
	}
	// What leads to no number has no least squares.
	w := wintersFit{y: []float64{1, 2, 3}, m: HoltWinters{Multiplicative: true, Alpha: .5, seasons: seasons{Season: []float64{0}, Season2: []float64{1}}}}
	if v := w.multiplicative(); !math.IsInf(v, 1) {
		t.Errorf("a factor of 0 leaves %v", v)
	}
}
