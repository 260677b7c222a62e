package savings

import (
	"cmp"
	"math"
	"math/big"
	"time"

	"github.com/plimsoll/plimsoll/internal/grow"
	"github.com/plimsoll/plimsoll/internal/wide"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
	"github.com/plimsoll/plimsoll/reserve/internal/flow"
)

// Reservations of single types and a savings plan over all types, with a bound.
//
// In each slot R_it active reservations of type i serve min(d_it, R_it) instances. The
// savings plan pays for usage that is left, as in savings.go, and all other usage runs on
// demand. Minimise all fees plus the cost on demand. The order in which a savings plan pays
// for usage is the cheapest order, so this is
//
//	minimise   Σ fees + Σ commitments + Σ p_i·o_it
//	subject to R_it + s_it + o_it ≥ d_it,    Σ_i q_i·s_it ≤ u·(H_t + A_t).
//
// s_it is the number of instances that the plan pays for, in fractions. A_t units are active
// besides the H_t held units. The problem is two kinds of flows on a line, joined by the
// s_it. It is no flow itself, and its linear program is not integral.
//
// The bound. Let ν_t ≥ 0 be the worth of commitment in slot t, in money on demand per money
// at plan rates. The worth over a term that can be bought must not exceed the price of the
// term. Then Lagrange's relaxation of the second constraint leaves
//
//	L(ν) = Σ_i reserve_i(min(p_i, q_i·ν_t)) - Σ_t ν_t·u·H_t.
//
// reserve_i is the least cost of serving type i by reservations or at the given price per
// slot: a problem of prepaid classes, and so an exact flow. No plan costs less than L(ν).
// The certificate is ν and, for each type, the dual prices λ_it of its flow. These satisfy
// 0 ≤ λ_it ≤ min(p_i, q_i·ν_t), sum over no term to more than the fee, and Σ λ_it·d_it is
// the cost of the flow. Sums and comparisons check them.
//
// The rounds. The exact savings plan for the usage that reservations leave has dual prices,
// which are such a ν. The exact reservations at the prices min(p_i, q_i·ν_t) leave other
// usage. So each round solves two problems. First it finds reservations at the average of
// the ν so far, which give a bound. Then it finds the savings plan beside these
// reservations, which gives a plan and the next ν. The next ν enters the average with the
// weight 2/(round+2), the step of Frank and Wolfe. The conditions on ν are convex, so the
// average satisfies them. The best plan and the best bound are kept. No rate of convergence
// is known, since L is not smooth; the gap says what was reached. With three years of
// hours, weekly purchases and five types, the gap after 24 rounds is 2·10⁻⁴ for terms of a
// year and 10⁻³ for terms of a month. So a first-order method goes on from there: relax.go. Its
// worths and its reservations, rounded, are two more rounds each time that the method stops. With
// 3,600 hours and three types the gap is then below 10⁻⁴, with weekly purchases and with purchases
// at any hour (TestMixedGap with PLIMSOLL_PEERS set).
//
// The optimum. Where the problem is small, branch and bound then finds the optimum: see
// search.go.
//
// Integers. ν is in parts of 2⁻⁴⁰. Prices and fees are in parts of 2⁻ᵃ nanos, with the
// greatest a ≤ 30 that fits the flow. All are rounded so that the bound stays a bound.

// A MixedProblem has reservations of single types beside a savings plan. Slot, Every,
// Closed and Horizon hold for both.
type MixedProblem struct {
	Problem
	// Classes are the classes of reservations, each for instances of one type and
	// billed [pricing.Always].
	Classes []TypeClass
	// HeldReservations were bought before slot 0, and their fees do not count. Held
	// reservations serve their type first. Class is an index of Classes. (Problem.Held are
	// commitments of money.)
	HeldReservations []pricing.Holding
}

// A TypeClass is a class of reservations for instances of Types[Type]. A class that is
// Withdrawn is not for sale; reservations of the class may be held.
type TypeClass struct {
	Type      int
	Class     pricing.Class
	Withdrawn bool
}

