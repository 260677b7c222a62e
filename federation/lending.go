package federation

import (
	"math"
	"slices"

	"github.com/plimsoll/plimsoll/internal/grow"
	"github.com/plimsoll/plimsoll/pricing"
)

// A price of one's own for what is lent. [Liu21] section 4 lends at F/τ and says that
// "other dynamic pricing models can also be applied". Here a lender may ask more when
// little is idle, and less when much is: the price is a function of what is idle.
//
// A part pays for each of its slots the price at what is idle there when it is booked,
// all of its instances the same. So Eq. (20) keeps its form, with a price s_t for each
// slot: piecewise linear with kinks at m_t and e_t, and convex if no s_t is above the
// price on demand beside it (theta.go).
//
// The function is called in Reset alone, once for each borrower, lender and number of
// idle instances, and its prices are kept. They may not rise as more is idle: else a
// lender that hides idle instances would be paid more for those that are left.

// An Offer is what a [Lending] price may depend on.
type Offer struct {
	Home, Lender int           // indices of the borrower and the lender
	HomeFee, Fee pricing.Money // F/τ of the borrower and of the lender, for a slot
	HomeOnDemand pricing.Money // price on demand of the borrower, for a slot
	OnDemand     pricing.Money // price on demand of the lender, for a slot
	Idle         int           // instances that the lender has idle in the slot, 1 or more
	Most         int           // the greatest number of reservations of the lender in any slot
}

// A Lending is a price of the user's own for a lent instance and slot.
type Lending struct {
	// Price returns the price of an offer. It must be 0 or more, and must not rise with
	// Offer.Idle, all else being the same.
	Price func(Offer) pricing.Money
}

// maxOffers is the most prices that are kept: 32 MB.
const maxOffers = 1 << 22

// A PricePoint says what a lender asks, as a multiple of its F/τ, when a share of its
// reservations is idle.
type PricePoint struct {
	Idle   float64 // share of the lender's reservations that is idle, from 0 to 1
	Factor float64 // 0 or more
}

// LendingByIdle returns the price that is linear between the given points, constant
// before the first and after the last: Factor times the lender's F/τ, to the nearest
// nano. Points come in ascending order of Idle. The error is an [*InputError] for points
// that are out of order or out of range, and for factors that rise.
func LendingByIdle(points []PricePoint) (*Lending, error) {
	if len(points) == 0 {
		return nil, badInput("points", -1, ErrLength, "0 points: want at least one")
	}
	for i, p := range points {
		switch {
		case !(p.Idle >= 0 && p.Idle <= 1):
			return nil, badInput("points.Idle", i, ErrRange, "%v: want a share from 0 to 1", p.Idle)
		case !(p.Factor >= 0 && p.Factor <= maxFactor):
			return nil, badInput("points.Factor", i, ErrRange, "%v: want a factor from 0 to %v", p.Factor, maxFactor)
		case i > 0 && p.Idle <= points[i-1].Idle:
			return nil, badInput("points.Idle", i, ErrOrder, "%v after %v: want ascending shares", p.Idle, points[i-1].Idle)
		case i > 0 && p.Factor > points[i-1].Factor:
			return nil, badInput("points.Factor", i, ErrRising, "%v after %v: want a factor that does not rise as more is idle", p.Factor, points[i-1].Factor)
		}
	}
	points = slices.Clone(points)
	return &Lending{Price: func(o Offer) pricing.Money {
		x := float64(o.Idle) / float64(max(o.Most, o.Idle))
		k, _ := slices.BinarySearchFunc(points, x, func(p PricePoint, x float64) int {
			if p.Idle < x {
				return -1
			}
			return 1
		})
		factor := 0.0
		switch {
		case k == 0:
			factor = points[0].Factor
		case k == len(points):
			factor = points[k-1].Factor
		default:
			a, b := points[k-1], points[k]
			w := (x - a.Idle) / (b.Idle - a.Idle)
			factor = a.Factor - float64(w*(a.Factor-b.Factor))
		}
		return pricing.Money(math.Round(factor * float64(o.Fee)))
	}}, nil
}

// maxFactor keeps factor times fee far from the range of money.
const maxFactor = 1000.0

// lending has the prices of a [Lending] for a federation.
type lending struct {
	prices []pricing.Money
	from   []int // by home and lender: where its prices begin in prices
	most   []int // by lender
}

// load asks for all prices, and checks them. most[j] is the greatest number of active
// reservations of centre j.
func (l *lending) load(centres []Centre, by *Lending) error {
	n := len(centres)
	l.prices, l.from, l.most = l.prices[:0], grow.Zero(l.from, n*n), grow.Zero(l.most, n)
	total := 0
	for j, c := range centres {
		for _, u := range c.Reserved {
			l.most[j] = max(l.most[j], u)
		}
		if l.most[j] > maxOffers/max(n-1, 1) {
			return badInput("Options.Lending", -1, ErrOverflow, "centre %d has up to %d reservations: want at most %d in all, borrower by borrower", j, l.most[j], maxOffers)
		}
		total += l.most[j] * (n - 1)
	}
	if total > maxOffers {
		return badInput("Options.Lending", -1, ErrOverflow, "%d prices to ask for: want at most %d", total, maxOffers)
	}
	limit := pricing.Money(math.MaxInt64 / 8 / int64(max(len(centres[0].Reserved), 1)))
	for i, home := range centres {
		for j, c := range centres {
			l.from[i*n+j] = len(l.prices)
			if i == j {
				continue
			}
			o := Offer{Home: i, Lender: j, HomeFee: perSlot(home), Fee: perSlot(c), HomeOnDemand: home.OnDemand, OnDemand: c.OnDemand, Most: l.most[j]}
			for o.Idle = 1; o.Idle <= o.Most; o.Idle++ {
				p := by.Price(o)
				switch {
				case p < 0:
					return badInput("Options.Lending", -1, ErrRange, "centre %d asks centre %d %v when %d are idle: want a price of 0 or more", j, i, p, o.Idle)
				case p > limit:
					return badInput("Options.Lending", -1, ErrOverflow, "centre %d asks centre %d %v when %d are idle: want at most %v", j, i, p, o.Idle, limit)
				case o.Idle > 1 && p > l.prices[len(l.prices)-1]:
					return badInput("Options.Lending", -1, ErrRising, "centre %d asks centre %d %v when %d are idle, and only %v when %d are: want a price that does not rise as more is idle",
						j, i, p, o.Idle, l.prices[len(l.prices)-1], o.Idle-1)
				}
				l.prices = append(l.prices, p)
			}
		}
	}
	return nil
}

// row returns the prices of a lender to a borrower, by idle instances less 1.
func (l *lending) row(home, lender int) []pricing.Money {
	at := l.from[home*len(l.most)+lender]
	return l.prices[at : at+l.most[lender]]
}

// dearest returns the highest price.
func (l *lending) dearest() (p pricing.Money) {
	for _, x := range l.prices {
		p = max(p, x)
	}
	return p
}
