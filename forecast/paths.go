package forecast

import (
	"math"
	"math/rand/v2"

	"github.com/plimsoll/plimsoll/forecast/internal/boxcox"
	"github.com/plimsoll/plimsoll/forecast/smoothing"
	"github.com/plimsoll/plimsoll/internal/grow"
)

// A path of the future is the forecast plus a deviation. The errors e_1, e_2, … of one
// step are drawn, and the model turns them into deviations: an error today moves the
// forecasts of all later steps, so that the deviations of one path are correlated.
//
//	x_h = f_h + τ·(D_h + z·√(s_h² − m_h²)·σ),   D_h = Σ_{j≤h} ψ_{h−j}·e_j
//
// ψ is the model's response to an error of 1, m_h² = Σ ψ_j² over j < h, and s_h is the
// spread that [Predictor.Interval] uses. Where s_h exceeds m_h, because forecasts were
// worse in the past than the model says, the rest is one normal draw z for the whole
// path: a wrong level or trend stays wrong. τ² is ν/χ² with ν degrees of freedom, one
// draw for each path: σ is an estimate, and Student's distribution is what comes out.
//
// So the paths at each step have the mean, the variance and, up to the shape of the
// errors, the quantiles of the intervals. Time O(n·h) for n paths of h steps, times
// the cost of an update.

// keptErrors is how many of the last one-step errors a Predictor keeps to draw from:
// five years of weeks, and enough for a 99% quantile.
const keptErrors = 260

// fewErrors is the number below which errors are drawn from the normal distribution:
// a bootstrap of fewer knows nothing of the tails.
const fewErrors = 20

// Paths fills each row of dst with a random path of the future: dst[i][j] is the value j+1 steps
// ahead, within the limits. Rows may differ in length.
//
// Paths draws errors with rng from the last one-step errors, less their mean. With fewer than 20
// such errors, Paths draws from the normal distribution. An error also moves the later values of
// its path, as the model says, so the values of one path are correlated. At each step the paths
// have the spread of [Predictor.Interval]. The factors of an adaptive model stay as they are now.
//
// The same state and the same seed give the same paths. Paths panics if rng is nil. Paths allocates
// nothing once it has seen the longest row.
func (p *Predictor) Paths(dst [][]float64, rng *rand.Rand) {
	if rng == nil {
		panic("forecast: Paths: nil source of randomness")
	}
	steps := 0
	for _, row := range dst {
		steps = max(steps, len(row))
	}
	p.mean = grow.To(p.mean, steps)
	p.Forecast(p.mean)
	p.widen(steps)
	p.own = grow.Zero(p.own, steps)
	if steps > 0 {
		p.own[0] = 1
	}
	p.Model.Deviate(p.own)
	m := 0.0
	for i, psi := range p.own {
		m += psi * psi
		p.own[i] = math.Sqrt(max(0, p.spread[i]*p.spread[i]-m))
	}
	sigma, nu := p.Sigma(), float64(max(leastFreedom, p.Errors-p.Free))
	lambda := boxcox.Of(p.Model)
	center, scale := p.pool()
	for _, row := range dst {
		tau, z := sigma*chi(nu, rng.NormFloat64()), rng.NormFloat64()
		for j := range row {
			if scale > 0 {
				row[j] = (p.Recent[rng.IntN(len(p.Recent))] - center) * scale
			} else {
				row[j] = rng.NormFloat64()
			}
		}
		p.Model.Deviate(row)
		for j, d := range row {
			x := boxcox.Shift(lambda, p.mean[j], tau*(d+z*p.own[j]))
			row[j] = min(smoothing.Largest, max(-smoothing.Largest, x))
		}
		p.Limits.Apply(row, p.Peak)
	}
}

// pool returns the mean of the errors that are kept, and what brings their standard
// deviation to 1; 0 if they are too few or all the same.
func (p *Predictor) pool() (center, scale float64) {
	n := float64(len(p.Recent))
	if n < fewErrors {
		return 0, 0
	}
	for _, e := range p.Recent {
		center += e / n
	}
	v := 0.0
	for _, e := range p.Recent {
		d := e - center
		v += d * d / n
	}
	if !(v > 0) || v > math.MaxFloat64 {
		return 0, 0
	}
	return center, 1 / math.Sqrt(v)
}

// chi returns √(ν/χ²) for a normal draw z, by the cube root of Wilson and Hilferty. The
// draw is cut at the 10⁻⁴ quantile, below which the cube is no longer close.
func chi(nu, z float64) float64 {
	a := 2 / (9 * nu)
	c := 1 - a + max(z, -3.7)*math.Sqrt(a)
	return math.Sqrt(1 / (c * c * c))
}

// Paths is [Predictor.Paths].
func (r *Rolling) Paths(dst [][]float64, rng *rand.Rand) { r.current().Paths(dst, rng) }
