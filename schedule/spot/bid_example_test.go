package spot_test

import (
	"fmt"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule/spot"
)

// month is thirty days of a price that is 0.21, and from six to seven in every
// third evening 0.70.
func month() pricing.SpotHistory {
	const hour = time.Hour
	h := pricing.SpotHistory{End: 30 * 24 * hour}
	for day := range 30 {
		at := time.Duration(day) * 24 * hour
		h.Times, h.Prices = append(h.Times, at), append(h.Prices, 210*pricing.Milli)
		if day%3 == 2 {
			h.Times = append(h.Times, at+18*hour, at+19*hour)
			h.Prices = append(h.Prices, 700*pricing.Milli, 210*pricing.Milli)
		}
	}
	return h
}

// The bids of the paper's agents for an instance that costs 1.30 on demand.
func ExampleMediumBid() {
	h, now, onDemand := month(), 30*24*time.Hour, 1300*pricing.Milli
	fmt.Println("low   ", spot.LowBid(h, now, onDemand).Fixed(3))
	fmt.Println("medium", spot.MediumBid(h, now, onDemand).Fixed(3))
	// Output:
	// low    0.210
	// medium 1.138
}

// A task of four hours on 16 instances. How much does it save to have more time,
// and what is to be done first?
func ExamplePlanner() {
	h, now := month(), 30*24*time.Hour
	var estimator spot.ChainEstimator
	chain, err := estimator.Estimate(h, now-30*24*time.Hour, now)
	if err != nil {
		fmt.Println(err)
		return
	}
	market := spot.Market{
		Chain: chain, Spot: pricing.EC2SpotHourly,
		OnDemand: 1300 * pricing.Milli, Meter: pricing.EC2Hourly,
	}
	var planner spot.Planner
	for _, hours := range []int{5, 8, 9, 12, 24} {
		task := spot.Task{
			Estimate: 230 * time.Minute, Latency: 5 * time.Minute, Instances: 16,
			Deadline: now + time.Duration(hours)*time.Hour,
		}
		if err := planner.Solve(market, &task, now); err != nil {
			fmt.Println(err)
			return
		}
		for _, price := range []pricing.Money{210 * pricing.Milli, 700 * pricing.Milli} {
			d := planner.Decide(spot.BidState{Now: now, Price: price})
			fmt.Printf("%2d h, price %v: %-9v", hours, price.Fixed(2), d.Action)
			if d.Action == spot.BidSpot {
				fmt.Printf(" bid %v,", d.Bid.Fixed(2))
			}
			fmt.Printf(" expected %.2f\n", d.Cost)
		}
	}
	// Output:
	//  5 h, price 0.21: on demand expected 83.20
	//  5 h, price 0.70: on demand expected 83.20
	//  8 h, price 0.21: spot      bid 1.30, expected 13.70
	//  8 h, price 0.70: wait      expected 22.79
	//  9 h, price 0.21: spot      bid 1.30, expected 13.70
	//  9 h, price 0.70: wait      expected 16.46
	// 12 h, price 0.21: spot      bid 1.30, expected 13.61
	// 12 h, price 0.70: wait      expected 13.71
	// 24 h, price 0.21: spot      bid 1.30, expected 13.60
	// 24 h, price 0.70: wait      expected 13.60
}

// A task of four hours that does not save and is due in seven has no time for two
// runs. With a cluster on demand beside the one on spot for the last part, it need
// not.
func ExamplePlanner_beside() {
	h, now := month(), 30*24*time.Hour
	var estimator spot.ChainEstimator
	chain, err := estimator.Estimate(h, 0, now)
	if err != nil {
		fmt.Println(err)
		return
	}
	market := spot.Market{
		Chain: chain, Spot: pricing.EC2SpotPerSecond,
		OnDemand: 1300 * pricing.Milli, Meter: pricing.EC2PerSecond,
	}
	task := spot.Task{Estimate: 235 * time.Minute, Latency: 5 * time.Minute, Instances: 16, Deadline: now + 7*time.Hour}
	var planner spot.Planner
	for _, market.Beside = range []bool{false, true} {
		if err := planner.Solve(market, &task, now); err != nil {
			fmt.Println(err)
			return
		}
		d := planner.Decide(spot.BidState{Now: now, Price: 210 * pricing.Milli})
		fmt.Printf("beside %v: %v, expected %.2f\n", market.Beside, d.Action, d.Cost)
	}
	later := spot.BidState{Now: now + 3*time.Hour, Price: 210 * pricing.Milli, Running: true, Elapsed: 3 * time.Hour, Bid: 1300 * pricing.Milli}
	fmt.Println("after three hours:", planner.Decide(later).Action)
	// Output:
	// beside false: on demand, expected 83.20
	// beside true: spot, expected 34.50
	// after three hours: both
}

// What a history says about where the price goes.
func ExampleChainEstimator() {
	h := month()
	e := spot.ChainEstimator{Step: time.Hour}
	c, err := e.Estimate(h, 0, h.End)
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, top := range c.Tops {
		fmt.Printf("from %v: %.3f to 0.21, %.3f to 0.70\n", top, c.Move[2*i], c.Move[2*i+1])
	}
	// Output:
	// from 0.21: 0.986 to 0.21, 0.014 to 0.70
	// from 0.7: 0.999 to 0.21, 0.001 to 0.70
}
