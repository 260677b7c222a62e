package smoothing

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// airPassengers is the series of [Box76], monthly thousands from 1949 to 1960, that
// the reference programs were run on.
var airPassengers = []float64{
	112, 118, 132, 129, 121, 135, 148, 148, 136, 119, 104, 118,
	115, 126, 141, 135, 125, 149, 170, 170, 158, 133, 114, 140,
	145, 150, 178, 163, 172, 178, 199, 199, 184, 162, 146, 166,
	171, 180, 193, 181, 183, 218, 230, 242, 209, 191, 172, 194,
	196, 196, 236, 235, 229, 243, 264, 272, 237, 211, 180, 201,
	204, 188, 235, 227, 234, 264, 302, 293, 259, 229, 203, 229,
	242, 233, 267, 269, 270, 315, 364, 347, 312, 274, 237, 278,
	284, 277, 317, 313, 318, 374, 413, 405, 355, 306, 271, 306,
	315, 301, 356, 348, 355, 422, 465, 467, 404, 347, 305, 336,
	340, 318, 362, 348, 363, 435, 491, 505, 404, 359, 310, 337,
	360, 342, 406, 396, 420, 472, 548, 559, 463, 407, 362, 405,
	417, 391, 419, 461, 472, 535, 622, 606, 508, 461, 390, 432,
}

// close10 reports whether got equals want to 10 significant digits.
func close10(got, want float64) bool { return math.Abs(got-want) <= 0.5e-9*math.Abs(want) }

// sse returns the sum of the squared one-step errors of m over series.
func sse(m Model, series []float64) float64 {
	var f [1]float64
	sum := 0.0
	for _, x := range series {
		m.Forecast(f[:])
		sum += (x - f[0]) * (x - f[0])
		m.Update(x)
	}
	return sum
}

// R forecast 8.20, holt(initial="simple"), and statsmodels 0.13.5,
// Holt(initialization_method="known"), at alpha .5, beta .1. They print 10 decimals
// of the forecasts and 6 of the SSE.
func TestReferenceHolt(t *testing.T) {
	for _, tt := range []struct {
		name string
		phi  float64
		want []float64
		sse  float64
	}{
		{"undamped", 0, []float64{439.3937133773, 436.5579909031, 433.7222684289, 430.8865459546, 428.0508234804}, 283463.600424},
		{"undamped, phi 1", 1, []float64{439.3937133773, 436.5579909031, 433.7222684289, 430.8865459546, 428.0508234804}, 283463.600424},
		{"damped", .9, []float64{434.1848020890, 429.8270120179, 425.9050009539, 422.3751909963, 419.1983620345}, 271207.944690},
	} {
		m := Holt{Alpha: .5, Beta: .1, Phi: tt.phi}
		for _, x := range airPassengers {
			m.Update(x)
		}
		given := Holt{Alpha: .5, Beta: .1, Phi: tt.phi, motion: motion{Level: 112, Trend: 6, N: 2}}
		if got := sse(&given, airPassengers); !close10(got, tt.sse) {
			t.Errorf("%s: SSE %.6f, want %.6f", tt.name, got, tt.sse)
		}
		got := make([]float64, 5)
		for _, m := range []*Holt{&m, &given} {
			m.Forecast(got)
			for i := range got {
				if !close10(got[i], tt.want[i]) {
					t.Errorf("%s: forecast %d steps ahead is %.10f, want %.10f", tt.name, i+1, got[i], tt.want[i])
				}
			}
		}
		if m.Level != given.Level || m.Trend != given.Trend {
			t.Errorf("%s: the start by itself gives %+v, given %+v", tt.name, m, given)
		}
	}
}

// The trend of the start takes account of missing observations between the two.
func TestStartGap(t *testing.T) {
	nan := math.NaN()
	for name, m := range map[string]Model{"holt": &Holt{}, "triple": &Triple{}, "drift": &drift{}} {
		for _, x := range []float64{nan, 10, nan, nan, 40} {
			m.Update(x)
		}
		var f [2]float64
		m.Forecast(f[:])
		// A step is 10. With factors of 0, the start is one step further than the
		// line through the two, which goes for the start of the reference programs.
		want := 60.0
		if name == "drift" {
			want = 50
		}
		if f[0] != want || f[1] != want+10 {
			t.Errorf("%s: forecast %v, want %v and %v", name, f, want, want+10)
		}
	}
}