// withoutHeld returns p with the held reservations taken off the demands of n slots: p
// itself where there are none.
func (p *MixedProblem) withoutHeld(n int) *MixedProblem {
	if len(p.HeldReservations) == 0 {
		return p
	}
	q := *p
	q.HeldReservations = nil
	q.Types = append([]Type(nil), p.Types...)
	change := make([]int64, n+1)
	for i := range q.Types {
		clear(change)
		for _, h := range p.HeldReservations {
			if p.Classes[h.Class].Type == i {
				change[min(n, h.Until)] += int64(h.Count)
			}
		}
		left, active := make([]int, n), int64(0)
		for t := n - 1; t >= 0; t-- {
			active += change[t+1]
			left[t] = int(max(0, int64(p.Types[i].Demand[t])-active))
		}
		q.Types[i].Demand = left
	}
	return &q
}

// A MixedPlan says what to reserve and how much to commit, what that costs, and how near
// the optimum the cost is, with a proof.
type MixedPlan struct {
	// Reservations are sorted by slot, then by class, an index of Classes.
	Reservations []pricing.Purchase
	// Commitments are sorted by slot. A unit of them is Unit an hour.
	Commitments []Commitment
	Unit        pricing.Money
	// Cost is the sum of Reserved, Committed and OnDemand, taken before they are
	// rounded, half to even. No plan costs less than Bound, rounded in the same way.
	Cost, Reserved, Committed, OnDemand, Bound pricing.Money
	// Unused is the part of the commitments that pays for nothing, within the slots of the
	// demand. Held commitments are included.
	Unused pricing.Money
	// Rounds is the number of rounds made.
	Rounds int
	// Searched says that branch and bound has looked at all plans, and that none costs less,
	// even if Bound is below Cost. The certificate proves Bound, which is that of the linear
	// program, and cannot prove more. Branch and bound compares plans by floats: a plan that
	// is cheaper by 10⁻³ nanos, or by 10⁻¹² of the cost, could be missed.
	Searched bool
	// Certificate proves the bound; see VerifyMixed.
	Certificate MixedCertificate
}

// Gap returns by which share of the bound the plan's cost is above the bound: +Inf if the
// bound is 0 and the cost is not.
//
// The bound is that of the linear program, in which a commitment may be any amount and a
// reservation a fraction. Units are small, so the gap is mostly what the rounds leave.
func (p *MixedPlan) Gap() float64 { return gapOf(p.Cost, p.Bound) }

// Optimal reports whether no plan costs less, to the last nano: by the certificate, or by
// the search.
func (p *MixedPlan) Optimal() bool { return p.Cost == p.Bound || p.Searched }

// A MixedCertificate is a dual solution. Worth[t]/2⁴⁰ is ν_t, the worth of commitment in
// slot t, in money on demand per money at plan rates. Prices[i·T + t]/2^Shift nanos an hour
// is λ_it, the cost of one more instance of type i in slot t of T.
type MixedCertificate struct {
	Worth  []int64
	Prices []int64
	Shift  int
}

const (
	worthBits = 40
	mostWorth = 1 << 52 // a greater worth counts as this, which only lowers the bound
)

// A Mixed plans reservations and savings plans together. The zero value is ready. A Mixed
// keeps its memory, and allocates nothing once its memory suffices, but for held
// reservations. A plan is valid until the next call. One goroutine at a time may use it.
type Mixed struct {
	// Rounds limits the work: a round solves both parts, the reservations and the savings
	// plan. 0 is 24. A first-order method of at most 8,000 steps follows.
	Rounds int
	// Work limits the search for the optimum of a small problem, in about nanoseconds. 0 is
	// 10⁹, and a negative number is no search. Problems of some 20 slots and three types are
	// small; see [MixedPlan].Searched.
	Work int64

	savings Solver
	search  search
	bestBuy []int // with Whole: the units of the best plan
	need    []int // units that whole instances want, by slot
	spent   []int64
	dates   []int64
	cover   [1]flow.Class
	short   bool // a slot had too many choices of whole instances, or a plan amounts too large to compare
	game    relaxed
	rest    Problem
	left    []int // demand that reservations leave, by type and slot
	shift   int
	terms   []int
	full    []wide.Int // fees of whole terms, in 2^-shift nanos an hour
	fees    []int64    // by class and slot
	solver  flow.Solver
	classes []flow.Class
	index   []int
	prices  []int64
	bought  []flow.Purchase

	worth, next, lambda     []int64
	bestWorth, bestLambda   []int64
	reservations, bestPlan  []pricing.Purchase
	change                  []int64
	num, fee, quo, rem, den big.Int
}

