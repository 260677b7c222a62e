package reserve_test

import (
	"fmt"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
)

// What to buy for a year with 3,000 to pay up front. Five reservations would be best, and three can
// be paid; the last unit of the budget saves 1.19 at most.
func ExampleExact_Within() {
	p := &reserve.Problem{
		Demand: []int{5, 6, 5, 4},
		Slot:   2190 * time.Hour,
		Prices: pricing.List{OnDemand: 250 * pricing.Milli, Classes: []pricing.Class{
			{Name: "1y", Term: 8760 * time.Hour, Upfront: 1000 * pricing.Unit},
		}},
	}
	var exact reserve.Exact
	b, err := exact.Within(p, 3000*pricing.Unit)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, q := range b.Purchases {
		fmt.Printf("slot %d: buy %d of %s\n", q.Slot, q.Count, p.Prices.Classes[q.Class].Name)
	}
	fmt.Println("cost", b.Cost.Fixed(2), "at least", b.Bound.Fixed(2), "price of money", b.Price.Fixed(2))
	// Output:
	// slot 0: buy 3 of 1y
	// cost 7380.00 at least 7380.00 price of money 1.19
}
