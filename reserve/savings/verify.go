package savings

import (
	"math/big"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/internal/wide"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
)

// Verify checks a plan and its certificate without any part of the solver. Verify checks
// that the commitments keep to the problem's rules, that the amounts are right, and that the
// certificate proves the bound. A nil error means that no plan for p costs less than Bound,
// and that no plan costs less than this plan if Optimal reports true. An error of the plan is
// an [*InputError] that unwraps to [ErrForged] and says what is wrong; one of the problem is that
// of the solver.
//
// The bound. Let g_t(N) be the cost of slot t on demand with N active units, of which H_t
// are held, and let z_t ≥ 0 be the values of the certificate. For any plan with r_s units
// bought at slot s, adding Σ z_t·(N_t - H_t - active) = 0 to the cost gives
//
//	Σ_t (g_t(N_t) + z_t·(N_t - H_t)) + Σ_s (F_s - Σ z_t over the term)·r_s.
//
// Taking the minimum over each N_t ≥ H_t and each r_s ≥ 0 alone can only lower that sum. The
// second sum has the minimum 0 if no bracket is negative, which is checked. Each g_t is
// linear between the ends of the types, so its minima are next to those ends or at H_t. The
// proof uses neither convexity nor how the values were found.
//
// Arithmetic is in big integers. Time: O(slots × types²) of their operations. Whole instances of a slot
// that take more than some seconds are not checked: the error unwraps to [ErrUnsupported]. If they cost
// more than 64 bits hold, it unwraps to [ErrOverflow].
func Verify(p *Problem, plan *Plan) error {
	n, err := p.check()
	if err != nil {
		return err
	}
	if plan.Unit != p.unitOf() {
		return badInput("Unit", -1, ErrForged, "the plan says %v, the problem %v", plan.Unit, p.unitOf())
	}
	var v verifier
	if err := v.load(p, n, plan.Commitments); err != nil {
		return err
	}
	if len(plan.Certificate.Values) != n {
		return badInput("Certificate.Values", -1, ErrForged, "there are %d: want one for each of %d slots", len(plan.Certificate.Values), n)
	}
	parts := plan.Certificate.Parts.big()
	if parts.Sign() == 0 {
		return badInput("Certificate.Parts", -1, ErrForged, "0: want a positive number")
	}

	if err := v.amounts(plan.OnDemand, plan.Committed, plan.Unused); err != nil {
		return err
	}
	if err := v.equal("Cost", plan.Cost, new(big.Int).Add(v.onDemand, v.committed), v.all); err != nil {
		return err
	}
	bound := new(big.Int) // nanos an hour times all and parts
	before := make([]*big.Int, n+1)
	before[0] = new(big.Int)
	for t := range n {
		z := plan.Certificate.Values[t].big()
		before[t+1] = new(big.Int).Add(before[t], z)
		bound.Add(bound, v.least(t, v.held[t], z, parts))
	}
	if err := v.worth(before, parts); err != nil {
		return err
	}
	if most := v.money(bound, new(big.Int).Mul(v.all, parts)); most.Cmp(big.NewInt(int64(plan.Bound))) < 0 {
		return badInput("Bound", -1, ErrForged, "the plan says %v, its certificate proves %v nanos", plan.Bound, most)
	}
	return nil
}

