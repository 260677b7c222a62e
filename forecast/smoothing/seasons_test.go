package smoothing

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll/internal/inputerr"
)

func close9(a, b float64) bool {
	return math.Abs(a-b) <= 1e-9*(1+math.Abs(a)+math.Abs(b))
}

var about = cmp.Comparer(close9)

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

// By hand, from the start: a season of two, additive and multiplicative.
func TestHoltWintersByHand(t *testing.T) {
	m := HoltWinters{Period: 2, Alpha: .5, Beta: .5, Gamma: .25}
	one := make([]float64, 1)
	for _, x := range []float64{10, 20} { // level 15, effects -5 and 5
		m.Update(x)
	}
	if d := cmp.Diff([]float64{-5, 5}, m.Season, about); d != "" || m.Level != 15 || !m.Ready() {
		t.Errorf("level %v, %s", m.Level, d)
	}
	m.Forecast(one)
	m.Update(14) // e = 4: level 17, trend 1, first effect -4
	if one[0] != 10 || !close9(m.Level, 17) || !close9(m.Trend, 1) || !close9(m.Season[0], -4) || m.Residual != 4 {
		t.Errorf("forecast %v, then %+v", one[0], m)
	}
	path := make([]float64, 3)
	m.Forecast(path)
	if d := cmp.Diff([]float64{18 + 5, 19 - 4, 20 + 5}, path, about); d != "" {
		t.Error(d)
	}

	m = HoltWinters{Period: 2, Multiplicative: true, Alpha: .5, Gamma: .25, Rho: .5}
	for _, x := range []float64{10, 30} { // level 20, effects .5 and 1.5
		m.Update(x)
	}
	m.Update(14) // e = 4: level 20 + .5·8, first effect .5 + .25·4/20, residual 4
	if !close9(m.Level, 24) || !close9(m.Season[0], .55) || !close9(m.Residual, 4) {
		t.Errorf("%+v", m)
	}
	m.Forecast(path)
	if d := cmp.Diff([]float64{24*1.5 + 2, 24*.55 + 1, 24*1.5 + .5}, path, about); d != "" {
		t.Error(d)
	}
	m.Update(math.NaN()) // half of the residual is left, nothing else
	if m.Residual != 2 || m.Level != 24 || m.At != 0 || m.N != 3 {
		t.Errorf("after a missing value %+v", m)
	}
}

// The fast passes of the fit are the recursion of Update.
func TestHoltWintersFitIsUpdate(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 32)) // seed 31, 32
	series := daily(300, 12, 84, .1, 3, rng)
	for i := 20; i < len(series); i += 37 {
		series[i] = math.NaN()
	}
	for _, multiplicative := range []bool{false, true} {
		m := HoltWinters{Multiplicative: multiplicative, Alpha: .1, Beta: .1, Phi: .9, Gamma: .1, Delta: .1, Rho: .5}
		var f Fitter
		f.Season, f.Second = 12, 84
		fit := fitted(t, &m, &f, series)
		w := &f.winters
		w.m = HoltWinters{Period: 12, Period2: 84, Multiplicative: multiplicative, Alpha: m.Alpha, Beta: m.Beta, Phi: m.Phi, Gamma: m.Gamma, Delta: m.Delta, Rho: m.Rho, seasons: seasons{Season: make([]float64, 12), Season2: make([]float64, 84)}}
		x := point{}
		for i := range w.d {
			x[i] = *w.which[i]
		}
		fast := w.value(&x)
		w.begin()
		slow, last := 0.0, w.m
		for _, x := range series {
			one := make([]float64, 1)
			last.Forecast(one)
			if x == x {
				slow += (x - one[0]) * (x - one[0])
			}
			last.Update(x)
		}
		if math.Abs(fast-slow) > 1e-9*slow || !close9(last.Level, m.Level) || cmp.Diff(last.Season2, m.Season2, about) != "" {
			t.Errorf("multiplicative %v: the pass has %v, updates have %v; level %v, %v", multiplicative, fast, slow, last.Level, m.Level)
		}
		if fit.N != len(series)-8 || m.Validate() != nil {
			t.Errorf("%+v, %v", fit, m.Validate())
		}
	}
}

