package market

import (
	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/group"
	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/record"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve/savings"
)

// A Price is what a search finds, and what the groups of a fleet answer to.
type Price struct {
	// Worth is the price of each hour of the savings plan: nil without a savings plan, or if
	// none was found.
	Worth group.Worth
	// Other is nil, or a price at which a share of the groups answers instead: Share of 2³²
	// groups, by a hash of their keys. Groups that are alike all answer a price alike, and
	// the best plan may want the answers of two. The bound of a group is that at Worth all
	// the same.
	Other group.Worth
	Share uint32
	// Given are the orders of a fleet of few groups, by key, which cost less together than the
	// answer of each. The bound of a group is that of its answer all the same.
	Given map[record.Key][]pricing.Purchase
	// No plan of these Groups groups costs less than Least, by branch and bound on all groups
	// of a fleet. Groups is 0 if there is no such bound.
	Groups int64
	Least  savings.Total
}

// raise raises the bound of a plan to that of the price, if the plan has as many groups: a
// price with such a bound was found on all groups of the fleet that can be planned. The caller
// plans the fleet on which the price was searched.
func (p *Price) raise(plan *Plan) {
	if p.Groups > 0 && plan.Groups == p.Groups && plan.Bounded && plan.Bound.Compare(p.Least) < 0 {
		plan.Bound = p.Least
	}
}

// Plan returns a group's plan at the price.
func (p *Price) Plan(planner *group.Planner, x *group.Terms, g *record.Group) (group.Answer, *record.Failure) {
	if given, ok := p.Given[g.Key]; ok {
		return planner.Take(x, g, p.Worth, given)
	}
	if p.Other != nil && number(g.Key) < p.Share {
		return planner.PlanAs(x, g, p.Worth, p.Other)
	}
	return planner.Plan(x, g, p.Worth)
}

// number returns the number of a group that Share of a price is compared with. It does not
// depend on that by which samples are drawn.
func number(k record.Key) uint32 { return uint32(hash(k, 0x9d1f_5c27_e60b_84a3)) }

// Tag implements [record.Record].
func (*Price) Tag() byte { return 'W' }
