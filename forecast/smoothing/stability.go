package smoothing

import "math"

// Stable reports whether the model forgets its start: all eigenvalues of its transition lie inside
// the unit circle. For factors in (0, 1] that holds if and only if
//
//	AsPrinted           2·α + (1−α)·γ·(β·(1+γ) − 2) > 0
//	Midpoint            γ < 2·α/(2−α)
//	BackwardDifference  γ < α/(1−α)
//
// With a factor outside of (0, 1] the model is not stable.
//
// Proof. Let s be the state (d, v, a) of [Triple], H·s its forecast of the next value, and F·s the
// next state if that forecast is right. An error e of the forecast adds K·e, where K has the gains
// α, αβ and αβγ. Past errors must die out: all eigenvalues of F − K·H lie inside the unit circle.
// Let z be an eigenvalue and u = z − 1. The characteristic polynomial is u³ + A·u² + B·u + C, where
//
//	                    A                          B              C
//	AsPrinted           α + αβ + βγ/2 + αβγ/2      αβ + 2·αβγ     αβγ
//	Midpoint            α + αβ + αβγ/2             αβ + 3/2·αβγ   αβγ
//	BackwardDifference  α + αβ + αβγ               αβ + 2·αβγ     αβγ
//
// The last column of F is the column of a. For AsPrinted it has 1 − β/2 and 1 − βγ/2 where the
// other forms have 1. The terms in β² that these entries bring into B and C cancel.
//
// Put u = 2·w/(1−w), which maps the inside of the circle to the left half plane, and multiply by
// (1−w)³:
//
//	(8 − 4A + 2B − C)·w³ + (4A − 4B + 3C)·w² + (2B − 3C)·w + C.
//
// By the criterion of Routh and Hurwitz all roots lie in the left half plane if and only if two
// conditions hold: the four coefficients are positive, and the second times the third is above the
// first times the fourth. On (0, 1]³ the coefficients are:
//
//	AsPrinted           8 − 4α − 2αβ − 2βγ + αβγ   4α + 2βγ − 3αβγ   2αβ + αβγ   αβγ
//	Midpoint            8 − 4α − 2αβ               4α − αβγ          2αβ         αβγ
//	BackwardDifference  8 − 4α − 2αβ − αβγ         4α − αβγ          2αβ + αβγ   αβγ
//
// All are positive. The first coefficient is linear in each factor, so it is least at a corner of
// the cube, and it is at least 1 there. The condition on the products, divided by αβ and a
// constant, is
//
//	AsPrinted           2·α + (1−α)·γ·(β·(1+γ) − 2) > 0
//	Midpoint            γ < 2·α/(2−α)
//	BackwardDifference  γ < α/(1−α).                                            ∎
//
// For Midpoint and BackwardDifference the condition does not depend on β. The shares of the cube in
// which the model is not stable are 21% for AsPrinted, 38% for Midpoint and 30% for
// BackwardDifference. Most of these factors have a small α, to which adaptive factors lead. For
// AsPrinted the condition is quadratic in γ. With β near 1 a second range of stable γ begins above
// the first: see [Triple.GammaLimit].
func (m *Triple) Stable() bool {
	a, b, g := m.Alpha, m.Beta, m.Gamma
	if !(a > 0 && a <= 1 && b > 0 && b <= 1 && g > 0 && g <= 1) {
		return false
	}
	switch m.Form {
	case AsPrinted:
		return 2*a+(1-a)*g*(b*(1+g)-2) > 0
	case Midpoint:
		return g*(2-a) < 2*a
	default:
		return g*(1-a) < a
	}
}

// GammaLimit returns the largest g of at most 1 such that all γ in (0, g) are stable with the
// model's α and β; 0 if α is 0. As printed, with β near 1, some γ near
// 1 are stable again, beyond the limit.
func (m *Triple) GammaLimit() float64 {
	a, b := m.Alpha, m.Beta
	if !(a > 0) {
		return 0
	}
	switch m.Form {
	case AsPrinted:
		// The lesser root of (1−α)·β·γ² − (1−α)·(2−β)·γ + 2·α, in the form that
		// does not cancel; without one, every γ is stable.
		p := (1 - a) * (2 - b)
		disc := p*p - 8*a*b*(1-a)
		if disc < 0 {
			return 1
		}
		return min(1, 4*a/(p+math.Sqrt(disc)))
	case Midpoint:
		return min(1, 2*a/(2-a))
	default:
		if a >= 0.5 {
			return 1
		}
		return a / (1 - a)
	}
}

// clampMargin is the part of [Triple.GammaLimit] that [Triple.Clamp] leaves: at the
// limit errors swing without end, and near the limit for long.
const clampMargin = 0.5

// Clamp brings the factors into the stability region: each factor into [0, 1], then Gamma,
// if the three are unstable, to clampMargin of its limit. Clamp reports whether it
// changed a factor. A factor that is NaN becomes 0.
func (m *Triple) Clamp() bool {
	old := [3]float64{m.Alpha, m.Beta, m.Gamma}
	for _, f := range []*float64{&m.Alpha, &m.Beta, &m.Gamma} {
		*f = min(1, max(0, *f))
		if math.IsNaN(*f) {
			*f = 0
		}
	}
	if m.Gamma > 0 && m.Beta > 0 && !m.Stable() {
		m.Gamma = clampMargin * m.GammaLimit()
	}
	return old != [3]float64{m.Alpha, m.Beta, m.Gamma}
}
