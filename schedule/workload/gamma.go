package workload

import (
	"math"
	"math/rand/v2"

	"github.com/plimsoll/plimsoll/schedule/internal/samebits"
)

// Sampling the gamma distribution.
//
// The method is that of Marsaglia and Tsang [Marsaglia00]. For a shape α ≥ 1 let
// d = α − 1/3 and c = 1/√(9d). Draw a standard normal x and a uniform u until
// v = (1 + cx)³ is positive and
//
//	ln u < x²/2 + d(1 − v + ln v),
//
// then d·v has the density of gamma(α, 1). A squeeze, u < 1 − 0.0331x⁴, nearly always
// avoids both logarithms. Above 95% of the draws are accepted, for every α ≥ 1. For α < 1
// a draw for α + 1 is multiplied with u^(1/α).
//
// Why not gonum's distuv.Gamma, which samples by the same method? It calls
// math.Exp and math.Log, and adds products without the conversions that forbid
// fusing. It takes its normals from NormFloat64 of math/rand/v2, whose wedge
// test is a fusible float32 expression. Each may differ between machines, and
// one differing acceptance changes every later job. It also makes a *rand.Rand
// for each sample. Normals come from the polar method here [Knuth97, 3.4.1,
// Algorithm P], of which one logarithm and one (exact) square root are the
// whole cost for a pair.

// A gamma holds the constants of one gamma distribution.
type gamma struct {
	d, c  float64
	inv   float64 // 1/α where α < 1, else 0
	scale float64
}

// newGamma returns the gamma distribution of the given shape and scale, both
// positive.
func newGamma(shape, scale float64) gamma {
	g := gamma{scale: scale}
	if shape < 1 {
		g.inv = 1 / shape
		shape++
	}
	g.d = shape - 1.0/3
	g.c = 1 / math.Sqrt(9*g.d)
	return g
}

// A sampler draws from a source; it keeps the second normal of each pair.
type sampler struct {
	rng    *rand.Rand
	normal float64
	spare  bool
}

// norm returns a standard normal deviate.
func (s *sampler) norm() float64 {
	if s.spare {
		s.spare = false
		return s.normal
	}
	for {
		x := float64(2*s.rng.Float64()) - 1
		y := float64(2*s.rng.Float64()) - 1
		q := float64(x*x) + float64(y*y)
		if q >= 1 || q == 0 {
			continue
		}
		f := math.Sqrt(-2 * samebits.Log(q) / q)
		s.normal, s.spare = float64(y*f), true
		return float64(x * f)
	}
}

// gamma returns a deviate of g. It is 0 only if u^(1/α) falls below the
// smallest number, which needs a shape below 0.1.
func (s *sampler) gamma(g *gamma) float64 {
	m := g.scale
	if g.inv != 0 {
		m *= samebits.Exp(samebits.Log(1-s.rng.Float64()) * g.inv)
	}
	for {
		x := s.norm()
		v := 1 + float64(g.c*x)
		if v <= 0 {
			continue
		}
		v = float64(float64(v*v) * v)
		u := 1 - s.rng.Float64() // (0, 1]
		xx := x * x
		if u < 1-float64(0.0331*float64(xx*xx)) ||
			samebits.Log(u) < float64(xx/2)+float64(g.d*(1-v+samebits.Log(v))) {
			return float64(float64(g.d*v) * m)
		}
	}
}