// A fit is no worse than factors drawn at random, from the same start.
func TestHoltWintersFit(t *testing.T) {
	rng := rand.New(rand.NewPCG(33, 34)) // seed 33, 34
	for _, m := range []HoltWinters{
		{Alpha: .1, Beta: .1, Phi: .9, Gamma: .1},
		{Alpha: .1, Gamma: .1, Delta: .1, Rho: .5},
		{Multiplicative: true, Alpha: .1, Beta: .1, Gamma: .1},
	} {
		series := daily(260, 12, 84, .2, 6, rng)
		f := Fitter{Season: 12}
		fitted(t, &m, &f, series)
		w := &f.winters
		w.m = m
		w.m.Season, w.m.Season2 = make([]float64, len(m.Season)), make([]float64, len(m.Season2))
		x := point{}
		for i, p := range []float64{m.Alpha, m.Beta, m.Phi, m.Gamma, m.Delta, m.Rho} {
			for j := range w.d {
				if w.which[j] == [...]*float64{&w.m.Alpha, &w.m.Beta, &w.m.Phi, &w.m.Gamma, &w.m.Delta, &w.m.Rho}[i] {
					x[j] = p
				}
			}
		}
		best := w.value(&x)
		for range 3000 {
			y := point{}
			for j := range w.d {
				y[j] = w.lo[j] + (w.hi[j]-w.lo[j])*rng.Float64()
			}
			if v := w.value(&y); v < best*(1-.002) {
				t.Fatalf("%+v: factors %v have %v, fitted %v have %v", m, y[:w.d], v, x[:w.d], best)
			}
		}
	}
}

// Forecasts are the recursion on a list; without lags, the season before.
func TestAutoregressionForecast(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := Autoregression{Difference: rapid.IntRange(0, 4).Draw(t, "d"), Constant: 1}
		for l := 1; l < 6; l++ {
			if rapid.Bool().Draw(t, "lag") {
				m.Lags = append(m.Lags, l)
				m.Coef = append(m.Coef, float64(rapid.IntRange(-4, 4).Draw(t, "coef"))/8)
			}
		}
		series := seriesOf(12, 30).Draw(t, "series")
		known := fill(nil, series)
		if len(known) == 0 {
			return
		}
		for _, x := range known {
			m.Update(x)
		}
		d := m.Difference
		list := slices.Clone(known)
		for range 20 {
			n := len(list)
			x := m.Constant
			for i, l := range m.Lags {
				w := list[n-l]
				if d > 0 {
					w -= list[n-l-d]
				}
				x += m.Coef[i] * w
			}
			switch {
			case d > 0:
				x += list[n-d]
			case len(m.Lags) == 0:
				x += list[n-1]
			}
			list = append(list, x)
		}
		got := make([]float64, 20)
		m.Forecast(got)
		if diff := cmp.Diff(list[len(known):], got, about); diff != "" {
			t.Fatalf("%+v: %s", m, diff)
		}
		// A missing observation counts as its forecast.
		m.Update(math.NaN())
		m.Forecast(got[:19])
		if diff := cmp.Diff(list[len(known)+1:], got[:19], about); diff != "" {
			t.Fatalf("%+v after a missing observation: %s", m, diff)
		}
	})
}

// A line with two waves is fitted and forecast exactly, at any period, and through gaps.
func TestHarmonicExact(t *testing.T) {
	for _, period := range []float64{12, 52, 365.25 / 7} {
		series := make([]float64, 240)
		at := func(t float64) float64 {
			u := 2 * math.Pi * t / period
			return 50 + t/5 + 9*math.Sin(u+1) + 4*math.Cos(2*u)
		}
		for i := range series {
			series[i] = at(float64(i))
		}
		for i := 30; i < 40; i++ {
			series[i] = math.NaN()
		}
		f := Fitter{Season: int(period)}
		m := Harmonic{Alpha: .1, Beta: .1, Gamma: .01}
		fitted(t, &m, &f, series)
		path := make([]float64, 60)
		m.Forecast(path)
		for h, x := range path {
			if want := at(float64(240 + h)); math.Abs(x-want) > 1e-3 {
				t.Fatalf("period %v: %v after %d steps, want %v", period, x, h+1, want)
			}
		}
		if math.Abs(m.Period-period) > 1e-9 || len(m.Sine) < 2 {
			t.Errorf("period %v is fitted with %v and %d waves", period, m.Period, len(m.Sine))
		}
	}
}

// The window is the one that forecasts best, and the running mean is the mean.
func TestMean(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := Mean{Window: rapid.IntRange(0, 9).Draw(t, "window")}
		var all []float64
		for _, x := range seriesOf(0, 60).Draw(t, "series") {
			m.Update(x)
			if x == x {
				all = append(all, x)
			}
			w := all
			if m.Window > 0 {
				w = all[max(0, len(all)-m.Window):]
			}
			want := 0.0
			for _, x := range w {
				want += x / float64(len(w))
			}
			var got [2]float64
			m.Forecast(got[:])
			if math.Abs(got[1]-want) > 1e-9*(1+math.Abs(want)) {
				t.Fatalf("%v after %v, want %v", got[1], all, want)
			}
			if err := m.Validate(); err != nil {
				t.Fatal(err)
			}
		}
	})
	rng := rand.New(rand.NewPCG(39, 40)) // seed 39, 40
	still, jumps := make([]float64, 600), make([]float64, 600)
	for i := range still {
		still[i] = 10 + rng.NormFloat64()
		jumps[i] = 100*float64(i/40%7) + rng.NormFloat64()
	}
	var f Fitter
	for name, c := range map[string]struct {
		series      []float64
		least, most int
	}{"still": {still, 64, 512}, "jumps": {jumps, 1, 8}} {
		f.Season = 1
		var m Mean
		fitted(t, &m, &f, c.series)
		if w := m.size(); w < c.least || w > c.most && m.Window != 0 {
			t.Errorf("%s: a window of %d, want %d to %d", name, m.Window, c.least, c.most)
		}
	}
}

