package forecast

import "testing"

// The SSE that R's free fits have on the series, with the parameters that
// forecast 8.20 prints for holt and for ets with a damped trend, run here.
func TestFitReference(t *testing.T) {
	for _, tt := range []struct {
		name string
		r    Holt // parameters, and the state before the series
		fit  Holt
		free int
	}{
		{"holt", Holt{Alpha: .999899996178, Beta: .000100007143856 / .999899996178, Level: 119.751690163, Trend: 1.59627323372, N: 2}, Holt{}, 4},
		{"damped", Holt{Alpha: .999899475835, Beta: .00010001556 / .999899475835, Phi: .979999688965, Level: 118.471909466, Trend: 1.95160849635, N: 2}, Holt{Phi: .9}, 5},
	} {
		want := sse(&tt.r, airPassengers)
		var f Fitter
		fit, err := tt.fit.Fit(&f, airPassengers)
		if err != nil {
			t.Fatal(err)
		}
		if fit.SSE > want {
			t.Errorf("%s: SSE %.3f, R's fit has %.3f", tt.name, fit.SSE, want)
		}
		if fit.N != 144 || fit.Free != tt.free {
			t.Errorf("%s: %d errors, %d free parameters, want 144, %d", tt.name, fit.N, fit.Free, tt.free)
		}
		t.Logf("%s: SSE %.3f, R's fit has %.3f; %d evaluations", tt.name, fit.SSE, want, fit.Evaluations)
	}
}
