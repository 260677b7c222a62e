// Package spotsim runs tasks with deadlines over the history of a spot price: which
// deadlines a rule of package spot keeps, and what that costs.
//
// A [Simulator] runs tasks over the history of a spot price, under any rule
// of [spot.Handover], and says which deadlines were met at what cost; the
// lesson is in package spot. It has the framework and the agents of that
// package, which see nothing of the history but what they are shown at the time.
// Bids look at the past of it.
//
// Charges are those of package pricing: what the provider interrupts, under the
// hourly rule of 2013, is free in its last hour, and under the rule of today in
// its first. A price that is above a bid takes the cluster at that moment, without
// notice. Prices do not react to the tasks, requests at a price within the bid are
// always served, and on demand is always to be had: the first holds for small
// users, the others are the provider's promise in 2013 and have become less true.
//
// [Hindsight] is the yardstick: the least cost for somebody who knew the prices.
// That a rule which keeps all deadlines stays above it has two reasons, and only
// one is ignorance of prices. The other is the guarantee itself: a task with less
// slack than its run time that saves nothing must be on demand by its point of no
// return, however calm the prices are. For the tables of BENCHMARKS.md on calm
// prices that is nearly all of the difference.
//
// [Huang13] H. Huang, L. Wang, B. C. Tak, L. Wang, C. Tang: CAP3: A Cloud
// Auto-Provisioning Framework for Parallel Processing Using On-demand and Spot
// Instances. 2013. Sections II.C and III.B.
package spotsim