// Seasons that are there are found, and those that are not are not.
func TestPeriods(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 42)) // seed 41, 42
	var f Fitter
	for _, c := range []struct {
		name          string
		series        []float64
		first, second int
	}{
		{"hours", daily(700, 24, 0, .02, 8, rng), 24, 1},
		{"hours of a week", daily(700, 24, 168, .02, 8, rng), 24, 168},
		{"weeks of a year", daily(156, 52, 0, .5, 8, rng), 52, 1},
		{"two years of weeks", daily(110, 52, 0, 0, 3, rng), 52, 1},
		{"months", daily(60, 12, 0, 1, 5, rng), 12, 1},
		{"days", daily(90, 7, 0, 0, 10, rng), 7, 1},
		{"a period of no calendar", daily(700, 37, 0, 0, 10, rng), 37, 1},
		{"less than two", daily(70, 52, 0, 0, 3, rng), 1, 1},
		{"the passengers", airPassengers, 12, 1},
		{"a line", daily(100, 1, 0, 2, 0, rng), 1, 1},
		{"a constant", make([]float64, 100), 1, 1},
		{"nothing", nil, 1, 1},
		{"nothing known", []float64{math.NaN(), math.NaN()}, 1, 1},
		{"infinite", append(daily(90, 7, 0, 0, 1, rng), math.Inf(1)), 1, 1},
	} {
		for k := 9; k < len(c.series); k += 31 {
			c.series = slices.Clone(c.series)
			c.series[k] = math.NaN()
		}
		if first, second := f.Periods(c.series); first != c.first || second != c.second {
			t.Errorf("%s: seasons of %d and %d, want %d and %d", c.name, first, second, c.first, c.second)
		}
	}
	// Weeks of years of 365.25 days. Under this noise two years of 105 weeks explain a little more than one of 52.
	years, noise := make([]float64, 800), rand.New(rand.NewPCG(1, 1))
	for i := range years {
		years[i] = math.Sin(2*math.Pi*float64(i)/(365.25/7)) + .7*noise.NormFloat64()
	}
	if first, _ := f.Periods(years); first != 52 {
		t.Errorf("weeks of years: a season of %d", first)
	}
	f.Season = 24
	if first, second := f.Periods(daily(700, 24, 168, 0, 8, rng)); first != 24 || second != 168 {
		t.Errorf("given 24: %d, %d", first, second)
	}
	f.Season = 1
	if first, second := f.Periods(daily(700, 24, 168, 0, 8, rng)); first != 1 || second != 1 {
		t.Errorf("given none: %d, %d", first, second)
	}
	f.Season = 0
	walks, noises := 0, 0
	for range 100 {
		walk, noise := make([]float64, 300), make([]float64, 300)
		x := 0.0
		for i := range walk {
			x += rng.NormFloat64()
			walk[i], noise[i] = x, rng.NormFloat64()
		}
		if p, _ := f.Periods(walk); p > 1 {
			walks++
		}
		if p, _ := f.Periods(noise); p > 1 {
			noises++
		}
	}
	if walks > 25 || noises > 10 {
		t.Errorf("a season in %d random walks and %d noises of 100, want 25 and 10 at most", walks, noises)
	}
}

