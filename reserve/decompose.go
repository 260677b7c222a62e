package reserve

import (
	"math"
	"slices"

	"github.com/plimsoll/plimsoll/internal/grow"
	"github.com/plimsoll/plimsoll/internal/wide"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve/internal/flow"
)

// Plans of thousands of purchases with several use prices: one level at a time is a flow.
//
// The linear program of useprices.go joins the levels of use prices. With all but one level
// held fast, what is left is a reservation problem of prepaid classes, on both sides of the
// program, and so an exact minimum-cost flow:
//
//   - Values. Hold the values of all levels but k. A class of level k or a later level then
//     has its fee less what it is worth at the other levels, which depends on the slot of the
//     purchase. The best values of level k are the dual prices of the flow with these fees,
//     the demand d_t and the price w_k. The bound never falls.
//   - Purchases. Hold the purchases of the classes of all levels but k. A slot's cost is then
//     convex in the reservations of level k: each level j ≤ k adds w_j for each instance that
//     the demand exceeds those held fast at level j. The flow with such steps finds the best
//     purchases of level k, in whole reservations. The cost never rises.
//
// Either ascent may end where no single level can improve and both together could. So the
// first-order method of package lpbound comes first: its purchases, rounded so that the
// reservations active in each slot are within one of the fraction, and its prices, begin the
// two ascents. Two other plans begin as well: the classes of the last level alone, and what
// the simplex left. Bound and cost are those of the best of all.
//
// Time: a flow takes milliseconds to a tenth of a second for each level. The first-order
// method makes 500 to 1,000 steps, each a millisecond for three years of hours and four
// classes. No bound on either is known. Memory: 100 bytes a slot and class, linear in both.

// decomposed is the memory of the method.
type decomposed struct {
	plan, best []pricing.Purchase
	values     []int64
	own        []int64 // active reservations of the level at hand
	window     []int64 // sums of values
	caps       []int
	first      []int32
	sums       []float64
	index      []int // of the classes in the flow
}

const (
	// goodGap is the gap at which the first-order method ends, and farGap the gap above which
	// Plan.Limited is set.
	goodGap = 5e-4
	farGap  = 1e-3
	// The flows look at the relaxation when its own gap is firstGap, then half of that, and so
	// on to lastGap: they lower a gap of 4·10⁻³ to 5·10⁻⁴ to 8·10⁻⁴ on the demand files.
	firstGap, lastGap = 4e-3, 1e-4
	mostSteps         = 4000
)

// decompose improves e.purchases, if there are any, and e.values, for e.program.
func (e *Exact) decompose(p *Problem) error {
	d, m := &e.decomposed, &e.market
	shift, ok := e.coarser(p)
	if !ok {
		return nil // too large for the flow: what there is has to do
	}
	if err := e.lp.Begin(&e.program.lp); err != nil {
		return programError(err)
	}
	d.best = append(d.best[:0], e.purchases...)
	d.values = append(d.values[:0], e.values...)
	if err := e.dual.load(p, m, d.best); err != nil {
		return err
	}
	cost := e.dual.cost()
	bound, err := e.dual.bound(d.values, e.finer)
	if err != nil {
		return err
	}
	keep := func() error { // the best of d.best and d.plan
		if err := e.descend(p, bound, shift); err != nil {
			return err
		}
		if err := e.dual.load(p, m, d.plan); err != nil {
			return err
		}
		if c := e.dual.cost(); c.Less(cost) {
			cost = c
			d.best, d.plan = d.plan, d.best
		}
		return nil
	}
	if len(e.purchases) > 0 {
		d.plan = append(d.plan[:0], e.purchases...)
		if err := keep(); err != nil {
			return err
		}
	}
	for gap := firstGap; ; gap /= 2 {
		res := e.lp.Approach(gap, mostSteps)
		clear(e.values)
		e.spread(p, res.Duals)
		if err := e.ascend(p, shift); err != nil {
			return err
		}
		b, err := e.dual.bound(e.values, e.finer)
		if err != nil {
			return err
		}
		if bound.Less(b) {
			bound = b
			d.values, e.values = e.values, d.values
		}
		e.round(p, res.X)
		if err := keep(); err != nil {
			return err
		}
		e.limited = share(cost, bound) > farGap
		if share(cost, bound) <= goodGap || gap <= lastGap || res.Steps >= mostSteps {
			break
		}
	}
	if e.limited { // the classes of the last level alone, and what improves them
		d.plan = d.plan[:0]
		if err := keep(); err != nil {
			return err
		}
		e.limited = share(cost, bound) > farGap
	}
	e.purchases = append(e.purchases[:0], d.best...)
	e.values = append(e.values[:0], d.values...)
	return nil
}

