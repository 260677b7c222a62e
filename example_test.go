package plimsoll_test

import (
	"fmt"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
)

// What to reserve for eight instances on workdays and three at weekends, for a year.
func Example() {
	list := pricing.List{OnDemand: 192 * pricing.Milli, Classes: []pricing.Class{
		{Name: "1y no upfront", Term: pricing.Year, Hourly: 121 * pricing.Milli, Billed: pricing.Always},
	}}
	plan, err := new(reserve.Exact).Solve(&reserve.Problem{
		Demand: slices.Repeat([]int{8, 8, 8, 8, 8, 3, 3}, 52), Slot: 24 * time.Hour, // instances a day
		Prices: list, Horizon: reserve.Pure, // the share of a term after the demand does not count
	})
	for _, b := range plan.Purchases {
		fmt.Printf("day %d: buy %d of %s\n", b.Slot, b.Count, list.Classes[b.Class].Name)
	}
	fmt.Printf("costs $%v, any plan at least $%v, error: %v\n", plan.Cost.Fixed(0), plan.Bound.Fixed(0), err)
	// Output:
	// day 0: buy 8 of 1y no upfront
	// costs $8456, any plan at least $8456, error: <nil>
}
