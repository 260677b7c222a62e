package forecast

import (
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/plimsoll/plimsoll/forecast/smoothing"
)

func close9(a, b float64) bool {
	return math.Abs(a-b) <= 1e-9*(1+math.Abs(a)+math.Abs(b))
}

// daily returns n values of a series with a level, a season of m steps, a second season of
// m2 that has a weekend, a slope and noise.
func daily(n, m, m2 int, slope, noise float64, rng *rand.Rand) []float64 {
	s := make([]float64, n)
	for i := range s {
		s[i] = 100 + slope*float64(i) + 30*math.Sin(2*math.Pi*float64(i)/float64(m)) + noise*rng.NormFloat64()
		if m2 > 0 && i%m2 >= m2*5/7 {
			s[i] *= .6
		}
	}
	return s
}

// logged is Simple of the logarithm.
type logged struct{ smoothing.Simple }

func (m *logged) Update(x float64) { m.Simple.Update(math.Log(x)) }

func (m *logged) Forecast(dst []float64) {
	m.Simple.Forecast(dst)
	for i, z := range dst {
		dst[i] = math.Exp(z)
	}
}

func (m *logged) Lambda() float64 { return 0 }

// Intervals and paths of a model whose errors are of one size in a scale of its own.
func TestScaleOfErrors(t *testing.T) {
	// The interval of a logarithm is that of the errors in it, and skewed.
	p := Predictor{Model: &logged{smoothing.Simple{Alpha: .2}}, Analytic: true}
	rng := rand.New(rand.NewPCG(43, 44)) // seed 43, 44
	list := make([]float64, 400)
	for i := range list {
		list[i] = math.Exp(3 + .5*rng.NormFloat64())
	}
	for _, x := range list {
		p.Update(x)
	}
	lo, hi, mean := make([]float64, 1), make([]float64, 1), make([]float64, 1)
	p.Interval(lo, hi, .9)
	p.Forecast(mean)
	if up, down := hi[0]/mean[0], mean[0]/lo[0]; math.Abs(up-math.Exp(.5*1.645)) > .25 || !close9(up, down) {
		t.Errorf("%v in %v to %v", mean[0], lo[0], hi[0])
	}
	// So are its paths, whose mean is the forecast.
	sum, over := 0.0, 0
	for _, path := range drawn(&p, 4000, 1, rng) {
		sum += path[0] / 4000
		if path[0] > hi[0] {
			over++
		}
	}
	if math.Abs(float64(over)/4000-.05) > .025 || !close9(sum, mean[0]) {
		t.Errorf("%d of 4000 paths above the 95%% quantile, mean %v, forecast %v", over, sum, mean[0])
	}
}

