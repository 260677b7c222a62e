package lpbound

import (
	"math"

	"github.com/plimsoll/plimsoll/internal/grow"
	"github.com/plimsoll/plimsoll/reserve/internal/pdhg"
)

// Approaching the optimum without a basis.
//
// A step of the simplex costs the square of the purchases in the plan, so the simplex does
// not suit plans of thousands of purchases. The linear program is also a game of purchases
// x and prices y,
//
//	min over 0 ≤ x ≤ cap   max over y   fee·x − Σ_r (y_r·N_r + g_r(y_r)),   N = A·x + inv,
//
// where g_r is the conjugate of the worth of row r. The primal-dual hybrid gradient method
// moves x against its reduced cost, and y against what is short at the moved x. Both moves
// are separate for each column and row, and A is a sum over windows: prefix sums make a
// step cost a few operations a column and a row, however long the terms are.
//
// Package pdhg has the refinements that make the method fast: the steps of columns and rows, the
// reflection, the anchor and the balance omega of the steps of y and x.
//
// No iterate needs to be feasible for the dual. repairPrices lowers prices, in integers,
// until no column is worth more than its fee, and bound evaluates them exactly. Any x ≥ 0 is
// feasible for the relaxation, since what is short is paid on demand. So at any time the
// distance of the best x and the best y is a gap that holds.
//
// Time: O(columns + rows) a step; some hundred steps reach a gap of 1%, a thousand .2%, each
// at 26,280 periods, four classes and two levels about a millisecond.

// approach is the state of the method. Slices of columns and rows are indexed as in model.
type approach struct {
	x, y     pdhg.Vector // steps by class, and by row
	sigma    []float64   // steps of the rows
	tau      []float64   // steps of the columns, by class
	balance  pdhg.Balance
	N        []float64 // active at the reflected image
	top, val []float64 // of rows with one breakpoint: the worth below it, and where it is
	single   bool      // all rows have at most one breakpoint
	image    []float64 // reflected, of one class
	dearest  float64   // what counts for a unit above a limit
	sum      []float64

	checked int // steps

	best    []float64 // x with the least cost
	cost    float64
	trial   []int64
	prices  []int64 // y with the best bound
	bounded int64
	prefix  []int64
}

// An Approached is what [Solver.Approach] found. Its slices belong to the solver and are
// valid until the next call.
type Approached struct {
	X       []float64 // purchases of the relaxation, [class*periods + period]
	Relaxed float64   // what they cost
	Duals   []int64   // a certificate
	Bound   int64     // what the certificate proves
	Steps   int       // so far
}

// Begin loads p for [Solver.Approach], which begins at the prices of the
// optimal-competitive bound, [Niu16] Eq. (5): so it never proves less.
func (v *Solver) Begin(p *Problem) error {
	m, a := &v.s.model, &v.approach
	if err := m.load(p); err != nil {
		return err
	}
	n, cols := m.n, m.n*m.classes
	a.best = grow.Zero(a.best, cols)
	a.sigma, a.N = grow.To(a.sigma, m.rows), grow.To(a.N, m.rows)
	a.top, a.val = grow.Zero(a.top, m.rows), grow.Zero(a.val, m.rows)
	a.tau, a.image = grow.To(a.tau, m.classes), grow.To(a.image, n)
	a.sum, a.prefix = grow.To(a.sum, (m.levels+1)*(n+1)), grow.To(a.prefix, n+1)
	a.trial, a.prices = grow.To(a.trial, m.rows), grow.Zero(a.prices, m.rows)

	a.x.Reset(cols, a.tau)
	a.y.Reset(m.rows, a.sigma)
	for j := range a.x.X { // to count the columns of each row
		if m.cap[j] > 0 {
			a.x.X[j] = 1
		}
	}
	a.active(m, a.x.X)
	clear(a.x.X)
	for r, count := range a.N {
		a.sigma[r] = 1 / max(1, count)
	}
	for c := range m.classes {
		rows := (m.level[c] + 1) * m.term[c]
		a.tau[c] = 1 / float64(max(1, rows))
	}
	a.single = true
	dear, large := 0.0, 0.0
	for r := range m.rows {
		size, off := m.size[r], m.off[r]
		if size > 1 || m.hard[r] {
			a.single = false
		}
		if size == 0 {
			continue
		}
		a.top[r] = m.price[r/n] * float64(m.cnt[off])
		a.val[r] = float64(m.val[off]) - float64(m.inv[r])
		last := float64(m.val[off+size-1])
		dear += a.top[r] * a.top[r] / a.sigma[r]
		large += last * last * a.sigma[r]
	}
	a.balance.Begin(math.Sqrt(max(dear, 1)/max(large, 1)) / 2)
	a.dearest = a.dearestUnit(m)
	a.checked = 0
	a.cost, a.bounded = math.Inf(1), math.MinInt64
	a.competitive(m)
	a.y.Begin()
	return nil
}

