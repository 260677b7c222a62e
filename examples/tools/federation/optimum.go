package main

import (
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/federation"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
)

// A best is the optimum of sharing the plans of an outcome. An instance on demand has the
// price of the centre where it runs, as in the reading [roaming].
type best struct {
	optimum pricing.Money // of the best plan found, with its fees
	bound   pricing.Money // no sharing of parts that stay where they start costs less
	split   pricing.Money // the optimum if a part may move from hour to hour
}

// best shares as well as can be.
func (s *sharer) best(centres []*centre, x *outcome, tasks []federation.Task) (*best, error) {
	list := members(centres, x.plans, nil)
	var fees pricing.Money
	for i, c := range centres {
		fees += c.Reservation * pricing.Money(x.plans[i].count)
	}
	// Algorithm 3's plan is where the search starts.
	if _, err := s.share(centres, x.plans, nil, tasks, &readings[roaming]); err != nil {
		return nil, err
	}
	found, err := s.optimizer.Solve(list, tasks, federation.OptimumOptions{Start: s.bookings})
	if err != nil {
		return nil, cli.Mistakef("%w", err)
	}
	return &best{fees + found.Cost, fees + found.Bound, fees + s.optimizer.SplitCost()}, nil
}

// jointBound is a lower bound of the cost with any reservations and any sharing: all demand
// planned together, at the lowest prices of all centres, with free traffic.
func (o *options) jointBound(centres []*centre, tasks []federation.Task) (pricing.Money, error) {
	empty := make([]*plan, len(centres))
	for i := range empty {
		empty[i] = &plan{active: make([]int, o.hours)}
	}
	problem := reserve.Problem{Demand: make([]int, o.hours), Slot: time.Hour}
	for home := range centres {
		if err := federation.AddDemand(problem.Demand, tasks, home); err != nil {
			return 0, cli.Mistakef("%w", err)
		}
	}
	var err error
	if problem.Prices, err = federation.JointPrices(members(centres, empty, nil), time.Hour); err != nil {
		return 0, cli.Mistakef("%w", err)
	}
	plan, err := new(reserve.Exact).Solve(&problem)
	if err != nil {
		return 0, cli.Mistakef("all centres together: %w", err)
	}
	return plan.Bound, nil
}

// reach is the most that sharing could save of a plan, and the instance-hours of that. It
// assumes that sending data costs nothing, that parts can move from hour to hour, and that no
// task leaves its centre for a lower price on demand. In each hour idle reservations anywhere
// replace instances on demand anywhere, the dearest first.
func (r *results) reach(x *outcome) (saved pricing.Money, hours int64) {
	for t := range r.o.hours {
		idle := 0
		for i, c := range r.centres {
			idle += max(0, x.plans[i].active[t]-c.demand[t])
		}
		for _, i := range r.byPrice {
			n := min(idle, max(0, r.centres[i].demand[t]-x.plans[i].active[t]))
			idle -= n
			saved += r.centres[i].OnDemand * pricing.Money(n)
			hours += int64(n)
		}
	}
	return saved, hours
}
