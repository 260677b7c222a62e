package smoothing

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/plimsoll/plimsoll/forecast/internal/boxcox"
	_ "github.com/plimsoll/plimsoll/internal/seeded" // repeatable
)

// seriesOf draws series of small numbers, some of them missing.
func seriesOf(least, most int) *rapid.Generator[[]float64] {
	return rapid.Custom(func(t *rapid.T) []float64 {
		series := rapid.SliceOfN(rapid.Map(rapid.IntRange(-50, 400), func(i int) float64 { return float64(i) / 4 }), least, most).Draw(t, "series")
		if rapid.Bool().Draw(t, "gaps") {
			for i := range series {
				if rapid.IntRange(0, 7).Draw(t, "missing") == 0 {
					series[i] = math.NaN()
				}
			}
		}
		return series
	})
}

// models draws a model with factors in their range.
func models() *rapid.Generator[Model] {
	return rapid.Custom(func(t *rapid.T) Model {
		unit := rapid.Map(rapid.IntRange(0, 20), func(i int) float64 { return float64(i) / 20 })
		a, b, c := unit.Draw(t, "alpha"), unit.Draw(t, "beta"), unit.Draw(t, "gamma")
		all := rapid.Bool().Draw(t, "all")
		triple := Triple{Form: Form(rapid.IntRange(0, 2).Draw(t, "form")), Alpha: a, Beta: b, Gamma: c}
		triple.Clamp()
		holt := Holt{Alpha: a, Beta: b, Phi: c}
		season := rapid.IntRange(0, 5).Draw(t, "season")
		switch rapid.IntRange(0, 12).Draw(t, "model") {
		case 0:
			return &naive{}
		case 1:
			return &drift{}
		case 2:
			return &Simple{Alpha: a}
		case 3:
			return &Holt{Alpha: a, Beta: b}
		case 4:
			return &holt
		case 5:
			return &triple
		case 6:
			return &AdaptiveTriple{Model: triple, Gamma: c, All: all}
		case 7:
			return &SeasonalNaive{Period: season}
		case 8:
			return &Mean{Window: season}
		case 9:
			return &HoltWinters{Period: season, Period2: 2 * season, Alpha: a / 2, Beta: b, Gamma: c / 4, Delta: b / 4, Phi: c, Rho: a / 2}
		case 10:
			return &Harmonic{Period: float64(2 * season), Alpha: a, Beta: b / 2, Phi: c, Gamma: c / 10, waves: waves{Sine: []float64{0, 0}, Cosine: []float64{0, 0}}}
		case 11:
			return &Autoregression{Difference: 1 + season, Lags: []int{1, 3}, Coef: []float64{a / 2, -b / 2}}
		default:
			return &blend{Near: holt, Far: Holt{Alpha: b, Beta: a, Phi: .9}}
		}
	})
}

// twin returns a copy of a model that shares nothing with it.
func twin(m Model) Model {
	state, err := json.Marshal(m)
	if err != nil {
		panic(err)
	}
	c := reflect.New(reflect.TypeOf(m).Elem()).Interface().(Model)
	if err := json.Unmarshal(state, c); err != nil {
		panic(err)
	}
	return c
}

// A model of a·x + b is that of x, times a and plus b: units and origin do not
// matter, and no factor depends on them.
func TestPropEquivariant(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := models().Draw(t, "model")
		n := twin(m)
		series := seriesOf(0, 40).Draw(t, "series")
		a := float64(rapid.SampledFrom([]int{-8, -2, 2, 4}).Draw(t, "a")) // exact, so that signals are the same
		b := float64(rapid.IntRange(-64, 64).Draw(t, "b"))
		for i, x := range series {
			m.Update(x)
			n.Update(a*x + b)
			if err := m.Validate(); err != nil {
				t.Fatalf("after %d: %v", i+1, err)
			}
		}
		if !m.Ready() {
			return
		}
		f, g := make([]float64, 8), make([]float64, 8)
		m.Forecast(f)
		n.Forecast(g)
		size := 0.0
		for i := range f {
			size = max(size, math.Abs(f[i]))
		}
		for i := range f {
			if want := a*f[i] + b; math.Abs(g[i]-want) > 1e-7*(1000+size) {
				t.Fatalf("%d steps ahead: %v, want %v", i+1, g[i], want)
			}
		}
	})
}

