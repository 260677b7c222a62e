package reserve

import (
	"errors"

	"github.com/plimsoll/plimsoll/internal/grow"
	"github.com/plimsoll/plimsoll/internal/wide"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve/internal/flow"
	"github.com/plimsoll/plimsoll/reserve/internal/lpbound"
)

// The exact optimum, as a minimum-cost flow.
//
// Minimise fees plus the cost on demand, under the rules of the problem, in whole
// reservations. [Liu21] calls the problem NP-hard (Theorem 2), and [Niu16] takes it to be
// difficult. Neither is so. A reservation covers consecutive slots. The difference of the
// constraints of neighbouring slots leaves each purchase with one +1, where the reservation
// begins, and one −1, where it ends. So a purchase is an arc from its first slot to the slot
// after its last, in a network whose nodes are the boundaries between slots. On-demand use
// is an arc over one slot, and idle capacity is an arc back over one slot. A minimum-cost
// flow with whole supplies and capacities has a whole optimum, and its potentials prove the
// optimum.
//
// Package reserve/internal/flow solves the flow by a network simplex whose steps cross many levels
// of demand at once, and a single class of a short term, such as a day, by a few shortest paths. All
// numbers are integers.
//
// The network takes
//
//   - any number of classes and terms, as long as the use of all classes to buy costs the
//     same (prepaid classes: nothing),
//   - inventory whose use costs at most that,
//   - purchases at some slots only,
//   - a cap on the purchases of a class at a slot, and on all reservations active in a slot,
//   - the full fee or its share at the horizon.
//
// Classes with different use prices are not a flow: see useprices.go.
//
// Departures. One class with a use price beside prepaid classes is not a flow in general
// (ERRATA [Liu21] 2). Another example: demand (0,1,1,1) at 7 on demand, a
// prepaid class of 2 slots for 7, and a class of 4 slots for 3 and a use price of 3 a slot.
// The optimum is 12, but twice the demand costs 23, so the linear program is at most 11½.
// (Where all prices are whole, the bound is rounded up to a whole number, and meets 12.)
//
// Time: no polynomial bound is known for this pivot rule. A single class of a short term takes
// τ - ⌊F/p⌋ shortest paths, each about linear in the slots, for a term of τ slots, the fee F
// and the saving p of a slot. BENCHMARKS.md has measurements.
// Memory: about 120 bytes a slot, and 8 bytes a slot and class with dates or the Pure horizon.

// An Exact finds plans of least cost, or plans with a certified gap to the least cost;
// [Exact.Solve] says when. The zero value is ready. An Exact keeps its memory between calls, and
// allocates nothing after the largest problem of its kind. A plan is valid until the next call.
// Only one goroutine at a time may use an Exact.
type Exact struct {
	// Work limits the work of the simplex that solves the linear program, in units of about a
	// nanosecond. The linear program is needed only if classes have several use prices. Otherwise
	// Work has no effect, and a solve takes milliseconds to seconds, depending on the size of the
	// demand.
	//
	// Work 0 stands for 2·10⁹ if the plan is likely to need few purchases. If the plan is likely to
	// need thousands of purchases, Work 0 turns the simplex off.
	//
	// If the simplex is off or reaches its limit, the method of decompose.go follows: flows and a
	// first-order method. The first-order method ends when its gap is 5·10⁻⁴, or after 4,000 steps,
	// which take some seconds.
	Work int64

	market     market
	solver     flow.Solver
	biller     pricing.Biller
	classes    []flow.Class
	index      []int // of the classes in the list
	fees       []int64
	held       []int
	steps      []flow.Step
	caps       []int
	bought     []flow.Purchase
	purchases  []pricing.Purchase
	prices     []int64
	values     []int64
	proposal   []int64
	finer      int64 // how much finer the values' unit is than the problem's
	dual       dual
	lp         lpbound.Solver
	limited    bool
	program    program
	decomposed decomposed
	nodes      tree
	direct     bool // decomposes without the simplex: for tests
}

var _ Planner = (*Exact)(nil)

// AppendPlan appends the purchases of an optimal plan to dst; see [Exact.Solve].
func (e *Exact) AppendPlan(dst []pricing.Purchase, p *Problem) ([]pricing.Purchase, error) {
	if err := e.plan(p); err != nil {
		return dst, err
	}
	return append(dst, e.purchases...), nil
}

// Solve returns a plan with its certificate. The plan has the least cost if [Plan.Optimal] says so;
// [Plan.Gap] bounds the distance otherwise.
//
// If the use of all classes costs the same, the plan for a Problem.Demand has the least cost. So
// has the plan for Problem.Paths or Problem.Chances if the weights have few digits. If the products
// of weights and prices are too large for the network flow, Solve rounds the products, and a gap of
// some 10⁻⁹ may remain. If classes have several use prices, or for a Problem.Tree with several
// classes, the plan comes from a linear program, and a gap may remain.
//
// Ties: Solve may return any of several plans of equal cost, but always returns the same plan for
// the same problem.
//
// The error is an [*InputError] that unwraps to
//
//   - [ErrRange] or [ErrTerm] if the problem is malformed,
//   - [ErrOverflow] if amounts do not fit,
//   - [ErrInfeasible] if the inventory alone exceeds MaxActive,
//   - [ErrUnsupported] if the use of a held class costs at least as much as on demand.
func (e *Exact) Solve(p *Problem) (Plan, error) {
	if err := e.plan(p); err != nil {
		return Plan{}, err
	}
	plan := Plan{Purchases: e.purchases, Limited: e.limited}
	if !p.uncertain() {
		var err error
		if plan.Bill, err = e.biller.BillHeld(p.Prices, p.Demand, p.Slot, e.purchases, p.Held); err != nil {
			return Plan{}, err
		}
	}
	if err := e.certify(p, &plan); err != nil {
		return Plan{}, err
	}
	return plan, nil
}