// VerifyMixed checks a plan and its certificate without any part of the solver, as
// [Verify] does: mixed.go says what the certificate is, and why it proves the bound.
// VerifyMixed cannot check Searched, which no certificate proves. Whole instances are checked within
// the same limits.
func VerifyMixed(p *MixedProblem, plan *MixedPlan) error {
	n, err := p.check()
	if err != nil {
		return err
	}
	p = p.withoutHeld(n)
	if plan.Unit != p.unitOf() {
		return badInput("Unit", -1, ErrForged, "the plan says %v, the problem %v", plan.Unit, p.unitOf())
	}
	// What the reservations cost, and what they leave.
	rest := p.Problem
	rest.Types = slices.Clone(p.Types)
	for i := range rest.Types {
		rest.Types[i].Demand = slices.Clone(p.Types[i].Demand)
	}
	reserved := new(big.Rat) // nanos
	for i, r := range plan.Reservations {
		switch {
		case r.Slot < 0 || r.Slot >= n || r.Class < 0 || r.Class >= len(p.Classes) || r.Count <= 0:
			return badInput("Reservations", i, ErrForged, "%d of class %d at slot %d: want some, of a class below %d, at a slot below %d", r.Count, r.Class, r.Slot, len(p.Classes), n)
		case !p.sold(r.Slot):
			return badInput("Reservations", i, ErrForged, "slot %d is not for sale", r.Slot)
		case p.Classes[r.Class].Withdrawn:
			return badInput("Reservations", i, ErrForged, "%s is not for sale", p.Classes[r.Class].Class.Name)
		case i > 0 && (plan.Reservations[i-1].Slot > r.Slot || plan.Reservations[i-1].Slot == r.Slot && plan.Reservations[i-1].Class >= r.Class):
			return badInput("Reservations", i, ErrForged, "not sorted by slot and class")
		}
		reserved.Add(reserved, new(big.Rat).Mul(p.fee(n, r.Class, r.Slot), new(big.Rat).SetInt64(int64(r.Count))))
	}
	for i := range rest.Types {
		active := make([]int64, n+1)
		for _, r := range plan.Reservations {
			if p.Classes[r.Class].Type == i {
				active[r.Slot] += int64(r.Count)
				active[min(n, r.Slot+int(p.Classes[r.Class].Class.Term/p.Slot))] -= int64(r.Count)
			}
		}
		for t := range n {
			rest.Types[i].Demand[t] = int(max(0, int64(rest.Types[i].Demand[t])-active[t]))
			active[t+1] += active[t]
		}
	}
	var v verifier
	if err := v.load(&rest, n, plan.Commitments); err != nil {
		return err
	}
	if err := v.amounts(plan.OnDemand, plan.Committed, plan.Unused); err != nil {
		return err
	}
	if err := v.equal("Reserved", plan.Reserved, scaled(reserved.Num(), time.Hour), scaled(reserved.Denom(), p.Slot)); err != nil {
		return err
	}
	cost := new(big.Rat).SetFrac(scaled(new(big.Int).Add(v.onDemand, v.committed), p.Slot), scaled(v.all, time.Hour))
	cost.Add(cost, reserved)
	if err := v.equal("Cost", plan.Cost, scaled(cost.Num(), time.Hour), scaled(cost.Denom(), p.Slot)); err != nil {
		return err
	}

	c := &plan.Certificate
	if len(c.Worth) != n || len(c.Prices) != n*len(p.Types) {
		return badInput("Certificate", -1, ErrForged, "%d worths and %d prices: want %d and %d", len(c.Worth), len(c.Prices), n, n*len(p.Types))
	}
	if c.Shift < -64 || c.Shift > 64 {
		return badInput("Certificate.Shift", -1, ErrForged, "%d: want -64 to 64", c.Shift)
	}
	parts := big.NewInt(1 << worthBits)
	shift := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(max(0, c.Shift))))
	shift.Quo(shift, new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(max(0, -c.Shift)))))
	before := make([]*big.Int, n+1)
	before[0] = new(big.Int)
	held := new(big.Int)
	for t, w := range c.Worth {
		if w < 0 {
			return badInput("Certificate.Worth[]", t, ErrForged, "%d: want 0 or more", w)
		}
		before[t+1] = new(big.Int).Add(before[t], big.NewInt(w))
		held.Add(held, new(big.Int).Mul(big.NewInt(w), big.NewInt(v.held[t])))
	}
	if err := v.worth(before, parts); err != nil {
		return err
	}
	sum := new(big.Int)
	for i := range p.Types {
		y := &p.Types[i]
		prices := c.Prices[i*n : (i+1)*n]
		before := make([]*big.Int, n+1)
		before[0] = new(big.Int)
		// λ/2^shift ≤ p and ≤ q·worth/parts, without fractions.
		num, den := shift.Num(), shift.Denom()
		top := new(big.Int).Mul(big.NewInt(int64(y.OnDemand)), num)
		for t, x := range prices {
			left := new(big.Int).Mul(big.NewInt(x), den)
			paid := new(big.Int).Mul(big.NewInt(int64(y.Plan)), big.NewInt(c.Worth[t]))
			if x < 0 || left.Cmp(top) > 0 || y.Plan < y.OnDemand && left.Mul(left, parts).Cmp(paid.Mul(paid, num)) > 0 {
				return badInput("Certificate.Prices[]", i*n+t, ErrForged, "%d: want 0 to the price on demand and from the plan", x)
			}
			before[t+1] = new(big.Int).Add(before[t], big.NewInt(x))
			sum.Add(sum, new(big.Int).Mul(big.NewInt(x), big.NewInt(int64(y.Demand[t]))))
		}
		for k := range p.Classes {
			if p.Classes[k].Type != i || p.Classes[k].Withdrawn {
				continue
			}
			term := int(p.Classes[k].Class.Term / p.Slot)
			var most *big.Int // of the sums, for the slots charged
			charged := -1
			for s := range n {
				if !p.sold(s) {
					continue
				}
				if of := p.chargedTerm(n, term, s); of != charged {
					charged = of
					fee := new(big.Rat).Mul(p.fee(n, k, s), big.NewRat(int64(time.Hour), int64(p.Slot)))
					fee.Mul(fee, shift)
					most = new(big.Int).Quo(fee.Num(), fee.Denom())
				}
				if new(big.Int).Sub(before[min(n, s+term)], before[s]).Cmp(most) > 0 {
					return badInput("Certificate.Prices[]", i*n+s, ErrForged, "over the term from this slot %s would be worth more than it costs", p.Classes[k].Class.Name)
				}
			}
		}
	}
	bound := new(big.Rat).SetInt(sum)
	bound.Quo(bound, shift)
	bound.Sub(bound, new(big.Rat).SetFrac(held.Mul(held, v.unit), parts))
	if most := v.money(bound.Num(), bound.Denom()); plan.Bound > 0 && most.Cmp(big.NewInt(int64(plan.Bound))) < 0 {
		return badInput("Bound", -1, ErrForged, "the plan says %v, its certificate proves %v nanos", plan.Bound, most)
	}
	return nil
}

