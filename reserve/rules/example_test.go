package rules_test

import (
	"fmt"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
	"github.com/plimsoll/plimsoll/reserve/rules"
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

// Purchases on Mondays only: each week by itself.
func ExamplePeriodic() {
	p := &reserve.Problem{Demand: fortnight(), Slot: time.Hour, Prices: weekly}
	var a rules.Periodic
	plan, err := a.AppendPlan(nil, p)
	if err != nil {
		fmt.Println(err)
		return
	}
	show(p, plan)
	// Output:
	// hour   0: buy 6 week
	// hour 168: buy 12 week
	// cost 255.60
}

// Nothing runs on demand, and it costs more than if all did.
func ExampleConstant_peak() {
	p := &reserve.Problem{Demand: fortnight(), Slot: time.Hour, Prices: weekly}
	a := rules.Constant{Peak: true}
	plan, err := a.AppendPlan(nil, p)
	if err != nil {
		fmt.Println(err)
		return
	}
	show(p, plan)
	// Output:
	// hour   0: buy 20 week
	// hour 168: buy 20 week
	// cost 360.00
}

// What a cloud's own adviser proposes: one quantity, for good. Two instances are
// held already, for the first week.
func ExampleConstant() {
	p := &reserve.Problem{
		Demand: fortnight(),
		Slot:   time.Hour,
		Prices: weekly,
		Held:   []pricing.Holding{{Class: 0, Count: 2, Until: 168}},
	}
	var a rules.Constant
	plan, err := a.AppendPlan(nil, p)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, buy := range plan {
		fmt.Printf("hour %3d: buy %d\n", buy.Slot, buy.Count)
	}
	// Output:
	// hour   0: buy 6
	// hour 168: buy 6
}

// A cluster that grows for two years and will go on, planned in weeks with classes
// that EC2 sold in 2013. What is left of three-year terms after two years does not
// count.
func ExampleSEC() {
	demand := make([]int, 104*168)
	for t := range demand {
		demand[t] = 20 + t/168/4 // one more every four weeks
		if t%168 >= 120 {
			demand[t] /= 2 // weekends
		}
	}
	p := &reserve.Problem{
		Demand: demand,
		Slot:   time.Hour,
		Every:  168,
		Prices: pricing.List{
			OnDemand: 2400 * pricing.Milli,
			Classes: []pricing.Class{
				{Name: "1y-light", Term: 52 * 168 * time.Hour, Upfront: 1762 * pricing.Unit, Hourly: 904 * pricing.Milli, Billed: pricing.WhenUsed},
				{Name: "1y-heavy", Term: 52 * 168 * time.Hour, Upfront: 5000 * pricing.Unit, Hourly: 361 * pricing.Milli},
				{Name: "3y-light", Term: 156 * 168 * time.Hour, Upfront: 2710 * pricing.Unit, Hourly: 904 * pricing.Milli, Billed: pricing.WhenUsed},
				{Name: "3y-heavy", Term: 156 * 168 * time.Hour, Upfront: 7670 * pricing.Unit, Hourly: 361 * pricing.Milli},
			},
		},
		Horizon: reserve.Pure,
	}
	var a rules.SEC
	plan, err := a.AppendPlan(nil, p)
	if err != nil {
		fmt.Println(err)
		return
	}
	count := make([]int, len(p.Prices.Classes))
	for _, buy := range plan {
		count[buy.Class] += buy.Count
	}
	for k, c := range p.Prices.Classes {
		fmt.Println(c.Name, count[k])
	}
	var b pricing.Biller
	bill, err := b.Bill(p.Prices, p.Demand, p.Slot, plan)
	if err != nil {
		fmt.Println(err)
		return
	}
	bound, err := new(reserve.Competitive).Bound(p)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("pure cost %s, at most %.1f%% above the least\n", bill.Pure.Fixed(0), 100*(bill.Pure.Float64()/bound.Float64()-1))
	// Output:
	// 1y-light 0
	// 1y-heavy 0
	// 3y-light 20
	// 3y-heavy 25
	// pure cost 408756, at most 10.1% above the least
}

// Which part of a fortnight's use is steady enough for a reservation? The class pays from 90 of 168
// hours on. Six instances are used in 264 of the 336 hours or more, the seventh in 156.
func ExampleShares() {
	var s rules.Shares
	demand := fortnight()
	if err := s.Add(weekly, demand, len(demand)); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d instances by the week, for %.0f%% of all hours\n", s.Instances[0], 100*s.Share(0))
	// Output:
	// 6 instances by the week, for 55% of all hours
}
