package forecast

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
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

// Without a Window Auto takes the last 416 values, 8 seasons or 16 horizons, whichever is
// most: what is older changes nothing, and without the oldest fifth the forecast is another.
func TestAutoForgets(t *testing.T) {
	for _, c := range []struct{ season, horizon, most int }{
		{2, 5, 416},
		{60, 5, 480},
		{2, 40, 640},
	} {
		series := rise(c.most+300, c.season)
		for i := range 300 {
			series[i] = 5000 - 30*float64(i) // another trend, and no noise
		}
		fit := func(series []float64) []float64 {
			var m Auto
			if _, err := m.Fit(&Fitter{Season: c.season, Horizon: c.horizon}, series); err != nil {
				t.Fatal(err)
			}
			if s := m.String(); strings.Contains(s, "mean") {
				t.Fatalf("season %d, horizon %d: %s: the test wants no mean, which takes all values", c.season, c.horizon, s)
			}
			dst := make([]float64, 2*c.horizon)
			m.Forecast(dst)
			return dst
		}
		all, end, less := fit(series), fit(series[300:]), fit(series[300+c.most/5:])
		if diff := cmp.Diff(end, all); diff != "" {
			t.Errorf("season %d, horizon %d: older values change the forecast: %s", c.season, c.horizon, diff)
		}
		if slices.Equal(less, end) {
			t.Errorf("season %d, horizon %d: the oldest of %d values do not count", c.season, c.horizon, c.most)
		}
	}
}

// A series that leaves less than a quarter of a season after its first two is taken to have
// none; with a quarter it has one.
func TestAutoShortSeason(t *testing.T) {
	const season = 40
	for n, has := range map[int]bool{2*season + season/4 - 1: false, 2*season + season/4: true} {
		series := rise(n, season)
		var m, without Auto
		if _, err := m.Fit(&Fitter{Season: season, Horizon: 5}, series); err != nil {
			t.Fatal(err)
		}
		if _, err := without.Fit(&Fitter{Season: 1, Horizon: 5}, series); err != nil {
			t.Fatal(err)
		}
		if got := m.String() != without.String(); got != has {
			t.Errorf("%d values: %s, and %s without a season; want another choice: %v", n, &m, &without, has)
		}
	}
}

