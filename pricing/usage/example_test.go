package usage_test

import (
	"fmt"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/pricing/usage"
)

// A form of bill that no package reads: rows are passed to a collector, which adds up
// demand and money.
func ExampleCollector() {
	var c usage.Collector
	c.Begin("own.csv", "our own cluster")
	start := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	for hour, hours := range []string{"1.5", "2", "0.5"} {
		used, _, err := usage.Parse(hours)
		if err != nil {
			fmt.Println(err)
			return
		}
		cost := used.Scale(96, 1000)
		at := start.Add(time.Duration(hour) * time.Hour)
		if err := c.Add(&usage.Row{
			Line: hour + 2, Currency: "USD", Start: at, End: at.Add(time.Hour), Charge: usage.OnDemand,
			Kind: usage.Kind{Provider: "own", Type: "large"}, Hours: used, Billed: cost, Effective: cost, List: cost,
		}); err != nil {
			fmt.Println(err)
			return
		}
	}
	bill, err := c.Bill()
	if err != nil {
		fmt.Println(err)
		return
	}
	d := bill.Demand[0]
	instances, _ := d.Instances(nil, d.Start, time.Hour, len(d.Used), pricing.Up)
	fmt.Printf("%v: %v instances in each hour for %v, %s\n", d.Kind, instances, d.OnDemand.Billed, bill.Currency)
	// Output:
	// own large: [2 2 1] instances in each hour for 0.384, USD
}

// Bills print more decimals than money has; their sums are exact.
func ExampleParse() {
	var sum usage.Amount
	for _, text := range []string{"8.07260660820738", "0.00000001592", "-8.07260660820738", "1.2e-7"} {
		a, _, err := usage.Parse(text)
		if err != nil {
			fmt.Println(err)
			return
		}
		sum = sum.Plus(a)
	}
	money, err := sum.Money(pricing.HalfEven)
	fmt.Println(sum, money, err)
	// Output:
	// 0.00000013592 0.000000136 <nil>
}
