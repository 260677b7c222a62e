package reserve

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"github.com/plimsoll/plimsoll/internal/grow"
	"github.com/plimsoll/plimsoll/internal/wide"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve/internal/lpbound"
)

// Classes with different use prices, such as the light, medium and heavy utilisation of
// [Niu16].
//
// Minimise fees, use and the cost on demand. Let the use prices be u_0 > u_1 > …. Under the
// provider's rule (most discounted first), the cost of a slot is a sum over levels, convex
// in the number N_k of active reservations of level k or a later level. So a linear program
// gives a lower bound (package reserve/internal/lpbound: a simplex that never writes out
// the levels of the demand). In general the optimum of the program is not whole, even with
// one such class beside a prepaid class. If the optimum is whole, the plan is optimal.
// Otherwise the plan is rounded, repaired and improved by a short branch and bound, and its
// distance from the bound is certified.
//
// The rows of the program are periods. A period is the longest span that divides the
// interval of purchase, all terms and the remaining time of all inventory. The prices of the
// program for a period become the certificate's values of slots: the slots of most demand
// get the whole saving w_k, one slot gets the rest, and the others get nothing. That proves
// the same bound.
//
// Time: a few hundred steps, or milliseconds, for weekly purchases over three years with
// terms of years; see BENCHMARKS.md. Terms of whole intervals keep the periods long. A step
// costs the square of the number of purchases in the plan. So plans of thousands of
// purchases, as with terms of a day bought at any hour, are not for the simplex: see
// decompose.go. Which of several best plans is returned is not specified, but the same
// problem gives the same plan. Memory: about 100 bytes a period and class, and 8 bytes times
// that square.

// branches ends branch and bound, and maxWork the simplex, after some seconds, unless
// Exact.Work says otherwise. Flows then improve the plan and the bound.
const (
	branches = 50
	maxWork  = 2_000_000_000
	// With more dates than manyDates, and more than manyTerms shortest terms, the simplex is
	// not tried: its kernel would have thousands of rows.
	manyDates, manyTerms = 600, 50
)

// fractions are factors by which the unit is made finer. The first factor that leaves
// amounts below 2⁵⁰, where the program's floats are exact, is taken. The prices that the
// program finds are fractions of the unit, mostly with small denominators. The factors are
// multiples of all denominators up to 16, 10, 4 and 1.
var fractions = [...]int64{720720, 2520, 12, 1}

// tables is the memory of the linear program's input.
type tables struct {
	classes []lpbound.Class
	fees    [][]int64
	held    [][]int
	most    [][]int
	active  []int
	order   []place
	demand  []int
}

// unlimited stands for no cap in a table of caps.
const unlimited = 1 << 30

// rows returns n rows of m elements each, in a's memory where it suffices.
func rows[T any](a [][]T, n, m int) [][]T {
	for len(a) < n {
		a = append(a, nil)
	}
	for i := range n {
		a[i] = grow.To(a[i], m)
	}
	return a[:n]
}