// share returns by which share of the bound a cost is above the bound.
func share(cost, bound wide.Uint) float64 {
	c, b := math.Ldexp(float64(cost.Hi), 64)+float64(cost.Lo), math.Ldexp(float64(bound.Hi), 64)+float64(bound.Lo)
	if c <= b {
		return 0
	}
	return c/b - 1
}

// coarser returns the power of two by which the flow's amounts are divided, and whether there
// is one.
func (e *Exact) coarser(p *Problem) (int, bool) {
	m := &e.market
	most, ok := wide.Mul(m.price, m.tally.parts)
	for i := range m.classes {
		if c := &m.classes[i]; c.use < m.price {
			most = max(most, m.fair(c, c.fee))
		}
	}
	shift := 0
	for ; shift < 40 && most>>shift > (1<<60)/int64(2*p.slots()+4); shift++ {
	}
	return shift, ok && shift < 40
}

// ascend makes e.values better, a level at a time. It leaves them alone where a cap holds.
func (e *Exact) ascend(p *Problem, shift int) error {
	if p.MaxActive > 0 {
		return nil
	}
	if err := e.dual.load(p, &e.market, nil); err != nil {
		return err
	}
	for k := len(e.prices) - 1; k >= 0; k-- {
		e.raise(p, k, shift)
	}
	return nil
}

// raise finds the best values of level k beside those of the other levels.
func (e *Exact) raise(p *Problem, k, shift int) {
	n, m, v, d := p.slots(), &e.market, &e.dual, &e.decomposed
	e.classes = e.classes[:0]
	e.fees = grow.To(e.fees, n*len(m.classes))
	d.window = grow.To(d.window, n+1)
	d.window[0] = 0
	for c := range m.classes {
		limit, sold := p.most(c)
		if v.level[c] < k || !sold {
			continue
		}
		for t := range n {
			sum := int64(0)
			for j := 0; j <= v.level[c]; j++ {
				if j != k {
					sum += e.values[j*n+t]
				}
			}
			d.window[t+1] = d.window[t] + sum
		}
		i := len(e.classes)
		fees := e.fees[i*n : (i+1)*n]
		class := &m.classes[c]
		for s := range fees {
			if m.closed(p, s) {
				fees[s] = -1
				continue
			}
			fee := m.fair(class, class.feeFor(n-s)) - (d.window[min(n, s+class.term)] - d.window[s])
			if fee < 0 {
				return // a capped class that is worth more than its fee
			}
			fees[s] = fee >> shift
		}
		e.classes = append(e.classes, flow.Class{Term: class.term, Fees: fees, Max: limit})
	}
	fp := flow.Problem{Demand: p.Demand, Price: v.worth[k] >> shift, Classes: e.classes}
	if p.uncertain() {
		e.steps = e.steps[:0]
		for _, st := range m.tally.steps {
			price := v.worth[k] * st.weight // fits, as coarser has found
			e.steps = append(e.steps, flow.Step{Demand: st.demand, Price: max(1, price>>shift)})
		}
		fp.Steps, fp.First = e.steps, m.tally.first
	}
	if fp.Price < 1 {
		return
	}
	if len(p.Held) > 0 {
		e.held = grow.To(e.held, n)
		for t := range e.held {
			e.held[t] = int(v.held[k*(n+1)+t])
		}
		fp.Held = e.held
	}
	if e.solver.Solve(fp) != nil {
		return // too large for the flow
	}
	y := e.solver.Potentials()
	for t := range n {
		e.values[k*n+t] = (y[t+1] - y[t]) << shift
	}
}

// round puts the purchases x of the relaxation into d.plan: whole numbers of which the sum up
// to any date is that of x, rounded. It leaves out the last level, which descend finds anew,
// unless MaxActive makes room scarce: then it also lowers what does not fit.
func (e *Exact) round(p *Problem, x []float64) {
	d, v, n := &e.decomposed, &e.dual, p.slots()
	g, dates := e.program.period, e.program.dates
	d.plan = d.plan[:0]
	d.own = grow.Zero(d.own, n+1) // changes of what is active
	for _, h := range p.Held {
		if h.Until > 0 && h.Until < n {
			d.own[h.Until] -= int64(h.Count)
		}
	}
	room := int64(math.MaxInt64)
	if p.MaxActive > 0 {
		room = int64(p.MaxActive) - v.held[0]
	}
	d.sums, d.index = grow.Zero(d.sums, len(e.index)), grow.Zero(d.index, len(e.index))
	for i := range dates {
		for t := (i-1)*g + 1; t <= i*g; t++ {
			if t >= 0 && p.MaxActive > 0 {
				room -= d.own[t]
			}
		}
		for j, c := range e.index {
			if v.level[c] == len(e.prices)-1 && p.MaxActive == 0 {
				continue
			}
			d.sums[j] += x[j*dates+i]
			count := int(min(room, int64(math.Floor(d.sums[j]+.5))-int64(d.index[j])))
			if limit, _ := p.most(c); limit > 0 {
				count = min(count, limit)
			}
			if count <= 0 {
				continue
			}
			d.plan = append(d.plan, pricing.Purchase{Slot: i * g, Class: c, Count: count})
			d.index[j] += count
			if p.MaxActive > 0 {
				room -= int64(count)
				d.own[min(n, i*g+e.market.classes[c].term)] -= int64(count)
			}
		}
	}
}

