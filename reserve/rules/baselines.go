package rules

import (
	"slices"

	"github.com/plimsoll/plimsoll/internal/selection"
	"github.com/plimsoll/plimsoll/internal/wide"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
)

// Plans that need no algorithm, for comparison: the peak reserved, and the best constant
// quantity. (A plan without purchases is nil, and reserve.Cost says what it costs.)
//
// Clouds recommend the best constant quantity from past usage: the number N of
// reservations of one class, bought at slot 0 and renewed whenever the term ends, at
// which the demand costs least. Over all renewals a reservation costs Φ = F·⌈n/τ⌉, or
// n·F/τ with the Pure horizon. The l-th reservation pays off if the l-th instance is
// busy in at least Φ/p slots. Busy slots fall with l, so N is the K-th largest demand
// with K = ⌈Φ/p⌉. A selection finds N in O(n) time on average and O(n) space. No bound
// is known: for a demand that comes and goes, every constant is arbitrarily bad, but
// never worse than everything on demand.

// renew appends count reservations of class k at slot 0 and at each expiry.
func (s *single) renew(dst []pricing.Purchase, k, count int) []pricing.Purchase {
	if count == 0 {
		return dst
	}
	for t := 0; t < len(s.demand); t += s.class.Term {
		dst = append(dst, pricing.Purchase{Slot: t, Class: k, Count: count})
	}
	return dst
}

// Constant reserves a constant quantity of one class, renewed at the end of each term: the best
// quantity, or the peak. The zero value is ready. The best quantity costs no more than any other
// constant quantity, 0 and the peak among them, and of equals Constant takes the largest.
// Constant handles what [Periodic] does, and takes what is held off the demand first.
type Constant struct {
	// Class is the class to buy, an index into the price list.
	Class int
	// Peak asks for the largest demand: nothing ever runs on demand. The cost may be any multiple
	// of the optimum.
	Peak bool

	single single
}

// AppendPlan appends the plan's purchases to dst, as [reserve.Planner] says. Time O(n)
// on average for n slots.
func (a *Constant) AppendPlan(dst []pricing.Purchase, p *reserve.Problem) ([]pricing.Purchase, error) {
	s := &a.single
	if err := s.loadDates(p, a.Class); err != nil {
		return dst, err
	}
	n, tau := len(s.demand), s.class.Term
	if n == 0 {
		return dst, nil
	}
	if a.Peak {
		return s.renew(dst, a.Class, slices.Max(s.demand)), nil
	}
	if s.gain <= 0 {
		return dst, nil
	}
	terms := int64((n + tau - 1) / tau)
	fees, ok := wide.Mul(s.class.Fee, terms-1)
	if ok {
		fees, ok = wide.Add(fees, s.class.FeeFor(n-int(terms-1)*tau))
	}
	if !ok {
		return dst, badInput("Prices.Classes[]", a.Class, reserve.ErrOverflow, "%d terms cost too much", terms)
	}
	need := breakEven(fees, s.gain)
	if need > int64(n) {
		return dst, nil
	}
	return s.renew(dst, a.Class, selection.Kth(s.demand, n-int(need))), nil
}
