package rules

import (
	"cmp"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/internal/grow"
	"github.com/plimsoll/plimsoll/internal/inputerr"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
)

// The offline greedy algorithm of semi-elastic clusters, [Niu16] section 5.1.2.
//
// SEC lowers the cost of a demand with reservations of several classes and terms. At the
// beginning of each interval SEC looks one term ahead.
//
//	Step 1: give each instance the most discounted class for which the instance is used
//	        enough. D_k instances get class k.
//	Step 2: count the inventory: S_k reservations of class k. A reservation whose
//	        remaining time is no longer than a shorter term counts for that term.
//	Step 3: buy R_k ≥ 0 such that
//
//	|Σ (S_k + R_k - D_k)|                                [Niu16] Eq. (3)
//
// is least, and among the least such that Σ |S_k + R_k - D_k| is least, Eq. (4).
//
// An instance is used enough for class k if it is used in at least K_k slots. K_k comes
// from the lower envelope of the classes with the same term
// ([pricing.List.AppendEnvelope]): the corner at which class k takes over from the class
// before. The j-th instance is used in the slots with a demand of at least j. There are
// at least K_k such slots exactly if j is at most the K_k-th largest demand within the
// term. So one order statistic a class gives the whole plan, and single instances need
// no look. A [ranking] of the window, which slides along, has the order statistics. With
// n_k the K_k-th largest demand, and classes from the most discounted on,
//
//	D_k = max(0, n_k - max(n_1, …, n_k-1)).
//
// Eqs. (3) and (4) need no search. If Σ S ≥ Σ D, Eq. (3) says to buy nothing. Otherwise
// Eq. (3) says to buy B = Σ D - Σ S in all, and Eq. (4) to buy at most D_k - S_k of any
// class. Every such choice is a minimum, since each purchase lowers one term of the sum
// by 1. The D_k - S_k that are positive add up to at least B.
//
// Invariant: after each interval there are at most as many reservations as before it or
// as the plan wants, whichever is more.
//
// Time: O(n·m·log n + i·(m·log n + h)) for n slots, m terms, i intervals at which
// purchases are possible and h classes, and O(h·m) for each purchase of a class. Space:
// O(n·h).
//
// The paper leaves five choices open. SEC chooses:
//
//   - Demand after the horizon. With the Full horizon the demand is 0: a purchase has to
//     pay off within the demand. With the Pure horizon, fee and use count up to the horizon
//     alone: an instance is used afterwards as before.
//   - The order of the classes, "starting from the most discounted": by the cost of an
//     hour of use, as classes serve; then the longer term, then the list. So a one-year
//     heavy comes after a three-year heavy and before a three-year light.
//   - The class that a remaining time counts for: the class of the shortest term that
//     is no shorter, billed alike and with the nearest hourly price; of equals the
//     first in the list. Classes that are billed otherwise come last.
//   - The solution of (3) and (4): most discounted classes first.
//   - "An interval" is reserve.Problem.Every slots; utilisation is counted in slots.
//
// theory/heuristics.go has what these choices move on the reference demands.

// SEC is the offline greedy algorithm of [Niu16] section 5.1.2, for any number of classes and
// terms. The zero value is ready.
//
// No bound on its cost is known. SEC buys when enough demand is in sight, even if the demand begins
// late; the first part of a term may then pass unused. SEC compares sums over all classes. A
// reservation of a class that is no longer wanted can therefore take the place of a reservation of
// a wanted class. With one class SEC costs at most as much as everything on demand.
//
// SEC handles any Every, Closed dates, both horizons, and any inventory. SEC does not handle MaxBuy
// and MaxActive.
type SEC struct {
	input    reserve.Input
	sold     pricing.List // the classes that are for sale
	index    []int        // of these in the problem's list
	levels   []pricing.Level
	terms    []int // distinct, rising
	ranked   []secClass
	kin      []int32 // [class·len(terms) + term]: see relate
	rankings []ranking
	keys     []uint64
	enter    []int64 // class·n + slot: change of S_k
	stock    []int64 // S_k
	want     []int64 // D_k
}

// A secClass is a class on the envelope of its term, in the order of discount.
type secClass struct {
	class, term int   // indices
	below       int   // the class before it on the envelope, -1 for on demand
	need        int64 // K_k for a whole term
}

// AppendPlan appends the plan's purchases to dst, as [reserve.Planner] says. Time
// O(n·m·log n) for n slots and m terms, and for purchases at any of them
// O(n·h·log n) for h classes.
func (a *SEC) AppendPlan(dst []pricing.Purchase, p *reserve.Problem) ([]pricing.Purchase, error) {
	if err := a.input.Load(p); err != nil {
		return dst, err
	}
	classes := a.input.Offers
	n := len(p.Demand)
	if n == 0 || len(classes) == 0 {
		return dst, nil
	}
	if err := a.rank(p); err != nil {
		return dst, err
	}
	a.relate(p)
	a.rankings = grow.To(a.rankings, len(a.terms))
	for i := range a.rankings {
		if i == 0 {
			a.keys = a.rankings[0].sortValues(p.Demand, a.keys)
		} else {
			a.rankings[i].share(&a.rankings[0])
		}
		a.rankings[i].empty()
		for t := range min(a.terms[i]-1, n) {
			a.rankings[i].put(t, 1)
		}
	}
	a.enter = grow.Zero(a.enter, len(classes)*n)
	a.stock = grow.Zero(a.stock, len(classes))
	for _, h := range p.Held {
		a.hold(h.Class, int64(h.Count), 0, h.Until, n)
	}
	a.want = grow.Zero(a.want, len(classes))
	for t := range n {
		for i, term := range a.terms {
			if t > 0 {
				a.rankings[i].put(t-1, -1)
			}
			if t+term <= n {
				a.rankings[i].put(t+term-1, 1)
			}
		}
		for k := range a.stock {
			a.stock[k] += a.enter[k*n+t]
		}
		if t%max(1, p.Every) == 0 && (p.Closed == nil || !p.Closed[t]) {
			dst = a.decide(dst, p.Horizon, t, n)
		}
	}
	return dst, nil
}

