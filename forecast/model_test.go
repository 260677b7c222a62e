package forecast

import (
	"errors"
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

// everyModel returns each model with factors, a start needed, and the number of
// observations that it needs to be ready.
func everyModel() map[string]starter {
	models := map[string]starter{}
	for _, name := range Names() {
		m, err := New(name)
		if err != nil {
			panic(err)
		}
		models[name] = m.(starter)
	}
	models["predictor"] = &Predictor{Model: &smoothing.Holt{Alpha: .3, Beta: .1}}
	models["rolling"] = &Rolling{Predictor: Predictor{Model: &smoothing.Blend{}}, Keep: 40}
	return models
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
		if name == "rolling" || name == "triple" || name == "adaptive-triple" {
			continue
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

// No input makes a state or a forecast that is not finite, and Validate says so.
func TestAlwaysFinite(t *testing.T) {
	huge := []float64{1e150, -1e150, math.Inf(1), math.Inf(-1), math.MaxFloat64, math.NaN(), 1e-320, 0, -5}
	for name, m := range everyModel() {
		if h, ok := m.(*smoothing.Triple); ok { // run away, with unstable factors
			h.Alpha, h.Beta, h.Gamma = .05, 1, .5
		}
		f := make([]float64, 156)
		for i := range 5000 {
			m.Update(huge[(i*i+i/7)%len(huge)])
			m.Forecast(f)
			for j, x := range f {
				if math.IsNaN(x) || math.IsInf(x, 0) {
					t.Fatalf("%s: after %d observations the forecast %d steps ahead is %v", name, i+1, j+1, x)
				}
			}
		}
		if h, ok := m.(*smoothing.Triple); ok {
			h.Alpha = 1
		}
		if err := m.(validator).Validate(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Limits and states that are out of range are told.
func TestValidate(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for i, m := range []validator{
		&Predictor{}, &Predictor{Model: &smoothing.Simple{Alpha: 2}},
		&Predictor{Model: &smoothing.Naive{}, tally: tally{Peak: inf}}, &Predictor{Model: &smoothing.Naive{}, tally: tally{Growth: []float64{nan}}},
		&Predictor{Model: &smoothing.Naive{}, Limits: Limits{Multiple: -1}},
		&Rolling{Predictor: Predictor{Model: &smoothing.Naive{}}, streamed: streamed{Since: -1}}, &Rolling{Predictor: Predictor{Model: &smoothing.Naive{}}, streamed: streamed{History: history{inf}}},
	} {
		var in *InputError
		if err := m.Validate(); !errors.As(err, &in) || in.Unwrap() == nil {
			t.Errorf("%d: %+v has the error %v", i, m, err)
		}
	}
}

// starter is a model that reports when its start is complete.
type starter interface {
	smoothing.Model
	readier
}
