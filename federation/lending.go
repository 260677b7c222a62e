package federation

import (
	"math"

	"github.com/plimsoll/plimsoll/pricing"
)

// A price of the user's own for what is lent. [Liu21] section 4 lends at F/τ and says that
// "other dynamic pricing models can also be applied". Here a lender may ask more when
// little is idle, and less when much is.
//
// When a part is booked, the lender looks at how much is idle in each slot t of the part, and
// sets the price s_t of the slot from that. All instances of the part pay this price. So Eq.
// (20) keeps its form, with s_t in the place of s: piecewise linear with kinks at m_t and e_t
// (theta.go). Eq. (20) is convex if no s_t is above the lender's price on demand.
//
// The price may not rise as more is idle. Otherwise a lender that hides idle instances
// would be paid more for the rest.

// A PricePoint says what a lender asks, as a multiple of its F/τ, when a share of its
// reservations is idle.
type PricePoint struct {
	Idle   float64 // share of the lender's reservations that is idle, from 0 to 1
	Factor float64 // 0 or more
}

// CheckLending returns an [*pricing.InputError] for points of [Options].Lending that are out of order
// or out of range, and for factors that rise. [Sharer.Reset] and [Share] return the same.
func CheckLending(points []PricePoint) error {
	for i, p := range points {
		switch {
		case !(p.Idle >= 0 && p.Idle <= 1):
			return badInput("Options.Lending.Idle", i, ErrRange, "%v: want a share from 0 to 1", p.Idle)
		case !(p.Factor >= 0 && p.Factor <= maxFactor):
			return badInput("Options.Lending.Factor", i, ErrRange, "%v: want a factor from 0 to %v", p.Factor, maxFactor)
		case i > 0 && p.Idle <= points[i-1].Idle:
			return badInput("Options.Lending.Idle", i, ErrOrder, "%v after %v: want ascending shares", p.Idle, points[i-1].Idle)
		case i > 0 && p.Factor > points[i-1].Factor:
			return badInput("Options.Lending.Factor", i, ErrRising, "%v after %v: want a factor that does not rise as more is idle", p.Factor, points[i-1].Factor)
		}
	}
	return nil
}

// lendingPrice returns what a lender with the given F/τ asks when idle of its instances are idle.
// most is the greatest number of its reservations in any slot.
func lendingPrice(points []PricePoint, fee pricing.Money, idle, most int) pricing.Money {
	x := float64(idle) / float64(most)
	k := 0
	for k < len(points) && points[k].Idle < x {
		k++
	}
	factor := points[max(k-1, 0)].Factor
	if 0 < k && k < len(points) {
		a, b := points[k-1], points[k]
		w := (x - a.Idle) / (b.Idle - a.Idle)
		factor = a.Factor - float64(w*(a.Factor-b.Factor))
	}
	return pricing.Money(math.Round(factor * float64(fee)))
}

// maxFactor keeps factor times fee far from the range of money.
const maxFactor = 1000.0

// maxAsked is the most prices that are kept: 32 MB.
const maxAsked = 1 << 22

// asked has the prices of Options.Lending for a federation, lender by lender.
type asked struct {
	prices []pricing.Money
	from   []int // by lender: where its prices begin in prices; one more at the end
}

// load computes all prices.
func (a *asked) load(centres []Centre, by []PricePoint) error {
	if err := CheckLending(by); err != nil {
		return err
	}
	a.prices, a.from = a.prices[:0], append(a.from[:0], 0)
	limit := pricing.Money(math.MaxInt64 / 8 / int64(max(len(centres[0].Reserved), 1)))
	for j, c := range centres {
		most := 0
		for _, u := range c.Reserved {
			most = max(most, u)
		}
		if most > maxAsked-len(a.prices) {
			return badInput("Options.Lending", -1, ErrOverflow, "centre %d has up to %d reservations: want at most %d in all centres together", j, most, maxAsked)
		}
		if fee := perSlot(c); float64(fee)*by[0].Factor > float64(limit) {
			return badInput("Options.Lending", -1, ErrOverflow, "centre %d asks up to %v times %v: want at most %v", j, by[0].Factor, fee, limit)
		}
		for idle := 1; idle <= most; idle++ {
			a.prices = append(a.prices, lendingPrice(by, perSlot(c), idle, most))
		}
		a.from = append(a.from, len(a.prices))
	}
	return nil
}

// row returns the prices of a lender, by idle instances less 1.
func (a *asked) row(lender int) []pricing.Money {
	return a.prices[a.from[lender]:a.from[lender+1]]
}
