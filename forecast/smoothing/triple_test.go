package smoothing

import (
	"math"
	"math/rand/v2"
	"testing"
)

// quadraticError returns the one-step error of m at step n of d + v·k + a·k²/2.
func quadraticError(m Model, d, v, a float64, n int) float64 {
	var f [1]float64
	e := 0.0
	for k := 1; k <= n; k++ {
		x := d + v*float64(k) + a*float64(k)*float64(k)/2
		m.Forecast(f[:])
		e = x - f[0]
		m.Update(x)
	}
	return e
}

// On a quadratic without noise the error of Eq. (7) tends to a/(2·α), and those of
// the two repairs to 0, for all factors inside of the stability
// region, whatever the start.
func TestBias(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10)) // seed 9, 10
	counted := 0
	for range 3000 {
		m := Triple{Alpha: 1 - rng.Float64(), Beta: 1 - rng.Float64(), Gamma: 1 - rng.Float64()}
		d, v, a := 10*rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()
		const n = 3000
		size := math.Abs(d) + math.Abs(v)*n + math.Abs(a)*n*n/2
		for form := range Form(3) {
			m := m
			m.Form = form
			if !m.Stable() || math.Pow(m.radius(), n) > 1e-12 {
				continue
			}
			counted++
			want := 0.0
			if form == AsPrinted {
				want = a / (2 * m.Alpha)
			}
			if got := quadraticError(&m, d, v, a, n); math.Abs(got-want) > 1e-9*size {
				t.Errorf("%v, alpha %v, beta %v, gamma %v: error %v, want %v", form, m.Alpha, m.Beta, m.Gamma, got, want)
			}
		}
	}
	if counted < 5000 {
		t.Errorf("only %d of 9000 cases decide", counted)
	}
}

// Eq. (7) and the repairs as they are written, not in error-correction form.
func TestTripleRecursion(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12)) // seed 11, 12
	for range 300 {
		al, be, ga := rng.Float64(), rng.Float64(), rng.Float64()
		for form := range Form(3) {
			m := Triple{Form: form, Alpha: al, Beta: be, Gamma: ga, motion: motion{Level: rng.NormFloat64(), Trend: rng.NormFloat64(), N: 2}, bend: bend{Accel: rng.NormFloat64()}}
			d, v, a := m.Level, m.Trend, m.Accel
			for range 10 {
				x := rng.NormFloat64()
				p, mid := d+v+a/2, 0.0
				switch form {
				case Midpoint:
					mid = a / 2
				case BackwardDifference:
					p = d + v + a
				}
				d1 := al*x + (1-al)*p
				v1 := be*(d1-d+mid) + (1-be)*(v+a)
				a = ga*(v1-v) + (1-ga)*a
				d, v = d1, v1
				m.Update(x)
				scale := 1 + math.Abs(d) + math.Abs(v) + math.Abs(a)
				if math.Abs(m.Level-d)+math.Abs(m.Trend-v)+math.Abs(m.Accel-a) > 1e-9*scale {
					t.Fatalf("%v: state %v %v %v, want %v %v %v", form, m.Level, m.Trend, m.Accel, d, v, a)
				}
			}
			f := make([]float64, 6)
			m.Forecast(f)
			for i, got := range f {
				h := float64(i + 1)
				want := d + v*h + a*h*h/2
				if form == BackwardDifference {
					want = d + v*h + a*h*(h+1)/2
				}
				if math.Abs(got-want) > 1e-8*(1+math.Abs(want)) {
					t.Fatalf("%v: forecast %v steps ahead %v, want %v", form, h, got, want)
				}
			}
		}
	}
}

func TestFormText(t *testing.T) {
	for f, want := range map[Form]string{AsPrinted: "as-printed", Midpoint: "midpoint", BackwardDifference: "backward-difference", 7: "Form(7)"} {
		text, err := f.MarshalText()
		var again Form
		if f.String() != want || (err == nil) != (f < 3) || err == nil && (again.UnmarshalText(text) != nil || again != f) {
			t.Errorf("%v: %s, %v, read as %v", f, text, err, again)
		}
	}
}
