package lpbound

import (
	"math"

	"github.com/plimsoll/plimsoll/internal/grow"
)

var inf = math.Inf(1)

const (
	shift     = 1e-6 // size of the right-hand-side perturbation; breakpoints are integers
	tinyStep  = 1e-9 // x is within its bounds up to this
	tinyMove  = 1e-7 // what moves slower than this is not stopped at, being no safe pivot
	tinyMoney = 0.4  // nano units: with integer data and a unimodular basis every price is an integer
)

// A simplex is a primal simplex method, and its memory, for
//
//	minimise  fee·x + Σ_r φ_r(N_r),   N = A x + inv,   lo <= x <= hi.
//
// x has the purchases of each column, N the active reservations of each row, and inv the held
// reservations of each row. A has a 1 where a purchase of the column is active in the row. φ_r is
// the cost of row r. It is convex and piecewise linear, and simplex computes it where needed from
// the breakpoints of model.
//
// A row is active if N_r is held at one of its breakpoints; otherwise N_r is between two
// breakpoints. A column is basic, or its x is at one of its bounds. There are as many active rows
// as basic columns. The only matrix to invert is the square matrix K, the part of A in these rows
// and columns. w is the inverse of K, row by row: w[c*stride+q] is for basic column c and active
// row q.
//
// Start: x = 0 and K empty, which is feasible. Step: the nonbasic column or active row moves whose
// reduced cost violates optimality most, as Devex weighs it. The basic columns move with it, as w
// says. The events on the way are the bound of the moving variable, the bound of a basic column,
// and the breakpoint of a row. The move passes a breakpoint if moving on still lowers the cost, and
// ends at the first other event. The solution is optimal when no reduced cost violates optimality.
//
// Branching can put a bound on a basic column that the column violates. Each unit outside of the
// bounds then costs big, and big is so large that the column returns within its bounds (see
// penalty).
type simplex struct {
	model
	work, budget int64 // done, and allowed, of Options.Work
	x, lo, hi    []float64
	pos          []int32 // column -> place among the basic, or -1
	N, y, dN     []float64
	delta        []float64 // perturbation of each row
	seg          []int32   // piece of an inactive row, breakpoint of an active one
	kpos         []int32   // row -> place among the active, or -1

	p      int
	stride int
	w      []float64
	colsK  []int32
	rowsK  []int32
	colAt  []span    // of the basic columns
	rowAt  []place   // of the active rows
	g      []float64 // of the basic columns: fee minus the prices of their inactive rows
	yk     []float64 // prices of the active rows, = w^T g
	dr, v  []float64
	mask   []float64
	list   []int32   // places of the entering column's active rows; or of nonzeros
	yi     []float64 // prices of the inactive rows, 0 for active ones

	sum       []float64 // prefix sums of y over time, cumulated over levels: [level][n+1]
	diff      []float64
	weight    []float64 // Devex reference weights of the columns
	rowWeight []float64 // and of the active rows

	heapT []float64
	heapI []int32

	doubt      float64 // gains below this may be rounding errors
	big        float64 // price of a unit outside [lo, hi]
	iterations int
	maxP       int
}

// span is where a column has its ones: levels 0..lev, periods i..e-1.
type span struct{ i, e, lev int32 }

// place is the level and period of a row.
type place struct{ k, t int32 }

func (s *simplex) start() {
	n, cols := s.n, s.n*s.classes
	s.x, s.lo, s.hi, s.pos = grow.To(s.x, cols), grow.To(s.lo, cols), grow.To(s.hi, cols), grow.To(s.pos, cols)
	s.weight = grow.To(s.weight, cols)
	s.big = 1
	for j := range cols {
		s.x[j], s.lo[j], s.hi[j], s.pos[j] = 0, 0, s.cap[j], -1
		s.big = max(s.big, s.fee[j])
	}
	s.rowWeight = grow.To(s.rowWeight, s.rows)
	for j := range s.weight {
		s.weight[j] = 1
	}
	for r := range s.rowWeight {
		s.rowWeight[r] = 1
	}
	s.doubt = 1e-9 * s.big
	for k := range s.levels {
		for i := range n {
			r := k*n + i
			if s.size[r] > 0 {
				s.big += s.price[k] * float64(s.cnt[s.off[r]])
			}
		}
	}
	s.big *= 2 // twice the dearest fee (at least 1) and what a unit of each row is worth at most; see penalty
	s.N, s.y, s.dN = grow.To(s.N, s.rows), grow.To(s.y, s.rows), grow.To(s.dN, s.rows)
	s.yi = grow.To(s.yi, s.rows)
	s.delta, s.seg, s.kpos = grow.To(s.delta, s.rows), grow.To(s.seg, s.rows), grow.To(s.kpos, s.rows)
	state := uint64(0x9e3779b97f4a7c15)
	for r := range s.rows {
		state ^= state << 13
		state ^= state >> 7
		state ^= state << 17
		s.delta[r] = shift * (0.5 + 0.5*float64(state>>11)/(1<<53))
		if s.hard[r] {
			s.delta[r] = -s.delta[r]
		}
		s.kpos[r] = -1
		s.N[r] = float64(s.inv[r]) + s.delta[r]
		s.seg[r] = s.find(r, s.N[r])
	}
	s.sum = grow.To(s.sum, (s.levels+1)*(n+1))
	s.diff = grow.To(s.diff, (s.levels+2)*(n+1))
	s.heapT, s.heapI = grow.To(s.heapT, s.rows+cols+1), grow.To(s.heapI, s.rows+cols+1)
	s.p = 0
	s.reserve(min(64, s.rows))
	s.iterations, s.maxP = 0, 0
}

