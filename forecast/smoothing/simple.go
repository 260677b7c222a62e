package smoothing

import "cmp"

// Simple is simple exponential smoothing, a model for series without a trend. Its level l_k follows
// the observations x_k:
//
//	l_k = l_{k-1} + α·(x_k − l_{k-1}),    forecast l_k at every horizon.
//
// Start: the first observation is the level. A missing observation changes nothing.
type Simple struct {
	Alpha float64 `json:"alpha"` // smoothing factor, in [0, 1]
	level
}

// A level is the state of a model that has no more than that.
type level struct {
	Level float64 `json:"level"`
	N     int     `json:"n"` // observations taken, without missing ones
}

// Ready reports whether the model has its start, one observation.
func (m *Simple) Ready() bool { return m.N > 0 }

// Update takes the next observation, see [Model].
func (m *Simple) Update(x float64) {
	if !usable(x) {
		return
	}
	if m.N == 0 {
		m.Level, m.N = x, 1
		return
	}
	if l := m.Level + m.Alpha*(x-m.Level); usable(l) {
		m.Level = l
	}
	m.N++
}

// Forecast fills dst with the level, see [Model].
func (m *Simple) Forecast(dst []float64) { flat(dst, m.Level) }

// Validate returns a *pricing.InputError if the factor or the state is out of range.
func (m *Simple) Validate() error {
	return cmp.Or(checkFactors("Alpha", m.Alpha), checkState(m.N, 0, m.Level))
}

// Deviate replaces errors by what they add to the forecasts, see [Model].
func (m *Simple) Deviate(dst []float64) {
	l := 0.0
	for i, e := range dst {
		dst[i] = l + e
		l += m.Alpha * e
	}
}

// Fit fits the factor and the level, see [Model]. Fit wants three
// values, one more than it fits.
func (m *Simple) Fit(f *Fitter, series []float64) (Fit, error) {
	x, s, part, err := f.fit(kindSimple, series)
	if err != nil {
		return Fit{}, err
	}
	*m = Simple{Alpha: x[0], level: level{Level: s[0], N: 1}}
	fit := f.replay(m, part, kindSimple.free())
	m.N = fit.N
	return fit, nil
}

// Least returns how many values Fit wants.
func (m *Simple) Least() int { return kindSimple.free() + 1 }