// certify fills in the plan's cost, and the bound that e.values prove.
func (e *Exact) certify(p *Problem, plan *Plan) error {
	m := &e.market
	if p.Tree != nil {
		return e.certifyTree(p, plan)
	}
	if err := e.dual.load(p, m, e.purchases); err != nil {
		return err
	}
	bound, err := e.dual.bound(e.values, e.finer)
	if err != nil {
		return err
	}
	var ok [2]bool
	plan.Cost, ok[0] = m.money(e.dual.cost())
	plan.Bound, ok[1] = m.money(bound)
	if ok != [2]bool{true, true} {
		return badInput("Demand", -1, ErrOverflow, "its cost does not fit in an amount of money")
	}
	plan.Certificate = Certificate{Levels: len(e.prices), Values: e.values, Num: m.common, Den: m.scale}
	return nil
}

// plan fills in e.purchases, and e.values, which prove how good they are.
func (e *Exact) plan(p *Problem) error {
	m := &e.market
	if err := m.loadAny(p); err != nil {
		return err
	}
	if p.Tree != nil {
		return e.planTree(p)
	}
	e.prices = usePrices(e.prices, p, m)
	n := p.slots()
	e.purchases, e.finer, e.limited = e.purchases[:0], 1, false
	e.values = grow.Zero(e.values, n*len(e.prices))
	switch {
	case n == 0 || len(e.prices) == 0:
		return nil
	case len(e.prices) > 1:
		return e.linear(p)
	}

	coarse, err := e.flow(p, e.prices[0])
	if err != nil {
		return err
	}
	y := e.solver.Potentials()
	for t := range n {
		e.values[t] = (y[t+1] - y[t]) << coarse
	}
	e.bought = e.solver.AppendPurchases(e.bought[:0])
	for _, b := range e.bought {
		e.purchases = append(e.purchases, pricing.Purchase{Slot: b.Slot, Class: e.index[b.Class], Count: b.Count})
	}
	sortPurchases(e.purchases)
	return nil
}

// flow solves the problem in which the use of every class that one would buy costs
// the same. Where the weights of the demand make amounts too large for the flow, the flow
// gets amounts divided by a power of two, 2^coarse, and rounded down. So the potentials of
// the flow, multiplied by 2^coarse, are worth no more than a fee.
func (e *Exact) flow(p *Problem, use int64) (coarse int, err error) {
	for {
		err = e.flowAt(p, use, coarse)
		if !errors.Is(err, flow.ErrOverflow) {
			break
		}
		if !p.uncertain() || coarse >= 40 {
			return 0, badInput("Demand", -1, ErrOverflow, "demand, prices and terms are too large together")
		}
		coarse += 2
	}
	if errors.Is(err, flow.ErrInfeasible) {
		return 0, badInput("MaxActive", -1, ErrInfeasible, "more than %d reservations are held", p.MaxActive)
	}
	return coarse, err
}

func (e *Exact) flowAt(p *Problem, use int64, coarse int) error {
	n, m := p.slots(), &e.market
	e.classes, e.index = e.classes[:0], e.index[:0]
	for i := range m.classes {
		c := &m.classes[i]
		limit, sold := p.most(i)
		if c.use >= m.price || !sold {
			continue
		}
		e.classes = append(e.classes, flow.Class{Term: c.term, Fee: c.fee >> coarse, Max: limit})
		e.index = append(e.index, i)
	}
	fp := flow.Problem{Demand: p.Demand, Price: m.price - use, Classes: e.classes}
	if p.uncertain() {
		e.steps = e.steps[:0]
		for _, st := range m.tally.steps {
			price, ok := wide.Mul(m.price-use, st.weight)
			if !ok {
				return badInput("Prices", -1, ErrOverflow, "the price of %d parts does not fit in 64 bits", st.weight)
			}
			e.steps = append(e.steps, flow.Step{Demand: st.demand, Price: max(1, price>>coarse)})
		}
		fp.Steps, fp.First = e.steps, m.tally.first
	}
	if m.dated(p) {
		e.fees = grow.To(e.fees, n*len(e.classes))
		for k, i := range e.index {
			e.classes[k].Fees = e.feesOf(p, k, func(s int) int64 { return m.classes[i].feeFor(n-s) >> coarse })
		}
	}
	if len(p.Held) > 0 {
		e.held = grow.To(e.held, n)
		clear(e.held)
		for _, h := range p.Held {
			if m.classes[h.Class].use >= m.price {
				continue // an error of the certificate's
			}
			for t := range min(n, h.Until) {
				e.held[t] += h.Count
			}
		}
		fp.Held = e.held
	}
	if p.MaxActive > 0 {
		e.caps = grow.To(e.caps, n)
		for t := range e.caps {
			e.caps[t] = p.MaxActive
		}
		fp.MaxActive = e.caps
	}
	return e.solver.Solve(fp)
}

// feesOf fills in the fees of the k-th class of the flow at each slot, -1 where there are no purchases.
func (e *Exact) feesOf(p *Problem, k int, fee func(slot int) int64) []int64 {
	n := p.slots()
	fees := e.fees[k*n : (k+1)*n]
	for s := range fees {
		if fees[s] = -1; !e.market.closed(p, s) {
			fees[s] = fee(s)
		}
	}
	return fees
}
