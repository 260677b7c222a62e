package rules_test

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/plimsoll/plimsoll/forecast"
	"github.com/plimsoll/plimsoll/forecast/smoothing"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
	"github.com/plimsoll/plimsoll/reserve/rules"
)

// Every Monday a team looks at the week that has passed, and buys what the forecast
// asks for: at most five reservations a week, and for the lower quartile of what may
// come, since a reservation cannot be given back. Between two Mondays the state is
// kept as text.
func ExampleOnline() {
	prices := pricing.List{OnDemand: 2400 * pricing.Milli, Classes: []pricing.Class{
		{Name: "1y", Term: 52 * 168 * time.Hour, Upfront: 5000 * pricing.Unit, Hourly: 361 * pricing.Milli, Billed: pricing.Always},
		{Name: "3y", Term: 156 * 168 * time.Hour, Upfront: 7670 * pricing.Unit, Hourly: 361 * pricing.Milli, Billed: pricing.Always},
	}}
	problem := &reserve.Problem{Slot: time.Hour, Every: 168, Prices: prices, MaxBuy: 5}
	monday := func(state []byte, week []int) ([]byte, []pricing.Purchase, error) {
		portfolio := rules.Online{
			Forecaster: &forecast.Predictor{Model: &smoothing.Simple{Alpha: .1}},
			Quantile:   .25,
		}
		if err := portfolio.Reset(problem); err != nil {
			return nil, nil, err
		}
		if state != nil {
			if err := json.Unmarshal(state, &portfolio); err != nil {
				return nil, nil, err
			}
		}
		buy, err := portfolio.Observe(nil, week)
		if err != nil {
			return nil, nil, err
		}
		state, err = json.Marshal(&portfolio)
		return state, buy, err
	}

	var state []byte
	for i := range 4 {
		week := make([]int, 168) // 8 instances by night and 14 by day, one more each week
		for t := range week {
			week[t] = 8 + i
			if t%24 >= 8 && t%24 < 20 {
				week[t] = 14 + i
			}
		}
		var buy []pricing.Purchase
		var err error
		if state, buy, err = monday(state, week); err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("week %d: mean of 11 + %d:", i+1, i)
		for _, p := range buy {
			fmt.Printf(" buy %d of %s", p.Count, prices.Classes[p.Class].Name)
		}
		fmt.Println()
	}
	// Output:
	// week 1: mean of 11 + 0: buy 5 of 3y
	// week 2: mean of 11 + 1: buy 5 of 3y
	// week 3: mean of 11 + 2: buy 2 of 3y
	// week 4: mean of 11 + 3:
}

// Once a week a program reads the demand so far and its state, prints what to buy, and
// keeps the state. It may miss a week: those between are learnt.
func ExampleOnline_Advance() {
	prices := pricing.CC28XLarge2013()
	portfolio := rules.Online{Forecaster: &forecast.Predictor{Model: &smoothing.Simple{Alpha: .05}}, Quantile: .4}
	if err := portfolio.Reset(&reserve.Problem{Slot: time.Hour, Every: 168, Prices: prices}); err != nil {
		fmt.Println(err)
		return
	}
	demand := make([]int, 5*168+20) // five weeks and a few hours
	for t := range demand {
		demand[t] = 12
	}
	// json.Unmarshal(state, &portfolio), but for the first time
	buy, err := portfolio.Advance(nil, demand)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range buy {
		fmt.Printf("slot %d: buy %d of %s\n", p.Slot, p.Count, prices.Classes[p.Class].Name)
	}
	fmt.Printf("%d weeks seen, a mean of %.0f is planned for\n", portfolio.Seen(), portfolio.Next())
	// json.Marshal(&portfolio) for the next week
	// Output:
	// slot 840: buy 12 of 3y-heavy
	// 5 weeks seen, a mean of 12 is planned for
}
