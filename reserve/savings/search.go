package savings

import (
	"math"

	"github.com/plimsoll/plimsoll/internal/grow"
	"github.com/plimsoll/plimsoll/internal/wide"
	"github.com/plimsoll/plimsoll/pricing"
)

// The optimum of small problems, by branch and bound.
//
// The rounds of mixed.go find one plan, and the dual bound is that of the linear program with
// fractions of reservations and of units. On problems of a few slots both may be off by
// a lot. The search solves the linear program itself, branches on a fraction, and stops
// at every node that cannot hold a better plan:
//
//	minimise   Σ fee·r + Σ price·c + Σ p_i·o_it
//	subject to active r_it + s_it + o_it − e_it = d_it
//	           Σ (q_i/u)·s_it + f_t = H_t + active c_t
//
// with e the idle reservations and f the idle units. All of r, c, s, o are bounded: an
// optimal plan needs no purchase larger than the peak of what it could serve.
//
// A bounded dual simplex on a condensed tableau solves each node from the basis of the node
// before, which stays dual feasible when bounds change. Its floats choose, and prove nothing.
// The bound of a node is Lagrange's, computed in integers from the rounded prices: the Σ of the
// best of each variable within its bounds at its reduced cost (Neumaier and Shcherbina 2004).
// Every node offers a plan: its reservations rounded, with the exact savings plan beside them.
//
// A node costs some pivots of rows × columns each. So the search is for problems up to mostCells
// of these, some 20 slots of three types, and ends after Mixed.Work of them.

const (
	// mostCells bounds the tableau: 24 slots of three types with two classes each have 96 rows
	// and 312 columns.
	mostCells = 40_000
	// mostWork is the default of Mixed.Work.
	mostWork = 1_000_000_000
	// A plan that is cheaper by less than this many nanos an hour, or this share, is not
	// cheaper: floats add up to about as much.
	tinyNanos, tinyShare = 1e-3, 1e-12

	tinyBound = 1e-7 // by how much a value may be beyond a bound
	tinyPivot = 1e-8
	tinyWhole = 1e-6 // by how much a whole number may be off
	// Whole units matter if one costs this share of all.
	coarse = 1. / 400
	// The tableau is computed anew after so many pivots.
	mostPivots = 2000
)

// search is the memory of branch and bound.
type search struct {
	m, n   int // rows and columns
	kinds  []column
	tab    []float64 // m × n
	rhs    []float64
	d      []float64 // reduced costs
	basic  []int32   // variable of each row
	other  []int32   // variable of each column
	at     []int32   // row of a basic variable, -1-column of another
	value  []float64 // of all variables
	lo, hi []float64
	cost   []float64
	row    []float64
	stack  []fork
	pivots int
	work   int64
	lambda []int64 // by type and slot
	worth  []int64
	sums   []wide.Int
}

// A column is a variable: a purchase of class index at slot, a commitment at slot (index -1),
// use of the plan by type index (use), or idle reservations of it (idle).
type column struct {
	kind        uint8
	index, slot int
	from, to    int // slots in which it is active
}

const (
	buys uint8 = iota
	commits
	uses
	idles
)

// A fork is a bound that was changed, with the bounds of the other side.
type fork struct {
	v        int32
	lo, hi   float64 // before
	nlo, nhi float64 // of the other side
	second   bool
	bound    float64
}

