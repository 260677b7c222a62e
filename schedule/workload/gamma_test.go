package workload

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// Kolmogorov-Smirnov: the largest distance of the empirical from the true
// distribution function exceeds 1.95/√n with probability 0.001. Seed 11; the
// shapes are the published ones, and some below 1.
func TestGammaDistribution(t *testing.T) {
	s := sampler{rng: newRand(11)}
	const n = 20_000
	x := make([]float64, n)
	for _, c := range []struct{ shape, scale float64 }{
		{6.57, .823}, {639.1, .0156}, {3.8351, .6605}, {7.073, .6856}, {4.2, .94}, {312, .03},
		{6.0415 * 1.0519, .8531}, {10.2303 * 1.0225, .4871},
		{1, 2}, {.7, 3}, {.2, 1},
	} {
		g := newGamma(c.shape, c.scale)
		for i := range x {
			x[i] = s.gamma(&g)
		}
		slices.Sort(x)
		d := distuv.Gamma{Alpha: c.shape, Beta: 1 / c.scale}
		worst := 0.0
		for i, v := range x {
			f := d.CDF(v)
			worst = max(worst, math.Abs(f-float64(i)/n), math.Abs(float64(i+1)/n-f))
		}
		if worst > 1.95/math.Sqrt(n) {
			t.Errorf("gamma(%g, %g): distance %.4f, want below %.4f", c.shape, c.scale, worst, 1.95/math.Sqrt(n))
		}
	}
}
