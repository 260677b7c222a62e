// Spot says whether a task with a deadline may run on spot instances now, and with which bid.
package main

import (
	"fmt"
	"log"
	"math/rand/v2"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule/spot"
)

func main() {
	// Thirty days of a price that calls for 35% of the price on demand, and jumps now and then.
	const onDemand = 192 * pricing.Milli
	rng := rand.New(rand.NewPCG(1, 2))
	now := 30 * 24 * time.Hour
	past := pricing.SpotHistory{End: now}
	for at := time.Duration(0); at < now; at += time.Hour {
		price := onDemand * 35 / 100
		if rng.IntN(40) == 0 {
			price = onDemand * 3 / 2
		}
		past.Times, past.Prices = append(past.Times, at), append(past.Prices, price)
	}
	chain, err := new(spot.ChainEstimator).Estimate(past, 0, now)
	if err != nil {
		log.Fatal(err)
	}
	task := spot.Task{Deadline: now + 10*time.Hour, Estimate: 4 * time.Hour, Latency: 10 * time.Minute, Instances: 4,
		Checkpoints: spot.Checkpoints{Every: 30 * time.Minute, Write: time.Minute, Restart: 2 * time.Minute}}
	var planner spot.Planner
	market := spot.Market{Chain: chain, OnDemand: onDemand, Meter: pricing.EC2PerSecond, Spot: pricing.EC2SpotPerSecond}
	if err := planner.Solve(market, &task, now); err != nil {
		log.Fatal(err)
	}
	d := planner.Decide(spot.BidState{Now: now, Price: past.At(now - 1)})
	fmt.Printf("%v, bid $%v; at the latest %v before the deadline the task goes on demand\n",
		d.Action, d.Bid, task.Deadline-task.PointOfNoReturn(0))
}

// Output:
// spot, bid $0.288; at the latest 4h10m0s before the deadline the task goes on demand
