package lsq

import (
	"math"

	"github.com/plimsoll/plimsoll/internal/grow"
)

// Residuals without the rows in question, exact and without fitting again ([Cook82]).
// Let S be the rows left out, Q_S their rows of the orthogonal columns, and e_S their
// residuals. Then
//
//	ê_S = (I − Q_S·D⁻¹·Q_Sᵀ)⁻¹·e_S
//	    = e_S + Q_S·M⁻¹·Q_Sᵀ·e_S,   M = D − Q_Sᵀ·Q_S
//
// The second form has Rank equations, however many rows there are. M is QᵀQ of the other
// rows. For a single row, ê_i = e_i/(1 − h_i).
//
// The other rows determine the coefficients if and only if M has an inverse. That is
// judged as the rank is when fitting. M = L·D'·Lᵀ makes W' = W·L⁻ᵀ and D' the factors of
// the other rows, and column j depends on the columns before it if and only if √d'_j ≤
// τ·Σ_i |w'_ij|·‖a_i‖. For a single row, the combination of columns nearest to 0 in the
// other rows is v = W·D⁻¹·q_iᵀ. ‖A·v‖² is h with row i and h·(1−h) without it, so the
// criterion is √(h·(1−h)) ≤ τ·Σ_j |v_j|·‖a_j‖. In both criteria, norms are norms over
// all rows, because a number is known to a share of its column.

// LeaveOneOutTo puts into dst the residual of each row in a fit to the other rows, and
// returns dst. The residuals are exact. A residual is +Inf if the other rows do not
// determine the coefficients, that is, if the row alone tells columns apart. Dropped
// columns stay dropped. It panics if the length of dst is not the number of rows. Time:
// O(Rows), and O(Rows·Cols²) at worst.
func (r *Regression) LeaveOneOutTo(dst []float64) []float64 {
	if len(dst) != r.Rows {
		panic("lsq: length of dst is not the number of rows")
	}
	for i := range dst {
		dst[i] = r.leaveOneOut(i)
	}
	return dst
}

// PRESS returns the sum of squares of the residuals of [Regression.LeaveOneOutTo], the
// prediction error sum of squares [Allen74]. It is +Inf if any of them is.
func (r *Regression) PRESS() float64 {
	sum := 0.0
	for i := range r.Residuals {
		e := r.leaveOneOut(i)
		sum += float64(e * e)
	}
	return sum
}

func (r *Regression) leaveOneOut(i int) float64 {
	// Σ_j |v_j|·‖a_j‖ ≤ √Rank·‖B⁺‖·√h.
	slack := r.slack[i]
	if t := r.tol * r.bound; slack <= float64(r.Rank)*t*t && !r.determined(i) {
		return math.Inf(1)
	}
	return r.Residuals[i] / slack
}

// determined reports whether the rows other than i determine the coefficients.
func (r *Regression) determined(i int) bool {
	extent := 0.0
	for a := range r.Rank {
		v := 0.0
		for k := a; k < r.Rank; k++ {
			v += r.b[triangle(k)+a] * r.qh[k*r.Rows+i] / r.d[k].hi
		}
		extent += math.Abs(v)
	}
	return math.Sqrt(r.Leverage[i]*r.slack[i]) > r.tol*extent
}

