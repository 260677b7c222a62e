package rules

import (
	"slices"

	"github.com/plimsoll/plimsoll/internal/grow"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
)

// The history rule of [Wang15], the online algorithm that [Liu21] compares with.
//
// Minimise the fees of one class and the cost on demand, without a forecast. The rule
// reserves a level if the level's cost on demand in the past term is at least the fee. Level
// l was on demand in slot i if u_i < l ≤ d_i, where u_i is the number of active
// reservations. In each slot the rule buys the levels above u_t one by one, from the lowest.
// The rule stops at the first level that has not reached break-even. A level above the
// present demand is bought too.
//
// History does not change the u_i of past slots when it buys. [Wang] counts later purchases in
// earlier slots too, and the proof of Wang's constant needs that.
//
// A level l was on demand in as many slots of the last term as have u_i < l, less those with
// d_i < l. Only slots with u_i < d_i matter. One sorted list has their u_i, and another their
// d_i. The count can only fall above some d_i, so the search goes from one d_i to the next. Time: O(log τ) comparisons a slot and at worst O(τ) moves, for every
// demand. Space: O(τ).

// History is the online rule of [Wang15], for one class. History takes no forecast. The zero value
// is ready for Reset. In each slot History buys one reservation after the other, as long as the
// next one would have saved at least the fee in the past term.
//
// The cost is not bounded by any multiple of the optimum. Let F be the fee, τ the slots of a term,
// p the price of a slot on demand, and α = F/(τ·p). The cost can be 4/3 + 1/(6α) times the optimum
// (reserve/theory), and this grows without bound for small α. [Liu21] says "at most 4 times",
// which is false of this rule. [Wang] with Eager differs in one point: when it looks back at a
// past slot, it counts the reservations bought since then as if they had served that slot. It
// costs at most 2 times the optimum. As a [reserve.Planner], History handles the same problems as
// [Wang].
type History struct {
	// Class is the class to buy, an index into the price list. AppendPlan only.
	Class int

	series series
	books  ledger
	m      int64
	lo, hi []int64 // by slot of the last term: levels lo+1 to hi were on demand
	los    []int64 // lo of the slots with lo < hi, rising
	his    []int64 // their hi, rising
}

// Reset begins a series, as the package comment says.
func (a *History) Reset(o reserve.Offer) error {
	a.books.reset(0)
	if err := check(&o); err != nil {
		return err
	}
	a.books.reset(o.Term)
	a.m = breakEvenOf(&o)
	a.lo = grow.Zero(a.lo, o.Term)
	a.hi = grow.Zero(a.hi, o.Term)
	a.los = slices.Grow(a.los[:0], o.Term)
	a.his = slices.Grow(a.his[:0], o.Term)
	return nil
}

// Observe returns how many to buy, as the package comment says. O(τ) time.
func (a *History) Observe(demand int, _ []int) int {
	l := &a.books
	l.ready()
	d := instances(demand)
	i := l.cell(0)
	if a.lo[i] < a.hi[i] { // leaves the window
		a.los = without(a.los, a.lo[i])
		a.his = without(a.his, a.hi[i])
	}
	active := l.n - l.expired(0)
	if active < d { // would be on demand now
		a.los = with(a.los, active)
		a.his = with(a.his, d)
	}
	k := active // up to level k all have reached break-even
	above, _ := slices.BinarySearch(a.los, k+1)
	ended, _ := slices.BinarySearch(a.his, k+1)
	for int64(above-ended) >= a.m { // slots in which level k+1 was on demand
		k = a.his[ended]
		for above < len(a.los) && a.los[above] <= k {
			above++
		}
		for ended < len(a.his) && a.his[ended] <= k {
			ended++
		}
	}
	if active < d && k > active { // some are served after all
		a.los = without(a.los, active)
		if k < d {
			a.los = with(a.los, k)
		} else {
			a.his = without(a.his, d)
		}
	}
	a.lo[i], a.hi[i] = k, max(k, d)
	return l.close(l.n + k - active)
}

// with inserts x in its order, without removes one x.
func with(s []int64, x int64) []int64 {
	i, _ := slices.BinarySearch(s, x)
	return slices.Insert(s, i, x)
}

func without(s []int64, x int64) []int64 {
	i, _ := slices.BinarySearch(s, x)
	return slices.Delete(s, i, i+1)
}

// AppendPlan appends the plan's purchases to dst, as [reserve.Planner] says.
func (a *History) AppendPlan(dst []pricing.Purchase, p *reserve.Problem) ([]pricing.Purchase, error) {
	return a.series.plan(dst, p, a.Class, a)
}
