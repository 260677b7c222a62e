package lsq

import (
	"math"

	"github.com/plimsoll/plimsoll/internal/grow"
)

// Linear least squares: minimise Σ (y_i − Σ_j x_ij·β_j)² over β.
//
//	load       columns, scaled by powers of two        factor.go
//	factor     A = Q·R and W = R⁻¹; dependent columns  factor.go
//	project    z = D⁻¹·Qᵀ·y, r = y − Q·z, β = W·z       here
//	refine     the augmented system                    refine.go
//	summarise  standard errors, R², leverages          here
//
// The package comment has the theory.

// DependenceTolerance decides which columns depend on others. A column depends on the columns
// before it if small changes of these make the column an exact combination of them. A change is
// small if it changes each of them by at most DependenceTolerance times its norm.
//
// 2⁻⁴⁶ is 128 times 2⁻⁵³, the relative error of one rounding. So a column that was computed from
// others with up to 100 roundings an entry counts as dependent. If columns are just independent
// enough, the rounding of the numbers in the table alone can move the coefficients by 1/128 of
// their norm. With less independence, the data do not determine even two digits. Filip, the hardest
// data set of NIST, is more independent than required by a factor of 10⁴.
const DependenceTolerance = 0x1p-46

// Options say how to fit. The zero value fits the columns as they are, without an
// intercept, and requires independent columns.
type Options struct {
	// Names are the names of the columns of x, for errors. If nil, they are "column 0"
	// and so on.
	Names []string
	// Intercept adds a column of ones before the columns of x. Coefficient 0 is then the
	// intercept, column j of x has coefficient j+1, and R² is about the mean.
	Intercept bool
}

// A Solver fits linear models by least squares. The zero value is ready. A Solver and
// the [Regression] that it fills keep their memory and allocate nothing once it
// suffices. A Solver is for one goroutine at a time. Any number of goroutines may read a
// Regression.
type Solver struct {
	a      []float64 // the columns, scaled, one after the other
	rh, rl []float64 // y, then the residuals, scaled
	fh, fl []float64 // residuals of the augmented system
	norm   []float64 // of the scaled columns
	normY  float64   // of y, scaled
	exp    []int     // scaled column = column·2^-exp
	kept   []int     // the columns in the factor
	d      []dd      // squared norms of the columns of Q
	r      []dd      // one column of R
	w      []dd      // W = R⁻¹, column k from k(k+1)/2
	x, z   []dd
	v      []float64
}

// maxCols bounds the columns, of which Solve keeps numbers for each two.
const maxCols = 1 << 20

// grow makes room for the given numbers of rows and of coefficients.
func (s *Solver) grow(rows, cols int) {
	s.a = grow.To(s.a, rows*cols)
	s.rh, s.rl = grow.To(s.rh, rows), grow.To(s.rl, rows)
	s.fh, s.fl = grow.To(s.fh, rows), grow.To(s.fl, rows)
	s.norm, s.v = grow.To(s.norm, cols), grow.To(s.v, cols)
	s.exp, s.kept = grow.To(s.exp, cols), grow.To(s.kept, cols)
	s.d, s.r, s.x, s.z = grow.To(s.d, cols), grow.To(s.r, cols), grow.To(s.x, cols), grow.To(s.z, cols)
	s.w = grow.To(s.w, triangle(cols))
}

// triangle returns where column k of an upper triangle begins, column after
// column: its element (i, k) is at triangle(k) + i.
func triangle(k int) int { return k * (k + 1) / 2 }

// A Regression is a fitted linear model. [Solver.Solve] fills it and reuses its memory.
// Copies of the struct share that memory.
type Regression struct {
	// Rows and Cols are the numbers of rows and of coefficients, including the
	// intercept. DF = Rows − Cols is the number of degrees of freedom of the residuals.
	Rows, Cols, DF int
	// Intercept says whether coefficient 0 is the intercept.
	Intercept bool
	// Coef and StdErr are the coefficients and their standard errors, which are NaN if DF
	// is 0.
	Coef, StdErr []float64
	// Residuals are y less the fitted values.
	Residuals []float64
	// Leverage is the weight of each row in its own fitted value: the diagonal of the
	// projection onto the columns. Leverages are from 0 to 1 and sum to Cols.
	Leverage []float64
	// RSS is the sum of squared residuals. TSS is the sum of squares of y, about the
	// mean with an intercept and about 0 without, as NIST defines it.
	RSS, TSS float64
	// R2 = 1 − RSS/TSS, NaN if TSS is 0. Do not compare R2 of a model without an
	// intercept with R2 of a model with one.
	R2 float64
	// AdjR2 = 1 − (RSS/DF)/(TSS/(Rows−1)), with Rows instead of Rows−1 if there is no
	// intercept. It is NaN if TSS or DF is 0.
	AdjR2 float64
	// Sigma = √(RSS/DF) is the residual standard deviation, NaN if DF is 0.
	Sigma float64
	// Condition is ‖B‖·‖B⁺‖ in the Frobenius norm. B is the matrix of the columns of the data, each
	// divided by its norm, and B⁺ is its pseudoinverse. Condition is at least the condition number
	// of B in the 2-norm, and at most Cols times that number. A change of the data by a share ε
	// changes the coefficients by a share of about ε·Condition. The rounding of the data to float64
	// has already changed the coefficients by about 2⁻⁵³·Condition.
	Condition float64
	// Correction is the relative size of the last step of refinement, which is computed
	// from the data as given. The coefficients were off by that much before the step, in
	// norm, and are off by much less now.
	Correction float64

	coefLo []float64 // what Coef lacks
	qh, ql []float64 // the orthogonal columns
	u      []float64 // W·D^(-1/2), column k from k(k+1)/2
	down   []float64 // by column: what it was multiplied by
}

