package reserve

import (
	"cmp"
	"slices"

	"github.com/plimsoll/plimsoll/internal/wide"
	"github.com/plimsoll/plimsoll/pricing"
)

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

// AppendUses appends to dst a [Use] for each purchase: how much the purchase serves and saves. The
// purchases must be a plan for p, sorted by slot and class. In each slot, the reservation with the
// lowest use price serves first, as providers apply them. Among equal use prices the inventory
// serves first, then the first class of the list, then the earliest purchase.
//
// The error is that of a malformed problem or malformed purchases. Time: O(slots × purchases active
// in one slot).
func AppendUses(dst []Use, p *Problem, purchases []pricing.Purchase) ([]Use, error) {
	var m market
	if err := m.load(p); err != nil {
		return dst, err
	}
	if err := checkPurchases(p, &m, purchases); err != nil {
		return dst, err
	}
	first := len(dst)
	lots, err := m.lots(p, purchases)
	if err != nil {
		return dst, err
	}
	for _, q := range purchases {
		dst = append(dst, Use{Purchase: q, BreakEven: -1})
	}
	for _, l := range lots {
		if l.i >= 0 && l.fee == 0 {
			dst[first+l.i].BreakEven = l.at
		}
	}
	m.serve(p.Demand, lots, dst[first:])
	for _, l := range lots {
		if l.i < 0 {
			continue
		}
		use := &dst[first+l.i]
		if active := int64(l.end-l.at) * int64(l.count); active > 0 {
			use.Utilisation = float64(use.Slots) / float64(active)
		}
		if use.Saved, err = m.saved(&l, use.Slots); err != nil {
			return dst[:first], err
		}
	}
	return dst, nil
}

// A lot is a purchase or a holding, as it serves.
type lot struct {
	use        int64
	class, at  int // at < 0: inventory
	end, count int
	i          int   // of the purchase, -1 for inventory
	left       int64 // of the fee, not saved yet
	fee        int64
}

// lots lists inventory and purchases in the order in which they serve.
func (m *market) lots(p *Problem, purchases []pricing.Purchase) ([]lot, error) {
	var lots []lot
	for _, h := range p.Held {
		lots = append(lots, lot{use: m.classes[h.Class].use, class: h.Class, at: -1, end: h.Until, count: h.Count, i: -1})
	}
	n := len(p.Demand)
	for i, q := range purchases {
		c := &m.classes[q.Class]
		fee, ok := wide.Mul(c.feeFor(n-q.Slot), int64(q.Count))
		if !ok {
			return nil, badInput("Demand", -1, ErrOverflow, "the fees of purchase %d do not fit", i)
		}
		lots = append(lots, lot{c.use, q.Class, q.Slot, min(n, q.Slot+c.term), q.Count, i, fee, fee})
	}
	slices.SortStableFunc(lots, func(a, b lot) int {
		return cmp.Or(cmp.Compare(a.use, b.use), cmp.Compare(min(a.at, 0), min(b.at, 0)), cmp.Compare(a.class, b.class), cmp.Compare(a.at, b.at))
	})
	return lots, nil
}

// serve serves the demand slot by slot, and counts the slots and the break-even of each purchase.
func (m *market) serve(demand []int, lots []lot, uses []Use) {
	for t, d := range demand {
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
			use := &uses[l.i]
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
}

// saved returns (price − use)·slots − fee.
func (m *market) saved(l *lot, slots int64) (pricing.Money, error) {
	var sum balance
	sum.add(m.price-l.use, slots)
	sum.add(-l.fee, 1)
	diff, neg := difference(sum.plus, sum.minus)
	saved, ok := m.money(diff)
	if !ok {
		return 0, badInput("Prices", -1, ErrOverflow, "what purchase %d saves does not fit", l.i)
	}
	if neg {
		saved = -saved
	}
	return saved, nil
}
