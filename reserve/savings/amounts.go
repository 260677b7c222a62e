package savings

import (
	"math"
	"math/big"
	"time"

	"github.com/plimsoll/plimsoll/internal/grow"
	"github.com/plimsoll/plimsoll/internal/wide"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
)

// Amounts of plans: exact sums over one denominator, and fees in integers of the flow.

// A sum adds amounts up, in nanos per hour over a common denominator.
type sum struct {
	used             []int64 // grains, by type
	den              big.Int
	total, committed big.Int
	bound, unused    big.Int
	x, y, rem, quo   big.Int // scratch
}

// add sets OnDemand, Committed, Cost, Bound and Unused of plan. It reports false if one of them
// does not fit in a pricing.Money, or a sum on the way does not fit in an int64. If optimal is
// true, Bound is the cost, and add does not use bound. Otherwise add computes Bound from bound.
//
// add computes in nanos an hour, as fractions with the denominator den = s.units · Π rate_i. Let u
// be the unit of commitments. A grain is the greatest amount of money that divides u and all plan
// rates. s.units is what a unit costs in a slot in the flow, which has scaled costs (see scale).
// For each type i that the savings plan pays for, let p_i be its price on demand, rate_i its plan
// rate in grains, d_i its demand, summed over all slots, and paid_i the grains that the plan pays
// for it, in all slots. Its usage on demand costs p_i·(d_i - paid_i/rate_i).
//
// bound is a lower bound in the scaled costs of the flow. A bound of B is B·u/s.units nanos an
// hour. The flow has only the types that the savings plan pays for. The other types cost the same
// under every plan, so add adds their cost to the bound.
func (s *exact) add(p *Problem, plan *Plan, optimal bool, bound wide.Int) bool {
	b := &s.sum
	b.used = grow.Zero(b.used, len(p.Types)) // grains paid, by type
	unused, units := int64(0), int64(0)      // grains; unit-slots
	ok := true
	plus := func(dst *int64, a, f int64) {
		v, ok1 := wide.Mul(a, f)
		v, ok2 := wide.Add(*dst, v)
		*dst = v
		ok = ok && ok1 && ok2
	}
	for t := range s.slots {
		left, fits := wide.Mul(int64(s.active[t]), s.unit)
		ok = ok && fits
		plus(&units, int64(s.buy[t]), int64(s.charged(t)))
		for i := range s.types {
			y := &s.types[i]
			pay := min(left, y.rate*int64(y.demand[t]))
			plus(&b.used[i], pay, 1)
			left -= pay
		}
		plus(&unused, left, 1)
	}
	b.den.SetInt64(s.units)
	for i := range s.types {
		b.mul(&b.den, s.types[i].rate)
	}
	b.total.SetInt64(0)
	b.bound.SetInt64(0)
	add := func(dst *big.Int, amount, count int64) { // amount·count·den, a whole number of nanos an hour
		b.x.Mul(b.y.SetInt64(amount), b.rem.SetInt64(count))
		b.y.Mul(&b.x, &b.den)
		dst.Add(dst, &b.y)
	}
	for i := range p.Types {
		y := &p.Types[i]
		sum := int64(0)
		for _, d := range y.Demand {
			plus(&sum, int64(d), 1)
		}
		add(&b.total, int64(y.OnDemand), sum)
		if !y.paid() {
			add(&b.bound, int64(y.OnDemand), sum)
		}
	}
	for i := range s.types {
		y := &s.types[i]
		b.rem.Quo(&b.den, b.y.SetInt64(y.rate))
		b.y.Mul(b.x.SetInt64(y.price), &b.rem)
		b.rem.Mul(&b.y, b.x.SetInt64(b.used[i]))
		b.total.Sub(&b.total, &b.rem)
	}
	var ok1, ok2, ok3, ok4, ok5 bool
	plan.OnDemand, ok1 = b.money(&b.total, p)
	b.committed.SetInt64(0)
	add(&b.committed, int64(p.unitOf()), units)
	plan.Committed, ok2 = b.money(&b.committed, p)
	b.total.Add(&b.total, &b.committed)
	plan.Cost, ok3 = b.money(&b.total, p)
	plan.Bound, ok4 = plan.Cost, true
	if !optimal {
		b.x.SetInt64(bound.Hi)
		b.y.Lsh(&b.x, 64)
		b.x.Add(&b.y, b.rem.SetUint64(bound.Lo))
		b.y.Mul(&b.x, b.rem.SetInt64(int64(p.unitOf())))
		b.rem.Quo(&b.den, b.x.SetInt64(s.units))
		b.x.Mul(&b.y, &b.rem)
		b.bound.Add(&b.bound, &b.x)
		plan.Bound, ok4 = b.money(&b.bound, p)
	}
	b.unused.SetInt64(0)
	add(&b.unused, s.grain, unused)
	plan.Unused, ok5 = b.money(&b.unused, p)
	return ok && ok1 && ok2 && ok3 && ok4 && ok5
}

