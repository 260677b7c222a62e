package savings

import (
	"cmp"
	"math/big"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
)

// Verify checks a plan and its certificate without any part of the solver. Verify checks that the
// purchases keep to the problem's rules, that the amounts are right, and that the certificate
// proves the bound. A nil error means that no plan for p costs less than Bound. Verify cannot
// check Searched, which no certificate proves. If the plan is wrong, the error is an
// [*reserve.InputError] that unwraps to [ErrForged] and says what is wrong. If the problem is
// malformed, the error is that of [Solver.Solve].
//
// This is the proof of the bound for a problem with one offer and no classes; file joint.go has
// the proof for the others. Commitments are whole numbers of units. Let
//
//   - H_t be the number of units held from before that are active in slot t;
//   - r_s be the number of units that a plan buys at slot s;
//   - N_t be the number of units active in slot t, held units included;
//   - g_t(N) be the cost on demand in slot t with N active units;
//   - F_s be the price of a unit bought at slot s;
//   - z_t ≥ 0 be the values of the certificate.
//
// The cost of any plan is Σ_t g_t(N_t) + Σ_s F_s·r_s. In slot t, N_t - H_t is the sum of the r_s
// of the purchases active in t. So N_t - H_t less this sum is 0. Add z_t times this 0 for each
// slot to the cost of the plan. The cost is then also
//
//	Σ_t (g_t(N_t) + z_t·(N_t - H_t)) + Σ_s (F_s - Σ z_t over the term)·r_s.
//
// Verify checks that F_s - Σ z_t is not negative at any slot s at which units are sold. At other
// slots r_s is 0. The second sum is then at least 0. The first sum is at least the sum of the
// minima of its terms, each over all whole N_t ≥ H_t. No plan costs less than this sum of minima,
// and Verify checks that Bound is not above it.
//
// To find a minimum, Verify tries H_t and the whole numbers at or next to the ends of types. The
// end of a type is the commitment that has just paid for all usage of that type and of the types
// before it. Between two ends g_t is linear, so no other N_t can be lower. The proof does not use
// that g_t is convex, or how the solver found the values.
//
// Verify calculates in big integers. Time: O(slots × types²) of their operations.
func Verify(p *Problem, plan *Plan) error {
	n, err := p.check()
	if err != nil {
		return err
	}
	p, n = p.plain(n)
	plan = p.divide(plan)
	if plan.Unit != p.unitOf() {
		return badInput("Unit", -1, ErrForged, "the plan says %v, the problem %v", plan.Unit, p.unitOf())
	}
	rest, reserved, err := p.served(n, plan.Reservations)
	if err != nil {
		return err
	}
	var v verifier
	if err := v.load(rest, n, plan.Commitments); err != nil {
		return err
	}
	if err := v.amounts(plan, reserved); err != nil {
		return err
	}
	c := &plan.Certificate
	if len(c.Values) != n*p.offers() {
		return badInput("Certificate.Values", -1, ErrForged, "there are %d: want one for each of %d slots and %d offers", len(c.Values), n, p.offers())
	}
	parts := bigOf(c.Parts)
	if parts.Sign() == 0 {
		return badInput("Certificate.Parts", -1, ErrForged, "0: want a positive number")
	}
	for k := range p.offers() {
		if err := v.worth(k, c.Values[k*n:(k+1)*n], parts); err != nil {
			return err
		}
	}
	var bound *big.Rat
	if p.reserves() || p.offers() > 1 {
		bound, err = v.joint(p, c, parts)
	} else {
		bound = v.alone(c, parts)
	}
	if err != nil {
		return err
	}
	if most := v.money(bound.Num(), bound.Denom()); plan.Bound > 0 && most.Cmp(big.NewInt(int64(plan.Bound))) < 0 {
		return badInput("Bound", -1, ErrForged, "the plan says %v, its certificate proves %v nanos", plan.Bound, most)
	}
	return nil
}

