package reserve

import (
	"cmp"
	"slices"

	"github.com/plimsoll/plimsoll/internal/wide"
	"github.com/plimsoll/plimsoll/pricing"
)

// A Plan is a list of purchases, their cost, and a proof of how near the optimum they are.
type Plan struct {
	// Purchases is sorted by slot, then by class, with at most one for each
	// slot and class.
	Purchases []pricing.Purchase
	// Bill is what the demand costs with the purchases and the inventory.
	Bill pricing.Bill
	// Cost is the amount that is planned for: Bill.Total or Bill.Pure, by the
	// problem's Horizon, less the hours that held reservations owe whether they
	// are used or not. Cost is computed as a whole and rounded half to even once,
	// while the bill rounds line by line. Bound is what no plan costs less than,
	// rounded in the same way: a plan is optimal where they are equal.
	Cost, Bound pricing.Money
	// Certificate proves the bound; see Verify.
	Certificate Certificate
	// Limited says that a limit on the work was reached and that the gap is above
	// 10⁻³. That happens only with several use prices and thousands of purchases.
	// Plan and bound hold, but may both be worse than they could be.
	Limited bool
}

// Gap returns how far the plan's cost is above the bound, as a share of the
// bound: 0 for an optimal plan, +Inf where the bound is 0 and the cost is not.
func (p *Plan) Gap() float64 {
	if p.Cost == p.Bound {
		return 0
	}
	return p.Cost.Float64()/p.Bound.Float64() - 1
}

// Optimal reports whether the certificate proves that no plan costs less.
func (p *Plan) Optimal() bool { return p.Cost == p.Bound }

// A Certificate is a dual solution: Values[k·T + t] is what one more reservation of level k
// or a later level is worth in slot t of T.
//
// The levels are the distinct use prices u_1 > u_2 > … below the price on demand u_0, of the
// classes in the list and of the inventory. A reservation whose use costs u_k saves
// w_j = u_{j-1} − u_j at each level j ≤ k. With prepaid classes alone there is one level,
// and w_1 is the price on demand. One more instance in slot t then adds at least Values[t]
// to the cost of an optimal plan, and one less saves at most Values[t].
//
// A value of v is v·Num/Den nano-currency units. This unit divides all prices of the
// problem. Where a linear program has fractional values, the unit is finer than that.
type Certificate struct {
	Levels   int
	Values   []int64
	Num, Den int64
}

func sortPurchases(list []pricing.Purchase) {
	slices.SortFunc(list, func(a, b pricing.Purchase) int {
		return cmp.Or(cmp.Compare(a.Slot, b.Slot), cmp.Compare(a.Class, b.Class))
	})
}

// Cost returns the cost of purchases of any origin, sorted by slot and class: the Cost of a
// [Plan], or the mean cost if the demand is not known. The error is that of a malformed
// problem, [ErrForged] for purchases that break the rules of the problem, or [ErrOverflow].
func Cost(p *Problem, purchases []pricing.Purchase) (pricing.Money, error) {
	var m market
	if err := m.loadAny(p); err != nil {
		return 0, err
	}
	if err := checkPurchases(p, &m, purchases); err != nil {
		return 0, err
	}
	n := p.slots()
	if !p.uncertain() {
		if err := m.tally.load(p, 1); err != nil {
			return 0, err
		}
	}
	order := make([]int, len(m.classes))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(m.classes[a].use, m.classes[b].use) })
	var sum wide.Uint
	active, left := make([]int64, n), make([]int64, n) // reservations so far, and what they leave
	for t := range left {
		left[t] = m.tally.short(t, 0)
	}
	for _, k := range order {
		c, change := &m.classes[k], make([]int64, n+1)
		for _, h := range p.Held {
			if h.Class == k && h.Until > 0 {
				change[0] += int64(h.Count)
				change[min(n, h.Until)] -= int64(h.Count)
			}
		}
		for _, q := range purchases {
			if q.Class == k {
				change[q.Slot] += int64(q.Count)
				change[min(n, q.Slot+c.term)] -= int64(q.Count)
				accumulate(&sum, c.feeFor(n-q.Slot), int64(q.Count))
			}
		}
		own := int64(0)
		for t := range n {
			if own += change[t]; own > 0 {
				active[t] += own
				rest := m.tally.short(t, active[t])
				accumulate(&sum, c.use, left[t]-rest)
				left[t] = rest
			}
		}
	}
	for _, d := range left {
		accumulate(&sum, m.price, d)
	}
	cost, ok := m.money(sum)
	if !ok {
		return 0, badInput("Demand", -1, ErrOverflow, "its cost does not fit in an amount of money")
	}
	return cost, nil
}

