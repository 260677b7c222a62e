package smoothing

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// canOpeners is the worked series of [Makridakis98] section 4/3/2.
var canOpeners = []float64{200, 135, 195, 197.5, 310, 175, 155, 130, 220, 277.5, 235}

// The tables of an independent program, 4 decimals: the forecast of each period, its
// error, E and M after it, and the factor used.
func TestTriggLeachTables(t *testing.T) {
	type row struct{ f, e, E, M, alpha float64 }
	rows := []row{
		{200, -65, -13.0, 13.0, 0.2},
		{187.0, 8.0, -8.8, 12.0, 0.2},
		{188.6, 8.9, -5.26, 11.38, 0.2},
		{190.38, 119.62, 19.716, 33.028, 0.5969},
		{261.7869, -86.7869, -1.5846, 43.7798, 0.0362},
		{258.6457, -103.6457, -21.9968, 55.753, 0.3945},
		{217.7533, -87.7533, -35.1481, 62.153, 0.5655},
		{168.128, 51.872, -17.7441, 60.0968, 0.2953},
		{183.4436, 94.0564, 4.616, 66.8887, 0.069},
		{189.9345, 45.0655, 12.7059, 62.5241, 0.2032},
	}
	rule := AdaptiveTriple{Signal: Signal{Phi: .2}}
	level := canOpeners[0]
	for i, x := range canOpeners[1:] {
		f := level
		alpha := rule.factor(x - f)
		level += alpha * (x - f)
		s := rule.Signal
		got, want := row{f, x - f, s.E, s.M, alpha}, rows[i]
		for j, d := range []float64{got.f - want.f, got.e - want.e, got.E - want.E, got.M - want.M, got.alpha - want.alpha} {
			if math.Abs(d) > 5.1e-5 {
				t.Errorf("period %d, column %d: %v, want %v", i+2, j, got, want)
			}
		}
	}
	if math.Abs(level-199.092528) > 5e-7 {
		t.Errorf("next forecast %.6f, want 199.092528", level)
	}
}

// A factor is cut to its least and its most, after the first errors.
func TestTriggLeachCuts(t *testing.T) {
	for _, c := range []struct {
		phi    float64
		errors []float64
		want   float64
	}{
		{0, []float64{3, 3, 3}, .2},
		{0, []float64{3, 3, 3, 3}, 1},
		{.5, []float64{4, -4, 4, -3}, 3. / 13}, // E = -.75, M = 3.25
		{0, []float64{0, 0, 0, 0}, .02},
	} {
		r, got := AdaptiveTriple{Signal: Signal{Phi: c.phi}}, 0.0
		for _, e := range c.errors {
			got = r.factor(e)
		}
		if math.Abs(got-c.want) > 1e-15 {
			t.Errorf("phi %v after errors of %v: %v, want %v", c.phi, c.errors, got, c.want)
		}
	}
}

// What white noise gives, by phi: the columns of an independent program with 200,000
// errors, which depend on each other, and so to about .01.
func TestSignalWhiteNoise(t *testing.T) {
	for _, tt := range []struct{ phi, mean, median, p90, p99 float64 }{
		{.05, .162, .139, .331, .496},
		{.1, .229, .2, .465, .674},
		{.2, .331, .301, .653, .856},
		{.3, .412, .393, .784, .943},
	} {
		rng := rand.New(rand.NewPCG(13, 14)) // seed 13, 14
		s := Signal{Phi: tt.phi}
		var all []float64
		sum := 0.0
		for i := range 200_100 {
			s.Update(rng.NormFloat64())
			if i >= 100 {
				v := math.Abs(s.TrackingSignal())
				all = append(all, v)
				sum += v
			}
		}
		slices.Sort(all)
		at := func(q float64) float64 { return all[int(q*float64(len(all)))] }
		for _, c := range [][2]float64{{sum / float64(len(all)), tt.mean}, {at(.5), tt.median}, {at(.9), tt.p90}, {at(.99), tt.p99}} {
			if math.Abs(c[0]-c[1]) > .01 {
				t.Errorf("phi %v: %.3f, want %.3f", tt.phi, c[0], c[1])
			}
		}
	}
}

