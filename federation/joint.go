package federation

import (
	"strconv"
	"time"

	"github.com/plimsoll/plimsoll/internal/wide"
	"github.com/plimsoll/plimsoll/pricing"
)

// Reservations planned together. Let one planner cover the sum of all demands, with the
// reservations of all centres to choose from, and the least price on demand of all centres.
// The optimum of this joint problem is a bound for any reservations with any sharing:
//
//	fees + on demand + traffic  ≥  optimum of the joint problem.
//
// Proof: give the planner all purchases of all centres. Of D(t) instances at most Σ_j
// u_j(t) are on reservations, so at least (D(t) − Σ_j u_j(t))⁺ are on demand, and
// traffic costs 0 or more. □ With equal prices on demand and free traffic the bound is
// attained: it is the optimum of reserving jointly and sharing freely.
//
// The demand is the sum of [AddDemand] over all homes, [JointPrices] has the prices, and
// reserve.Exact solves the problem, over the full horizon.

// JointPrices returns the price list of the joint problem, for slots of the given length. The
// list has the least price on demand of all centres, and each centre's reservation as a
// prepaid class, named "centre 0" and so on. The error is an [*InputError] about a centre, or
// about a price on demand that is not a whole number of nanos an hour. It panics if slot
// is not positive. It allocates the list.
func JointPrices(centres []Centre, slot time.Duration) (pricing.List, error) {
	if slot <= 0 {
		panic("federation: JointPrices with a slot of no length")
	}
	if _, err := checkCentres(centres); err != nil {
		return pricing.List{}, err
	}
	cheapest := 0
	var list pricing.List
	for i, c := range centres {
		if c.OnDemand < centres[cheapest].OnDemand {
			cheapest = i
		}
		term, fits := wide.MulUint(uint64(c.Term), uint64(slot))
		if !fits || term > 1<<62 {
			return pricing.List{}, badInput("Centres.Term", i, ErrOverflow, "%d slots of %v do not fit in a duration: want a shorter term", c.Term, slot)
		}
		list.Classes = append(list.Classes, pricing.Class{Name: "centre " + strconv.Itoa(i), Term: time.Duration(term), Upfront: c.Fee})
	}
	p := centres[cheapest].OnDemand
	hour, rest, fits := wide.Product(uint64(p), uint64(time.Hour)).Over(uint64(slot))
	if !fits {
		return pricing.List{}, badInput("Centres.OnDemand", cheapest, ErrOverflow, "%v for %v does not fit as a price an hour: want a lower price", p, slot)
	}
	if rest != 0 || hour > 1<<62 {
		return pricing.List{}, badInput("Centres.OnDemand", cheapest, ErrRange, "%v for %v is not a whole number of nanos an hour: want a price or slot for which it is", p, slot)
	}
	list.OnDemand = pricing.Money(hour)
	return list, nil
}