// mul multiplies x by n, with b.x and b.y for scratch.
func (b *sum) mul(x *big.Int, n int64) {
	b.x.Mul(x, b.y.SetInt64(n))
	x.Set(&b.x)
}

// money returns sum/den nanos an hour over a slot, rounded half to even, and
// whether that fits. It overwrites the scratch.
func (b *sum) money(sum *big.Int, p *Problem) (pricing.Money, bool) {
	b.x.Mul(sum, b.y.SetInt64(int64(p.Slot)))
	b.rem.Mul(&b.den, b.y.SetInt64(p.hour()))
	b.quo.QuoRem(&b.x, &b.rem, &b.y)
	b.y.Lsh(&b.y, 1)
	if c := b.y.Cmp(&b.rem); c > 0 || c == 0 && b.quo.Bit(0) == 1 {
		b.x.Add(&b.quo, b.y.SetInt64(1))
		return pricing.Money(b.x.Int64()), b.x.IsInt64()
	}
	return pricing.Money(b.quo.Int64()), b.quo.IsInt64()
}

// loadFees computes the fees of p. The caller has checked p and taken off held reservations.
func (s *Solver) loadFees(p *Problem, n int) error {
	s.terms, s.full = s.terms[:0], s.full[:0]
	longest := 1 // bits of an amount of the flow, in nanos an hour
	for i := range p.Types {
		longest = max(longest, length(wide.ProductInt(int64(p.Types[i].OnDemand), 1)))
	}
	for i := range p.Classes {
		c := &p.Classes[i].Class
		term := int64(p.span(c.Term))
		upfront, _ := over(wide.ProductInt(int64(c.Upfront), p.hour()), int64(p.Slot))
		longest = max(longest, length(upfront.Plus(wide.ProductInt(int64(c.Hourly), term)))+1)
	}
	s.shift = min(30, 60-length(wide.ProductInt(int64(2*n+4), 1))-longest)
	if s.shift < -20 {
		return badInput("Classes", -1, ErrOverflow, "the fees are too much for 64 bits")
	}
	s.fees = grow.To(s.fees, n*len(p.Classes))
	for i := range p.Classes {
		c := &p.Classes[i].Class
		term := int64(p.span(c.Term))
		// Below 2⁶²·2⁶³ before the shift: shift first as far as that fits.
		upfront := wide.ProductInt(int64(c.Upfront), p.hour())
		up := max(0, min(s.shift, 126-length(upfront)))
		upfront, _ = over(shifted(upfront, up), int64(p.Slot))
		fee := shifted(upfront, s.shift-up).Plus(shifted(wide.ProductInt(int64(c.Hourly), term), s.shift))
		s.terms, s.full = append(s.terms, int(term)), append(s.full, fee)
		for t := range n {
			f := int64(-1)
			if t%max(1, p.Every) == 0 && (p.Closed == nil || !p.Closed[t]) {
				f = int64(fee.Lo)
				if left := int64(n - t); p.Horizon == reserve.Pure && left < term {
					q, _ := over(wide.ProductInt(f, left), term)
					f = int64(q.Lo)
				}
			}
			s.fees[i*n+t] = f
		}
	}
	s.heldUnits = grow.Zero(s.heldUnits, n*p.offers())
	for _, h := range p.Held {
		for t := range min(n, h.Until) {
			at := &s.heldUnits[h.Class*n+t]
			if *at += h.Count; *at > math.MaxInt32 {
				return badInput("Held", -1, ErrOverflow, "%d units in slot %d: want at most %d", *at, t, math.MaxInt32)
			}
		}
	}
	s.left = grow.Zero(s.left, n*len(p.Types))
	s.lambda = grow.Zero(s.lambda, n*len(p.Types))
	s.change = grow.Zero(s.change, n+1)
	types := s.rest.Types
	s.rest = *p
	s.rest.Types = append(types[:0], p.Types...)
	return nil
}

