package perfmodel

// The Universal Scalability Law [Gunther93]: what P processes do in a time, against one
// process, is
//
//	C(P) = λ·P / (1 + σ·(P−1) + κ·P·(P−1)),
//
// where λ is the speed of one process, σ contention (waiting for a turn) and κ coherence
// (every process informs every other). T = W/C is linear in 1/λ, σ/λ and κ/λ, and is
// fitted as [Amdahl] is, which is USL with κ = 0. With κ > 0 the time has a minimum at P
// = √((1−σ)/κ). Time: O(n) for n runs.
//
// The coefficients here are a = (1−σ)/λ, b = σ/λ and c = κ/λ of T = W·(a/P + b +
// c·(P−1)). Non-negative coefficients mean σ in [0, 1] and κ ≥ 0. Faster than linear
// speedup, σ < 0, which Gunther allows, is not fitted.

import "math"

// USL is the Universal Scalability Law. The zero value fits the times of whole
// runs of one case. Seconds, the interval and Mean are as for [Amdahl].
type USL struct {
	Part Part
	// Work is proportional to the times. It is nil if all runs are of one case, or of
	// one size.
	Work Measure

	shares sharesModel
}

// Fit fits the law to the runs of p. The errors are those of [LogLinear.Fit]. Runs on
// fewer than three numbers of processes are ErrDependent.
func (m *USL) Fit(p *Profile) error { return m.shares.fit(p, m.Part, m.Work, true) }

// EstimateTo implements [Estimator]. Time: O(n) for n process counts.
func (m *USL) EstimateTo(dst []Estimate, q Query) error { return m.shares.estimateTo(dst, q) }

// Coefficients returns λ per second and unit of work, σ and κ. It panics if m is
// not fitted.
func (m *USL) Coefficients() (lambda, sigma, kappa float64) {
	a, b, c := m.shares.coefficients()
	return 1 / (a + b), b / (a + b), c / (a + b)
}

// Peak returns the number of processes at which the time is least, √((1−σ)/κ), or +Inf
// if the time always falls. It is not rounded and may be below 1. It panics if m is not
// fitted.
func (m *USL) Peak() float64 {
	a, _, c := m.shares.coefficients()
	if c == 0 {
		return math.Inf(1)
	}
	return math.Sqrt(a / c)
}
