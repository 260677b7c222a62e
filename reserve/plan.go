package reserve

import (
	"cmp"
	"slices"

	"github.com/plimsoll/plimsoll/pricing"
)

// A Plan is a list of purchases, their cost, and a proof of how near the optimum they are.
type Plan struct {
	// Purchases is sorted by slot, then by class, with at most one for each
	// slot and class.
	Purchases []pricing.Purchase
	// Bill is what the demand costs with the purchases and the inventory.
	Bill pricing.Bill
	// Cost is the amount that the plan makes small. Cost is Bill.Total with the horizon Full, and
	// Bill.Pure with the horizon Pure. Unlike the bill, Cost leaves out the hours that held
	// reservations owe whether they are used or not. Cost is computed as a whole and rounded once,
	// half to even; the bill is rounded line by line. No plan costs less than Bound, which is
	// rounded in the same way. The plan is optimal if Cost and Bound are equal.
	Cost, Bound pricing.Money
	// Certificate proves the bound; see Verify.
	Certificate Certificate
	// Limited says that a limit on the work was reached and that the gap is above
	// 10⁻³. That happens only with several use prices and thousands of purchases.
	// Plan and bound hold, but may both be worse than they could be.
	Limited bool
}

// Gap returns how far the plan's cost is above the bound, as a share of the
// bound: 0 for an optimal plan, +Inf where the bound is 0 and the cost is not.
func (p *Plan) Gap() float64 {
	if p.Cost == p.Bound {
		return 0
	}
	return p.Cost.Float64()/p.Bound.Float64() - 1
}

// Optimal reports whether the certificate proves that no plan costs less.
func (p *Plan) Optimal() bool { return p.Cost == p.Bound }

func sortPurchases(list []pricing.Purchase) {
	slices.SortFunc(list, func(a, b pricing.Purchase) int {
		return cmp.Or(cmp.Compare(a.Slot, b.Slot), cmp.Compare(a.Class, b.Class))
	})
}
