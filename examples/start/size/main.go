// Size says how many processes finish a run in time, at the least cost.
package main

import (
	"fmt"
	"log"
	"time"

	"github.com/plimsoll/plimsoll/perfmodel"
	"github.com/plimsoll/plimsoll/perfmodel/sizing"
	"github.com/plimsoll/plimsoll/pricing"
)

func main() {
	// Five small runs: cells, processes, seconds.
	profile := perfmodel.Profile{Application: "cfd", Features: []string{"cells"}}
	for _, r := range [][3]float64{{1e6, 1, 410}, {1e6, 2, 236}, {1e6, 4, 118}, {4e6, 4, 440}, {4e6, 8, 265}} {
		profile.Runs = append(profile.Runs,
			perfmodel.Run{Features: r[:1], Processes: int(r[1]), Seconds: r[2], Repetitions: 1})
	}
	node := sizing.InstanceType{Processes: 4, ComputeUnits: 28, Hourly: 192 * pricing.Milli, Meter: pricing.EC2Hourly}
	target := sizing.Target{Features: []float64{32e6}, Deadline: time.Hour, Confidence: .9,
		Cheapest: true, Counts: []int{1, 2, 4, 8, 16, 32, 64}}
	var model perfmodel.LogLinear
	if err := model.Fit(&profile); err != nil {
		log.Fatal(err)
	}
	choice, err := new(sizing.Sizer).Size(&model, node, target)
	if err != nil {
		log.Fatal(err)
	}
	best := choice.Best
	fmt.Printf("32 million cells on %d processes: %v, with nine chances in ten %v at most, for $%v\n",
		best.Processes, best.Time.Round(time.Minute), best.Upper.Round(time.Minute), best.UpperCost.Fixed(2))
}

// Output:
// 32 million cells on 8 processes: 30m0s, with nine chances in ten 41m0s at most, for $0.38