// fee returns what one reservation of class k costs that is made at slot t, in nanos.
func (p *MixedProblem) fee(n, k, t int) *big.Rat {
	c := &p.Classes[k].Class
	fee := new(big.Rat).Mul(big.NewRat(int64(c.Hourly), 1), big.NewRat(int64(c.Term), int64(time.Hour)))
	fee.Add(fee, big.NewRat(int64(c.Upfront), 1))
	term := int(c.Term / p.Slot)
	return fee.Mul(fee, big.NewRat(int64(p.chargedTerm(n, term, t)), int64(term)))
}

func scaled(x *big.Int, d time.Duration) *big.Int { return new(big.Int).Mul(x, big.NewInt(int64(d))) }

// charged returns the slots for which a commitment made at slot t is paid for, with
// n slots of demand.
func (p *Problem) charged(n, t int) int {
	return p.chargedTerm(n, int(p.Term/p.Slot), t)
}

// chargedTerm is charged for a term of so many slots.
func (p *Problem) chargedTerm(n, term, t int) int {
	if p.Horizon == reserve.Pure {
		return min(term, n-t)
	}
	return term
}

// sold reports whether one may buy at slot t.
func (p *Problem) sold(t int) bool {
	return t%max(1, p.Every) == 0 && (p.Closed == nil || !p.Closed[t])
}

