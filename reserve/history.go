package reserve

import (
	"slices"

	"github.com/plimsoll/plimsoll/pricing"
)

// The history rule of [Wang15], the online algorithm that [Liu21] compares with.
//
// Minimise the fees of one class and the price of what runs on demand, without a
// forecast: a level whose price on demand in the past term is no less than the fee
// is reserved. Level l was on demand in slot i if u_i < l ≤ d_i, with u_i active
// reservations. Levels above u_t are bought from the bottom up, until one has not
// reached break-even, also in a slot that does not use them.
//
// It looks at the coverage that a slot had. [Wang] counts what was bought since as
// if it had been there, and that is what its bound rests on.
//
// A slot adds one to each of its levels on demand when it enters the window and
// takes it back when it leaves: O(instances on demand) time a slot, and space for
// the term and the largest demand, for which Observe grows its memory.

// History is the online rule of [Wang15], for one class. It takes no forecast.
// The zero value is ready for Reset. No bound is known; 3.8 times the optimum has
// been found. As a [Planner] it handles what [Wang] does.
type History struct {
	// Class is the class to buy, an index into the price list. AppendPlan only.
	Class int

	series series
	books  ledger
	m      int64
	lo, hi []int64 // by slot of the last term: levels lo+1 to hi were on demand
	count  []int32 // by level, slots of the last term in which it was on demand
}

// Reset begins a series, as [Online] says.
func (a *History) Reset(o Offer) error {
	a.books.reset(0)
	if err := o.check(); err != nil {
		return err
	}
	a.books.reset(o.Term)
	a.m = o.breakEven()
	a.lo = zeroed(a.lo, o.Term)
	a.hi = zeroed(a.hi, o.Term)
	a.count = a.count[:0]
	return nil
}

// Observe returns how many to buy, as [Online] says.
func (a *History) Observe(demand int, _ []int) int {
	l := &a.books
	l.ready()
	d := instances(demand)
	if need := demand + 2; need > len(a.count) {
		old := len(a.count)
		a.count = slices.Grow(a.count, need-old)[:need]
		clear(a.count[old:])
	}
	i := l.cell(0)
	for k := a.lo[i] + 1; k <= a.hi[i]; k++ { // leaves the window
		a.count[k]--
	}
	active := l.n - l.expired(0)
	for k := active + 1; k <= d; k++ { // would be on demand now
		a.count[k]++
	}
	k := active + 1
	for ; k < int64(len(a.count)) && int64(a.count[k]) >= a.m; k++ {
		if k <= d {
			a.count[k]-- // is served after all
		}
	}
	a.lo[i], a.hi[i] = k-1, max(k-1, d)
	return l.close(l.n + k - 1 - active)
}

// AppendPlan appends the plan's purchases to dst, as [Planner] says.
func (a *History) AppendPlan(dst []pricing.Purchase, p *Problem) ([]pricing.Purchase, error) {
	if err := a.series.load(p, a.Class, nil); err != nil {
		return dst, err
	}
	if err := a.Reset(a.series.offer()); err != nil {
		return dst, err
	}
	return a.series.run(dst, a.Class, a, 1), nil
}
