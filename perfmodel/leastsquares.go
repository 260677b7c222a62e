package perfmodel

import (
	"math"
)

// DependenceTolerance is the relative change of columns up to which they are held
// to be the same: a set of columns is dependent if moving each by at most this
// share of its norm makes one an exact combination of others.
//
// 2⁻⁴⁶ is 128 units of rounding, 2⁻⁵³. A column that is computed from others by up
// to 64 roundings an entry, 2⁻⁵²·64, is found to depend on them. And were the
// tolerance met just so, the rounding of the numbers in the table alone would move
// the coefficients by up to 1/128 of their norm: beyond it they have not even two
// digits that the data determine.
const DependenceTolerance = 0x1p-46

// Options say what is fitted, and how. The zero value fits the columns as they
// are, without an intercept, and wants them independent.
type Options struct {
	// Names names the columns of x in errors. Without, they are "column 0" and so
	// on.
	Names []string
	// Intercept puts a column of ones before the columns of x. Coefficient 0 is then
	// the intercept, and column j of x has coefficient j+1. R² is about the mean.
	Intercept bool
	// DropDependent drops each column that is a combination of columns before it,
	// rather than return an error. [Regression.Dependencies] says which.
	DropDependent bool
	// Tolerance is used in place of [DependenceTolerance] unless it is 0. Columns
	// that were measured to three digits are known to no more than 5e-4.
	Tolerance float64
}

// A Solver fits linear models by least squares. The zero value is ready. It
// keeps its memory and allocates nothing once that suffices, nor does the
// [Regression] that it fills.
type Solver struct {
	a, f, gh, gl []float64 // the scaled columns; residuals of the augmented system
	yh, yl       []float64
	norm2        []float64 // squared norms of the scaled columns
	exp          []int     // scaled column = column·2^-exp
	kept         []int     // the columns in the factor
	d            []dd      // squared norms of the columns of q
	r, w         []dd      // a column of R; W = R⁻¹, column k from k(k+1)/2
	x, z         []dd
	v            []float64
}

// Grow prepares for up to the given numbers of rows and of columns, the intercept
// being one.
func (s *Solver) Grow(rows, cols int) {
	if rows < 0 || cols < 0 {
		panic("perfmodel: negative number of rows or columns")
	}
	s.a = grow(s.a, rows*cols)
	s.f, s.gh, s.gl = grow(s.f, rows), grow(s.gh, rows), grow(s.gl, rows)
	s.yh, s.yl = grow(s.yh, rows), grow(s.yl, rows)
	s.norm2, s.v = grow(s.norm2, cols), grow(s.v, cols)
	s.exp, s.kept = grow(s.exp, cols), grow(s.kept, cols)
	s.d, s.r, s.x, s.z = grow(s.d, cols), grow(s.r, cols), grow(s.x, cols), grow(s.z, cols)
	s.w = grow(s.w, cols*(cols+1)/2)
}

