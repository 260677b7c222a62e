package federation

import (
	"cmp"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
)

// An Order says which centres a task asks for idle reservations, and in which order.
type Order uint8

const (
	// ByDelay asks centres with the least delay to the task's user first, [Liu21] Alg.
	// 3, line 4. Ties go to the lower index, here and below.
	ByDelay Order = iota
	// CheapestFirst asks centres with the lowest sharing price first, then the lowest
	// price on demand, then the least delay. What a task pays for traffic depends on its
	// home alone.
	CheapestFirst
	// Alone asks no centre: what the same tasks cost without a federation.
	Alone
)

// A SharePrice says what a borrower pays for an instance that is lent for a slot. Let F be the fee
// of a reservation, and τ the slots of its term. F/τ is rounded down to a nano, so that the slots
// of a term together never cost more than the fee.
//
// [Liu21] says that with the price F/τ no centre gains by reserving needless instances for sale.
// With F/τ of the borrower that is false: a centre with lower fees gains by reselling. With F/τ of
// the lender, a centre without tasks gains nothing (TestResellerGainsNothing), but a centre with
// tasks can gain (TestOverReserving).
type SharePrice uint8

const (
	// LenderFee is the lender's F/τ.
	LenderFee SharePrice = iota
	// BorrowerFee is the borrower's F/τ, as [Liu21] Eqs. (20) and (21) and Alg. 3 print.
	BorrowerFee
	// Midpoint is half-way between the lender's F/τ and its price on demand.
	Midpoint
	// Unpaid is a price of 0. An idle reservation is paid for, so at any other price some
	// tasks stay that would save the federation money by moving.
	Unpaid
)

// An Excess says what happens to the instances of a part beyond what is idle in a slot,
// (θ − e_j(t))⁺ of [Liu21] Eq. (20).
type Excess uint8

const (
	// AtLender runs them on demand in the lending centre, at its price.
	AtLender Excess = iota
	// AtHomePrice runs them on demand in the lending centre at the price of the task's
	// home, as Eqs. (20) and (21) print it.
	AtHomePrice
	// NoExcess limits a part to what is idle in each of its slots.
	NoExcess
)

// Options are the choices of sharing. The zero value is [Liu21] Alg. 3 with the
// lender's prices.
type Options struct {
	Order  Order
	Price  SharePrice
	Excess Excess
	// Lending, if not empty, sets the price of a lent instance in place of Price. The price in a
	// slot is Factor times the lender's F/τ, to the nearest nano. Factor depends on the number of
	// idle reservations in the slot, as a share of the most reservations that the lender has in any
	// slot. Factor is linear between two points. Before the first point and after the last point
	// Factor is constant. Points come in ascending order of Idle, and Factor must not rise from
	// point to point. The order CheapestFirst compares the prices that lenders ask when all their
	// reservations are idle.
	Lending []PricePoint
}

func (o Options) check() {
	if o.Order > Alone || o.Price > Unpaid || o.Excess > NoExcess {
		panic("federation: unknown Order, SharePrice or Excess")
	}
}

// perSlot returns F/τ of c, rounded down. It panics if the term is below 1.
func perSlot(c Centre) pricing.Money {
	if c.Term < 1 {
		panic("federation: a Centre with a Term below 1")
	}
	return c.Fee / pricing.Money(c.Term)
}

// priceOf returns what home pays lender for an instance and slot. It panics if
// Price is none of the constants, or the Term that it divides by is below 1.
func (o Options) priceOf(home, lender Centre) pricing.Money {
	switch o.Price {
	case LenderFee:
		return perSlot(lender)
	case BorrowerFee:
		return perSlot(home)
	case Midpoint:
		a, b := perSlot(lender), lender.OnDemand
		return a&b + (a^b)>>1 // ⌊(a+b)/2⌋; a+b may not fit
	case Unpaid:
		return 0
	}
	panic("federation: unknown SharePrice")
}

// excessPriceOf returns what a task of home pays for an instance and slot on
// demand in lender. With [NoExcess] it runs none. It panics if Excess is none of the
// constants.
func (o Options) excessPriceOf(home, lender Centre) pricing.Money {
	switch o.Excess {
	case AtHomePrice:
		return home.OnDemand
	case AtLender, NoExcess:
		return lender.OnDemand
	}
	panic("federation: unknown Excess")
}

// appendOrder appends the centres that tasks of home ask, in order.
func appendOrder(dst []int, centres []Centre, home int, o Options, own *asked) []int {
	if o.Order == Alone {
		return dst
	}
	at := len(dst)
	for j := range centres {
		if j != home {
			dst = append(dst, j)
		}
	}
	delay := func(j int) time.Duration {
		if centres[j].Delay == nil {
			return 0
		}
		return centres[j].Delay[home]
	}
	price := func(j int) pricing.Money {
		if len(o.Lending) == 0 {
			return o.priceOf(centres[home], centres[j])
		}
		if row := own.row(j); len(row) > 0 {
			return row[len(row)-1]
		}
		return 0 // it has nothing to lend
	}
	slices.SortFunc(dst[at:], func(a, b int) int {
		c := 0
		if o.Order == CheapestFirst {
			c = cmp.Or(
				cmp.Compare(price(a), price(b)),
				cmp.Compare(o.excessPriceOf(centres[home], centres[a]), o.excessPriceOf(centres[home], centres[b])),
			)
		}
		return cmp.Or(c, cmp.Compare(delay(a), delay(b)), cmp.Compare(a, b))
	})
	return dst
}
