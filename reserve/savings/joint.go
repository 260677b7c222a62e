package savings

import (
	"cmp"
	"math"
	"math/big"

	"github.com/plimsoll/plimsoll/internal/grow"
	"github.com/plimsoll/plimsoll/internal/wide"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve/internal/flow"
)

// Reservations of single types and a savings plan over all types, with a bound.
//
// In each slot R_it active reservations of type i serve min(d_it, R_it) instances. The
// savings plan pays for usage that is left, as in exact.go, and all other usage runs on
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
// at plan rates. Call ν fair if over no term that can be bought the worth exceeds the price of
// the term. Then Lagrange's relaxation of the second constraint leaves
//
//	L(ν) = Σ_i reserve_i(min(p_i, q_i·ν_t)) - Σ_t ν_t·u·H_t.
//
// reserve_i is the least cost of serving type i by reservations or at the given price per
// slot: a problem of prepaid classes, and so an exact flow. Here and below, min(p_i, q_i·ν_t) is p_i
// for a type that the savings plan does not pay for, which has s_it = 0.
//
// Proposition. For each fair ν, no plan costs less than L(ν). Proof. Take any plan. Its commitments
// cost at least Σ ν_t·u·A_t, since ν is fair, and u·A_t ≥ Σ_i q_i·s_it - u·H_t. So the plan costs at
// least Σ_i (fees + Σ_t (p_i·o_it + q_i·ν_t·s_it)) - Σ_t ν_t·u·H_t, and o_it + s_it is at least
// max(0, d_it - R_it). The bracket is at least reserve_i. ∎
//
// The proof does not use how ν was found, and any lower bound on reserve_i will do. Nor does it use
// that q_i is below p_i: a type whose rate is not below its price on demand is paid for last, by money
// that would else pay for nothing. A plan that commits nothing for such a type can cost nearly twice
// the optimum (TestRateNotBelow).
//
// The certificate is ν and, for each type, the dual prices λ_it of its flow. These satisfy
// 0 ≤ λ_it ≤ min(p_i, q_i·ν_t), sum over no term to more than the fee, and Σ λ_it·d_it is
// the cost of the flow. Sums and comparisons check them.
//
// The rounds. The exact savings plan for the usage that reservations leave has dual prices,
// which are such a ν. The exact reservations at the prices min(p_i, q_i·ν_t) leave other
// usage. So each round solves two problems. First it finds reservations at the average of
// the ν so far, which give a bound. Then it finds the savings plan beside these
// reservations, which gives a plan and the next ν. The next ν enters the average with the
// weight 2/(round+2), the step of Frank and Wolfe. An average of fair ν is fair. The best plan
// and the best bound are kept. No rate of convergence is known, since L is not smooth; the gap
// says what was reached. With three years of hours, weekly purchases and five types, the gap
// after 24 rounds is 2·10⁻⁴ for terms of a year and 10⁻³ for terms of a month.
//
// After the rounds, branch and bound improves the plan (branch.go), up to the optimum if the problem
// is small. If purchases are possible at too many dates, the first-order method of relax.go takes its
// place: each time that it stops, its worths and its rounded reservations make one more round each.
// With 3,600 hours, three types and purchases at any hour the gap is then below 10⁻⁴ (TestMixedGap with
// PLIMSOLL_PEERS set).
//
// Integers. ν is in parts of 2⁻⁴⁰. Prices and fees are in parts of 2⁻ᵃ nanos, with the
// greatest a ≤ 30 that fits the flow. All are rounded so that the bound stays a bound.

const (
	worthBits = 40
	mostWorth = 1 << 52 // a greater worth counts as this, which only lowers the bound
	rounds    = 24
	// The rounds end at this gap, which is about the rounding error of the bound.
	enoughGap = 1e-8
	// Branch and bound and the first-order method end at this gap. Branch and bound goes on to the
	// optimum if a tableau of all slots has at most mostCells: 24 slots of three types with two
	// classes each. With more columns than quickColumns the first-order method takes its place.
	branchGap    = 5e-5
	mostCells    = 40_000
	quickColumns = 700
	mostWork     = 1_000_000_000
)

