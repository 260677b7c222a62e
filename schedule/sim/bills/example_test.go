package bills_test

import (
	"fmt"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule/sim"
	"github.com/plimsoll/plimsoll/schedule/sim/bills"
	"github.com/plimsoll/plimsoll/schedule/trace"
)

// Two users share a cluster. User 1 has many short jobs, which fill hours that are paid for
// already. User 2 has a long job, which leaves little of its hours unused even alone.
func ExampleDivider_Divide() {
	var jobs []trace.Job
	for i := range 20 {
		jobs = append(jobs, trace.Job{
			ID: int64(i), User: 1, Nodes: 1, Submit: time.Duration(i) * 12 * time.Minute, Run: 10 * time.Minute, Estimate: 10 * time.Minute,
		})
	}
	jobs = append(jobs, trace.Job{ID: 20, User: 2, Nodes: 1, Submit: 4 * time.Hour, Run: 47*time.Hour + 50*time.Minute, Estimate: 48 * time.Hour})

	prices := pricing.CC28XLarge2013()
	res, err := new(sim.Simulator).Run(jobs, sim.Options{Mode: sim.SEC, Hourly: prices.OnDemand})
	if err != nil {
		fmt.Println(err)
		return
	}
	var d bills.Divider
	s, err := d.Divide(bills.Usage{
		Jobs: jobs, Starts: res.Starts, Bill: res.Cost, Prices: prices, Boot: sim.MeasuredBoot,
	}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("bill $%v\n", res.Cost)
	for _, a := range s.Accounts {
		fmt.Printf("user %s: %.1f hours, pays $%v, alone $%v\n", a.Name(), a.Hours, a.Pays.Fixed(2), a.Alone.Fixed(2))
	}
	// Output:
	// bill $124.8
	// user 1: 3.3 hours, pays $8.13, alone $48.00
	// user 2: 47.8 hours, pays $116.67, alone $115.20
}