// dearestUnit returns the most by which the cost can rise if one purchase is left out: what the rows
// of its column are worth, less its fee. check charges this for each unit above a limit. Then x costs
// no less than the plan that leaves out purchases until no limit is exceeded.
func (a *approach) dearestUnit(m *model) float64 {
	if a.single {
		return 0 // no limits
	}
	n, most := m.n, 0.0
	clear(a.sum[:n+1])
	for k := range m.levels { // the sums before period i, of the levels up to k
		total := 0.0
		for i := range n {
			total += a.top[k*n+i]
			a.sum[i+1] += total
		}
		for c := range m.classes {
			if m.level[c] != k {
				continue
			}
			for i := range n {
				most = max(most, a.sum[min(i+m.term[c], n)]-a.sum[i]-m.fee[c*n+i])
			}
		}
	}
	return most
}

// competitive sets y to the prices of Eq. (5). Each class is a point: its use price, and its share, the
// fee divided by the term. The lower convex hull of the points begins at the price on demand and a
// share of 0. The price of a level is the rise of the hull over the level.
func (a *approach) competitive(m *model) {
	n, base := m.n, 0.0
	for k := 0; k < m.levels; {
		at, least, width := m.levels-1, math.Inf(1), 0.0
		for j := k; j < m.levels; j++ {
			width += m.price[j]
			if rise := (m.share(j) - base) / width; rise < least {
				at, least = j, rise
			}
		}
		for ; k <= at; k++ {
			for r := k * n; r < (k+1)*n; r++ {
				a.y.X[r] = max(0, least*m.price[k])
				if math.IsInf(least, 1) { // held, and not for sale
					a.y.X[r] = a.top[r]
				}
			}
			base += max(0, least*m.price[k])
		}
	}
}

// share returns the least fee a period of the classes of level k or later levels.
func (m *model) share(k int) float64 {
	least := math.Inf(1)
	for c := range m.classes {
		if m.level[c] < k {
			continue
		}
		for i := range m.n {
			if j := c*m.n + i; m.cap[j] > 0 {
				least = min(least, m.fee[j]/float64(min(m.term[c], m.n-i)))
			}
		}
	}
	return least
}

// active fills in a.N with what is active for purchases x, without the inventory.
func (a *approach) active(m *model, x []float64) {
	clear(a.N)
	for c := range m.classes {
		a.add(m, c, x[c*m.n:(c+1)*m.n])
	}
	a.cumulate(m)
}

// add adds the purchases x of class c to what is active on its own level.
func (a *approach) add(m *model, c int, x []float64) {
	n, lev := m.n, m.level[c]
	if lev < 0 {
		return
	}
	row := a.N[lev*n : (lev+1)*n]
	sum, term := 0.0, m.term[c]
	for i, v := range x[:min(term, n)] {
		sum += v
		row[i] += sum
	}
	if term < n {
		old := x[:n-term]
		late := x[term:][:len(old)]
		row = row[term:][:len(old)]
		for i, v := range old {
			sum += late[i] - v
			row[i] += sum
		}
	}
}