const (
	defaultRounds = 24
	// enoughGap ends the rounds: the rounding of the bound is about as much.
	enoughGap = 1e-8
)

// Solve returns a plan and a bound. The plan is the best of the rounds. It costs no more
// than reservations alone, a savings plan alone, or a savings plan for the usage that the
// best reservations alone leave. Its Gap says how far from the optimum it can be. If the
// problem is small, a search then finds the optimum; see [MixedPlan].Searched and Work. The
// same problem gives the same plan.
//
// The error is an [*InputError] that unwraps to [ErrRange], [ErrTerm], [ErrOverflow], an
// error of package pricing, or [ErrUnsupported] for a class with a use price. Solve does not
// modify p.
func (m *Mixed) Solve(p *MixedProblem) (MixedPlan, error) {
	n, err := p.check()
	if err != nil {
		return MixedPlan{}, err
	}
	p = p.withoutHeld(n)
	if err := m.load(p, n); err != nil {
		return MixedPlan{}, err
	}
	rounds := m.Rounds
	if rounds <= 0 {
		rounds = defaultRounds
	}
	m.savings.given, m.short = m.savings.given[:0], false
	var plan MixedPlan
	found, least := false, 0.0
	bound, bounded, closed := wide.Int{}, false, false
	// try solves the savings plan for what m.reservations leave and keeps the best.
	try := func() error {
		m.reduce(p, n)
		s, err := m.savings.Solve(&m.rest)
		if err != nil {
			return err
		}
		m.worthOf(&s)
		cost := s.Cost.Float64() + m.reserved(p, n)
		if !found || cost < least {
			found, least = true, cost
			m.bestPlan = append(m.bestPlan[:0], m.reservations...)
			m.bestBuy = append(m.bestBuy[:0], m.savings.buy...)
		}
		return nil
	}
	low := func() float64 { // the bound in units of the currency
		return (math.Ldexp(float64(bound.Hi), 64) + float64(bound.Lo)) * math.Ldexp(p.Slot.Hours()/float64(pricing.Unit), -m.shift)
	}
	// A savings plan alone; then reservations as if there were none.
	m.reservations = m.reservations[:0]
	if err := try(); err != nil {
		return MixedPlan{}, err
	}
	m.bestWorth = append(m.bestWorth[:0], m.next...)
	m.worth = grow.Zero(m.worth, n)
	for t := range m.worth {
		m.worth[t] = mostWorth
	}
	if _, err := m.reserve(p, n); err != nil {
		return MixedPlan{}, err
	}
	if err := try(); err != nil {
		return MixedPlan{}, err
	}
	for t := range m.worth {
		m.worth[t] = (m.bestWorth[t] + m.next[t]) / 2
	}
	for {
		plan.Rounds++
		b, err := m.reserve(p, n)
		if err != nil {
			return MixedPlan{}, err
		}
		if !bounded || bound.Less(b) {
			bound, bounded = b, true
			m.bestWorth = append(m.bestWorth[:0], m.worth...)
			m.bestLambda = append(m.bestLambda[:0], m.lambda...)
		}
		if err := try(); err != nil {
			return MixedPlan{}, err
		}
		closed = least <= low()*(1+enoughGap)
		if plan.Rounds == rounds || closed {
			break
		}
		for t := range m.worth { // weights k : 2, both feasible, rounded down
			k := int64(min(plan.Rounds, 1000)) // worths are at most 2⁵²
			m.worth[t] = (k*m.worth[t] + 2*m.next[t]) / (k + 2)
		}
	}
	small := !closed && m.Work >= 0 && m.begin(p, n)
	large := !closed && !small && n > 0
	if large {
		if err := m.game.ready(m, p, n); err != nil {
			return MixedPlan{}, err
		}
	}
	for steps := relaxSteps; large; steps += relaxSteps {
		m.relax(p, n, steps)
		if err := try(); err != nil {
			return MixedPlan{}, err
		}
		b, err := m.reserve(p, n)
		if err != nil {
			return MixedPlan{}, err
		}
		if bound.Less(b) {
			bound = b
			m.bestWorth = append(m.bestWorth[:0], m.worth...)
			m.bestLambda = append(m.bestLambda[:0], m.lambda...)
		}
		if err := try(); err != nil {
			return MixedPlan{}, err
		}
		if least <= low()*(1+relaxGap) || steps*n*len(p.Types) >= relaxWork || steps >= 16*relaxSteps {
			break
		}
	}
	s, err := m.final(p, n)
	if err != nil {
		return MixedPlan{}, err
	}
	if small {
		plan.Searched = m.explore(p, n, m.nanos(p, n), cmp.Or(m.Work, mostWork)) && !m.short
		b, err := m.reserve(p, n) // at the worths of the root
		if err != nil {
			return MixedPlan{}, err
		}
		if bound.Less(b) {
			bound = b
			m.bestWorth = append(m.bestWorth[:0], m.worth...)
			m.bestLambda = append(m.bestLambda[:0], m.lambda...)
		}
		if s, err = m.final(p, n); err != nil {
			return MixedPlan{}, err
		}
	}
	plan.Reservations, plan.Commitments, plan.Unit = m.reservations, s.Commitments, s.Unit
	plan.Committed, plan.OnDemand, plan.Unused = s.Committed, s.OnDemand, s.Unused
	plan.Certificate = MixedCertificate{Worth: m.bestWorth, Prices: m.bestLambda, Shift: m.shift}
	if !m.add(p, n, &plan, bound) {
		return MixedPlan{}, badInput("Types.Demand", -1, ErrOverflow, "the cost does not fit in an amount of money")
	}
	return plan, nil
}

