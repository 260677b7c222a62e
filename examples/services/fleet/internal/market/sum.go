package market

import (
	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/group"
	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/record"
	"github.com/plimsoll/plimsoll/reserve/savings"
)

// A Sum is what a pass over groups adds up to, see [savings.Sum], a [record.Record]. It takes 8
// bytes for each hour and pair of rates: 70 KB for a year. A provider's price list has some hundred
// pairs.
type Sum struct{ savings.Sum }

// ratesOf returns what a unit-hour of a group costs.
func ratesOf(g *record.Group) savings.Rates {
	r := savings.Rates{OnDemand: g.List.OnDemand}
	if group.Covered(g) {
		r.Plan = g.Savings
	}
	return r
}

// Add adds the answer of a group.
func (s *Sum) Add(g *record.Group, a *group.Answer) {
	if len(g.Paths) == 0 {
		s.Sum.Add(ratesOf(g), a.Fees, a.Bound, a.Left, 1)
		return
	}
	s.AddCost(a.Fees, a.Bound, a.Cost-a.Fees, 1)
}

// Merge adds the groups of o, which stays as it is. Both must be of the same terms and the
// same worth.
func (s *Sum) Merge(o *Sum) { s.Sum.Merge(&o.Sum) }

// Tag implements [record.Record].
func (*Sum) Tag() byte { return 'S' }
