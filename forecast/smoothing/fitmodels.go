package smoothing

// Fit fits the factor and the level, see [Fittable]. Fit wants three
// values, one more than it fits.
func (m *Simple) Fit(f *Fitter, series []float64) (Fit, error) {
	x, s, part, err := f.fit(kindSimple, 0, series)
	if err != nil {
		return Fit{}, err
	}
	*m = Simple{Alpha: x[0], Level: s[0], N: 1}
	fit := f.replay(m, part, kindSimple.free())
	m.N = fit.N
	return fit, nil
}

// Fit fits factors, level and trend, see [Fittable]. If Phi is in (0, 1) the trend is
// damped, and Fit fits Phi too, between the bounds of f. With a Phi of 0 or 1 the trend stays
// undamped; any other Phi is an [*InputError]. Fit wants five values, six if damped: one
// more than it fits.
func (m *Holt) Fit(f *Fitter, series []float64) (Fit, error) {
	if err := checkUnit("Phi", m.Phi, 1); err != nil {
		return Fit{}, err
	}
	k := m.kind()
	x, s, part, err := f.fit(k, 1, series)
	if err != nil {
		return Fit{}, err
	}
	if k == kindHolt {
		x[2] = m.Phi
	}
	*m = Holt{Alpha: x[0], Beta: x[1], Phi: x[2], Level: s[0], Trend: s[1], N: 2}
	fit := f.replay(m, part, k.free())
	m.N = fit.N
	return fit, nil
}

// kind is what Fit takes the model for.
func (m *Holt) kind() kind {
	if m.Phi > 0 && m.Phi < 1 {
		return kindDamped
	}
	return kindHolt
}

// Fit fits factors within the stability region, and level, trend and
// acceleration, see [Fittable]. Fit keeps the form, and wants seven values.
func (m *Triple) Fit(f *Fitter, series []float64) (Fit, error) {
	if !forms.Valid(m.Form) {
		return Fit{}, badInput("Form", -1, ErrFactor, "%v: want %s", m.Form, forms.Want())
	}
	k := kindPrinted + kind(m.Form)
	x, s, part, err := f.fit(k, 0, series)
	if err != nil {
		return Fit{}, err
	}
	*m = Triple{Form: m.Form, Alpha: x[0], Beta: x[1], Gamma: x[2], Level: s[0], Trend: s[1], Accel: s[2], N: 2}
	fit := f.replay(m, part, k.free())
	m.N = fit.N
	return fit, nil
}

// Fit fits the factor, in [0, 1], and level, trend and acceleration, see
// [Fittable]. Fit wants five values.
func (m *Brown) Fit(f *Fitter, series []float64) (Fit, error) {
	x, s, part, err := f.fit(kindBrown, 0, series)
	if err != nil {
		return Fit{}, err
	}
	*m = Brown{Alpha: x[0], Level: s[0], Trend: s[1], Accel: s[2], N: 2}
	fit := f.replay(m, part, kindBrown.free())
	m.N = fit.N
	return fit, nil
}

// Fit takes the last value of the series, see [Fittable]. Fit wants one value.
func (m *Naive) Fit(f *Fitter, series []float64) (Fit, error) {
	series, err := f.Cut(series, m.Least())
	if err != nil {
		return Fit{}, err
	}
	*m = Naive{}
	return f.replay(m, series, 0), nil
}

// Fit takes the line through the series, see [Fittable]. Fit wants two values.
func (m *Drift) Fit(f *Fitter, series []float64) (Fit, error) {
	series, err := f.Cut(series, m.Least())
	if err != nil {
		return Fit{}, err
	}
	*m = Drift{}
	return f.replay(m, series, 0), nil
}

// Fit runs the rule over the series from a new start, see [Fittable]: nothing is
// fitted. A rule out of range is an [*InputError]. Fit wants one value.
func (m *AdaptiveSimple) Fit(f *Fitter, series []float64) (Fit, error) {
	n := AdaptiveSimple{Rule: m.Rule.fresh()}
	if err := n.Validate(); err != nil {
		return Fit{}, err
	}
	series, err := f.Cut(series, n.Least())
	if err != nil {
		return Fit{}, err
	}
	*m = n
	return f.replay(m, series, 0), nil
}

// Fit runs the rule over the series from a new start, see [Fittable]. Beta, Phi and
// the rule stay; out of range they are an [*InputError]. Fit wants two values.
func (m *AdaptiveHolt) Fit(f *Fitter, series []float64) (Fit, error) {
	n := AdaptiveHolt{Model: Holt{Beta: m.Model.Beta, Phi: m.Model.Phi}, Rule: m.Rule.fresh()}
	if err := n.Validate(); err != nil {
		return Fit{}, err
	}
	series, err := f.Cut(series, n.Least())
	if err != nil {
		return Fit{}, err
	}
	*m = n
	return f.replay(m, series, 0), nil
}

// Fit runs the rule over the series from a new start, see [Fittable]. The form,
// Beta, Gamma and the rule stay; out of range they are an [*InputError]. Fit wants two
// values.
func (m *AdaptiveTriple) Fit(f *Fitter, series []float64) (Fit, error) {
	n := AdaptiveTriple{Model: Triple{Form: m.Model.Form, Beta: m.Model.Beta}, Rule: m.Rule.fresh(), Gamma: m.Gamma}
	if err := n.Validate(); err != nil {
		return Fit{}, err
	}
	series, err := f.Cut(series, n.Least())
	if err != nil {
		return Fit{}, err
	}
	*m = n
	return f.replay(m, series, 0), nil
}

// Each model's Least returns how many known values its Fit wants.

func (m *Naive) Least() int          { return 1 }
func (m *Drift) Least() int          { return 2 }
func (m *Simple) Least() int         { return kindSimple.free() + 1 }
func (m *Holt) Least() int           { return m.kind().free() + 1 }
func (m *Triple) Least() int         { return kindPrinted.free() + 1 } // as many in each form
func (m *Brown) Least() int          { return kindBrown.free() + 1 }
func (m *AdaptiveSimple) Least() int { return 1 }
func (m *AdaptiveHolt) Least() int   { return 2 }
func (m *AdaptiveTriple) Least() int { return 2 }
func (m *Blend) Least() int          { return kindSimple.free() + 1 } // then it is one
