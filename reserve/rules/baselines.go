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
	if err := s.load(p, a.Class); err != nil {
		return dst, err
	}
	if err := s.refuseDates(p, a.Class); err != nil {
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

// AnyClass, as the class of a [Constant], stands for the class that is cheapest.
const AnyClass = -1

// Constant reserves the best constant quantity of one class, renewed at the end
// of each term. The zero value is ready. It costs no more than any other
// constant quantity, 0 and the peak among them, and of equals it takes the
// largest. It handles what [Periodic] does; with [AnyClass], for each class of the list.
type Constant struct {
	// Class is the class to buy, an index into the price list, or AnyClass for the
	// class whose best constant quantity is cheapest, the first of equals.
	Class int

	single single
}

// AppendPlan appends the plan's purchases to dst, as [reserve.Planner] says. Time O(n)
// in the average for n slots, O(n·h) with AnyClass and h classes.
func (a *Constant) AppendPlan(dst []pricing.Purchase, p *reserve.Problem) ([]pricing.Purchase, error) {
	if a.Class == AnyClass {
		return a.any(dst, p)
	}
	count, _, err := a.single.constant(p, a.Class)
	if err != nil {
		return dst, err
	}
	return a.single.renew(dst, a.Class, count), nil
}

// constant loads p and returns the best quantity of class k and what it saves.
func (s *single) constant(p *reserve.Problem, k int) (count int, saving int64, err error) {
	if err := s.load(p, k); err != nil {
		return 0, 0, err
	}
	if err := s.refuseDates(p, k); err != nil {
		return 0, 0, err
	}
	n, tau := len(s.demand), s.class.Term
	if n == 0 || s.gain <= 0 {
		return 0, 0, nil
	}
	terms := int64((n + tau - 1) / tau)
	fees, ok := wide.Mul(s.class.Fee, terms-1)
	if ok {
		fees, ok = wide.Add(fees, s.class.FeeFor(n-int(terms-1)*tau))
	}
	if !ok {
		return 0, 0, badInput("Prices.Classes[]", k, reserve.ErrOverflow, "%d terms cost too much", terms)
	}
	need := breakEven(fees, s.gain)
	if need > int64(n) {
		return 0, 0, nil
	}
	count = selection.Kth(s.demand, len(s.demand)-int(need))
	served := int64(0) // at most n·count < 2⁶²
	for _, d := range s.demand {
		served += int64(min(d, count))
	}
	won, ok1 := wide.Mul(s.gain, served)
	paid, ok2 := wide.Mul(fees, int64(count))
	if !ok1 || !ok2 {
		return 0, 0, badInput("Prices.Classes[]", k, reserve.ErrOverflow, "%d reservations cost too much", count)
	}
	return count, won - paid, nil
}

// any is AppendPlan for AnyClass.
func (a *Constant) any(dst []pricing.Purchase, p *reserve.Problem) ([]pricing.Purchase, error) {
	if err := a.single.input.Load(p); err != nil {
		return dst, err
	}
	best, count, most := -1, 0, int64(0)
	for k := range p.Prices.Classes {
		if !sold(p, k) {
			continue
		}
		c, saving, err := a.single.constant(p, k)
		if err != nil {
			return dst, err
		}
		if saving > most {
			best, count, most = k, c, saving
		}
	}
	if best < 0 {
		return dst, nil
	}
	a.single.class = a.single.input.Offers[best]
	return a.single.renew(dst, best, count), nil
}