// The coefficients are those of the ridge regression in the differences, by another program's solver, with λ
// raised tenfold until an error of 1 dies out. Gaps are filled, and no row predicts a filled value.
func TestRegressByDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(45, 46)) // seed 45, 46
	raised, calm := 0, 0
	var f Fitter
	for it := range 400 {
		n, d := 14+rng.IntN(50), []int{0, 0, 1, 3}[it%4]
		series := make([]float64, n)
		x := 50 * rng.Float64()
		for i := range series {
			x = x*(.9+.25*rng.Float64()) + rng.NormFloat64()
			if series[i] = x; rng.IntN(9) == 0 {
				series[i] = math.NaN()
			}
		}
		m := Autoregression{Difference: d}
		for l := 1; l < 6; l++ {
			if rng.IntN(2) == 0 {
				m.Lags = append(m.Lags, l)
			}
		}
		m.Coef = make([]float64, len(m.Lags))
		f.regress(&m, series)

		filled := fill(nil, series)
		w := make([]float64, n-d)
		mean, most := 0.0, 0.0
		for i := range w {
			if w[i] = filled[i+d]; d > 0 {
				w[i] -= filled[i]
			}
			mean += w[i] / float64(len(w))
		}
		if d > 0 {
			mean = 0
		}
		for i := range w {
			w[i] -= mean
			most = max(most, math.Abs(w[i]))
		}
		square := 0.0
		for i := range w {
			w[i] /= most
			square += w[i] * w[i] / float64(len(w))
		}
		p, last := len(m.Lags), 0
		if p > 0 {
			last = m.Lags[p-1]
		}
		gram, right := mat.NewDense(p+1, p+1, nil), mat.NewVecDense(p+1, nil)
		for k := last; k < len(w); k++ {
			if math.IsNaN(series[k+d]) {
				continue
			}
			row := make([]float64, p+1)
			for i, l := range m.Lags {
				row[i] = w[k-l]
			}
			row[p] = math.Sqrt(square) // the constant is as large as the rest
			for i, a := range row {
				for j, b := range row {
					gram.Set(i, j, gram.At(i, j)+a*b)
				}
				right.SetVec(i, right.AtVec(i)+a*w[k])
			}
		}
		dies := func(coef []float64) bool {
			steps := max(len(w), 4*m.back())
			r := []float64{1}
			early, late := 1.0, 0.0
			for i := 1; i < steps; i++ {
				x := 0.0
				for j, l := range m.Lags {
					if i >= l {
						x += coef[j] * r[i-l]
					}
				}
				if r = append(r, x); math.Abs(x) > 4 {
					return false
				}
				if i < steps/2 {
					early = max(early, math.Abs(x))
				} else {
					late = max(late, math.Abs(x))
				}
			}
			return late < .9*early
		}
		lambda := 1.0
		if d > 0 {
			lambda = 10
		}
		var coef []float64
		for tries := 0; ; tries++ {
			g := mat.DenseCopyOf(gram)
			for i := range p + 1 {
				g.Set(i, i, g.At(i, i)+lambda*square)
			}
			var x mat.VecDense
			if err := x.SolveVec(g, right); err != nil {
				t.Fatal(err)
			}
			coef = x.RawVector().Data
			if dies(coef[:p]) {
				if tries > 0 {
					raised++
				} else {
					calm++
				}
				break
			}
			lambda *= 10
		}
		constant := coef[p]*math.Sqrt(square)*most + mean
		for _, c := range coef[:p] {
			constant -= c * mean
		}
		for i, c := range append(slices.Clone(m.Coef), m.Constant) {
			if want := append(coef[:p:p], constant)[i]; math.Abs(c-want) > 1e-7*(1+math.Abs(want)) {
				t.Fatalf("series %d, lags %v, differences over %d: %v, %v, want %v, %v", it, m.Lags, d, m.Coef, m.Constant, coef[:p], constant)
			}
		}
	}
	if raised < 10 || calm < 100 {
		t.Errorf("λ raised %d times, %d times not: too few to test anything", raised, calm)
	}
	for _, c := range []struct {
		d    int
		want float64
	}{{0, 7}, {1, 0}} { // a series that does not change has its level, or no change, as the constant
		m := Autoregression{Difference: c.d, Lags: []int{1}, Coef: []float64{0}}
		if f.regress(&m, []float64{7, 7, 7, 7, 7}); m.Constant != c.want || m.Coef[0] != 0 {
			t.Errorf("differences over %d of a constant: %+v", c.d, m)
		}
	}
}

