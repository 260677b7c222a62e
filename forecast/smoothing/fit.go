package smoothing

import (
	"math"

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

// A Fitter fits models to series: it finds the parameters for which the sum of the squared forecast
// errors is least. The zero value is ready, and takes the one-step errors over the whole series, as
// in textbooks.
//
// The sum of squares can have several valleys, and nothing proves that the fit is in the lowest. In
// a test, [Holt] with and without damping was fitted to 400 series, random walks and noise about a
// line. For 7 of these series, a point on a fine grid of factors had a lower sum than the fit, by
// up to 3%.
//
// A Fitter keeps its memory and allocates nothing once it has seen the longest series. Fitted
// models share nothing with the Fitter. A Fitter serves any number of series, one after the other,
// but only one goroutine at a time. The work of a fit is bounded: at most some 500 passes over the
// series, or some 3000 for the default model of package forecast.
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
	// Unseasoned: a season was stated or found, and the series is too short for the model to have it.
	Unseasoned bool

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

// Validate returns a *pricing.InputError if an option is out of range.
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
	kindHolt        // without damping
	kindDamped      // with φ free
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
		return linear{h: 1, f22: 1, k1: a, k2: a * b}, true
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

// fit minimises, and returns the factors, the state before the series, and the
// part of the series that was fitted. A state beyond Largest is an error, and only values near
// Largest lead there.
func (f *Fitter) fit(k kind, series []float64) (x point, state [3]float64, part []float64, err error) {
	f.kind = k
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

// standard returns the series less its first value, in parts of the largest difference from that
// value, in the memory of dst. It keeps the value in f.shift and the difference in f.scale.
func (f *Fitter) standard(dst, series []float64) []float64 {
	f.shift, f.scale = series[0], 0
	dst = grow.To(dst, len(series))
	for i, x := range series {
		dst[i] = x - f.shift
		if x == x {
			f.scale = max(f.scale, math.Abs(dst[i]))
		}
	}
	if f.scale == 0 {
		f.scale = 1
	}
	for i := range dst {
		dst[i] /= f.scale
	}
	return dst
}

// prepare brings a series to the standard form, and sets the bounds.
func (f *Fitter) prepare(series []float64) {
	f.y = f.standard(f.y, series)
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
