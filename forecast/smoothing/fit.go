package smoothing

import (
	"cmp"
	"math"

	"github.com/plimsoll/plimsoll/forecast/internal/boxcox"
	"github.com/plimsoll/plimsoll/internal/grow"
)

// The fit of models without a season minimises, over the factors in their box and over all
// initial states,
//
//	Σ_k Σ_{s ≤ Steps} (x_{k+s} − f_{k,s})²,   f_{k,s} the forecast s steps ahead at k.
//
// Idea. Every model here is linear: for fixed factors each forecast is a linear
// function of the initial state. So the best initial state solves a linear least
// squares problem with 1 to 3 unknowns. One pass collects its normal equations together
// with the errors: beside the series the recursion runs over a series of
// zeros from each unit state. A function of at most 3 factors in a
// box is left. Nelder and Mead's simplex walks down that function from the best point of a
// coarse grid. (gonum/optimize has no bounds and allocates, and
// with 2 to 3 more unknowns needs several times the evaluations.)
//
// Invariant: the value at a point is the least sum over all initial states, so
// no convention for the start is part of the objective.
//
// Time O(n) for each of 50 to 250 evaluations, O(n·Steps) for models with an
// acceleration; space O(n).

// phiMin and phiMax bound the damping that a [Fitter] tries. A smaller φ
// ends a trend at once, and a larger φ hardly damps it.
const (
	phiMin = 0.8
	phiMax = 0.98
)

// Fitter fits models to series by least squares of forecast errors. Its zero value
// is ready: one-step errors over the whole series, as in textbooks.
//
// The sum of squares can have several valleys, and nothing proves that the fit is in
// the lowest. [Holt] with and without damping was fitted to 400 series of random walks and
// of noise about a line: for 7 a point on a fine grid was lower, by up to 3%.
//
// A Fitter keeps its memory and allocates nothing once it has seen the longest series.
// Fitted models share nothing with the Fitter. One Fitter serves any number of series, one
// after the other, and one goroutine. The work of a fit is bounded: at most
// some 500 passes over the series, and for Auto some 3000.
type Fitter struct {
	Steps int `json:"steps"` // fit to the errors of forecasts 1 to Steps ahead, a quarter of the series at most; 0 is 1

	Season  int `json:"season"`  // steps of the season, for models with one; 0: as Periods finds it; 1: no season
	Second  int `json:"-"`       // steps of the second season if Season is set; 0: what is found; 1: none
	Leads   int `json:"-"`       // how many steps ahead Fit.Growth looks; 0: 52, a quarter of the series at most
	Horizon int `json:"horizon"` // steps ahead for which Auto and Mean choose; 0: a season, at least 13

	y               []float64 // the series, shifted and scaled
	resid           []float64
	path            []float64 // forecasts at a point
	squares, counts []float64 // of the errors i+1 steps ahead
	growth          []float64
	g, q            []float64 // forecast s+1 steps ahead: l + g[s]·b + q[s]·c
	ahead           []window  // sums over the next steps from i
	shift           float64
	scale           float64
	kind            kind
	phi             float64 // of kind holt
	lo, hi          point
	evals           int
	start           [3]float64 // best initial state of the last evaluation

	filled, gram, right, row, chol, coef []float64 // of Autoregression
	winters                              wintersFit
	harmonic                             harmonicFit
	walker                               walker
	still, wave, acf, phases             []float64 // of Periods
	sums, counted                        []float64 // of Mean
}

// A Fit says how well a model fits.
type Fit struct {
	SSE         float64 // sum of the squared one-step errors
	N           int     // number of them
	Free        int     // parameters fitted, initial states among them
	Evaluations int     // passes over the series

	// Residuals are the one-step errors, observation less forecast, NaN where either is missing.
	// They are in the scale of the model's errors, such as the logarithm for a multiplicative season.
	Residuals []float64
	// Growth[i] is the root mean square of the errors i+1 steps ahead, over that of one step, for
	// as many steps as there were errors enough.
	Growth []float64
}

// Variance returns the estimate of the variance of one-step errors,
// SSE/(N − Free), or SSE/N where there are no more than Free errors; 0 without any.
func (f Fit) Variance() float64 {
	switch {
	case f.N > f.Free:
		return f.SSE / float64(f.N-f.Free)
	case f.N > 0:
		return f.SSE / float64(f.N)
	}
	return 0
}