// final solves the savings plan beside the best reservations.
func (m *Mixed) final(p *MixedProblem, n int) (Plan, error) {
	m.reservations = append(m.reservations[:0], m.bestPlan...)
	m.reduce(p, n)
	m.savings.given = append(m.savings.given[:0], m.bestBuy...) // with Whole
	return m.savings.Solve(&m.rest)
}

// check returns the number of slots of p's demands, or what is wrong with p.
func (p *MixedProblem) check() (slots int, err error) {
	n, err := p.Problem.check()
	if err != nil {
		return 0, err
	}
	for i := range p.Classes {
		c := &p.Classes[i].Class
		switch {
		case p.Classes[i].Type < 0 || p.Classes[i].Type >= len(p.Types):
			return 0, badInput("Classes.Type", i, ErrRange, "%s is for type %d: there are %d", c.Name, p.Classes[i].Type, len(p.Types))
		case c.Upfront < 0 || c.Hourly < 0:
			return 0, badInput("Classes.Class", i, ErrRange, "%s costs %v upfront and %v an hour: want none negative", c.Name, c.Upfront, c.Hourly)
		case c.Billed != pricing.Always && c.Hourly > 0:
			return 0, badInput("Classes.Class", i, ErrUnsupported, "%s has a use price: want prepaid classes", c.Name)
		case c.Term < p.Slot || c.Term%p.Slot != 0:
			return 0, badInput("Classes.Class", i, ErrTerm, "%s has a term of %v: want a whole number of slots of %v", c.Name, c.Term, p.Slot)
		case int64(c.Term/p.Slot) > int64(math.MaxInt32-n):
			return 0, badInput("Classes.Class", i, ErrRange, "%s has a term of %v: want at most %d slots", c.Name, c.Term, math.MaxInt32-n)
		}
	}
	for i, h := range p.HeldReservations {
		switch {
		case h.Class < 0 || h.Class >= len(p.Classes):
			return 0, badInput("HeldReservations", i, ErrRange, "class %d: there are %d", h.Class, len(p.Classes))
		case h.Count < 0 || h.Count > math.MaxInt32 || h.Until < 0:
			return 0, badInput("HeldReservations", i, ErrRange, "%d reservations for %d slots: want none negative", h.Count, h.Until)
		}
	}
	return n, nil
}

