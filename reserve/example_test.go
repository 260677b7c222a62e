package reserve_test

import (
	"fmt"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
)

// fortnight is the demand of a small cluster, an instance-count per hour: 4 at
// night, 12 by day, 6 at weekends, and a campaign of 20 from Wednesday to Friday
// of the second week.
func fortnight() []int {
	demand := make([]int, 14*24)
	for t := range demand {
		day, hour := t/24, t%24
		switch {
		case day >= 9 && day <= 11:
			demand[t] = 20
		case day%7 >= 5:
			demand[t] = 6
		case hour >= 8 && hour < 20:
			demand[t] = 12
		default:
			demand[t] = 4
		}
	}
	return demand
}

// weekly sells an instance at 0.10 an hour, or at 9.00 a week: 90 hours' worth.
var weekly = pricing.List{
	OnDemand: 100 * pricing.Milli,
	Classes:  []pricing.Class{{Name: "week", Term: 7 * 24 * time.Hour, Upfront: 9 * pricing.Unit}},
}

func show(p *reserve.Problem, plan []pricing.Purchase) {
	var b pricing.Biller
	bill, err := b.Bill(p.Prices, p.Demand, p.Slot, plan)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, buy := range plan {
		fmt.Printf("hour %3d: buy %d %s\n", buy.Slot, buy.Count, p.Prices.Classes[buy.Class].Name)
	}
	fmt.Println("cost", bill.Total.Fixed(2))
}

// Weeks may begin at any hour: six of them on the first Saturday, to serve the
// weekend, the days after it and the campaign to its end.
func ExampleHGR() {
	p := &reserve.Problem{Demand: fortnight(), Slot: time.Hour, Prices: weekly}
	var a reserve.HGR
	plan, err := a.AppendPlan(nil, p)
	if err != nil {
		fmt.Println(err)
		return
	}
	show(p, plan)
	// Output:
	// hour   0: buy 4 week
	// hour 120: buy 6 week
	// hour 168: buy 6 week
	// cost 249.60
}

// How much could a plan save at all? No plan that buys on Mondays costs less than
// the bound.
func ExampleCompetitive_Bound() {
	p := &reserve.Problem{Demand: fortnight(), Slot: time.Hour, Prices: weekly, Every: 168}
	bound, err := new(reserve.Competitive).Bound(p)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("at least", bound.Fixed(2))
	// Output:
	// at least 255.60
}

// The rarer the purchases, the stronger the bound.
func ExampleCompetitive() {
	var c reserve.Competitive
	for _, every := range []int{1, 24, 168} {
		bound, err := c.Bound(&reserve.Problem{Demand: fortnight(), Slot: time.Hour, Prices: weekly, Every: every})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("purchases every %3d hours: at least %s\n", every, bound.Fixed(2))
	}
	// Output:
	// purchases every   1 hours: at least 180.00
	// purchases every  24 hours: at least 211.20
	// purchases every 168 hours: at least 255.60
}

// What to buy now for a demand that nobody knows: four weeks on five equally likely
// paths. A reservation for the four weeks costs as much as 1.07 weeks on demand, so that
// an instance is worth a reservation if it is needed in 27% of all weeks of all paths.
func ExampleExact_paths() {
	p := &reserve.Problem{
		Paths: [][]int{
			{10, 10, 11, 12},
			{10, 9, 8, 7},
			{10, 12, 14, 17},
			{10, 10, 9, 10},
			{10, 11, 13, 13},
		},
		Slot: 168 * time.Hour,
		Prices: pricing.List{OnDemand: 100 * pricing.Milli, Classes: []pricing.Class{
			{Name: "four weeks", Term: 4 * 168 * time.Hour, Upfront: 18 * pricing.Unit},
		}},
	}
	var exact reserve.Exact
	plan, err := exact.Solve(p)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, b := range plan.Purchases {
		fmt.Printf("week %d: buy %d of %s\n", b.Slot, b.Count, p.Prices.Classes[b.Class].Name)
	}
	fmt.Println("mean cost", plan.Cost.Fixed(2), "optimal:", plan.Optimal())

	mean := *p // the same with the mean of the paths, as if it were certain
	mean.Paths, mean.Demand = nil, []int{10, 10, 11, 12}
	known, err := exact.Solve(&mean)
	if err != nil {
		fmt.Println(err)
		return
	}
	cost, err := reserve.Cost(p, known.Purchases)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("planned for the mean:", known.Cost.Fixed(2), "promised,", cost.Fixed(2), "in the mean")
	// Output:
	// week 0: buy 12 of four weeks
	// mean cost 246.24 optimal: true
	// planned for the mean: 214.80 promised, 248.40 in the mean
}
