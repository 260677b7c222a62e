// # Demand that is not known
//
// Let the demand of slot t be d_ts on path s, with the probability w_s. Purchases are
// decided before the path is seen. With A active reservations slot t costs on average
//
//	g_t(A) = p·Σ_s w_s·max(0, d_ts − A).
//
// g_t is convex and piecewise linear, with a breakpoint at each distinct demand, and its slope at A
// is −p times the probability that the demand exceeds A. So the arcs o_t and e_t of the flow become
// one arc with a convex cost. A flow with convex, piecewise linear costs and whole breakpoints
// still has a whole optimum: an arc is a bundle of parallel arcs, one for each piece, and a
// cheapest flow fills the cheaper pieces first. Potentials still prove the optimum, here without
// inventory and caps. The value z_t of a slot is now between the slopes of −g_t on both sides of A.
// The values of one term sum to at most the fee, so the fees of a plan are at least Σ z_t·A_t, with
// A_t active in slot t. Each plan then costs at least Σ (z_t·A_t + g_t(A_t)), and the bound is
//
//	Σ_t min_A (g_t(A) + z_t·A)    with    Σ z_t over no term above the fee.
//
// Three consequences:
//
//   - Only the distribution of the demand in each slot counts. Equally likely paths that are
//     correlated, and the same paths shuffled slot by slot, have the same optimal plan and the
//     same mean cost. Their risk differs: see Exact.Front.
//   - With terms of one slot each slot is a newsvendor: reserve the least number that is exceeded
//     with a probability of at most F/p, the critical fractile.
//   - The plan for the mean path (of means that are not rounded) is never cheaper on average than
//     the optimal plan (it is one of the plans), and promises too little. For each A, p·max(0, d −
//     A) is convex in the demand d. So its value at the mean demand is at most the mean of its
//     values over the paths, which is g_t(A) (Jensen), and any plan costs no more on the mean path
//     than on average. In short, planning for a forecast as if it were certain is optimistic by
//     construction.
//
// The value of knowing. If the path were seen first, the cost would be the mean of the
// optimum of each path, at most the optimum of the problem. The difference is the expected
// value of perfect information (Exact.Outlook). No forecast is worth more.
//
// A planner that decides again every week can lose less than these numbers say: later purchases
// may depend on the part of the path that was seen by then. Problem.Tree has such purchases.
// Problem.Paths has none, so the plan may buy now for a need that will show early enough. On six
// job logs
// that is what happened: the portfolio that plans on paths buys more than the portfolio that
// plans on a cautious quantile, and costs 4.6% over hindsight against 2.6% (BENCHMARKS.md).
package theory
