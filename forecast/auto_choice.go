package forecast

import (
	"math"

	"github.com/plimsoll/plimsoll/forecast/internal/boxcox"
	"github.com/plimsoll/plimsoll/forecast/smoothing"
	"github.com/plimsoll/plimsoll/internal/grow"
)

// choose tries the candidates on the end of the series, and sets scale, members and weights.
func (m *auto) choose(f *smoothing.Fitter, a *autoFit, series []float64, first, horizon, p1, p2 int) {
	n := len(series)
	m.scale = 1
	a.rescale(series, 1)
	a.origins = a.origins[:0]
	step := max(1, (n-first)/autoOrigins)
	for at := first; at < n; at++ {
		if (n-first)%step == (at-first)%step && n-at >= (horizon+1)/2 {
			a.origins = append(a.origins, at)
		}
	}
	a.leads = min(horizon, autoLeads)
	a.path = grow.To(a.path, horizon)
	probe := m.tryAll(f, a, series, first, horizon, p1, p2, -1)
	if lambda := autoScale(series); p1 > 1 && lambda < 1 && probe >= 0 {
		// The best candidate tells whether the swings grow with the level.
		before := a.errs[probe]
		m.scale = lambda
		a.rescale(series, lambda)
		m.tryAll(f, a, series, first, horizon, p1, p2, probe)
		if a.errs[probe] < autoGain*before {
			m.tryAll(f, a, series, first, horizon, p1, p2, -1)
		} else {
			m.scale = 1
			a.rescale(series, 1)
			m.tryAll(f, a, series, first, horizon, p1, p2, probe)
		}
	}
	best := math.Inf(1)
	for _, e := range a.errs {
		best = min(best, e)
	}
	m.members = m.members[:0]
	if best > math.MaxFloat64 || a.errs[0] > math.MaxFloat64 && n < autoTry { // too short to try even that
		m.members = append(m.members, member{candidates[0].name, 1, m.models[0]})
		m.scale, a.which[0], a.leads = 1, 0, 0
		a.rescale(series, 1)
		a.squares, a.counts = a.squares[:0], a.counts[:0]
		return
	}
	total := 0.0
	for len(m.members) < mostMembers {
		k := -1
		for i, e := range a.errs {
			if e <= math.MaxFloat64 && (k < 0 || e < a.errs[k]) {
				k = i
			}
		}
		if k < 0 {
			break
		}
		r := 1.0
		if a.errs[k] > 0 {
			r = best / a.errs[k]
		}
		if r < autoNear { // the first has 1
			break
		}
		w := r * r
		a.which[len(m.members)] = k
		m.members = append(m.members, member{candidates[k].name, w, m.models[k]})
		a.errs[k] = math.Inf(1)
		total += w
	}
	for i := range m.members {
		m.members[i].weight /= total
	}
	a.combine(m.members)
	if p1 > 1 {
		// The best of many candidates is in part the luckiest, so that its errors here are too
		// small. Their squares are raised by three quarters of the horizon, as a part of the values
		// tried; without, 95% intervals of M4's hourly series hold 93%.
		for i := range a.squares {
			a.squares[i] *= 1 + .75*float64(horizon)/float64(n-first)
		}
	}
}

// obey takes the models with a season without a trial, for a series that is too short to try them
// with the season that is stated: what came a season before and, if there are two seasons, waves
// whose parameters are fixed, at equal parts.
func (m *auto) obey(a *autoFit, series []float64, p1 int) {
	m.scale, a.leads = 1, 0
	a.rescale(series, 1)
	a.squares, a.counts = a.squares[:0], a.counts[:0]
	m.members = append(m.members[:0], member{candidates[autoSeason].name, 1, m.models[autoSeason]})
	a.which[0] = autoSeason
	if len(series) >= 2*p1 {
		m.members[0].weight = .5
		m.members = append(m.members, member{candidates[autoWaves].name, .5, m.models[autoWaves]})
		a.which[1] = autoWaves
	}
}

// rescale sets the series and its end in a scale.
func (a *autoFit) rescale(series []float64, lambda float64) {
	a.all = transform(a.all, a.whole, lambda)
	a.z = a.all[len(a.all)-len(series):]
}

// before returns the values before index at of the end of the series to which candidate k is fitted: a
// mean, whose window may be long, to the whole series, and the others to the end.
func (a *autoFit) before(k, at int) []float64 {
	if candidates[k].name == "mean" {
		return a.all[:len(a.all)-len(a.z)+at]
	}
	return a.z[:at]
}

// If the first candidate cannot be tried, others are tried in series of at least autoTry values.
const autoTry = 12

// A scale is taken if it leaves less than this part of the error.
const autoGain = .97

// autoScale returns the λ to try for a series: the logarithm, the square root where there are
// zeros, and 1 where values are negative, or none differ.
func autoScale(series []float64) float64 {
	lambda := 0.0
	for _, x := range series {
		if x < 0 {
			return 1
		}
		if x == 0 {
			lambda = .5
		}
	}
	return lambda
}

