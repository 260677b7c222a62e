package forecast

import (
	"cmp"
	"math"

	"github.com/plimsoll/plimsoll/forecast/internal/boxcox"
	"github.com/plimsoll/plimsoll/forecast/smoothing"
	"github.com/plimsoll/plimsoll/internal/grow"
	"gonum.org/v1/gonum/mathext"
)

// A Predictor is a forecasting model together with what a planner needs: limits, quantiles,
// intervals, paths and the tracking signal. Set Model before use. Without a Model, Validate and Fit
// return an error, and the methods that forecast or take an observation panic.
//
// Intervals assume that errors are normal on the scale of the model's errors. The variance of the
// errors is estimated from the one-step errors so far. So the quantiles are those of Student's t,
// with at least four degrees of freedom.
//
// Intervals widen with the number of steps ahead. For each number of steps, Predictor takes the
// greater of two widths. The first width comes from the model's own formula, which is right if the
// model is right. The second width is measured: it is the size of the errors that the model made
// that many steps ahead, on the series to which it was fitted. So the second width shows where the
// model is wrong. Predictor measures it up to 52 steps or a quarter of the series ahead, and only
// for numbers of steps with at least 20 errors. The default model, a mean of several models,
// measures its trial forecasts before the last fit instead, and needs only 5 errors. If Analytic is
// set, Predictor does not use the second width.
//
// The JSON form contains the name of the model, see [New], so reading it also makes the model.
type Predictor struct {
	Model  smoothing.Model
	Limits Limits
	Signal smoothing.Signal // of the one-step errors

	Analytic bool // intervals grow as the model says, whatever its errors did

	tally

	one               [1]float64
	spread, mean, own []float64
	more              []float64   // of Paths
	rows              [][]float64 // of Paths
	usual             usual
}

// tally is what a Predictor has seen of its model's errors.
type tally struct {
	Squares float64   `json:"squares"` // sum of the squared one-step errors
	Errors  int       `json:"errors"`  // number of them
	Free    int       `json:"free"`    // errors that fitted parameters cost
	Peak    float64   `json:"peak"`    // largest |observation|
	Growth  []float64 `json:"growth"`  // root mean square of the errors i+1 steps ahead where the model was fitted, over that of one step
	Recent  []float64 `json:"recent"`  // the last one-step errors, 260 at most, for Paths
}

// Update takes the next observation, see [smoothing.Model], and its error.
func (p *Predictor) Update(x float64) {
	p.needModel()
	if usable(x) {
		p.Peak = max(p.Peak, math.Abs(x))
		if p.Model.Ready() {
			p.Model.Forecast(p.one[:])
			p.take(boxcox.Error(boxcox.Of(p.Model), x, p.one[0]))
		}
	}
	p.Model.Update(x)
}

// needModel panics without a Model.
func (p *Predictor) needModel() {
	if p.Model == nil {
		panic("forecast: Predictor without a Model")
	}
}

// take counts an error.
func (p *Predictor) take(e float64) {
	if e != e {
		return
	}
	p.Signal.Update(e)
	if s := p.Squares + e*e; s <= math.MaxFloat64 {
		p.Squares = s
		if len(p.Recent) < keptErrors {
			p.Recent = append(p.Recent, e)
		} else {
			p.Recent[p.Errors%keptErrors] = e
		}
		p.Errors++
	}
}

// Ready reports whether the model has its start.
func (p *Predictor) Ready() bool { return p.Model.Ready() }

// Forecast sets dst[i] to the forecast i+1 steps ahead, within the limits.
func (p *Predictor) Forecast(dst []float64) {
	p.needModel()
	p.Model.Forecast(dst)
	p.Limits.Apply(dst, p.Peak)
}

// TrackingSignal returns the signal's value, see [smoothing.Signal].
func (p *Predictor) TrackingSignal() float64 { return p.Signal.TrackingSignal() }

// Alarm reports whether recent errors point one way by more than chance explains. By chance alone,
// the alarm is raised once in a hundred steps, see [Signal.Alarm]. While Alarm is true, do not rely
// on the forecast, and make no long purchase: the level has jumped, a season is missing, or a trend
// has turned. Fit again. If you know when the change was, fit to the values since.
func (p *Predictor) Alarm() bool { return p.Signal.Alarm(0) }

// Sigma returns the standard deviation of the one-step errors so far, 0 without any.
func (p *Predictor) Sigma() float64 {
	return math.Sqrt(smoothing.Fit{SSE: p.Squares, N: p.Errors, Free: p.Free}.Variance())
}

// Quantile sets dst[i] to the q quantile of the value i+1 steps ahead, within the
// limits: for a demand, the level that suffices with probability q. Quantile panics
// unless 0 < q < 1.
func (p *Predictor) Quantile(dst []float64, q float64) {
	if !(q > 0 && q < 1) {
		panic("forecast: Quantile: q is not in (0, 1)")
	}
	p.Forecast(dst)
	p.widen(len(dst))
	z := p.student(mathext.NormalQuantile(q)) * p.Sigma() // math.Erfinv has no tails
	lambda := boxcox.Of(p.Model)
	for i, x := range dst {
		dst[i] = boxcox.Shift(lambda, x, z*p.spread[i])
	}
	p.Limits.Apply(dst, p.Peak)
}

