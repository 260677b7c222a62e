package smoothing

import (
	"cmp"
	"math"
)

// Settings of [AdaptiveTriple].
const (
	adaptiveFirst = 0.2  // the factor of the first errors
	adaptiveHold  = 3    // the number of first errors
	adaptiveFloor = 0.02 // least factor: a model with factor 0 learns nothing until its signal moves
)

// AdaptiveTriple is [Triple] with a factor Alpha that follows the tracking signal of the model's
// own one-step errors, by the rule of Trigg and Leach [Trigg67]:
//
//	α_k = |T_k|,
//
// where the signal T_k includes the error of x_k. While errors point one way, the factor grows and
// the model recovers faster. Otherwise the factor shrinks, down to .02. For the first three errors,
// the factor is .2, since |T_1| is 1 for every first error. Under white noise |T| does not go to 0,
// see [Signal]. So adaptive factors cost accuracy on series that do not change.
//
// These are the dynamic factors of [Niu16] section 5.2.1. The paper does not say which factors
// adapt. With All, all three factors follow the signal.
//
// The γ of the model is the field Gamma, or the common factor with All, but at most a cap. The cap
// depends on the limit below which γ is stable, which depends on α and β. The cap is clampMargin
// times that limit for the least α that the rule can set, and with All for the least β too. The
// limit for the present α is not enough as a cap, since a product of different stable transitions
// can be unstable. With such a cap and β = .9, white noise of standard deviation 1 drove the errors
// of all three forms beyond 1000. With the cap used here, the root mean square of the errors stays
// below 3 for any β. TestAdaptiveTripleNoise measures this; there is no proof.
type AdaptiveTriple struct {
	Model  Triple  `json:"model"`
	Signal Signal  `json:"signal"`
	All    bool    `json:"all"`   // one signal for all factors, not α alone
	Gamma  float64 `json:"gamma"` // the γ to use where it is stable, unless All
}

// factor takes the error of the next observation and returns the factor with which to smooth
// that observation.
func (m *AdaptiveTriple) factor(e float64) float64 {
	t := math.Abs(m.Signal.take(e))
	if m.Signal.N <= adaptiveHold {
		return adaptiveFirst
	}
	return max(t, adaptiveFloor)
}

// Ready reports whether the model has its start, two observations.
func (m *AdaptiveTriple) Ready() bool { return m.Model.Ready() }

// Update takes the next observation, see [Model].
func (m *AdaptiveTriple) Update(x float64) {
	if m.Model.N < 2 || !usable(x) {
		if usable(x) {
			m.set(adaptiveFirst)
		}
		m.Model.Update(x)
		return
	}
	f := m.factor(x - m.Model.predict())
	beta, gamma := m.set(f)
	m.Model.step(x, f, beta, gamma)
}

// set sets the factors of the model, and returns the last two.
func (m *AdaptiveTriple) set(f float64) (beta, gamma float64) {
	least := Triple{Form: m.Model.Form, Alpha: adaptiveFloor, Beta: m.Model.Beta}
	beta, gamma = m.Model.Beta, m.Gamma
	if m.All {
		least.Beta, beta, gamma = least.Alpha, f, f
	}
	gamma = min(gamma, clampMargin*least.GammaLimit())
	m.Model.Alpha, m.Model.Beta, m.Model.Gamma = f, beta, gamma
	return beta, gamma
}

// Forecast sets dst[i] to the forecast i+1 steps ahead, see [Model].
func (m *AdaptiveTriple) Forecast(dst []float64) { m.Model.Forecast(dst) }

// Deviate is Deviate of Model: the factors stay as they are now.
func (m *AdaptiveTriple) Deviate(dst []float64) { m.Model.Deviate(dst) }

// TrackingSignal returns the signal's value, see [Signal].
func (m *AdaptiveTriple) TrackingSignal() float64 { return m.Signal.TrackingSignal() }

// Validate returns a *pricing.InputError if a parameter or the state is out of range.
func (m *AdaptiveTriple) Validate() error {
	return cmp.Or(m.Signal.Validate(), checkFactors("Gamma", m.Gamma), m.Model.Validate())
}

// Fit runs the rule over the series from a new start, see [Model]. The form,
// Beta, Gamma and All stay; out of range they are a *pricing.InputError. Fit wants two
// values.
func (m *AdaptiveTriple) Fit(f *Fitter, series []float64) (Fit, error) {
	n := AdaptiveTriple{Model: Triple{Form: m.Model.Form, Beta: m.Model.Beta}, Signal: Signal{Phi: m.Signal.Phi}, All: m.All, Gamma: m.Gamma}
	if err := n.Validate(); err != nil {
		return Fit{}, err
	}
	return f.run(m, series, func() { *m = n })
}

// Least returns how many values Fit wants, 2.
func (m *AdaptiveTriple) Least() int { return 2 }
