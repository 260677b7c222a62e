// Plan says what to reserve for a demand that is known.
package main

import (
	"fmt"
	"log"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
)

func main() {
	// Eight instances on workdays and three at weekends, for a year. Four contracts still run for
	// 100 days. The prices are about those of a machine of four processors in 2026.
	list := pricing.List{OnDemand: 192 * pricing.Milli, Classes: []pricing.Class{
		{Name: "1y no upfront", Term: pricing.Year, Hourly: 121 * pricing.Milli, Billed: pricing.Always},
		{Name: "3y all upfront", Term: 3 * pricing.Year, Upfront: 1994 * pricing.Unit, Billed: pricing.Always},
	}}
	problem := reserve.Problem{
		Demand: slices.Repeat([]int{8, 8, 8, 8, 8, 3, 3}, 52), Slot: 24 * time.Hour,
		Prices: list, Held: []pricing.Holding{{Class: 0, Count: 4, Until: 100}},
		Horizon: reserve.Pure, // the share of a term after the demand does not count
	}
	var solver reserve.Exact
	plan, err := solver.Solve(&problem)
	if err != nil {
		log.Fatal(err)
	}
	for _, b := range plan.Purchases {
		fmt.Printf("day %d: reserve %d of %s\n", b.Slot, b.Count, list.Classes[b.Class].Name)
	}
	fmt.Printf("the year costs $%v, and no plan costs less than $%v\n", plan.Cost.Fixed(0), plan.Bound.Fixed(0))
}

// Output:
// day 0: reserve 4 of 3y all upfront
// day 100: reserve 4 of 3y all upfront
// the year costs $4574, and no plan costs less than $4574