// Fittable is a model that chooses its own parameters. Fit sets the parameters, and the state
// at the end of the series, as if the model had been updated with the series. Fit
// keeps nothing of the state before but what the model's documentation names. On an error
// the model stays as it was. The slices of the Fit are valid until the next fit.
type Fittable interface {
	Model
	Fit(f *Fitter, series []float64) (Fit, error)
}

// Validate returns an [*InputError] if an option is out of range.
func (f *Fitter) Validate() error {
	if f.Steps < 0 {
		return badInput("Steps", -1, ErrFactor, "%d steps: want 0 for one, or more", f.Steps)
	}
	if err := checkPeriod("Season", f.Season); err != nil {
		return err
	}
	if f.Horizon < 0 || f.Horizon > mostPeriod {
		return badInput("Horizon", -1, ErrHorizon, "%d steps: want 0 for a season, to %d", f.Horizon, mostPeriod)
	}
	return nil
}

// kind is a model as the fit takes it.
type kind int

const (
	kindSimple kind = iota
	kindHolt        // with phi of the Fitter
	kindDamped      // with phi free
	kindPrinted
	kindMidpoint
	kindBackward
)

// A linear is one step of a model: the forecast is p = l + h·b + q·c, and with e
// the error of p the state becomes p + k1·e, f22·b + f23·c + k2·e, f33·c + k3·e.
type linear struct {
	h, q, f22, f23, f33, k1, k2, k3 float64
}

// states and factors return how many states and factors are fitted.
func (k kind) states() int {
	switch k {
	case kindSimple:
		return 1
	case kindHolt, kindDamped:
		return 2
	}
	return 3
}

func (k kind) factors() int {
	switch k {
	case kindSimple:
		return 1
	case kindHolt:
		return 2
	}
	return 3
}

// at returns the step of the model with the factors x, and false if they are
// unstable.
func (f *Fitter) at(x *point) (linear, bool) {
	a, b, c := x[0], x[1], x[2]
	switch f.kind {
	case kindSimple:
		return linear{k1: a}, true
	case kindHolt:
		return linear{h: f.phi, f22: f.phi, k1: a, k2: a * b}, true
	case kindDamped:
		return linear{h: c, f22: c, k1: a, k2: a * b}, true
	}
	m := Triple{Form: Form(f.kind - kindPrinted), Alpha: a, Beta: b, Gamma: c}
	s := linear{1, .5, 1, 1, 1, a, a * b, a * b * c}
	switch m.Form {
	case AsPrinted:
		s.f23, s.f33 = 1-b/2, 1-b*c/2
	case BackwardDifference:
		s.q = 1
	}
	return s, !(a > 0 && b > 0 && c > 0) || m.Stable()
}

// weigh fills g and q for the step s.
func (f *Fitter) weigh(s *linear) {
	g, pow := 0.0, 1.0
	for i := range f.g {
		pow *= s.h
		g += pow
		f.g[i] = g
		h := float64(i + 1)
		f.q[i] = h * h / 2
		if f.kind == kindBackward {
			f.q[i] += h / 2
		}
	}
}

// value returns the least mean square over all initial states, and leaves the best
// of these in f.start.
func (f *Fitter) value(x *point) float64 {
	f.evals++
	s, ok := f.at(x)
	if !ok {
		return math.Inf(1)
	}
	var m normal
	switch {
	case f.kind.states() == 3:
		f.weigh(&s)
		m.collect3(f, &s)
	case len(f.g) > 1:
		f.weigh(&s)
		m.collectSteps(f, &s)
	case f.kind == kindSimple:
		m.collect1(f, &s)
	default:
		m.collect2(f, &s)
	}
	return m.solve(&f.start)
}

// normal holds the normal equations of the initial state: Σ e² from the state 0,
// Σ e·z and Σ z·z' of the sensitivities z, and the number of errors.
type normal struct {
	ee                           float64
	ez                           [3]float64
	z00, z01, z02, z11, z12, z22 float64
	n                            float64
}

// A sensitivity below forgotten is dropped: its squares are below 10⁻⁶⁰ of the sums,
// and close to numbers with which processors are slow. Most
// factors reach that point within some tens of values, and from there on the pass runs
// the recursion alone.
const forgotten = 1e-30