// What is forecast before there are enough observations: 0 without any, the first
// one after it.
func TestStart(t *testing.T) {
	for name, m := range everyModel() {
		f := []float64{7, 7, 7}
		m.Forecast(f)
		m.Forecast(nil)
		if f[0] != 0 || f[2] != 0 || m.Ready() {
			t.Errorf("%s: without an observation the forecast is %v, Ready %v", name, f, m.Ready())
		}
		for _, x := range []float64{math.NaN(), math.Inf(1), -1e151} {
			m.Update(x)
		}
		if m.Forecast(f); f[0] != 0 || m.Ready() {
			t.Errorf("%s: after missing ones alone the forecast is %v", name, f)
		}
		m.Update(42)
		if m.Forecast(f); f[0] != 42 || f[2] != 42 {
			t.Errorf("%s: after 42 alone the forecast is %v", name, f)
		}
		m.Update(42)
		if m.Forecast(f); f[0] != 42 || f[2] != 42 || !m.Ready() {
			t.Errorf("%s: after 42 twice the forecast is %v, Ready %v", name, f, m.Ready())
		}
	}
}

// A missing observation moves a model on by a step: its forecast is then what it
// was for the step after. As printed, [Niu16] Eq. (7) does not agree with Eq. (6)
// on where a step leads; that is the bias.
func TestMissing(t *testing.T) {
	for name, m := range everyModel() {
		switch name {
		case "triple":
			continue
		case "adaptive-triple":
			m = &AdaptiveTriple{Model: Triple{Form: Midpoint, Beta: .1}, Gamma: .1}
		}
		for _, x := range airPassengers[:30] {
			m.Update(x)
		}
		before, after := make([]float64, 8), make([]float64, 5)
		m.Forecast(before)
		m.Update(math.NaN())
		m.Update(math.Inf(1))
		m.Update(math.NaN())
		m.Forecast(after)
		for i := range after {
			if math.Abs(after[i]-before[i+3]) > 1e-9*math.Abs(before[i+3]) {
				t.Errorf("%s: after three missing ones the forecast %d steps ahead is %v, want %v", name, i+1, after[i], before[i+3])
			}
		}
	}
}

// Whatever is observed, missing values and the largest among them: models stay valid, and forecast
// numbers; also with factors with which they run away.
func TestAlwaysFinite(t *testing.T) {
	values := []float64{Largest, -Largest, Largest / 2, 1, 0, -1, 1e-320, 1e-300, math.NaN(), math.Inf(1), math.Inf(-1), 2 * Largest, math.MaxFloat64}
	f := make([]float64, 156)
	for seed := range uint64(20) {
		models := modelsToLimit()
		for _, m := range everyModel() {
			models = append(models, m)
		}
		models = append(models, &Triple{Alpha: .05, Beta: 1, Gamma: .5})
		for k, m := range models {
			rng := rand.New(rand.NewPCG(seed, 4))
			for range 60 {
				x := values[rng.IntN(len(values))]
				m.Update(x)
				if err := m.Validate(); err != nil && k < len(models)-1 {
					t.Fatalf("%T, seed %d: after %v: %v: %+v", m, seed, x, err, m)
				}
				m.Forecast(f)
				for i, y := range f {
					if math.IsNaN(y) || math.IsInf(y, 0) {
						t.Fatalf("%T, seed %d: forecasts %v at step %d: %+v", m, seed, y, i+1, m)
					}
				}
			}
		}
	}
}

// everyModel returns each model with factors, a start needed.
func everyModel() map[string]Model {
	models := map[string]Model{}
	for _, name := range Names() {
		m, err := New(name)
		if err != nil {
			panic(err)
		}
		models[name] = m
	}
	return models
}

// A long silence in a start counts as a million steps, and takes no longer.
func TestLongSilence(t *testing.T) {
	for _, m := range []Model{&Holt{Alpha: .5, motion: motion{N: 1, Gap: mostGap}}, &Triple{Alpha: .5, motion: motion{N: 1, Gap: mostGap}}} {
		m.Update(math.NaN())
		if err := m.Validate(); err != nil {
			t.Errorf("after a long silence %+v: %v", m, err)
		}
		if m.Update(1); !m.Ready() {
			t.Errorf("%+v is not ready", m)
		}
	}
}

// √(h·(1 + h/T)) by hand: four steps to the last observation.
func TestDriftSpread(t *testing.T) {
	var m drift
	for _, x := range []float64{3, 1, 4, 1, 5} {
		m.Update(x)
	}
	got := make([]float64, 4)
	m.Spread(got)
	if d := cmp.Diff([]float64{math.Sqrt(1.25), math.Sqrt(3), math.Sqrt(5.25), math.Sqrt(8)}, got); d != "" {
		t.Error(d)
	}
}

// fitted fits a model to a series.
func fitted(t *testing.T, m Model, f *Fitter, series []float64) Fit {
	t.Helper()
	fit, err := m.Fit(f, series)
	if err != nil {
		t.Fatalf("%T: %v", m, err)
	}
	return fit
}