// begin builds the linear program of p at the basis of everything on demand. It reports false
// if the program is too large.
func (m *Mixed) begin(p *MixedProblem, n int) bool {
	s := &m.search
	k := len(p.Types)
	s.kinds = s.kinds[:0]
	rows := n * (k + 1)
	open := 0
	for t := range n {
		if p.sold(t) {
			open++
		}
	}
	s.m, s.n = rows, open*(1+len(p.Classes))+2*n*k
	if n == 0 || rows > mostCells/max(1, s.n) {
		return false
	}
	for c := range p.Classes {
		if p.Classes[c].Withdrawn {
			continue
		}
		for t := range n {
			if m.fees[c*n+t] >= 0 {
				s.kinds = append(s.kinds, column{buys, c, t, t, min(n, t+m.terms[c])})
			}
		}
	}
	term := int(p.Term / p.Slot)
	for t := range n {
		if p.sold(t) {
			s.kinds = append(s.kinds, column{commits, -1, t, t, min(n, t+term)})
		}
	}
	for i := range p.Types {
		for t := range n {
			if p.Types[i].Plan < p.Types[i].OnDemand {
				s.kinds = append(s.kinds, column{uses, i, t, t, t + 1})
			}
			s.kinds = append(s.kinds, column{idles, i, t, t, t + 1})
		}
	}
	s.n = len(s.kinds)
	all := s.n + s.m
	s.tab, s.rhs, s.d, s.row = grow.To(s.tab, s.m*s.n), grow.To(s.rhs, s.m), grow.To(s.d, s.n), grow.To(s.row, s.n)
	s.basic, s.other, s.at = grow.To(s.basic, s.m), grow.To(s.other, s.n), grow.To(s.at, all)
	s.value, s.lo, s.hi, s.cost = grow.To(s.value, all), grow.To(s.lo, all), grow.To(s.hi, all), grow.To(s.cost, all)
	s.lambda, s.worth = grow.To(s.lambda, n*k), grow.To(s.worth, n)
	s.sums = grow.To(s.sums, n+1)

	unit := float64(p.unitOf())
	scale := math.Ldexp(1, -m.shift)
	for j, c := range s.kinds {
		s.lo[j], s.hi[j], s.cost[j] = 0, math.Inf(1), 0
		switch c.kind {
		case buys:
			most := 0
			for t := c.from; t < c.to; t++ {
				most = max(most, p.Types[p.Classes[c.index].Type].Demand[t])
			}
			s.hi[j], s.cost[j] = float64(most), float64(m.fees[c.index*n+c.slot])*scale
		case commits:
			most := 0.0
			for t := c.from; t < c.to; t++ {
				sum := 0.0
				for i := range p.Types {
					if y := &p.Types[i]; y.Plan < y.OnDemand {
						sum += float64(y.Plan) * float64(y.Demand[t])
					}
				}
				most = max(most, sum)
			}
			s.hi[j], s.cost[j] = math.Ceil(most/unit), unit*float64(p.charged(n, c.slot))
		case uses:
			s.hi[j] = float64(p.Types[c.index].Demand[c.slot])
		}
	}
	for i := range p.Types {
		for t := range n {
			v := s.n + i*n + t
			s.lo[v], s.hi[v], s.cost[v] = 0, float64(p.Types[i].Demand[t]), float64(p.Types[i].OnDemand)
		}
	}
	for t := range n {
		v := s.n + k*n + t
		s.lo[v], s.hi[v], s.cost[v] = 0, math.Inf(1), 0
	}
	s.stack = s.stack[:0]
	s.work = 0
	m.reset(p, n)
	return true
}

// reset goes back to the basis of everything on demand.
func (m *Mixed) reset(p *MixedProblem, n int) {
	s := &m.search
	s.pivots = 0
	k := len(p.Types)
	unit := float64(p.unitOf())
	clear(s.tab)
	for i := range p.Types {
		for t := range n {
			r := i*n + t
			s.basic[r], s.at[s.n+r], s.rhs[r] = int32(s.n+r), int32(r), float64(p.Types[i].Demand[t])
		}
	}
	for t := range n {
		r := k*n + t
		s.basic[r], s.at[s.n+r], s.rhs[r] = int32(s.n+r), int32(r), float64(m.savings.held[t])
	}
	for j, c := range s.kinds {
		s.other[j], s.at[j] = int32(j), int32(-1-j)
		d := s.cost[j]
		switch c.kind {
		case buys:
			i := p.Classes[c.index].Type
			for t := c.from; t < c.to; t++ {
				s.tab[(i*n+t)*s.n+j] = 1
				d -= float64(p.Types[i].OnDemand)
			}
		case commits:
			for t := c.from; t < c.to; t++ {
				s.tab[(k*n+t)*s.n+j] = -1
			}
		case uses:
			s.tab[(c.index*n+c.slot)*s.n+j] = 1
			s.tab[(k*n+c.slot)*s.n+j] = float64(p.Types[c.index].Plan) / unit
			d -= float64(p.Types[c.index].OnDemand)
		case idles:
			s.tab[(c.index*n+c.slot)*s.n+j] = -1
			d += float64(p.Types[c.index].OnDemand)
		}
		s.d[j] = d
	}
}

// place puts the other variables at the bounds that their reduced costs want, and computes
// the basic ones.
func (s *search) place() {
	for j, v := range s.other {
		x := s.lo[v]
		if s.d[j] < 0 && !math.IsInf(s.hi[v], 1) {
			x = s.hi[v]
		}
		s.value[v] = x
		s.row[j] = x
	}
	for r, v := range s.basic {
		x := s.rhs[r]
		for j, a := range s.tab[r*s.n : (r+1)*s.n] {
			x -= a * s.row[j]
		}
		s.value[v] = x
	}
	s.work += int64(s.m * s.n)
}

