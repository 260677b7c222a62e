package forecast

import (
	"math"
	"testing"
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
		given := Holt{Alpha: .5, Beta: .1, Phi: tt.phi, Level: 112, Trend: 6, N: 2}
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