// served returns the problem of the savings plan beside reservations, and what these cost in nanos.
func (p *Problem) served(n int, list []pricing.Purchase) (rest *Problem, reserved *big.Rat, err error) {
	rest, reserved = new(Problem), new(big.Rat)
	*rest = *p
	rest.Types = slices.Clone(p.Types)
	for i := range rest.Types {
		rest.Types[i].Demand = slices.Clone(p.Types[i].Demand)
	}
	for i, r := range list {
		switch {
		case r.Slot < 0 || r.Slot >= n || r.Class < 0 || r.Class >= len(p.Classes) || r.Count <= 0:
			return nil, nil, badInput("Reservations", i, ErrForged, "%d of class %d at slot %d: want some, of a class below %d, at a slot below %d", r.Count, r.Class, r.Slot, len(p.Classes), n)
		case !p.sold(r.Slot):
			return nil, nil, badInput("Reservations", i, ErrForged, "slot %d is not for sale", r.Slot)
		case p.Classes[r.Class].Withdrawn:
			return nil, nil, badInput("Reservations", i, ErrForged, "%s is not for sale", p.Classes[r.Class].Class.Name)
		case i > 0 && (list[i-1].Slot > r.Slot || list[i-1].Slot == r.Slot && list[i-1].Class >= r.Class):
			return nil, nil, badInput("Reservations", i, ErrForged, "not sorted by slot and class")
		}
		reserved.Add(reserved, new(big.Rat).Mul(p.fee(n, r.Class, r.Slot), new(big.Rat).SetInt64(int64(r.Count))))
	}
	for i := range rest.Types {
		active := make([]int64, n+1)
		for _, r := range list {
			if p.Classes[r.Class].Type == i {
				active[r.Slot] += int64(r.Count)
				active[min(n, r.Slot+p.span(p.Classes[r.Class].Class.Term))] -= int64(r.Count)
			}
		}
		for t := range n {
			rest.Types[i].Demand[t] = int(max(0, int64(rest.Types[i].Demand[t])-active[t]))
			active[t+1] += active[t]
		}
	}
	return rest, reserved, nil
}

// reserves reports whether p has a class for sale.
func (p *Problem) reserves() bool {
	return slices.ContainsFunc(p.Classes, func(c TypeClass) bool { return !c.Withdrawn })
}

// A fraction is an amount of a plan, sum/den nanos an hour.
type fraction struct {
	of       *pricing.Money
	field    string
	sum, den *big.Int
}

// sums returns the amounts of plan; reserved is what its reservations cost, in nanos.
func (v *verifier) sums(plan *Plan, reserved *big.Rat) []fraction {
	cost := new(big.Rat).SetFrac(scaled(new(big.Int).Add(v.onDemand, v.committed), int64(v.p.Slot)), scaled(v.all, v.p.hour()))
	cost.Add(cost, reserved)
	return []fraction{
		{&plan.OnDemand, "OnDemand", v.onDemand, v.all}, {&plan.Committed, "Committed", v.committed, v.all}, {&plan.Unused, "Unused", v.unused, v.all},
		{&plan.Reserved, "Reserved", scaled(reserved.Num(), v.p.hour()), scaled(reserved.Denom(), int64(v.p.Slot))},
		{&plan.Cost, "Cost", scaled(cost.Num(), v.p.hour()), scaled(cost.Denom(), int64(v.p.Slot))},
	}
}

// amounts checks the amounts of plan.
func (v *verifier) amounts(plan *Plan, reserved *big.Rat) error {
	for _, a := range v.sums(plan, reserved) {
		if want := v.money(a.sum, a.den); want.Cmp(big.NewInt(int64(*a.of))) != 0 {
			return badInput(a.field, -1, ErrForged, "the plan says %v, its purchases make it %v nanos", *a.of, want)
		}
	}
	return nil
}

// alone returns the bound of a certificate without classes, in nanos an hour.
func (v *verifier) alone(c *Certificate, parts *big.Int) *big.Rat {
	bound := new(big.Int)
	for t := range v.slots {
		bound.Add(bound, v.least(t, v.held[0][t], bigOf(c.Values[t]), parts))
	}
	return new(big.Rat).SetFrac(bound, new(big.Int).Mul(v.all, parts))
}

