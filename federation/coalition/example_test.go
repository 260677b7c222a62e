package coalition_test

import (
	"fmt"
	"log"
	"math/rand/v2"

	"github.com/plimsoll/plimsoll/federation/coalition"
	"github.com/plimsoll/plimsoll/pricing"
)

// costs is what three sites pay a month for capacity, by themselves and together, in
// dollars.
func costs() coalition.Costs {
	//                  none  {0}   {1}   {0 1} {2}   {0 2} {1 2} all
	c := coalition.Costs{0, 2677, 2383, 4540, 5248, 7427, 7393, 9474}
	for s := range c {
		c[s] *= pricing.Unit
	}
	return c
}

// What should each site pay of 9,474, so that none is better off alone or with one other?
func ExampleSolver() {
	var s coalition.Solver
	shares := make([]pricing.Money, 3)
	if err := s.ShapleyTo(shares, costs()); err != nil {
		log.Fatal(err)
	}
	for i, x := range shares {
		fmt.Printf("site %d pays %s\n", i, x.Fixed(2))
	}
	leave, err := costs().AppendDepartures(nil, shares)
	fmt.Println("who leaves:", leave, err)
	core, err := s.Core(shares, costs())
	fmt.Printf("core empty: %v; every group saves %s or more by staying, %v\n", core.Empty, core.Slack.Fixed(2), err)
	// Output:
	// site 0 pays 2308.67
	// site 1 pays 2144.67
	// site 2 pays 5020.67
	// who leaves: [] <nil>
	// core empty: false; every group saves 137.33 or more by staying, <nil>
}

// Any two of three sites can share one machine, and a second machine costs as much as the
// first: whatever the division, two sites pay more than by themselves.
func ExampleVerifyEmpty() {
	c := coalition.Costs{0, 100, 100, 100, 100, 100, 100, 200}
	shares := make([]pricing.Money, 3)
	core, err := new(coalition.Solver).Core(shares, c)
	if err != nil {
		log.Fatal(err)
	}
	for _, x := range core.Proof {
		fmt.Printf("%d/%d of %v\n", x.Weight, core.Den, x.Set)
	}
	fmt.Println("empty:", core.Empty, coalition.VerifyEmpty(c, core.Proof, core.Den))
	// Output:
	// 1/2 of {0 1}
	// 1/2 of {0 2}
	// 1/2 of {1 2}
	// empty: true <nil>
}

// Sites 0 and 1 are close, site 2 is far away: which groups should form?
func ExampleSolver_AppendPartition() {
	c := coalition.Costs{0, 50, 50, 80, 50, 105, 110, 140}
	groups, cost, err := new(coalition.Solver).AppendPartition(nil, c)
	fmt.Println(groups, int64(cost), err)
	// Output:
	// [{0 1} {2}] 130 <nil>
}

// Thirty sites have too many coalitions to list: sample them.
func ExampleSampler() {
	cost := func(joined []int) (pricing.Money, error) {
		demand := 0
		for _, i := range joined {
			demand += 1 + i%3
		}
		return pricing.Money(100+10*demand) * pricing.Unit, nil // 100 for a contract, 10 for each unit
	}
	var s coalition.Sampler
	shares, err := s.Shapley(nil, 30, cost, 200, rand.New(rand.NewPCG(1, 1)))
	if err != nil {
		log.Fatal(err)
	}
	for i, x := range shares[:3] {
		fmt.Printf("site %d pays %s ± %s\n", i, x.Cost.Fixed(1), x.StdErr.Fixed(1))
	}
	// Output:
	// site 0 pays 13.2 ± 0.9
	// site 1 pays 23.2 ± 0.9
	// site 2 pays 34.0 ± 1.0
}