// Which lags a fit has, by hand: the most useful first while they are few enough for the series.
func TestLags(t *testing.T) {
	for _, c := range []struct {
		n, m1, m2, d, most int
		want               []int
	}{
		{1000, 24, 168, 24, 24, []int{1, 2, 3, 4, 5, 6, 22, 23, 24, 25, 26, 48, 72, 96, 120, 144, 166, 167, 168, 169, 170}},
		{1000, 12, 1, 0, 24, []int{1, 2, 3, 4, 5, 6, 10, 11, 12, 13, 14, 23, 24, 25, 36}},
		{1000, 12, 1, 0, 5, []int{1, 2, 3, 11, 12}},
		{1000, 1, 1, 0, 24, []int{1, 2, 3, 4}},
		{40, 12, 1, 0, 24, []int{1, 2, 3, 4}},                                            // 28 rows are too few for 4 coefficients and the constant
		{41, 12, 1, 0, 24, []int{1, 2, 3, 4, 11}},                                        // 30 rows for 11 and four before, 37 for 4
		{13, 1, 1, 0, 24, []int{1}},                                                      // 12 rows for one
		{12, 1, 1, 0, 24, nil},                                                           // 11 rows
		{26, 1, 1, 13, 24, []int{1}},                                                     // differences take rows
		{400, 150, 1, 0, 24, []int{1, 2, 3, 4, 5, 6, 148, 149, 150, 151, 152, 299, 300}}, // a quarter of the values
		{400, 150, 1, 1, 24, []int{1, 2, 3, 4, 5, 6, 148, 149, 150, 151, 152, 299}},      // one row less
		{5000, 2, 1, 0, 24, []int{1, 2, 3, 4, 5, 6}},                                     // each once
		{5000, 7, 365, 0, 24, []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 14, 21, 28, 35, 42, 363, 364, 365, 366, 367}},
	} {
		if got := lagsOf(nil, c.n, c.m1, c.m2, c.d, c.most); !slices.Equal(got, c.want) {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// What tells a season, each against its definition: the line that is taken off, the peaks of the autocorrelation,
// the test of the cycles' phases, and the part of the variance that the means of the phases explain.
func TestSeasonTestsByDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(47, 48)) // seed 47, 48
	var f Fitter
	passed, failed, peaks, flats := 0, 0, 0, 0
	for it := range 150 {
		n, m := 8+rng.IntN(120), 2+rng.IntN(14)
		series := daily(n, m, 0, 4*rng.Float64()-2, 10+60*rng.Float64(), rng)
		for i := range series {
			if rng.IntN(12) == 0 {
				series[i] = math.NaN()
			}
		}
		if !f.detrend(series) {
			t.Fatalf("series %d is a line", it)
		}
		// The residuals of least squares, as large as 1.
		filled := fill(nil, series)
		a := mat.NewDense(n, 2, nil)
		for i := range n {
			a.Set(i, 0, 1)
			a.Set(i, 1, float64(i))
		}
		var line mat.VecDense
		if err := line.SolveVec(a, mat.NewVecDense(n, filled)); err != nil {
			t.Fatal(err)
		}
		wave, most := make([]float64, n), 0.0
		for i := range wave {
			wave[i] = filled[i] - line.AtVec(0) - line.AtVec(1)*float64(i)
			most = max(most, math.Abs(wave[i]))
		}
		for i := range wave {
			if wave[i] /= most; math.Abs(wave[i]-f.wave[i]) > 1e-9 {
				t.Fatalf("series %d: %v at %d, want %v", it, f.wave[i], i, wave[i])
			}
		}
		copy(wave, f.wave)

		// The autocorrelation, and its first peaks that are about as high as the highest.
		lags := n / 2
		acf := make([]float64, lags+1)
		for l := range acf {
			for i := range n - l {
				acf[l] += wave[i] * wave[i+l] / float64(n-l)
			}
		}
		high, want := 0.0, []int{}
		for pass := range 2 {
			for l := 2; l < lags; l++ {
				if acf[l] > 0 && acf[l] > acf[l-1] && acf[l] >= acf[l+1] {
					if pass == 0 {
						high = max(high, acf[l])
					} else if acf[l] >= .7*high && len(want) < 6 {
						want = append(want, l)
					}
				}
			}
		}
		if got := f.peaks(nil); !slices.Equal(got, want) {
			t.Fatalf("series %d: peaks %v, want %v", it, got, want)
		}
		peaks += len(want)

		for _, p := range []int{1, m, m + 1, 2 * m, n/2 + 1, n} {
			y := slices.Clone(wave)
			if n >= 4*p { // less the mean of p values around each, p+1 with half weights at the ends if p is even
				mean := make([]float64, n)
				first, last := p/2, n-1-p/2
				for i := first; i <= last; i++ {
					for k := i - p/2; k <= i+p/2; k++ {
						v := wave[k]
						if p%2 == 0 && (k == i-p/2 || k == i+p/2) {
							v /= 2
						}
						mean[i] += v / float64(p)
					}
				}
				for i := range mean {
					y[i] -= mean[min(max(i, first), last)]
				}
				flats++
			}
			cycles := n / p
			pass := false
			chance := []float64{.01, .001, .3}[it%3]
			if p >= 2 && cycles >= 2 {
				z := y[n-cycles*p:]
				all, together := 0.0, 0.0
				for k := 1; k <= 6 && 2*k <= p; k++ {
					sum := complex(0, 0)
					for c := range cycles {
						one := complex(0, 0)
						for i := range p {
							s, co := math.Sincos(2 * math.Pi * float64(k*i) / float64(p))
							one += complex(z[c*p+i]*co, z[c*p+i]*s)
						}
						sum += one
						all += real(one)*real(one) + imag(one)*imag(one)
					}
					together += real(sum)*real(sum) + imag(sum)*imag(sum)
				}
				pass = math.Pow(1-together/float64(cycles)/all, float64(cycles-1)) < chance
			}
			if got := f.repeats(p, chance); got != pass {
				t.Fatalf("series %d of %d: a season of %d passes %v, want %v", it, n, p, got, pass)
			}
			if pass {
				passed++
			} else {
				failed++
			}
			means, count := make([]float64, p), make([]float64, p)
			mean := 0.0
			for i, x := range y {
				means[i%p] += x
				count[i%p]++
				mean += x / float64(n)
			}
			left, whole, all := 0.0, 0.0, 0.0
			for i, x := range y {
				d := x - means[i%p]/count[i%p]
				left, whole, all = left+d*d, whole+(x-mean)*(x-mean), all+wave[i]*wave[i]
			}
			part := 0.0
			if n > p {
				part = (whole - left*float64(n-1)/float64(n-p)) / all
			}
			if got := f.explains(p); !close9(got, part) {
				t.Fatalf("series %d of %d: a season of %d explains %v, want %v", it, n, p, got, part)
			}
			for i, got := range f.phases {
				if count[i] > 0 && !close9(got, means[i]/count[i]) {
					t.Fatalf("series %d of %d: the mean of phase %d of %d is %v, want %v", it, n, i, p, got, means[i]/count[i])
				}
			}
		}
	}
	if passed < 50 || failed < 200 || peaks < 100 || flats < 100 {
		t.Errorf("%d seasons pass and %d do not, %d peaks, %d wandering levels: too few to test anything", passed, failed, peaks, flats)
	}
	for _, c := range []struct {
		series []float64
		want   bool
	}{
		{daily(7, 2, 0, 0, 1, rng), false}, // too few
		{daily(8, 2, 0, 0, 1, rng), true},
		{[]float64{3, 5, 7, 9, 11, 13, 15, 17}, false},                            // a line
		{[]float64{1e6, 1e6, 1e6, 1e6, 1e6, 1e6, 1e6, 1e6 + 1e-5}, true},          // small, but more than rounding
		{[]float64{1e6, 1e6, 1e6, 1e6, 1e6, 1e6, 1e6, 1e6 + 2e-7}, false},         // less
		{[]float64{1e-3, 1e-3, 1e-3, 1e-3, 1e-3, 1e-3, 1e-3, 1e-3 + 2e-14}, true}, // likewise of a small level
		{[]float64{1, 2, 1, 2, 1, 2, math.Inf(1), 2}, false},
	} {
		if got := f.detrend(c.series); got != c.want {
			t.Errorf("%v: something is left %v, want %v", c.series, got, c.want)
		}
	}
	nan := math.NaN()
	for _, c := range [][2][]float64{
		{{nan, 3, nan, nan, 9, 4, nan}, {3, 3, 5, 7, 9, 4, 4}}, {{nan, nan}, {}}, {{1, 2}, {1, 2}}, {{1, nan, 2}, {1, 1.5, 2}},
		{{1, nan, 1e-17}, {1, .5, 1e-17}}, // what is known stays as it is, to the last digit
	} {
		if got := fill(nil, c[0]); !slices.Equal(got, c[1]) {
			t.Errorf("%v: %v, want %v", c[0], got, c[1])
		}
	}
	for m, want := range map[int]bool{2: false, 3: false, 4: true, 6: false, 7: true, 21: false, 22: false, 57: true, 63: true, 64: false, 23: true, 25: true, 26: false, 160: true, 159: false, 176: true, 177: false, 2100: true, 2117: false} {
		if nearCalendar(m) != want {
			t.Errorf("%d steps are near a calendar's: %v, want %v", m, !want, want)
		}
	}
	for m, want := range map[int]int{1: 1, 4: 1, 5: 261, 7: 365, 12: 1, 24: 168, 48: 336, 52: 1, 96: 672, 144: 1008, 168: 1, 288: 2016} {
		if got := longer(m); got != want {
			t.Errorf("above %d steps a calendar has %d, want %d", m, got, want)
		}
	}
}

