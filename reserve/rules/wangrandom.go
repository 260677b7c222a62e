package rules

import (
	"math"
	"math/rand/v2"

	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
)

// The randomised online rule of [Wang13], with a corrected distribution.
//
// Minimise the expected fees and cost on demand, without a forecast, for a demand that does
// not depend on the draws. The deterministic rule ([Wang]) buys when the regret exceeds F.
// The randomised rule buys when the regret exceeds w·F, where w is drawn once. A small w
// costs little if the demand goes on; a large w costs little if the demand ends at once. Let
// α be the ratio of the use price and the price on demand. The density of w that makes all
// ends cost the same ratio is
//
//	e^w / (e-1+α)   on [0, 1),   and the probability   α/(e-1+α)   remains.
//
// [Wang13] writes z = w/(1-α) for fees normalised to 1, and puts the remaining probability
// at the break-even point z = 1/(1-α), w = 1. That fails for α > 0: usage just above
// break-even then costs up to
//
//	e/(e-1+α) + α·(1-α)/(e-1+α)
//
// times the optimum. Example: F = 10, p = 2, use price 1, and one instance for 11 slots of a
// term of 12. The optimum is 10 + 11 = 21. The expectation with the printed probability is
// 27.37 = 1.3032·21, and e/(e-1+α) = 1.2254. The remaining probability belongs on "never
// reserve". Then the expected cost is at most e/(e-1+α) times the optimum (1.2066 in the
// example); theory/rules.go has the proof. For α = 0 nothing remains, and both
// distributions agree.
//
// The rule stays beside Wang because it wins without a forecast: in expectation 1.172 times the optimum
// against 1.252 with reservations of a day, and 1.130 against 1.142 with reservations of a month, on
// the five demand files (go test -run '^$' -bench BenchmarkRule -benchtime 1x ./reserve/rules).
//
// A rule on whole slots has a threshold of m slots: a regret of more than w·F/(p-αp) slots
// is m slots for w in [(m-1)·(p-αp)/F, m·(p-αp)/F).

// WangRandom is the randomised rule of [Wang13], mended, for one class. WangRandom takes no
// forecast, and needs a source of randomness.
//
// Let α be the use price over the price on demand. With the Full horizon, the expected cost is at
// most e/(e-1+α) times the optimum: 1.582 times for prepaid classes. WangRandom handles the same
// problems as [Wang].
type WangRandom struct {
	// Class is the class to buy, an index into the price list. AppendPlan only.
	Class int
	// Rand gives one number for each Reset and each AppendPlan.
	Rand *rand.Rand

	rule Wang
}

// threshold returns the threshold for a number u in [0, 1), the inverse of the
// distribution.
func threshold(o *reserve.Offer, u float64) int64 {
	if o.Price <= o.Use {
		return 0
	}
	gain, alpha := float64(o.Price-o.Use), float64(o.Use)/float64(o.Price)
	w := math.Log1p(u * (math.E - 1 + alpha))
	if w >= 1 && alpha > 0 {
		return 0
	}
	return min(breakEvenOf(o), int64(w*float64(o.Fee)/gain)+1)
}

// Reset draws a threshold and begins a series, as the package comment says. It panics if
// Rand is nil.
func (a *WangRandom) Reset(o reserve.Offer) error {
	if a.Rand == nil {
		panic("rules: WangRandom: Rand is nil")
	}
	a.rule.books.reset(0)
	if err := check(&o); err != nil {
		return err
	}
	a.at(o.Term, threshold(&o, a.Rand.Float64()))
	return nil
}

func (a *WangRandom) at(term int, slots int64) {
	if slots <= 0 {
		slots = math.MaxInt64
	}
	a.rule.reset(term, slots)
}

// Observe returns how many to buy, as the package comment says. O(log τ) time.
func (a *WangRandom) Observe(demand int, _ []int) int { return a.rule.Observe(demand, nil) }

// AppendPlan draws a threshold and appends the plan's purchases to dst, as
// [reserve.Planner] says. It panics if Rand is nil. O(n·log τ) time for n slots.
func (a *WangRandom) AppendPlan(dst []pricing.Purchase, p *reserve.Problem) ([]pricing.Purchase, error) {
	return a.rule.series.plan(dst, p, a.Class, a)
}
