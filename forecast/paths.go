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
//
// Limits cut, and the logarithm stretches, so that the mean of such paths is not the forecast: a
// forecast of 1 with errors of 12, cut at 0, has paths of 5 on average. So with limits, or on
// another scale, the paths of each step are moved until their mean is the forecast: on a scale by a
// factor, and within limits by the c that solves
//
//	mean of max(low, min(high, x − c)) = forecast.
//
// The result is a distribution on [low, high], with some of its probability on the ends. Of fewer
// than leastPaths paths the mean says too little. More are drawn then, moved with them, and thrown
// away: which of the paths are thrown away is independent of their values, so that those that stay
// have the same mean.

// keptErrors is how many of the last one-step errors a Predictor keeps to draw from:
// five years of weeks, and enough for a 99% quantile.
const keptErrors = 260

// fewErrors is the number below which errors are drawn from the normal distribution:
// a bootstrap of fewer knows nothing of the tails.
const fewErrors = 20

// leastPaths is the least number of paths whose mean is made that of the forecast.
const leastPaths = 64

// Paths fills each row of dst with a random path of the future: dst[i][j] is the value j+1 steps
// ahead, within the limits. The mean of the paths is the forecast. Rows may differ in length.
//
// Paths uses rng to draw errors from the last one-step errors, shifted to mean 0. With fewer than
// 20 such errors, Paths draws from the normal distribution. An error at one step also moves the
// later values of its path, as the model says. So the values of one path are correlated. At each
// step the paths have the spread of [Predictor.Interval]. The factors of an adaptive model stay as
// they are now.
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
	d := drawing{p: p, rng: rng, sigma: p.Sigma(), nu: float64(max(leastFreedom, p.Errors-p.Free)), lambda: boxcox.Of(p.Model)}
	p.usual.temper(p, d.sigma, d.lambda)
	d.center, d.scale = p.pool()
	whole := 0
	for _, row := range dst {
		d.draw(row)
		if len(row) == steps {
			whole++
		}
	}
	if steps == 0 || p.Limits == (Limits{}) && d.lambda == 1 {
		return
	}
	more := max(0, leastPaths-whole)
	p.more = grow.To(p.more, more*steps)
	p.rows = append(p.rows[:0], dst...)
	for i := range more {
		row := p.more[i*steps : (i+1)*steps]
		d.draw(row)
		p.rows = append(p.rows, row)
	}
	for h, mean := range p.mean {
		p.center(h, mean, d.lambda)
	}
	clear(p.rows) // the caller's
}

// A drawing is what all paths of a call share.
type drawing struct {
	p                                *Predictor
	rng                              *rand.Rand
	sigma, nu, lambda, center, scale float64
}

// draw fills a row with a path, not yet within the limits.
func (d *drawing) draw(row []float64) {
	p := d.p
	tau, z := d.sigma*chi(d.nu, d.rng.NormFloat64()), d.rng.NormFloat64()
	for j := range row {
		if d.scale > 0 {
			row[j] = (p.Recent[d.rng.IntN(len(p.Recent))] - d.center) * d.scale
		} else {
			row[j] = d.rng.NormFloat64()
		}
	}
	p.Model.Deviate(row)
	for j, e := range row {
		x := boxcox.Shift(d.lambda, p.mean[j], tau*p.usual.factor[j]*(e+z*p.own[j]))
		row[j] = min(smoothing.Largest, max(-smoothing.Largest, x))
	}
}

// A usual is what is known of the spread of demands in general: few errors say little of one's own.
type usual struct {
	year   float64   // steps in a year; 0: nothing is known
	weight float64   // of it, in [0, 1]
	factor []float64 // of the deviations of each step
}

// The spread of demands t years ahead in parts of the demand is usualSpread·t^usualGrowth, see
// [Futures].
const (
	usualSpread = .18
	usualGrowth = .35
)

// temper sets the factor of each step, so that the spread becomes the weighted geometric mean of the
// predictor's own and the usual one.
func (u *usual) temper(p *Predictor, sigma, lambda float64) {
	u.factor = grow.To(u.factor, len(p.mean))
	for h, x := range p.mean {
		u.factor[h] = 1
		own := sigma * p.spread[h] * math.Pow(math.Abs(x), -lambda)
		if u.weight > 0 && own > noError && own <= math.MaxFloat64 {
			u.factor[h] = math.Pow(usualSpread*math.Pow(float64(h+1)/u.year, usualGrowth)/own, u.weight)
		}
	}
}

// centerRounds bounds the steps of Newton's method, which takes a handful: the mean is a line in c
// between the places at which a path meets a limit.
const centerRounds = 50

// center moves the paths of step h until their mean within the limits is that of the forecast.
func (p *Predictor) center(h int, mean, lambda float64) {
	low, high := p.Limits.span(p.Peak)
	n, sum := 0.0, 0.0
	for _, row := range p.rows {
		if h < len(row) {
			n++
			sum += row[h] / float64(len(p.rows))
		}
	}
	factor := 1.0
	if sum *= float64(len(p.rows)) / n; lambda < 1 && sum > 0 && mean > 0 {
		factor = mean / sum
	}
	c := 0.0
	for range centerRounds {
		sum, free := 0.0, 0.0
		for _, row := range p.rows {
			if h < len(row) {
				x := row[h]*factor - c
				sum += min(high, max(low, x)) / n
				if x > low && x < high {
					free++
				}
			}
		}
		miss := sum - mean
		if math.Abs(miss) <= 1e-12*math.Abs(mean) || free == 0 {
			break
		}
		c += miss * n / free
	}
	for _, row := range p.rows {
		if h < len(row) {
			row[h] = min(high, max(low, row[h]*factor-c))
		}
	}
}

// Whole rounds a path to whole numbers whose sum is that of the path: what rounding leaves is carried
// to the next step. So a demand of .3 becomes 0, 1, 0, 0, 1, and not 0 in all steps. The sums over any
// stretch of the path and of dst differ by 1 at most. Values are within ±2³¹; dst and path have one
// length.
func Whole(dst []int, path []float64) {
	carry := 0.0
	for i, x := range path {
		x = min(math.MaxInt32, max(math.MinInt32, x)) + carry
		whole := math.Floor(x + .5)
		dst[i], carry = int(whole), x-whole
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
