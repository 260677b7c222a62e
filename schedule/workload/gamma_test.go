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

// The moments over more draws: mean αβ and variance αβ², five standard errors.
// The fourth central moment is 3α(α+2)β⁴. Seed 12.
func TestGammaMoments(t *testing.T) {
	s := sampler{rng: newRand(12)}
	const n = 400_000
	for _, c := range []struct{ shape, scale float64 }{{3.8351, .6605}, {639.1, .0156}, {.4, 2}} {
		g := newGamma(c.shape, c.scale)
		mean, variance := c.shape*c.scale, c.shape*c.scale*c.scale
		var m, v float64
		for range n {
			x := s.gamma(&g) - mean
			m += x / n
			v += x * x / n
		}
		if se := math.Sqrt(variance / n); math.Abs(m) > 5*se {
			t.Errorf("gamma(%g, %g): mean off by %.5f, standard error %.5f", c.shape, c.scale, m, se)
		}
		fourth := 3 * c.shape * (c.shape + 2) * math.Pow(c.scale, 4)
		if se := math.Sqrt((fourth - variance*variance) / n); math.Abs(v-variance) > 5*se {
			t.Errorf("gamma(%g, %g): variance %.5f, want %.5f ± %.5f", c.shape, c.scale, v, variance, se)
		}
	}
}