// solve runs the dual simplex. It reports whether it came to its end.
func (s *search) solve() bool {
	s.place()
	for range 20 + 4*s.m {
		r, worst := -1, tinyBound
		for i, v := range s.basic {
			if over := max(s.lo[v]-s.value[v], s.value[v]-s.hi[v]); over > worst {
				r, worst = i, over
			}
		}
		if r < 0 {
			return true
		}
		leaving := s.basic[r]
		to, sign := s.lo[leaving], 1.0 // the value has to rise
		if s.value[leaving] > to {
			to, sign = s.hi[leaving], -1
		}
		row := s.tab[r*s.n : (r+1)*s.n]
		best, enter := math.Inf(1), -1
		for j, a := range row {
			v := s.other[j]
			if math.Abs(a) < tinyPivot || s.lo[v] == s.hi[v] {
				continue
			}
			// Raising variable v changes the leaving one by -a.
			if up := s.value[v] <= s.lo[v]; up == (a*sign > 0) {
				continue
			}
			q := math.Abs(s.d[j] / a)
			if q < best || q == best && math.Abs(a) > math.Abs(row[enter]) {
				best, enter = q, j
			}
		}
		if enter < 0 {
			return false
		}
		s.pivot(r, enter, to)
		if s.pivots++; s.pivots%100 == 0 {
			s.place()
		}
	}
	return false
}

// pivot exchanges the variable of row r, which goes to the value to, for that of column j.
func (s *search) pivot(r, j int, to float64) {
	n := s.n
	row := s.tab[r*n : (r+1)*n]
	leaving, entering := s.basic[r], s.other[j]
	a := row[j]
	move := (s.value[leaving] - to) / a
	inv := 1 / a
	for l := range row {
		row[l] *= inv
	}
	row[j] = inv
	s.rhs[r] *= inv
	for i := range s.m {
		if i == r {
			continue
		}
		line := s.tab[i*n : (i+1)*n][:len(row)]
		f := line[j]
		if f == 0 {
			continue
		}
		s.value[s.basic[i]] -= f * move
		line[j] = 0
		for l, v := range row {
			line[l] -= f * v
		}
		s.rhs[i] -= f * s.rhs[r]
	}
	f := s.d[j]
	s.d[j] = 0
	for l, v := range row {
		s.d[l] -= f * v
	}
	s.value[entering] += move
	s.value[leaving] = to
	s.basic[r], s.other[j] = entering, leaving
	s.at[entering], s.at[leaving] = int32(r), int32(-1-j)
	s.work += int64(s.m * n)
}

// prices rounds the dual prices of the rows to s.lambda and s.worth.
func (m *Mixed) dualPrices(p *MixedProblem, n int) {
	s := &m.search
	dual := func(r int) float64 {
		v := s.n + r
		if at := s.at[v]; at < 0 {
			return s.cost[v] - s.d[-1-at]
		}
		return s.cost[v]
	}
	k := len(p.Types)
	unit := float64(p.unitOf())
	for t := range n {
		w := math.Ldexp(-dual(k*n+t)/unit, worthBits)
		s.worth[t] = int64(max(0, min(w, mostWorth)))
	}
	for i := range p.Types {
		top := float64(p.Types[i].OnDemand)
		for t := range n {
			s.lambda[i*n+t] = int64(math.Ldexp(max(0, min(dual(i*n+t), top)), m.shift))
		}
	}
}

