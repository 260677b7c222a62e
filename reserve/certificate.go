package reserve

import (
	"math/bits"
	"slices"

	"github.com/plimsoll/plimsoll/internal/grow"
	"github.com/plimsoll/plimsoll/internal/wide"
	"github.com/plimsoll/plimsoll/pricing"
)

// The certificate: what its values prove.
//
// Let N_kt be the number of reservations active in slot t at level k or a later level, and H_kt
// the number of those in the inventory. The cost of a plan is
//
//	Σ_t u_m·d_t + Σ_kt w_k·max(0, d_t − N_kt) + Σ fees.
//
// For any values y, Σ y_kt·(H_kt + active_kt − N_kt) = 0. Subtract this sum, and take the minimum
// over each N_kt and each purchase on its own. Both can only lower the cost, so every plan costs at
// least
//
//	Σ_t u_m·d_t + Σ_kt (min_N w_k·max(0, d_t − N) + y_kt·N) − Σ_kt y_kt·H_kt       (slotTerms)
//	            + Σ_purchases min_r (fee − Σ y over the slots and levels served)·r   (purchaseTerms)
//
// The first minimum is at N = 0 if y_kt ≥ w_k, and otherwise at d_t, or at the cap (MaxActive) if
// the cap is lower. A negative y_kt is allowed only where there is a cap, and takes N to the cap. The
// second minimum is 0 if the bracket is not negative. Otherwise r is the peak of the demand, which no
// optimal plan need exceed, or a cap below the peak. Every cost is a whole number of the coarsest unit
// in which the prices are whole, so the bound is rounded up to a whole number of that unit. By
// complementary slackness, the bound of an optimal solution of the linear program meets its cost.
//
// [Exact] computes the bound of its own values here, and [Verify] computes the bound again. Arithmetic
// is exact, in 128 bits. Time: O(classes × (levels × slots + purchases)).

// A Certificate proves the lower bound of a [Plan]. It is a solution of the dual linear program.
// Values[k·T + t] is the worth, in slot t of T slots, of one more active reservation of level k or
// a later level. Levels count from 0.
//
// The levels are the distinct use prices u_0 > u_1 > … that are below the price on demand, of the
// classes in the list and of the inventory. A reservation of level k saves w_0 + … + w_k in each
// slot that it serves: w_j is u_{j−1} − u_j, with the price on demand in place of u_{−1}.
//
// If all classes are prepaid, there is one level, and w_0 is the price on demand. One more instance
// of demand in slot t then adds at least Values[t] to the cost of an optimal plan. One instance
// less saves at most Values[t].
//
// A value v stands for v·Num/Den nanos of the currency. All prices of the problem are whole numbers
// of the unit Num/Den. If a linear program gives fractional values, the unit is finer.
type Certificate struct {
	Levels   int
	Values   []int64
	Num, Den int64
}

// A dual is a problem, its levels, and the reservations of a plan at each level.
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

// load makes the dual of p, whose market is m, and counts the reservations of the plan.
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

// A balance is a sum of products of either sign.
type balance struct{ plus, minus wide.Uint }

// add adds a·b, where b is not negative.
func (s *balance) add(a, b int64) {
	if a < 0 {
		accumulate(&s.minus, -a, b)
	} else {
		accumulate(&s.plus, a, b)
	}
}

// bound returns what the values y prove, rounded up to a multiple of unit, or 0 where they prove less
// than nothing.
func (v *dual) bound(y []int64, unit int64) (wide.Uint, error) {
	var proved balance
	if err := v.slotTerms(&proved, y); err != nil {
		return wide.Uint{}, err
	}
	v.purchaseTerms(&proved, y)
	sum, neg := difference(proved.plus, proved.minus)
	if neg {
		return wide.Uint{}, nil
	}
	if rest := bits.Rem64(sum.Hi, sum.Lo, uint64(unit)); rest > 0 {
		accumulate(&sum, unit-int64(rest), 1)
	}
	return sum, nil
}

// slotTerms adds what each slot costs at least for its values, less what the inventory is worth.
// The error is for a value out of range, or a negative value without a cap.
func (v *dual) slotTerms(proved *balance, y []int64) error {
	n := v.p.slots()
	largest := maxValue / int64(max(1, n*len(v.worth)))
	for t := range n {
		proved.add(v.least, v.m.tally.short(t, 0))
		for k, w := range v.worth {
			value := y[k*n+t]
			if value > largest || value < -largest {
				return badInput("Certificate.Values[]", k*n+t, ErrForged, "%d is out of range", value)
			}
			if value < 0 && v.p.MaxActive == 0 {
				return badInput("Certificate.Values[]", k*n+t, ErrForged, "%d is negative, and no cap holds slot %d", value, t)
			}
			proved.add(-value, v.held[k*(n+1)+t])
			best := int64(v.p.MaxActive) // if y < 0
			if value >= 0 {
				best = v.best(t, w, value)
			}
			proved.add(w, v.m.tally.short(t, best))
			proved.add(value, best)
		}
	}
	return nil
}

// purchaseTerms takes off what purchases are worth beyond their fees.
func (v *dual) purchaseTerms(proved *balance, y []int64) {
	n := v.p.slots()
	peak := int64(v.m.tally.peak())
	if v.p.MaxActive > 0 {
		peak = min(peak, int64(v.p.MaxActive))
	}
	sums, level := v.before, -1
	for c := range v.m.classes {
		limit, sold := v.p.most(c)
		if v.level[c] < 0 || !sold {
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
				proved.add(left, most)
			}
		}
	}
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
