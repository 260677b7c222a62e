package smoothing

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// modelsToLimit returns a valid model of each kind, after some observations.
func modelsToLimit() []Model {
	models := []Model{
		&naive{}, &drift{}, &Simple{Alpha: .5}, &Mean{}, &Mean{Window: 2}, &Holt{Alpha: .5, Beta: .5, Phi: .9},
		&Triple{Alpha: .5, Beta: .5, Gamma: .5}, &Triple{Alpha: .5, Beta: .5, Gamma: .5, Form: Midpoint}, &Triple{Alpha: .5, Beta: .5, Gamma: .5, Form: BackwardDifference},
		&SeasonalNaive{Period: 2}, &HoltWinters{Period: 2, Alpha: .5, Beta: .5, Gamma: .5, Phi: .9, Rho: .5}, &HoltWinters{Period: 2, Period2: 4, Multiplicative: true, Alpha: .5, Beta: .5, Gamma: .5, Delta: .5},
		&Harmonic{Alpha: .5, Beta: .5, Gamma: .01, Phi: .9}, &Autoregression{Lags: []int{1, 2}, Coef: []float64{.5, .25}, Difference: 1},
	}
	for _, m := range models {
		for _, x := range []float64{3, 5, 4, 6, 8, 7} {
			m.Update(x)
		}
	}
	return models
}

// Forecasts come back into the range of observations, and what is no number is 0.
func TestWithin(t *testing.T) {
	dst := []float64{1, math.NaN(), math.Inf(1), math.Inf(-1), 2 * Largest, -2 * Largest, Largest, -Largest}
	within(dst)
	for i, want := range []float64{1, 0, Largest, -Largest, Largest, -Largest, Largest, -Largest} {
		if dst[i] != want {
			t.Errorf("forecast %d is %v, want %v", i, dst[i], want)
		}
	}
}

// A ratio to nothing, beside what it is measured by, is 0.
func TestQuotient(t *testing.T) {
	for _, c := range []struct{ a, b, by, want float64 }{
		{6, 3, 1, 2}, {6, -3, 1, -2}, {1, 0, 1, 0}, {1, 1e-13, 1, 0}, {1, -1e-13, 1, 0}, {1, 0x1p-39, 1, 0x1p39}, {1, 0x1p-39, 4, 0}, {1, 0x1p-39, -4, 0},
		{1, 0x1p-41, .25, 0x1p41}, {1, 0x1p-41, 1, 0},
	} {
		if got := quotient(c.a, c.b, c.by); got != c.want {
			t.Errorf("%v by %v, beside %v: %v, want %v", c.a, c.b, c.by, got, c.want)
		}
	}
}

// The windows of a mean: some of each season, and powers of 2 below the number of values.
func TestWindows(t *testing.T) {
	for _, c := range []struct {
		n, m1, m2 int
		want      []int
	}{
		{4, 1, 1, nil}, {5, 1, 1, []int{4}}, {16, 1, 1, []int{4, 8}}, {17, 1, 1, []int{4, 8, 16}},
		{9, 7, 1, []int{7, 14, 28, 56, 196, 4, 8}}, {5, 2, 3, []int{2, 4, 8, 16, 56, 3, 6, 12, 24, 84, 4}},
	} {
		if got := windowsOf(nil, c.n, c.m1, c.m2); !slices.Equal(got, c.want) {
			t.Errorf("%d values, seasons %d and %d: %v, want %v", c.n, c.m1, c.m2, got, c.want)
		}
	}
}

// The year of a harmonic model has as many weeks or days as the series says: a whole number,
// or that of the calendar.
func TestHarmonicYear(t *testing.T) {
	for _, c := range []struct {
		season, n int
		period    float64
	}{{52, 700, 52}, {52, 700, 365.25 / 7}, {365, 1900, 365}, {365, 1900, 365.25}, {24, 300, 24}} {
		rng := rand.New(rand.NewPCG(5, uint64(c.season)))
		series := make([]float64, c.n)
		for i := range series {
			series[i] = 50 + 20*math.Sin(2*math.Pi*float64(i)/c.period) + .1*rng.NormFloat64()
		}
		var m Harmonic
		if _, err := m.Fit(&Fitter{Season: c.season}, series); err != nil || m.Period != c.period {
			t.Errorf("a year of %v steps, season %d: %v, %v", c.period, c.season, m.Period, err)
		}
	}
}

// A model whose season is given another length begins anew.
func TestAnotherPeriodBeginsAnew(t *testing.T) {
	for _, c := range []struct{ used, fresh HoltWinters }{
		{HoltWinters{Period: 3, Alpha: .5, Gamma: .5}, HoltWinters{Period: 4, Alpha: .5, Gamma: .5}},
		{HoltWinters{Period: 3, Alpha: .5, Gamma: .5, Multiplicative: true}, HoltWinters{Period: 3, Period2: 6, Alpha: .5, Gamma: .5, Multiplicative: true}},
	} {
		for _, x := range []float64{5, 1, 3, 6, 2, 4, 7} {
			c.used.Update(x)
		}
		c.used.Period, c.used.Period2 = c.fresh.Period, c.fresh.Period2
		for _, x := range []float64{2, 4, 6, 8, 3} {
			c.used.Update(x)
			c.fresh.Update(x)
			if c.used.N != c.fresh.N || c.used.Seen != c.fresh.Seen || c.used.At != c.fresh.At {
				t.Fatalf("%d observations at %d, want %d at %d", c.used.N, c.used.At, c.fresh.N, c.fresh.At)
			}
		}
	}
}

