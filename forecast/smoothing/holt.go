package smoothing

import (
	"cmp"
	"math"
)

// Holt is Holt's double-parameter smoothing, a model for series with a trend, damped or not damped.
// l is the level, b is the trend, and p = l_{k-1} + φ·b_{k-1} is the forecast of x_k:
//
//	l_k = p + α·(x_k − p)
//	b_k = β·(l_k − l_{k-1}) + (1 − β)·φ·b_{k-1} = φ·b_{k-1} + α·β·(x_k − p)
//	forecast h steps ahead: l_k + (φ + φ² + … + φ^h)·b_k.
//
// This β is Holt's own. The state-space literature writes β for the product α·β.
//
// Phi in (0, 1) damps the trend, the safe choice over long horizons: the forecast levels off at l +
// b·φ/(1 − φ). Phi 1 does not damp the trend, and Phi 0 stands for 1. For a model without a trend,
// use [Simple].
//
// Start: the model starts at the second observation, with the level x_1 and the trend x_2 − x_1
// before the first observation. Then the model smooths both observations. If g observations are
// missing between the two, the trend is (x_2 − x_1)/(g + 1). After one observation the forecast is
// that observation.
//
// A missing observation moves the level by φ·b, and the trend to φ·b.
type Holt struct {
	Alpha float64 `json:"alpha"` // smoothing factor of the level, in [0, 1]
	Beta  float64 `json:"beta"`  // smoothing factor of the trend, in [0, 1]
	Phi   float64 `json:"phi"`   // damping of the trend, in [0, 1]; 0 stands for 1
	motion
}

// A motion is the state of a model with a trend.
type motion struct {
	Level float64 `json:"level"`
	Trend float64 `json:"trend"`
	N     int     `json:"n"`   // observations taken, without missing ones
	Gap   int     `json:"gap"` // while N is 1: missing ones since the first
}

// Ready reports whether the model has its start, two observations.
func (m *Holt) Ready() bool { return m.N > 1 }

// Update takes the next observation, see [Model].
func (m *Holt) Update(x float64) {
	if m.N < 2 {
		start(m, &m.motion, x)
		return
	}
	b := damping(m.Phi) * m.Trend
	l := m.Level + b
	if usable(x) {
		e := x - l
		l += m.Alpha * e
		b += m.Alpha * m.Beta * e
		m.N++
	}
	if usable(l) && usable(b) {
		m.Level, m.Trend = l, b
	}
}

// Forecast sets dst[i] to the forecast i+1 steps ahead, see [Model].
func (m *Holt) Forecast(dst []float64) {
	phi, b, l := damping(m.Phi), m.Trend, m.Level
	if phi == 1 {
		for i := range dst {
			dst[i] = l + float64(i+1)*b
		}
		return
	}
	for i := range dst {
		b *= phi
		l += b
		dst[i] = l
	}
}

// Validate returns a *pricing.InputError if a factor or the state is out of range.
func (m *Holt) Validate() error {
	return cmp.Or(checkFactors("Alpha Beta Phi", m.Alpha, m.Beta, m.Phi), checkState(m.N, m.Gap, m.Level, m.Trend))
}

// Deviate replaces errors by what they add to the forecasts, see [Model].
func (m *Holt) Deviate(dst []float64) {
	phi := damping(m.Phi)
	l, b := 0.0, 0.0
	for i, e := range dst {
		b *= phi
		l += b
		dst[i] = l + e
		l += m.Alpha * e
		b += m.Alpha * m.Beta * e
	}
}

// Fit fits factors, level and trend, see [Model]. If Phi is in (0, 1) the trend is
// damped, and Fit fits Phi too, between the bounds of f. With a Phi of 0 or 1 the trend stays
// undamped; any other Phi is a *pricing.InputError. Fit wants five values, six if damped: one
// more than it fits.
func (m *Holt) Fit(f *Fitter, series []float64) (Fit, error) {
	if err := checkFactors("Phi", m.Phi); err != nil {
		return Fit{}, err
	}
	k := m.kind()
	x, s, part, err := f.fit(k, series)
	if err != nil {
		return Fit{}, err
	}
	if k == kindHolt {
		x[2] = m.Phi
	}
	*m = Holt{Alpha: x[0], Beta: x[1], Phi: x[2], motion: motion{Level: s[0], Trend: s[1], N: 2}}
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

// Least returns how many values Fit wants.
func (m *Holt) Least() int { return m.kind().free() + 1 }

// start takes observations until there are two. m then smooths both, and what is missing between
// them, from level x_1 and trend (x_2 − x_1)/(gap + 1). s is the state of m.
func start(m Model, s *motion, x float64) {
	switch {
	case s.N == 0 && usable(x):
		s.Level, s.Trend, s.N, s.Gap = x, 0, 1, 0
	case s.N == 1 && !(usable(x) && usable(x-s.Level)): // missing, or too far
		s.Gap = min(s.Gap+1, mostGap)
	case s.N == 1:
		first, gap := s.Level, s.Gap
		s.Trend, s.Gap, s.N = (x-first)/float64(gap+1), 0, 2
		m.Update(first)
		for range gap {
			m.Update(math.NaN())
		}
		m.Update(x)
		s.N = 2
	}
}