// cumulate adds to each level what is active on later levels.
func (a *approach) cumulate(m *model) {
	n := m.n
	for k := m.levels - 2; k >= 0; k-- {
		row, below := a.N[k*n:(k+1)*n], a.N[(k+1)*n:(k+2)*n]
		for i, v := range below {
			row[i] += v
		}
	}
}

// step makes one step and returns the squares of the distances from x and y to their images.
func (a *approach) step(m *model) (dx, dy float64) {
	n := m.n
	w, omega := a.balance.Weight(), a.balance.Omega
	u := 1 - w
	for k := range m.levels {
		out := a.sum[k*(n+1) : (k+1)*(n+1)]
		t := 0.0
		out[0] = 0
		ys := a.y.X[k*n : (k+1)*n]
		if k == 0 {
			for i, v := range ys {
				t += v
				out[i+1] = t
			}
			continue
		}
		above := a.sum[(k-1)*(n+1)+1 : k*(n+1)][:len(ys)]
		for i, v := range ys {
			t += v
			out[i+1] = t + above[i]
		}
	}
	clear(a.N)
	for c := range m.classes {
		lev := m.level[c]
		if lev < 0 {
			continue
		}
		sums := a.sum[lev*(n+1) : (lev+1)*(n+1)]
		x, x0, fee, most := a.x.X[c*n:(c+1)*n], a.x.Anchor[c*n:(c+1)*n], m.fee[c*n:(c+1)*n], m.cap[c*n:(c+1)*n]
		image := a.image[:len(x)]
		length := a.tau[c] / omega
		end := m.term[c]
		moved := 0.0
		for i, v := range x {
			g := fee[i] - (sums[min(i+end, n)] - sums[i])
			to := v - length*g
			if to < 0 {
				to = 0
			} else if to > most[i] {
				to = most[i]
			}
			d := to - v
			moved += d * d
			to += d
			image[i] = to
			x[i] = w*to + u*x0[i]
		}
		dx += moved / a.tau[c]
		a.add(m, c, image)
	}
	a.cumulate(m)
	y, y0 := a.y.X, a.y.Anchor
	if a.single {
		for r, s := range a.sigma {
			v := y[r]
			to := v + s*omega*(a.val[r]-a.N[r])
			if top := a.top[r]; to > top {
				to = top
			} else if to < 0 {
				to = 0
			}
			d := to - v
			dy += d * d * (1 / s)
			y[r] = w*(to+d) + u*y0[r]
		}
		return dx, dy
	}
	for r, s := range a.sigma {
		v := y[r]
		to := m.meet(r, v, s*omega, a.N[r]+float64(m.inv[r]))
		d := to - v
		dy += d * d / s
		y[r] = w*(to+d) + u*y0[r]
	}
	return dx, dy
}

// meet returns the y at which the staircase of the worth of row r meets v + s·(M − N).
func (m *model) meet(r int, v, s, N float64) float64 {
	size, off := m.size[r], m.off[r]
	if size == 0 {
		return 0
	}
	price := m.price[r/m.n]
	for a := off; a < off+size; a++ {
		y := v + s*(float64(m.val[a])-N)
		if top := price * float64(m.cnt[a]); y >= top {
			return top
		}
		if a+1 < off+size {
			if y >= price*float64(m.cnt[a+1]) {
				return y
			}
		} else if m.hard[r] {
			return y
		} else {
			return max(y, 0)
		}
	}
	return 0
}

// Approach makes steps until the gap of the relaxation is at most gap, or the number of
// steps since [Solver.Begin] reaches limit. It may be called again, to go on.
func (v *Solver) Approach(gap float64, limit int) Approached {
	m, a := &v.s.model, &v.approach
	b := &a.balance
	if b.Steps == 0 {
		a.check(m)
	}
	for b.Steps < limit && !(a.cost-float64(a.bounded) <= gap*float64(a.bounded)) {
		if b.Moved(a.step(m)) {
			b.Anchor([]*pdhg.Vector{&a.x}, []*pdhg.Vector{&a.y})
		}
		if b.Steps >= a.checked+checkEvery || b.Steps == limit {
			a.check(m)
		}
	}
	return Approached{X: a.best, Relaxed: a.cost, Duals: a.prices, Bound: a.bounded, Steps: b.Steps}
}