// A second season is tried from three of its cycles on, and found in fewer only where it shows.
func TestSecondSeasonTried(t *testing.T) {
	rng := rand.New(rand.NewPCG(49, 50)) // seed 49, 50
	f := Fitter{Season: 24}
	plain := daily(3*168, 24, 0, 0, 5, rng)
	for _, c := range []struct {
		n    int
		want wanted
		p2   int
	}{{3 * 168, tried, 168}, {3*168 - 1, tried, 1}, {3 * 168, found, 1}, {3 * 168, none, 1}} {
		if p, p2 := f.offered(plain[:c.n], c.want); p != 24 || p2 != c.p2 {
			t.Errorf("%d values, wanted %d: %d and %d, want 24 and %d", c.n, c.want, p, p2, c.p2)
		}
	}
	if p, p2 := f.offered(daily(3*168-1, 24, 168, 0, 5, rng), tried); p != 24 || p2 != 168 {
		t.Errorf("weekends show, but %d and %d are found", p, p2)
	}
	for n, want := range map[int]int{55: 1, 56: 28} { // two cycles are enough if it is given
		m, f := Autoregression{Difference: 28}, Fitter{Season: 4, Second: 28}
		if _, err := m.Fit(&f, plain[:n]); err != nil || m.Period != 4 || m.Period2 != want || m.Difference != max(want, 4) {
			t.Errorf("%d values: %+v, %v", n, m, err)
		}
	}
	for n, want := range map[int]int{23: 1, 24: 12} {
		m, f := Autoregression{}, Fitter{Season: 12}
		if _, err := m.Fit(&f, plain[:n]); err != nil || m.Period != want {
			t.Errorf("%d values: %+v, %v", n, m, err)
		}
		w := HoltWinters{Alpha: .1, Gamma: .1}
		if _, err := w.Fit(&f, plain[:n]); err != nil || w.Period != want {
			t.Errorf("%d values: %+v, %v", n, w, err)
		}
	}
	// A season of two steps is one, and can have a second.
	two, f2 := HoltWinters{Alpha: .1, Gamma: .1, Delta: .1}, Fitter{Season: 2, Second: 4}
	if _, err := two.Fit(&f2, plain[:20]); err != nil || two.Period != 2 || two.Period2 != 4 {
		t.Errorf("%+v, %v", two, err)
	}
	// Without a factor for it there is none.
	one := HoltWinters{Alpha: .1, Gamma: .1}
	if _, err := one.Fit(&Fitter{Season: 4, Second: 28}, plain); err != nil || one.Period != 4 || one.Period2 != 1 {
		t.Errorf("%+v, %v", one, err)
	}
	wave := Harmonic{Alpha: .1, Beta: .1}
	if _, err := wave.Fit(&Fitter{Season: 2}, slices.Repeat([]float64{10, 30}, 20)); err != nil || wave.Period != 2 {
		t.Errorf("%+v, %v", wave, err)
	}
	path := make([]float64, 2)
	if wave.Forecast(path); math.Abs(path[0]-10) > 1e-3 || math.Abs(path[1]-30) > 1e-3 {
		t.Errorf("a season of two steps is forecast as %v", path)
	}
	lags, f3 := Autoregression{}, Fitter{Season: 2, Second: 4}
	if _, err := lags.Fit(&f3, plain[:20]); err != nil || lags.Period != 2 || lags.Period2 != 4 {
		t.Errorf("%+v, %v", lags, err)
	}
	f.Second = 48 // given
	if p, p2 := f.offered(plain, tried); p != 24 || p2 != 48 {
		t.Errorf("given 24 and 48: %d and %d", p, p2)
	}
}