func (a Uint128) big() *big.Int {
	v := new(big.Int).SetUint64(a.Hi)
	return v.Add(v.Lsh(v, 64), new(big.Int).SetUint64(a.Lo))
}

// mostChoices limits the work on whole instances for a slot to some seconds. A choice counts once
// for each type that is still to be chosen. A test lowers it.
var mostChoices = 1 << 24

type verifier struct {
	p         *Problem
	slots     int
	choices   int      // of whole instances, as mostChoices counts them, for all slots
	order     []int    // of payment
	unit, all *big.Int // all is the product of the plan rates
	held      []int64  // units
	// What the commitments cost and leave, in nanos an hour times all.
	onDemand, committed, unused *big.Int
}

// load checks the commitments and adds them up.
func (v *verifier) load(p *Problem, n int, commitments []Commitment) error {
	*v = verifier{p: p, slots: n, unit: big.NewInt(int64(p.unitOf())), all: big.NewInt(1),
		onDemand: new(big.Int), committed: new(big.Int), unused: new(big.Int)}
	for i := range p.Types {
		v.all.Mul(v.all, big.NewInt(int64(p.Types[i].Plan)))
		if p.Types[i].Plan < p.Types[i].OnDemand {
			v.order = append(v.order, i)
		}
	}
	slices.SortStableFunc(v.order, func(i, j int) int { // by the ratio of rates
		a, b := &p.Types[i], &p.Types[j]
		return new(big.Int).Mul(big.NewInt(int64(b.OnDemand)), big.NewInt(int64(a.Plan))).Cmp(
			new(big.Int).Mul(big.NewInt(int64(a.OnDemand)), big.NewInt(int64(b.Plan))))
	})
	active := make([]int64, n+1)
	v.held = make([]int64, n+1)
	term := int(p.Term / p.Slot)
	for i, c := range commitments {
		switch {
		case c.Slot < 0 || c.Slot >= n || c.Units <= 0:
			return badInput("Commitments", i, ErrForged, "%d units at slot %d: want some, at a slot below %d", c.Units, c.Slot, n)
		case !p.sold(c.Slot):
			return badInput("Commitments", i, ErrForged, "slot %d is not for sale", c.Slot)
		case c.Hourly != 0 && new(big.Int).Mul(v.unit, big.NewInt(int64(c.Units))).Cmp(big.NewInt(int64(c.Hourly))) != 0:
			return badInput("Commitments", i, ErrForged, "%v an hour: want %d units of %v", c.Hourly, c.Units, p.unitOf())
		case i > 0 && commitments[i-1].Slot >= c.Slot:
			return badInput("Commitments", i, ErrForged, "slot %d after slot %d: want them sorted", c.Slot, commitments[i-1].Slot)
		}
		active[c.Slot] += int64(c.Units)
		active[min(n, c.Slot+term)] -= int64(c.Units)
		v.committed.Add(v.committed, new(big.Int).Mul(big.NewInt(int64(c.Units)), big.NewInt(int64(p.charged(n, c.Slot)))))
	}
	for _, h := range p.Held {
		v.held[0] += int64(h.Units)
		v.held[min(n, h.Until)] -= int64(h.Units)
	}
	for t := range n {
		if t > 0 {
			active[t] += active[t-1]
			v.held[t] += v.held[t-1]
		}
		cost, rest, err := v.pay(t, big.NewInt(v.held[t]+active[t]))
		if err != nil {
			return err
		}
		v.onDemand.Add(v.onDemand, cost)
		v.unused.Add(v.unused, rest)
	}
	v.committed.Mul(v.committed, v.unit).Mul(v.committed, v.all)
	v.unused.Mul(v.unused, v.all)
	return nil
}