// linear solves problems with several use prices.
func (e *Exact) linear(p *Problem) error {
	m, n, t := &e.market, p.slots(), &e.tables
	var total wide.Uint // on demand alone, and so the most that a plan costs
	if err := t.expand(p, m); err != nil {
		return err
	}
	for _, d := range t.demand {
		accumulate(&total, m.price, int64(d))
	}
	dearest := m.scale
	for i := range m.classes {
		dearest = max(dearest, m.classes[i].fee)
	}
	for _, f := range fractions {
		if dearest <= (1<<61)/f && m.largest() <= (1<<50)/f && total.Less(wide.Uint{Lo: 1 << 60 / uint64(f)}) {
			e.finer = f
			break
		}
	}
	if !m.refine(e.finer) {
		return badInput("Prices", -1, ErrOverflow, "prices per slot do not fit in 64 bits")
	}
	e.prices = usePrices(e.prices, p, m)
	// Amounts that are too large for the program are given to it in a coarser
	// unit, rounded; its prices are only a proposal, which the certificate
	// evaluates exactly.
	coarse := int64(1)
	for left := total; m.largest()/coarse > 1<<50 || !left.Less(wide.Uint{Lo: 1 << 60}); left = half(left) {
		coarse *= 2
	}
	round := func(x int64) int64 { return x/coarse + x%coarse/max(1, (coarse+1)/2) }
	for k := range e.prices {
		above := m.price
		if k > 0 {
			above = e.prices[k-1]
		}
		if round(e.prices[k]) == round(above) {
			return badInput("Prices.Classes", -1, ErrOverflow, "use prices are too near to each other for amounts so large")
		}
	}
	period, shortest := int64(m.every), math.MaxInt
	for i := range m.classes {
		shortest = min(shortest, m.classes[i].term)
		period = wide.GCD(period, int64(m.classes[i].term))
	}
	for _, h := range p.Held {
		if h.Until < n {
			period = wide.GCD(period, int64(h.Until))
		}
	}
	g := int(period)
	dates := (n + g - 1) / g

	e.index, t.classes = e.index[:0], t.classes[:0]
	for i := range m.classes {
		c := &m.classes[i]
		if slices.Contains(e.prices, c.use) {
			e.index = append(e.index, i)
			t.classes = append(t.classes, lpbound.Class{Term: c.term / g, Fee: round(m.fair(c, c.fee)), Rate: round(c.use)})
		}
	}
	k := len(e.index)
	lp := lpbound.Problem{Demand: t.demand, Period: g * int(m.tally.parts), OnDemand: round(m.price), Classes: t.classes}
	t.fees, t.most, t.held = rows(t.fees, k, dates), rows(t.most, k, dates), rows(t.held, k, dates)
	for j, i := range e.index {
		clear(t.held[j])
		for d := range dates {
			t.fees[j][d], t.most[j][d] = round(m.fair(&m.classes[i], m.classes[i].feeFor(n-d*g))), unlimited
			limit, sold := p.most(i)
			if limit > 0 {
				t.most[j][d] = limit
			}
			if !sold || d*g%m.every != 0 || p.Closed != nil && p.Closed[d*g] {
				t.most[j][d] = 0
			}
		}
		for _, h := range p.Held {
			if h.Class == i {
				for d := range min(dates, (h.Until+g-1)/g) {
					t.held[j][d] += h.Count
				}
			}
		}
	}
	lp.Fees, lp.MaxClass, lp.Held = t.fees, t.most, t.held
	if p.MaxActive > 0 {
		t.active = grow.To(t.active, dates)
		for d := range t.active {
			t.active[d] = p.MaxActive
			sum := 0
			for j := range k {
				sum += t.held[j][d]
			}
			if sum > p.MaxActive {
				return badInput("MaxActive", -1, ErrInfeasible, "more than %d reservations are held", p.MaxActive)
			}
		}
		lp.MaxActive = t.active
	}
	if e.direct || e.Work <= 0 && dates > manyDates && dates > manyTerms*shortest/g {
		e.limited = true
		return e.decompose(p, &lp, coarse, g, dates)
	}
	res, err := e.lp.Solve(&lp, lpbound.Options{MaxNodes: branches, Work: cmp.Or(max(0, e.Work), maxWork)})
	e.limited = res.Stalled
	if err != nil {
		return programError(err)
	}
	for j, i := range e.index {
		for d := range dates {
			if count := res.Plan[j*dates+d]; count > 0 {
				e.purchases = append(e.purchases, pricing.Purchase{Slot: d * g, Class: i, Count: count})
			}
		}
	}
	sortPurchases(e.purchases)
	e.spread(p, res.Duals, coarse, g, dates)
	if e.limited {
		if err := e.relax(p); err != nil {
			return err
		}
		return e.decompose(p, &lp, coarse, g, dates)
	}
	return nil
}

// programError is an error of the linear program in the words of a planner: the program takes
// smaller amounts than a problem may have.
func programError(err error) error {
	if errors.Is(err, lpbound.ErrOverflow) || errors.Is(err, lpbound.ErrInput) {
		return badInput("Demand", -1, ErrOverflow, "demand, prices and terms are too large together")
	}
	return err
}

