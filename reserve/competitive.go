package reserve

import (
	"slices"

	"github.com/plimsoll/plimsoll/internal/wide"
	"github.com/plimsoll/plimsoll/pricing"
)

// The optimal-competitive bound, [Niu16] section 5.1.3.
//
// The bound answers: what does the demand cost at least, under any plan? Suppose that
// reservations could be divided in time: a class with term T_k and fee F_k could be
// rented by the interval of L slots, for the share F_k·L/T_k. Then each instance chooses
// its class in each interval on its own. With U_ij the used slots of the j-th instance
// in interval i, the least cost is
//
//	Σ_ij min_k (F_k·L/T_k + P_k·U_ij)                    [Niu16] Eq. (5)
//
// where k = 0 is on demand and has no fee. The fee of a class that is billed always
// includes its hourly price.
//
// Theorem 1 ([Niu16] section 9): if intervals divide the terms, the bound is at most the
// pure cost of every plan that buys at the beginnings of intervals. Proof: in each
// interval, rent by the interval the reservations that the plan has active. Use costs
// the same. A reservation's shares, over the intervals in which the reservation is
// active before the horizon, add up to the part of its fee that the pure cost counts. ∎
// The total cost is at least the pure cost, so the bound holds for both. On the
// reference cases the bound is 0.9-5.5% below the pure optimum and 6-32% below the total
// optimum.
//
// The last interval may have r < L slots. Under the Full horizon a reservation pays for
// at least L slots there, and the bound counts a whole share. Under the Pure horizon
// Problem counts r slots, and the bound counts r/L of the share. [Niu16] has whole
// intervals only; to count pure cost in whole intervals, add slots without demand.
//
// U_ij falls with j. Sort the demands of the interval, v_1 ≥ v_2 ≥ …: then v_r - v_(r+1)
// instances have U = r. So an interval costs one sort, and single instances need no
// look: O(n·log L) for n slots, and O(L·h) for the least cost at each r and h classes.
// Space O(L). Sums are exact, in 128 bits, and the result is rounded down.
//
// Departures. Intervals are Every slots long if Every divides all terms, as in the
// paper. Otherwise intervals have the greatest common divisor of Every and the terms:
// a term that ended within an interval would have shares of more than its fee. The bound
// is weaker for short intervals: with one slot it is Σ d·min_k, as if each instance were
// fully used.

// A Competitive computes the optimal-competitive bound. The zero value is ready.
// It keeps its memory and allocates nothing once warm; one goroutine at a time.
type Competitive struct {
	market market
	demand []int
	change []int64
	slots  []int   // demands of an interval
	least  []int64 // cost of an instance with that many used slots
}

// Bound returns a lower bound on the cost of every plan for p, [Niu16] Eq. (5), rounded down to the
// nano. Eq. (5) divides the demand into intervals. An interval is p.Every slots long if p.Every
// divides every term. Otherwise the length is the greatest common divisor of p.Every and all terms.
//
// With the horizon Pure, the bound holds for the pure cost, and therefore for the total cost, which
// is at least as great. With the horizon Full, the bound holds for the total cost. If the demand is
// a whole number of intervals, Full and Pure give the same number, which holds for both costs.
// Otherwise the bound of Full may be greater: a class that serves the last, short interval costs
// the fee's share of a whole interval.
//
// Bound ignores caps and Closed dates, which can only raise the cost. Bound takes inventory off the
// demand and adds the cost of using the inventory. The error is [ErrUnsupported] if the use of
// inventory costs more than the use of a class for sale, or more than on demand. The other errors
// are those of [Planner].
//
// Time: O(n·log L + L·h) for n slots, intervals of L slots and h classes.
func (c *Competitive) Bound(p *Problem) (pricing.Money, error) {
	m := &c.market
	q := *p
	q.Horizon = Pure // for whole rates
	if err := m.load(&q); err != nil {
		return 0, err
	}
	if p.Horizon > Pure {
		return 0, badInput("Horizon", -1, ErrRange, "%d: want Full or Pure", p.Horizon)
	}
	n := len(p.Demand)
	c.demand = append(c.demand[:0], p.Demand...)
	var sum wide.Uint
	if err := c.hold(p, &sum); err != nil {
		return 0, err
	}
	length := m.every
	for _, k := range m.classes {
		length = int(wide.GCD(int64(length), int64(k.term)))
	}
	if err := c.price(p, length, min(length, n)); err != nil {
		return 0, err
	}
	for t := 0; t < n; t += length {
		if r := n - t; r < length && p.Horizon == Pure {
			if err := c.price(p, r, r); err != nil {
				return 0, err
			}
		}
		c.slots = append(c.slots[:0], c.demand[t:min(n, t+length)]...)
		slices.Sort(c.slots)
		below := 0
		for i, v := range c.slots { // v - below instances are used in this slot and the larger ones
			if v > below {
				accumulate(&sum, c.least[len(c.slots)-i], int64(v-below))
				below = v
			}
		}
	}
	bound, ok := floor(sum, m.common, m.scale)
	if !ok {
		return 0, badInput("Demand", -1, ErrOverflow, "the bound does not fit in an amount of money")
	}
	return bound, nil
}

// hold takes the inventory off the demand and adds what its use costs.
func (c *Competitive) hold(p *Problem, sum *wide.Uint) error {
	m := &c.market
	cheapest := m.price
	for k, class := range m.classes {
		if p.sold(k) {
			cheapest = min(cheapest, class.use)
		}
	}
	use := int64(-1)
	for i, h := range p.Held {
		if h.Count == 0 || h.Until == 0 {
			continue
		}
		q := m.classes[h.Class].use
		if q > cheapest {
			return badInput("Held", i, ErrUnsupported,
				"use of %s is not the cheapest: want held classes whose use costs no more than that of any class",
				p.Prices.Classes[h.Class].Name)
		}
		use = q // the same for all: the least there is
	}
	if use < 0 {
		return nil
	}
	c.change = reduce(c.demand, p.Held, c.change)
	for t, d := range c.demand {
		accumulate(sum, use, int64(p.Demand[t]-d))
	}
	return nil
}

// price fills in what an instance costs at least that is used in 0 to most slots
// of an interval of the given length.
func (c *Competitive) price(p *Problem, length, most int) error {
	m := &c.market
	ok := true
	each := func(rate, use int64, u int) int64 {
		fee, ok1 := wide.Mul(rate, int64(length))
		used, ok2 := wide.Mul(use, int64(u))
		cost, ok3 := wide.Add(fee, used)
		ok = ok && ok1 && ok2 && ok3
		return cost
	}
	c.least = slices.Grow(c.least[:0], most+1)
	for u := range most + 1 {
		least := each(0, m.price, u)
		for i := range m.classes {
			if !p.sold(i) {
				continue
			}
			least = min(least, each(m.classes[i].rate, m.classes[i].use, u))
		}
		c.least = append(c.least, least)
	}
	if !ok {
		return badInput("Prices", -1, ErrOverflow, "an instance costs too much in %d slots", length)
	}
	return nil
}
