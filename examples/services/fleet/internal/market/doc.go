// Package market finds one savings plan for all groups of a fleet, beside the reservations of
// each group, and proves how near the optimum the two are together.
//
//	var sample market.Sample                     // 1. draw: each group's ticket
//	sample.Add(market.Draw(&terms, &g, seed))
//
//	price, err := search.Find(&terms, members)   // 2. search: prices, on the sample
//
//	answer, failure := price.Plan(&planner, &terms, &g)
//	if failure == nil {
//		sum.Add(&g, &answer)                 // 3. answer: each group, once
//	}
//
//	plan, next, err := market.Commit(&terms, &sum, &price)
//	plan.Commitments; plan.Cost; plan.Bound      // 4. commit: the whole, with its gap
//
// Steps 1 and 3 look at each group alone, and their results, a [Sample] and a [Sum], merge in
// any order. So an engine runs them on any number of workers, in any bundles, and again after
// a failure, and the fleet's plan is the same to the nano. Step 2 looks at a few hundred or
// thousand groups, and step 4 at the hours of the year.
//
// Package reserve/savings has the problem, the bound with its proof, the commitments for all
// ([savings.Commit]) and branch and bound for few groups ([savings.Branch]). This package has what is
// a fleet's own: samples, passes over groups on all cores, and forms in bytes.
//
// # The search
//
// A round on 100,000 groups costs minutes, so the rounds run on a sample. A priority sample by
// size has every group that matters alone, and weighs the others so that usage by rates and
// hour is right on average. A price has a number for each hour and none for any group. So a price
// that is good for the sample is good for the fleet: the error in the bound is of second
// order, as the sample's answers are optimal at the price. Then one pass over all groups gives
// the plan, the orders and the bound. The bound is proved whatever the sample and the search did.
//
// No rate of convergence is known, as the bound is not smooth. Groups that are alike need a second
// price: see split.go. A fleet of few groups is planned by branch and bound: see few.go.
//
// # Sums that do not fit
//
// Amounts of a group are 64 bits, and a group whose amounts do not fit has no plan. Sums over
// groups are exact in 128 bits. A fleet with an hour whose usage costs more than 64 bits hold has
// no savings plan. Its groups keep their plans. See [Plan].Failed.
//
// # Why not one after the other
//
// Reservations first and a savings plan for what is left is not optimal, and neither is the
// converse: TestOneAfterTheOther has a fleet of two groups for which they cost 18 and 16, and
// the joint plan 14. TestUnfairPrice has a price that is not fair and a bound
// that exceeds the cost of a plan.
package market