// The penalty is large enough: if x = lo is within the limits of all rows, an optimum of the program with the
// penalty lies within the bounds of all columns.
//
// Proof. Let x be an optimum and F the dearest fee.
//
// If x_j > hi_j, one unit less of j breaks no limit. It saves the fee and costs at most what a unit of each row is
// worth: less than big.
//
// If x_j < lo_j, buy more of j. In each full row of j some other column has x_c > lo_c, since lo is within the limit.
// Take such a column for each full row and buy as much less of it, but leave out columns whose full rows the others
// cover. Then at most two are active in any period: of three intervals that share a period, two cover the third.
// So the change breaks no limit, and it costs at most F and
// twice what a unit of each row is worth: less than big, by which the penalty falls. ∎
//
// The perturbation leaves limits a little wider, so that lo is within them still.

// find is the piece of row r that holds v: the number of breakpoints below it.
func (s *simplex) find(r int, v float64) int32 {
	lo, hi := int32(0), s.size[r]
	for lo < hi {
		mid := (lo + hi) / 2
		if float64(s.val[s.off[r]+mid]) < v {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if s.hard[r] && lo == s.size[r] {
		lo--
	}
	return lo
}

// reserve makes room for a kernel of size n.
func (s *simplex) reserve(n int) {
	if n <= s.stride && s.w != nil {
		return
	}
	n = min(max(n, s.stride+s.stride/2), max(s.rows, 1))
	w := make([]float64, n*n)
	for c := range s.p {
		copy(w[c*n:c*n+s.p], s.w[c*s.stride:])
	}
	s.w, s.stride = w, n
	fit := func(v []float64) []float64 { o := make([]float64, n); copy(o, v[:s.p]); return o }
	s.g, s.yk, s.dr, s.v, s.mask = fit(s.g), fit(s.yk), fit(s.dr), fit(s.v), fit(s.mask)
	s.colAt, s.rowAt = append(make([]span, 0, n), s.colAt[:s.p]...)[:n], append(make([]place, 0, n), s.rowAt[:s.p]...)[:n]
	s.list = make([]int32, n)
	fitI := func(v []int32) []int32 { o := make([]int32, n); copy(o, v[:s.p]); return o }
	s.colsK, s.rowsK = fitI(s.colsK), fitI(s.rowsK)
}

// worth is what one more unit is worth in piece a of row r.
func (s *simplex) worth(r int, a int32) float64 {
	if a >= s.size[r] {
		return 0
	}
	return s.price[s.levelOf(r)] * float64(s.cnt[s.off[r]+a])
}

func (s *simplex) levelOf(r int) int { return r / s.n }

// span returns where column j has its ones.
func (s *simplex) span(j int) span {
	c := j / s.n
	i := j - c*s.n
	return span{int32(i), int32(min(i+s.term[c], s.n)), int32(s.level[c])}
}

func (s *simplex) place(r int) place {
	k := r / s.n
	return place{int32(k), int32(r - k*s.n)}
}

func (s *simplex) has(r place, c span) bool {
	return r.k <= c.lev && c.i <= r.t && r.t < c.e
}

// refresh computes all prices from the basis.
func (s *simplex) refresh() {
	for r := range s.rows {
		s.yi[r] = 0
		if s.kpos[r] < 0 {
			s.yi[r] = s.worth(r, s.seg[r])
		}
	}
	clear(s.g[:s.p])
	clear(s.yk[:s.p])
	s.prices()
}

// prices makes y whole after a step: yi is up to date, and yk = w^T g for g as
// it was before the step; where g changes, yk follows.
func (s *simplex) prices() {
	s.prefix(s.yi)
	yk := s.yk[:s.p]
	for c, at := range s.colAt[:s.p] {
		j := int(s.colsK[c])
		g := s.cost(j) - s.gain(at)
		d := g - s.g[c]
		if d == 0 {
			continue
		}
		s.g[c] = g
		for q, f := range s.w[c*s.stride : c*s.stride+s.p] {
			yk[q] += d * f
		}
	}
	copy(s.y, s.yi)
	for q, r := range s.rowsK[:s.p] {
		s.y[r] = yk[q]
	}
	s.prefix(s.y)
}

// prefix fills sum with the prefix sums of price over time, cumulated over levels.
func (s *simplex) prefix(price []float64) {
	n := s.n
	for k := range s.levels {
		out := s.sum[k*(n+1) : (k+1)*(n+1)]
		y := price[k*n : (k+1)*n]
		t := 0.0
		out[0] = 0
		if k == 0 {
			for i, v := range y {
				t += v
				out[i+1] = t
			}
			continue
		}
		below := s.sum[(k-1)*(n+1) : k*(n+1)]
		for i, v := range y {
			t += v
			out[i+1] = t + below[i+1]
		}
	}
}

// cost is the fee of column j, with the penalty where x lies outside its bounds.
func (s *simplex) cost(j int) float64 {
	switch {
	case s.x[j] < s.lo[j]-tinyStep:
		return s.fee[j] - s.big
	case s.x[j] > s.hi[j]+tinyStep:
		return s.fee[j] + s.big
	}
	return s.fee[j]
}

// gain is the sum over the rows of a column of the prices whose prefix sums are in sum.
func (s *simplex) gain(at span) float64 {
	row := s.sum[int(at.lev)*(s.n+1):]
	return row[at.e] - row[at.i]
}

// run improves the current basis until no price disagrees.
func (s *simplex) run(limit int) bool {
	s.clean(false)
	exact, since := false, 0
	for {
		enter, row, sign, d := s.choose()
		if none := enter < 0 && row < 0; !exact && (none || d < s.doubt) {
			// What rounding errors may have made or hidden is looked at again
			// with a refined inverse.
			s.clean(true)
			exact, since = true, 0
			continue
		} else if none {
			return true
		}
		if s.iterations >= limit || s.work > s.budget {
			return false
		}
		s.work += int64(s.p)*int64(s.p) + int64(s.rows+len(s.fee))
		s.iterations++
		if !s.step(enter, row, sign) {
			return false
		}
		exact = false
		if since++; since == refreshEvery {
			s.clean(false)
			since = 0
		} else {
			s.prices()
		}
	}
}

// clean removes the rounding errors that steps leave in the values and the
// prices, and in the inverse if they show or all is set.
func (s *simplex) clean(all bool) {
	s.work += 4 * int64(s.rows+len(s.fee))
	if s.settle(true) > residual || all {
		s.refine()
		s.settle(true)
	}
	s.refresh()
}

// residual is how far an active row may be from its breakpoint before the
// inverse is refined: well below shift.
const residual = 1e-8

const refreshEvery = 50 // steps between two cleanings

// choose picks the column or active row whose change pays best.
func (s *simplex) choose() (col, row int, sign, gain float64) {
	col, row = -1, -1
	best := 0.0
	n := s.n
	for c := range s.classes {
		lev := s.level[c]
		if lev < 0 {
			continue
		}
		sum := s.sum[lev*(n+1) : (lev+1)*(n+1)]
		for i := range n {
			j := c*n + i
			if s.pos[j] >= 0 {
				continue
			}
			d := s.fee[j] - (sum[min(i+s.term[c], n)] - sum[i])
			if d < -tinyMoney && s.x[j] < s.hi[j] || d > tinyMoney && s.x[j] > s.lo[j] {
				if v := d * d / s.weight[j]; v > best {
					best, gain, col, sign = v, math.Abs(d), j, 1
					if d > 0 {
						sign = -1
					}
				}
			}
		}
	}
	for _, r := range s.rowsK[:s.p] {
		a := s.seg[r]
		y := s.y[r]
		if d := y - s.worth(int(r), a); d > tinyMoney {
			if v := d * d / s.rowWeight[r]; v > best {
				best, gain, row, col, sign = v, d, int(r), -1, -1
			}
		} else if s.hard[r] && a == s.size[r]-1 {
			continue
		} else if d := s.worth(int(r), a+1) - y; d > tinyMoney {
			if v := d * d / s.rowWeight[r]; v > best {
				best, gain, row, col, sign = v, d, int(r), -1, 1
			}
		}
	}
	return col, row, sign, gain
}

// settle recomputes x and N from the basis, with the perturbation or without.
// It returns how far the active rows are from their breakpoints, the error of w.
func (s *simplex) settle(perturbed bool) float64 {
	n, p := s.n, s.p
	for pass := range 2 {
		clear(s.diff)
		for j, x := range s.x[:n*s.classes] {
			if x != 0 && (pass > 0 || s.pos[j] < 0) {
				s.mark(s.span(j), x)
			}
		}
		s.cumulate()
		for r := range s.rows {
			v := s.dN[r] + float64(s.inv[r])
			if perturbed {
				v += s.delta[r]
			}
			s.N[r] = v
		}
		if pass == 1 {
			break
		}
		for q, r := range s.rowsK[:p] {
			s.mask[q] = float64(s.val[s.off[r]+s.seg[r]]) - s.N[r]
		}
		for c := range p {
			t := 0.0
			for q, f := range s.w[c*s.stride : c*s.stride+p] {
				t += s.mask[q] * f
			}
			s.x[s.colsK[c]] = t
		}
	}
	worst := 0.0
	for _, r := range s.rowsK[:p] {
		at := float64(s.val[s.off[r]+s.seg[r]])
		worst = max(worst, math.Abs(s.N[r]-at))
		s.N[r] = at
	}
	return worst
}