// An error of twice Largest, between two observations, counts; a larger one is none.
func TestSignalTakes(t *testing.T) {
	for e, n := range map[float64]int{0: 1, 2 * Largest: 1, -2 * Largest: 1, math.Nextafter(2*Largest, math.Inf(1)): 0} {
		var s Signal
		if s.take(e); s.N != n {
			t.Errorf("an error of %v counts %d times", e, s.N)
		}
	}
}

// A line is forecast by a product, so that no rounding adds up.
func TestHoltLine(t *testing.T) {
	m := Holt{Alpha: .5, Beta: .1, motion: motion{Trend: .1, N: 2}}
	dst := make([]float64, 1000)
	m.Forecast(dst)
	for i, x := range dst {
		if x != float64(i+1)*.1 {
			t.Fatalf("%d steps ahead: %v", i+1, x)
		}
	}
}

// Waves need two seasons: of fewer values there are none.
func TestHarmonicTwoSeasons(t *testing.T) {
	for n, want := range map[int]float64{47: 1, 48: 24} {
		f, m := Fitter{Season: 24}, Harmonic{Alpha: .1, Beta: .1, Gamma: .01}
		if _, err := m.Fit(&f, rise(n, 24)); err != nil || m.Period != want && !(want == 1 && len(m.Sine) == 0) {
			t.Errorf("%d values: a period of %v with %d waves, want %v, %v", n, m.Period, len(m.Sine), want, err)
		}
	}
}

// A series is fitted from its first value on, in parts of the largest difference from that.
func TestStandard(t *testing.T) {
	var f Fitter
	if y := f.standard(nil, []float64{5, 7, math.NaN(), 2}); f.shift != 5 || f.scale != 3 || y[0] != 0 || y[1] != 2./3 || y[3] != -1 {
		t.Errorf("%v, %v, %v", f.shift, f.scale, y)
	}
	if y := f.standard(nil, []float64{5, 5}); f.shift != 5 || f.scale != 1 || y[1] != 0 {
		t.Errorf("%v, %v, %v", f.shift, f.scale, y)
	}
}

// Each number of a model has a range: its ends are valid, and what is beyond is not. Factors
// are from 0 to 1, what was seen is within Largest, and counts are not negative.
func TestValidateEachNumber(t *testing.T) {
	factors := map[string]float64{"Alpha": 1, "Beta": 1, "Gamma": 1, "Delta": 1, "Phi": 1, "Rho": 1}
	tried := 0
	for _, m := range modelsToLimit() {
		if err := m.Validate(); err != nil {
			t.Fatalf("%T: %v", m, err)
		}
		v := reflect.ValueOf(m).Elem()
		_, drift := m.(*drift)
		_, isMean := m.(*Mean)
		triple, repaired := m.(*Triple)
		repaired = repaired && triple.Form != AsPrinted
		try := func(name string, set func(), want bool) {
			tried++
			set()
			if err := m.Validate(); (err == nil) != want {
				t.Errorf("%T: %s: %v, valid is to be %v", m, name, err, want)
			}
		}
		float := func(name string, f reflect.Value, low, high float64) {
			was := f.Float()
			for _, x := range []struct {
				x    float64
				want bool
			}{{low, true}, {high, true}, {math.Nextafter(low, math.Inf(-1)), false}, {math.Nextafter(high, math.Inf(1)), false}, {math.NaN(), false}, {math.Inf(1), false}} {
				try(name, func() { f.SetFloat(x.x) }, x.want)
			}
			f.SetFloat(was)
		}
		for _, field := range reflect.VisibleFields(v.Type()) {
			f, name := v.FieldByIndex(field.Index), field.Name
			if !field.IsExported() || isMean && name == "Window" {
				continue
			}
			most, factor := factors[name]
			switch {
			case name == "Gamma" && repaired: // [Triple.Stable] says which
			case name == "Period" && f.Kind() == reflect.Float64:
				float(name, f, 2, mostPeriod)
			case f.Kind() == reflect.Float64 && factor:
				float(name, f, 0, most)
			case f.Kind() == reflect.Float64:
				float(name, f, -Largest, Largest)
			case f.Kind() == reflect.Slice && f.Type().Elem().Kind() == reflect.Float64 && name != "Coef" && name != "Cycles":
				for k := range f.Len() {
					float(name, f.Index(k), -Largest, Largest)
				}
			case name == "N":
				was := f.Int()
				try(name, func() { f.SetInt(mostCount) }, true)
				try(name, func() { f.SetInt(mostCount + 1) }, false)
				try(name, func() { f.SetInt(-1) }, false)
				f.SetInt(was)
			case name == "Gap":
				try(name, func() { f.SetInt(mostGap) }, true)
				try(name, func() { f.SetInt(mostGap + 1) }, drift) // which goes through none of them
				try(name, func() { f.SetInt(-1) }, false)
				f.SetInt(0)
			case strings.HasPrefix(name, "Period"), name == "At", name == "At2", name == "Seen", name == "Difference", name == "MaxLags":
				was := f.Int()
				try(name, func() { f.SetInt(-1) }, false)
				f.SetInt(was)
			}
		}
	}
	if tried < 300 {
		t.Errorf("%d numbers were tried", tried)
	}
}
