package smoothing

import "math"

// Defaults of [TriggLeach].
const (
	DefaultAlpha0 = 0.2  // the factor of the first errors
	DefaultHold   = 3    // the number of first errors
	DefaultFloor  = 0.02 // least factor: a model with factor 0 learns nothing until its signal moves
)

// TriggLeach sets smoothing factors from the tracking signal of a model's own
// one-step errors [Trigg67]. While errors point one way the factor grows, and the model
// recovers faster; otherwise the factor shrinks.
//
//	α_k = |T_k|        the original rule, T with the error of x_k itself
//	α_k = |T_{k-1}|    Lagged, T of the error before: slower by a step, and calmer
//
// The first Hold errors are smoothed with Alpha0, since |T_1| = 1 whatever e_1 is.
// After these errors the factor is cut to [Floor, Cap]. Under white noise |T| does not go
// to 0, see [Signal]: adaptive factors cost accuracy on series that do not change.
//
// The zero value is the original rule with the defaults, for α alone.
type TriggLeach struct {
	Signal Signal  `json:"signal"`
	Lagged bool    `json:"lagged"`
	All    bool    `json:"all"`    // one signal for all factors, not α alone
	Alpha0 float64 `json:"alpha0"` // in (0, 1]; 0 stands for DefaultAlpha0
	Hold   int     `json:"hold"`   // 0 stands for DefaultHold, negative for none
	Floor  float64 `json:"floor"`  // 0 stands for DefaultFloor
	Cap    float64 `json:"cap"`    // 0 stands for 1
}

// or returns x, or standby if x is 0.
func or(x, standby float64) float64 {
	if x == 0 {
		return standby
	}
	return x
}

// Factor takes the error of the next observation and returns the factor with which
// to smooth that observation.
func (r *TriggLeach) Factor(e float64) float64 {
	var t float64
	if r.Lagged { // before e, and off the path from e to the factor
		t = r.Signal.TrackingSignal()
		r.Signal.Update(e)
	} else {
		t = r.Signal.take(e)
	}
	hold := r.Hold
	if hold == 0 {
		hold = DefaultHold
	}
	if r.Signal.N <= hold {
		return or(r.Alpha0, DefaultAlpha0)
	}
	t = math.Abs(t)
	if low := or(r.Floor, DefaultFloor); t < low {
		return low
	}
	if high := or(r.Cap, 1); t > high {
		return high
	}
	return t
}

// fresh returns the rule with a signal that has seen nothing.
func (r *TriggLeach) fresh() TriggLeach {
	c := *r
	c.Signal = Signal{Phi: r.Signal.Phi}
	return c
}

// TrackingSignal returns the signal's value, see [Signal].
func (r *TriggLeach) TrackingSignal() float64 { return r.Signal.TrackingSignal() }

// Validate returns an [*InputError] if a parameter or the state is out of range.
func (r *TriggLeach) Validate() error {
	for _, f := range [...]struct {
		name string
		x    float64
	}{{"Alpha0", r.Alpha0}, {"Floor", r.Floor}, {"Cap", r.Cap}} {
		if err := checkUnit(f.name, f.x, 1); err != nil {
			return err
		}
	}
	if or(r.Floor, DefaultFloor) > or(r.Cap, 1) {
		return badInput("Floor", -1, ErrFactor, "%v: want at most the cap, %v", or(r.Floor, DefaultFloor), or(r.Cap, 1))
	}
	return r.Signal.Validate()
}

// AdaptiveSimple is [Simple] with an Alpha that follows [TriggLeach], known as ARRSES.
// Model.Alpha is the factor of the last observation.
type AdaptiveSimple struct {
	Model Simple     `json:"model"`
	Rule  TriggLeach `json:"rule"`
}

// Ready reports whether the model has its start, one observation.
func (m *AdaptiveSimple) Ready() bool { return m.Model.Ready() }

// Update takes the next observation, see [Model].
func (m *AdaptiveSimple) Update(x float64) {
	if m.Model.N == 0 || !usable(x) {
		m.Model.Update(x)
		return
	}
	// Model.Update, with what is at hand: to store and read it again takes longer.
	l := m.Model.Level
	e := x - l
	f := m.Rule.Factor(e)
	if l += f * e; usable(l) {
		m.Model.Level = l
	}
	m.Model.Alpha = f
	m.Model.N++
}

// Forecast fills dst with the level, see [Model].
func (m *AdaptiveSimple) Forecast(dst []float64) { m.Model.Forecast(dst) }

// TrackingSignal returns the signal's value, see [Signal].
func (m *AdaptiveSimple) TrackingSignal() float64 { return m.Rule.TrackingSignal() }

// Validate returns an [*InputError] if a parameter or the state is out of range.
func (m *AdaptiveSimple) Validate() error {
	if err := m.Rule.Validate(); err != nil {
		return err
	}
	return m.Model.Validate()
}