// joint returns the bound of a certificate beside classes, in nanos an hour, from the demands of p.
func (v *verifier) joint(p *Problem, c *Certificate, parts *big.Int) (*big.Rat, error) {
	n := v.slots
	if len(c.Prices) != n*len(p.Types) {
		return nil, badInput("Certificate.Prices", -1, ErrForged, "there are %d: want %d", len(c.Prices), n*len(p.Types))
	}
	if c.Shift < -64 || c.Shift > 64 {
		return nil, badInput("Certificate.Shift", -1, ErrForged, "%d: want -64 to 64", c.Shift)
	}
	shift := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(max(0, c.Shift))))
	shift.Quo(shift, new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(max(0, -c.Shift)))))
	held := new(big.Int)
	for x, value := range c.Values {
		held.Add(held, new(big.Int).Mul(bigOf(value), big.NewInt(v.held[x/n][x%n])))
	}
	sum := new(big.Int)
	for i := range p.Types {
		before, err := v.prices(p, i, c, parts, shift, sum)
		if err == nil {
			err = v.fees(p, i, before, shift)
		}
		if err != nil {
			return nil, err
		}
	}
	bound := new(big.Rat).SetInt(sum)
	bound.Quo(bound, shift)
	return bound.Sub(bound, new(big.Rat).SetFrac(held.Mul(held, v.unit), parts)), nil
}

// prices checks the prices of type i against its rates, λ/2^shift ≤ p and ≤ q·value/parts of each offer, adds what
// its demand is worth to sum, and returns the sums of prices before each slot.
func (v *verifier) prices(p *Problem, i int, c *Certificate, parts *big.Int, shift *big.Rat, sum *big.Int) ([]*big.Int, error) {
	n, y := v.slots, &p.Types[i]
	before := make([]*big.Int, n+1)
	before[0] = new(big.Int)
	num, den := shift.Num(), shift.Denom()
	top := new(big.Int).Mul(big.NewInt(int64(y.OnDemand)), num)
	for t, x := range c.Prices[i*n : (i+1)*n] {
		left := new(big.Int).Mul(big.NewInt(x), den)
		right := x >= 0 && left.Cmp(top) <= 0
		left.Mul(left, parts)
		for k := range p.offers() {
			q := p.rate(k, i)
			paid := new(big.Int).Mul(big.NewInt(int64(q)), bigOf(c.Values[k*n+t]))
			right = right && (q == 0 || left.Cmp(paid.Mul(paid, num)) <= 0)
		}
		if !right {
			return nil, badInput("Certificate.Prices[]", i*n+t, ErrForged, "%d: want 0 to the price on demand and from the plan", x)
		}
		before[t+1] = new(big.Int).Add(before[t], big.NewInt(x))
		sum.Add(sum, new(big.Int).Mul(big.NewInt(x), big.NewInt(int64(y.Demand[t]))))
	}
	return before, nil
}

// fees checks that over no term an instance of type i is worth more than a class costs, given the sums
// of its prices before each slot.
func (v *verifier) fees(p *Problem, i int, before []*big.Int, shift *big.Rat) error {
	n := v.slots
	for k := range p.Classes {
		if p.Classes[k].Type != i || p.Classes[k].Withdrawn {
			continue
		}
		term := p.span(p.Classes[k].Class.Term)
		var most *big.Int // of the sums, for the slots charged
		charged := -1
		for s := range n {
			if !p.sold(s) {
				continue
			}
			if of := p.charged(n, term, s); of != charged {
				charged = of
				fee := new(big.Rat).Mul(p.fee(n, k, s), big.NewRat(p.hour(), int64(p.Slot)))
				fee.Mul(fee, shift)
				most = new(big.Int).Quo(fee.Num(), fee.Denom())
			}
			if new(big.Int).Sub(before[min(n, s+term)], before[s]).Cmp(most) > 0 {
				return badInput("Certificate.Prices[]", i*n+s, ErrForged, "over the term from this slot %s would be worth more than it costs", p.Classes[k].Class.Name)
			}
		}
	}
	return nil
}