// amounts checks those of the commitments.
func (v *verifier) amounts(onDemand, committed, unused pricing.Money) error {
	if err := v.equal("OnDemand", onDemand, v.onDemand, v.all); err != nil {
		return err
	}
	if err := v.equal("Committed", committed, v.committed, v.all); err != nil {
		return err
	}
	return v.equal("Unused", unused, v.unused, v.all)
}

// equal checks that a plan's amount is sum/den nanos an hour over a slot.
func (v *verifier) equal(field string, has pricing.Money, sum, den *big.Int) error {
	if want := v.money(sum, den); want.Cmp(big.NewInt(int64(has))) != 0 {
		return badInput(field, -1, ErrForged, "the plan says %v, its purchases make it %v nanos", has, want)
	}
	return nil
}

// worth checks that over no term for sale commitment is worth more than it costs,
// given the sums of its worth before each slot, in parts of its price.
func (v *verifier) worth(before []*big.Int, parts *big.Int) error {
	term := int(v.p.Term / v.p.Slot)
	for s := range v.slots {
		if !v.p.sold(s) {
			continue
		}
		worth := new(big.Int).Sub(before[min(v.slots, s+term)], before[s])
		if worth.Cmp(new(big.Int).Mul(parts, big.NewInt(int64(v.p.charged(v.slots, s))))) > 0 {
			return badInput("Certificate", s, ErrForged, "over the term from this slot commitment would be worth more than it costs")
		}
	}
	return nil
}

// slot returns what slot t costs on demand with so many units, times all, and what
// is left of these, in nanos an hour.
func (v *verifier) slot(t int, units *big.Int) (cost, left *big.Int) {
	cost, left = new(big.Int), new(big.Int).Mul(units, v.unit)
	for i := range v.p.Types {
		y := &v.p.Types[i]
		if y.Plan >= y.OnDemand {
			c := new(big.Int).Mul(big.NewInt(int64(y.OnDemand)), big.NewInt(int64(y.Demand[t])))
			cost.Add(cost, c.Mul(c, v.all))
		}
	}
	for _, i := range v.order {
		y := &v.p.Types[i]
		plan := big.NewInt(int64(y.Plan))
		rest := new(big.Int).Mul(plan, big.NewInt(int64(y.Demand[t]))) // at plan rates
		pay := left
		if rest.Cmp(left) < 0 {
			pay = rest
		}
		pay = new(big.Int).Set(pay)
		rest.Sub(rest, pay)
		left.Sub(left, pay)
		rest.Mul(rest, big.NewInt(int64(y.OnDemand)))
		cost.Add(cost, rest.Mul(rest, plan.Quo(v.all, plan)))
	}
	return cost, left
}

