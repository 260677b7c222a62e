package reserve

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/plimsoll/plimsoll/internal/grow"
	"github.com/plimsoll/plimsoll/internal/wide"
	"github.com/plimsoll/plimsoll/pricing"
)

// Verify checks a plan and its certificate without any part of a solver. Verify checks that
// the purchases keep to the rules of the problem, that Cost is their cost, that the
// certificate is dual feasible, and that Bound is the bound that the certificate proves. If
// the error is nil, no plan for p costs less than Bound, and if Optimal reports true, no
// plan costs less than this plan.
//
// The bound. Let N_kt be the number of reservations active in slot t at level k or a later
// level, and H_kt the number of those in the inventory. The cost is
//
//	Σ_t u_m·d_t + Σ_kt w_k·max(0, d_t − N_kt) + Σ fees.
//
// For any values y, Σ y_kt·(H_kt + active_kt − N_kt) = 0. Subtract this sum, and take the
// minimum over each N_kt and each purchase on its own. Both can only lower the cost:
//
//	Σ_t u_m·d_t + Σ_kt (min_N w_k·max(0, d_t − N) + y_kt·N) − Σ_kt y_kt·H_kt
//	            + Σ_purchases min_r (fee − Σ y over the slots and levels served)·r.
//
// The first minimum is at N = 0 if y_kt ≥ w_k, and otherwise at d_t, or at the cap
// (MaxActive) if the cap is lower. A negative y_kt is allowed only where there is a cap, and
// takes N to the cap. The second minimum is 0 if the bracket is not negative. Otherwise r is
// the peak of the demand, which no optimal plan need exceed, or a cap below the peak. Every
// cost is a whole number of the coarsest unit in which the prices are whole, so the bound is
// rounded up to a whole number of that unit. By complementary slackness, the bound of an
// optimal solution of the linear program meets its cost. Where the two differ, Verify names
// the first slot or purchase at fault.
//
// Of the bill, Verify compares the total, the pure cost and the part on demand. Arithmetic
// is exact, in 128 bits. Time: O(classes × (levels × slots + purchases)).
func Verify(p *Problem, plan *Plan) error {
	var m market
	if err := m.loadAny(p); err != nil {
		return err
	}
	if err := checkPurchases(p, &m, plan.Purchases); err != nil {
		return err
	}
	c := &plan.Certificate
	finer := c.Den / m.scale
	if c.Num != m.common || c.Den%m.scale != 0 || !m.refine(finer) {
		return badInput("Certificate", -1, ErrForged, "the unit is %d/%d: want a part of %d/%d", c.Num, c.Den, m.common, m.scale)
	}
	var v dual
	if err := v.load(p, &m, plan.Purchases); err != nil {
		return err
	}
	if c.Levels != len(v.worth) || len(c.Values) != len(v.worth)*p.slots() {
		return badInput("Certificate", -1, ErrForged, "%d levels and %d values: want %d and %d", c.Levels, len(c.Values), len(v.worth), len(v.worth)*p.slots())
	}
	cost := v.cost()
	bound, err := v.bound(c.Values, finer)
	if err != nil {
		return err
	}
	if claimed, ok := m.money(cost); !ok || claimed != plan.Cost {
		return badInput("Cost", -1, ErrForged, "the plan says %v, its purchases cost %v", plan.Cost, claimed)
	}
	if claimed, ok := m.money(bound); !ok || claimed != plan.Bound {
		return badInput("Bound", -1, ErrForged, "the plan says %v, its certificate proves %v%s", plan.Bound, claimed, v.slack(c.Values))
	}
	if p.uncertain() {
		return nil
	}
	var b pricing.Biller
	own, err := b.BillHeld(p.Prices, p.Demand, p.Slot, plan.Purchases, p.Held)
	if err != nil {
		return err
	}
	if own.Total != plan.Bill.Total || own.Pure != plan.Bill.Pure || own.OnDemand != plan.Bill.OnDemand {
		return badInput("Bill", -1, ErrForged, "the plan says %v in all, %v pure, its purchases cost %v, %v", plan.Bill.Total, plan.Bill.Pure, own.Total, own.Pure)
	}
	return nil
}

