package reserve

import (
	"errors"

	"github.com/plimsoll/plimsoll/internal/flow"
	"github.com/plimsoll/plimsoll/pricing"
)

// The exact optimum, as a minimum-cost flow.
//
// Minimise fees plus what is left on demand, subject to the problem's rules, in
// whole reservations. [Liu21] calls the problem NP-hard (Theorem 2) and [Niu16]
// believes it to be difficult; it is neither. A reservation covers consecutive
// slots, so that taking the difference of the constraints of neighbouring slots
// leaves each purchase with one +1, where it begins, and one −1, where it ends:
// an arc from its first slot to the one after its last, in a network whose nodes
// are the boundaries between slots. On-demand use is an arc over one slot, idle
// capacity one back. A minimum-cost flow with whole supplies and capacities has a
// whole optimum, and its potentials prove it.
//
// The flow is solved by a network simplex of our own with steps that cross many
// levels of demand at once (package internal/flow has the method and its proof of
// exactness); integers throughout.
//
// What fits the network: any number of classes and terms, as long as the use of
// all that one would buy costs the same (prepaid classes: nothing); inventory
// whose use costs no more than that; purchases at some slots only; a cap on the
// purchases of a class at a slot, and on all that are active in a slot; the full
// fee or its share at the horizon.
//
// Departures: ERRATA of the papers allow one usage-priced class beside prepaid
// ones in the flow. It is not one in general: demand (0,1,1,1) at 7 on demand, a
// prepaid class of 2 slots for 7 and a usage-priced one of 4 slots for 3 and 3 a
// slot has the optimum 12, but twice the demand costs 23, so that the linear
// program is at most 11½.
//
// Time: no polynomial bound is known for this pivot rule; what was measured is in
// BENCHMARKS.md. Memory: about 150 bytes a slot, and 8 bytes a slot and class
// with dates or the Pure horizon.

// Exact finds plans of least cost. Its zero value is ready. It keeps its memory
// and allocates nothing once that suffices; a plan is valid until the next call.
// One goroutine at a time.
type Exact struct {
	market    market
	solver    flow.Solver
	biller    pricing.Biller
	classes   []flow.Class
	index     []int // of the classes in the list
	fees      []int64
	held      []int
	caps      []int
	bought    []flow.Purchase
	purchases []pricing.Purchase
	prices    []int64
	values    []int64
}

var _ Planner = (*Exact)(nil)

// AppendPlan appends the purchases of an optimal plan to dst; see [Exact.Solve].
func (e *Exact) AppendPlan(dst []pricing.Purchase, p *Problem) ([]pricing.Purchase, error) {
	if err := e.plan(p); err != nil {
		return dst, err
	}
	return append(dst, e.purchases...), nil
}

// Solve returns a plan of least cost with its certificate. Among plans of equal
// cost it takes one that stays optimal when each slot's demand is lowered by a
// trifle that grows with the slot: one that covers early slots rather than late
// ones (with MaxActive: late rather than early). The same problem gives the same
// plan.
//
// The error is an [*InputError] that unwraps to [ErrRange] or [ErrTerm] for a
// malformed problem, [ErrOverflow] if amounts do not fit, [ErrInfeasible] if the
// inventory alone exceeds MaxActive, or [ErrUnsupported] if classes that one
// would buy have different use prices, or held ones a dearer one.
func (e *Exact) Solve(p *Problem) (Plan, error) {
	if err := e.plan(p); err != nil {
		return Plan{}, err
	}
	m := &e.market
	plan := Plan{Purchases: e.purchases}
	var err error
	if plan.Bill, err = e.biller.BillHeld(p.Prices, p.Demand, p.Slot, e.purchases, p.Held); err != nil {
		return Plan{}, err
	}
	e.certify(p)
	plan.Certificate = Certificate{Levels: len(e.prices), Values: e.values, Unit: m.unit()}
	cost, ok := m.money(e.cost(p))
	if !ok {
		return Plan{}, badInput("Demand", -1, ErrOverflow, "its cost does not fit in an amount of money")
	}
	plan.Cost, plan.Bound = cost, cost
	return plan, nil
}

