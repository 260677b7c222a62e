package smoothing

import (
	"math"

	"github.com/plimsoll/plimsoll/internal/grow"
)

// The fit of [HoltWinters] minimises the sum of the squared one-step errors over the
// factors. The start comes from the series itself, by the classical decomposition: a
// moving mean over a season removes the season, and what is left of each phase, averaged
// over all cycles, is its effect. With 24 to 168 effects a least squares fit of the start
// would cost more than it tells.
//
// Time O(n) for each of at most 300 evaluations; space O(n).

// Bounds of factors. A factor that is fitted is not 0, so that a model fitted
// again has the same factors.
const (
	wintersLow  = 1e-4
	wintersHigh = .99
)

// A wintersFit is the objective: the model, its start, and which of its factors are
// fitted.
type wintersFit struct {
	m               HoltWinters
	level, trend    float64
	season, season2 []float64
	y               []float64 // the series
	which           [maxFactors]*float64
	d               int
	lo, hi          point
	evals           int
	smooth          []float64
}

// value returns the sum of squares at x.
func (w *wintersFit) value(x *point) float64 {
	w.evals++
	w.set(x)
	m := &w.m
	give := m.Alpha
	if len(w.season) > 1 {
		give += m.Gamma
	}
	if len(w.season2) > 1 {
		give += m.Delta
	}
	if give > 1 { // level and seasons take more than the whole residual
		return math.Inf(1)
	}
	w.begin()
	if m.Multiplicative {
		return w.multiplicative()
	}
	return w.additive()
}

// multiplicative runs the recursion of [HoltWinters.Update], without the checks that a fit does not
// need.
func (w *wintersFit) multiplicative() float64 {
	m := &w.m
	season, season2 := m.Season, m.Season2
	l, b, r, sum := m.Level, m.Trend, 0.0, 0.0
	alpha, ab, gamma, delta, rho, phi := m.Alpha, m.Alpha*m.Beta, m.Gamma, m.Delta, m.Rho, damping(m.Phi)
	if len(season) < 2 {
		gamma = 0
	}
	if len(season2) < 2 {
		delta = 0
	}
	i, j := 0, 0
	for _, x := range w.y {
		b *= phi
		l += b
		if x == x {
			s, u := season[i], season2[j]
			r *= rho
			e := x - l*s*u - r
			sum += e * e
			r += e
			q := e / (s * u)
			season[i] += gamma * (e / (l * u))
			season2[j] += delta * (e / (l * s))
			l += alpha * q
			b += ab * q
		} else {
			r *= rho
		}
		i = after(i, len(season))
		j = after(j, len(season2))
	}
	if sum != sum {
		return math.Inf(1)
	}
	return sum
}

// additive is the same for the additive form.
func (w *wintersFit) additive() float64 {
	m := &w.m
	season, season2 := m.Season, m.Season2
	l, b, r, sum := m.Level, m.Trend, 0.0, 0.0
	alpha, ab, gamma, delta, rho, phi := m.Alpha, m.Alpha*m.Beta, m.Gamma, m.Delta, m.Rho, damping(m.Phi)
	if len(season) < 2 {
		gamma = 0
	}
	if len(season2) < 2 {
		delta = 0
	}
	i, j := 0, 0
	for _, x := range w.y {
		b *= phi
		l += b
		if x == x {
			r *= rho
			e := x - l - season[i] - season2[j] - r
			sum += e * e
			r += e
			l += alpha * e
			b += ab * e
			season[i] += gamma * e
			season2[j] += delta * e
		} else {
			r *= rho
		}
		i = after(i, len(season))
		j = after(j, len(season2))
	}
	return sum
}

// set sets the factors of the model.
func (w *wintersFit) set(x *point) {
	for i := range w.d {
		*w.which[i] = x[i]
	}
}

// begin sets the model to its start.
func (w *wintersFit) begin() {
	m := &w.m
	m.Level, m.Trend, m.Residual, m.At, m.At2, m.Seen, m.N = w.level, w.trend, 0, 0, 0, len(w.season), 1
	copy(m.Season, w.season)
	copy(m.Season2, w.season2)
}