// fee returns what one reservation of class k costs that is made at slot t, in nanos.
func (p *Problem) fee(n, k, t int) *big.Rat {
	c := &p.Classes[k].Class
	fee := new(big.Rat).Mul(big.NewRat(int64(c.Hourly), 1), big.NewRat(int64(c.Term), int64(time.Hour)))
	fee.Add(fee, big.NewRat(int64(c.Upfront), 1))
	term := p.span(c.Term)
	return fee.Mul(fee, big.NewRat(int64(p.charged(n, term, t)), int64(term)))
}

func scaled(x *big.Int, n int64) *big.Int { return new(big.Int).Mul(x, big.NewInt(n)) }

func bigOf(a uint128) *big.Int {
	v := new(big.Int).SetUint64(a[0])
	return v.Add(v.Lsh(v, 64), new(big.Int).SetUint64(a[1]))
}

type verifier struct {
	p         *Problem
	slots     int
	order     []pair   // of payment
	unit, all *big.Int // all is the product of the plan rates
	held      [][]int64
	// What the commitments cost and leave, in nanos an hour times all.
	onDemand, committed, unused *big.Int
}

// A pair is an offer that pays for a type at a rate.
type pair struct{ offer, typ, rate, price int64 }

// pairs returns the pairs of offers and types of p in the order in which they pay.
func (p *Problem) pairs() (list []pair) {
	for k := range p.offers() {
		for i := range p.Types {
			if q := p.rate(k, i); q > 0 {
				list = append(list, pair{int64(k), int64(i), int64(q), int64(p.Types[i].OnDemand)})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b pair) int {
		ratio := func(x, y pair) *big.Int { return new(big.Int).Mul(big.NewInt(x.price), big.NewInt(y.rate)) }
		return cmp.Or(ratio(b, a).Cmp(ratio(a, b)), cmp.Compare(a.rate, b.rate))
	})
	return list
}

// load checks the commitments and adds them up.
func (v *verifier) load(p *Problem, n int, commitments []Commitment) error {
	*v = verifier{p: p, slots: n, unit: big.NewInt(int64(p.unitOf())), all: big.NewInt(1), order: p.pairs(),
		onDemand: new(big.Int), committed: new(big.Int), unused: new(big.Int)}
	for _, x := range v.order {
		v.all.Mul(v.all, big.NewInt(x.rate))
	}
	active := make([][]int64, p.offers())
	for k := range active {
		active[k] = make([]int64, n+1)
		v.held = append(v.held, make([]int64, n+1))
	}
	for i, c := range commitments {
		switch {
		case c.Offer < 0 || c.Offer >= p.offers():
			return badInput("Commitments", i, ErrForged, "offer %d: there are %d", c.Offer, p.offers())
		case c.Slot < 0 || c.Slot >= n || c.Units <= 0:
			return badInput("Commitments", i, ErrForged, "%d units at slot %d: want some, at a slot below %d", c.Units, c.Slot, n)
		case !p.sold(c.Slot):
			return badInput("Commitments", i, ErrForged, "slot %d is not for sale", c.Slot)
		case c.Hourly != 0 && new(big.Int).Mul(v.unit, big.NewInt(int64(c.Units))).Cmp(big.NewInt(int64(c.Hourly))) != 0:
			return badInput("Commitments", i, ErrForged, "%v an hour: want %d units of %v", c.Hourly, c.Units, p.unitOf())
		case i > 0 && cmp.Or(cmp.Compare(commitments[i-1].Slot, c.Slot), cmp.Compare(commitments[i-1].Offer, c.Offer)) >= 0:
			return badInput("Commitments", i, ErrForged, "slot %d after slot %d: want them sorted", c.Slot, commitments[i-1].Slot)
		}
		term := p.term(c.Offer)
		active[c.Offer][c.Slot] += int64(c.Units)
		active[c.Offer][min(n, c.Slot+term)] -= int64(c.Units)
		v.committed.Add(v.committed, new(big.Int).Mul(big.NewInt(int64(c.Units)), big.NewInt(int64(p.charged(n, term, c.Slot)))))
	}
	for _, h := range p.Held {
		v.held[h.Class][0] += int64(h.Count)
		v.held[h.Class][min(n, h.Until)] -= int64(h.Count)
	}
	units := make([]*big.Int, p.offers())
	for t := range n {
		for k := range units {
			if t > 0 {
				active[k][t] += active[k][t-1]
				v.held[k][t] += v.held[k][t-1]
			}
			units[k] = big.NewInt(v.held[k][t] + active[k][t])
		}
		cost, rest := v.slot(t, units)
		v.onDemand.Add(v.onDemand, cost)
		for _, left := range rest {
			v.unused.Add(v.unused, left)
		}
	}
	v.committed.Mul(v.committed, v.unit).Mul(v.committed, v.all)
	return nil
}

// worth checks that over no term for sale commitment to offer k is worth more than it costs, given
// its worth in each slot, in parts of its price.
func (v *verifier) worth(k int, values []uint128, parts *big.Int) error {
	before := []*big.Int{new(big.Int)}
	for t, value := range values {
		before = append(before, new(big.Int).Add(before[t], bigOf(value)))
	}
	term := v.p.term(k)
	for s := range v.slots {
		if !v.p.sold(s) {
			continue
		}
		worth := new(big.Int).Sub(before[min(v.slots, s+term)], before[s])
		if worth.Cmp(new(big.Int).Mul(parts, big.NewInt(int64(v.p.charged(v.slots, term, s))))) > 0 {
			return badInput("Certificate", k*v.slots+s, ErrForged, "over the term from this slot commitment would be worth more than it costs")
		}
	}
	return nil
}

// slot returns what slot t costs on demand with so many units of each offer, and what is left of
// these, in nanos an hour times all. All is a multiple of all rates, and an offer ends within one type
// only, so that all amounts are whole.
func (v *verifier) slot(t int, units []*big.Int) (cost *big.Int, left []*big.Int) {
	for _, n := range units {
		x := new(big.Int).Mul(n, v.unit)
		left = append(left, x.Mul(x, v.all))
	}
	usage := make([]*big.Int, len(v.p.Types))
	for i := range usage {
		usage[i] = new(big.Int).Mul(big.NewInt(int64(v.p.Types[i].Demand[t])), v.all)
	}
	for _, x := range v.order {
		money, q := left[x.offer], big.NewInt(x.rate)
		need := new(big.Int).Mul(usage[x.typ], q)
		if need.Cmp(money) <= 0 {
			money.Sub(money, need)
			usage[x.typ].SetInt64(0)
		} else {
			usage[x.typ].Sub(usage[x.typ], q.Quo(money, q))
			money.SetInt64(0)
		}
	}
	cost = new(big.Int)
	for i, x := range usage {
		cost.Add(cost, x.Mul(x, big.NewInt(int64(v.p.Types[i].OnDemand))))
	}
	return cost, left
}

// least returns the minimum over N ≥ held of the cost of slot t on demand plus
// what N - held units cost at z/parts of their price, times all and parts.
func (v *verifier) least(t int, held int64, z, parts *big.Int) *big.Int {
	var least *big.Int
	try := func(units *big.Int) {
		cost, _ := v.slot(t, []*big.Int{units})
		cost.Mul(cost, parts)
		more := new(big.Int).Sub(units, big.NewInt(held))
		more.Mul(more, v.unit).Mul(more, v.all)
		if cost.Add(cost, more.Mul(more, z)); least == nil || cost.Cmp(least) < 0 {
			least = cost
		}
	}
	try(big.NewInt(held))
	end := new(big.Int)
	for _, x := range v.order {
		end.Add(end, new(big.Int).Mul(big.NewInt(x.rate), big.NewInt(int64(v.p.Types[x.typ].Demand[t]))))
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
	whole := new(big.Int).Mul(den, big.NewInt(v.p.hour()))
	q, r := new(big.Int).QuoRem(num, whole, new(big.Int))
	if c := r.Lsh(r, 1).Cmp(whole); c > 0 || c == 0 && q.Bit(0) == 1 {
		q.Add(q, big.NewInt(1))
	}
	return q
}
