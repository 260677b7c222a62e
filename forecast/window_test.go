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