// nodeBound returns what no plan within the bounds of the variables costs less than, in
// nanos an hour.
func (m *Mixed) nodeBound(p *MixedProblem, n int) float64 {
	s := &m.search
	var sum wide.Int // in 2^-shift nanos an hour
	plus := func(reduced wide.Int, j int) {
		count := s.lo[j]
		if reduced.Hi < 0 {
			count = s.hi[j]
		}
		if count > 0 {
			over, ok := times(abs(reduced), int64(count))
			if !ok {
				over = wide.Int{Hi: math.MaxInt64 / 4}
			}
			if reduced.Hi < 0 {
				sum = sum.Minus(over)
			} else {
				sum = sum.Plus(over)
			}
		}
	}
	for i := range p.Types {
		for t, d := range p.Types[i].Demand {
			sum = sum.Plus(wide.ProductInt(s.lambda[i*n+t], int64(d)))
		}
	}
	unit := int64(p.unitOf())
	for t, units := range m.savings.held {
		if units > 0 {
			v, ok := heldWorth(unit, units, s.worth[t], m.shift)
			if !ok {
				return math.Inf(-1)
			}
			sum = sum.Minus(v)
		}
	}
	last := -1 // whose sums there are
	for j, c := range s.kinds {
		switch c.kind {
		case buys:
			if i := p.Classes[c.index].Type; last != i {
				last = i
				s.sums[0] = wide.Int{}
				for t := range n {
					s.sums[t+1] = s.sums[t].Plus(wide.ProductInt(s.lambda[i*n+t], 1))
				}
			}
			plus(wide.ProductInt(m.fees[c.index*n+c.slot], 1).Minus(s.sums[c.to].Minus(s.sums[c.from])), j)
		case commits:
			if last != -2 {
				last = -2
				s.sums[0] = wide.Int{}
				for t := range n {
					s.sums[t+1] = s.sums[t].Plus(wide.ProductInt(s.worth[t], 1))
				}
			}
			left := wide.ProductInt(int64(p.charged(n, c.slot)), 1<<worthBits).Minus(s.sums[c.to].Minus(s.sums[c.from]))
			// Where this does not fit and left is positive, what is cut off only lowers the bound.
			whole, ok := times(abs(left), unit)
			if !ok && left.Hi < 0 {
				return math.Inf(-1)
			}
			if left.Hi < 0 {
				plus(wide.Int{}.Minus(shifted(whole, m.shift-worthBits).Plus(wide.Int{Lo: 1})), j)
			} else {
				plus(shifted(whole, m.shift-worthBits), j)
			}
		case uses:
			paid := shifted(wide.ProductInt(int64(p.Types[c.index].Plan), s.worth[c.slot]), m.shift-worthBits)
			plus(paid.Minus(wide.ProductInt(s.lambda[c.index*n+c.slot], 1)), j)
		}
	}
	return math.Ldexp(math.Ldexp(float64(sum.Hi), 64)+float64(sum.Lo), -m.shift)
}

func abs(a wide.Int) wide.Int {
	if a.Hi < 0 {
		return wide.Int{}.Minus(a)
	}
	return a
}

// choose returns the variable to branch on and where: the sides are at most below and at least
// below+1. The variable is -1 if all purchases are fixed: then the plan offered is the best of
// the node. least is the cost of the best plan.
//
// A fraction of a purchase is first. Then commitments, if a unit costs so much that whole units
// matter; mostly units are small, and branching on them would look at each unit. Then
// purchases that are whole, but not fixed.
//
// If plans pay for whole instances, fractions of these come after fractions of purchases, and
// what is whole, but not fixed, last.
func (s *search) choose(least float64, whole bool) (v int, below float64) {
	far, v := tinyWhole, -1
	if whole {
		for j, c := range s.kinds {
			if c.kind != buys && (c.kind != uses || v >= 0 && s.kinds[v].kind == buys) {
				continue
			}
			if d := math.Abs(s.value[j] - math.Round(s.value[j])); d > far && s.lo[j] < s.hi[j] {
				far, v = d, j
			}
		}
	}
	for j, c := range s.kinds {
		if c.kind != buys && !(c.kind == commits && v < 0 && s.cost[j] > least*coarse) {
			continue
		}
		if d := math.Abs(s.value[j] - math.Round(s.value[j])); d > far && s.lo[j] < s.hi[j] {
			far, v = d, j
		}
	}
	if v >= 0 {
		return v, math.Floor(s.value[v])
	}
	for j, c := range s.kinds {
		if (c.kind == buys || whole && c.kind == uses) && s.lo[j] < s.hi[j] {
			if x := math.Round(s.value[j]); x > s.lo[j] {
				return j, x - 1
			}
			return j, s.lo[j]
		}
	}
	return -1, 0
}