// LeaveGroupsOutTo puts into dst the residual of each row in a fit to the rows of all
// other groups, and returns dst. Row i is of group group[i], a number from 0 to Rows−1.
// So the residuals are the errors of predicting a whole application, or a number of
// processes, that the fit has not seen. A residual is +Inf if the other groups do not
// determine the coefficients. Dropped columns stay dropped.
//
// It works in the memory of s, which need not be the solver that filled r. It panics if
// lengths are not the number of rows, and for other numbers of groups. Time:
// O(Rows·Cols²), plus Cols³ for each group.
func (s *Solver) LeaveGroupsOutTo(dst []float64, r *Regression, group []int) []float64 {
	m, rank := r.Rows, r.Rank
	if len(dst) != m || len(group) != m {
		panic("lsq: length of dst or of group is not the number of rows")
	}
	s.order, s.start = grow.To(s.order, m), grow.To(s.start, m+1)
	s.m, s.z, s.r, s.d = grow.To(s.m, rank*rank), grow.To(s.z, rank), grow.To(s.r, rank), grow.To(s.d, rank)
	s.v = grow.To(s.v, rank)
	clear(s.start)
	for _, g := range group {
		if g < 0 || g >= m {
			panic("lsq: number of a group is not in [0, rows)")
		}
		s.start[g+1]++
	}
	for g := range m {
		s.start[g+1] += s.start[g]
	}
	// Each group's start moves to its end while rows are sorted into groups.
	for i, g := range group {
		s.order[s.start[g]] = i
		s.start[g]++
	}
	from := 0
	for _, to := range s.start[:m] {
		if to > from {
			s.leaveOut(dst, r, s.order[from:to])
		}
		from = to
	}
	return dst
}

// leaveOut puts the residuals of rows in a fit without these rows into dst.
func (s *Solver) leaveOut(dst []float64, r *Regression, rows []int) {
	m, rank := r.Rows, r.Rank
	at := func(k, i int) dd { return dd{r.qh[k*m+i], r.ql[k*m+i]} }
	// M, its lower triangle, and z = Q_Sᵀ·e_S.
	for k := range rank {
		s.z[k] = dd{}
		for l := range k + 1 {
			s.m[k*rank+l] = dd{}
		}
		s.m[k*rank+k] = r.d[k]
	}
	for _, i := range rows {
		e := dd{r.Residuals[i], r.resLo[i]}
		for k := range rank {
			q := at(k, i)
			s.z[k] = s.z[k].add(q.mul(e))
			for l := range k + 1 {
				s.m[k*rank+l] = s.m[k*rank+l].sub(q.mul(at(l, i)))
			}
		}
	}
	// M = L·D'·Lᵀ, L in the place of M; z ← L⁻¹·z.
	determined := true
	for k := 0; k < rank && determined; k++ {
		row := s.m[k*rank:][:k+1]
		for l := range k {
			for p := range l {
				row[l] = row[l].sub(row[p].mul(s.m[l*rank+p]))
			}
		}
		for l := range k {
			t := row[l].div(s.d[l])
			row[k] = row[k].sub(t.mul(row[l]))
			row[l] = t
			s.z[k] = s.z[k].sub(t.mul(s.z[l]))
		}
		s.d[k] = row[k]
		determined = s.d[k].hi > 0 && math.Sqrt(s.d[k].hi) > r.tol*s.extent(r, k)
	}
	if !determined {
		for _, i := range rows {
			dst[i] = math.Inf(1)
		}
		return
	}
	// z ← L⁻ᵀ·D'⁻¹·z.
	for k := rank - 1; k >= 0; k-- {
		s.z[k] = s.z[k].div(s.d[k])
		for l := k + 1; l < rank; l++ {
			s.z[k] = s.z[k].sub(s.m[l*rank+k].mul(s.z[l]))
		}
	}
	for _, i := range rows {
		e := dd{r.Residuals[i], r.resLo[i]}
		for k := range rank {
			e = e.add(at(k, i).mul(s.z[k]))
		}
		dst[i] = e.hi
	}
}

// extent returns Σ_i |w'_ik|·‖a_i‖ for W' = W·L⁻ᵀ.
func (s *Solver) extent(r *Regression, k int) float64 {
	rank := r.Rank
	// Column k of L⁻ᵀ is row k of L⁻¹.
	row := s.v[:k+1]
	row[k] = 1
	for l := k - 1; l >= 0; l-- {
		t := 0.0
		for p := l + 1; p <= k; p++ {
			t -= row[p] * s.m[p*rank+l].hi
		}
		row[l] = t
	}
	sum := 0.0
	for i := range k + 1 {
		t := 0.0
		for l := i; l <= k; l++ {
			t += r.b[triangle(l)+i] * row[l]
		}
		sum += math.Abs(t)
	}
	return sum
}
