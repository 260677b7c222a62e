package reserve_test

import (
	"fmt"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
)

// What to buy now if the demand shows its way in two quarters: it grows to 60 instances or falls to
// 30. A year costs as much as 2.8 quarters on demand. Buy 30 now, and 30 more if the demand grows:
// that saves 3,504 over the best plan that decides everything today, and 3,942 over buying nothing
// until the way shows.
func ExampleExact_tree() {
	p := &reserve.Problem{
		Tree: []reserve.Node{
			{Parent: -1, Probability: 1, Demand: 40}, // now
			{Parent: 0, Probability: 1, Demand: 40},
			{Parent: 1, Probability: .5, Demand: 60}, // it grows
			{Parent: 2, Probability: .5, Demand: 60},
			{Parent: 3, Probability: .5, Demand: 60},
			{Parent: 4, Probability: .5, Demand: 60},
			{Parent: 1, Probability: .5, Demand: 30}, // it falls
			{Parent: 6, Probability: .5, Demand: 30},
			{Parent: 7, Probability: .5, Demand: 30},
			{Parent: 8, Probability: .5, Demand: 30},
		},
		Slot: 2190 * time.Hour, Horizon: reserve.Pure,
		Prices: pricing.List{OnDemand: 100 * pricing.Milli, Classes: []pricing.Class{
			{Name: "1y", Term: 8760 * time.Hour, Upfront: 613_200 * pricing.Milli},
		}},
	}
	var exact reserve.Exact
	plan, err := exact.Solve(p)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, b := range plan.Purchases {
		fmt.Printf("node %d: buy %d of %s\n", b.Slot, b.Count, p.Prices.Classes[b.Class].Name)
	}
	fmt.Println("mean cost", plan.Cost.Fixed(2), "optimal:", plan.Optimal())
	w, err := exact.Waiting(p)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("decided at once:", w.AtOnce.Fixed(2))
	fmt.Println("nothing bought until it shows:", w.Later.Fixed(2))
	fmt.Println("a perfect forecast:", w.Hindsight.Fixed(2))
	// Output:
	// node 0: buy 30 of 1y
	// node 2: buy 30 of 1y
	// node 4: buy 30 of 1y
	// node 8: buy 30 of 1y
	// mean cost 41172.00 optimal: true
	// decided at once: 44676.00
	// nothing bought until it shows: 45114.00
	// a perfect forecast: 40515.00
}

// With several classes the linear program's optimum need not be whole, even if prices never change:
// the tree of eight nodes of package reserve/theory. The best plan costs 5, and twice the demand
// costs 9.5.
func ExampleExact_treeFractions() {
	p := &reserve.Problem{
		Tree: []reserve.Node{
			{Parent: -1, Probability: 1, Demand: 1},
			{Parent: 0, Probability: 1, Demand: 2},
			{Parent: 1, Probability: .5, Demand: 0},
			{Parent: 2, Probability: .5, Demand: 1},
			{Parent: 3, Probability: .5, Demand: 0},
			{Parent: 1, Probability: .5, Demand: 2},
			{Parent: 5, Probability: .5, Demand: 2},
			{Parent: 6, Probability: .5, Demand: 1},
		},
		Slot: time.Hour,
		Prices: pricing.List{OnDemand: 1 * pricing.Unit, Classes: []pricing.Class{
			{Name: "three hours", Term: 3 * time.Hour, Upfront: 2 * pricing.Unit},
			{Name: "five hours", Term: 5 * time.Hour, Upfront: 3 * pricing.Unit},
		}},
	}
	var exact reserve.Exact
	for range 2 {
		plan, err := exact.Solve(p)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(plan.Cost.Fixed(2), "optimal:", plan.Optimal())
		for i := range p.Tree {
			p.Tree[i].Demand *= 2
		}
	}
	// Output:
	// 5.00 optimal: true
	// 9.50 optimal: true
}
