package savings

import (
	"math/big"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
)

// A Use is what a commitment of a plan does.
type Use struct {
	Commitment Commitment
	// Committed is the price of the commitment, by the problem's horizon.
	Committed pricing.Money
	// Utilisation is the share of the commitment that pays for usage, of all that is
	// committed within the demand.
	Utilisation float64
	// Saved is what the commitment saves over on demand, negative where it loses; rounded
	// half to even.
	Saved pricing.Money
}

// AppendUses appends to dst a [Use] for each commitment of a plan for p: how much the commitment
// pays for, and how much it saves. Reservations of the plan serve first. Then held commitments pay
// for usage, and then the commitments of the plan, in the order of their slots. Each commitment
// pays first for the usage with the greatest ratio of the price on demand to the plan rate.
//
// The error is that of [Verify] for a malformed problem or plan. Amounts are exact until they are
// rounded. Time: O(slots × types × the commitments active in a slot). AppendUses allocates.
func AppendUses(dst []Use, p *Problem, plan *Plan) ([]Use, error) {
	n, err := p.check()
	if err != nil {
		return dst, err
	}
	p, n = p.plain(n)
	plan, whole := p.divide(plan), plan
	p, _, err = p.served(n, plan.Reservations)
	if err != nil {
		return dst, err
	}
	var v verifier
	if err := v.load(p, n, plan.Commitments); err != nil {
		return dst, err
	}
	below := v.held // units that pay before, by offer and slot
	units := func(t int) (list []*big.Int) {
		for _, x := range below {
			list = append(list, big.NewInt(x[t]))
		}
		return list
	}
	for i, c := range plan.Commitments {
		// In nanos an hour times v.all: what the commitment pays for, on demand and at the
		// rates of the plan.
		saved, left := new(big.Int), new(big.Int)
		end := min(n, c.Slot+p.term(c.Offer))
		for t := c.Slot; t < end; t++ {
			before, rest := v.slot(t, units(t))
			below[c.Offer][t] += int64(c.Units)
			after, more := v.slot(t, units(t))
			saved.Add(saved, before).Sub(saved, after)
			left.Add(left, more[c.Offer]).Sub(left, rest[c.Offer])
		}
		active := new(big.Int).Mul(v.unit, big.NewInt(int64(c.Units)))
		share := new(big.Rat).SetFrac(left, new(big.Int).Mul(new(big.Int).Mul(active, v.all), big.NewInt(int64(max(1, end-c.Slot)))))
		unused, _ := share.Float64()
		price := new(big.Int).Mul(active, big.NewInt(int64(p.charged(n, p.term(c.Offer), c.Slot))))
		saved.Sub(saved, new(big.Int).Mul(price, v.all))
		u := Use{Commitment: whole.Commitments[i], Utilisation: 1 - unused}
		u.Commitment.Hourly = pricing.Money(active.Int64())
		ok := active.IsInt64()
		for _, x := range []struct {
			to       *pricing.Money
			sum, den *big.Int
		}{{&u.Committed, price, big.NewInt(1)}, {&u.Saved, saved, v.all}} {
			sign := x.sum.Sign()
			m := v.money(new(big.Int).Abs(x.sum), x.den)
			ok = ok && m.IsInt64()
			*x.to = pricing.Money(m.Int64() * int64(max(-1, min(1, sign))))
		}
		if !ok {
			return dst, badInput("Commitments", -1, ErrOverflow, "what %d units at slot %d save over %v does not fit in an amount of money", c.Units, whole.Commitments[i].Slot, time.Duration(end-c.Slot)*p.Slot/time.Duration(p.parts()))
		}
		dst = append(dst, u)
	}
	return dst, nil
}