// load computes the fees of p. The caller has checked p and taken off held reservations.
func (m *Mixed) load(p *MixedProblem, n int) error {
	m.terms, m.full = m.terms[:0], m.full[:0]
	longest := 1 // bits of an amount of the flow, in nanos an hour
	for i := range p.Types {
		longest = max(longest, length(wide.ProductInt(int64(p.Types[i].OnDemand), 1)))
	}
	for i := range p.Classes {
		c := &p.Classes[i].Class
		term := int64(c.Term / p.Slot)
		upfront, _ := over(wide.ProductInt(int64(c.Upfront), int64(time.Hour)), int64(p.Slot))
		longest = max(longest, length(upfront.Plus(wide.ProductInt(int64(c.Hourly), term)))+1)
	}
	m.shift = min(30, 60-length(wide.ProductInt(int64(2*n+4), 1))-longest)
	if m.shift < -20 {
		return badInput("Classes", -1, ErrOverflow, "the fees are too much for 64 bits")
	}
	m.fees = grow.To(m.fees, n*len(p.Classes))
	for i := range p.Classes {
		c := &p.Classes[i].Class
		term := int64(c.Term / p.Slot)
		// Below 2⁴²·2⁶³ before the shift: shift first as far as that fits.
		upfront := wide.ProductInt(int64(c.Upfront), int64(time.Hour))
		up := max(0, min(m.shift, 126-length(upfront)))
		upfront, _ = over(shifted(upfront, up), int64(p.Slot))
		fee := shifted(upfront, m.shift-up).Plus(shifted(wide.ProductInt(int64(c.Hourly), term), m.shift))
		m.terms, m.full = append(m.terms, int(term)), append(m.full, fee)
		for t := range n {
			f := int64(-1)
			if t%max(1, p.Every) == 0 && (p.Closed == nil || !p.Closed[t]) {
				f = int64(fee.Lo)
				if left := int64(n - t); p.Horizon == reserve.Pure && left < term {
					q, _ := over(wide.ProductInt(f, left), term)
					f = int64(q.Lo)
				}
			}
			m.fees[i*n+t] = f
		}
	}
	m.left = grow.Zero(m.left, n*len(p.Types))
	m.lambda = grow.Zero(m.lambda, n*len(p.Types))
	m.change = grow.Zero(m.change, n+1)
	types := m.rest.Types
	m.rest = p.Problem
	m.rest.Types = append(types[:0], p.Types...)
	return nil
}

// reduce takes m.reservations off the demands.
func (m *Mixed) reduce(p *MixedProblem, n int) {
	for i := range p.Types {
		clear(m.change)
		for _, r := range m.reservations {
			if p.Classes[r.Class].Type == i {
				m.change[r.Slot] += int64(r.Count)
				m.change[min(n, r.Slot+m.terms[r.Class])] -= int64(r.Count)
			}
		}
		active := int64(0)
		left := m.left[i*n : (i+1)*n]
		for t, d := range p.Types[i].Demand {
			active += m.change[t]
			left[t] = int(max(0, int64(d)-active))
		}
		m.rest.Types[i].Demand = left
	}
}

// worthOf sets m.next to the worth of commitment by a plan's certificate.
func (m *Mixed) worthOf(s *Plan) {
	m.next = grow.Zero(m.next, len(s.Certificate.Values))
	parts := s.Certificate.Parts
	for t, v := range s.Certificate.Values {
		m.next[t] = v.share(parts)
	}
}

