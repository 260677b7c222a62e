package market

import (
	"time"

	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/group"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve/savings"
)

// A Plan is a plan of a whole fleet: the commitments of its savings plan, and what these cost
// together with the reservations and the usage of all groups. Of groups with paths OnDemand is the
// mean over the paths, rounded to a nano for each group.
type Plan = savings.Shared

// Enough is the gap that a plan of a fleet should have at most.
const Enough = 1e-3

// Commit returns the plan that commits the best for the usage that the groups leave, with the
// bound that sum proves, or that of the price if it is better: sum is what all groups answered
// to the price. next is what the hours of the commitment are worth beside these reservations,
// for the next pass. See [savings.Commit].
func Commit(x *group.Terms, sum *Sum, price *Price) (plan Plan, next group.Worth, err error) {
	plan, next, err = commit(x, sum, price.Worth)
	price.raise(&plan)
	if err == nil && plan.Failed == "" && !plan.Bounded && sum.Groups > 0 {
		plan.Failed = group.Overflow + ": the usage of the sample is too large for amounts of money, so that the hours of the savings plan have no price and the fleet no bound: want the largest accounts apart"
	}
	return plan, next, err
}

func commit(x *group.Terms, sum *Sum, worth group.Worth) (Plan, group.Worth, error) {
	return savings.Commit(savingsPlan(x), x.Hours, &sum.Sum, worth)
}

// savingsPlan returns the terms of the savings plan, with commitments in nanos.
func savingsPlan(x *group.Terms) *savings.Problem {
	p := &savings.Problem{Slot: time.Hour, Term: x.Term, Every: x.Every, Horizon: x.Horizon, Unit: 1}
	for _, h := range x.Held {
		p.Held = append(p.Held, pricing.Holding{Count: int(h.Hourly), Until: x.Index(h.Until)})
	}
	return p
}
