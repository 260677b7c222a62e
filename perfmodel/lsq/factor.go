package lsq

import "math"

// The factor A = Q·R by modified Gram-Schmidt in double-double arithmetic. R = W⁻¹ is
// unit upper triangular and Qᵀ·Q = D is diagonal. So no roots are taken, and whole
// numbers stay whole for longer.
//
// Column j is projected onto the remainders of the columns before it:
//
//	r_kj = q_k·a_j / d_k,   a_j ← a_j − r_kj·q_k      k = 0 .. j−1
//	q_j = a_j,   d_j = ‖q_j‖²
//	w_ij = −Σ_k W_ik·r_kj,   w_jj = 1
//
// Column j of W has, up to the sign, the coefficients with which the columns before it
// come nearest to it: q_j = a_j + Σ_i w_ij·a_i, and √d_j is the distance.
//
// Invariant: A·W = Q, for the columns so far.
//
// The rank. Let τ be [DependenceTolerance] and e_j = √d_j / (‖a_j‖ + Σ_i |w_ij|·‖a_i‖). Column j
// depends on the columns before it if and only if e_j ≤ τ.
//
//   - If it does, moving each of these columns by τ of its norm, or less, makes a_j an
//     exact combination: subtract q_j·‖a_i‖/S times the sign of −w_ij from a_i, where S
//     is the denominator, and so on. No other criterion has this meaning.
//   - If no column depends: 1/e_j is the sum of absolute values of column j of the
//     inverse of R for columns of norm 1, so that inverse has a 1-norm below 1/τ, and
//     the smallest singular value of these columns is more than τ/√n. So the test
//     reveals the rank without any exchange of columns, because the inverse is at hand.
//     Conversely, if the smallest singular value is more than τ·√n, no column is found
//     to depend.
//
// Exchanging columns as [Businger65] does would order them by their remainders. A user
// who is told which column to leave out wants that to be the later column.
//
// Orthogonality is lost by about the condition times 2⁻¹⁰⁴ ([Björck67]). That leaves Q
// orthogonal to float64 precision up to conditions of 10¹⁵.
//
// Time: m·n² + n³/6 multiplications and additions of pairs, each about 15 operations of
// float64.

// maxExponent bounds the exponents of scaling, so that powers of two are normal numbers.
const maxExponent = 1000

// exponent returns e such that v·2^-e is from 1/2 to 1, unless v is 0 or beyond
// 2^±maxExponent.
func exponent(v float64) int {
	_, e := math.Frexp(v)
	return max(-maxExponent, min(e, maxExponent))
}

// power2 returns 2^e for |e| ≤ maxExponent.
func power2(e int) float64 { return math.Float64frombits(uint64(1023+e) << 52) }

// load copies x to n columns, the intercept included, and scales each column by a power of two, so
// that the largest element is about 1. The scaling is exact, except for elements of less than
// 2⁻¹⁰²² times the largest. So the numbers in a column may have any unit: neither squares nor
// errors of products leave the range of float64. If the unit of a column changes by a power of two,
// no digit of a result changes.
func (s *Solver) load(x []float64, m, n int, intercept bool) {
	first := 0
	if intercept {
		first = 1
		for i := range m {
			s.a[i] = 1
		}
		s.exp[0] = 0
	}
	cols := n - first
	for j := range cols {
		a := s.a[(first+j)*m:][:m]
		largest := 0.0
		k := j
		for i := range a {
			v := x[k]
			a[i] = v
			if v = math.Abs(v); v > largest {
				largest = v
			}
			k += cols
		}
		e := exponent(largest)
		scale := power2(-e)
		for i, v := range a {
			a[i] = v * scale
		}
		s.exp[first+j] = e
	}
}

// loadY copies y to the residuals, scaled, and returns the exponent.
func (s *Solver) loadY(y []float64) int {
	largest := 0.0
	for _, v := range y {
		largest = max(largest, math.Abs(v))
	}
	e := exponent(largest)
	scale := power2(-e)
	for i, v := range y {
		s.rh[i], s.rl[i] = v*scale, 0
	}
	return e
}

// factor computes Q, D and W of the loaded columns, and returns the columns that depend on
// columns before them.
func (s *Solver) factor(dst *Regression) (found []Dependency) {
	m, rank := dst.Rows, 0
	for j := range dst.Cols {
		qh, ql := dst.qh[rank*m:][:m], dst.ql[rank*m:][:m]
		copy(qh, s.a[j*m:][:m])
		clear(ql)
		for k := range rank {
			kh, kl := dst.qh[k*m:][:m], dst.ql[k*m:][:m]
			s.r[k] = dot(kh, kl, qh, ql).div(s.d[k])
			subScaled(qh, ql, s.r[k], kh, kl)
		}
		// By Pythagoras, ‖a_j‖² is the sum over the parts that were taken away and the
		// rest.
		d := dot(qh, ql, qh, ql)
		sum := d.hi
		for k, r := range s.r[:rank] {
			sum += float64(float64(r.hi*r.hi) * s.d[k].hi)
		}
		s.norm[j] = math.Sqrt(sum)
		w := s.w[triangle(rank):][:rank+1]
		extent := s.norm[j]
		for i := range rank {
			w[i] = s.rowTimes(i, rank, s.r).neg()
			extent += math.Abs(w[i].hi) * s.norm[s.kept[i]]
		}
		w[rank] = dd{1, 0}
		if limit := DependenceTolerance * extent; d.sqrt().hi <= limit {
			found = append(found, s.depends(j, rank, w, limit))
			continue
		}
		s.d[rank], s.kept[rank] = d, j
		rank++
	}
	return found
}

// depends returns the dependency of column j, which is within the limit of
// −Σ_i w_i·(kept column i). A column i is part of the combination only if column j would not
// depend on the others without it. Leaving column i out adds |w_i| times its distance from the others to the
// distance of column j, in the sense of the sum of squares.
func (s *Solver) depends(j, rank int, w []dd, limit float64) Dependency {
	d := Dependency{Column: j}
	for i := range rank {
		inverse := 0.0 // of the squared distance of column i from the others
		for k := i; k < rank; k++ {
			v := s.w[triangle(k)+i].hi
			inverse += v * v / s.d[k].hi
		}
		if math.Abs(w[i].hi) <= limit*math.Sqrt(inverse) {
			continue
		}
		d.On = append(d.On, s.kept[i])
		d.Coef = append(d.Coef, math.Ldexp(-w[i].hi, s.exp[j]-s.exp[s.kept[i]]))
	}
	return d
}