// stride is how many points pass between two checks for that.
const stride = 16

// collect1 is the pass for one-step errors of a level alone.
func (m *normal) collect1(f *Fitter, s *linear) {
	var l, ee, ep, pp, n float64
	p, k := 1.0, 1-s.k1
	y := f.y
	for ; len(y) > 0 && p > forgotten; y = y[min(stride, len(y)):] {
		for _, x := range y[:min(stride, len(y))] {
			if x != x {
				continue
			}
			e := x - l
			ee += e * e
			ep += e * p
			pp += p * p
			l += s.k1 * e
			p *= k
			n++
		}
	}
	for _, x := range y {
		if x == x {
			e := x - l
			ee += e * e
			l += s.k1 * e
			n++
		}
	}
	m.ee, m.ez[0], m.z00, m.n = ee, ep, pp, n
}

// collect2 is the pass for one-step errors of a level and a trend.
func (m *normal) collect2(f *Fitter, s *linear) {
	h, f22, k1, k2 := s.h, s.f22, s.k1, s.k2
	var l, b, ee, ep, eq, pp, pq, qq, n float64
	pl, pb, ql, qb := 1.0, 0.0, 0.0, 1.0
	y := f.y
	for ; len(y) > 0 && remembered(pl, pb, ql, qb); y = y[min(stride, len(y)):] {
		for _, x := range y[:min(stride, len(y))] {
			l, pl, ql = l+h*b, pl+h*pb, ql+h*qb
			b, pb, qb = f22*b, f22*pb, f22*qb
			if x != x {
				continue
			}
			e := x - l
			ee += e * e
			ep += e * pl
			eq += e * ql
			pp += pl * pl
			pq += pl * ql
			qq += ql * ql
			b, pb, qb = b+k2*e, pb-k2*pl, qb-k2*ql
			l, pl, ql = l+k1*e, pl-k1*pl, ql-k1*ql
			n++
		}
	}
	for _, x := range y {
		l += h * b
		b *= f22
		if x == x {
			e := x - l
			ee += e * e
			l, b = l+k1*e, b+k2*e
			n++
		}
	}
	m.ee, m.ez = ee, [3]float64{ep, eq}
	m.z00, m.z01, m.z11, m.n = pp, pq, qq, n
}

// remembered reports whether any sensitivity is above forgotten.
func remembered(a, b, c, d float64) bool {
	return math.Abs(a)+math.Abs(b)+math.Abs(c)+math.Abs(d) > forgotten
}

// A window has sums over the known values among the next Steps: of 1, y and y², which do not
// depend on the factors, and of g, g² and g·y, which do.
type window struct {
	n, y, yy  float64
	g, gg, gy float64
}

// slide sets the sums that depend on the factors, for each window from the window of the
// next point. Since g_{s+1} = φ + φ·g_s, and with w = 0 for a missing value, else 1,
//
//	Σ g_s·w_{i+s} = φ·(Σ w_{i+s} + Σ g_s·w_{i+1+s} − what leaves at the far end),
//
// and so on for g·y, and for g² with φ²·(1 + 2·g + g²).
func (f *Fitter) slide(h float64) {
	steps := len(f.g)
	far := f.g[steps-1]
	var g, gg, gy float64
	for i := len(f.y) - 1; i >= 0; i-- {
		if i+steps < len(f.y) {
			if y := f.y[i+steps]; y == y {
				g -= far
				gg -= far * far
				gy -= far * y
			}
		}
		a := &f.ahead[i]
		gg = h * h * (a.n + 2*g + gg)
		g = h * (a.n + g)
		gy = h * (a.y + gy)
		a.g, a.gg, a.gy = g, gg, gy
	}
}

