package reserve

import (
	"math/big"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
)

// VerifySavings checks a plan and its certificate without any part of the solver:
// that the commitments keep to the problem's rules, that the amounts are what
// they cost, and that the certificate proves the bound. A nil error means that no
// plan for p costs less than Bound, and none less than this one if Optimal
// reports true. What is wrong is said by an [*InputError] that unwraps to
// [ErrForged].
//
// The bound. Let g_t(N) be what slot t costs on demand with N active units, H_t of
// them held, and z_t ≥ 0 the certificate's values. For any plan with r_s units
// bought at slot s, adding Σ z_t·(N_t - H_t - active) = 0 to its cost gives
//
//	Σ_t (g_t(N_t) + z_t·(N_t - H_t)) + Σ_s (F_s - Σ z_t over the term)·r_s,
//
// and taking the minimum over each N_t ≥ H_t and r_s ≥ 0 alone can only lower that.
// The second sum has the minimum 0 if no bracket is negative, which is checked. Each
// g_t is linear between the ends of the types, so that its minima are next to those
// ends or at H_t. No use is made of how the values were found, nor of convexity.
//
// Arithmetic is in big integers. Time: O(slots × types²) of their operations.
func VerifySavings(p *SavingsProblem, plan *SavingsPlan) error {
	n, err := p.check()
	if err != nil {
		return err
	}
	v := savingsVerifier{p: p, unit: big.NewInt(int64(p.unitOf())), all: big.NewInt(1)}
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

	// What is active, and paid for.
	active := make([]int64, n+1)
	held := make([]int64, n+1)
	paid := new(big.Int) // unit-slots
	term := int(p.Term / p.Slot)
	for i, c := range plan.Commitments {
		switch {
		case c.Slot < 0 || c.Slot >= n || c.Units <= 0:
			return badInput("Commitments", i, ErrForged, "%d units at slot %d: want some, at a slot below %d", c.Units, c.Slot, n)
		case c.Slot%max(1, p.Every) != 0 || p.Closed != nil && p.Closed[c.Slot]:
			return badInput("Commitments", i, ErrForged, "slot %d is not for sale", c.Slot)
		case i > 0 && plan.Commitments[i-1].Slot >= c.Slot:
			return badInput("Commitments", i, ErrForged, "slot %d after slot %d: want them sorted", c.Slot, plan.Commitments[i-1].Slot)
		}
		active[c.Slot] += int64(c.Units)
		active[min(n, c.Slot+term)] -= int64(c.Units)
		paid.Add(paid, new(big.Int).Mul(big.NewInt(int64(c.Units)), big.NewInt(int64(p.charged(n, c.Slot)))))
	}
	for _, h := range p.Held {
		held[0] += int64(h.Units)
		held[min(n, h.Until)] -= int64(h.Units)
	}
	if len(plan.Certificate.Values) != n {
		return badInput("Certificate.Values", -1, ErrForged, "there are %d: want one for each of %d slots", len(plan.Certificate.Values), n)
	}
	parts := plan.Certificate.Parts.big()
	if parts.Sign() == 0 {
		return badInput("Certificate.Parts", -1, ErrForged, "0: want a positive number")
	}

	// Amounts in nanos an hour times all, and times parts for the bound.
	onDemand, unused, bound := new(big.Int), new(big.Int), new(big.Int)
	before := make([]*big.Int, n+1) // sums of values
	before[0] = new(big.Int)
	for t := range n {
		if t > 0 {
			active[t] += active[t-1]
			held[t] += held[t-1]
		}
		z := plan.Certificate.Values[t].big()
		before[t+1] = new(big.Int).Add(before[t], z)
		cost, rest := v.slot(t, big.NewInt(held[t]+active[t]))
		onDemand.Add(onDemand, cost)
		unused.Add(unused, rest)
		bound.Add(bound, v.least(t, held[t], z, parts))
	}
	for s := range n {
		if s%max(1, p.Every) != 0 || p.Closed != nil && p.Closed[s] {
			continue
		}
		worth := new(big.Int).Sub(before[min(n, s+term)], before[s])
		if worth.Cmp(new(big.Int).Mul(parts, big.NewInt(int64(p.charged(n, s))))) > 0 {
			return badInput("Certificate.Values", s, ErrForged, "over the term from this slot a unit would be worth more than it costs")
		}
	}

	committed := new(big.Int).Mul(paid, v.unit)
	committed.Mul(committed, v.all)
	unused.Mul(unused, v.all)
	for _, c := range []struct {
		field string
		has   pricing.Money
		want  *big.Int
	}{
		{"OnDemand", plan.OnDemand, onDemand},
		{"Committed", plan.Committed, committed},
		{"Cost", plan.Cost, new(big.Int).Add(onDemand, committed)},
		{"Unused", plan.Unused, unused},
	} {
		if want := v.money(c.want, v.all); want.Cmp(big.NewInt(int64(c.has))) != 0 {
			return badInput(c.field, -1, ErrForged, "the plan says %v, its commitments make it %v nanos", c.has, want)
		}
	}
	if most := v.money(bound, new(big.Int).Mul(v.all, parts)); most.Cmp(big.NewInt(int64(plan.Bound))) < 0 {
		return badInput("Bound", -1, ErrForged, "the plan says %v, its certificate proves %v nanos", plan.Bound, most)
	}
	return nil
}

// charged returns the slots for which a commitment made at slot t is paid for, with
// n slots of demand.
func (p *SavingsProblem) charged(n, t int) int {
	term := int(p.Term / p.Slot)
	if p.Horizon == Pure {
		return min(term, n-t)
	}
	return term
}

func (a Uint128) big() *big.Int {
	v := new(big.Int).SetUint64(a.Hi)
	return v.Add(v.Lsh(v, 64), new(big.Int).SetUint64(a.Lo))
}

type savingsVerifier struct {
	p         *SavingsProblem
	order     []int // of payment
	unit, all *big.Int
}

// slot returns what slot t costs on demand with so many units, times all, and what
// is left of these, in nanos an hour.
func (v *savingsVerifier) slot(t int, units *big.Int) (cost, left *big.Int) {
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

// least returns the minimum over N ≥ held of the cost of slot t on demand plus
// what N - held units cost at z/parts of their price, times all and parts.
func (v *savingsVerifier) least(t int, held int64, z, parts *big.Int) *big.Int {
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
func (v *savingsVerifier) money(sum, den *big.Int) *big.Int {
	num := new(big.Int).Mul(sum, big.NewInt(int64(v.p.Slot)))
	whole := new(big.Int).Mul(den, big.NewInt(int64(time.Hour)))
	q, r := new(big.Int).QuoRem(num, whole, new(big.Int))
	if c := r.Lsh(r, 1).Cmp(whole); c > 0 || c == 0 && q.Bit(0) == 1 {
		q.Add(q, big.NewInt(1))
	}
	return q
}