// decompose sets season to the mean effect of each phase of y.
func (w *wintersFit) decompose(season []float64, multiplicative bool) {
	y, m := w.y, len(season)
	w.smooth = movingMean(w.smooth, y, m)
	neutral := 0.0
	if multiplicative {
		neutral = 1
	}
	mean := 0.0
	for i := range season {
		sum, n := 0.0, 0.0
		for t := i; t < len(y); t += m {
			if x, s := y[t], w.smooth[t]; x == x && s == s {
				if !multiplicative {
					sum += x - s
					n++
				} else if q := x / s; s > 0 && usable(q) {
					sum += q
					n++
				}
			}
		}
		season[i] = neutral
		if n > 0 {
			season[i] = sum / n
		}
		mean += season[i] / float64(m)
	}
	for i := range season {
		if multiplicative {
			season[i] /= mean
		} else {
			season[i] -= mean
		}
	}
}

// movingMean returns the centred mean of y over a season of m values, with half the weight
// at both ends if m is even; NaN where that reaches beyond y, or half is missing.
func movingMean(dst, y []float64, m int) []float64 {
	dst = grow.To(dst, len(y))
	flat(dst, math.NaN())
	half := m / 2
	var sum, n float64
	for t, x := range y {
		if x == x {
			sum += x
			n++
		}
		if t < 2*half {
			continue
		}
		first := y[t-2*half]
		s, k := sum, n
		if m%2 == 0 {
			if x == x {
				s -= x / 2
				k -= .5
			}
			if first == first {
				s -= first / 2
				k -= .5
			}
		}
		if k >= float64(m)/2 {
			dst[t-half] = s / k
		}
		if first == first {
			sum -= first
			n--
		}
	}
	return dst
}

// Fit fits the factors, and sets the state from the series, see [Model]. Fit always fits Alpha. A
// factor of 0 stays 0; otherwise Fit fits Beta for a trend, Gamma for the season, Delta for the
// second season, and Rho for residuals that persist. If Phi is in (0, 1), the trend is damped, and
// Fit chooses Phi from phiMin to phiMax. Any other Phi stays.
//
// The season is that of [Fitter.Periods]. If Delta is above 0, the two seasons are those of
// [Fitter.PeriodsToTry]. If a series has fewer than two cycles of a season, the season cannot be
// told from the trend, and Fit leaves it out. If that is the first season, Unseasoned is set in the
// result.
//
// The multiplicative form needs values above 0, and Fit returns an *pricing.InputError otherwise.
// The residuals of the multiplicative form are those of logarithms. Fit needs four values.
func (m *HoltWinters) Fit(f *Fitter, series []float64) (Fit, error) {
	series, err := f.Cut(series, m.Least())
	if err != nil {
		return Fit{}, err
	}
	if m.Multiplicative {
		for _, x := range series {
			if x <= 0 {
				return Fit{}, badInput("series", -1, ErrValue, "%v: want values above 0 for a multiplicative season", x)
			}
		}
	}
	want := none
	if m.Delta > 0 {
		want = tried
	}
	p1, p2 := f.offered(series, want)
	short := len(series) < 2*p1
	if short {
		p1 = 1
	}
	if want == none || len(series) < 2*p2 || p1 < 2 {
		p2 = 1
	}
	w := &f.winters
	w.m = HoltWinters{Period: p1, Period2: p2, Multiplicative: m.Multiplicative, Alpha: m.Alpha, Beta: m.Beta, Phi: m.Phi, Gamma: m.Gamma, Delta: m.Delta, Rho: m.Rho, own: m.own, own2: m.own2, seasons: seasons{Season: grow.To(m.Season, p1), Season2: grow.To(m.Season2, p2)}}
	w.season, w.season2 = grow.To(w.season, p1), grow.To(w.season2, p2)
	w.prepare(f, series, m)
	x := w.minimise(&f.walker)
	w.set(&x)
	w.begin()
	*m = w.m
	w.m.Season, w.m.Season2, w.m.own, w.m.own2 = nil, nil, nil, nil
	f.evals = w.evals
	fit := f.replay(m, series, w.d+2)
	m.N, fit.Unseasoned = fit.N, short
	return fit, nil
}