// checkEvery is the number of steps between two checks, which cost as much as some ten steps.
const checkEvery = 100

// check evaluates the iterate, and keeps x and y if they are the best so far.
func (a *approach) check(m *model) {
	a.checked = a.balance.Steps
	for r, y := range a.y.X {
		a.trial[r] = int64(math.Floor(min(max(y, -maxPrice), maxPrice)))
		if !m.hard[r] {
			a.trial[r] = max(a.trial[r], 0)
		}
	}
	a.repairPrices(m, a.trial)
	if bound := m.bound(a.trial, a.prefix, nil, nil); bound > a.bounded {
		a.bounded = bound
		a.prices, a.trial = a.trial, a.prices
	}
	cost := float64(m.base)
	for c := range m.classes {
		x, fee, most := a.x.X[c*m.n:(c+1)*m.n], m.fee[c*m.n:(c+1)*m.n], m.cap[c*m.n:(c+1)*m.n]
		for i, v := range x {
			x := min(max(v, 0), most[i])
			a.image[i] = x
			cost += x * fee[i]
		}
		if c == 0 {
			clear(a.N)
		}
		a.add(m, c, a.image)
	}
	a.cumulate(m)
	for r, N := range a.N {
		N += float64(m.inv[r])
		price, prev := m.price[r/m.n], 0.0
		for s := m.off[r]; s < m.off[r]+m.size[r] && N > prev; s++ {
			at := float64(m.val[s])
			cost -= (min(N, at) - prev) * price * float64(m.cnt[s])
			prev = at
		}
		if m.hard[r] && N > prev { // prev is the limit
			cost += (N - prev) * a.dearest
		}
	}
	if cost < a.cost {
		a.cost = cost
		for j, v := range a.x.X {
			a.best[j] = min(max(v, 0), m.cap[j])
		}
	}
}

// repairPrices lowers prices until no column without a cap is worth more than its fee: those
// of the last period of a window first, and of the first levels first.
func (a *approach) repairPrices(m *model, y []int64) {
	n := m.n
	for lev := range m.levels {
		for c := range m.classes {
			if m.level[c] != lev {
				continue
			}
			fee, most, term := m.feeI[c*n:(c+1)*n], m.cap[c*n:(c+1)*n], m.term[c]
			sum := int64(0)
			for t := range n {
				for k := 0; k <= lev; k++ {
					sum += y[k*n+t]
				}
				s := t - term + 1
				if s < 0 {
					continue
				}
				if over := sum - fee[s]; over > 0 && most[s] >= uncapped {
					m.lower(y, lev, s, t, over)
					sum -= over
				}
				for k := 0; k <= lev; k++ {
					sum -= y[k*n+s]
				}
			}
			sum = 0 // windows that end with the last period
			for s := n - 1; s > n-term; s-- {
				for k := 0; k <= lev; k++ {
					sum += y[k*n+s]
				}
				if over := sum - fee[s]; over > 0 && most[s] >= uncapped {
					m.lower(y, lev, s, n-1, over)
					sum -= over
				}
			}
		}
	}
}

// uncapped is the least cap that no plan reaches.
const uncapped = 1 << 30

// lower takes by off the prices of the periods from..t of the levels up to lev, the last
// period first. Their sum is at least by.
func (m *model) lower(y []int64, lev, from, t int, by int64) {
	for ; by > 0 && t >= from; t-- {
		for k := 0; k <= lev && by > 0; k++ {
			d := min(by, max(0, y[k*m.n+t]))
			y[k*m.n+t] -= d
			by -= d
		}
	}
}
