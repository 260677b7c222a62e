package reserve

import (
	"github.com/plimsoll/plimsoll/internal/grow"
	"github.com/plimsoll/plimsoll/internal/wide"
	"github.com/plimsoll/plimsoll/pricing"
)

// A Planner decides what to buy for a demand that is known in advance.
//
// AppendPlan appends the purchases to dst, sorted by slot and then by class. There is at most one
// purchase for each slot and class, and each count is at least 1. AppendPlan does not modify p, and
// does not keep the slices of p.
//
// The error is an [*InputError] that unwraps to
//
//   - [ErrRange], [ErrTerm] or an error of package pricing if the problem is malformed,
//   - [ErrOverflow] if the amounts of the problem are too large,
//   - [ErrUnsupported] if the algorithm does not handle such a problem.
//
// After an error, dst is returned unchanged.
//
// The zero value of a planner is ready. A planner keeps its memory between calls. It allocates
// nothing after the largest problem, if dst has room. Only one goroutine at a time may use a
// planner.
type Planner interface {
	AppendPlan(dst []pricing.Purchase, p *Problem) ([]pricing.Purchase, error)
}

var (
	_ Planner = (*Exact)(nil)
	_ Planner = (*HGR)(nil)
)

// A single is a problem with one class to buy, in the form that the algorithms for one class take:
// the class is prepaid, and there is no inventory. The demand of a single is the problem's demand
// less the part that the inventory serves. The gain of a single takes the place of the price on
// demand: the price on demand less the use price of the class.
//
// Reduction to a prepaid class. Let p be the price of a slot on demand, q the price of a slot in a
// reservation of the class, and F the fee. A plan with r reservations serves S of the D
// instance-slots of demand from reservations. Its cost is
//
//	F·r + q·S + p·(D - S)  =  q·D + F·r + (p - q)·(D - S).
//
// The first term is the same for all plans. The rest is the cost with a prepaid class at the price
// p - q on demand. If p - q ≤ 0, no purchase pays off. If a plan costs at most c times the optimum
// without the first term, it costs at most c times the optimum with the first term: both costs grow
// by q·D ≥ 0, and c is at least 1.
//
// Inventory. Providers apply the reservation with the lowest use price first. Held reservations
// whose use costs at most q serve before the class under every plan, and simply reduce the demand.
// Held reservations with a dearer use serve after the class. A slot of the class would then save
// less than p - q; the algorithms therefore do not support such inventory.
type single struct {
	market
	demand []int   // not held
	change []int64 // of the held reservations
	class  class
	gain   int64 // what a reservation saves in each slot that it serves
}

// load checks p and fills in s for class k. Whether it is worth buying at all
// is gain > 0; then n·gain + fee fits in an int64 for the n slots of the demand.
func (s *single) load(p *Problem, k int) error {
	if err := s.market.load(p); err != nil {
		return err
	}
	if k < 0 || k >= len(s.classes) {
		return noClass(k, len(s.classes))
	}
	if err := refuseCaps(p); err != nil {
		return err
	}
	if !p.sold(k) {
		return badInput("AtMost", k, ErrUnsupported, "%s is not for sale: want a class that is", p.Prices.Classes[k].Name)
	}
	s.class = s.classes[k]
	s.gain = s.price - s.class.use
	for i, h := range p.Held {
		if h.Count > 0 && h.Until > 0 && s.classes[h.Class].use > s.class.use {
			return badInput("Held", i, ErrUnsupported,
				"use of %s costs more than use of %s: want held classes with a use price of at most that of the class to buy",
				p.Prices.Classes[h.Class].Name, p.Prices.Classes[k].Name)
		}
	}
	whole, ok1 := wide.Mul(max(0, s.gain), int64(len(p.Demand)))
	if _, ok2 := wide.Add(whole, s.class.fee); !ok1 || !ok2 {
		return badInput("Prices", -1, ErrOverflow, "an instance for the whole of the demand costs too much")
	}
	s.demand = append(s.demand[:0], p.Demand...)
	s.change = reduce(s.demand, p.Held, s.change)
	return nil
}

// reduce takes the held reservations off the demand, in O(slots + held) time,
// and returns its memory.
func reduce(demand []int, held []pricing.Holding, change []int64) []int64 {
	if len(held) == 0 {
		return change
	}
	n := len(demand)
	change = grow.Zero(change, n+1)
	for _, h := range held {
		change[min(h.Until, n)] += int64(h.Count)
	}
	active := int64(0)
	for t := n - 1; t >= 0; t-- {
		active += change[t+1]
		demand[t] = int(max(0, int64(demand[t])-active))
	}
	return change
}

// refuseCaps is the error of algorithms that keep to no caps.
func refuseCaps(p *Problem) error {
	if p.MaxBuy > 0 {
		return badInput("MaxBuy", -1, ErrUnsupported, "a cap of %d: want 0, plans without caps only", p.MaxBuy)
	}
	for k, count := range p.AtMost {
		if count > 0 {
			return badInput("AtMost", k, ErrUnsupported, "a cap of %d: want NoCap, or 0 for a class that is not for sale", count)
		}
	}
	if p.MaxActive > 0 {
		return badInput("MaxActive", -1, ErrUnsupported, "a cap of %d: want 0, plans without caps only", p.MaxActive)
	}
	return nil
}