// A Solver plans commitments, and reservations beside them. The zero value is ready. A Solver keeps
// its memory, and allocates nothing once its memory suffices, but for held reservations, paths and
// several offers. A plan is valid until the next call. One goroutine at a time may use a Solver.
type Solver struct {
	// Work limits branch and bound, in operations of about a nanosecond. 0 is 10⁹. A negative number
	// turns branch and bound off, and the trial of all plans.
	Work int64

	exact
	branch  Branch
	game    relaxed
	planned *Problem // of branch
	rest    Problem
	left    []int // demand that reservations leave, by type and slot
	shift   int
	terms   []int
	full    []wide.Int // fees of whole terms, in 2^-shift nanos an hour
	fees    []int64    // by class and slot
	several several

	heldUnits []int // by offer and slot
	classes   []flow.Class
	prices    []int64
	index     []int

	worth, next, lambda     []int64
	bestWorth, bestLambda   []int64
	proof                   []uint128
	reservations, bestPlan  []pricing.Purchase
	found                   bool
	least                   float64 // of the best plan, nanos an hour
	bound                   wide.Int
	bounded                 bool
	change                  []int64
	num, fee, quo, rem, den big.Int
}

// Solve returns a plan of least cost, or near the least cost, with a certificate. [Plan.Gap] bounds
// the distance from the optimum. The same problem always gives the same plan. Solve may return any
// of several plans of equal cost.
//
// Without classes and with one offer, the plan is optimal, with Cost = Bound, if the integers of
// the calculation fit in 128 bits. The integers grow with the common multiple of the plan rates.
// For three years of hours they fit for any four types with rates of four decimals, and for most
// sets of five types. If they do not fit, Bound is below Cost by about 10⁻⁸ of Cost.
//
// With classes, the plan costs no more than each of three simpler plans: reservations alone, a
// savings plan alone, and the best reservations followed by a savings plan for the usage that they
// leave. If the problem is small, such as 24 slots of three types, the plan is optimal: see
// [Plan].Searched and [Solver].Work.
//
// With several offers, no guarantee is known. If there are few possible plans, as for two slots of
// two types, Solve tries all plans, and the result is optimal.
//
// The error is an [*reserve.InputError] that unwraps to [ErrRange], [ErrTerm], [ErrOverflow], an
// error of package pricing, or, for a class with a use price, [ErrUnsupported]. Solve does not
// modify p.
func (s *Solver) Solve(p *Problem) (Plan, error) {
	n, err := p.check()
	if err != nil {
		return Plan{}, err
	}
	p, n = p.plain(n)
	plan, err := s.solveOne(p, n)
	p.undivide(&plan)
	return plan, err
}

// solveOne solves p, which is checked, with one demand of n slots for each type and without held
// reservations.
func (s *Solver) solveOne(p *Problem, n int) (plan Plan, err error) {
	if len(p.Others) > 0 {
		return s.solveSeveral(p, n)
	}
	if !p.reserves() {
		return s.solveExact(p, n)
	}
	if err := s.loadFees(p, n); err != nil {
		return Plan{}, err
	}
	s.found, s.bounded = false, false
	if err := s.rounds(p, n); err != nil {
		return Plan{}, err
	}
	plan = Plan{Unit: p.unitOf()}
	if plan.Searched, err = s.improve(p, n); err != nil {
		return Plan{}, err
	}
	s.reservations = append(s.reservations[:0], s.bestPlan...)
	alone, err := s.beside(p, n)
	if err != nil {
		return Plan{}, err
	}
	plan.Reservations, plan.Commitments = s.reservations, alone.Commitments
	plan.Committed, plan.OnDemand, plan.Unused = alone.Committed, alone.OnDemand, alone.Unused
	s.proof = grow.To(s.proof, n)
	for t, v := range s.bestWorth {
		s.proof[t] = uint128{0, uint64(v)}
	}
	plan.Certificate = Certificate{Values: s.proof, Parts: uint128{0, 1 << worthBits}, Prices: s.bestLambda, Shift: s.shift}
	if !s.addFees(p, n, &plan) {
		return Plan{}, badInput("Types.Demand", -1, ErrOverflow, "the cost does not fit in an amount of money")
	}
	return plan, nil
}

// beside solves the savings plan beside s.reservations.
func (s *Solver) beside(p *Problem, n int) (Plan, error) {
	s.reduce(p, n)
	return s.solveExact(&s.rest, n)
}

// try solves the savings plan beside s.reservations, sets s.next to its worths, and keeps the best
// plan.
func (s *Solver) try(p *Problem, n int) error {
	plan, err := s.beside(p, n)
	if err != nil {
		return err
	}
	s.next = grow.To(s.next, n)
	for t, v := range plan.Certificate.Values {
		s.next[t] = share(v, plan.Certificate.Parts)
	}
	if cost := s.nanos(p, n); !s.found || cost < s.least {
		s.found, s.least = true, cost
		s.bestPlan = append(s.bestPlan[:0], s.reservations...)
	}
	return nil
}