// What Auto chooses: a flat mean where nothing else is to be known, a season where there is
// one, the logarithm where swings grow, and little for short series. All with gaps.
func TestAuto(t *testing.T) {
	rng := rand.New(rand.NewPCG(45, 46)) // seed 45, 46
	bursts, growing := make([]float64, 900), make([]float64, 240)
	for i := range bursts {
		if rng.IntN(4) == 0 {
			bursts[i] = math.Round(40 * rng.ExpFloat64())
		}
	}
	for i := range growing {
		growing[i] = math.Exp(.012*float64(i)) * (10 + 5*math.Sin(2*math.Pi*float64(i)/12)) * (1 + .03*rng.NormFloat64())
	}
	for _, c := range []struct {
		name, has string
		series    []float64
		horizon   int
	}{
		{"bursts", "mean", bursts, 168},
		{"hours", "lags", daily(700, 24, 168, 0, 4, rng), 48},
		{"growing", "of the logarithm", growing, 24},
		{"three values", "blend", []float64{4, 5, 7}, 0},
		{"a season and a half", "blend", daily(80, 52, 0, 0, 3, rng), 52},
		{"a constant", "blend", make([]float64, 90), 13},
	} {
		if len(c.series) > 3 {
			for k := 5; k < len(c.series); k += 23 {
				c.series[k] = math.NaN()
			}
		}
		f := smoothing.Fitter{Horizon: c.horizon}
		var m auto
		p := Predictor{Model: &m, Limits: Limits{Multiple: 4}}
		if _, err := p.Fit(&f, c.series); err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if !strings.Contains(m.String(), c.has) {
			t.Errorf("%s: %v, want it to have %s", c.name, &m, c.has)
		}
		path := make([]float64, 100)
		p.Forecast(path)
		for h, x := range path {
			if !usable(x) {
				t.Fatalf("%s: %v after %d steps", c.name, x, h+1)
			}
		}
		// Written, read and updated, it is the same.
		state, err := json.Marshal(&p)
		if err != nil {
			t.Fatal(err)
		}
		var q Predictor
		if err := json.Unmarshal(state, &q); err != nil {
			t.Fatalf("%s: %v in %s", c.name, err, state)
		}
		a, b := drawn(&p, 2, 40, rand.New(rand.NewPCG(1, 2))), drawn(&q, 2, 40, rand.New(rand.NewPCG(1, 2)))
		if d := cmp.Diff(a, b); d != "" {
			t.Errorf("%s: resumed: %s", c.name, d)
		}
		for _, x := range []float64{5, math.NaN(), 9, 0} {
			p.Update(x)
			q.Update(x)
		}
		other := make([]float64, 100)
		p.Forecast(path)
		q.Forecast(other)
		if d := cmp.Diff(path, other); d != "" {
			t.Errorf("%s: resumed and updated: %s", c.name, d)
		}
		if err := p.Validate(); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	var m auto
	if m.String() != "nothing yet" {
		t.Error(m.String())
	}
	for _, state := range []string{
		`{"lambda":2,"n":1,"members":[]}`, `{"lambda":1,"n":-1,"members":[]}`, `{"lambda":1,"n":1}`,
		`{"lambda":1,"n":1,"members":[{"name":"x","weight":1,"type":"auto","model":{"lambda":1,"n":1,"members":[]}}]}`,
		`{"lambda":1,"n":1,"members":[{"name":"x","weight":2,"type":"naive","model":{"level":1,"n":1}}]}`,
		`{"lambda":1,"n":1,"members":[{"name":"x","weight":1,"type":"other","model":{"level":1,"n":1}}]}`,
		`{"lambda":1,"n":1,"members":[{"name":"x","weight":1,"type":"naive","model":null}]}`,
	} {
		if err := json.Unmarshal([]byte(state), &m); err == nil || m.n != 0 {
			t.Errorf("%s is read, %v", state, err)
		} else if strings.HasSuffix(state, `"model":null}]}`) && !strings.HasSuffix(err.Error(), "null: want the state of a model") {
			t.Errorf("%s: %v", state, err)
		}
	}
	// Of equals the first in the list are taken.
	same := slices.Repeat([]float64{5}, 120)
	if _, err := m.Fit(&smoothing.Fitter{Season: 12}, same); err != nil || !strings.HasPrefix(m.String(), candidates[0].name+" 33%, "+candidates[1].name+" 33%, ") {
		t.Errorf("a constant: %v, %v", &m, err)
	}
}

// A long silence at the end, or nearly everywhere, is no reason to fail.
func TestAutoSilence(t *testing.T) {
	rng := rand.New(rand.NewPCG(47, 48)) // seed 47, 48
	for name, known := range map[string]func(i int) bool{
		"end":        func(i int) bool { return i < 900 },
		"everywhere": func(i int) bool { return i%97 == 0 },
		"most":       func(i int) bool { return i%24 < 8 },
	} {
		series := daily(2000, 24, 168, 0, 4, rng)
		for i := range series {
			if !known(i) {
				series[i] = math.NaN()
			}
		}
		p := Predictor{Model: &auto{}}
		var f smoothing.Fitter
		if _, err := p.Fit(&f, series); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		path, lo, hi := make([]float64, 48), make([]float64, 48), make([]float64, 48)
		p.Forecast(path)
		p.Interval(lo, hi, .9)
		for h, x := range path {
			if !(x > 0 && x < 200 && lo[h] < x && x < hi[h]) {
				t.Fatalf("%s: %v in %v to %v after %d steps with %v", name, x, lo[h], hi[h], h+1, p.Model)
			}
		}
	}
}

// The first candidate of Auto takes what Auto takes, and the mean takes any series.
func TestCandidates(t *testing.T) {
	if candidates[0].season != 0 || candidates[0].model().(interface{ Least() int }).Least() > new(auto).Least() ||
		candidates[autoMean].model().(interface{ Least() int }).Least() != 1 {
		t.Errorf("%d candidates", len(candidates))
	}
}

// Half of the hourly series of the M4 competition. The seasonal naive forecast is that of an
// independent program; for the default at most .95 and 93 to 97% within were asked.
func TestM4Hourly(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	train, actual := readSeries(t, "forecast/M4_Hourly-half-train.csv.gz"), readSeries(t, "forecast/M4_Hourly-half-test.csv.gz")
	b := Backtester{Fitter: smoothing.Fitter{Season: 24}}
	for _, c := range []struct {
		m                 smoothing.Model
		mase, smape       float64
		covered, coverage float64
	}{{&smoothing.SeasonalNaive{}, 1.2335, 13.985, .9, 1}, {&auto{}, .82, 13, .93, .97}} {
		s, err := b.Evaluate(&Predictor{Model: c.m}, train, actual)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%T: MASE %.3f, sMAPE %.2f, coverage %.3f of %d", c.m, s.MASE, s.SMAPE, s.Coverage, s.N)
		if s.MASE > c.mase || s.SMAPE > c.smape || s.Coverage < c.covered || s.Coverage > c.coverage || s.N != 207 {
			t.Errorf("%T: MASE %.3f, sMAPE %.2f, coverage %.3f of %d", c.m, s.MASE, s.SMAPE, s.Coverage, s.N)
		}
	}
}

// Each candidate of Auto is fitted with its seasons: the first, both, or the second as the only one.
func TestCandidatesHaveTheirSeasons(t *testing.T) {
	rng := rand.New(rand.NewPCG(51, 52)) // seed 51, 52
	series := daily(4*28, 4, 28, .1, 3, rng)
	var m auto
	for k, c := range candidates {
		m.models[k] = c.model()
		for _, other := range []int{3, 5} { // what the candidate before has left
			f := smoothing.Fitter{Season: other, Second: 2 * other}
			if _, err := m.fitAs(&f, k, series, 4, 28); err != nil {
				t.Fatal(c.name, err)
			}
			got := [3]float64{}
			want := [3]float64{4, 28}
			switch x := m.models[k].(type) {
			case *smoothing.SeasonalNaive:
				got[0] = float64(x.Period)
				want = [3]float64{4}
				if c.season == 3 {
					want = [3]float64{28}
				}
			case *smoothing.HoltWinters:
				got = [3]float64{float64(x.Period), float64(x.Period2)}
				if c.season == 1 {
					want[1] = got[1] // has no second one
				}
			case *smoothing.Autoregression:
				got = [3]float64{float64(x.Period), float64(x.Period2), float64(x.Difference)}
				switch c.season {
				case 1:
					want[2] = 4 // 1 stands for the first season
				case 3:
					want[2] = 28
				}
			case *smoothing.Harmonic:
				got[0] = x.Period
				want = [3]float64{4}
			case *smoothing.Mean: // of whole weeks, which no power of 2 is
				got[0] = float64(x.Window % 28)
				want = [3]float64{}
			default:
				continue
			}
			if got != want {
				t.Errorf("candidate %d, %s: periods and difference %v, want %v", k, c.name, got, want)
			}
		}
	}
}

// A season that is stated is obeyed where the series has it once, and is an error where it has less.
// Before, the default model forecast two years of weeks without their season, twice as wrong as the
// last year again.
func TestStatedSeason(t *testing.T) {
	rng := rand.New(rand.NewPCG(43, 44)) // seed 43, 44
	series := func(n int) []float64 {
		s := make([]float64, n)
		for i := range s {
			s[i] = 100 + 40*math.Sin(float64(i)*2*math.Pi/52) + 4*rng.NormFloat64()
		}
		return s
	}
	f := smoothing.Fitter{Season: 52, Horizon: 52}
	for _, n := range []int{52, 60, 104, 110, 120, 156, 208} {
		sum, naive := 0.0, 0.0
		for range 8 {
			all := series(n + 52)
			next := make([]float64, 52)
			for name, to := range map[string]*float64{"": &sum, "seasonal-naive": &naive} {
				m := named(name)
				fit, err := m.Fit(&f, all[:n])
				if err != nil || fit.Unseasoned {
					t.Fatal(n, name, err, fit.Unseasoned)
				}
				m.Forecast(next)
				*to += MAE(all[n:], next)
			}
		}
		if sum > 1.05*naive {
			t.Errorf("%d weeks: off by %.2f, and the last year again by %.2f", n, sum, naive)
		}
	}
	if _, err := named("").Fit(&f, series(40)); !errors.Is(err, ErrShort) || !strings.Contains(err.Error(), "want 52 for the season of 52 steps that is stated") {
		t.Error(err)
	}
	for _, name := range []string{"winters", "harmonics", "lags"} {
		if fit, err := named(name).Fit(&f, series(90)); err != nil || !fit.Unseasoned {
			t.Errorf("%s of 90 weeks is not marked as without its season: %v", name, err)
		}
	}
	// A backtest whose first parts have less than two seasons is offered that of the whole series.
	b := Backtester{Horizon: 26, Origins: 6}
	s, err := b.Run(&Predictor{Model: named("seasonal-naive")}, series(208))
	if err != nil || s.Unseasoned != 0 {
		t.Error(s, err)
	}
}
