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

// A program is the linear program's input.
type program struct {
	lp      lpbound.Problem
	period  int   // slots of a row
	dates   int   // rows
	coarse  int64 // amounts of the program are so many times smaller than the problem's
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
	if err := e.state(p); err != nil {
		return err
	}
	t, m := &e.program, &e.market
	shortest := math.MaxInt
	for i := range m.classes {
		shortest = min(shortest, m.classes[i].term)
	}
	if e.direct || e.Work <= 0 && t.dates > manyDates && t.dates > manyTerms*shortest/t.period {
		e.limited = true
		return e.decompose(p)
	}
	res, err := e.lp.Solve(&t.lp, lpbound.Options{MaxNodes: branches, Work: cmp.Or(max(0, e.Work), maxWork)})
	e.limited = res.Stalled
	if err != nil {
		return programError(err)
	}
	for j, i := range e.index {
		for d := range t.dates {
			if count := res.Plan[j*t.dates+d]; count > 0 {
				e.purchases = append(e.purchases, pricing.Purchase{Slot: d * t.period, Class: i, Count: count})
			}
		}
	}
	sortPurchases(e.purchases)
	e.spread(p, res.Duals)
	if e.limited {
		if err := e.relax(p); err != nil {
			return err
		}
		return e.decompose(p)
	}
	return nil
}

// state states the linear program: e.program.lp.
func (e *Exact) state(p *Problem) error {
	t, m := &e.program, &e.market
	if err := t.expand(p, m); err != nil {
		return err
	}
	if err := e.scale(p); err != nil {
		return err
	}
	t.divide(p, m)
	e.index, t.classes = e.index[:0], t.classes[:0]
	for i := range m.classes {
		c := &m.classes[i]
		if slices.Contains(e.prices, c.use) {
			e.index = append(e.index, i)
			t.classes = append(t.classes, lpbound.Class{Term: c.term / t.period, Fee: t.round(m.fair(c, c.fee)), Rate: t.round(c.use)})
		}
	}
	t.lp = lpbound.Problem{Demand: t.demand, Period: t.period * int(m.tally.parts), OnDemand: t.round(m.price), Classes: t.classes}
	t.tabulate(p, m, e.index)
	return t.cap(p, len(e.index))
}

// scale makes the unit of e.market finer, if amounts leave room for that, and chooses t.coarse. Amounts that are
// too large for the program are given to the program in a coarser unit, rounded. Its prices are only a proposal, which the
// certificate evaluates exactly.
func (e *Exact) scale(p *Problem) error {
	t, m := &e.program, &e.market
	var total wide.Uint // on demand alone, and so the most that a plan costs
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
	t.coarse = 1
	for left := total; m.largest()/t.coarse > 1<<50 || !left.Less(wide.Uint{Lo: 1 << 60}); left = half(left) {
		t.coarse *= 2
	}
	for k := range e.prices {
		above := m.price
		if k > 0 {
			above = e.prices[k-1]
		}
		if t.round(e.prices[k]) == t.round(above) {
			return badInput("Prices.Classes", -1, ErrOverflow, "use prices are too near to each other for amounts so large")
		}
	}
	return nil
}

// round returns an amount in the program's unit.
func (t *program) round(x int64) int64 { return x/t.coarse + x%t.coarse/max(1, (t.coarse+1)/2) }

// divide chooses the period.
func (t *program) divide(p *Problem, m *market) {
	n, period := p.slots(), int64(m.every)
	for i := range m.classes {
		period = wide.GCD(period, int64(m.classes[i].term))
	}
	for _, h := range p.Held {
		if h.Until < n {
			period = wide.GCD(period, int64(h.Until))
		}
	}
	t.period = int(period)
	t.dates = (n + t.period - 1) / t.period
}

// tabulate fills in what each class of index costs at each date, how many are for sale, and how many are held.
func (t *program) tabulate(p *Problem, m *market, index []int) {
	k, n := len(index), p.slots()
	t.fees, t.most, t.held = rows(t.fees, k, t.dates), rows(t.most, k, t.dates), rows(t.held, k, t.dates)
	for j, i := range index {
		limit, sold := p.most(i)
		if limit <= 0 {
			limit = unlimited
		}
		for d := range t.dates {
			slot := d * t.period
			t.fees[j][d], t.most[j][d] = t.round(m.fair(&m.classes[i], m.classes[i].feeFor(n-slot))), limit
			if !sold || m.closed(p, slot) {
				t.most[j][d] = 0
			}
		}
		clear(t.held[j])
		for _, h := range p.Held {
			if h.Class == i {
				for d := range min(t.dates, (h.Until+t.period-1)/t.period) {
					t.held[j][d] += h.Count
				}
			}
		}
	}
	t.lp.Fees, t.lp.MaxClass, t.lp.Held = t.fees, t.most, t.held
}

// cap fills in what may be active of all k classes together.
func (t *program) cap(p *Problem, k int) error {
	if p.MaxActive <= 0 {
		return nil
	}
	t.active = grow.To(t.active, t.dates)
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
	t.lp.MaxActive = t.active
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

// relax tries the values of an easier problem, and keeps them if their bound is better. In the easier problem the use of
// every class costs as little as the use of the cheapest, so that every plan costs less. The flow solves it. Its values are
// divided among the levels, the last level first; the first level gets the rest, also if that is negative. To a reservation of
// any class the divided values are worth no more than the flow's values, so they are a certificate.
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
func (e *Exact) spread(p *Problem, duals []int64) {
	n, order, tally := p.slots(), e.program.order, &e.market.tally
	coarse, g, dates := e.program.coarse, e.program.period, e.program.dates
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
	e.program.order = order
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
func (t *program) expand(p *Problem, m *market) error {
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
