package smoothing

import "math"

// Brown is Brown's triple smoothing: a quadratic fitted to the whole past by least
// squares in which an observation j steps old has the weight (1−α)^j. With
// e = x_k − (l + b + c/2):
//
//	l_k = l + b + c/2 + (1 − (1−α)³)·e
//	b_k = b + c + (3/2)·α²·(2−α)·e
//	c_k = c + α³·e,        forecast l_k + b_k·h + c_k·h²/2.
//
// This is the three-fold smoothing S1, S2, S3 of [Brown63] in the variables of the
// forecast, without a division by 1 − α. All three eigenvalues are
// 1 − α, since the characteristic polynomial is (z − 1 + α)³. So the model is stable for
// 0 < α < 2, and exact on quadratics.
//
// Start: as [Holt], with acceleration 0. To begin with another state set Level,
// Trend, Accel and N = 2. A missing observation is one with e = 0.
type Brown struct {
	Alpha float64 `json:"alpha"` // in [0, 2), in practice .05 to .3

	Level float64 `json:"level"`
	Trend float64 `json:"trend"`
	Accel float64 `json:"accel"`
	N     int     `json:"n"`   // observations taken, without missing ones; 2 if the state is given
	Gap   int     `json:"gap"` // while N is 1: missing ones since the first
}

// Ready reports whether the model has its start, two observations.
func (m *Brown) Ready() bool { return m.N > 1 }

// gains returns what an error of 1 adds to level, trend and acceleration.
func (m *Brown) gains() (l, b, c float64) {
	a := m.Alpha
	return a * (3 - a*(3-a)), 1.5 * a * a * (2 - a), a * a * a
}

// Update takes the next observation, see [Model].
func (m *Brown) Update(x float64) {
	if m.N < 2 {
		m.start(x)
		return
	}
	l, b, c := m.Level+m.Trend+m.Accel/2, m.Trend+m.Accel, m.Accel
	if usable(x) {
		e := x - l
		gl, gb, gc := m.gains()
		l += gl * e
		b += gb * e
		c += gc * e
		m.N++
	}
	if usable(l) && usable(b) && usable(c) {
		m.Level, m.Trend, m.Accel = l, b, c
	}
}

// start takes observations until there are two.
func (m *Brown) start(x float64) {
	switch {
	case m.N == 0 && usable(x):
		m.Level, m.Trend, m.Accel, m.N, m.Gap = x, 0, 0, 1, 0
	case m.N == 1 && !(usable(x) && usable(x-m.Level)): // missing, or too far
		m.Gap = min(m.Gap+1, mostGap)
	case m.N == 1:
		first, gap := m.Level, m.Gap
		m.Trend, m.Accel, m.Gap, m.N = (x-first)/float64(gap+1), 0, 0, 2
		m.Update(first)
		for range gap {
			m.Update(math.NaN())
		}
		m.Update(x)
		m.N = 2
	}
}

// Forecast sets dst[i] to the forecast i+1 steps ahead, see [Model].
func (m *Brown) Forecast(dst []float64) { quadratic(dst, m.Level, m.Trend, m.Accel) }

// Stable reports whether 0 < α < 2.
func (m *Brown) Stable() bool { return m.Alpha > 0 && m.Alpha < 2 }

// Validate returns an [*InputError] if the factor or the state is out of range.
func (m *Brown) Validate() error {
	if !(m.Alpha >= 0 && m.Alpha < 2) {
		return badInput("Alpha", -1, ErrUnstable, "%v: want a number in [0, 2)", m.Alpha)
	}
	return checkState(m.N, m.Gap, m.Level, m.Trend, m.Accel)
}

func (m *Brown) Deviate(dst []float64) {
	l, b, c := m.gains()
	quadraticDeviate(dst, l, b, c)
}
