package smoothing

import (
	"github.com/plimsoll/plimsoll/internal/enum"
)

// A Form is one of three ways in which a [Triple] reads its trend.
type Form int

const (
	// AsPrinted is [Niu16] Eqs. (6) and (7) to the letter. Its one-step error tends to
	// a/(2·α), even on a quadratic without noise.
	AsPrinted Form = iota
	// Midpoint takes v as the slope at k. The step of the level is the slope half a step
	// earlier, and Midpoint corrects it by a/2.
	Midpoint
	// BackwardDifference takes v as the last step of the level, so that the next
	// step is v + a, and the h-th step from now v + h·a.
	BackwardDifference
)

var forms = enum.New[Form]("forecast", "Form", ErrFactor, "as-printed", "midpoint", "backward-difference")

// String returns the name, as the JSON form has it, and Form(7) for a form that is none.
func (f Form) String() string { return forms.String(f) }

// MarshalText returns the name, and a *pricing.InputError for a form that is none.
func (f Form) MarshalText() ([]byte, error) { return forms.MarshalText(f) }

// UnmarshalText accepts the names that String returns. Another name is a *pricing.InputError.
func (f *Form) UnmarshalText(text []byte) error { return forms.UnmarshalText(f, text) }

// Triple is the triple-parameter smoothing of [Niu16] section 5.2.1, a model with a level d, a
// trend v and an acceleration a, in one of three forms. d, v and a without an index are the values
// before the observation x_k. p is the forecast of x_k, and e = x_k − p:
//
//	                    p                  d_k       v_k                          forecast h steps ahead
//	AsPrinted           d + v + a/2        p + α·e   β·(d_k−d) + (1−β)·(v+a)      d_k + v_k·h + a_k·h²/2
//	Midpoint            d + v + a/2        p + α·e   β·(d_k−d+a/2) + (1−β)·(v+a)  d_k + v_k·h + a_k·h²/2
//	BackwardDifference  d + v + a          p + α·e   β·(d_k−d) + (1−β)·(v+a)      d_k + v_k·h + a_k·h·(h+1)/2
//
// and a_k = γ·(v_k − v) + (1−γ)·a in all three forms. The last two forms are exact on quadratics.
// All forms are unstable for many factors, see [Triple.Stable]. Over long horizons all forecasts
// grow without bound: cap them by [forecast.Limits].
//
// Start: as [Holt], with acceleration 0; the paper does not say. A missing observation counts as e
// = 0.
//
// # Why Eq. (7) is biased
//
// [Niu16] Eq. (7) is AsPrinted. Written with the one-step error e, its three lines are
//
//	d_k = d + v + a/2 + α·e,
//	v_k = v + a + β·(α·e − a/2),
//	a_k = a + β·γ·(α·e − a/2).
//
// Take a quadratic with second difference A and no noise. There a stable recursion ends in a steady
// state: e and the distance of d from the series are constant. Then a is constant, and the third
// line says α·e = a/2. So the second line says that v grows by a each step. The step of the level,
// d_k − d_{k-1} = v + a/2 + α·e, grows by A each step. In it, only v changes, so a = A. Hence
//
//	e = A/(2·α).
//
// For example, with α = .5 and A = 2 each forecast is 2 too low, however long the series. The
// reason is that v stands for the slope at k, but d_k − d_{k-1} is the slope in the middle of the
// step before, which is a/2 less. There are two repairs. [Midpoint] adds a/2 to d_k − d_{k-1}.
// [BackwardDifference] takes v as the slope of the last step. So its next step is v + a, and its
// forecast is d + v·h + a·h·(h+1)/2. With either repair the lines of v_k and a_k end in β·α·e and
// β·γ·α·e, and a steady state has e = 0.
type Triple struct {
	Form  Form    `json:"form"`
	Alpha float64 `json:"alpha"` // smoothing factor of the level, in [0, 1]
	Beta  float64 `json:"beta"`  // of the trend
	Gamma float64 `json:"gamma"` // of the acceleration
	motion
	bend
}

// A bend is the state of a model with an acceleration, beside its motion.
type bend struct {
	Accel float64 `json:"accel"`
}

// Ready reports whether the model has its start, two observations.
func (m *Triple) Ready() bool { return m.N > 1 }