// plan solves the flow and fills in e.purchases.
func (e *Exact) plan(p *Problem) error {
	m := &e.market
	if err := m.load(p); err != nil {
		return err
	}
	e.prices = usePrices(e.prices, p, m)
	n := len(p.Demand)
	e.purchases = e.purchases[:0]

	// The classes that one would buy, with one use price.
	use, which := int64(-1), -1
	e.classes, e.index = e.classes[:0], e.index[:0]
	for i := range m.classes {
		c := &m.classes[i]
		if c.use >= m.price {
			continue
		}
		if use >= 0 && c.use != use {
			return badInput("Prices.Classes", i, ErrUnsupported, "use of %s costs other than that of %s: the flow has one use price",
				p.Prices.Classes[i].Name, p.Prices.Classes[which].Name)
		}
		use, which = c.use, i
		e.classes = append(e.classes, flow.Class{Term: c.term, Fee: c.fee, Max: p.MaxBuy})
		e.index = append(e.index, i)
	}
	if use < 0 || n == 0 {
		return nil
	}
	fp := flow.Problem{Demand: p.Demand, Price: m.price - use, Classes: e.classes}
	if m.every > 1 || p.Closed != nil || p.Horizon == Pure {
		e.fees = grown(e.fees, n*len(e.classes))
		for k, i := range e.index {
			fees := e.fees[k*n : (k+1)*n]
			for s := range fees {
				if s%m.every != 0 || p.Closed != nil && p.Closed[s] {
					fees[s] = -1
				} else {
					fees[s] = m.classes[i].feeFor(n - s)
				}
			}
			e.classes[k].Fees = fees
		}
	}
	if len(p.Held) > 0 {
		e.held = grown(e.held, n)
		clear(e.held)
		for i, h := range p.Held {
			if h.Until == 0 || h.Count == 0 {
				continue
			}
			if m.classes[h.Class].use > use {
				return badInput("Held", i, ErrUnsupported, "use of %s costs more than that of the classes to buy", p.Prices.Classes[h.Class].Name)
			}
			for t := range min(n, h.Until) {
				e.held[t] += h.Count
			}
		}
		fp.Held = e.held
	}
	if p.MaxActive > 0 {
		e.caps = grown(e.caps, n)
		for t := range e.caps {
			e.caps[t] = p.MaxActive
		}
		fp.MaxActive = e.caps
	}
	if err := e.solver.Solve(fp); err != nil {
		switch {
		case errors.Is(err, flow.ErrOverflow):
			return badInput("Demand", -1, ErrOverflow, "demand, prices and terms are too large together")
		case errors.Is(err, flow.ErrInfeasible):
			return badInput("MaxActive", -1, ErrInfeasible, "more than %d reservations are held", p.MaxActive)
		}
		return err
	}
	e.bought = e.solver.AppendPurchases(e.bought[:0])
	for _, b := range e.bought {
		e.purchases = append(e.purchases, pricing.Purchase{Slot: b.Slot, Class: e.index[b.Class], Count: b.Count})
	}
	sortPurchases(e.purchases)
	return nil
}

// certify fills in the values: those of the one level that there is, from the
// flow's potentials.
func (e *Exact) certify(p *Problem) {
	n := len(p.Demand)
	e.values = grown(e.values, n*len(e.prices))
	if len(e.values) == 0 {
		return
	}
	y := e.solver.Potentials()
	for t := range n {
		e.values[t] = y[t+1] - y[t]
	}
}

// cost is what the plan costs, in 128 bits.
func (e *Exact) cost(p *Problem) (sum wide) {
	n, m := len(p.Demand), &e.market
	use := m.price
	if len(e.prices) > 0 {
		use = e.prices[0]
	}
	active := grown(e.held, n+1) // the solver is done with it
	e.held = active
	clear(active)
	for _, h := range p.Held {
		if h.Until > 0 {
			active[0] += h.Count
			active[min(n, h.Until)] -= h.Count
		}
	}
	for _, q := range e.purchases {
		active[q.Slot] += q.Count
		active[min(n, q.Slot+m.classes[q.Class].term)] -= q.Count
		sum.add(m.classes[q.Class].feeFor(n-q.Slot), int64(q.Count))
	}
	have := 0
	for t, d := range p.Demand {
		have += active[t]
		sum.add(use, int64(d))
		sum.add(m.price-use, int64(max(0, d-have)))
	}
	return sum
}

// unit returns what one of the market's whole numbers is worth.
func (m *market) unit() Unit { return Unit{m.common, m.scale} }

// grown returns n elements of any value, in a's memory if it suffices.
func grown[T any](a []T, n int) []T {
	if cap(a) < n {
		return make([]T, n)
	}
	return a[:n]
}
