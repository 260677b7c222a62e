package pricing_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
)

// A machine works for nine hours a day. Does a reservation pay?
func ExampleClass_BreakEven() {
	list := pricing.CC28XLarge2013()
	medium := list.Classes[4]
	u, ok := medium.BreakEven(pricing.OnDemand(list.OnDemand))
	fmt.Printf("%s pays off from %.2f%% of its term on: %v\n", medium.Name, 100*u, ok)
	fmt.Println("nine hours a day suffice:", 9.0/24 >= u)
	// Output:
	// 3y-medium pays off from 13.05% of its term on: true
	// nine hours a day suffice: true
}

// Which three-year class suits an instance that is needed 30% of the time? The
// envelope is walked from the most discounted class down.
func ExampleList_AppendEnvelope() {
	list := pricing.CC28XLarge2013()
	levels, err := list.AppendEnvelope(nil, 3*pricing.Year)
	if err != nil {
		fmt.Println(err)
		return
	}
	need := 3 * pricing.Year * 3 / 10
	choice := "on demand"
	for i := len(levels) - 1; i > 0; i-- {
		l := levels[i]
		fmt.Printf("%-9s from %5.2f%%\n", list.Classes[l.Class].Name, 100*l.From)
		if choice == "on demand" && need >= l.Use {
			choice = list.Classes[l.Class].Name
		}
	}
	fmt.Println("at 30%:", choice)
	// Output:
	// 3y-heavy  from 75.96%
	// 3y-medium from 38.34%
	// 3y-light  from  6.89%
	// at 30%: 3y-light
}

// Purchases name a class by its index; people name it by its name.
func ExampleList_Find() {
	list := pricing.CC28XLarge2013()
	class, err := list.Find("3y-heavy")
	fmt.Println(class, err)
	_, err = list.Find("heavy")
	fmt.Println(err)
	// Output:
	// 5 <nil>
	// pricing: Classes.Name: unknown name: "heavy": want 1y-light, 1y-medium, 1y-heavy, 3y-light, 3y-medium or 3y-heavy
}

// An idle instance was started 50 minutes ago. Keep it?
func ExampleMeter_NextCharge() {
	age := 50 * time.Minute
	for _, m := range []struct {
		name  string
		meter pricing.Meter
	}{
		{"by the hour", pricing.EC2Hourly},
		{"by the second", pricing.EC2PerSecond},
	} {
		free := m.meter.NextCharge(age) - age
		cost, err := m.meter.Cost(2400*pricing.Milli, age)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s: %s so far, free for %v more\n", m.name, cost.Fixed(2), free)
	}
	// Output:
	// by the hour: 2.40 so far, free for 10m0s more
	// by the second: 2.00 so far, free for 0s more
}

// Four weeks of a load of six instances, two at weekends. Paid in full, a year's
// reservations are dear after four weeks; by their pure cost, which leaves out the
// eleven months to come, the plan with the most of them is the cheapest.
func ExampleBiller_Bill() {
	list := pricing.CC28XLarge2013()
	demand := make([]int, 4*7*24)
	for hour := range demand {
		demand[hour] = 6
		if hour/24%7 >= 5 {
			demand[hour] = 2
		}
	}
	var biller pricing.Biller
	for _, purchases := range [][]pricing.Purchase{
		nil,
		{{Slot: 0, Class: 0, Count: 2}},
		{{Slot: 0, Class: 0, Count: 4}, {Slot: 0, Class: 2, Count: 2}},
	} {
		bill, err := biller.Bill(list, demand, time.Hour, purchases)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("total %9s, pure %s, on demand %4.0f h, light idle %3.0f h\n",
			bill.Total.Fixed(2), bill.Pure.Fixed(2), bill.Hours(bill.OnDemandSlots), bill.Hours(bill.Classes[0].IdleSlots))
	}
	// Output:
	// total   7833.60, pure 7833.60, on demand 3264 h, light idle   0 h
	// total   9346.98, pure 6093.31, on demand 1920 h, light idle   0 h
	// total  25108.40, pure 3528.66, on demand    0 h, light idle 768 h
}

func ExampleReadList() {
	list, err := pricing.ReadList(strings.NewReader(`{
		"on_demand": 0.060,
		"classes": [
			{"name": "1d", "term": "24h", "upfront": "0.75", "hourly": 0, "billed": "always"}
		]
	}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	u, _ := list.Classes[0].BreakEven(pricing.OnDemand(list.OnDemand))
	fmt.Printf("a day pays off from %.1f hours\n", 24*u)
	list.Classes[0].Upfront = 720 * pricing.Milli
	text, err := json.Marshal(list)
	if err != nil {
		fmt.Println(err)
	}
	fmt.Printf("%s\n", text)
	// Output:
	// a day pays off from 12.5 hours
	// {"on_demand":0.06,"classes":[{"name":"1d","term":"24h","upfront":0.72,"hourly":0,"billed":"always"}]}
}

// 100 seconds at 2.40 an hour are a fifteenth of a unit, which no decimal is. The
// call says what becomes of the rest.
func ExampleMoney_Over() {
	price, err := pricing.ParseMoney("2.40")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range []pricing.Rounding{pricing.HalfEven, pricing.Down, pricing.Up} {
		cost, err := price.Over(100*time.Second, r)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(cost, cost.Fixed(2))
	}
	// Output:
	// 0.066666667 0.07
	// 0.066666666 0.07
	// 0.066666667 0.07
}