func TestSignal(t *testing.T) {
	var s Signal
	if s.TrackingSignal() != 0 || s.Alarm(0) {
		t.Error("a signal that has seen nothing is not 0")
	}
	s.Update(0)
	s.Update(math.NaN())
	s.Update(math.Inf(-1))
	if s.TrackingSignal() != 0 || s.N != 1 {
		t.Errorf("0/0 gives %v after %d errors, want 0 after 1", s.TrackingSignal(), s.N)
	}
	for range 500 {
		s.Update(-3)
	}
	if s.TrackingSignal() != -1 || !s.Alarm(.99) {
		t.Errorf("errors on one side give %v, want -1", s.TrackingSignal())
	}
	if err := s.Validate(); err != nil {
		t.Error(err)
	}
}

// Adaptive triples stay with white noise; with γ at nine tenths of the limit of the
// present α, each transition stable, they do not: pointwise stability is not enough.
func TestAdaptiveTripleNoise(t *testing.T) {
	noise := func(update func(x float64), m Model) float64 {
		rng := rand.New(rand.NewPCG(17, 18)) // seed 17, 18
		var f [1]float64
		sum := 0.0
		const n = 20_000
		for range n {
			x := rng.NormFloat64()
			m.Forecast(f[:])
			sum += (x - f[0]) * (x - f[0])
			update(x)
		}
		return math.Sqrt(sum / n)
	}
	for form := range Form(3) {
		for _, beta := range []float64{.1, .5, .9, 1} {
			for _, all := range []bool{false, true} {
				m := AdaptiveTriple{Model: Triple{Form: form, Beta: beta}, Gamma: 1, All: all}
				if rms := noise(m.Update, &m); !(rms < 3) {
					t.Errorf("%v, beta %v, all %v: errors of %v", form, beta, all, rms)
				}
			}
		}
		m := Triple{Form: form, Beta: .9}
		var r AdaptiveTriple
		rms := noise(func(x float64) {
			if m.N > 1 {
				m.Alpha = r.factor(x - m.predict())
				m.Gamma = min(.9, .9*m.GammaLimit())
				if !m.Stable() {
					t.Fatalf("not stable: %+v", m)
				}
			}
			m.Update(x)
		}, &m)
		if rms < 1000 {
			t.Errorf("%v: errors of %v only with gamma near the present limit", form, rms)
		}
	}
}

// The models that adapt recover from a jump sooner than with the factor fixed at
// the first one, and their factors never leave the stability region.
func TestAdaptiveModels(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 16)) // seed 15, 16
	var series []float64
	for i := range 400 {
		level := 100.0
		if i >= 200 {
			level = 200
		}
		series = append(series, level+5*rng.NormFloat64())
	}
	for _, all := range []bool{false, true} {
		models := []*AdaptiveTriple{
			{Model: Triple{Beta: .1}, Gamma: .5, All: all},
			{Model: Triple{Form: Midpoint, Beta: .5}, Gamma: .9, All: all},
			{Model: Triple{Form: BackwardDifference, Beta: .9}, Gamma: .9, All: all},
		}
		for i, m := range models {
			var f [1]float64
			for k, x := range series {
				m.Update(x)
				m.Forecast(f[:])
				if !(math.Abs(f[0]) < 2000) {
					t.Fatalf("model %d: forecast %v at %d", i, f[0], k)
				}
				if k > 1 && !m.Model.Stable() {
					t.Fatalf("model %d: unstable at %d: %+v", i, k, m.Model)
				}
				if err := m.Validate(); err != nil {
					t.Fatal(err)
				}
				if all && k > 1 && m.Model.Beta != m.Model.Alpha {
					t.Fatalf("one signal for all: alpha %v, beta %v", m.Model.Alpha, m.Model.Beta)
				}
				if i == 0 && k == 205 && f[0] < 195 {
					t.Errorf("six steps after the jump to 200 the forecast is %v", f[0])
				}
			}
			if f[0] < 150 || f[0] > 250 {
				t.Errorf("model %d, all %v: forecast %v at the end, want about 200", i, all, f[0])
			}
		}
	}
	fixed := Simple{Alpha: adaptiveFirst}
	for _, x := range series[:206] {
		fixed.Update(x)
	}
	if fixed.Level > 180 {
		t.Errorf("the fixed factor got to %v as well: the test shows nothing", fixed.Level)
	}
}