// The effects of a season are those of no level: their mean is 0, or 1 where they are factors.
func TestDecomposeByHand(t *testing.T) {
	// The means over a season of two, with half the weight at both ends, are 10 + i: the effects are exactly
	// -3 and 3, and as factors those of 2 and 4 around 3.
	for _, c := range []struct {
		multiplicative bool
		value          func(i int) float64
		want           []float64
	}{
		{false, func(i int) float64 { return 10 + float64(i) + 3*float64(2*(i%2)-1) }, []float64{-3, 3}},
		{true, func(i int) float64 { return 2 + 2*float64(i%2) }, []float64{2. / 3, 4. / 3}},
	} {
		y := make([]float64, 12)
		for i := range y {
			y[i] = c.value(i)
		}
		w := wintersFit{y: y}
		season := make([]float64, 2)
		w.decompose(season, c.multiplicative)
		if diff := cmp.Diff(c.want, season, about); diff != "" {
			t.Errorf("multiplicative %v: %s", c.multiplicative, diff)
		}
		// One value more at the one end, far off, moves the mean of the effects, which is taken off.
		y[0] += 40
		w.decompose(season, c.multiplicative)
		mean := (season[0] + season[1]) / 2
		if want := map[bool]float64{false: 0, true: 1}[c.multiplicative]; !close9(mean, want) || season[0] == c.want[0] {
			t.Errorf("multiplicative %v: effects %v, whose mean is %v", c.multiplicative, season, mean)
		}
	}
}

// A part n/(n+1) is kept of what n cycles say: around 0 and around 1.
func TestShrink(t *testing.T) {
	for _, c := range []struct{ x, neutral, n, want float64 }{{8, 0, 3, 6}, {2, 1, 3, 1.75}, {.5, 1, 1, .75}} {
		season := []float64{c.x}
		if shrink(season, c.neutral, c.n); season[0] != c.want {
			t.Errorf("%+v: %v", c, season[0])
		}
	}
}

// What an observation may be, in the words of the error.
func TestWordsOfValues(t *testing.T) {
	for x, want := range map[float64]string{
		math.Inf(-1): "smoothing: series[1]: value out of range: -Inf: want a finite number, or NaN for a missing value",
		1e151:        "smoothing: series[1]: value out of range: 1e+151: want a magnitude of at most 1e+150; scale the series",
	} {
		if err := CheckSeries([]float64{Largest, x}); err == nil || err.Error() != want {
			t.Errorf("%v: %v", x, err)
		}
	}
}