// share returns the lesser of ⌊2⁴⁰·a/b⌋ and mostWorth.
func (a Uint128) share(b Uint128) int64 {
	x, y := wide.Int{Hi: int64(a.Hi), Lo: a.Lo}, wide.Int{Hi: int64(b.Hi), Lo: b.Lo}
	if y.Hi == 0 && y.Lo <= math.MaxInt64 {
		q, r := over(x, int64(y.Lo))
		if q.Hi != 0 || q.Lo >= 1<<12 {
			return mostWorth
		}
		f, _ := over(wide.ProductInt(r, 1<<worthBits), int64(y.Lo))
		return int64(q.Lo)<<worthBits + int64(f.Lo)
	}
	shifts := 0 // long division, bit by bit
	for ; shifts < 12 && !x.Less(y); shifts++ {
		y = shifted(y, 1)
	}
	if !x.Less(y) {
		return mostWorth
	}
	q := int64(0)
	for range shifts {
		y = shifted(y, -1)
		q <<= 1
		if !x.Less(y) {
			x = x.Minus(y)
			q++
		}
	}
	for range worthBits {
		x = shifted(x, 1)
		q <<= 1
		if !x.Less(y) {
			x = x.Minus(y)
			q++
		}
	}
	return q
}

// reserved returns the fees of m.reservations, roughly, in units of the currency.
func (m *Mixed) reserved(p *MixedProblem, n int) float64 {
	sum := 0.0
	for _, r := range m.reservations {
		sum += float64(m.fees[r.Class*n+r.Slot]) * float64(r.Count)
	}
	return math.Ldexp(sum, -m.shift) * p.Slot.Hours() / float64(pricing.Unit)
}

// reserve finds the best reservations at the prices that m.worth makes and their dual
// prices m.lambda, and returns the bound that these dual prices are.
func (m *Mixed) reserve(p *MixedProblem, n int) (bound wide.Int, err error) {
	m.reservations = m.reservations[:0]
	for i := range p.Types {
		y := &p.Types[i]
		lambda := m.lambda[i*n : (i+1)*n]
		top := shifted(wide.ProductInt(int64(y.OnDemand), 1), m.shift)
		for t := range n {
			price := top
			if y.Plan < y.OnDemand {
				if paid := shifted(wide.ProductInt(int64(y.Plan), m.worth[t]), m.shift-worthBits); paid.Less(top) {
					price = paid
				}
			}
			lambda[t] = int64(price.Lo)
		}
		m.classes, m.index = m.classes[:0], m.index[:0]
		for k := range p.Classes {
			if p.Classes[k].Type == i && !p.Classes[k].Withdrawn {
				m.classes = append(m.classes, flow.Class{Term: m.terms[k], Fees: m.fees[k*n : (k+1)*n]})
				m.index = append(m.index, k)
			}
		}
		if len(m.classes) > 0 && n > 0 {
			// The flow wants positive prices; where one is 0, so is λ below.
			m.prices = append(m.prices[:0], lambda...)
			for t, v := range m.prices {
				m.prices[t] = max(1, v)
			}
			if err := m.solver.Solve(flow.Problem{Demand: y.Demand, Prices: m.prices, Classes: m.classes}); err != nil {
				return bound, badInput("Types.Demand", i, ErrOverflow, "the demand is too large for 64 bits: %w", err)
			}
			m.bought = m.solver.AppendPurchases(m.bought[:0])
			for _, b := range m.bought {
				m.reservations = append(m.reservations, pricing.Purchase{Slot: b.Slot, Class: m.index[b.Class], Count: b.Count})
			}
			potentials := m.solver.Potentials()
			for t := range n {
				lambda[t] = min(lambda[t], potentials[t+1]-potentials[t])
			}
		}
		for t, d := range y.Demand {
			bound = bound.Plus(wide.ProductInt(lambda[t], int64(d)))
		}
	}
	sortPurchases(m.reservations)
	unit := int64(p.unitOf())
	for t, units := range m.savings.held {
		if units > 0 { // their worth, rounded up
			v, ok := heldWorth(unit, units, m.worth[t], m.shift)
			if !ok {
				return bound, badInput("Held", -1, ErrOverflow, "%d units in slot %d are worth too much", units, t)
			}
			bound = bound.Minus(v)
		}
	}
	return bound, nil
}

