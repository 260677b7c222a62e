// Share says what departments save that use each other's idle reserved instances.
package main

import (
	"fmt"
	"log"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
)

func main() {
	// Three departments need instances at other hours of a day, and each has a budget for terms of
	// its own: a day, three days or a week. Longer terms cost less an hour.
	names := []string{"shop", "research", "office"}
	days := [][]int{
		slices.Concat(slices.Repeat([]int{3}, 17), slices.Repeat([]int{12}, 7)),
		slices.Concat(slices.Repeat([]int{10}, 8), slices.Repeat([]int{0}, 16)),
		slices.Concat(slices.Repeat([]int{0}, 8), slices.Repeat([]int{9}, 10), slices.Repeat([]int{1}, 6)),
	}
	terms := []pricing.Class{
		{Name: "week", Term: 168 * time.Hour, Hourly: 96 * pricing.Milli, Billed: pricing.Always},
		{Name: "day", Term: 24 * time.Hour, Hourly: 120 * pricing.Milli, Billed: pricing.Always},
		{Name: "3 days", Term: 72 * time.Hour, Hourly: 108 * pricing.Milli, Billed: pricing.Always},
	}
	const hours, onDemand = 21 * 24, 192 * pricing.Milli
	plan := func(demand []int, classes ...pricing.Class) reserve.Plan {
		list := pricing.List{OnDemand: onDemand, Classes: classes}
		p, err := new(reserve.Exact).Solve(&reserve.Problem{Demand: demand, Slot: time.Hour, Prices: list})
		if err != nil {
			log.Fatal(err)
		}
		return p
	}
	// Each department plans for itself.
	var alone, idle pricing.Money
	total, reserved := make([]int, hours), make([]int, hours)
	for i, name := range names {
		demand, own := make([]int, hours), make([]int, hours)
		for hour := range demand {
			demand[hour] = days[i][hour%24]
			total[hour] += demand[hour]
		}
		p := plan(demand, terms[i])
		for _, b := range p.Purchases {
			for hour := b.Slot; hour < min(hours, b.Slot+int(terms[i].Term/time.Hour)); hour++ {
				own[hour] += b.Count
				reserved[hour] += b.Count
			}
		}
		unused := 0
		for hour := range own {
			unused += max(0, own[hour]-demand[hour])
		}
		fmt.Printf("%-9s pays $%s and leaves %d reserved hours idle\n", name, p.Cost.Fixed(0), unused)
		alone += p.Cost
		// What the department has on demand, the others may serve.
		for hour := range own {
			idle += onDemand * pricing.Money(max(0, demand[hour]-own[hour]))
		}
	}
	// Idle instances serve everybody: only what all together lack is on demand.
	shared := alone - idle
	for hour := range total {
		shared += onDemand * pricing.Money(max(0, total[hour]-reserved[hour]))
	}
	joint := plan(total, terms...)
	fmt.Printf("alone the departments pay $%s\n", alone.Fixed(0))
	fmt.Printf("if idle instances serve all departments, $%s\n", shared.Fixed(0))
	fmt.Printf("if one plan reserves for all, $%s, and no plan costs less than $%s\n", joint.Cost.Fixed(0), joint.Bound.Fixed(0))
}

// Output:
// shop      pays $399 and leaves 0 reserved hours idle
// research  pays $323 and leaves 0 reserved hours idle
// office    pays $377 and leaves 168 reserved hours idle
// alone the departments pay $1099
// if idle instances serve all departments, $1066
// if one plan reserves for all, $661, and no plan costs less than $661
