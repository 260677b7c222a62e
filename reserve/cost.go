package reserve

import (
	"cmp"
	"math"
	"slices"

	"github.com/plimsoll/plimsoll/internal/wide"
	"github.com/plimsoll/plimsoll/pricing"
)

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
	if p.Tree != nil {
		return costTree(p, &m, purchases)
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

// checkPurchases checks that purchases are a plan that keeps to p's rules.
func checkPurchases(p *Problem, m *market, purchases []pricing.Purchase) error {
	n := p.slots()
	if p.Tree != nil {
		n = len(p.Tree)
	}
	var change []int64
	if p.MaxActive > 0 {
		change = make([]int64, n+1)
		for _, h := range p.Held {
			if h.Until > 0 {
				change[0] += int64(h.Count)
				change[min(n, h.Until)] -= int64(h.Count)
			}
		}
	}
	for i, q := range purchases {
		switch {
		case q.Slot < 0 || q.Slot >= n || q.Class < 0 || q.Class >= len(m.classes) || q.Count <= 0 || q.Count > math.MaxInt32:
			return badInput("Purchases", i, ErrForged, "%d of class %d at slot %d: no such slot, class or count", q.Count, q.Class, q.Slot)
		case m.closed(p, m.slotOf(p, q.Slot)):
			return badInput("Purchases", i, ErrForged, "nothing can be bought at slot %d", q.Slot)
		case i > 0 && (purchases[i-1].Slot > q.Slot || purchases[i-1].Slot == q.Slot && purchases[i-1].Class >= q.Class):
			return badInput("Purchases", i, ErrForged, "not sorted by slot and class, each once")
		}
		switch limit, sold := p.most(q.Class); {
		case !sold:
			return badInput("Purchases", i, ErrForged, "%s is not for sale", p.Prices.Classes[q.Class].Name)
		case limit > 0 && q.Count > limit:
			return badInput("Purchases", i, ErrForged, "%d bought, %d allowed", q.Count, limit)
		}
		if change != nil {
			change[q.Slot] += int64(q.Count)
			change[min(n, q.Slot+m.classes[q.Class].term)] -= int64(q.Count)
		}
	}
	active := int64(0)
	for t := range change[:max(0, len(change)-1)] {
		if active += change[t]; active > int64(p.MaxActive) {
			return badInput("MaxActive", -1, ErrForged, "%d reservations are active in slot %d, %d allowed", active, t, p.MaxActive)
		}
	}
	return nil
}
