package rules

import (
	"github.com/plimsoll/plimsoll/internal/selection"
	"github.com/plimsoll/plimsoll/internal/wide"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
)

// Plans that need no algorithm, for comparison: everything on demand, the peak reserved,
// and the best constant quantity.
//
// Clouds recommend the best constant quantity from past usage: the number N of
// reservations of one class, bought at slot 0 and renewed whenever the term ends, at
// which the demand costs least. Over all renewals a reservation costs Φ = F·⌈n/τ⌉, or
// n·F/τ with the Pure horizon. The l-th reservation pays off if the l-th instance is
// busy in at least Φ/p slots. Busy slots fall with l, so N is the K-th largest demand
// with K = ⌈Φ/p⌉. A selection finds N in O(n) time on average and O(n) space. No bound
// is known: for a demand that comes and goes, every constant is arbitrarily bad, but
// never worse than everything on demand.

// OnDemand buys nothing. It handles every problem, one of paths too. The zero value is ready.
type OnDemand struct{}

// AppendPlan returns dst, or the error of a malformed problem.
func (a *OnDemand) AppendPlan(dst []pricing.Purchase, p *reserve.Problem) ([]pricing.Purchase, error) {
	return dst, p.Validate()
}

// Peak reserves the largest demand from slot 0 on and renews it at the end of
// each term: nothing ever runs on demand. One class. The zero value is ready.
// The cost may be any multiple of the optimum.
//
// It handles what [Periodic] does; what is held is taken off the demand before
// the largest is looked for.
type Peak struct {
	// Class is the class to buy, an index into the price list.
	Class int

	single single
}

// AppendPlan appends the plan's purchases to dst, as [reserve.Planner] says. Time O(n)
// for n slots.
func (a *Peak) AppendPlan(dst []pricing.Purchase, p *reserve.Problem) ([]pricing.Purchase, error) {
	s := &a.single
	if err := s.loadDates(p, a.Class); err != nil {
		return dst, err
	}
	peak := 0
	for _, d := range s.demand {
		peak = max(peak, d)
	}
	return s.renew(dst, a.Class, peak), nil
}

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

// Constant reserves the best constant quantity of one class, renewed at the end
// of each term. The zero value is ready. It costs no more than any other
// constant quantity, 0 and the peak among them, and of equals it takes the
// largest. It handles what [Periodic] does.
type Constant struct {
	// Class is the class to buy, an index into the price list.
	Class int

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
	if n == 0 || s.gain <= 0 {
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