// descents bounds the flows of descend: each round has one for each level.
const descents = 3

// descend makes d.plan better, the last level first, a level at a time, until its cost is near
// the bound.
func (e *Exact) descend(p *Problem, bound wide.Uint, shift int) error {
	d, m := &e.decomposed, &e.market
	var before wide.Uint
	if err := e.dual.load(p, m, d.plan); err != nil {
		return err
	}
	for round := range descents {
		for k := len(e.prices) - 1; k >= 0; k-- {
			e.replan(p, k, shift)
			if err := e.dual.load(p, m, d.plan); err != nil {
				return err
			}
			if share(e.dual.cost(), bound) <= goodGap {
				return nil
			}
		}
		cost := e.dual.cost()
		if round > 0 && !cost.Less(before) {
			return nil
		}
		before = cost
	}
	return nil
}

// replan finds the best purchases of the classes of level k beside the others of d.plan,
// which e.dual has loaded.
func (e *Exact) replan(p *Problem, k, shift int) {
	n, m, v, d := p.slots(), &e.market, &e.dual, &e.decomposed
	d.own = grow.Zero(d.own, n+1)
	rest := d.plan[:0]
	for _, q := range d.plan {
		if v.level[q.Class] != k {
			rest = append(rest, q)
			continue
		}
		d.own[q.Slot] += int64(q.Count)
		d.own[min(n, q.Slot+m.classes[q.Class].term)] -= int64(q.Count)
	}
	e.classes, d.index = e.classes[:0], d.index[:0]
	e.fees = grow.To(e.fees, n*len(m.classes))
	for c := range m.classes {
		limit, sold := p.most(c)
		if v.level[c] != k || !sold {
			continue
		}
		class := &m.classes[c]
		fc := flow.Class{Term: class.term, Fee: m.fair(class, class.fee) >> shift, Max: limit}
		if m.dated(p) {
			fc.Fees = e.feesOf(p, len(e.classes), func(s int) int64 { return m.fair(class, class.feeFor(n-s)) >> shift })
		}
		e.classes, d.index = append(e.classes, fc), append(d.index, c)
	}
	if len(e.classes) == 0 {
		return
	}
	e.steps, d.first = e.steps[:0], grow.To(d.first, n+1)
	for t := range n {
		if t > 0 {
			d.own[t] += d.own[t-1]
		}
		from := len(e.steps)
		d.first[t] = int32(from)
		for j := k; j >= 0; j-- {
			fast := v.total[j*(n+1)+t] - d.own[t]
			for _, st := range m.tally.of(t) {
				left := int64(st.demand) - fast
				if left <= 0 {
					break
				}
				if price := v.worth[j] * st.weight >> shift; price > 0 { // fits, as coarser has found
					e.steps = addStep(e.steps, from, flow.Step{Demand: int(left), Price: price})
				}
			}
		}
	}
	d.first[n] = int32(len(e.steps))
	fp := flow.Problem{Classes: e.classes, Steps: e.steps, First: d.first}
	if p.MaxActive > 0 {
		d.caps = grow.To(d.caps, n)
		for t := range d.caps {
			d.caps[t] = int(max(0, int64(p.MaxActive)-(v.total[t]-d.own[t])))
		}
		fp.MaxActive = d.caps
	}
	if e.solver.Solve(fp) != nil {
		return // too large for the flow
	}
	d.plan = rest
	e.bought = e.solver.AppendPurchases(e.bought[:0])
	for _, b := range e.bought {
		d.plan = append(d.plan, pricing.Purchase{Slot: b.Slot, Class: d.index[b.Class], Count: b.Count})
	}
	sortPurchases(d.plan)
}

// addStep adds st to the steps from from on, which fall by their demand.
func addStep(steps []flow.Step, from int, st flow.Step) []flow.Step {
	i := len(steps)
	for i > from && steps[i-1].Demand < st.Demand {
		i--
	}
	if i > from && steps[i-1].Demand == st.Demand {
		steps[i-1].Price += st.Price
		return steps
	}
	return slices.Insert(steps, i, st)
}