// decide buys for slot t.
func (a *SEC) decide(dst []pricing.Purchase, horizon reserve.Horizon, t, n int) []pricing.Purchase {
	// Step 1.
	clear(a.want)
	planned, have := int64(0), int64(0)
	for i := range a.ranked {
		c := &a.ranked[i]
		need := c.need
		if horizon == reserve.Pure && t+a.terms[c.term] > n {
			need = a.need(c, n-t)
		}
		if level := int64(a.rankings[c.term].kth(need)); level > planned {
			a.want[c.class] = level - planned
			planned = level
		}
	}
	// Steps 2 and 3.
	for _, s := range a.stock {
		have += s
	}
	from := len(dst)
	for i := range a.ranked {
		c := &a.ranked[i]
		count := min(planned-have, a.want[c.class]-a.stock[c.class])
		if count <= 0 {
			continue
		}
		have += count
		dst = append(dst, pricing.Purchase{Slot: t, Class: c.class, Count: int(count)})
		a.hold(c.class, count, t, t+a.terms[c.term], n)
		a.stock[c.class] += count // a.enter[t] has been read
	}
	slices.SortFunc(dst[from:], func(x, y pricing.Purchase) int { return cmp.Compare(x.Class, y.Class) })
	return dst
}

// hold counts reservations of class k that are active from slot t up to before until. While the
// remaining time is longer than the next shorter term, they count for class k; then for the class of
// that term in kin, and so on.
func (a *SEC) hold(k int, count int64, t, until, n int) {
	add := func(class, from, to int) { // from ≤ slots < to
		if from = max(from, t); from < to && from < n {
			a.enter[class*n+from] += count
			if to < n {
				a.enter[class*n+to] -= count
			}
		}
	}
	i, _ := slices.BinarySearch(a.terms, a.input.Offers[k].Term)
	from := t
	for ; i > 0; i-- {
		to := until - a.terms[i-1] // from here on the rest is no longer than that term
		add(int(a.kin[k*len(a.terms)+i]), from, to)
		from = max(from, to)
	}
	add(int(a.kin[k*len(a.terms)]), from, until)
}

// need returns K_k for a reservation with the given number of slots to the
// horizon.
func (a *SEC) need(c *secClass, slots int) int64 {
	classes := a.input.Offers
	fee, use := int64(0), classes[c.class].Price
	if c.below >= 0 {
		fee, use = classes[c.below].FeeFor(slots), classes[c.below].Use
	}
	more := classes[c.class].FeeFor(slots) - fee
	if more <= 0 { // the lowest level, with no commitment
		return 1
	}
	return breakEven(more, use-classes[c.class].Use)
}

// rank lists the terms, and the classes on the envelopes in the order of discount.
func (a *SEC) rank(p *reserve.Problem) error {
	classes := a.input.Offers
	a.terms = a.terms[:0]
	a.sold, a.index = pricing.List{OnDemand: p.Prices.OnDemand, Classes: a.sold.Classes[:0]}, a.index[:0]
	for i := range classes {
		if k, ok := slices.BinarySearch(a.terms, classes[i].Term); !ok {
			a.terms = slices.Insert(a.terms, k, classes[i].Term)
		}
		if sold(p, i) {
			a.sold.Classes, a.index = append(a.sold.Classes, p.Prices.Classes[i]), append(a.index, i)
		}
	}
	a.ranked = a.ranked[:0]
	for i, term := range a.terms {
		var err error
		if a.levels, err = a.sold.AppendEnvelope(a.levels[:0], time.Duration(term)*p.Slot); err != nil {
			return &inputerr.Error{Package: "rules", Field: "Prices", Index: -1, Err: err}
		}
		below := -1
		for _, level := range a.levels {
			if level.Class < 0 {
				continue
			}
			c := secClass{class: a.index[level.Class], term: i, below: below}
			c.need = a.need(&c, term)
			a.ranked = append(a.ranked, c)
			below = c.class
		}
	}
	slices.SortFunc(a.ranked, func(x, y secClass) int {
		return cmp.Or(
			cmp.Compare(classes[x.class].Use, classes[y.class].Use),
			cmp.Compare(y.term, x.term),
			cmp.Compare(x.class, y.class))
	})
	return nil
}

// relate fills in kin: for each class and term, the class that a reservation counts for when its
// remaining time is no longer than that term.
func (a *SEC) relate(p *reserve.Problem) {
	classes := a.input.Offers
	a.kin = grow.Zero(a.kin, len(classes)*len(a.terms))
	for k := range classes {
		own := &p.Prices.Classes[k]
		for i, term := range a.terms {
			best := -1
			for j := range classes {
				if classes[j].Term != term {
					continue
				}
				if best < 0 || nearer(own, &p.Prices.Classes[j], &p.Prices.Classes[best]) {
					best = j
				}
			}
			if term == classes[k].Term {
				best = k
			}
			a.kin[k*len(a.terms)+i] = int32(best)
		}
	}
}

// nearer reports whether x is more like own than y.
func nearer(own, x, y *pricing.Class) bool {
	if a, b := x.Billed == own.Billed, y.Billed == own.Billed; a != b {
		return a
	}
	return distance(x.Hourly, own.Hourly) < distance(y.Hourly, own.Hourly)
}

func distance(x, y pricing.Money) pricing.Money { return max(x-y, y-x) }
