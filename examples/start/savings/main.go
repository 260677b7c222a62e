// Savings says how much money an hour to commit, beside which reservations.
package main

import (
	"fmt"
	"log"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve/savings"
)

func main() {
	// Web servers follow the day, a database runs always: a year of hours.
	web := slices.Repeat([]int{6, 6, 6, 6, 6, 6, 8, 12, 18, 20, 20, 20, 20, 20, 20, 20, 20, 18, 16, 14, 12, 10, 8, 6}, 365)
	database := slices.Repeat([]int{4}, len(web))
	problem := savings.Problem{
		Slot: time.Hour, Term: pricing.Year, Every: 24 * 7,
		Types: []savings.Type{
			{Name: "web, m5.xlarge", Demand: web, OnDemand: 192 * pricing.Milli, Plan: 141 * pricing.Milli},
			{Name: "database, r5.2xlarge", Demand: database, OnDemand: 504 * pricing.Milli, Plan: 370 * pricing.Milli},
		},
		Classes: []savings.TypeClass{{Type: 1, Class: pricing.Class{
			Name: "r5.2xlarge, one year", Term: pricing.Year, Hourly: 317 * pricing.Milli, Billed: pricing.Always}}},
	}
	plan, err := new(savings.Solver).Solve(&problem)
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range plan.Reservations {
		fmt.Printf("reserve %d of %s\n", r.Count, problem.Classes[r.Class].Class.Name)
	}
	for _, c := range plan.Commitments {
		fmt.Printf("commit $%.3f an hour\n", float64(c.Units)/1000)
	}
	fmt.Printf("the year costs $%v, at most %.3f%% above the optimum\n", plan.Cost.Fixed(0), 100*plan.Gap())
}

// Output:
// reserve 4 of r5.2xlarge, one year
// commit $0.846 an hour
// the year costs $30713, at most 0.000% above the optimum
