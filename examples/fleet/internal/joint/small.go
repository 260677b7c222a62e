package joint

import (
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/examples/fleet/internal/group"
	"github.com/plimsoll/plimsoll/examples/fleet/internal/record"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve/savings"
)

// A fleet of few groups.
//
// The best plan of a fleet is an average of the groups' answers at a price, and where groups
// are many and differ, a single answer of each is near that average: what one orders too much
// another orders too little. Of a few groups none makes up for another. So if all groups of a fleet are
// at hand and are few, package reserve/savings plans them as the types of one problem. Its worths
// are fair and go into the bound as any others do; its reservations are the given orders.

// fewGroups is the most groups that are planned as one problem, of a year of hours in seconds.
const fewGroups = 40

// few returns the price of the fleet that the members are, and whether there is one: whether
// the members are few, and each stands for itself.
func (w *walker) few() (Price, bool) {
	var groups []*record.Group
	for i := range w.members {
		m := &w.members[i]
		if m.Times != Whole {
			return Price{}, false
		}
		if !w.failed[i] {
			groups = append(groups, &m.Group)
		}
	}
	if len(groups) == 0 || len(groups) > fewGroups {
		return Price{}, false
	}
	slices.SortFunc(groups, func(a, b *record.Group) int { return a.Key.Compare(b.Key) })
	var mixed savings.Mixed
	best, err := mixed.Solve(mixedOf(w.x, groups))
	if err != nil { // such as amounts that do not fit there
		return Price{}, false
	}
	price := Price{Worth: slices.Clone(best.Certificate.Worth), Given: map[record.Key][]pricing.Purchase{}}
	if unfair(w.x, price.Worth) >= 0 {
		return Price{}, false
	}
	first := 0 // of the classes of a group
	for _, g := range groups {
		given := []pricing.Purchase{}
		for _, q := range best.Reservations {
			if q.Class >= first && q.Class < first+len(g.List.Classes) {
				q.Class -= first
				given = append(given, q)
			}
		}
		slices.SortFunc(given, byPurchase)
		price.Given[g.Key] = given
		first += len(g.List.Classes)
	}
	return price, true
}

// mixedOf states a fleet as package savings does, with a type for each group.
func mixedOf(x *group.Terms, groups []*record.Group) *savings.MixedProblem {
	p := &savings.MixedProblem{Problem: savings.Problem{Slot: time.Hour, Term: x.Term, Every: x.Every, Horizon: x.Horizon}}
	for _, h := range x.Held {
		p.Held = append(p.Held, savings.Held{Units: int(h.Hourly / pricing.Milli), Until: x.Index(h.Until)})
	}
	for i, g := range groups {
		rate := g.Savings
		if !group.Covered(g) {
			rate = g.List.OnDemand
		}
		p.Types = append(p.Types, savings.Type{Name: g.Key.String(), Demand: x.AppendUnheld(nil, g), OnDemand: g.List.OnDemand, Plan: rate})
		for _, c := range g.List.Classes {
			p.Classes = append(p.Classes, savings.TypeClass{Type: i, Class: c})
		}
	}
	return p
}