// A Dependency says that one column is a combination of columns before it, to within
// [DependenceTolerance]:
//
//	column Column = Σ_k Coef[k] · column On[k]
//
// Column and On[k] are numbers of columns. Without an intercept, column j of x has the number j.
// With an intercept, the intercept has the number 0, and column j of x the number j+1. The
// combination needs every column in On. On is empty if the column is 0.
type Dependency struct {
	Column int
	On     []int
	Coef   []float64
}

// Fit fits one model; see [Solver.Solve], whose panics it shares. It allocates the result.
func Fit(x []float64, rows, cols int, y []float64, opt Options) (*Regression, error) {
	var s Solver
	var r Regression
	if err := s.Solve(&r, x, rows, cols, y, opt); err != nil {
		return nil, err
	}
	return &r, nil
}

// Solve finds the coefficients β that minimise
//
//	Σ_i (y_i − Σ_j x_ij·β_j)²
//
// and fills dst with the coefficients and all results that go with them. x has rows·cols
// elements, row after row. Solve neither modifies nor keeps x and y.
//
// The result is the exact solution for the given numbers, to within a few units in the last place.
// That holds for all columns that count as independent, up to conditions of 10¹⁴, and for residuals
// of any size. [Regression.Condition] says how many digits the numbers determine.
//
// Time: O(rows·cols²), space: O(rows·cols).
//
// The error is a *pricing.InputError that unwraps to
//
//   - [ErrNotFinite] for a NaN or an infinity,
//   - [ErrFewRows] for fewer rows than coefficients, and also to ErrDependent if columns are
//     equal, constant or 0 in the rows there are,
//   - [ErrDependent], with a *[DependenceError], for columns that cannot be told apart,
//   - [ErrOverflow] if a result does not fit in a float64.
//
// Do not use dst after an error, until another Solve has filled it. Solve panics if lengths do not
// fit, if there is nothing to fit, and for more than 2²⁰ columns.
//
// With as many rows as coefficients, the fit is exact: DF is 0, nothing is known of the
// noise, and Sigma, StdErr and AdjR2 are NaN.
func (s *Solver) Solve(dst *Regression, x []float64, rows, cols int, y []float64, opt Options) error {
	if cols > maxCols {
		panic("lsq: more than 1<<20 columns")
	}
	if rows < 0 || cols < 0 || cols > 0 && rows > math.MaxInt/cols || len(x) != rows*cols {
		panic("lsq: length of x is not rows times columns")
	}
	if len(y) != rows {
		panic("lsq: length of y is not the number of rows")
	}
	if opt.Names != nil && len(opt.Names) != cols {
		panic("lsq: number of names is not the number of columns")
	}
	n := cols
	if opt.Intercept {
		n++
	}
	if n == 0 {
		panic("lsq: no columns and no intercept")
	}
	if rows < n {
		return tooFew(x, rows, cols, opt)
	}
	for i, v := range y {
		if v-v != 0 {
			return badInput("y", i, ErrNotFinite, "%v: want a finite number", v)
		}
	}
	for i, v := range x {
		if v-v != 0 {
			return badInput("x", i, ErrNotFinite, "%v in row %d, %s: want a finite number", v, i/cols, opt.name(i%cols))
		}
	}
	s.grow(rows, n)
	dst.reset(rows, n, opt)
	s.load(x, rows, n, opt.Intercept)
	if found := s.factor(dst); len(found) > 0 {
		return s.dependent(dst, opt, found)
	}
	e := s.loadY(y)
	tss := s.project(dst)
	s.spread(dst)
	s.refine(dst, y, e)
	return s.summarise(dst, tss, e)
}

// reset prepares r for m rows and n columns.
func (r *Regression) reset(m, n int, opt Options) {
	r.Rows, r.Cols, r.Intercept = m, n, opt.Intercept
	r.Coef, r.StdErr, r.coefLo = grow.To(r.Coef, n), grow.To(r.StdErr, n), grow.To(r.coefLo, n)
	r.Residuals, r.Leverage = grow.To(r.Residuals, m), grow.To(r.Leverage, m)
	r.qh, r.ql = grow.To(r.qh, m*n), grow.To(r.ql, m*n)
	r.u = grow.To(r.u, triangle(n))
	r.down = grow.To(r.down, n)
}

