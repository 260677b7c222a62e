// Package spotsim runs tasks with deadlines over a history of spot prices, and says which
// deadlines a rule of package spot keeps and what that costs.
//
//	var s spotsim.Simulator
//	result, err := s.Run(tasks, spotsim.Options{
//		History: prices, OnDemand: 1300 * pricing.Milli,
//		Handover: spot.Handover{Rule: spot.RuleHedged},
//	})
//	fmt.Println(result.Met, result.Cost, result.OnDemandOnly)
//
// What to call:
//
//	You have                        You want                          Call
//	tasks, prices and a rule        deadlines kept, costs, leases     Simulator.Run
//	the same                        what each cluster cost and why    Result.Leases
//	your own bids or plan           their results                     Options.Bid, Options.Plan
//
// # What is simulated
//
// A [Simulator] runs the framework and the agents of package spot, which see only what
// they are shown at the time. Bids look at the past of the history. The lesson is in
// package spot.
//
// Charges are those of package pricing. Under the hourly rule of 2013 the last hour of a
// lease that the provider interrupts is free; under the rule of today its first hour is
// free. A price above a bid takes the cluster at that moment, without notice. Prices do
// not react to the tasks. Requests at a price within the bid are always served, and
// instances on demand are always available. The first of these assumptions holds for small
// users; the others are the provider's promise in 2013 and have become less true.
//
// A rule that keeps all deadlines costs more than the least possible cost for two reasons.
// One is that the rule does not know the prices. The other is the guarantee itself: a task
// that saves nothing and has less slack than its run time must be on demand by its point
// of no return, however calm the prices are. On calm prices the guarantee is nearly all of
// the difference in the tables of BENCHMARKS.md.
//
// # Allocation, work and concurrency
//
// A Simulator keeps its memory and allocates nothing once warm. It is for one goroutine at
// a time. A run of a task takes O(log c) time an event for c changes of the price; a plan
// is bounded as in package spot.
//
// # References
//
// [Huang13] H. Huang, L. Wang, B. C. Tak, L. Wang, C. Tang: CAP3: A Cloud
// Auto-Provisioning Framework for Parallel Processing Using On-demand and Spot
// Instances. 2013. Sections II.C and III.B.
package spotsim
