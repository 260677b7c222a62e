// # What greed loses
//
// Algorithm 3 gives each task, as it comes, the idle reservations that suit it best. How
// much less could the federation have paid? Reservations are given and paid for, and what
// centres pay each other adds up to nothing. So a plan costs what it runs on demand and what
// it sends:
//
//	minimise   Σ_j Σ_t p_j·(n_j(t) − u_j(t))⁺  +  Σ ω·φ_home over instances away from home.
//
// n_j(t) are the instances in centre j in slot t. Which tasks are on the reservations of a
// centre and which are on demand there does not change the sum, and may change from slot to
// slot, as in Eq. (20). Instances on demand cost the price where they run. A run with
// [AtHomePrice] books other amounts and may come out below the optimum at true prices. No
// factor bounds what greed costs: the optimum can be free where greed pays
// (TestGreedyAgainstOptimum has both cases).
//
//	                     parts                           solved                      time
//	Optimizer            stay in one centre, [Liu21] 4   1 or 2 centres: exactly     no polynomial
//	                                                     more: with a certified gap  bound known
//	Slotwise             move by slot, traffic by share  exactly                     O(a·log a) a slot
//	JointDemandTo        free, reservations too          exactly (reserve.Exact)
//
// For the same tasks and reservations, with all [Options] of [Share] but AtHomePrice,
//
//	Share  ≥  Optimum.Cost  ≥  optimum  ≥  Optimum.Bound  ≥  Slotwise.
//
// The first ≥ needs the bookings of Share as OptimumOptions.Start if there are three centres
// or more. Fees plus any of these are at least the optimum of reserving jointly. Each ≥ is a
// test.
//
// Two centres. Each task has x instances in the second centre from its start to its end: an
// interval matrix. So the problem is a minimum-cost flow on a line with convex slot costs,
// and its linear relaxation has whole solutions (twocentre.go). One lender and many
// borrowers are the same problem if the borrowers neither lend each other anything nor rent
// on demand from each other: interval scheduling on as many machines as are idle.
//
// More centres. With any number of centres the problem is NP-hard. Cut a circle of arcs at a
// point that is in no more of them than there are colours. Add short arcs across the cut,
// which meet only the arcs that cross it, until as many cross it as there are colours. The
// arcs across the cut become centres with one reservation, from the end of the arc to its
// beginning. The other arcs become tasks, whose data cost nothing to send, and on demand
// costs something. The optimum is 0 if and only if the arcs can be coloured, which is
// NP-complete [Garey80].
//
// With three centres the relaxation is no longer whole, as three tasks may form an odd cycle.
// In the first centre the first task shares one slot with the second task, and one slot with
// the third task. In the second centre the second and the third task share one slot.
// TestOptimumGap has the prices: 6 against 5.5. We know no polynomial algorithm, and no proof
// that there is none.
//
// So [Optimizer] looks from both sides. From above: two centres divide what they have between
// them optimally, by the flow, pair after pair, until no pair gains. From below: prices
// π_j(t) of instance-slots, at which every instance goes where it is cheapest, prove the
// bound L(π) of bound.go, in one pass and in whole nanos. [Bound] checks it. TestOptimumSmall
// solves small random cases of three and four centres by brute force (go test -run
// OptimumSmall -v prints the counts): 894 of 895 plans were optimal, and 887 were proved to
// be.
//
// With OptimumOptions.Start the plan costs no more than Start, but it can cost a little more
// than without Start: the bound is then raised from other prices, and the last descent starts
// elsewhere.
//
// Time (BenchmarkOptimum and BenchmarkOptimumMadeUp, GOMAXPROCS=1, processor time; one task in
// ten of those made up is long). With eight centres the time grows as the 1.3th power of tasks
// and slots together:
//
//	three logs, 600 hours, 17,299 tasks             0.4 to 0.6 s
//	three logs, 8,760 hours, 195,207 tasks          5.5 s
//	3 made-up centres, 2,000 slots, 20,000 tasks    0.5 s
//	8 made-up centres, 500 slots, 5,000 tasks       0.4 s
//	8 made-up centres, 1,000 slots, 10,000 tasks    0.9 s
//	8 made-up centres, 2,000 slots, 20,000 tasks    2.3 s
//
// Split by slot. If tasks are bags of work that may be spread over centres and slots, each
// piece with its share of the data, slots do not depend on each other ([Slotwise]). An
// instance pays the share of the traffic for the share of its slots that it is away. Parts
// that stay pay the same under this rule, so its optimum is a bound. (A rule that pays a
// transfer at each change of centre would give a bound, too, but is a flow of as many
// commodities as there are tasks. Paying once per centre is a facility location problem.)
//
// On the three logs of [Liu21] over 600 hours (17,299 tasks), with reservations by HGR for
// 76,093 dollars, and data as above (go test -run OptimumLogs -v; dollars beside the fees,
// and over the bound without and with the fees):
//
//	alone                                            28,480    28.4%   6.4%
//	Share, and lenders expect nothing                24,827    11.9%   2.7%
//	Share                                            24,598    10.9%   2.5%
//	Share, nothing paid for leases                   23,976     8.1%   1.8%
//	Share, nothing paid for leases, cheapest first   23,883     7.6%   1.7%
//	Optimizer                                        22,191     0.01%  0.00%
//	its bound                                        22,189
//	Slotwise                                         22,177
//
// With the fees, greed loses 2.5%, nearly two fifths of what sharing could save. The order in
// which centres are asked matters little (at F/τ a slot, delay and price ask in the same
// order here). A quarter of the loss is due to the price: at F/τ a slot, a borrower leaves
// idle reservations alone, for which the lender has paid, whenever its saving does not cover
// the lease. With [Unpaid], the sum that Eq. (20) minimises is the federation's. The rest is
// greed: a task that finds reservations at home keeps them, though it could have moved, and a
// later task cannot. Tasks that could be split by slot would save no more than 15 dollars.
//
// # Who would leave
//
// A coalition of centres could share among its members alone. [Coalitions] computes what each
// coalition costs; package coalition divides the cost of all by the Shapley value or in the
// core, and says who would leave.
//
// If the optimum is proved, the core is not empty, and no enumeration is needed: let tasks
// pay, and reservations earn, the prices π that prove the optimum. These shares add up to the
// optimum, and no coalition costs less by itself [Owen75]. [PriceSharesTo] computes them;
// coalitions.go has the proof. With one or two centres the core is never empty. With more
// centres it can be empty only if the plan has a gap.
//
// By Algorithm 3 centres pay each other F/τ, and coalitions do leave. The example is the three
// logs of [Liu21] with reservations by HGR (examples/federation -coalitions). All together
// would save 2,408 dollars by the optimum. SDSC and LANL would save 703 dollars by sharing
// optimally among themselves.
//
//   - [Garey80] M. Garey, D. Johnson, G. Miller, C. Papadimitriou, The complexity of
//     coloring circular arcs and chords, SIAM J. Algebraic Discrete Methods 1(2), 1980.
//   - [Sherali89] H. Sherali, O. Ulular, A primal-dual conjugate subgradient
//     algorithm for specially structured linear and convex programming problems,
//     Applied Mathematics and Optimization 20, 1989.
package federation