// collectSteps is the pass for the errors of several steps, of a level and a trend.
// With r_s the error s steps ahead, Σ_s r_s·(p + g_s·p') = p·Σ r_s + p'·Σ g_s·r_s. So
// a point needs only Σ r, Σ g·r and Σ r², which follow from the sums of its window,
// and the pass takes O(n) time whatever the number of steps.
func (m *normal) collectSteps(f *Fitter, s *linear) {
	h, f22, k1, k2 := s.h, s.f22, s.k1, s.k2
	f.slide(h)
	var l, b, ee, ep, eq, pp, pq, qq, n float64
	pl, pb, ql, qb := 1.0, 0.0, 0.0, 1.0
	for i, x := range f.y {
		a := &f.ahead[i]
		r0 := a.y - l*a.n - b*a.g
		r1 := a.gy - l*a.g - b*a.gg
		ee += a.yy - l*(a.y+r0) - b*(a.gy+r1)
		ep += pl*r0 + pb*r1
		eq += ql*r0 + qb*r1
		pp += pl*pl*a.n + 2*pl*pb*a.g + pb*pb*a.gg
		pq += pl*ql*a.n + (pl*qb+ql*pb)*a.g + pb*qb*a.gg
		qq += ql*ql*a.n + 2*ql*qb*a.g + qb*qb*a.gg
		n += a.n
		l, pl, ql = l+h*b, pl+h*pb, ql+h*qb
		b, pb, qb = f22*b, f22*pb, f22*qb
		if x == x {
			e := x - l
			b, pb, qb = b+k2*e, pb-k2*pl, qb-k2*ql
			l, pl, ql = l+k1*e, pl-k1*pl, ql-k1*ql
		}
		if i%stride == 0 && !remembered(pl, pb, ql, qb) {
			pl, pb, ql, qb = 0, 0, 0, 0
		}
	}
	m.ee, m.ez = ee, [3]float64{ep, eq}
	m.z00, m.z01, m.z11, m.n = pp, pq, qq, n
	if f.kind == kindSimple {
		m.z01, m.z11, m.ez[1] = 0, 0, 0
	}
}

// collect3 is the pass for level, trend and acceleration, any number of steps.
func (m *normal) collect3(f *Fitter, s *linear) {
	var l, b, c float64
	zl, zb, zc := [3]float64{1, 0, 0}, [3]float64{0, 1, 0}, [3]float64{0, 0, 1}
	for i, x := range f.y {
		for j, y := range f.y[i:min(len(f.y), i+len(f.g))] {
			if y != y {
				continue
			}
			g, q := f.g[j], f.q[j]
			r := y - l - g*b - q*c
			z0, z1, z2 := zl[0]+g*zb[0]+q*zc[0], zl[1]+g*zb[1]+q*zc[1], zl[2]+g*zb[2]+q*zc[2]
			m.ee += r * r
			m.ez[0] += r * z0
			m.ez[1] += r * z1
			m.ez[2] += r * z2
			m.z00 += z0 * z0
			m.z01 += z0 * z1
			m.z02 += z0 * z2
			m.z11 += z1 * z1
			m.z12 += z1 * z2
			m.z22 += z2 * z2
			m.n++
		}
		e := 0.0
		l, b, c = l+s.h*b+s.q*c, s.f22*b+s.f23*c, s.f33*c
		if x == x {
			e = x - l
		}
		l, b, c = l+s.k1*e, b+s.k2*e, c+s.k3*e
		for j := range zl {
			zl[j], zb[j], zc[j] = zl[j]+s.h*zb[j]+s.q*zc[j], s.f22*zb[j]+s.f23*zc[j], s.f33*zc[j]
			if x == x {
				z := zl[j]
				zl[j], zb[j], zc[j] = z-s.k1*z, zb[j]-s.k2*z, zc[j]-s.k3*z
			}
			if i%stride == 0 && !remembered(zl[j], zb[j], zc[j], 0) {
				zl[j], zb[j], zc[j] = 0, 0, 0
			}
		}
	}
}

// pivotTolerance: a pivot below this part of its diagonal element is
// rounding (2⁻⁵² times the condition of a system of 3 unknowns whose
// columns differ by up to n² = 10⁶), and its state stays 0.
const pivotTolerance = 1e-10