// prove finds the best reservations at s.worth, and keeps the best bound.
func (s *Solver) prove(p *Problem, n int) error {
	b, err := s.reserve(p, n)
	if err == nil && (!s.bounded || s.bound.Less(b)) {
		s.bound, s.bounded = b, true
		s.bestWorth = append(s.bestWorth[:0], s.worth...)
		s.bestLambda = append(s.bestLambda[:0], s.lambda...)
	}
	return err
}

// near reports whether the best plan is within gap of the best bound.
func (s *Solver) near(gap float64) bool {
	low := math.Ldexp(math.Ldexp(float64(s.bound.Hi), 64)+float64(s.bound.Lo), -s.shift)
	return s.least <= low*(1+gap)
}

// rounds alternates between reservations and the savings plan.
func (s *Solver) rounds(p *Problem, n int) error {
	// A savings plan alone; then reservations as if there were none.
	s.reservations = s.reservations[:0]
	if err := s.try(p, n); err != nil {
		return err
	}
	s.bestWorth = append(s.bestWorth[:0], s.next...)
	s.worth = grow.To(s.worth, n)
	for t := range s.worth {
		s.worth[t] = mostWorth
	}
	if _, err := s.reserve(p, n); err != nil {
		return err
	}
	if err := s.try(p, n); err != nil {
		return err
	}
	for t := range s.worth {
		s.worth[t] = (s.bestWorth[t] + s.next[t]) / 2
	}
	for round := int64(1); ; round++ {
		if err := s.prove(p, n); err != nil {
			return err
		}
		if err := s.try(p, n); err != nil {
			return err
		}
		if round == rounds || s.near(enoughGap) {
			return nil
		}
		Blend(s.worth, s.next, round)
	}
}

// Blend moves worth towards next, by the step of Frank and Wolfe after so many rounds, 0 or more: next
// gets the weight 2/(round + 2). Worths are 0 or more. If both are fair, the result is fair, since it
// is rounded down. See the rounds of [Solver], file joint.go.
func Blend(worth, next []int64, round int64) {
	if round < 0 || round > math.MaxInt32 {
		panic("savings: round out of range")
	}
	for t, w := range worth {
		step, rest := (next[t]-w)/(round+2), (next[t]-w)%(round+2) // no product that could overflow
		worth[t] = w + 2*step + (2*rest+2*(round+2))/(round+2) - 2
	}
}

// improve makes the best plan and the best bound better, by branch and bound or by the first-order
// method, and reports whether no plan costs less.
func (s *Solver) improve(p *Problem, n int) (searched bool, err error) {
	if s.Work < 0 || n == 0 || s.near(enoughGap) {
		return false, nil
	}
	small := false
	if s.planned = p; s.branch.Load(p, (*market)(s)) {
		k, columns := len(p.Types), s.branch.Columns()
		small = n*(k+1)*(columns+2*n*k) <= mostCells
		if small || columns <= quickColumns && !s.near(branchGap) {
			return s.divide(p, n, small)
		}
	}
	if s.near(branchGap) {
		return false, nil
	}
	if err := s.game.ready(s, p, n); err != nil {
		return false, err
	}
	for steps := relaxSteps; ; steps += relaxSteps {
		s.relax(p, n, steps)
		if err := s.try(p, n); err != nil {
			return false, err
		}
		if err := s.prove(p, n); err != nil {
			return false, err
		}
		if err := s.try(p, n); err != nil {
			return false, err
		}
		if s.near(branchGap) || steps*n*len(p.Types) >= relaxWork || steps >= 16*relaxSteps {
			return false, nil
		}
	}
}

// divide searches by branch and bound, to the optimum if p is small.
func (s *Solver) divide(p *Problem, n int, small bool) (searched bool, err error) {
	goal := branchGap
	if small {
		goal = 0
	}
	known := totalOfFloat(s.least)
	if err := s.branch.Search(known, goal, cmp.Or(s.Work, mostWork)); err != nil {
		return false, err
	}
	searched = small && s.branch.good(s.branch.Bound().Float64())
	s.worth = append(s.worth[:0], s.branch.Worth()...)
	s.lower(p, n, p.term(0), s.worth)
	return searched, s.prove(p, n)
}

// A market is what a Solver tells a Branch. Amounts are nanos an hour.
type market Solver

// Fee implements [Market]; it rounds down.
func (m *market) Fee(class, slot int) (int64, bool) {
	return shifted(wide.Int{Lo: uint64(m.fees[class*m.slots+slot])}, -m.shift).Int64()
}

// Cost implements [Market]. Amounts that are too large are no plan.
func (m *market) Cost(list []pricing.Purchase) (Total, bool, error) {
	s := (*Solver)(m)
	s.reservations = append(s.reservations[:0], list...)
	if err := s.try(s.planned, s.slots); err != nil {
		return Total{}, false, nil
	}
	cost := s.nanos(s.planned, s.slots)
	return totalOfFloat(cost), cost < 1<<62, nil
}

