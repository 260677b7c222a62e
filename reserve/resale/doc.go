// Package resale decides what to reserve where the rest of a term can be sold, and what such
// a marketplace is worth.
//
//	market := resale.Market{Share: .7, Every: 28 * 24 * time.Hour, Longest: 365 * 24 * time.Hour}
//	classes, sales, err := market.AppendClasses(nil, nil, prices)
//	prices.Classes = classes
//	plan, err := exact.Solve(&reserve.Problem{Demand: demand, Slot: time.Hour, Prices: prices, Every: 168})
//	for _, q := range plan.Purchases {
//		s := sales[q.Class] // buy q.Count of class s.Class, and sell them after s.After
//	}
//
//	You have                                You want                              Call
//	a list, a marketplace, a demand         the cheapest plan that sells          Market.AppendClasses, then any planner
//	the same                                what the marketplace is worth         the same with Market{Share: 0} or the list alone
//
// # Problem
//
// [Niu16] section 8.6 counts a reservation whole, since "selling off all the unused reserved
// instances is not an easy thing". The horizon reserve.Full counts so. reserve.Pure counts as
// if the rest of each term were sold at its prorated price when the demand ends, and at that
// moment alone. A marketplace is between them in price, and beyond them in time: a sale
// brings a share of the prorated upfront price, and a reservation may be sold whenever the
// need for it ends.
//
// # Algorithm
//
// Whoever buys class k and sells it after the time h has bought a class of the term h, with
// the upfront price
//
//	F_k − s·F_k·(1 − h/τ_k)
//
// where s is the share, F_k the upfront price of class k and τ_k its term. The hourly prices
// stay: the buyer of the rest owes the rest of the hours. So a list with a class for each
// class and time of sale describes the marketplace, and each planner takes such a list as it
// takes others. The horizon is reserve.Full, since the end of the demand is one of the times
// of sale.
//
// Invariant: of classes that are sold at the same time and have the same hourly price only
// the cheapest is in the list; the first of equals. So the list grows by at most one class
// for each hourly price and time of sale.
//
// Time O(m²·n) for m classes and n times of sale. Then the planner has more classes: Exact
// takes .1 to 4 s for 53 weeks of hours with sales each week, six classes of three use
// prices (BENCHMARKS.md).
//
// # Limits
//
// The plan knows the demand, and the marketplace buys all that is offered at one price. So
// what comes out is an upper bound on what the marketplace is worth to somebody who does not
// know the demand.
//
// # Units
//
// Amounts are pricing.Money, rounded up to the nano. Share is a number from 0 to 1, rounded
// to a millionth.
//
// # Allocation and concurrency
//
// AppendClasses appends to what it is given, and allocates the names of the classes. No input
// is modified, and nothing is kept.
//
// # References
//
//   - [Niu16] S. Niu, J. Zhai, X. Ma, X. Tang, W. Chen, W. Zheng: Building Semi-Elastic
//     Virtual Clusters for Cost-Effective HPC Cloud Resource Provisioning. IEEE TPDS
//     27(7), 2016. Sections 8.1 and 8.6.
package resale