// explore searches for plans that cost less than least nanos an hour, and leaves the best in
// m.bestPlan, and the worths of the root in m.worth. It reports whether it has shown that no
// plan costs less than the best.
func (m *Mixed) explore(p *MixedProblem, n int, least float64, limit int64) bool {
	s := &m.search
	// offer compares with a plan. The one error there can be is an amount that is too large: that is no plan.
	offer := func(round func(float64) float64) {
		m.reservations = m.reservations[:0]
		for j, c := range s.kinds {
			if count := round(s.value[j]); c.kind == buys && count > .5 {
				m.reservations = append(m.reservations, pricing.Purchase{Slot: c.slot, Class: c.index, Count: int(count)})
			}
		}
		sortPurchases(m.reservations)
		m.reduce(p, n)
		if p.Whole {
			if m.reach(p, n, round) != nil {
				m.short = true
				return
			}
		}
		if _, err := m.savings.Solve(&m.rest); err != nil {
			return
		}
		if p.Whole {
			m.short = m.short || m.savings.cover.short
			s.work += 20*m.savings.cover.steps + int64(100*n*(len(p.Types)+2))
		}
		if cost := m.nanos(p, n); cost < least-tinyNanos-tinyShare*least {
			least = cost
			m.bestPlan = append(m.bestPlan[:0], m.reservations...)
			m.bestBuy = append(m.bestBuy[:0], m.savings.buy...)
		}
	}
	good := func(bound float64) bool { return bound >= least-tinyNanos-tinyShare*least }
	bound := math.Inf(-1)
	for first := true; ; first = false {
		if s.pivots > mostPivots {
			m.reset(p, n)
		}
		if !first { // the prices of the last node may do
			bound = max(bound, m.nodeBound(p, n))
			s.work += int64(10 * s.n)
		}
		if !good(bound) {
			s.solve()
			m.dualPrices(p, n)
			bound = max(bound, m.nodeBound(p, n))
		}
		branch, below := -1, 0.0
		if !good(bound) {
			offer(math.Round)
			if first || !p.Whole {
				offer(math.Floor)
			}
			branch, below = s.choose(least, p.Whole)
		}
		if first {
			m.worth = append(m.worth[:0], s.worth...)
			m.lower(p, n, m.worth)
		}
		if branch >= 0 && !good(bound) {
			b := fork{v: int32(branch), lo: s.lo[branch], hi: s.hi[branch], bound: bound}
			below = min(max(below, b.lo), b.hi-1)
			if s.value[branch]-below < .5 { // the nearer side first
				b.nlo, b.nhi = below+1, b.hi
				s.hi[branch] = below
			} else {
				b.nlo, b.nhi = b.lo, below
				s.lo[branch] = below + 1
			}
			s.stack = append(s.stack, b)
		} else {
			found := false
			for len(s.stack) > 0 && !found {
				b := &s.stack[len(s.stack)-1]
				if b.second || good(b.bound) {
					s.lo[b.v], s.hi[b.v] = b.lo, b.hi
					s.stack = s.stack[:len(s.stack)-1]
					continue
				}
				b.second, found = true, true
				s.lo[b.v], s.hi[b.v] = b.nlo, b.nhi
			}
			if !found {
				return true
			}
		}
		if s.work > limit {
			return false
		}
		bound = s.stack[len(s.stack)-1].bound
	}
}

// lower lowers worths until over no term that can be bought the worth exceeds the price: the
// linear program allows that where commitments are at their most.
func (m *Mixed) lower(p *MixedProblem, n int, worth []int64) {
	term := int(p.Term / p.Slot)
	lower := func(s, t int, sum int64) int64 { // for the term from s, the last slot of which is t
		over := sum - int64(p.charged(n, s))<<worthBits
		rest := over
		for ; rest > 0 && t >= s; t-- {
			by := min(rest, worth[t])
			worth[t] -= by
			rest -= by
		}
		return max(0, over)
	}
	sum := int64(0) // of the term that ends with slot t
	for t := range n {
		sum += worth[t]
		if s := t - term + 1; s >= 0 {
			if p.sold(s) {
				sum -= lower(s, t, sum)
			}
			sum -= worth[s]
		}
	}
	sum = 0 // of the term from s, beyond the last slot
	for s := n - 1; s >= 0 && s > n-term; s-- {
		if sum += worth[s]; p.sold(s) {
			sum -= lower(s, n-1, sum)
		}
	}
}

// nanos returns what m.reservations and the savings plan last solved cost, in nanos an hour.
func (m *Mixed) nanos(p *MixedProblem, n int) float64 {
	cost := 0.0
	for _, r := range m.reservations {
		cost += math.Ldexp(float64(m.fees[r.Class*n+r.Slot]), -m.shift) * float64(r.Count)
	}
	for i := range m.rest.Types {
		sum := 0
		for _, d := range m.rest.Types[i].Demand {
			sum += d
		}
		cost += float64(m.rest.Types[i].OnDemand) * float64(sum)
	}
	s := &m.savings
	for i := range s.types {
		cost -= float64(s.types[i].price) * float64(s.sum.used[i]) / float64(s.types[i].rate)
	}
	for t, units := range s.buy {
		cost += float64(p.unitOf()) * float64(units) * float64(s.charged(t))
	}
	return cost
}
