package lsq

import "math"

// Iterative refinement ([Björck67b], [Demmel09]) of the solution that the factors Q, D and W
// of factor.go give, where A·W = Q and Qᵀ·Q = D. Coefficients x and residuals r are the
// solution of the augmented system
//
//	r + A·x = y
//	Aᵀ·r    = 0
//
// The remainders f = y − r − A·x and g = −Aᵀ·r are computed from the data as given. Then
//
//	v = D⁻¹·(Qᵀ·f − Wᵀ·g),   x ← x + W·v,   r ← r + f − Q·v
//
// solves the same system for the remainders. Corrections are small, so float64 suffices
// for them; the precision of f and g is what counts. Let κ be the condition, and ρ the
// ratio of ‖r‖ to the largest term x_j·‖a_j‖. An error of ε‖A‖‖r‖ in g is an error of
// ε·κ²·ρ in x. Two parts of 53 bits, ε = 2⁻¹⁰⁴, are enough up to κ = 10⁶ or if the fit
// is good. Beyond that, g is summed in three parts.
//
// If κ is below 10⁶, the factors are so good that the first step does not change the float64
// digits. The step is then a certificate, and its size is reported. If κ is 10⁸ or more and
// residuals are large, the first step gives x its digits, and the second step is the
// certificate.

const (
	// refined is the relative size of a correction that is not worth making: with seven
	// bits beyond float64, it changes a rounded result by 1/128 of a unit.
	refined = 0x1p-60
	// twoParts is the relative error of a sum of products in two parts of 53 bits, with
	// some bits lost on the way.
	twoParts = 0x1p-100
	// maxRefinements is more steps than any test needed.
	maxRefinements = 5
)

// refine improves the coefficients s.x and the residuals s.rh + s.rl, both scaled;
// e is the exponent by which y was scaled.
func (s *Solver) refine(dst *Regression, y []float64, e int) {
	m, n := dst.Rows, dst.Cols
	scale := power2(-e)
	for range maxRefinements {
		for i, v := range y {
			f := twoSum(v*scale, -s.rh[i])
			s.fh[i], s.fl[i] = f.hi, f.lo-s.rl[i]
		}
		size := s.normY
		for j := range n {
			subScaledFloat(s.fh, s.fl, s.x[j], s.a[j*m:][:m])
			size = max(size, math.Abs(s.x[j].hi)*s.norm[j])
		}
		// v = −g for now.
		rest := plainDot(s.rh, s.rh)
		if twoParts*dst.Condition*dst.Condition*math.Sqrt(rest) <= refined*size {
			for j := range n {
				s.v[j] = dotFloat(s.rh, s.rl, s.a[j*m:][:m]).hi
			}
		} else {
			for j := range n {
				s.v[j] = dotTriple(s.rh, s.rl, s.a[j*m:][:m])
			}
		}
		for i, f := range s.fl {
			s.fh[i] += f
		}
		for k := n - 1; k >= 0; k-- {
			t := plainDot(dst.qh[k*m:][:m], s.fh)
			for i, w := range s.w[triangle(k):][:k+1] {
				t += w.hi * s.v[i]
			}
			s.v[k] = t / s.d[k].hi
		}
		worst := 0.0
		for j := range n {
			dx := 0.0
			for k := j; k < n; k++ {
				dx += s.w[triangle(k)+j].hi * s.v[k]
			}
			worst = max(worst, math.Abs(dx)*s.norm[j])
			s.x[j] = s.x[j].add(dd{dx, 0})
		}
		dst.Correction = 0
		if worst > 0 {
			dst.Correction = worst / size
		}
		if dst.Correction <= refined {
			return
		}
		for k := range n {
			for i, q := range dst.qh[k*m:][:m] {
				s.fh[i] -= q * s.v[k]
			}
		}
		for i, f := range s.fh {
			r := dd{s.rh[i], s.rl[i]}.add(dd{f, 0})
			s.rh[i], s.rl[i] = r.hi, r.lo
		}
	}
}

// plainDot returns Σ x_i·y_i in float64, in four sums that do not wait for each other.
func plainDot(x, y []float64) float64 {
	y = y[:len(x)]
	var a, b, c, d float64
	for len(x) >= 4 && len(y) >= 4 {
		a += x[0] * y[0]
		b += x[1] * y[1]
		c += x[2] * y[2]
		d += x[3] * y[3]
		x, y = x[4:], y[4:]
	}
	for i := range x {
		a += x[i] * y[i]
	}
	return (a + b) + (c + d)
}