// A Use is what a purchase of a plan does.
type Use struct {
	Purchase pricing.Purchase
	// Slots is the number of instance-slots of demand that the purchase serves,
	// Utilisation their share of those that it is active within the demand.
	Slots       int64
	Utilisation float64
	// BreakEven is the first slot at whose end the purchase has saved its fee,
	// -1 if it does not within the demand. With the Pure horizon the fee is that
	// of the slots up to the end of the demand.
	BreakEven int
	// Saved is what the purchase saves over on demand, negative where it loses,
	// rounded towards zero.
	Saved pricing.Money
}

// AppendUses appends to dst what each purchase does. The purchases must be a plan for p,
// sorted by slot and class. Reservations serve by use price, the lowest first, as providers
// apply them. Of equal use prices the inventory serves first, then the first class of the
// list, then the earliest purchase.
//
// The error is that of a malformed problem or malformed purchases. Time: O(slots × purchases
// active in one slot).
func AppendUses(dst []Use, p *Problem, purchases []pricing.Purchase) ([]Use, error) {
	var m market
	if err := m.load(p); err != nil {
		return dst, err
	}
	if err := checkPurchases(p, &m, purchases); err != nil {
		return dst, err
	}
	type lot struct {
		use        int64
		class, at  int // at < 0: inventory
		end, count int
		i          int // of the purchase, -1 for inventory
		left       int64
		fee        int64
	}
	first := len(dst)
	var lots []lot
	for _, h := range p.Held {
		lots = append(lots, lot{use: m.classes[h.Class].use, class: h.Class, at: -1, end: h.Until, count: h.Count, i: -1})
	}
	n := len(p.Demand)
	for i, q := range purchases {
		c := &m.classes[q.Class]
		fee, ok := wide.Mul(c.feeFor(n-q.Slot), int64(q.Count))
		if !ok {
			return dst[:first], badInput("Demand", -1, ErrOverflow, "the fees of purchase %d do not fit", i)
		}
		lots = append(lots, lot{c.use, q.Class, q.Slot, min(n, q.Slot+c.term), q.Count, i, fee, fee})
		dst = append(dst, Use{Purchase: q, BreakEven: -1})
		if fee == 0 {
			dst[len(dst)-1].BreakEven = q.Slot
		}
	}
	slices.SortStableFunc(lots, func(a, b lot) int {
		return cmp.Or(cmp.Compare(a.use, b.use), cmp.Compare(min(a.at, 0), min(b.at, 0)), cmp.Compare(a.class, b.class), cmp.Compare(a.at, b.at))
	})
	for t, d := range p.Demand {
		for k := range lots {
			l := &lots[k]
			if d == 0 {
				break
			}
			if l.at > t || l.end <= t {
				continue
			}
			u := min(d, l.count)
			d -= u
			if l.i < 0 {
				continue
			}
			use := &dst[first+l.i]
			use.Slots += int64(u)
			save, ok := wide.Mul(max(0, m.price-l.use), int64(u))
			if l.left > 0 && (!ok || save >= l.left) {
				use.BreakEven = t
			}
			if l.left -= save; !ok {
				l.left = 0
			}
		}
	}
	for _, l := range lots {
		if l.i < 0 {
			continue
		}
		use := &dst[first+l.i]
		if active := int64(l.end-l.at) * int64(l.count); active > 0 {
			use.Utilisation = float64(use.Slots) / float64(active)
		}
		// (price − use)·slots − fee, in 128 bits, of either sign.
		var gain, lost wide.Uint
		if w := m.price - l.use; w >= 0 {
			accumulate(&gain, w, use.Slots)
		} else {
			accumulate(&lost, -w, use.Slots)
		}
		accumulate(&lost, l.fee, 1)
		diff, neg := difference(gain, lost)
		saved, ok := m.money(diff)
		if !ok {
			return dst[:first], badInput("Prices", -1, ErrOverflow, "what purchase %d saves does not fit", l.i)
		}
		if neg {
			saved = -saved
		}
		use.Saved = saved
	}
	return dst, nil
}