func totalOfFloat(nanos float64) Total { return TotalOf(pricing.Money(min(nanos, 1<<62))) }

// reduce takes s.reservations off the demands.
func (s *Solver) reduce(p *Problem, n int) {
	for i := range p.Types {
		clear(s.change)
		for _, r := range s.reservations {
			if p.Classes[r.Class].Type == i {
				s.change[r.Slot] += int64(r.Count)
				s.change[min(n, r.Slot+s.terms[r.Class])] -= int64(r.Count)
			}
		}
		active := int64(0)
		left := s.left[i*n : (i+1)*n]
		for t, d := range p.Types[i].Demand {
			active += s.change[t]
			left[t] = int(max(0, int64(d)-active))
		}
		s.rest.Types[i].Demand = left
	}
}

// reserve finds the best reservations at the prices that s.worth makes and their dual
// prices s.lambda, and returns the bound that these dual prices are.
func (s *Solver) reserve(p *Problem, n int) (bound wide.Int, err error) {
	s.reservations = s.reservations[:0]
	for i := range p.Types {
		y := &p.Types[i]
		lambda := s.lambda[i*n : (i+1)*n]
		top := shifted(wide.ProductInt(int64(y.OnDemand), 1), s.shift)
		for t := range n {
			price := top
			for k := range p.offers() {
				q := p.rate(k, i)
				if paid := shifted(wide.ProductInt(int64(q), s.worth[k*n+t]), s.shift-worthBits); q > 0 && paid.Less(price) {
					price = paid
				}
			}
			lambda[t] = int64(price.Lo)
		}
		s.classes, s.index = s.classes[:0], s.index[:0]
		for k := range p.Classes {
			if p.Classes[k].Type == i && !p.Classes[k].Withdrawn {
				s.classes = append(s.classes, flow.Class{Term: s.terms[k], Fees: s.fees[k*n : (k+1)*n]})
				s.index = append(s.index, k)
			}
		}
		if len(s.classes) > 0 && n > 0 {
			// The flow wants positive prices; where one is 0, so is λ below.
			s.prices = append(s.prices[:0], lambda...)
			for t, v := range s.prices {
				s.prices[t] = max(1, v)
			}
			if err := s.solver.Solve(flow.Problem{Demand: y.Demand, Prices: s.prices, Classes: s.classes}); err != nil {
				return bound, badInput("Types.Demand", i, ErrOverflow, "the demand is too large for 64 bits: %w", err)
			}
			s.bought = s.solver.AppendPurchases(s.bought[:0])
			for _, b := range s.bought {
				s.reservations = append(s.reservations, pricing.Purchase{Slot: b.Slot, Class: s.index[b.Class], Count: b.Count})
			}
			potentials := s.solver.Potentials()
			for t := range n {
				lambda[t] = min(lambda[t], potentials[t+1]-potentials[t])
			}
		}
		for t, d := range y.Demand {
			bound = bound.Plus(wide.ProductInt(lambda[t], int64(d)))
		}
	}
	sortPurchases(s.reservations)
	unit := int64(p.unitOf())
	for x, units := range s.heldUnits {
		if units > 0 { // their worth, rounded up
			v, ok := heldWorth(unit, units, s.worth[x], s.shift)
			if !ok {
				return bound, badInput("Held", -1, ErrOverflow, "%d units in slot %d are worth too much", units, x%n)
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

// lower lowers worths until they are fair: no term for sale is worth more than its price. Branch and
// bound leaves such terms where it commits the most that its bounds allow.
func (s *Solver) lower(p *Problem, n, term int, worth []int64) {
	lower := func(from, t int, sum int64) int64 { // for the term from, the last slot of which is t
		over := sum - int64(p.charged(n, term, from))<<worthBits
		rest := over
		for ; rest > 0 && t >= from; t-- {
			by := min(rest, worth[t])
			worth[t] -= by
			rest -= by
		}
		return max(0, over)
	}
	sum := int64(0) // of the term that ends with slot t
	for t := range n {
		sum += worth[t]
		if from := t - term + 1; from >= 0 {
			if p.sold(from) {
				sum -= lower(from, t, sum)
			}
			sum -= worth[from]
		}
	}
	sum = 0 // of the term from s, beyond the last slot
	for from := n - 1; from >= 0 && from > n-term; from-- {
		if sum += worth[from]; p.sold(from) {
			sum -= lower(from, n-1, sum)
		}
	}
}
