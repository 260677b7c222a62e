package forecast

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/plimsoll/plimsoll/forecast/smoothing"
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
			var m auto
			fitTo(t, &m, &smoothing.Fitter{Season: c.season, Horizon: c.horizon}, series)
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

// A series that leaves less than a quarter of a season after its first two is not tried with its
// season: the season that is stated is taken without a trial. With a quarter it is tried.
func TestAutoShortSeason(t *testing.T) {
	const season = 40
	for n, tried := range map[int]bool{2*season + season/4 - 1: false, 2*season + season/4: true} {
		series := rise(n, season)
		var m auto
		fitTo(t, &m, &smoothing.Fitter{Season: season, Horizon: 5}, series)
		if got := m.String() != "seasonal-naive 50%, harmonics 50%"; got != tried {
			t.Errorf("%d values: %s; tried: %v", n, &m, tried)
		}
	}
}

// A mean of models says what it is made of. Without a model errors grow as a random walk's.
func TestAutoSays(t *testing.T) {
	for scale, want := range map[float64]string{1: "lags 75%, mean 25%", 0: "lags 75%, mean 25% of the logarithm", .5: "lags 75%, mean 25% of the power 0.5"} {
		m := auto{scale: scale, members: []member{{"lags", .75, named("naive")}, {"mean", .25, named("naive")}}}
		if got := m.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	var m auto
	dst := make([]float64, 3)
	if spreadOf(&m, dst); dst[0] != 1 || math.Abs(dst[2]-math.Sqrt(3)) > 1e-15 {
		t.Errorf("errors grow as %v", dst)
	}
	// Of too few values to try any there is one model, with all the weight.
	for n := 3; n < 14; n++ {
		var m auto
		if _, err := m.Fit(new(smoothing.Fitter), rise(n, 4)); err != nil || m.Validate() != nil {
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
		var both, one auto
		fitTo(t, &both, &smoothing.Fitter{Season: 24, Horizon: c.horizon}, hours[:c.n])
		fitTo(t, &one, &smoothing.Fitter{Season: 24, Second: 1, Horizon: c.horizon}, hours[:c.n])
		if got := both.String() == one.String(); got != c.without {
			t.Errorf("%d hours, a horizon of %d: %v, and without a second season %v", c.n, c.horizon, &both, &one)
		}
	}
	// The series that is fitted begins with a value that is there.
	series := rise(500, 12)
	for i := range 90 {
		series[i] = math.NaN()
	}
	series[10] = 100
	var whole, part auto
	for m, s := range map[*auto][]float64{&whole: series, &part: series[90:]} {
		fitTo(t, m, &smoothing.Fitter{Season: 12}, s)
	}
	if whole.String() != part.String() {
		t.Errorf("%v, and from the first value on %v", &whole, &part)
	}
}

// Select takes the best, wherever it stands, and the first of equals.
func TestSelectTakesTheFirstOfEquals(t *testing.T) {
	series := rise(60, 1)
	b := Backtester{Horizon: 8, Origins: 4}
	for want, kinds := range map[int]string{0: "DNN", 1: "NDN", 2: "NND"} {
		var candidates, twice []*Predictor
		for _, k := range kinds {
			m := smoothing.Model(named("naive"))
			if k == 'D' {
				m = named("drift")
			}
			candidates = append(candidates, &Predictor{Model: m})
			twice = append(twice, &Predictor{Model: named("drift")})
		}
		if best, err := b.Select(candidates, series, nil); best != want || err != nil {
			t.Errorf("%s: candidate %d, %v", kinds, best, err)
		}
		if best, err := b.Select(twice, series, nil); best != 0 || err != nil {
			t.Errorf("all the same: candidate %d, %v", best, err)
		}
	}
}