// Update takes the next observation, see [Model]. The recursion is in its
// error-correction form: Eq. (7) with d_k put into v_k and v_k into a_k. As printed,
// β·a/2 is missing from v_k and β·γ·a/2 from a_k, which causes the bias.
func (m *Triple) Update(x float64) {
	if m.N < 2 {
		m.Accel = 0
		start(m, &m.motion, x)
		return
	}
	m.step(x, m.Alpha, m.Beta, m.Gamma)
}

// step is Update after the start, with factors that are at hand: an adaptive model waits
// for them, and would wait longer for what it has stored and reads again.
func (m *Triple) step(x, alpha, beta, gamma float64) {
	a := m.Accel
	v, half := m.Trend+a, a/2
	d := m.Level + m.Trend + half
	switch m.Form {
	case AsPrinted:
		v -= beta * half
		a -= beta * gamma * half
	case BackwardDifference:
		d = m.Level + v
	}
	if usable(x) {
		e, ab := x-d, alpha*beta
		d += alpha * e
		v += ab * e
		a += ab * gamma * e
		m.N++
	}
	if usable(d) && usable(v) && usable(a) {
		m.Level, m.Trend, m.Accel = d, v, a
	}
}

// predict returns the forecast of the next observation.
func (m *Triple) predict() float64 {
	if m.Form == BackwardDifference {
		return m.Level + m.Trend + m.Accel
	}
	return m.Level + m.Trend + m.Accel/2
}

// Forecast sets dst[i] to the forecast i+1 steps ahead, [Niu16] Eq. (6), see
// [Model].
func (m *Triple) Forecast(dst []float64) {
	v := m.Trend
	if m.Form == BackwardDifference {
		v += m.Accel / 2
	}
	for i := range dst {
		h := float64(i + 1)
		dst[i] = m.Level + h*(v+h*m.Accel/2)
	}
}

// Validate returns a *pricing.InputError if a factor or the state is out of range. The error
// unwraps to [ErrUnstable] if the factors are outside of the stability
// region. Factors of 0 are fine: the model then keeps the trend, or the acceleration, of
// the start.
func (m *Triple) Validate() error {
	if !forms.Valid(m.Form) {
		return badInput("Form", -1, ErrFactor, "%v: want %s", m.Form, forms.Want())
	}
	if err := checkFactors("Alpha Beta Gamma", m.Alpha, m.Beta, m.Gamma); err != nil {
		return err
	}
	if m.Alpha > 0 && m.Beta > 0 && m.Gamma > 0 && !m.Stable() {
		return badInput("Gamma", -1, ErrUnstable, "%v with alpha %v and beta %v in the %v form: want less than %.6g, as Clamp makes it",
			m.Gamma, m.Alpha, m.Beta, m.Form, m.GammaLimit())
	}
	return checkState(m.N, m.Gap, m.Level, m.Trend, m.Accel)
}

// Deviate replaces errors by what they add to the forecasts, see [Model]. An error of 1 adds
// α·(1 + β·j + β·γ·j²/2) to the forecast j steps later; in the backward form j·(j+1) stands for
// j². The bias of AsPrinted is not part of Deviate.
func (m *Triple) Deviate(dst []float64) {
	v, a := m.Alpha*m.Beta, m.Alpha*m.Beta*m.Gamma
	if m.Form == BackwardDifference {
		v += v * m.Gamma / 2
	}
	var l, b, c float64
	for i, e := range dst {
		l += b + c/2
		b += c
		dst[i] = l + e
		l += m.Alpha * e
		b += v * e
		c += a * e
	}
}

// Fit fits factors within the stability region, and level, trend and
// acceleration, see [Model]. Fit keeps the form, and wants seven values.
func (m *Triple) Fit(f *Fitter, series []float64) (Fit, error) {
	if !forms.Valid(m.Form) {
		return Fit{}, badInput("Form", -1, ErrFactor, "%v: want %s", m.Form, forms.Want())
	}
	k := kindPrinted + kind(m.Form)
	x, s, part, err := f.fit(k, series)
	if err != nil {
		return Fit{}, err
	}
	*m = Triple{Form: m.Form, Alpha: x[0], Beta: x[1], Gamma: x[2], motion: motion{Level: s[0], Trend: s[1], N: 2}, bend: bend{Accel: s[2]}}
	fit := f.replay(m, part, k.free())
	m.N = fit.N
	return fit, nil
}

// Least returns how many values Fit wants.
func (m *Triple) Least() int { return kindPrinted.free() + 1 } // as many in each form