// N counts the observations that a model has taken, without missing ones, and a model with a
// trend is ready with the second.
func TestModelsCount(t *testing.T) {
	nan := math.NaN()
	for _, m := range []Model{
		&Naive{}, &Drift{}, &Simple{Alpha: .5}, &Mean{}, &Mean{Window: 2}, &Holt{Alpha: .5, Beta: .5}, &Brown{Alpha: .5}, &Triple{Alpha: .5, Beta: .5, Gamma: .5},
		&SeasonalNaive{Period: 2}, &HoltWinters{Period: 2, Alpha: .5}, &Harmonic{Alpha: .5}, &Autoregression{Lags: []int{1}, Coef: []float64{.5}},
	} {
		n := 0
		for _, x := range []float64{nan, 3, nan, nan, 4, 6, nan, 5} {
			m.Update(x)
			if !math.IsNaN(x) {
				n++
			}
			if got := reflect.ValueOf(m).Elem().FieldByName("N").Int(); got != int64(n) {
				t.Errorf("%T: N is %d after %d observations", m, got, n)
			}
			switch m.(type) {
			case *Drift, *Holt, *Brown, *Triple:
				if ready := m.(interface{ Ready() bool }).Ready(); ready != (n > 1) {
					t.Errorf("%T: ready is %v after %d observations", m, ready, n)
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
		if diff := cmp.Diff(same, with); diff != "" {
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
		spreadOf(&with, a)
		if spreadOf(&without, b); !slices.Equal(a, b) {
			t.Errorf("without a season: errors grow as %v, want %v", a, b)
		}
	}
	// What leads to no number has no least squares.
	w := wintersFit{y: []float64{1, 2, 3}, m: HoltWinters{Multiplicative: true, Alpha: .5, Season: []float64{0}, Season2: []float64{1}}}
	if v := w.multiplicative(); !math.IsInf(v, 1) {
		t.Errorf("a factor of 0 leaves %v", v)
	}
}

// Evaluations are the passes over the series: one where nothing is fitted, and in the fit of seasons those of the grid
// and of the simplex.
func TestFitEvaluations(t *testing.T) {
	series := rise(60, 12)
	for _, c := range []struct {
		m           Fittable
		least, most int
	}{{&Naive{}, 1, 1}, {&Drift{}, 1, 1}, {&HoltWinters{Alpha: .1, Gamma: .1}, 20, 300}, {&Harmonic{Alpha: .1, Beta: .1}, 20, 300}} {
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
	for _, m := range []Fittable{&Harmonic{Alpha: .1, Beta: .1, Phi: 1}, &Holt{Phi: 1}, &HoltWinters{Alpha: .1, Beta: .1, Phi: 1}} {
		if _, err := m.Fit(&Fitter{Season: 12}, series); err != nil {
			t.Fatal(err)
		}
		if phi := reflect.ValueOf(m).Elem().FieldByName("Phi").Float(); phi != 0 && phi != 1 {
			t.Errorf("%T: a trend without damping is fitted with a Phi of %v", m, phi)
		}
	}
	// Blend takes any series of three values or more.
	for n := 3; n < 9; n++ {
		if _, err := new(Blend).Fit(new(Fitter), series[:n]); err != nil {
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
		if s := (Signal{E: .7, M: 1, N: n}); s.Alarm(0) != (n == 10) {
			t.Errorf("after %d errors: %v", n, s.Alarm(0))
		}
	}
	if s := (Signal{E: -.66, M: 1, N: 50}); s.Alarm(0) || !s.Alarm(.65) || s.Alarm(.66) {
		t.Error("a signal of -.66")
	}
}

// A mean of models says what it is made of. Without a model errors grow as a random walk's.
func TestAutoSays(t *testing.T) {
	for scale, want := range map[float64]string{1: "lags 75%, mean 25%", 0: "lags 75%, mean 25% of the logarithm", .5: "lags 75%, mean 25% of the power 0.5"} {
		m := Auto{scale: scale, members: []member{{"lags", .75, &Naive{}}, {"mean", .25, &Naive{}}}}
		if got := m.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	var m Auto
	dst := make([]float64, 3)
	if spreadOf(&m, dst); dst[0] != 1 || math.Abs(dst[2]-math.Sqrt(3)) > 1e-15 {
		t.Errorf("errors grow as %v", dst)
	}
	// Of too few values to try any there is one model, with all the weight.
	for n := 3; n < 14; n++ {
		var m Auto
		if _, err := m.Fit(new(Fitter), rise(n, 4)); err != nil || m.Validate() != nil {
			t.Errorf("%d values: %v, %v", n, err, m.Validate())
		}
	}
	// With a horizon of a week, four of which are tried, the beginning of three weeks is a week and a half: too short for the
	// second season. With a horizon of a day it is tried.
	hours := daily(672, 24, 168, 0, 4, rand.New(rand.NewPCG(1, 1)))
	for _, c := range []struct {
		n, horizon int
		without    bool
	}{{504, 168, true}, {504, 24, false}, {671, 168, true}, {672, 168, false}} {
		var both, one Auto
		if _, err := both.Fit(&Fitter{Season: 24, Horizon: c.horizon}, hours[:c.n]); err != nil {
			t.Fatal(err)
		}
		if _, err := one.Fit(&Fitter{Season: 24, Second: 1, Horizon: c.horizon}, hours[:c.n]); err != nil {
			t.Fatal(err)
		}
		if got := both.String() == one.String(); got != c.without {
			t.Errorf("%d hours, a horizon of %d: %v, and without a second season %v", c.n, c.horizon, &both, &one)
		}
	}
	// A window of all values is no window.
	long := rise(400, 12)
	var windowed, all Auto
	if _, err := windowed.Fit(&Fitter{Season: 1, Window: 400}, long); err != nil {
		t.Fatal(err)
	}
	if _, err := all.Fit(&Fitter{Season: 1}, long); err != nil {
		t.Fatal(err)
	}
	want := make([]float64, 3)
	windowed.Forecast(dst)
	if all.Forecast(want); !slices.Equal(dst, want) {
		t.Errorf("with a window of all values %v forecasts %v, without one %v %v", &windowed, dst, &all, want)
	}
	// The series that is fitted begins with a value that is there.
	series := rise(500, 12)
	for i := range 90 {
		series[i] = math.NaN()
	}
	series[10] = 100
	var whole, part Auto
	for m, s := range map[*Auto][]float64{&whole: series, &part: series[90:]} {
		if _, err := m.Fit(&Fitter{Season: 12}, s); err != nil {
			t.Fatal(err)
		}
	}
	if whole.String() != part.String() {
		t.Errorf("%v, and from the first value on %v", &whole, &part)
	}
}

// A forecast that a scale does not have has no error there.
func TestErrorOutsideOfTheScale(t *testing.T) {
	for _, c := range []struct{ x, forecast float64 }{{-1, 5}, {5, -1}, {0, 5}} {
		if e := errorIn(0, c.x, c.forecast); !math.IsNaN(e) {
			t.Errorf("the logarithms of %v and %v differ by %v", c.x, c.forecast, e)
		}
		if e := errorIn(1, c.x, c.forecast); e != c.x-c.forecast {
			t.Errorf("%v less %v is %v", c.x, c.forecast, e)
		}
	}
	if e := errorIn(0, math.E, 1); math.Abs(e-1) > 1e-15 {
		t.Errorf("the logarithms of e and 1 differ by %v", e)
	}
}

// Select takes the best, wherever it stands, and the first of equals.
func TestSelectTakesTheFirstOfEquals(t *testing.T) {
	series := rise(60, 1)
	b := Backtester{Horizon: 8, Origins: 4}
	for want, kinds := range map[int]string{0: "DNN", 1: "NDN", 2: "NND"} {
		var candidates, twice []*Predictor
		for _, k := range kinds {
			m := Model(&Naive{})
			if k == 'D' {
				m = &Drift{}
			}
			candidates = append(candidates, &Predictor{Model: m})
			twice = append(twice, &Predictor{Model: &Drift{}})
		}
		if best, err := b.Select(candidates, series, nil); best != want || err != nil {
			t.Errorf("%s: candidate %d, %v", kinds, best, err)
		}
		if best, err := b.Select(twice, series, nil); best != 0 || err != nil {
			t.Errorf("all the same: candidate %d, %v", best, err)
		}
	}
}

// What follows a state is an error, as is a state of a model that there is not.
func TestStateErrors(t *testing.T) {
	var m Auto
	if _, err := m.Fit(&Fitter{Season: 1}, rise(60, 1)); err != nil {
		t.Fatal(err)
	}
	text, err := m.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{
		string(text) + "{}",
		string(text) + "x",
		strings.Replace(string(text), `"type":"`, `"type":"no-`, 1),
		strings.Replace(string(text), `"type"`, `"kind"`, 1),
	} {
		var got Auto
		if err := got.UnmarshalJSON([]byte(bad)); err == nil || got.Ready() {
			t.Errorf("%s: no error", bad)
		}
	}
	var good Auto
	if err := good.UnmarshalJSON(text); err != nil || good.String() != m.String() {
		t.Errorf("%s: %v", &good, err)
	}
}
