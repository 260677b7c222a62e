package forecast

import (
	"math"
	"testing"

	"github.com/plimsoll/plimsoll/forecast/smoothing"
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

// sse returns the sum of the squared one-step errors of m over series.
func sse(m smoothing.Model, series []float64) float64 {
	var f [1]float64
	sum := 0.0
	for _, x := range series {
		m.Forecast(f[:])
		sum += (x - f[0]) * (x - f[0])
		m.Update(x)
	}
	return sum
}

// named returns a new model of a name.
func named(name string) smoothing.Model {
	m, err := New(name)
	if err != nil {
		panic(err)
	}
	return m
}

// wrappers returns what stands around models, and forecasts as they do.
func wrappers() map[string]interface {
	Update(x float64)
	Forecast(dst []float64)
	Ready() bool
	Validate() error
} {
	return map[string]interface {
		Update(x float64)
		Forecast(dst []float64)
		Ready() bool
		Validate() error
	}{
		"auto":      &auto{},
		"predictor": &Predictor{Model: &smoothing.Holt{Alpha: .3, Beta: .1}},
		"rolling":   &Rolling{Predictor: Predictor{Model: named("blend")}, Keep: 40},
	}
}

// Before there are enough observations the forecast is 0 without any, and then the first one. A
// missing observation moves a model on by a step: its forecast is then what it was for the step
// after. No input makes a state or a forecast that is not finite.
func TestWrappersForecastAsModels(t *testing.T) {
	for name, m := range wrappers() {
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
		for range 2 {
			m.Update(42)
			if m.Forecast(f); f[0] != 42 || f[2] != 42 {
				t.Errorf("%s: after 42 alone the forecast is %v", name, f)
			}
		}
		if !m.Ready() {
			t.Errorf("%s: not ready after two observations", name)
		}
	}
	for name, m := range wrappers() {
		for _, x := range airPassengers[:30] {
			m.Update(x)
		}
		before, after := make([]float64, 8), make([]float64, 5)
		m.Forecast(before)
		for _, x := range []float64{math.NaN(), math.Inf(1), math.NaN()} {
			m.Update(x)
		}
		m.Forecast(after)
		for i := range after {
			if math.Abs(after[i]-before[i+3]) > 1e-9*math.Abs(before[i+3]) && name != "rolling" {
				t.Errorf("%s: after three missing ones the forecast %d steps ahead is %v, want %v", name, i+1, after[i], before[i+3])
			}
		}
		huge := []float64{1e150, -1e150, math.Inf(1), math.Inf(-1), math.MaxFloat64, math.NaN(), 1e-320, 0, -5}
		path := make([]float64, 156)
		for i := range 5000 {
			m.Update(huge[(i*i+i/7)%len(huge)])
			m.Forecast(path)
			for j, x := range path {
				if math.IsNaN(x) || math.IsInf(x, 0) {
					t.Fatalf("%s: after %d observations the forecast %d steps ahead is %v", name, i+1, j+1, x)
				}
			}
		}
		if err := m.Validate(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// fitTo fits a model, or a Predictor, to a series.
func fitTo(t *testing.T, m interface {
	Fit(f *smoothing.Fitter, series []float64) (smoothing.Fit, error)
}, f *smoothing.Fitter, series []float64) smoothing.Fit {
	t.Helper()
	fit, err := m.Fit(f, series)
	if err != nil {
		t.Fatal(err)
	}
	return fit
}