// States that are out of range are refused, by field.
func TestValidate(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	type validator interface{ Validate() error }
	for _, m := range []validator{
		// A model that has taken observations needs the season that a forecast looks for.
		&SeasonalNaive{Period: 3, cycle: cycle{Level: 1, N: 1}}, &Autoregression{Lags: []int{1}, Coef: []float64{0.5}, memory: memory{Level: 1, N: 1}}, &HoltWinters{Period: 3, seasons: seasons{Level: 1, N: 1}},
		&Triple{Form: -1}, &Triple{Form: 3}, &Triple{Alpha: .1, Beta: .5, Gamma: .9}, &drift{Steps: -1},
		&Signal{Phi: 2}, &Signal{errorSums: errorSums{E: 2, M: 1}}, &Signal{errorSums: errorSums{M: nan}},
		&AdaptiveTriple{Gamma: -1}, &AdaptiveTriple{Model: Triple{motion: motion{Level: nan}}}, &AdaptiveTriple{Signal: Signal{Phi: -1}},
		&blend{Near: Holt{Alpha: 2}}, &blend{Far: Holt{Alpha: 2}}, &Fitter{Steps: -1},
		&SeasonalNaive{Period: -1}, &SeasonalNaive{Period: 2, cycle: cycle{Season: []float64{1}}}, &SeasonalNaive{Period: 2, cycle: cycle{Season: []float64{1, nan}}},
		&SeasonalNaive{Period: 2, cycle: cycle{Season: []float64{1, 2}, At: 2}}, &SeasonalNaive{Period: 2, cycle: cycle{Season: []float64{1, 2}, Seen: 3}}, &SeasonalNaive{cycle: cycle{N: -1}},
		&Mean{Window: -1}, &Mean{Window: 2, recent: recent{Last: []float64{1, 2, 3}}}, &Mean{Window: 2, recent: recent{Last: []float64{1, inf}}}, &Mean{recent: recent{Last: []float64{1}}},
		&Mean{Window: 3, recent: recent{Last: []float64{1}, At: 0}}, &Mean{Window: 2, recent: recent{Last: []float64{1, 2}, At: 2}}, &Mean{recent: recent{Sum: nan}},
		&HoltWinters{Period: -1}, &HoltWinters{Period2: -1},
		&HoltWinters{Period: 2, seasons: seasons{Season: []float64{1, 2}}}, &HoltWinters{Period: 2, seasons: seasons{Season: []float64{1}, Season2: []float64{0}}},
		&HoltWinters{Period: 1, seasons: seasons{Season: []float64{0}, Season2: []float64{0, 1}}}, &HoltWinters{seasons: seasons{Season2: []float64{0}}}, &HoltWinters{seasons: seasons{Season: []float64{0}}},
		&Mean{recent: recent{At: 1}}, &Mean{Window: mostPeriod + 1}, &SeasonalNaive{Period: mostPeriod + 1}, &HoltWinters{seasons: seasons{Level: inf}},
		&Harmonic{Period: 1}, &Harmonic{Period: nan}, &Harmonic{waves: waves{Sine: []float64{1}}},
		&Harmonic{waves: waves{Sine: make([]float64, 7), Cosine: make([]float64, 7)}}, &Harmonic{waves: waves{Sine: []float64{nan}, Cosine: []float64{1}}}, &Harmonic{waves: waves{Trend: inf}},
		&Autoregression{Period: -1}, &Autoregression{Period2: -1}, &Autoregression{Difference: -1}, &Autoregression{MaxLags: -1},
		&Autoregression{Lags: []int{1}}, &Autoregression{Lags: []int{0}, Coef: []float64{1}}, &Autoregression{Lags: []int{2, 1}, Coef: []float64{1, 1}},
		&Autoregression{Lags: []int{1}, Coef: []float64{nan}}, &Autoregression{memory: memory{Last: []float64{1, 2}}}, &Autoregression{Constant: nan},
		&Autoregression{Lags: []int{mostPeriod + 1}, Coef: []float64{0}}, &Autoregression{Lags: []int{1, 1}, Coef: []float64{0, 0}},
		&Autoregression{Lags: []int{1}, Coef: []float64{math.Nextafter(Largest, inf)}}, &Autoregression{memory: memory{Level: inf}},
		&Fitter{Season: -1}, &Fitter{Horizon: -1},
	} {
		var in *inputerr.Error
		if err := m.Validate(); !errors.As(err, &in) || in.Field == "" {
			t.Errorf("%T %+v: %v", m, m, err)
		}
	}
	for _, m := range []validator{
		// What has taken nothing is valid, whatever it is to have.
		&Mean{Window: mostPeriod}, &SeasonalNaive{Period: mostPeriod}, &SeasonalNaive{Period: 3}, &HoltWinters{}, &HoltWinters{Period: 3, Period2: 6}, &Autoregression{Lags: []int{1}, Coef: []float64{1}, Difference: 7}, &Mean{Window: 3},
		&Autoregression{Lags: []int{mostPeriod}, Coef: []float64{-Largest}, memory: memory{Last: make([]float64, mostPeriod)}},
		&Autoregression{Lags: []int{1, 2}, Coef: []float64{0, Largest}, Difference: 3, memory: memory{Last: make([]float64, 5), Seen: 5, At: 4, N: 5}},
	} {
		if err := m.Validate(); err != nil {
			t.Error(err)
		}
	}
}