// checkPurchases checks that purchases are a plan that keeps to p's rules.
func checkPurchases(p *Problem, m *market, purchases []pricing.Purchase) error {
	n := p.slots()
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
		case q.Slot%m.every != 0 || p.Closed != nil && p.Closed[q.Slot]:
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

// dual is the problem as Verify sees it.
type dual struct {
	p      *Problem
	m      *market
	plan   []pricing.Purchase
	least  int64   // u_m, the lowest use price
	prices []int64 // u_k
	worth  []int64 // w_k
	level  []int   // of each class, -1 if its use costs no less than on demand
	held   []int64 // [k·(T+1) + t]
	total  []int64 // active, held ones included, likewise
	before []int64 // scratch
}

func (v *dual) load(p *Problem, m *market, plan []pricing.Purchase) error {
	v.p, v.m, v.plan = p, m, plan
	v.prices = usePrices(v.prices, p, m)
	v.least = m.price
	v.worth, v.level = v.worth[:0], v.level[:0]
	for _, u := range v.prices {
		v.worth = append(v.worth, v.least-u)
		v.least = u
	}
	for c := range m.classes {
		v.level = append(v.level, slices.Index(v.prices, m.classes[c].use))
	}
	n := p.slots()
	if !p.uncertain() {
		if err := m.tally.load(p, 1); err != nil {
			return err
		}
	}
	v.before = grow.To(v.before, n+1)
	v.held = grow.Zero(v.held, len(v.worth)*(n+1))
	v.total = grow.Zero(v.total, len(v.worth)*(n+1))
	mark := func(a []int64, class, from, to, count int) {
		for k := 0; k <= v.level[class]; k++ {
			a[k*(n+1)+from] += int64(count)
			a[k*(n+1)+min(n, to)] -= int64(count)
		}
	}
	for i, h := range p.Held {
		if v.level[h.Class] < 0 && h.Count > 0 && h.Until > 0 {
			return badInput("Held", i, ErrUnsupported, "use of %s costs no less than on demand", p.Prices.Classes[h.Class].Name)
		}
		if h.Until > 0 {
			mark(v.held, h.Class, 0, h.Until, h.Count)
			mark(v.total, h.Class, 0, h.Until, h.Count)
		}
	}
	for i, q := range plan {
		if v.level[q.Class] < 0 {
			return badInput("Purchases", i, ErrForged, "use of %s costs no less than on demand", p.Prices.Classes[q.Class].Name)
		}
		mark(v.total, q.Class, q.Slot, q.Slot+m.classes[q.Class].term, q.Count)
	}
	for k := range v.worth {
		held, total := v.held[k*(n+1):(k+1)*(n+1)], v.total[k*(n+1):(k+1)*(n+1)]
		for t := 1; t < n; t++ {
			held[t] += held[t-1]
			total[t] += total[t-1]
		}
	}
	return nil
}

// usePrices appends the distinct use prices below the price on demand of the classes that
// are for sale or held, falling.
func usePrices(dst []int64, p *Problem, m *market) []int64 {
	dst = dst[:0]
	for k, c := range m.classes {
		if c.use < m.price && p.sold(k) {
			dst = append(dst, c.use)
		}
	}
	for _, h := range p.Held {
		if c := &m.classes[h.Class]; c.use < m.price && h.Count > 0 && h.Until > 0 {
			dst = append(dst, c.use)
		}
	}
	slices.Sort(dst)
	dst = slices.Compact(dst)
	slices.Reverse(dst)
	return dst
}

// cost is what the plan costs.
func (v *dual) cost() (sum wide.Uint) {
	n := v.p.slots()
	for t := range n {
		accumulate(&sum, v.least, v.m.tally.short(t, 0))
		for k, w := range v.worth {
			accumulate(&sum, w, v.m.tally.short(t, v.total[k*(n+1)+t]))
		}
	}
	for _, q := range v.plan {
		accumulate(&sum, v.m.classes[q.Class].feeFor(n-q.Slot), int64(q.Count))
	}
	return sum
}

// maxValue bounds the sum of all values of a certificate, as market.prices bounds
// fees, so that neither sums over a term nor their differences wrap.
const maxValue = 1 << 61

// bound is what the values prove, rounded up to a multiple of unit; 0 where they
// prove less than nothing.
func (v *dual) bound(y []int64, unit int64) (wide.Uint, error) {
	n := v.p.slots()
	peak := int64(v.m.tally.peak())
	if v.p.MaxActive > 0 {
		peak = min(peak, int64(v.p.MaxActive))
	}
	var plus, minus wide.Uint
	signed := func(a, b int64) { // a of any sign, b ≥ 0
		if a < 0 {
			accumulate(&minus, -a, b)
		} else {
			accumulate(&plus, a, b)
		}
	}
	largest := maxValue / int64(max(1, n*len(v.worth)))
	for t := range n {
		accumulate(&plus, v.least, v.m.tally.short(t, 0))
		for k, w := range v.worth {
			value := y[k*n+t]
			if value > largest || value < -largest {
				return wide.Uint{}, badInput("Certificate.Values[]", k*n+t, ErrForged, "%d is out of range", value)
			}
			if value < 0 && v.p.MaxActive == 0 {
				return wide.Uint{}, badInput("Certificate.Values[]", k*n+t, ErrForged, "%d is negative, and no cap holds slot %d", value, t)
			}
			signed(-value, v.held[k*(n+1)+t])
			best := int64(v.p.MaxActive) // if y < 0
			if value >= 0 {
				best = v.best(t, w, value)
			}
			accumulate(&plus, w, v.m.tally.short(t, best))
			signed(value, best)
		}
	}
	sums, level := v.before, -1
	for c := range v.m.classes {
		if v.level[c] < 0 {
			continue
		}
		limit, sold := v.p.most(c)
		if !sold {
			continue
		}
		most := peak
		if limit > 0 {
			most = min(most, int64(limit))
		}
		if v.level[c] != level { // classes of one level have the same sums
			level = v.level[c]
			v.sums(sums, y, c)
		}
		fee, term := v.m.classes[c].fee, v.m.classes[c].term
		for s := 0; s < n; s += v.m.every {
			var left int64
			if s+term <= n {
				left = fee - (sums[s+term] - sums[s]) // what reduced returns, in a third of its time
			} else {
				left = v.reduced(sums, c, s)
			}
			if left < 0 && (v.p.Closed == nil || !v.p.Closed[s]) {
				accumulate(&minus, -left, most)
			}
		}
	}
	sum, neg := difference(plus, minus)
	if neg {
		return wide.Uint{}, nil
	}
	if rest := bits.Rem64(sum.Hi, sum.Lo, uint64(unit)); rest > 0 {
		accumulate(&sum, unit-int64(rest), 1)
	}
	return sum, nil
}

// best returns the number N of active reservations, within the cap, that makes a sum least:
// what they leave of slot t at w, and what they cost at y ≥ 0. That is the largest demand d
// such that the demand is d or more with a weight of at least y/w.
func (v *dual) best(t int, w, y int64) int64 {
	sum := int64(0)
	for _, st := range v.m.tally.of(t) {
		sum += st.weight
		if all, ok := wide.Mul(w, sum); !ok || all > y {
			if v.p.MaxActive > 0 {
				return min(int64(st.demand), int64(v.p.MaxActive))
			}
			return int64(st.demand)
		}
	}
	return 0
}

// sums fills in the sums of the values that a reservation of class c is worth
// in the slots before each.
func (v *dual) sums(sums, y []int64, c int) {
	n := v.p.slots()
	for t := range n {
		sums[t+1] = sums[t]
		for k := 0; k <= v.level[c]; k++ {
			sums[t+1] += y[k*n+t]
		}
	}
}

// reduced is the fee of class c at slot s less what it is worth.
func (v *dual) reduced(sums []int64, c, s int) int64 {
	n := v.p.slots()
	k := &v.m.classes[c]
	return k.feeFor(n-s) - (sums[min(n, s+k.term)] - sums[s])
}

// slack names the first place where plan and values do not belong together.
func (v *dual) slack(y []int64) string {
	n := v.p.slots()
	for t := range n {
		for k, w := range v.worth {
			have, value := v.total[k*(n+1)+t], y[k*n+t]
			over, least := int64(0), int64(0) // weights of demands of more than have, and of at least have
			for _, st := range v.m.tally.of(t) {
				if int64(st.demand) > have {
					over += st.weight
				}
				if int64(st.demand) >= have {
					least += st.weight
				}
			}
			switch {
			case value < w*over && (v.p.MaxActive == 0 || have < int64(v.p.MaxActive)):
				return fmt.Sprintf(": slot %d is short of reservations of level %d, and its value is %d, not %d or more", t, k, value, w*over)
			case have > 0 && value > w*least:
				return fmt.Sprintf(": slot %d has idle reservations of level %d, and a value of %d, not %d or less", t, k, value, w*least)
			}
		}
	}
	sums := v.before
	for c := range v.m.classes {
		if v.level[c] < 0 {
			continue
		}
		if limit, sold := v.p.most(c); limit > 0 || !sold {
			continue
		}
		v.sums(sums, y, c)
		for s := 0; s < n; s += v.m.every {
			if v.reduced(sums, c, s) < 0 && (v.p.Closed == nil || !v.p.Closed[s]) {
				return fmt.Sprintf(": a reservation of %s bought at slot %d would be worth more than its fee", v.p.Prices.Classes[c].Name, s)
			}
		}
	}
	first, more := len(v.plan), int64(0)
	for c := range v.m.classes {
		if !slices.ContainsFunc(v.plan[:first], func(q pricing.Purchase) bool { return q.Class == c }) {
			continue
		}
		v.sums(sums, y, c)
		for i, q := range v.plan[:first] {
			if q.Class != c {
				continue
			}
			if left := v.reduced(sums, c, q.Slot); left > 0 {
				first, more = i, left
				break
			}
		}
	}
	if first < len(v.plan) {
		return fmt.Sprintf(": purchase %d costs %d more than it is worth", first, more)
	}
	return ""
}
