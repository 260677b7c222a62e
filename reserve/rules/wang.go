package rules

import (
	"math"

	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
)

// The deterministic online rule of [Wang13], Algorithm 1.
//
// Minimise the fees of one class and the cost on demand, without a forecast. The rule is
// ski rental for many instances at once. The regret is the money spent on demand within the
// last term that a reservation would have saved. When the regret exceeds the fee, buy. For
// each slot i the paper keeps x_i, the number of reservations that slot i has, and counts
// later purchases as if they had been there ("phantom" reservations):
//
//	while (p-αp)·#{i in [t-τ+1, t] : d_i > x_i} > F:
//	    buy one;  x_i += 1 for i in [t-τ+1, t+τ-1].
//
// The k-th purchase of all counts in x_i unless the reservation has expired before slot i
// begins. So x_i = N(t) - N(i-τ). And d_i > x_i is h_i > N(t) for a number
// h_i = d_i + N(i-τ) that is fixed when slot i begins. The loop ends at
//
//	N(t) = max(N(t-1), m-th largest h_i of the last τ slots),
//
// where m is the least number of slots with m·(p-αp) > F. That is an order statistic of a
// sliding window (see top), and no phantom has to be kept.
//
// Invariant: after slot t fewer than m of the last τ slots have h_i > N(t). Time: O(log τ)
// a slot, for every demand. Space: O(τ).
//
// theory/rules.go has the proof of the constant.

// Wang is the deterministic rule of [Wang13], for one class. Wang takes no forecast. The zero value
// is ready for Reset.
//
// Let α be the use price over the price on demand. With the Full horizon, Wang costs at most 2 − α
// times the optimum. No deterministic rule without a forecast has a lower constant for all prices.
//
// With Eager and α = 0 the constant is a little lower. Let F be the fee and p the price of a slot
// on demand. F/p, rounded up, is the number of slots to break-even. Let f = F − p·(⌈F/p⌉−1), the
// part of the fee that the last of these slots pays back. The constant is 2 − f/F.
//
// As a [reserve.Planner], Wang handles purchases at every slot, classes billed either way, and both
// horizons. Wang handles inventory of classes whose use costs no more than the use of the class to
// buy. Wang does not know where the demand ends, and buys the same for both horizons; the constant
// holds for Full. Wang does not handle Every above 1, caps and Closed dates.
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

// Reset begins a series, as the package comment says.
func (a *Wang) Reset(o reserve.Offer) error {
	a.books.reset(0)
	if err := check(&o); err != nil {
		return err
	}
	m := breakEvenOf(&o)
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

// Observe returns how many to buy, as the package comment says. O(log τ) time.
func (a *Wang) Observe(demand int, _ []int) int {
	a.books.ready()
	return a.observe(instances(demand))
}

func (a *Wang) observe(demand int64) int {
	l := &a.books
	a.window.set(l.cell(0), demand+l.expired(0))
	return l.close(max(l.n, a.window.kth()))
}

// AppendPlan appends the plan's purchases to dst, as [reserve.Planner] says. O(n·log τ)
// time for n slots.
func (a *Wang) AppendPlan(dst []pricing.Purchase, p *reserve.Problem) ([]pricing.Purchase, error) {
	return a.series.plan(dst, p, a.Class, a)
}
