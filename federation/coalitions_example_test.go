package federation_test

import (
	"fmt"
	"log"

	"github.com/plimsoll/plimsoll/federation"
	"github.com/plimsoll/plimsoll/federation/coalition"
	"github.com/plimsoll/plimsoll/pricing"
)

// What should each of three centres pay of the cost of all, and would any of them rather
// leave?
func ExampleCoalitions() {
	centres, tasks := threeCentres()
	var c federation.Coalitions
	if err := c.Reset(centres, tasks); err != nil {
		log.Fatal(err)
	}
	costs, bounds, err := c.AppendCosts(nil, nil)
	if err != nil {
		log.Fatal(err)
	}
	for s := coalition.Set(1); s <= costs.All(); s++ {
		fmt.Printf("%v costs %v, at least %v\n", s, costs[s], bounds[s])
	}
	shares := make([]pricing.Money, 3)
	if err := new(coalition.Solver).ShapleyTo(shares, costs); err != nil {
		log.Fatal(err)
	}
	leave, err := costs.AppendDepartures(nil, shares)
	fmt.Println("Shapley shares:", shares, leave, err)
	core, err := new(coalition.Solver).Core(shares, costs)
	fmt.Println("core:", shares, "empty:", core.Empty, err)
	// Output:
	// {0} costs 1.6, at least 1.6
	// {1} costs 0, at least 0
	// {0 1} costs 1.04, at least 1.04
	// {2} costs 0, at least 0
	// {0 2} costs 0.7, at least 0.7
	// {1 2} costs 0, at least 0
	// {0 1 2} costs 0.14, at least 0.14
	// Shapley shares: [0.87 -0.28 -0.45] [] <nil>
	// core: [0.7 -0.28 -0.28] empty: false <nil>
}

// The prices that prove the optimum divide it so that no coalition leaves.
func ExamplePriceSharesTo() {
	centres, tasks := threeCentres()
	var o federation.Optimizer
	best, err := o.Solve(centres, tasks, federation.OptimumOptions{})
	if err != nil {
		log.Fatal(err)
	}
	shares := make([]pricing.Money, 3)
	err = federation.PriceSharesTo(shares, centres, tasks, o.AppendPrices(nil))
	fmt.Println(best.Cost, best.Exact(), shares, err)
	// Output:
	// 0.14 true [0.14 0 0] <nil>
}

// A lender asks half as much again when little is idle, and a quarter when all is. Does
// that tempt a centre to reserve what it does not need?
func ExampleLendingByIdle() {
	centres, tasks := threeCentres()
	own, err := federation.LendingByIdle([]federation.PricePoint{{Idle: 0, Factor: 1.5}, {Idle: 0.5, Factor: 1}, {Idle: 1, Factor: 0.25}})
	if err != nil {
		log.Fatal(err)
	}
	opts := federation.Options{Lending: own}
	bookings, err := federation.Share(nil, centres, tasks, opts)
	if err != nil {
		log.Fatal(err)
	}
	for _, b := range bookings {
		fmt.Printf("task %d: %d leased from centre %d for %v\n", b.Task, b.Reserved, b.Centre, b.Lease)
	}
	tempted, err := federation.AppendTemptations(nil, centres, tasks, opts, 0)
	fmt.Println(len(tempted), "needless reservations would pay", err)
	// Output:
	// task 1: 4 leased from centre 1 for 0.066666664
	// task 2: 3 leased from centre 2 for 0.099999996
	// 0 needless reservations would pay <nil>
}