// addFees fills in the exact amounts, after s.savings has solved the rest.
func (s *Solver) addFees(p *Problem, n int, plan *Plan) bool {
	// Fees times den, a multiple of the slot and, for shares, of the terms.
	b := &s.sum
	s.den.SetInt64(int64(p.Slot))
	if p.Horizon == reserve.Pure {
		for _, term := range s.terms {
			s.num.Mul(&s.den, s.rem.SetInt64(int64(term)))
			s.den.Set(&s.num)
		}
	}
	s.fee.SetInt64(0)
	for _, r := range plan.Reservations {
		c := &p.Classes[r.Class].Class
		charged := s.terms[r.Class]
		if p.Horizon == reserve.Pure {
			charged = min(charged, n-r.Slot)
		}
		// (upfront·hour + hourly·term)·parts·den/slot · charged/slots of the term, count times
		s.num.Mul(s.quo.SetInt64(int64(c.Upfront)), s.rem.SetInt64(int64(time.Hour)))
		b.x.Mul(s.quo.SetInt64(int64(c.Hourly)), s.rem.SetInt64(int64(c.Term)))
		s.num.Add(&s.num, &b.x)
		b.y.Mul(&s.num, s.quo.SetInt64(int64(p.parts())))
		b.x.Mul(&b.y, s.quo.SetInt64(int64(charged)))
		s.num.Mul(&b.x, s.quo.SetInt64(int64(r.Count)))
		b.x.Mul(&s.num, &s.den)
		s.rem.SetInt64(int64(p.Slot))
		b.y.Mul(&s.rem, s.quo.SetInt64(int64(s.terms[r.Class])))
		s.num.QuoRem(&b.x, &b.y, &s.rem)
		if p.Horizon == reserve.Full && s.rem.Sign() != 0 { // charged = term: it divides
			panic("savings: a fee that is not whole")
		}
		s.fee.Add(&s.fee, &s.num)
	}
	// The same denominator for all: that of the savings plan times den.
	s.num.Mul(&s.fee, &b.den)
	s.fee.Set(&s.num)
	s.num.Mul(&b.total, &s.den)
	b.total.Add(&s.num, &s.fee)
	s.num.Mul(&b.den, &s.den)
	b.den.Set(&s.num)
	var ok1, ok2, ok3 bool
	plan.Cost, ok1 = b.money(&b.total, p)
	plan.Reserved, ok2 = b.money(&s.fee, p)
	b.den.SetInt64(1)
	s.num.SetInt64(s.bound.Hi)
	b.bound.Lsh(&s.num, 64)
	s.num.Add(&b.bound, s.rem.SetUint64(s.bound.Lo))
	if s.shift >= 0 {
		b.den.Lsh(s.rem.SetInt64(1), uint(s.shift))
		b.bound.Set(&s.num)
	} else {
		b.bound.Lsh(&s.num, uint(-s.shift))
	}
	plan.Bound, ok3 = b.money(&b.bound, p)
	plan.Bound = max(0, plan.Bound) // what is held may be worth more than all else
	return ok1 && ok2 && ok3
}

// nanos returns what s.reservations and the savings plan last solved cost, in nanos an hour.
func (s *Solver) nanos(p *Problem, n int) float64 {
	cost := 0.0
	for _, r := range s.reservations {
		cost += math.Ldexp(float64(s.fees[r.Class*n+r.Slot]), -s.shift) * float64(r.Count)
	}
	for i := range s.rest.Types {
		sum := 0
		for _, d := range s.rest.Types[i].Demand {
			sum += d
		}
		cost += float64(s.rest.Types[i].OnDemand) * float64(sum)
	}
	for i := range s.types {
		cost -= float64(s.types[i].price) * float64(s.sum.used[i]) / float64(s.types[i].rate)
	}
	for t, units := range s.buy {
		cost += float64(p.unitOf()) * float64(units) * float64(s.charged(t))
	}
	return cost
}
