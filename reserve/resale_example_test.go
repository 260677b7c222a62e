package reserve_test

import (
	"fmt"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
)

// What a marketplace for the rest of terms is worth: a project of nine months, and classes of
// a year and of three.
func ExampleResale() {
	const month = 730 * time.Hour
	demand := make([]int, 12)
	for m := range 9 {
		demand[m] = 10
	}
	list := pricing.List{OnDemand: pricing.Unit, Classes: []pricing.Class{
		{Name: "1y", Term: 12 * month, Upfront: 6000 * pricing.Unit},
		{Name: "3y", Term: 36 * month, Upfront: 12000 * pricing.Unit},
	}}
	var exact reserve.Exact
	for _, share := range []float64{0, .7} { // of the rest, after the fee
		market := reserve.Resale{Share: share, Every: month, Longest: 12 * month}
		classes, of, err := market.AppendClasses(nil, nil, list)
		if err != nil {
			fmt.Println(err)
			return
		}
		plan, err := exact.Solve(&reserve.Problem{Demand: demand, Slot: month, Prices: pricing.List{OnDemand: list.OnDemand, Classes: classes}})
		if err != nil {
			fmt.Println(err)
			return
		}
		for _, q := range plan.Purchases {
			fmt.Printf("share %v: %d of %s, kept for %v months\n", share, q.Count, list.Classes[of[q.Class]].Name, int(classes[q.Class].Term/month))
		}
		fmt.Println("cost", plan.Cost.Fixed(0))
	}
	// Output:
	// share 0: 10 of 1y, kept for 12 months
	// cost 60000
	// share 0.7: 10 of 1y, kept for 9 months
	// cost 49500
}
