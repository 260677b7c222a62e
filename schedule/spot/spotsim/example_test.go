package spotsim_test

import (
	"fmt"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule/spot"
	"github.com/plimsoll/plimsoll/schedule/spot/spotsim"
)

// spikes is a price that is near $0.39 but for two spikes a day, at 9:00 for two
// hours and at 15:00 for half an hour, for 40 days.
func spikes() pricing.SpotHistory {
	var h pricing.SpotHistory
	add := func(at time.Duration, price pricing.Money) {
		h.Times, h.Prices = append(h.Times, at), append(h.Prices, price*10*pricing.Milli)
	}
	for day := range 40 {
		at := time.Duration(day) * 24 * time.Hour
		add(at, 39)
		add(at+9*time.Hour, 250)
		add(at+11*time.Hour, 39)
		add(at+15*time.Hour, 60)
		add(at+15*time.Hour+30*time.Minute, 39)
	}
	h.End = 40 * 24 * time.Hour
	return h
}

// A run of four hours on two instances is handed in at 8:00, an hour before the
// price goes up for two hours. Due at 20:00 there is time for another try on spot
// at 11:00, under any rule. Due at 16:00 PR is 0.96, and the paper goes on demand
// at once; a hedge is worth a try, and loses the price of an hour on spot. A task
// that saves every half hour and leaves spot only at its point of no return still
// saves two thirds.
func ExampleSimulator() {
	morning := 32*24*time.Hour + 8*time.Hour
	task := spotsim.Task{Submit: morning, Task: spot.Task{Estimate: 4 * time.Hour, Latency: 10 * time.Minute, Instances: 2}}
	loose, tight := task, task
	loose.Deadline = morning + 12*time.Hour
	tight.Deadline = morning + 8*time.Hour
	saves := tight
	saves.Checkpoints = spot.Checkpoints{Every: 30 * time.Minute, Write: time.Minute, Restart: 2 * time.Minute}
	var s spotsim.Simulator
	fmt.Println("                 due at 20:00        due at 16:00        due at 16:00, saves")
	for rule := spot.RulePaper; rule <= spot.RulePlanned; rule++ {
		cfg := spotsim.Options{
			History: spikes(), OnDemand: 1300 * pricing.Milli,
			Spot: pricing.EC2SpotHourly, Meter: pricing.EC2Hourly,
			Handover: spot.Handover{Rule: rule},
		}
		r, err := s.Run([]spotsim.Task{loose, tight, saves}, cfg)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%-15v", rule)
		for _, o := range r.Tasks {
			fmt.Printf("  $%-5s at %-8v", o.Cost.Fixed(2), (o.Finish - morning + 8*time.Hour).Round(time.Second))
		}
		fmt.Println()
	}
	// Output:
	//                  due at 20:00        due at 16:00        due at 16:00, saves
	// paper            $5.10  at 15h10m0s  $13.00 at 12h10m0s  $13.00 at 12h10m0s
	// safe threshold   $5.10  at 15h10m0s  $13.00 at 12h10m0s  $13.00 at 12h10m0s
	// no return        $5.10  at 15h10m0s  $13.00 at 12h10m0s  $3.90  at 14h48m0s
	// hedged           $5.10  at 15h10m0s  $13.78 at 13h55m0s  $3.90  at 14h48m0s
	// planned          $5.10  at 15h10m0s  $13.78 at 14h50m0s  $3.90  at 14h48m0s
}

// What the leases of a task say.
func ExampleLease() {
	morning := 32*24*time.Hour + 8*time.Hour
	task := spotsim.Task{Submit: morning, Task: spot.Task{
		Deadline: morning + 8*time.Hour, Estimate: 4 * time.Hour, Latency: 10 * time.Minute, Instances: 2,
		Checkpoints: spot.Checkpoints{Every: 30 * time.Minute, Write: time.Minute, Restart: 2 * time.Minute},
	}}
	var s spotsim.Simulator
	r, err := s.Run([]spotsim.Task{task}, spotsim.Options{
		History: spikes(), OnDemand: 1300 * pricing.Milli,
		Handover: spot.Handover{Rule: spot.RuleNoReturn},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, l := range r.Leases {
		fmt.Printf("%-6v bid %s from %v to %v: %v, %v saved, $%s\n", l.Tier, l.Bid.Fixed(3), l.Launched-morning, l.Ended-morning, l.End, l.Saved, l.Cost.Fixed(2))
	}
	// Output:
	// medium bid 1.191 from 0s to 1h0m0s: interrupted, 30m0s saved, $0.78
	// medium bid 1.300 from 3h0m0s to 6h48m0s: completed, 3h30m0s saved, $2.96
}