// project computes the coefficients and the residuals, scaled, and returns the sum
// of squares of y.
func (s *Solver) project(dst *Regression) (tss dd) {
	m, n := dst.Rows, dst.Cols
	if !dst.Intercept {
		tss = dot(s.rh, s.rl, s.rh, s.rl)
	}
	for k := range n {
		qh, ql := dst.qh[k*m:][:m], dst.ql[k*m:][:m]
		z := dot(qh, ql, s.rh, s.rl).div(s.d[k])
		s.z[k] = z
		subScaled(s.rh, s.rl, z, qh, ql)
		if k == 0 && dst.Intercept {
			// Column 0 is all ones, so the mean was taken away.
			tss = dot(s.rh, s.rl, s.rh, s.rl)
		}
	}
	for i := range n {
		s.x[i] = s.rowTimes(i, n, s.z)
	}
	s.normY = math.Sqrt(tss.hi)
	if dst.Intercept {
		s.normY = math.Hypot(s.normY, s.z[0].hi*math.Sqrt(s.d[0].hi))
	}
	return tss
}

// rowTimes returns Σ_k W_ik·z_k.
func (s *Solver) rowTimes(i, rank int, z []dd) dd {
	var sum dd
	for k := i; k < rank; k++ {
		sum = sum.add(s.w[triangle(k)+i].mul(z[k]))
	}
	return sum
}

// summarise fills dst from the factor, the coefficients and the residuals; e is the
// exponent by which y was scaled.
func (s *Solver) summarise(dst *Regression, tss dd, e int) error {
	m := dst.Rows
	up := power2(e)
	for i := range m {
		dst.Residuals[i] = s.rh[i] * up
	}
	rss := dot(s.rh, s.rl, s.rh, s.rl)
	dst.DF = m - dst.Cols
	dst.RSS, dst.TSS = rss.hi*up*up, tss.hi*up*up
	if math.IsInf(dst.TSS, 0) || math.IsInf(dst.RSS, 0) {
		return badInput("y", -1, ErrOverflow, "the sum of squares of y: want y divided by a power of ten")
	}
	sigma := math.NaN() // scaled
	if dst.DF > 0 {
		sigma = rss.div(dd{float64(dst.DF), 0}).sqrt().hi
	}
	dst.Sigma = sigma * up
	dst.R2, dst.AdjR2 = math.NaN(), math.NaN()
	if tss.hi > 0 {
		dst.R2 = dd{1, 0}.sub(rss.div(tss)).hi
		if dst.DF > 0 {
			all := m
			if dst.Intercept {
				all--
			}
			ratio := rss.mulFloat(float64(all)).div(tss.mulFloat(float64(dst.DF)))
			dst.AdjR2 = dd{1, 0}.sub(ratio).hi
		}
	}
	for j := range dst.Cols {
		dst.Coef[j] = math.Ldexp(s.x[j].hi, e-s.exp[j])
		dst.coefLo[j] = math.Ldexp(s.x[j].lo, e-s.exp[j])
		if math.IsInf(dst.Coef[j], 0) {
			return badInput("columns", j-dst.first(), ErrOverflow, "the coefficient of the column: want the column multiplied by a power of ten")
		}
		sum := 0.0
		for k := j; k < dst.Cols; k++ {
			u := dst.u[triangle(k)+j]
			sum += float64(u * u)
		}
		dst.StdErr[j] = math.Ldexp(sigma*math.Sqrt(sum), e-s.exp[j])
	}
	s.leverages(dst)
	return nil
}

// first returns the coefficient of column 0 of x.
func (r *Regression) first() int {
	if r.Intercept {
		return 1
	}
	return 0
}

// spread computes U = W·D^(-1/2), whose rows are the deviations of the coefficients; the
// same for columns of norm 1; and the condition.
func (s *Solver) spread(dst *Regression) {
	inverse := 0.0
	for k := range dst.Cols {
		root := s.d[k].sqrt()
		for i, w := range s.w[triangle(k):][:k+1] {
			u := w.div(root).hi
			t := u * s.norm[i]
			inverse += float64(t * t)
			dst.u[triangle(k)+i] = u
		}
		dst.down[k] = power2(-s.exp[k])
	}
	dst.Condition = math.Sqrt(float64(dst.Cols) * inverse)
}

// nearOne is the distance of a leverage from 1 below which the leverage is computed again in
// pairs, so that 1 − h keeps its digits. Leverages sum to Cols, so at most Cols/(1 − nearOne) rows
// need that.
const nearOne = 0.25

// leverages computes the diagonal of Q·D⁻¹·Qᵀ.
func (s *Solver) leverages(dst *Regression) {
	m := dst.Rows
	h := dst.Leverage
	clear(h)
	for k := range dst.Cols {
		inv := 1 / s.d[k].hi
		for i, q := range dst.qh[k*m:][:m] {
			h[i] += float64(float64(q*q) * inv)
		}
	}
	for i := range h {
		if 1-h[i] >= nearOne {
			continue
		}
		rest := dd{1, 0}
		for k := range dst.Cols {
			q := dd{dst.qh[k*m+i], dst.ql[k*m+i]}
			rest = rest.sub(q.mul(q).div(s.d[k]))
		}
		h[i] = min(1, dd{1, 0}.sub(rest).hi)
	}
}