// grow returns a slice of length n, with the memory of s if that suffices.
func grow[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// A Regression is a linear model as it was fitted. [Solver.Solve] fills it and
// reuses its memory; a copy of the struct shares that memory.
type Regression struct {
	// Rows and Cols are the numbers of rows and of coefficients, the intercept
	// being one; Rank is the number of coefficients that were not dropped, and
	// DF = Rows − Rank the degrees of freedom that are left for the residuals.
	Rows, Cols, Rank, DF int
	// Intercept tells whether coefficient 0 is the intercept.
	Intercept bool
	// Coef and StdErr are the coefficients and their standard errors: NaN for a
	// column that was dropped, and for all standard errors when DF is 0.
	Coef, StdErr []float64
	// Residuals are y less the fitted values.
	Residuals []float64
	// Leverage is the weight of a row in its own fitted value, the diagonal of the
	// projection onto the columns: from 0 to 1, Rank in total.
	Leverage []float64
	// RSS is the sum of squared residuals; TSS that of y, about the mean with an
	// intercept and about 0 without, as NIST has it.
	RSS, TSS float64
	// R2 = 1 − RSS/TSS. It is NaN if TSS is 0. Without an intercept it is not to be
	// compared with that of a model with one.
	R2 float64
	// AdjR2 = 1 − (RSS/DF)/(TSS/(Rows−1)), with Rows in place of Rows−1 without an
	// intercept. It is NaN when DF is 0.
	AdjR2 float64
	// Sigma = √(RSS/DF) is the residual standard deviation, NaN when DF is 0.
	Sigma float64
	// Condition is ‖B‖·‖B⁺‖ in Frobenius norms, B having the columns that were kept,
	// each scaled to norm 1. It is at least the usual condition in the 2-norm and at
	// most Rank times that; a relative change of ε in the data can change
	// coefficients by about ε·Condition.
	Condition float64
	// Correction is the relative size of the last step of iterative refinement.
	Correction float64
	// Dependencies has a line for each column that was dropped, in order.
	Dependencies []Dependency

	coefLo  []float64 // what Coef lacks
	kept    []int
	u       []float64 // column k from k(k+1)/2: W·D^(-1/2), for columns as given
	qh, ql  []float64 // orthogonal columns
	d       []dd      // their squared norms
	slack   []float64 // 1 − leverage
	tol     float64
	depCoef []float64 // arena of Dependency.Coef
	depOn   []int
}

// A Dependency tells that a column is a combination of others:
//
//	column = Σ Coef[k]·On[k]
//
// to within the tolerance. Columns are numbered as coefficients are: with an
// intercept, it is 0 and column j of x is j+1.
type Dependency struct {
	Column int
	On     []int
	Coef   []float64
}

// LeastSquares fits y = x·β as [Solver.Solve] does.
func LeastSquares(x []float64, rows, cols int, y []float64, opt Options) (*Regression, error) {
	var s Solver
	var r Regression
	if err := s.Solve(&r, x, rows, cols, y, opt); err != nil {
		return nil, err
	}
	return &r, nil
}

// Solve fits y = x·β, or y = β₀ + x·β with an intercept, such that the sum of
// squared residuals is least. x has rows·cols elements, row after row.
func (s *Solver) Solve(dst *Regression, x []float64, rows, cols int, y []float64, opt Options) error {
	if rows < 0 || cols < 0 || len(x) != rows*cols {
		panic("perfmodel: length of x is not rows times columns")
	}
	if len(y) != rows {
		panic("perfmodel: length of y is not the number of rows")
	}
	if opt.Names != nil && len(opt.Names) != cols {
		panic("perfmodel: number of names is not the number of columns")
	}
	if !(opt.Tolerance >= 0 && opt.Tolerance < 1) {
		panic("perfmodel: tolerance is not in [0, 1)")
	}
	n := cols
	if opt.Intercept {
		n++
	}
	if n == 0 {
		panic("perfmodel: no columns and no intercept")
	}
	if rows < n {
		return badInput("y", -1, ErrFewRows, "%d rows do not determine %d coefficients", rows, n)
	}
	for i, v := range y {
		if math.IsNaN(v - v) {
			return badInput("y", i, ErrNotFinite, "%v in row %d", v, i)
		}
	}
	for i, v := range x {
		if math.IsNaN(v - v) {
			return badInput("x", i, ErrNotFinite, "%v in row %d, %s", v, i/cols, opt.name(i%cols))
		}
	}
	m := rows
	s.Grow(m, n)
	dst.reset(m, n, opt)
	s.load(x, m, n, opt.Intercept)
	s.factor(dst, m, n)
	if len(dst.Dependencies) > 0 && !opt.DropDependent {
		return s.dependent(dst, opt)
	}
	return s.finish(dst, y)
}

// reset prepares dst for m rows and n columns.
func (r *Regression) reset(m, n int, opt Options) {
	r.Rows, r.Cols, r.Intercept = m, n, opt.Intercept
	r.Coef, r.StdErr, r.coefLo = grow(r.Coef, n), grow(r.StdErr, n), grow(r.coefLo, n)
	r.Residuals, r.Leverage, r.slack = grow(r.Residuals, m), grow(r.Leverage, m), grow(r.slack, m)
	r.qh, r.ql = grow(r.qh, m*n), grow(r.ql, m*n)
	r.u, r.d = grow(r.u, n*(n+1)/2), grow(r.d, n)
	r.kept = grow(r.kept, n)[:0]
	r.Dependencies, r.depCoef, r.depOn = r.Dependencies[:0], r.depCoef[:0], r.depOn[:0]
	r.tol = opt.Tolerance
	if r.tol == 0 {
		r.tol = DependenceTolerance
	}
}

// exponent returns e, bounded, such that v·2^-e is about 1.
func exponent(v float64) int {
	_, e := math.Frexp(v)
	return max(-1000, min(e, 1000))
}

// power2 returns 2^e for |e| ≤ 1000.
func power2(e int) float64 { return math.Float64frombits(uint64(1023+e) << 52) }

// load copies x to columns that are scaled by powers of two, which is exact.
func (s *Solver) load(x []float64, m, n int, intercept bool) {
	first := 0
	if intercept {
		first = 1
		for i := range m {
			s.a[i] = 1
		}
		s.exp[0], s.norm2[0] = 0, float64(m)
	}
	cols := n - first
	for j := range cols {
		a := s.a[(first+j)*m:][:m]
		largest := 0.0
		for i, k := 0, j; i < m; i, k = i+1, k+cols {
			a[i] = x[k]
			largest = max(largest, math.Abs(x[k]))
		}
		e := exponent(largest)
		scale, sum := power2(-e), 0.0
		for i, v := range a {
			v *= scale
			a[i] = v
			sum += v * v
		}
		s.exp[first+j], s.norm2[first+j] = e, sum
	}
}

// factor computes Q, R⁻¹ and the dependencies.
func (s *Solver) factor(dst *Regression, m, n int) {
	rank := 0
	for j := range n {
		qh, ql := dst.qh[rank*m:][:m], dst.ql[rank*m:][:m]
		copy(qh, s.a[j*m:][:m])
		clear(ql)
		for k := range rank {
			kh, kl := dst.qh[k*m:][:m], dst.ql[k*m:][:m]
			r := dot(kh, kl, qh, ql).div(s.d[k])
			s.r[k] = r
			subScaled(qh, ql, r, kh, kl)
		}
		w := s.w[rank*(rank+1)/2:][:rank+1]
		extent := math.Sqrt(s.norm2[j])
		for i := range rank {
			var c dd
			for k := i; k < rank; k++ {
				c = c.add(s.w[k*(k+1)/2+i].mul(s.r[k]))
			}
			w[i] = c.neg()
			extent += math.Abs(c.hi) * math.Sqrt(s.norm2[s.kept[i]])
		}
		w[rank] = dd{1, 0}
		d := dot(qh, ql, qh, ql)
		if math.Sqrt(d.hi) <= dst.tol*extent {
			s.depends(dst, j, rank, w, dst.tol*extent)
			continue
		}
		s.d[rank] = d
		s.kept[rank] = j
		rank++
	}
	dst.Rank = rank
	dst.kept = append(dst.kept[:0], s.kept[:rank]...)
	copy(dst.d, s.d[:rank])
}

// depends records that column j is Σ −w_i·(kept column i).
func (s *Solver) depends(dst *Regression, j, rank int, w []dd, limit float64) {
	from := len(dst.depOn)
	for i := range rank {
		// The distance of kept column i from the others.
		sum := 0.0
		for k := i; k < rank; k++ {
			v := s.w[k*(k+1)/2+i].hi
			sum += v * v / s.d[k].hi
		}
		if math.Abs(w[i].hi) <= limit*math.Sqrt(sum) {
			continue
		}
		dst.depOn = append(dst.depOn, s.kept[i])
		dst.depCoef = append(dst.depCoef, math.Ldexp(-w[i].hi, s.exp[j]-s.exp[s.kept[i]]))
	}
	dst.Dependencies = append(dst.Dependencies, Dependency{j, dst.depOn[from:len(dst.depOn):len(dst.depOn)], dst.depCoef[from:len(dst.depCoef):len(dst.depCoef)]})
}

// finish computes all else from the factor.
func (s *Solver) finish(dst *Regression, y []float64) error {
	m, rank := dst.Rows, dst.Rank
	largest := 0.0
	for _, v := range y {
		largest = max(largest, math.Abs(v))
	}
	ey := exponent(largest)
	scale := power2(-ey)
	for i, v := range y {
		s.yh[i], s.yl[i] = v*scale, 0
	}
	tss := s.total(dst.Intercept)
	for k := range rank {
		kh, kl := dst.qh[k*m:][:m], dst.ql[k*m:][:m]
		z := dot(kh, kl, s.yh, s.yl).div(s.d[k])
		s.z[k] = z
		subScaled(s.yh, s.yl, z, kh, kl)
	}
	for i := range rank {
		var x dd
		for k := i; k < rank; k++ {
			x = x.add(s.w[k*(k+1)/2+i].mul(s.z[k]))
		}
		s.x[i] = x
	}
	s.refine(dst, y, scale)

	rss := dot(s.yh, s.yl, s.yh, s.yl)
	back := power2(ey)
	for i := range m {
		dst.Residuals[i] = s.yh[i] * back
	}
	dst.DF = m - rank
	dst.RSS, dst.TSS = rss.hi*back*back, tss.hi*back*back
	dst.Sigma = math.Sqrt(rss.hi/float64(dst.DF)) * back
	dst.R2, dst.AdjR2 = math.NaN(), math.NaN()
	if tss.hi > 0 {
		dst.R2 = dd{1, 0}.sub(rss.div(tss)).hi
		all := m
		if dst.Intercept {
			all--
		}
		if dst.DF > 0 {
			q := rss.mulFloat(float64(all)).div(tss.mulFloat(float64(dst.DF)))
			dst.AdjR2 = dd{1, 0}.sub(q).hi
		}
	}
	if dst.DF == 0 {
		dst.Sigma = math.NaN()
	}
	s.spread(dst, back)
	for j := range dst.Cols {
		dst.Coef[j], dst.StdErr[j], dst.coefLo[j] = math.NaN(), math.NaN(), 0
	}
	for i, j := range dst.kept {
		up := math.Ldexp(1, ey-s.exp[j])
		dst.Coef[j], dst.coefLo[j] = s.x[i].hi*up, s.x[i].lo*up
		if math.IsInf(dst.Coef[j], 0) {
			return badInput("y", -1, ErrOverflow, "coefficient %d", j)
		}
		sum := 0.0
		for k := i; k < rank; k++ {
			u := dst.u[k*(k+1)/2+i]
			sum += u * u
		}
		dst.StdErr[j] = dst.Sigma * math.Sqrt(sum)
	}
	s.leverages(dst)
	return nil
}

// total returns Σ (y − ȳ)² or Σ y².
func (s *Solver) total(intercept bool) dd {
	m := len(s.yh)
	if !intercept {
		return dot(s.yh, s.yl, s.yh, s.yl)
	}
	var sum dd
	for _, v := range s.yh {
		sum = sum.add(dd{v, 0})
	}
	mean := sum.div(dd{float64(m), 0})
	for i, v := range s.yh {
		e := dd{v, 0}.sub(mean)
		s.gh[i], s.gl[i] = e.hi, e.lo
	}
	return dot(s.gh, s.gl, s.gh, s.gl)
}

// refine makes steps of iterative refinement on the augmented system
//
//	r + A·x = y,   Aᵀ·r = 0
//
// with r in s.yh and s.yl, and x in s.x.
func (s *Solver) refine(dst *Regression, y []float64, scale float64) {
	m, rank := dst.Rows, dst.Rank
	for range 3 {
		// f = y − r − A·x, in s.gh and s.gl, then in s.f.
		for i, v := range y {
			f := twoSum(v*scale, -s.yh[i])
			s.gh[i], s.gl[i] = f.hi, f.lo-s.yl[i]
		}
		for i, j := range dst.kept {
			subScaledFloat(s.gh, s.gl, s.x[i], s.a[j*m:][:m])
		}
		for i := range s.f {
			s.f[i] = s.gh[i] + s.gl[i]
		}
		// v = Q'f − R⁻ᵀg, g = −Aᵀ·r.
		for i, j := range dst.kept {
			s.v[i] = dotFloat(s.yh, s.yl, s.a[j*m:][:m]).hi
		}
		for k := rank - 1; k >= 0; k-- {
			w := s.w[k*(k+1)/2:][:k+1]
			t := 0.0
			for i := range w {
				t += w[i].hi * s.v[i]
			}
			for i, q := range dst.qh[k*m:][:m] {
				t += q * s.f[i]
			}
			s.v[k] = t / s.d[k].hi
		}
		worst := 0.0
		for i, j := range dst.kept {
			dx := 0.0
			for k := i; k < rank; k++ {
				dx += s.w[k*(k+1)/2+i].hi * s.v[k]
			}
			worst = max(worst, math.Abs(dx)*math.Sqrt(s.norm2[j]))
			s.x[i] = s.x[i].add(dd{dx, 0})
		}
		size := 0.0
		for i, j := range dst.kept {
			size = max(size, math.Abs(s.x[i].hi)*math.Sqrt(s.norm2[j]))
		}
		for i := range s.f {
			t := s.f[i]
			for k := range rank {
				t -= dst.qh[k*m+i] * s.v[k]
			}
			e := dd{s.yh[i], s.yl[i]}.add(dd{t, 0})
			s.yh[i], s.yl[i] = e.hi, e.lo
		}
		dst.Correction = 0
		if worst > 0 {
			dst.Correction = worst / size
		}
		if dst.Correction <= 0x1p-60 {
			break
		}
	}
}

// spread computes u and the condition.
func (s *Solver) spread(dst *Regression, back float64) {
	inverse := 0.0
	for k := range dst.Rank {
		root := s.d[k].sqrt()
		for i, w := range s.w[k*(k+1)/2:][:k+1] {
			j := dst.kept[i]
			u := w.div(root).hi
			t := u * math.Sqrt(s.norm2[j])
			inverse += t * t
			dst.u[k*(k+1)/2+i] = math.Ldexp(u, -s.exp[j])
		}
	}
	dst.Condition = math.Sqrt(float64(dst.Rank) * inverse)
}

// leverages computes the diagonal of the projection.
func (s *Solver) leverages(dst *Regression) {
	m := dst.Rows
	for i := range m {
		s.gh[i], s.gl[i] = 0, 0
	}
	for k := range dst.Rank {
		inv := dd{1, 0}.div(s.d[k])
		for i, q := range dst.qh[k*m:][:m] {
			v := dd{q, dst.ql[k*m+i]}
			h := v.mul(v).mul(inv).add(dd{s.gh[i], s.gl[i]})
			s.gh[i], s.gl[i] = h.hi, h.lo
		}
	}
	for i := range m {
		h := dd{s.gh[i], s.gl[i]}
		dst.Leverage[i] = h.hi
		dst.slack[i] = dd{1, 0}.sub(h).hi
	}
}
