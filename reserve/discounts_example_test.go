package reserve_test

import (
	"fmt"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
)

// Two departments need more machines on weekdays than at weekends. A machine that runs on
// weekdays alone is not worth a reservation of a week at the list price, and neither
// department reaches a discount by itself that changes that. If the fees of both departments
// count together, both reserve for all machines and pay $255 less.
func ExampleExact_SolveDiscounted() {
	week := func(working, weekend int) *reserve.Problem {
		return &reserve.Problem{
			Demand: []int{working, working, working, working, working, weekend, weekend},
			Slot:   24 * time.Hour,
			Prices: pricing.List{OnDemand: 100 * pricing.Milli, Classes: []pricing.Class{
				{Name: "week", Term: 7 * 24 * time.Hour, Upfront: 12500 * pricing.Milli},
			}},
		}
	}
	a, b := week(300, 120), week(400, 240)
	discounts := reserve.Discounts{Tiers: []reserve.Tier{{From: 4_500 * pricing.Unit, Discount: .1}}}

	var s reserve.Exact
	for _, problems := range [][]*reserve.Problem{{a}, {b}, {a, b}} {
		plan, err := s.SolveDiscounted(discounts, problems...)
		if err != nil {
			panic(err)
		}
		fmt.Println(plan.Cost, plan.Purchases, plan.Optimal())
	}
	// Output:
	// 3660 [[{0 0 120}]] true
	// 4920 [[{0 0 240}]] true
	// 8325 [[{0 0 300}] [{0 0 400}]] true
}