// tryAll sets the errors of all candidates, or of the only one asked for, and returns the best.
func (m *auto) tryAll(f *smoothing.Fitter, a *autoFit, series []float64, first, horizon, p1, p2, only int) int {
	best := -1
	for k, c := range candidates {
		if only >= 0 && k != only {
			continue
		}
		a.errs[k] = math.Inf(1)
		if c.season > 0 && p1 < 2 || c.season > 1 && p2 < 2 || c.name == "winters-ratio" && (m.scale < 1 || autoScale(series) > 0) {
			continue
		}
		if _, err := m.fitAs(f, k, a.before(k, first), p1, p2); err != nil {
			continue
		}
		a.errs[k] = a.try(m.models[k], series, m.scale, k, first, horizon)
		if a.errs[k] <= math.MaxFloat64 && (best < 0 || a.errs[k] < a.errs[best]) {
			best = k
		}
	}
	return best
}

// try returns the sum of the absolute errors of candidate k from all origins, updating the
// model from the first on.
func (a *autoFit) try(model smoothing.Model, series []float64, lambda float64, k, first, horizon int) float64 {
	a.paths[k] = grow.To(a.paths[k], len(a.origins)*a.leads)
	sum, o := 0.0, 0
	for at := first; o < len(a.origins); at++ {
		if at == a.origins[o] {
			model.Forecast(a.path)
			for i, y := range series[at:min(len(series), at+horizon)] {
				if y == y {
					sum += math.Abs(y - boxcox.From(lambda, a.path[i]))
				}
			}
			copy(a.paths[k][o*a.leads:], a.path[:a.leads])
			o++
		}
		model.Update(a.z[at])
	}
	return sum
}

// combine sets squares and counts to those of the errors of the members' mean.
func (a *autoFit) combine(members []member) {
	a.squares, a.counts = grow.Zero(a.squares, a.leads), grow.Zero(a.counts, a.leads)
	for o, at := range a.origins {
		for i, y := range a.z[at:min(len(a.z), at+a.leads)] {
			if y != y {
				continue
			}
			for j, x := range members {
				y -= x.weight * a.paths[a.which[j]][o*a.leads+i]
			}
			a.squares[i] += y * y
			a.counts[i]++
		}
	}
	// Errors of neighbouring steps are about the same: smooth them, or the largest by chance
	// would widen all later intervals.
	a.path = append(a.path[:0], a.squares...)
	a.known = append(a.known[:0], a.counts...)
	for i := range a.squares {
		a.squares[i], a.counts[i] = 0, 0
		for j := max(0, i-i/3); j <= min(a.leads-1, i+i/3); j++ {
			a.squares[i] += a.path[j]
			a.counts[i] += a.known[j]
		}
		n := float64(2*(i/3) + 1)
		a.squares[i] /= n
		a.counts[i] /= n
	}
}

// refit fits the members to the whole series.
func (m *auto) refit(f *smoothing.Fitter, a *autoFit, series []float64, p1, p2 int) (smoothing.Fit, error) {
	n := len(series)
	a.resid = grow.Zero(a.resid, n)
	free := 0.0
	fit := smoothing.Fit{}
	fits, total := m.members[:0], 0.0
	for i, x := range m.members {
		g, err := m.fitAs(f, a.which[i], a.before(a.which[i], n), p1, p2)
		if err != nil { // a window of silence: the others have to do, or the mean of all
			if i < len(m.members)-1 || len(fits) > 0 {
				continue
			}
			x = member{candidates[autoMean].name, 1, m.models[autoMean]}
			if g, err = m.fitAs(f, autoMean, a.all, p1, p2); err != nil {
				return smoothing.Fit{}, err // not with a known value
			}
		}
		fits = append(fits, x)
		total += x.weight
		free += x.weight * float64(g.Free)
		fit.Evaluations += g.Evaluations
		r, ratio := g.Residuals, boxcox.Of(x.model) == 0
		for t := range a.resid {
			if j := t - (n - len(r)); j >= 0 && ratio {
				a.resid[t] += x.weight * a.z[t] * -math.Expm1(-r[j])
			} else if j >= 0 {
				a.resid[t] += x.weight * r[j]
			} else {
				a.resid[t] = math.NaN()
			}
		}
	}
	m.members = fits
	for i := range fits {
		fits[i].weight /= total
	}
	fit.Free = int(free/total + .5)
	for t, e := range a.resid {
		e /= total
		a.resid[t] = e
		if e == e {
			fit.SSE += e * e
			fit.N++
		}
	}
	fit.Residuals, fit.Growth = a.resid, a.grown(fit)
	m.n = known(series)
	a.whole = nil // the caller's
	return fit, nil
}

// triedErrors is how many errors of the mean Growth wants of a number of steps ahead: fewer than
// of a fit, since no parameter has seen these errors.
const triedErrors = 5

// grown returns the growth of the errors of the mean.
func (a *autoFit) grown(fit smoothing.Fit) []float64 {
	a.growth = a.growth[:0]
	one := fit.Variance()
	if !(one > 0) {
		return a.growth
	}
	for i, s := range a.squares {
		if a.counts[i] < triedErrors {
			break
		}
		a.growth = append(a.growth, math.Sqrt(s/max(1, a.counts[i])/one))
	}
	return a.growth
}

// autoLeads is how many steps ahead the errors of the mean are kept for intervals.
const autoLeads = 400

// A candidate is in the mean if the least error is at least this part of the candidate's own.
const autoNear = .5

// transform returns z of a series.
func transform(dst, series []float64, lambda float64) []float64 {
	dst = grow.To(dst, len(series))
	for i, x := range series {
		dst[i] = x
		if x == x {
			dst[i] = boxcox.To(lambda, x)
		}
	}
	return dst
}