// Interval sets lo[i] and hi[i] to the ends of the central interval that holds the value
// i+1 steps ahead with probability level, within the limits. Interval panics unless
// lo and hi have the same length and 0 < level < 1.
func (p *Predictor) Interval(lo, hi []float64, level float64) {
	if len(lo) != len(hi) {
		panic("forecast: Interval: lo and hi differ in length")
	}
	if !(level > 0 && level < 1) {
		panic("forecast: Interval: level is not in (0, 1)")
	}
	p.Forecast(lo)
	p.widen(len(lo))
	z := p.student(math.Sqrt2*math.Erfinv(level)) * p.Sigma()
	lambda := boxcox.Of(p.Model)
	for i, x := range lo {
		d := z * p.spread[i]
		lo[i], hi[i] = boxcox.Shift(lambda, x, -d), boxcox.Shift(lambda, x, d)
	}
	p.Limits.Apply(lo, p.Peak)
	p.Limits.Apply(hi, p.Peak)
}

// leastFreedom bounds the degrees of freedom from below.
const leastFreedom = 4

// student turns a quantile of the normal distribution into one of Student's, by
// the first three terms of its expansion in 1/ν [Abramowitz64, 26.7.5]. ν is at
// least 4 here, where the 97.5% quantile comes out as 2.769, .3% too small.
func (p *Predictor) student(z float64) float64 {
	nu := float64(max(leastFreedom, p.Errors-p.Free))
	s := z * z
	return z * (1 + (s+1)/(4*nu) + ((5*s+16)*s+3)/(96*nu*nu) + (((3*s+19)*s+17)*s-15)/(384*nu*nu*nu))
}

// widen fills p.spread for h steps.
func (p *Predictor) widen(h int) {
	p.spread = grow.To(p.spread, h)
	spreadOf(p.Model, p.spread)
	if p.Analytic {
		return
	}
	most := 0.0
	for i, s := range p.spread {
		if i < len(p.Growth) {
			s = max(s, p.Growth[i])
		}
		most = max(most, s)
		p.spread[i] = most
	}
}

// spreadOf sets dst[i] to the standard deviation i+1 steps ahead in units of that of one step:
// what the model's own Spread says, or else the root of the sum of the squares of what an error
// of 1 leads to, 0 to i steps later [Hyndman08].
func spreadOf(m smoothing.Model, dst []float64) {
	if s, ok := m.(interface{ Spread(dst []float64) }); ok {
		s.Spread(dst)
		return
	}
	clear(dst)
	if len(dst) > 0 {
		dst[0] = 1
	}
	m.Deviate(dst)
	v := 0.0
	for i, psi := range dst {
		v += psi * psi
		dst[i] = math.Sqrt(v)
	}
}

// Fit fits the model. Errors and signal start anew, with those of the fit. Limits and the
// signal's constant stay. Limits, the constant and parameters that the model keeps are an
// *pricing.InputError if they are out of range.
func (p *Predictor) Fit(f *smoothing.Fitter, series []float64) (smoothing.Fit, error) {
	n := Predictor{Model: p.Model, Limits: p.Limits, Signal: smoothing.Signal{Phi: p.Signal.Phi}}
	if n.Model == nil {
		return smoothing.Fit{}, badInput("Model", -1, ErrKind, "nil: want a model")
	}
	if err := n.validateAround(); err != nil {
		return smoothing.Fit{}, err
	}
	fit, err := p.Model.Fit(f, series)
	if err != nil {
		return fit, err
	}
	p.Growth = append(p.Growth[:0], fit.Growth...)
	p.Signal = smoothing.Signal{Phi: p.Signal.Phi}
	p.Squares, p.Errors, p.Free, p.Peak, p.Recent = 0, 0, fit.Free, 0, p.Recent[:0]
	for _, e := range fit.Residuals {
		if e == e {
			p.take(e)
		}
	}
	for _, x := range series {
		if usable(x) {
			p.Peak = max(p.Peak, math.Abs(x))
		}
	}
	return fit, nil
}

// Validate returns an *pricing.InputError if there is no model, or if a limit, a parameter
// or the state is out of range.
func (p *Predictor) Validate() error {
	if p.Model == nil {
		return badInput("Model", -1, ErrKind, "nil: want a model")
	}
	return cmp.Or(p.validateAround(), p.Model.Validate())
}

// validateAround is Validate without the model.
func (p *Predictor) validateAround() error {
	if err := cmp.Or(p.Limits.Validate(), p.Signal.Validate(), checkCount("Errors", p.Errors), checkCount("Free", p.Free)); err != nil {
		return err
	}
	if !(p.Squares >= 0 && p.Squares <= math.MaxFloat64) || !(p.Peak >= 0 && p.Peak <= smoothing.Largest) {
		return badInput("Squares", -1, ErrValue, "squares %v of %d errors, peak %v: want finite numbers of at least 0",
			p.Squares, p.Errors, p.Peak)
	}
	for i, g := range p.Growth {
		if !(g >= 0 && g <= smoothing.Largest) {
			return badInput("Growth", i, ErrValue, "%v: want a finite number of at least 0", g)
		}
	}
	if len(p.Recent) > keptErrors {
		return badInput("Recent", -1, ErrLength, "%d errors: want %d at most", len(p.Recent), keptErrors)
	}
	for i, e := range p.Recent {
		if !(math.Abs(e) <= 2*smoothing.Largest) {
			return badInput("Recent", i, ErrValue, "%v: want a finite number", e)
		}
	}
	return nil
}
