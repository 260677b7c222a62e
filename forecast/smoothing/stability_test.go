package smoothing

import (
	"errors"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// radius returns the spectral radius of the transition of a model of so many
// states: its column i is the state that an observation of 0 makes of the i-th unit
// state.
func radius(states int, step func(unit [3]float64) [3]float64) float64 {
	d := mat.NewDense(states, states, nil)
	for i := range states {
		var unit [3]float64
		unit[i] = 1
		for j, x := range step(unit) {
			if j < states {
				d.Set(j, i, x)
			}
		}
	}
	var eigen mat.Eigen
	if !eigen.Factorize(d, mat.EigenNone) {
		panic("no eigenvalues")
	}
	r := 0.0
	for _, v := range eigen.Values(nil) {
		r = max(r, cmplx.Abs(v))
	}
	return r
}

func (m Triple) radius() float64 {
	return radius(3, func(u [3]float64) [3]float64 {
		m.Level, m.Trend, m.Accel, m.N = u[0], u[1], u[2], 2
		m.Update(0)
		return [3]float64{m.Level, m.Trend, m.Accel}
	})
}

// onEdge: eigenvalues that are nearly double are only known to about 1e-8, the
// root of the precision.
const onEdge = 1e-6

// The closed forms agree with the eigenvalues of the transition, on a grid over the
// cube and at random points; the unstable parts are those that an independent
// program found with 20,000 points, .2062, .3764, .3041.
func TestStabilityTriple(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8)) // seed 7, 8
	for form, want := range map[Form]float64{AsPrinted: .2062, Midpoint: .3764, BackwardDifference: .3041} {
		check := func(m Triple) bool {
			r := m.radius()
			if math.Abs(r-1) > onEdge && m.Stable() != (r < 1) {
				t.Fatalf("%v: alpha %v, beta %v, gamma %v: spectral radius %v, Stable says %v", form, m.Alpha, m.Beta, m.Gamma, r, m.Stable())
			}
			return r < 1
		}
		const grid = 25
		for i := 1; i <= grid; i++ {
			for j := 1; j <= grid; j++ {
				for k := 1; k <= grid; k++ {
					check(Triple{Form: form, Alpha: float64(i) / grid, Beta: float64(j) / grid, Gamma: float64(k) / grid})
				}
			}
		}
		const points = 20_000
		unstable := 0
		for range points {
			if !check(Triple{Form: form, Alpha: 1 - rng.Float64(), Beta: 1 - rng.Float64(), Gamma: 1 - rng.Float64()}) {
				unstable++
			}
		}
		// Three standard deviations of the difference of two such parts are .014.
		if got := float64(unstable) / points; math.Abs(got-want) > .014 {
			t.Errorf("%v: unstable on %v of the cube, want %v", form, got, want)
		}
	}
}

// The least γ that is not stable, as printed with β .5 and 1, was found on a grid of
// 500 by an independent program; where the forms have β cancel it does not matter.
func TestGammaLimit(t *testing.T) {
	for _, tt := range []struct {
		form        Form
		alpha, beta float64
		want        float64
	}{
		{AsPrinted, .05, .5, .071}, {AsPrinted, .1, .5, .155}, {AsPrinted, .2, .5, .381}, {AsPrinted, .3, .5, .768}, {AsPrinted, .5, .5, 1},
		{Midpoint, .05, .5, .051}, {Midpoint, .1, 1, .105}, {Midpoint, .2, .5, .221}, {Midpoint, .3, .5, .351}, {Midpoint, .5, 1, .666},
		{BackwardDifference, .05, .5, .051}, {BackwardDifference, .1, .5, .111}, {BackwardDifference, .2, 1, .249}, {BackwardDifference, .3, 1, .427}, {BackwardDifference, .5, .5, 1},
		{AsPrinted, 0, .5, 0}, {Midpoint, 0, .5, 0}, {BackwardDifference, 0, .5, 0}, {AsPrinted, 1, .5, 1}, {BackwardDifference, 1, .5, 1},
	} {
		m := Triple{Form: tt.form, Alpha: tt.alpha, Beta: tt.beta}
		got := m.GammaLimit()
		if math.Abs(got-tt.want) > .0021 {
			t.Errorf("%v: alpha %v, beta %v: limit %v, want %v", tt.form, tt.alpha, tt.beta, got, tt.want)
		}
		if tt.alpha == 0 {
			continue
		}
		m.Gamma = got * .999
		if !m.Stable() || m.Validate() != nil {
			t.Errorf("%v: alpha %v, beta %v: not stable below the limit %v", tt.form, tt.alpha, tt.beta, got)
		}
		if got < 1 {
			m.Gamma = got * 1.001
			if err := m.Validate(); m.Stable() || !errors.Is(err, ErrUnstable) {
				t.Errorf("%v: alpha %v, beta %v: stable above the limit %v, Validate returns %v", tt.form, tt.alpha, tt.beta, got, err)
			}
			if !m.Clamp() || !m.Stable() || m.Gamma != clampMargin*got || m.Clamp() {
				t.Errorf("%v: clamped to %+v", tt.form, m)
			}
		}
	}
	// As printed there is a second region, near γ = 1, beyond the limit.
	m := Triple{Alpha: .05, Beta: 1, Gamma: .95}
	if !m.Stable() || m.radius() >= 1 || m.GammaLimit() > .2 {
		t.Errorf("alpha .05, beta 1, gamma .95: Stable %v, radius %v, limit %v", m.Stable(), m.radius(), m.GammaLimit())
	}
}

func TestClampRange(t *testing.T) {
	m := Triple{Form: Midpoint, Alpha: math.NaN(), Beta: 2, Gamma: -1}
	if !m.Clamp() || m.Alpha != 0 || m.Beta != 1 || m.Gamma != 0 {
		t.Errorf("clamped to %+v", m)
	}
	for _, m := range []Triple{ // within the region, or with a factor of 0, which leaves the others as they are
		{Alpha: .5, Beta: .5, Gamma: .1}, {Alpha: .5, Beta: .5}, {Alpha: .1, Beta: .5}, {Alpha: .1, Gamma: 1}, {Alpha: 1, Beta: 1, Gamma: 1}, {},
	} {
		if was := m; m.Clamp() || m != was {
			t.Errorf("%+v is clamped to %+v", was, m)
		}
	}
}

// Holt's form is stable in the whole of (0, 1]², damped or not.
func TestStabilityHolt(t *testing.T) {
	const grid = 20
	for i := 0; i <= grid; i++ {
		for j := 0; j <= grid; j++ {
			for _, phi := range []float64{0, .05, .5, .8, .98, 1} {
				m := Holt{Alpha: float64(i) / grid, Beta: float64(j) / grid, Phi: phi}
				r := radius(2, func(u [3]float64) [3]float64 {
					m.Level, m.Trend, m.N = u[0], u[1], 2
					m.Update(0)
					return [3]float64{m.Level, m.Trend}
				})
				if stable := i > 0 && (j > 0 || phi > 0 && phi < 1); stable && r >= 1+1e-7 || !stable && r < 1-onEdge {
					t.Errorf("alpha %v, beta %v, phi %v: radius %v, stable is to be %v", m.Alpha, m.Beta, phi, r, stable)
				}
			}
		}
	}
}
