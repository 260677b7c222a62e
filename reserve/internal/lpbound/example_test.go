package lpbound_test

import (
	"fmt"

	"github.com/plimsoll/plimsoll/reserve/internal/lpbound"
)

// A small shop runs two machines all year and a third for the last quarter.
// Light costs little up front and 0.9 per used hour, heavy is paid in full.
func Example() {
	p := &lpbound.Problem{Period: 168, OnDemand: 2.4e9, Classes: []lpbound.Class{
		{Term: 52, Fee: 1762e9, Rate: 0.904e9},
		{Term: 52, Fee: 5000e9 + 8736*0.361e9},
	}}
	for week := range 52 {
		for hour := range 168 {
			need := 2
			if week >= 39 {
				need = 3
			}
			if hour >= 120 { // weekend
				need = 1
			}
			p.Demand = append(p.Demand, need)
		}
	}
	var s lpbound.Solver
	r, err := s.Solve(p, lpbound.Options{})
	if err != nil {
		panic(err)
	}
	for c, name := range []string{"light", "heavy"} {
		for week := range 52 {
			if x := r.Plan[c*52+week]; x > 0 {
				fmt.Printf("week %d: %d %s\n", week, x, name)
			}
		}
	}
	fmt.Printf("cost %.2f, no plan below %.2f\n", float64(r.Cost)/1e9, float64(r.Bound)/1e9)
	// Output:
	// week 0: 2 light
	// week 0: 1 heavy
	// cost 18728.90, no plan below 18728.90
}