// relax replaces the values by better ones if there are any: those of the flow in
// which the use of every class costs as little as that of the cheapest, which
// makes every plan cheaper. They are a certificate of the problem itself: divided
// among the levels, the deepest first but for negative ones, which all levels must
// feel, they are worth no more to a reservation of any class than the flow's to it.
func (e *Exact) relax(p *Problem) error {
	n, m := p.slots(), &e.market
	if err := e.dual.load(p, m, nil); err != nil {
		return err
	}
	before, err := e.dual.bound(e.values, e.finer)
	if err != nil {
		return err
	}
	least := e.prices[len(e.prices)-1]
	coarse, err := e.flow(p, least)
	if err != nil {
		return nil // too large for the flow: what there is has to do
	}
	y := e.solver.Potentials()
	e.proposal = append(e.proposal[:0], e.values...)
	for t := range n {
		left, below := (y[t+1]-y[t])<<coarse, least
		for k := len(e.prices) - 1; k >= 0; k-- {
			above := m.price
			if k > 0 {
				above = e.prices[k-1]
			}
			v := left
			if k > 0 {
				v = max(0, min(left, (above-below)*m.tally.parts))
			}
			e.values[k*n+t] = v
			left, below = left-v, above
		}
	}
	after, err := e.dual.bound(e.values, e.finer)
	if err != nil {
		return err
	}
	if _, worse := difference(after, before); worse {
		copy(e.values, e.proposal)
	}
	return nil
}

// spread turns prices of periods into values of slots: the largest demands of a period
// get the whole saving of a level, each by its weight.
func (e *Exact) spread(p *Problem, duals []int64, coarse int64, g, dates int) {
	n, order, tally := p.slots(), e.tables.order, &e.market.tally
	for d := range dates {
		from, to := d*g, min(n, (d+1)*g)
		order = order[:0]
		for t := from; t < to; t++ {
			for _, st := range tally.of(t) {
				order = append(order, place{st.demand, t, st.weight})
			}
		}
		slices.SortFunc(order, func(a, b place) int { return cmp.Or(cmp.Compare(b.demand, a.demand), cmp.Compare(a.slot, b.slot)) })
		above := e.market.price
		for k, u := range e.prices {
			left := duals[k*dates+d] * coarse
			for _, at := range order {
				y := left
				if most, ok := wide.Mul(above-u, at.weight); ok {
					y = min(left, most)
				}
				e.values[k*n+at.slot] += y
				left -= y
			}
			at := from
			if len(order) > 0 {
				at = order[0].slot
			}
			e.values[k*n+at] += left // more than all slots are worth
			above = u
		}
	}
	e.tables.order = order
}

// A place is a demand of a slot with its weight.
type place struct {
	demand, slot int
	weight       int64
}

// mostExpanded bounds the slots that the linear program sees, each demand of a slot
// being one for each unit of its weight.
const mostExpanded = 1 << 24

// expand sets t.demand to the demands of all slots, as often as their weight says, and
// fills in m.tally.
func (t *tables) expand(p *Problem, m *market) error {
	if !p.uncertain() {
		t.demand = append(t.demand[:0], p.Demand...)
		return m.tally.load(p, 1)
	}
	if n := p.slots(); m.tally.parts > int64(mostExpanded/max(1, n)) {
		return badInput("Prices.Classes", -1, ErrUnsupported,
			"several use prices and weights with the common denominator %d: want one use price, or at most %d slots times the denominator",
			m.tally.parts, mostExpanded)
	}
	t.demand = t.demand[:0]
	for s := range p.slots() {
		end := len(t.demand) + int(m.tally.parts)
		for _, st := range m.tally.of(s) {
			for range st.weight {
				t.demand = append(t.demand, st.demand)
			}
		}
		for len(t.demand) < end {
			t.demand = append(t.demand, 0)
		}
	}
	return nil
}

// largest is the largest amount of the market, but for fees that never pay.
func (m *market) largest() int64 {
	most := m.price
	for i := range m.classes {
		if c := &m.classes[i]; c.use < m.price {
			most = max(most, m.fair(c, c.fee))
		}
	}
	return min(most, math.MaxInt64/2)
}

// fair lowers a fee that no use can earn to the least such fee: a class that is
// never bought need not make the numbers large.
func (m *market) fair(c *class, fee int64) int64 {
	if most, ok := wide.Mul(m.price, int64(c.term)); ok {
		// A fee counts for all weights of the demand, a slot on demand for one.
		if most, ok = wide.Mul(most, max(1, m.tally.parts)); ok && most < math.MaxInt64 {
			return min(fee, most+1)
		}
	}
	return fee
}