// pay returns what slot t costs on demand and what is left of so many units, as slot does,
// by whole instances if the problem says so.
func (v *verifier) pay(t int, units *big.Int) (cost, left *big.Int, err error) {
	cost, left = v.slot(t, units)
	if !v.p.Whole || cost.Sign() == 0 && len(v.order) == len(v.p.Types) {
		return cost, left, nil
	}
	// The instances of each type by whole numbers, the dearest choice of all that the money
	// pays for. rest[i] is the whole usage from the i-th type on.
	money := new(big.Int).Mul(units, v.unit)
	total := new(big.Int)
	for _, i := range v.order {
		y := &v.p.Types[i]
		total.Add(total, new(big.Int).Mul(big.NewInt(int64(y.OnDemand)), big.NewInt(int64(y.Demand[t]))))
	}
	if !total.IsInt64() {
		return nil, nil, badInput("Types.Demand", -1, ErrOverflow, "in slot %d: whole instances cost too much to be checked", t)
	}
	if money.Cmp(total) > 0 {
		money.Set(total)
	}
	best, spent, steps := int64(-1), int64(0), 0
	var choose func(at int, left, saved int64)
	choose = func(at int, left, saved int64) {
		if steps += max(1, len(v.order)-at); steps > mostChoices {
			return
		}
		if at == len(v.order) {
			if saved > best {
				best, spent = saved, money.Int64()-left
			}
			return
		}
		y, next := &v.p.Types[v.order[at]], at+1
		// No choice saves more than the whole usage of the best types, and the rest of the
		// money at the ratio of the next.
		g, rest, most := int64(0), left, new(big.Int)
		for _, i := range v.order[at:] {
			g = wide.GCD(int64(v.p.Types[i].Plan), g)
		}
		for rest -= rest % g; at < len(v.order); at++ {
			z := &v.p.Types[v.order[at]]
			if whole := int64(z.Plan) * int64(z.Demand[t]); whole <= rest {
				most.Add(most, new(big.Int).Mul(big.NewInt(int64(z.Demand[t])), big.NewInt(int64(z.OnDemand))))
				rest -= whole
				continue
			}
			part := new(big.Int).Mul(big.NewInt(rest), big.NewInt(int64(z.OnDemand)))
			most.Add(most, part.Quo(part, big.NewInt(int64(z.Plan))))
			break
		}
		if most.Cmp(big.NewInt(best-saved)) <= 0 {
			return
		}
		for n := min(int64(y.Demand[t]), left/int64(y.Plan)); n >= 0 && steps <= mostChoices; n-- {
			choose(next, left-n*int64(y.Plan), saved+n*int64(y.OnDemand))
		}
	}
	choose(0, money.Int64(), 0)
	v.choices += steps
	if steps > mostChoices {
		return nil, nil, badInput("Types.Demand", -1, ErrUnsupported, "in slot %d: there are too many choices of whole instances to check", t)
	}
	cost.SetInt64(0)
	for i := range v.p.Types {
		y := &v.p.Types[i]
		cost.Add(cost, new(big.Int).Mul(big.NewInt(int64(y.OnDemand)), big.NewInt(int64(y.Demand[t]))))
	}
	cost.Sub(cost, big.NewInt(best))
	left = new(big.Int).Mul(units, v.unit)
	return cost.Mul(cost, v.all), left.Sub(left, big.NewInt(spent)), nil
}

// least returns the minimum over N ≥ held of the cost of slot t on demand plus
// what N - held units cost at z/parts of their price, times all and parts.
func (v *verifier) least(t int, held int64, z, parts *big.Int) *big.Int {
	var least *big.Int
	try := func(units *big.Int) {
		cost, _ := v.slot(t, units)
		cost.Mul(cost, parts)
		more := new(big.Int).Sub(units, big.NewInt(held))
		more.Mul(more, v.unit).Mul(more, v.all)
		if cost.Add(cost, more.Mul(more, z)); least == nil || cost.Cmp(least) < 0 {
			least = cost
		}
	}
	try(big.NewInt(held))
	end := new(big.Int)
	for _, i := range v.order {
		y := &v.p.Types[i]
		end.Add(end, new(big.Int).Mul(big.NewInt(int64(y.Plan)), big.NewInt(int64(y.Demand[t]))))
		units, rest := new(big.Int).QuoRem(end, v.unit, new(big.Int))
		if units.Cmp(big.NewInt(held)) > 0 {
			try(units)
		}
		if rest.Sign() > 0 && units.Cmp(big.NewInt(held)) >= 0 {
			try(new(big.Int).Add(units, big.NewInt(1)))
		}
	}
	return least
}

// money returns sum/den nanos an hour over a slot, rounded half to even.
func (v *verifier) money(sum, den *big.Int) *big.Int {
	num := new(big.Int).Mul(sum, big.NewInt(int64(v.p.Slot)))
	whole := new(big.Int).Mul(den, big.NewInt(int64(time.Hour)))
	q, r := new(big.Int).QuoRem(num, whole, new(big.Int))
	if c := r.Lsh(r, 1).Cmp(whole); c > 0 || c == 0 && q.Bit(0) == 1 {
		q.Add(q, big.NewInt(1))
	}
	return q
}
