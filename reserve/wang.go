package reserve

import (
	"math"

	"github.com/plimsoll/plimsoll/pricing"
)

// The deterministic online rule of [Wang13], Algorithm 1.
//
// Minimise the fees of one class and the price of what runs on demand, without a
// forecast. The ski-rental idea, for many instances at once: what has been spent on
// demand within the last term and could have been reserved instead is regretted;
// when the regret exceeds the fee, buy. The paper keeps x_i, the reservations
// that slot i has or, counting what was bought since as if it had been there
// ("phantom" reservations), would have had:
//
//	while (p-αp)·#{i in [t-τ+1, t] : d_i > x_i} > F:
//	    buy one;  x_i += 1 for i in [t-τ+1, t+τ-1].
//
// The k-th purchase in all is one of x_i unless it has expired before slot i
// begins. So x_i = N(t) - N(i-τ), and d_i > x_i is h_i > N(t) for a number
// h_i = d_i + N(i-τ) that is fixed when slot i begins. The loop ends at
//
//	N(t) = max(N(t-1), m-th largest h_i of the last τ slots),
//
// m the least number of slots with m·(p-αp) > F: an order statistic of a sliding
// window (see top), and no phantom has to be kept.
//
// Invariant: after slot t fewer than m of the last τ slots have h_i > N(t).
// O(log τ) time a slot, whatever the demand, and O(τ) space.
//
// The proof of the constant is in theory/rules.go.

// Wang is the deterministic rule of [Wang13], for one class. It takes no
// forecast. The zero value is ready for Reset.
//
// With the Full horizon it costs at most 2 - α times the optimum, α = αp/p the
// ratio of use price and price on demand, and no deterministic rule without a
// forecast has less for all prices. With Eager it is 2 - f/F for α = 0, f = F - p·(⌈F/p⌉-1).
//
// As a [Planner] it handles purchases at every slot, classes billed either way,
// inventory of classes whose use costs no more than that of the class to buy, and
// both horizons; it does not know where the demand ends, buys for both alike, and
// the bound is for Full. It does not handle Every above 1, caps and Closed dates.
type Wang struct {
	// Class is the class to buy, an index into the price list. AppendPlan only.
	Class int
	// Eager is to buy when the regret reaches the fee; the paper waits until it
	// exceeds it.
	Eager bool

	series series
	books  ledger
	window top // h_i of the last τ slots
}

// Reset begins a series, as [Rule] says.
func (a *Wang) Reset(o Offer) error {
	a.books.reset(0)
	if err := o.check(); err != nil {
		return err
	}
	m := o.breakEven()
	if !a.Eager && m < math.MaxInt64 {
		m = o.Fee/(o.Price-o.Use) + 1
	}
	a.reset(o.Term, m)
	return nil
}

func (a *Wang) reset(term int, m int64) {
	a.books.reset(term)
	a.window.reset(term, m)
}

// Observe returns how many to buy, as [Rule] says. O(log τ) time.
func (a *Wang) Observe(demand int, _ []int) int {
	a.books.ready()
	return a.observe(instances(demand))
}

func (a *Wang) observe(demand int64) int {
	l := &a.books
	a.window.set(l.cell(0), demand+l.expired(0))
	return l.close(max(l.n, a.window.kth()))
}

// AppendPlan appends the plan's purchases to dst, as [Planner] says. O(n·log τ)
// time for n slots.
func (a *Wang) AppendPlan(dst []pricing.Purchase, p *Problem) ([]pricing.Purchase, error) {
	if err := a.series.load(p, a.Class, nil); err != nil {
		return dst, err
	}
	if err := a.Reset(a.series.offer()); err != nil {
		return dst, err
	}
	return a.series.run(dst, a.Class, a, 1), nil
}