// prepare sets the start, and the factors to fit with their bounds.
func (w *wintersFit) prepare(f *Fitter, series []float64, m *HoltWinters) {
	w.y, w.evals = series, 0
	flat(w.season, w.m.neutral())
	flat(w.season2, w.m.neutral())
	w.level, w.trend = 0, 0
	// The rest of the series after each season, in f.wave.
	f.wave = append(f.wave[:0], series...)
	w.y = f.wave
	for k, season := range [...][]float64{w.season, w.season2} {
		if len(season) < 2 {
			continue
		}
		w.decompose(season, w.m.Multiplicative)
		if k == 1 { // an effect of few cycles is part noise
			shrink(season, w.m.neutral(), float64(len(series)/len(season)))
		}
		for t := range w.y {
			if w.m.Multiplicative {
				w.y[t] /= season[t%len(season)]
			} else {
				w.y[t] -= season[t%len(season)]
			}
		}
	}
	w.level, w.trend = beginning(w.y, max(len(w.season), 5))
	if m.Beta == 0 && m.Phi == 0 {
		w.trend = 0
	}
	w.level -= w.trend
	w.y = series
	w.d = 0
	add := func(p *float64, lo, hi float64) {
		w.which[w.d], w.lo[w.d], w.hi[w.d] = p, lo, hi
		w.d++
	}
	add(&w.m.Alpha, wintersLow, wintersHigh)
	if m.Beta > 0 {
		add(&w.m.Beta, wintersLow, wintersHigh)
	}
	if m.Phi > 0 && m.Phi < 1 {
		add(&w.m.Phi, phiMin, phiMax)
	}
	if m.Gamma > 0 && len(w.season) > 1 {
		add(&w.m.Gamma, wintersLow, wintersHigh)
	}
	if m.Delta > 0 && len(w.season2) > 1 {
		add(&w.m.Delta, wintersLow, wintersHigh)
	}
	if m.Rho > 0 {
		add(&w.m.Rho, wintersLow, wintersHigh)
	}
}

// shrink takes effects towards none: of the mean of n cycles a part n/(n+1) is kept.
func shrink(season []float64, neutral, n float64) {
	for i, s := range season {
		season[i] = neutral + (s-neutral)*n/(n+1)
	}
}

// beginning returns level and trend at the first value of y, by least squares through
// the known values among the first 2·m, level at index 0.
func beginning(y []float64, m int) (level, trend float64) {
	y = y[:min(len(y), 2*m)]
	first := y[0] // known, see Fitter.Cut
	var n, st, sx, stt, stx float64
	for t, x := range y {
		if x -= first; x == x { // a constant has no rounding
			n++
			st += float64(t)
			sx += x
			stt += float64(t) * float64(t)
			stx += float64(t) * x
		}
	}
	if n == 0 {
		return 0, 0
	}
	if n > 2 {
		trend = (n*stx - st*sx) / (n*stt - st*st)
	}
	return first + (sx-trend*st)/n, trend
}

// minimise returns the best factors: down from the best points of a coarse grid.
func (w *wintersFit) minimise(k *walker) point {
	best, low := point{}, math.Inf(1)
	for _, a := range [...]float64{.02, .2, .6} {
		for _, g := range [...]float64{.02, .15} {
			for _, r := range [...]float64{.1, .7} {
				var x point
				for i := range w.d {
					switch w.which[i] {
					case &w.m.Alpha:
						x[i] = a
					case &w.m.Beta:
						x[i] = .05
					case &w.m.Phi:
						x[i] = w.lo[i] + .9*(w.hi[i]-w.lo[i])
					case &w.m.Rho:
						x[i] = r
					default:
						x[i] = g
					}
				}
				k.trial = x
				if v := w.value(&k.trial); v < low {
					best, low = x, v
				}
				if w.which[w.d-1] != &w.m.Rho {
					break
				}
			}
		}
	}
	best, _ = k.simplex(w, &w.lo, &w.hi, best, low, w.d, .5)
	return best
}

// Least returns how many values Fit wants.
func (m *HoltWinters) Least() int { return 4 }