// A constant series is forecast to stay, whatever the factors; and a line to go
// on, by models with an undamped trend.
func TestPropExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := models().Draw(t, "model")
		c := float64(rapid.IntRange(-9, 9).Draw(t, "c"))
		var f [5]float64
		for range rapid.IntRange(1, 50).Draw(t, "n") {
			m.Update(c)
			m.Forecast(f[:])
			for i, x := range f {
				if math.Abs(x-c) > 1e-9 {
					t.Fatalf("%v forecast %d steps ahead, want %v", x, i+1, c)
				}
			}
		}
		slope := float64(rapid.IntRange(-5, 5).Draw(t, "slope"))
		for _, m := range []Model{&drift{},
			&Holt{Alpha: .6, Beta: .4, motion: motion{Level: c, Trend: slope, N: 2}}, &Triple{Alpha: .6, Beta: .4, Gamma: .2, motion: motion{Level: c, Trend: slope, N: 2}},
			&Triple{Form: Midpoint, Alpha: .6, Beta: .4, Gamma: .2, motion: motion{Level: c, Trend: slope, N: 2}}} {
			for k := range 20 {
				m.Update(c + slope*float64(k+1))
			}
			m.Forecast(f[:])
			for i, x := range f {
				if want := c + slope*float64(21+i); math.Abs(x-want) > 1e-9 {
					t.Fatalf("%T: %v forecast %d steps ahead, want %v", m, x, i+1, want)
				}
			}
		}
	})
}

// sameState reports whether two models have the same JSON form.
func sameState(t *rapid.T, m, n Model) bool {
	a, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(n)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Equal(a, b)
}

func twinOf(t *rapid.T, name string) Model {
	m, err := New(name)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// The tracking signal stays in [−1, 1], and turns with the sign of the errors.
func TestPropSignal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s, r Signal
		s.Phi = rapid.Float64Range(0, 1).Draw(t, "phi")
		r.Phi = s.Phi
		for _, e := range rapid.SliceOf(rapid.Float64()).Draw(t, "errors") {
			s.Update(e)
			r.Update(-e)
			if v := s.TrackingSignal(); !(v >= -1 && v <= 1) || v != -r.TrackingSignal() {
				t.Fatalf("%v, with the signs turned %v", v, r.TrackingSignal())
			}
		}
		if err := s.Validate(); err != nil {
			t.Fatal(err)
		}
	})
}

// A fit is no worse than any other factors and start, leaves its input alone, is
// the same from a dirty Fitter, is in its bounds, and does not depend on units.
func TestPropFit(t *testing.T) {
	var dirty Fitter
	rapid.Check(t, func(t *rapid.T) {
		series := seriesOf(10, 40).Draw(t, "series")
		name := rapid.SampledFrom(Names()).Draw(t, "name")
		steps := rapid.IntRange(0, 4).Draw(t, "steps")
		m, err := New(name)
		if err != nil {
			t.Fatal(err)
		}
		n, o := twinOf(t, name), twinOf(t, name)
		before := slices.Clone(series)
		fresh := Fitter{Steps: steps}
		dirty.Steps = steps
		fit, err := m.Fit(&fresh, series)
		if !slices.EqualFunc(before, series, func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }) {
			t.Fatal("the series was changed")
		}
		again, err2 := n.Fit(&dirty, series)
		if (err == nil) != (err2 == nil) || !cmp.Equal(fit, again, cmpopts.EquateNaNs(), cmpopts.EquateEmpty()) || err == nil && !sameState(t, m, n) {
			t.Fatalf("%+v, %v from a fresh Fitter, %+v, %v from a dirty one", m, err, n, err2)
		}
		if err != nil {
			return // too few values
		}
		if err := m.Validate(); err != nil {
			t.Fatalf("%+v: %v", m, err)
		}
		if n := len(fit.Residuals); n > len(series) {
			t.Fatalf("%d residuals of %d values", n, len(series))
		}
		sum, count := 0.0, 0
		for _, e := range fit.Residuals {
			if e == e {
				sum += e * e
				count++
			}
		}
		if math.Abs(sum-fit.SSE) > 1e-9*(1+sum) || count != fit.N {
			t.Fatalf("residuals have SSE %v of %d, the fit says %v of %d", sum, count, fit.SSE, fit.N)
		}
		scaled := make([]float64, len(series))
		for i, x := range series {
			scaled[i] = 4 * x
		}
		other, err := o.Fit(&dirty, scaled)
		if boxcox.Of(m) != 1 {
			return // its errors are ratios
		}
		if err != nil || math.Abs(other.SSE-16*fit.SSE) > 1e-6*(1+16*fit.SSE) {
			t.Fatalf("times 4 the SSE is %v, %v, want 16·%v", other.SSE, err, fit.SSE)
		}
	})
}
