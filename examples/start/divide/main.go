// Divide says what each department pays of a joint bill, so that none would rather leave.
package main

import (
	"fmt"
	"log"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/federation/coalition"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
)

func main() {
	// Three departments need instances at other hours of a day: the web shop in the evening,
	// research at night and the office by day. One account reserves for their sum, a month at a time.
	names := []string{"shop", "research", "office"}
	days := [][]int{
		slices.Concat(slices.Repeat([]int{3}, 17), slices.Repeat([]int{12}, 7)),
		slices.Concat(slices.Repeat([]int{10}, 8), slices.Repeat([]int{0}, 16)),
		slices.Concat(slices.Repeat([]int{0}, 8), slices.Repeat([]int{9}, 10), slices.Repeat([]int{1}, 6)),
	}
	prices := pricing.List{OnDemand: 192 * pricing.Milli, Classes: []pricing.Class{
		{Name: "month", Term: 30 * 24 * time.Hour, Hourly: 121 * pricing.Milli, Billed: pricing.Always},
	}}
	// What each coalition pays by itself: bit i of its number stands for department i.
	costs := make(coalition.Costs, 1<<len(names))
	var planner reserve.Exact
	for set := 1; set < len(costs); set++ {
		demand := make([]int, 30*24)
		for i := range coalition.Set(set).Members() {
			for hour := range demand {
				demand[hour] += days[i][hour%24]
			}
		}
		plan, err := planner.Solve(&reserve.Problem{Demand: demand, Slot: time.Hour, Prices: prices})
		if err != nil {
			log.Fatal(err)
		}
		costs[set] = plan.Cost
	}
	var solver coalition.Solver
	fair, stable := make([]pricing.Money, len(names)), make([]pricing.Money, len(names))
	if err := solver.ShapleyTo(fair, costs); err != nil {
		log.Fatal(err)
	}
	core, err := solver.Core(stable, costs)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("           alone  fair  stable")
	for i, name := range names {
		fmt.Printf("%-9s %6s %5s %7s\n", name, costs[coalition.Of(i)].Fixed(0), fair[i].Fixed(0), stable[i].Fixed(0))
	}
	leave, err := costs.AppendDepartures(nil, fair)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("together they pay $%s; %d groups would leave the fair division (Shapley)\n", costs[costs.All()].Fixed(0), len(leave))
	if core.Empty {
		fmt.Println("under every division some group pays less by itself")
	} else {
		fmt.Printf("under the stable division each group saves at least $%s by staying\n", core.Slack.Fixed(0))
	}
}

// Output:
//            alone  fair  stable
// shop         624   525     486
// research     461   293     282
// office       548   360     410
// together they pay $1178; 0 groups would leave the fair division (Shapley)
// under the stable division each group saves at least $138 by staying
