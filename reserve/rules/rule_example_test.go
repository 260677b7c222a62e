package rules_test

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
	"github.com/plimsoll/plimsoll/reserve/rules"
)

// Two demands: the fortnight's, with a forecast that is right; and a batch of two
// hours each night, with the promise, repeated for two weeks, that from tomorrow on
// it will run around the clock. The deferred rule believes what it is told, [Wang13]
// nothing. Robust is near the one on the first demand, and costs at most 2.1 times
// the optimum on any.
func ExampleRobust() {
	batch := make([]int, 14*24)
	promised := make([]int, len(batch))
	for t := range batch {
		if t%24 < 2 {
			batch[t] = 20
		}
		promised[t] = 20
	}
	known := &reserve.Problem{Demand: fortnight(), Slot: time.Hour, Prices: weekly}
	fooled := &reserve.Problem{Demand: batch, Slot: time.Hour, Prices: weekly}
	cost := func(rule reserve.Planner, p *reserve.Problem) pricing.Money {
		plan, err := rule.AppendPlan(nil, p)
		if err != nil {
			fmt.Println(err)
			return 0
		}
		var b pricing.Biller
		bill, err := b.Bill(p.Prices, p.Demand, p.Slot, plan)
		if err != nil {
			fmt.Println(err)
			return 0
		}
		return bill.Total
	}
	line := func(name string, truth, promise reserve.Planner) {
		fmt.Printf("%-8s  %6s  %6s\n", name, cost(truth, known).Fixed(2), cost(promise, fooled).Fixed(2))
	}
	line("optimum", &reserve.Exact{}, &reserve.Exact{})
	line("deferred", &rules.RHO{Rule: rules.Deferred}, &rules.RHO{Rule: rules.Deferred, Forecast: promised})
	line("wang", &rules.Wang{}, &rules.Wang{})
	line("robust", &rules.Robust{}, &rules.Robust{Forecast: promised})
	// Output:
	// optimum   249.60   56.00
	// deferred  265.20  360.00
	// wang      314.40   56.00
	// robust    277.20   94.80
}

// A fleet's purchases as they happen: each hour its demand is measured, and the
// rule says how many weeks to buy.
func Example_slotBySlot() {
	offer, err := reserve.OfferOf(&reserve.Problem{Slot: time.Hour, Prices: weekly}, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	var rule rules.Wang
	if err := rule.Reset(offer); err != nil {
		fmt.Println(err)
		return
	}
	for hour, demand := range fortnight() {
		if buy := rule.Observe(demand, nil); buy > 0 {
			fmt.Printf("hour %3d: buy %d\n", hour, buy)
		}
	}
	// Output:
	// hour  90: buy 4
	// hour 150: buy 2
	// hour 270: buy 6
}

// [Wang13] buys when a week's instance has cost more on demand than a reservation
// would have.
func ExampleWang() {
	p := &reserve.Problem{Demand: fortnight(), Slot: time.Hour, Prices: weekly}
	var a rules.Wang
	plan, err := a.AppendPlan(nil, p)
	if err != nil {
		fmt.Println(err)
		return
	}
	show(p, plan)
	// Output:
	// hour  90: buy 4 week
	// hour 150: buy 2 week
	// hour 270: buy 6 week
	// cost 314.40
}

// With a window of a week and an exact forecast.
func ExampleRHO() {
	p := &reserve.Problem{Demand: fortnight(), Slot: time.Hour, Prices: weekly}
	a := rules.RHO{Rule: rules.Deferred}
	plan, err := a.AppendPlan(nil, p)
	if err != nil {
		fmt.Println(err)
		return
	}
	show(p, plan)
	// Output:
	// hour   0: buy 4 week
	// hour   8: buy 2 week
	// hour  56: buy 2 week
	// hour  80: buy 2 week
	// hour 104: buy 2 week
	// hour 176: buy 6 week
	// cost 265.20
}

func ExampleWangRandom() {
	p := &reserve.Problem{Demand: fortnight(), Slot: time.Hour, Prices: weekly}
	a := rules.WangRandom{Rand: rand.New(rand.NewPCG(1, 2))}
	plan, err := a.AppendPlan(nil, p)
	if err != nil {
		fmt.Println(err)
		return
	}
	show(p, plan)
	// Output:
	// hour  69: buy 4 week
	// hour 129: buy 2 week
	// hour 237: buy 6 week
	// hour 285: buy 8 week
	// cost 360.00
}

func ExampleHistory() {
	p := &reserve.Problem{Demand: fortnight(), Slot: time.Hour, Prices: weekly}
	var a rules.History
	plan, err := a.AppendPlan(nil, p)
	if err != nil {
		fmt.Println(err)
		return
	}
	show(p, plan)
	// Output:
	// hour  89: buy 4 week
	// hour 149: buy 2 week
	// cost 294.00
}
