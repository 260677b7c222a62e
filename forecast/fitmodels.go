package forecast

import "math"

// Fit fits the factor and the level, see [Fittable]. It wants three
// values, one more than it fits.
func (m *Simple) Fit(f *Fitter, series []float64) (Fit, error) {
	x, s, fit, err := f.fit(kindSimple, 0, series)
	if err == nil {
		*m = Simple{Alpha: x[0], Level: s[0], N: fit.N}
	}
	return fit, err
}

// Fit fits factors, level and trend, see [Fittable]. A model with Phi
// in (0, 1) is one with a damped trend, and its Phi is fitted too, between the
// bounds that f has; with 0 or 1 it stays undamped. It wants five values, six if
// damped: one more than it fits.
func (m *Holt) Fit(f *Fitter, series []float64) (Fit, error) {
	k := kindHolt
	if m.Phi > 0 && m.Phi < 1 {
		k = kindDamped
	}
	x, s, fit, err := f.fit(k, 1, series)
	if err == nil {
		if k == kindHolt {
			x[2] = m.Phi
		}
		*m = Holt{Alpha: x[0], Beta: x[1], Phi: x[2], Level: s[0], Trend: s[1], N: max(2, fit.N)}
	}
	return fit, err
}

// Fit fits factors within the stability region, and level, trend and
// acceleration, see [Fittable]; it keeps the form. It wants seven values.
func (m *Triple) Fit(f *Fitter, series []float64) (Fit, error) {
	if m.Form < 0 || int(m.Form) >= len(forms) {
		return Fit{}, badInput("Form", -1, ErrFactor, "%d is none of the three forms", int(m.Form))
	}
	x, s, fit, err := f.fit(kindPrinted+kind(m.Form), 0, series)
	if err == nil {
		*m = Triple{Form: m.Form, Alpha: x[0], Beta: x[1], Gamma: x[2], Level: s[0], Trend: s[1], Accel: s[2], N: max(2, fit.N)}
	}
	return fit, err
}

// Fit fits the factor, in [0, 1], and level, trend and acceleration, see
// [Fittable]. It wants five values.
func (m *Brown) Fit(f *Fitter, series []float64) (Fit, error) {
	x, s, fit, err := f.fit(kindBrown, 0, series)
	if err == nil {
		*m = Brown{Alpha: x[0], Level: s[0], Trend: s[1], Accel: s[2], N: max(2, fit.N)}
	}
	return fit, err
}

// starter is a model that says when it has its start.
type starter interface {
	Model
	Ready() bool
}

// replay updates a model that has nothing to fit, new, with a series that
// [Fitter.cut] returned, and keeps its one-step errors once it is ready.
func (f *Fitter) replay(m starter, series []float64) Fit {
	fit := Fit{Evaluations: 1}
	f.resid = f.resid[:0]
	for _, x := range series {
		e := math.NaN()
		if m.Ready() {
			m.Forecast(f.one[:])
			e = x - f.one[0]
		}
		if e == e {
			fit.SSE += e * e
			fit.N++
		}
		f.resid = append(f.resid, e)
		m.Update(x)
	}
	return fit
}

// Fit takes the last value of the series, see [Fittable]. It wants one value.
func (m *Naive) Fit(f *Fitter, series []float64) (Fit, error) {
	series, err := f.cut(series, 1)
	if err != nil {
		return Fit{}, err
	}
	*m = Naive{}
	return f.replay(m, series), nil
}

// Fit takes the line through the series, see [Fittable]. It wants two values.
func (m *Drift) Fit(f *Fitter, series []float64) (Fit, error) {
	series, err := f.cut(series, 2)
	if err != nil {
		return Fit{}, err
	}
	*m = Drift{}
	return f.replay(m, series), nil
}

// Fit runs the rule over the series from a new start, see [Fittable]: there is
// nothing to fit. It wants one value.
func (m *AdaptiveSimple) Fit(f *Fitter, series []float64) (Fit, error) {
	series, err := f.cut(series, 1)
	if err != nil {
		return Fit{}, err
	}
	*m = AdaptiveSimple{Rule: m.Rule.fresh()}
	return f.replay(m, series), nil
}

// Fit runs the rule over the series from a new start, see [Fittable]: Beta, Phi and
// the rule stay. It wants two values.
func (m *AdaptiveHolt) Fit(f *Fitter, series []float64) (Fit, error) {
	series, err := f.cut(series, 2)
	if err != nil {
		return Fit{}, err
	}
	*m = AdaptiveHolt{Model: Holt{Beta: m.Model.Beta, Phi: m.Model.Phi}, Rule: m.Rule.fresh()}
	return f.replay(m, series), nil
}

// Fit runs the rule over the series from a new start, see [Fittable]: the form,
// Beta, Gamma and the rule stay. It wants two values.
func (m *AdaptiveTriple) Fit(f *Fitter, series []float64) (Fit, error) {
	series, err := f.cut(series, 2)
	if err != nil {
		return Fit{}, err
	}
	*m = AdaptiveTriple{Model: Triple{Form: m.Model.Form, Beta: m.Model.Beta}, Rule: m.Rule.fresh(), Gamma: m.Gamma}
	return f.replay(m, series), nil
}
