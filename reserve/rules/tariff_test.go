package rules

import (
	"math/big"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
)

// What a problem costs, by its definition. Nothing here uses the code under test. Amounts are
// exact, in nanos.

// A tariff is a price list in exact amounts for slots.
type tariff struct {
	price     *big.Rat   // of a slot on demand
	fee, rate []*big.Rat // of a reservation: in all, and per slot
	use       []*big.Rat // of a used slot
	term      []int      // slots
	order     []int      // classes as they serve, most discounted first
}

func tariffOf(p *reserve.Problem) tariff {
	slot := func(hourly pricing.Money) *big.Rat {
		return new(big.Rat).Mul(big.NewRat(int64(hourly), 1), big.NewRat(int64(p.Slot), int64(time.Hour)))
	}
	tf := tariff{price: slot(p.Prices.OnDemand)}
	for k, c := range p.Prices.Classes {
		term := int(c.Term / p.Slot)
		fee, use := big.NewRat(int64(c.Upfront), 1), new(big.Rat)
		if c.Billed == pricing.Always {
			fee.Add(fee, new(big.Rat).Mul(slot(c.Hourly), big.NewRat(int64(term), 1)))
		} else {
			use = slot(c.Hourly)
		}
		tf.term = append(tf.term, term)
		tf.fee = append(tf.fee, fee)
		tf.rate = append(tf.rate, new(big.Rat).Quo(fee, big.NewRat(int64(term), 1)))
		tf.use = append(tf.use, use)
		tf.order = append(tf.order, k)
	}
	slices.SortStableFunc(tf.order, func(i, j int) int { return tf.use[i].Cmp(tf.use[j]) })
	return tf
}

// bought returns what one reservation of class k costs that is bought at slot t.
func (tf *tariff) bought(p *reserve.Problem, k, t int) *big.Rat {
	if left := len(p.Demand) - t; p.Horizon == reserve.Pure && left < tf.term[k] {
		return new(big.Rat).Mul(tf.rate[k], big.NewRat(int64(left), 1))
	}
	return tf.fee[k]
}

// run returns what d instances cost in a slot with the given active reservations
// of each class.
func (tf *tariff) run(d int, active []int) *big.Rat {
	sum := new(big.Rat)
	for _, k := range tf.order {
		served := min(d, active[k])
		d -= served
		sum.Add(sum, new(big.Rat).Mul(tf.use[k], big.NewRat(int64(served), 1)))
	}
	return sum.Add(sum, new(big.Rat).Mul(tf.price, big.NewRat(int64(d), 1)))
}

// planCost returns the cost of a plan, in nanos, [Niu16] Eqs. (1) and (2): slot
// by slot, reservation by reservation. What is held costs its use alone.
func planCost(p *reserve.Problem, plan []pricing.Purchase) *big.Rat {
	tf := tariffOf(p)
	sum := new(big.Rat)
	for _, b := range plan {
		sum.Add(sum, new(big.Rat).Mul(tf.bought(p, b.Class, b.Slot), big.NewRat(int64(b.Count), 1)))
	}
	for t := range len(p.Demand) {
		active := make([]int, len(tf.term))
		for _, h := range p.Held {
			if t < h.Until {
				active[h.Class] += h.Count
			}
		}
		for _, b := range plan {
			if b.Slot <= t && t < b.Slot+tf.term[b.Class] {
				active[b.Class] += b.Count
			}
		}
		sum.Add(sum, tf.run(p.Demand[t], active))
	}
	return sum
}

// mayBuy reports whether slot t is open for purchases.
func mayBuy(p *reserve.Problem, t int) bool {
	return t%max(1, p.Every) == 0 && (p.Closed == nil || !p.Closed[t])
}
