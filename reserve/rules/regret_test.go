package rules

import (
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
)

// A regret compares what was bought with what would have been best, had the demand
// been known.
type regret struct {
	Cost    pricing.Money // of what was bought
	Optimum pricing.Money // of the plan found with hindsight
	Bound   pricing.Money // below which no plan costs
}

// Ratio returns Cost over Optimum.
func (r regret) Ratio() float64 { return r.Cost.Float64() / r.Optimum.Float64() }

// regretOf returns what purchases cost beside the best that hindsight finds.
func regretOf(p *reserve.Problem, purchases []pricing.Purchase) (regret, error) {
	cost, err := reserve.Cost(p, purchases)
	if err != nil {
		return regret{}, err
	}
	plan, err := new(reserve.Exact).Solve(p)
	return regret{cost, plan.Cost, plan.Bound}, err
}
