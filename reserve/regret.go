package reserve

import "github.com/plimsoll/plimsoll/pricing"

// A Regret compares what was bought with what would have been best, had the demand
// been known.
type Regret struct {
	Cost    pricing.Money // of what was bought
	Optimum pricing.Money // of the plan found with hindsight
	Bound   pricing.Money // below which no plan costs; equal to Optimum where that is proved
}

// Ratio returns Cost over Optimum: 1 where nothing is to be regretted, NaN where
// both are 0.
func (r Regret) Ratio() float64 { return r.Cost.Float64() / r.Optimum.Float64() }

// Regret returns what purchases for p, sorted by slot, cost beside the best that
// hindsight finds, both by p's Horizon and from p's inventory. Hindsight keeps to p's
// caps and dates, so that the purchases have to as well: [ErrForged] if they do not,
// beside the errors of [Exact.Solve] and [Cost].
//
// It takes the time of a Solve, and allocates.
func (e *Exact) Regret(p *Problem, purchases []pricing.Purchase) (Regret, error) {
	cost, err := Cost(p, purchases)
	if err != nil {
		return Regret{}, err
	}
	plan, err := e.Solve(p)
	if err != nil {
		return Regret{}, err
	}
	return Regret{cost, plan.Cost, plan.Bound}, nil
}