// heldWorth returns the worth of held units in 2^-shift nanos an hour, rounded up, and
// whether the worth fits.
func heldWorth(unit int64, units int, worth int64, shift int) (wide.Int, bool) {
	v := wide.ProductInt(unit, int64(units))
	w, ok1 := times(v, worth>>20)
	x, ok2 := times(v, worth&(1<<20-1))
	// Each shift rounds down by less than one.
	sum := shifted(shifted(w, min(0, shift-20)), max(0, shift-20)).Plus(shifted(x, shift-worthBits))
	return sum.Plus(wide.Int{Lo: 2}), ok1 && ok2 && length(w)+shift < 140
}

// add fills in the exact amounts, after m.savings has solved the rest.
func (m *Mixed) add(p *MixedProblem, n int, plan *MixedPlan, bound wide.Int) bool {
	// Fees times den, a multiple of the slot and, for shares, of the terms.
	b := &m.savings.sum
	m.den.SetInt64(int64(p.Slot))
	if p.Horizon == reserve.Pure {
		for _, term := range m.terms {
			m.num.Mul(&m.den, m.rem.SetInt64(int64(term)))
			m.den.Set(&m.num)
		}
	}
	m.fee.SetInt64(0)
	for _, r := range plan.Reservations {
		c := &p.Classes[r.Class].Class
		charged := m.terms[r.Class]
		if p.Horizon == reserve.Pure {
			charged = min(charged, n-r.Slot)
		}
		// (upfront·hour + hourly·term·slot)·den/slot · charged/term, count times
		m.num.Mul(m.quo.SetInt64(int64(c.Upfront)), m.rem.SetInt64(int64(time.Hour)))
		b.x.Mul(m.quo.SetInt64(int64(c.Hourly)), m.rem.SetInt64(int64(c.Term)))
		m.num.Add(&m.num, &b.x)
		b.x.Mul(&m.num, m.quo.SetInt64(int64(charged)))
		m.num.Mul(&b.x, m.quo.SetInt64(int64(r.Count)))
		b.x.Mul(&m.num, &m.den)
		m.rem.SetInt64(int64(p.Slot))
		b.y.Mul(&m.rem, m.quo.SetInt64(int64(m.terms[r.Class])))
		m.num.QuoRem(&b.x, &b.y, &m.rem)
		if p.Horizon == reserve.Full && m.rem.Sign() != 0 { // charged = term: it divides
			panic("savings: a fee that is not whole")
		}
		m.fee.Add(&m.fee, &m.num)
	}
	// The same denominator for all: that of the savings plan times den.
	m.num.Mul(&m.fee, &b.den)
	m.fee.Set(&m.num)
	m.num.Mul(&b.total, &m.den)
	b.total.Add(&m.num, &m.fee)
	m.num.Mul(&b.den, &m.den)
	b.den.Set(&m.num)
	var ok1, ok2, ok3 bool
	plan.Cost, ok1 = b.money(&b.total, p.Slot)
	plan.Reserved, ok2 = b.money(&m.fee, p.Slot)
	b.den.SetInt64(1)
	m.num.SetInt64(bound.Hi)
	b.bound.Lsh(&m.num, 64)
	m.num.Add(&b.bound, m.rem.SetUint64(bound.Lo))
	if m.shift >= 0 {
		b.den.Lsh(m.rem.SetInt64(1), uint(m.shift))
		b.bound.Set(&m.num)
	} else {
		b.bound.Lsh(&m.num, uint(-m.shift))
	}
	plan.Bound, ok3 = b.money(&b.bound, p.Slot)
	plan.Bound = max(0, plan.Bound) // what is held may be worth more than all else
	return ok1 && ok2 && ok3
}