// solve sets x to the solution of the normal equations, by Cholesky's L·D·L', and
// returns the mean square that it leaves.
func (m *normal) solve(x *[3]float64) float64 {
	*x = [3]float64{}
	if m.n == 0 {
		return 0
	}
	inverse := func(d, whole float64) float64 {
		if d > pivotTolerance*whole {
			return 1 / d
		}
		return 0
	}
	i0 := inverse(m.z00, m.z00)
	l10, l20 := m.z01*i0, m.z02*i0
	d1 := m.z11 - l10*m.z01
	i1 := inverse(d1, m.z11)
	l21 := (m.z12 - l20*m.z01) * i1
	d2 := m.z22 - l20*m.z02 - l21*(m.z12-l20*m.z01)
	i2 := inverse(d2, m.z22)
	y0 := m.ez[0]
	y1 := m.ez[1] - l10*y0
	y2 := m.ez[2] - l20*y0 - l21*y1
	// What each pivot explains is y²/d.
	left := m.ee - y0*y0*i0 - y1*y1*i1 - y2*y2*i2
	x[2] = y2 * i2
	x[1] = y1*i1 - l21*x[2]
	x[0] = y0*i0 - l10*x[1] - l20*x[2]
	return max(0, left) / m.n
}

// fit minimises, and returns the factors, the state before the series, and the
// part of the series that was fitted. A state beyond Largest is an error, and only values near
// Largest lead there.
func (f *Fitter) fit(k kind, phi float64, series []float64) (x point, state [3]float64, part []float64, err error) {
	f.kind, f.phi = k, phi
	if part, err = f.Cut(series, k.free()+1); err != nil {
		return
	}
	f.prepare(part)
	x = f.minimise()
	f.value(&x)
	state = f.start
	for i := range state {
		state[i] *= f.scale
	}
	state[0] += f.shift
	for _, s := range state {
		if !usable(s) {
			err = badInput("series", -1, ErrValue, "values that differ by %v lead to a start beyond %v; scale them", f.scale, Largest)
		}
	}
	return
}

// free returns the number of fitted states and factors.
func (k kind) free() int { return k.factors() + k.states() }

// defaultLeads is up to how many steps ahead a fit looks at its errors, a quarter of
// the series at most.
const defaultLeads = 52

// replay updates a model, which is in its state before a series that [Fitter.Cut]
// returned, with that series. replay keeps the one-step errors since the model was
// ready, and the sums of squares of the errors of more steps.
func (f *Fitter) replay(m starter, series []float64, free int) Fit {
	fit := Fit{Free: free, Evaluations: f.evals + 1}
	leads := min(cmp.Or(f.Leads, defaultLeads), max(1, len(series)/4))
	f.path, f.squares, f.counts = grow.To(f.path, leads), grow.To(f.squares, leads), grow.To(f.counts, leads)
	flat(f.squares, 0)
	flat(f.counts, 0)
	f.resid = f.resid[:0]
	lambda := boxcox.Of(m)
	for i, x := range series {
		e := math.NaN()
		if m.Ready() {
			ahead := series[i:min(len(series), i+leads)]
			path := f.path[:len(ahead)]
			m.Forecast(path)
			e = boxcox.Error(lambda, x, path[0])
			for j, y := range ahead {
				if d := boxcox.Error(lambda, y, path[j]); d == d {
					f.squares[j] += d * d
					f.counts[j]++
				}
			}
		}
		f.resid = append(f.resid, e)
		m.Update(x)
	}
	fit.SSE, fit.N = f.squares[0], int(f.counts[0])
	fit.Residuals, fit.Growth = f.resid, f.grown(fit)
	return fit
}

// enoughErrors is how many errors Growth wants of a number of steps ahead.
const enoughErrors = 20

// grown returns the growth of the errors of a fit.
func (f *Fitter) grown(fit Fit) []float64 {
	f.growth = f.growth[:0]
	one := fit.Variance()
	if !(one > 0) {
		return f.growth
	}
	for i, s := range f.squares {
		if f.counts[i] < enoughErrors {
			break
		}
		f.growth = append(f.growth, math.Sqrt(s/max(1, f.counts[i]-float64(fit.Free))/one))
	}
	return f.growth
}

// Cut begins a fit, and returns the part of a series that is fitted, without missing
// values at its beginning. The error is ErrShort if fewer than least values are known.
func (f *Fitter) Cut(series []float64, least int) ([]float64, error) {
	f.evals = 0
	if err := f.Validate(); err != nil {
		return nil, err
	}
	if err := CheckSeries(series); err != nil {
		return nil, err
	}
	for len(series) > 0 && series[0] != series[0] {
		series = series[1:]
	}
	n := 0
	for _, x := range series {
		if x == x {
			n++
		}
	}
	if n < least {
		return nil, badInput("series", -1, ErrShort, "%d known values: want %d at least", n, least)
	}
	return series, nil
}

