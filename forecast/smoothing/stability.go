package smoothing

import "math"

// Stable reports whether the model forgets its start, all eigenvalues of its
// transition inside the unit circle: for factors in (0, 1] if and only if
//
//	AsPrinted           2·α + (1−α)·γ·(β·(1+γ) − 2) > 0
//	Midpoint            γ < 2·α/(2−α)
//	BackwardDifference  γ < α/(1−α)
//
// A factor out of (0, 1] is not stable.
//
// Proof. Past errors must die out: all eigenvalues of F − K·H lie inside the unit circle,
// H·s being the forecast. With u = z − 1 the characteristic polynomial is
// u³ + A·u² + B·u + C, where
//
//	                    A                          B              C
//	AsPrinted           α + αβ + βγ/2 + αβγ/2      αβ + 2·αβγ     αβγ
//	Midpoint            α + αβ + αβγ/2             αβ + 3/2·αβγ   αβγ
//	BackwardDifference  α + αβ + αβγ               αβ + 2·αβγ     αβγ
//
// (as printed F has 1 − β/2 for 1 and 1 − βγ/2 for 1 in its last column, whose
// products with the gains cancel in B and C). Put u = 2·s/(1−s), which takes the
// inside of the circle to the left half plane, and multiply by (1−s)³:
//
//	(8 − 4A + 2B − C)·s³ + (4A − 4B + 3C)·s² + (2B − 3C)·s + C.
//
// By Routh and Hurwitz all roots are on the left if and only if the four
// coefficients are positive and the product of the inner two exceeds that of the
// outer two. On (0, 1]³ the coefficients are:
//
//	AsPrinted           8 − 4α − 2αβ − 2βγ + αβγ   4α + 2βγ − 3αβγ   2αβ + αβγ   αβγ
//	Midpoint            8 − 4α − 2αβ               4α − αβγ          2αβ         αβγ
//	BackwardDifference  8 − 4α − 2αβ − αβγ         4α − αβγ          2αβ + αβγ   αβγ
//
// All are positive: the first column is at least 1, since it is linear in each factor and
// so least at a corner of the cube. The products leave, after division by αβ and
// a constant,
//
//	AsPrinted           2·α + (1−α)·γ·(β·(1+γ) − 2) > 0
//	Midpoint            γ < 2·α/(2−α)
//	BackwardDifference  γ < α/(1−α).                                            ∎
//
// In the repaired forms β cancels. Over the cube 21%, 38% and 30% of the factors are not
// stable, most of them with a small α: the corner to which adaptive factors lead. As
// printed the condition is quadratic in γ, and with β near 1 a second stable region
// begins beyond the first, see [Triple.GammaLimit].
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
