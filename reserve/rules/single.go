package rules

import (
	"github.com/plimsoll/plimsoll/reserve"
)

// A single is a problem with one class to buy, as the algorithms for one class see it: the
// demand that the inventory leaves, and the difference in cost between a slot on demand and a
// slot in a reservation.
type single struct {
	input  reserve.Input
	demand []int // not held
	class  reserve.Offer
	every  int
	gain   int64 // what a reservation saves in each slot that it serves
}

// load checks p and fills in s for class k. Whether the class is worth buying at all is
// gain > 0; then n·gain + fee fits in an int64 for the n slots of the demand.
func (s *single) load(p *reserve.Problem, k int) error {
	if err := s.input.LoadClass(p, k); err != nil {
		return err
	}
	s.demand, s.class, s.every = s.input.Demand, s.input.Offers[k], max(1, p.Every)
	s.gain = s.class.Price - s.class.Use
	return nil
}

// loadDates is load for algorithms that buy at the end of each term: they want every slot open, and
// terms of whole intervals between purchases.
func (s *single) loadDates(p *reserve.Problem, k int) error {
	if err := s.load(p, k); err != nil {
		return err
	}
	if err := refuseClosed(p); err != nil {
		return err
	}
	if s.class.Term%s.every != 0 {
		return badInput("Every", -1, reserve.ErrUnsupported, "%d slots: want a divisor of the term of %s, %d slots",
			s.every, p.Prices.Classes[k].Name, s.class.Term)
	}
	return nil
}

// refuseClosed is the error of algorithms that may buy at every slot.
func refuseClosed(p *reserve.Problem) error {
	for t, closed := range p.Closed {
		if closed {
			return badInput("Closed", t, reserve.ErrUnsupported, "want none closed")
		}
	}
	return nil
}

// sold reports whether class k of p is for sale.
func sold(p *reserve.Problem, k int) bool { return p.AtMost == nil || p.AtMost[k] != 0 }

// breakEven returns the least number of used slots, and at least 1, at which a
// fee is worth paying for a gain > 0 a slot. As everywhere in this package, at
// equal cost one buys.
func breakEven(fee, gain int64) int64 {
	k := fee / gain
	if fee%gain != 0 {
		k++
	}
	return max(1, k)
}