// prepare shifts a series to begin at 0 and scales it to 1, and sets the bounds.
func (f *Fitter) prepare(series []float64) {
	f.shift, f.scale = series[0], 0
	f.y = f.y[:0]
	for _, x := range series {
		f.y = append(f.y, x-f.shift)
		if x == x {
			f.scale = max(f.scale, math.Abs(x-f.shift))
		}
	}
	if f.scale == 0 {
		f.scale = 1
	}
	for i := range f.y {
		f.y[i] /= f.scale
	}
	steps := min(max(f.Steps, 1), max(1, len(series)/4))
	f.g, f.q = grow.To(f.g, steps), grow.To(f.q, steps)
	f.ahead = f.ahead[:0]
	if steps > 1 {
		for i := range f.y {
			var w window
			for _, y := range f.y[i:min(len(f.y), i+steps)] {
				if y == y {
					w.n++
					w.y += y
					w.yy += y * y
				}
			}
			f.ahead = append(f.ahead, w)
		}
	}
	f.lo, f.hi = point{}, point{1, 1, 1}
	if f.kind == kindDamped {
		f.lo[2], f.hi[2] = phiMin, phiMax
	}
}

// How often minimise scans for a better valley, and at how many points a factor.
const (
	scans      = 4
	scanPoints = 6
)

// A walk from the best of a few points along β = 0 is worth it if its value is below edgeNear
// times the least value so far.
const edgeNear = 1.03

// minimise returns the factors with the least value that it finds, down from the best point
// of a grid. With a trend there often is a second valley along β = 0, where the trend of the
// start goes on: minimise walks along that valley as well, and down from there if it is lower.
func (f *Fitter) minimise() point {
	// Many series want a quick level and a slow trend: the grid is finer there.
	var phis [2]float64
	grid := [3][]float64{{.03, .1, .4, .7, .95}, {.01, .1, .4}, {.02, .1, .4}}
	if f.kind == kindDamped {
		w := f.hi[2] - f.lo[2]
		phis = [2]float64{f.lo[2] + .1*w, f.lo[2] + .9*w}
		grid[2] = phis[:]
	}
	zeros := [1]float64{}
	d := f.kind.factors()
	if d < 3 {
		grid[2] = zeros[:1]
	}
	if d < 2 {
		grid[1] = zeros[:1]
	}
	best, low := point{}, math.Inf(1)
	for _, a := range grid[0] {
		for _, b := range grid[1] {
			for _, c := range grid[2] {
				x := point{a, b, c}
				if v := f.value(&x); v < low {
					best, low = x, v
				}
			}
		}
	}
	best, low = f.descend(best, low, d)
	if f.kind != kindHolt && f.kind != kindDamped {
		return best
	}
	edge, least := best, math.Inf(1)
	for _, a := range [...]float64{0, .05, .2, .5} {
		for _, c := range [...]float64{(f.lo[2] + f.hi[2]) / 2, f.hi[2]} {
			x := point{a, 0, c}
			if v := f.value(&x); v < least {
				edge, least = x, v
			}
		}
	}
	if least < low*edgeNear {
		edge, least = f.walker.simplex(f, &f.lo, &f.hi, edge, least, 1, .5)
	}
	if least < low*(1-simplexValues) {
		best, _ = f.descend(edge, least, d)
	}
	return best
}

// descend goes down from a point by Nelder and Mead's simplex. A simplex goes flat at a
// bound, and φ hardly matters where β is 0. So descend scans each factor from the end of the
// walk, and starts again from a better point.
func (f *Fitter) descend(best point, low float64, d int) (point, float64) {
	side := .5
	for range scans {
		best, low = f.walker.simplex(f, &f.lo, &f.hi, best, low, d, side)
		x, v := f.scan(best, low, d)
		if !(v < low*(1-simplexValues)) {
			break
		}
		best, low, side = x, v, .1
	}
	return best, low
}

// scan returns the best point on the lines through x along each factor.
func (f *Fitter) scan(x point, v float64, d int) (point, float64) {
	best, low := x, v
	for i := range d {
		for j := range scanPoints {
			y := x
			y[i] = f.lo[i] + (f.hi[i]-f.lo[i])*float64(j)/(scanPoints-1)
			if v := f.value(&y); v < low {
				best, low = y, v
			}
		}
	}
	return best, low
}