// AdaptiveHolt is [Holt] with an Alpha that follows [TriggLeach]. With Rule.All Beta
// follows as well. The start is smoothed with Rule.Alpha0.
type AdaptiveHolt struct {
	Model Holt       `json:"model"`
	Rule  TriggLeach `json:"rule"`
}

// Ready reports whether the model has its start, two observations.
func (m *AdaptiveHolt) Ready() bool { return m.Model.Ready() }

// Update takes the next observation, see [Model].
func (m *AdaptiveHolt) Update(x float64) {
	if m.Model.N < 2 || !usable(x) {
		if usable(x) {
			m.set(or(m.Rule.Alpha0, DefaultAlpha0))
		}
		m.Model.Update(x)
		return
	}
	f := m.Rule.Factor(x - m.Model.Level - m.Model.phi()*m.Model.Trend)
	m.set(f)
	beta := m.Model.Beta
	if m.Rule.All {
		beta = f
	}
	m.Model.step(x, f, beta)
}

// set sets the factors of the model.
func (m *AdaptiveHolt) set(f float64) {
	m.Model.Alpha = f
	if m.Rule.All {
		m.Model.Beta = f
	}
}

// Forecast sets dst[i] to the forecast i+1 steps ahead, see [Model].
func (m *AdaptiveHolt) Forecast(dst []float64) { m.Model.Forecast(dst) }

// TrackingSignal returns the signal's value, see [Signal].
func (m *AdaptiveHolt) TrackingSignal() float64 { return m.Rule.TrackingSignal() }

// Validate returns an [*InputError] if a parameter or the state is out of range.
func (m *AdaptiveHolt) Validate() error {
	if err := m.Rule.Validate(); err != nil {
		return err
	}
	return m.Model.Validate()
}

// AdaptiveTriple is [Triple] with an Alpha that follows [TriggLeach]. With Rule.All all
// three factors follow. These are the dynamic factors of [Niu16] section 5.2.1, which does
// not say which factors adapt. The start is smoothed with Rule.Alpha0.
//
// Model.Gamma comes from Gamma, or with Rule.All from the common factor. Model.Gamma is at most
// [ClampMargin] of the limit of stability for the least α that the rule can set, and
// with Rule.All for the least β as well. The limit of the present α is not enough:
// a product of stable transitions that change need not be stable, and
// here the product is not. With γ at nine tenths of the present limit and β .9, white noise of
// standard deviation 1 drove the errors of all three forms beyond 1000. With this cap and
// the default floor the root mean square of the errors stays below 3
// for any β, see TestAdaptiveTripleNoise. That is a measurement and not a proof.
type AdaptiveTriple struct {
	Model Triple     `json:"model"`
	Rule  TriggLeach `json:"rule"`
	Gamma float64    `json:"gamma"` // the γ to use where it is stable, unless Rule.All
}

// Ready reports whether the model has its start, two observations.
func (m *AdaptiveTriple) Ready() bool { return m.Model.Ready() }

// Update takes the next observation, see [Model].
func (m *AdaptiveTriple) Update(x float64) {
	if m.Model.N < 2 || !usable(x) {
		if usable(x) {
			m.set(or(m.Rule.Alpha0, DefaultAlpha0))
		}
		m.Model.Update(x)
		return
	}
	f := m.Rule.Factor(x - m.Model.predict())
	beta, gamma := m.set(f)
	m.Model.step(x, f, beta, gamma)
}

// set sets the factors of the model, and returns the last two.
func (m *AdaptiveTriple) set(f float64) (beta, gamma float64) {
	least := Triple{Form: m.Model.Form, Alpha: min(or(m.Rule.Floor, DefaultFloor), or(m.Rule.Alpha0, DefaultAlpha0)), Beta: m.Model.Beta}
	beta, gamma = m.Model.Beta, m.Gamma
	if m.Rule.All {
		least.Beta, beta, gamma = least.Alpha, f, f
	}
	gamma = min(gamma, ClampMargin*least.GammaLimit())
	m.Model.Alpha, m.Model.Beta, m.Model.Gamma = f, beta, gamma
	return beta, gamma
}

// Forecast sets dst[i] to the forecast i+1 steps ahead, see [Model].
func (m *AdaptiveTriple) Forecast(dst []float64) { m.Model.Forecast(dst) }

// TrackingSignal returns the signal's value, see [Signal].
func (m *AdaptiveTriple) TrackingSignal() float64 { return m.Rule.TrackingSignal() }

// Validate returns an [*InputError] if a parameter or the state is out of range.
func (m *AdaptiveTriple) Validate() error {
	if err := m.Rule.Validate(); err != nil {
		return err
	}
	if err := checkUnit("Gamma", m.Gamma, 1); err != nil {
		return err
	}
	return m.Model.Validate()
}

func (m *AdaptiveSimple) Deviate(dst []float64) { m.Model.Deviate(dst) }

func (m *AdaptiveHolt) Deviate(dst []float64) { m.Model.Deviate(dst) }

func (m *AdaptiveTriple) Deviate(dst []float64) { m.Model.Deviate(dst) }
