// Package coalition divides the cost of a group among its members, and says which of
// the members would rather form a group of their own.
//
//	costs := coalition.Costs{0, 10, 8, 14, 6, 12, 11, 15} // of nobody, {0}, {1}, {0 1}, {2}, …, {0 1 2}
//	var s coalition.Solver
//	shares := make([]pricing.Money, costs.Members())
//	err := s.ShapleyTo(shares, costs)      // what each member pays, by the Shapley value
//	core, err := s.Core(shares, costs)     // shares that no coalition would leave, or the proof that there are none
//	departures, err := costs.AppendDepartures(nil, shares) // who leaves under any shares, and for what gain
//
// A coalition is a [Set]: bit i stands for member i. [Costs] has the cost of each.
//
//	You have                              You want                                       Call
//	the cost of each coalition            a fair division of the cost                    Solver.ShapleyTo
//	the cost of each coalition            a division that nobody leaves                  Solver.Core
//	an empty core                         to check the proof                             VerifyEmpty
//	the cost of each coalition, shares    who would leave                                Costs.AppendDepartures
//	the cost of each coalition            which groups should form                       Solver.AppendPartition
//	more than 16 members, or dear costs   a fair division, with an error bar             Sampler.Shapley
//
// # Problem
//
// Members can act together at a cost c(N), and every coalition S of them could act by
// itself at a cost c(S). How should the members divide c(N)? Two answers are classic.
//
// The Shapley value [Shapley53] is the only division that treats equal members alike,
// lets a member that adds nothing pay nothing, and adds up over games. It is fair, but a
// coalition may pay more than by itself, and leave.
//
// The core [Gillies59] has the divisions under which no coalition pays more than by
// itself. It may be empty. [Bondareva63] and [Shapley67] say when: if and only if there
// are coalitions with weights such that each member is in coalitions of total weight 1,
// and the weighted costs add up to less than c(N).
//
// # Notation
//
//	n, N     number of members, the coalition of all
//	S        a coalition
//	c(S)     cost of S by itself
//	x_i      share of member i;  Σ_i x_i = c(N)
//	ε        slack: the least that a coalition saves by staying, min_S c(S) − Σ_{i∈S} x_i
//
// # Algorithms
//
//	                          exact                                    time
//	[Solver.ShapleyTo]        yes; rounded to nanos                    O(2ⁿ·n)
//	[Solver.Core]             yes, or the proof that the core is empty O(2ⁿ) a pivot, no bound on pivots known
//	[Solver.AppendPartition]  yes                                      O(3ⁿ)
//	[Sampler.Shapley]         no; a standard error for each share      2·pairs·n costs
//
// [Solver.Core] returns the least core [Maschler79]: the shares with the greatest slack ε. They are
// in the core if and only if ε ≥ 0. If the core is empty, these shares make the greatest gain of a
// departure as small as possible. The weights of the linear program then prove that the core is
// empty. The simplex method runs on whole numbers, and its answer does not depend on rounding
// (core.go).
//
// [Sampler] draws random orders in pairs, each forwards and backwards, and returns the
// standard error of each share (sample.go).
//
// # Units
//
// Costs and shares are [pricing.Money], exact to the nano. Shares always add up to the cost of all.
// Each share is rounded by at most a nano. A coalition of n members can therefore pay up to n nanos
// more than by itself, even if the core has shares in fractions of nanos. [Core].Slack is then
// below 0.
//
// # Allocation and concurrency
//
// A [Solver] keeps its memory and allocates nothing once it suffices. So does a
// [Sampler]. Each is for one goroutine at a time. Inputs are not modified. Randomness is
// passed in: the same seed gives the same shares.
//
// # References
//
// [Shapley53] L. S. Shapley, "A Value for n-Person Games", Contributions to the Theory
// of Games II, 1953.
//
// [Gillies59] D. B. Gillies, "Solutions to General Non-Zero-Sum Games", Contributions to
// the Theory of Games IV, 1959.
//
// [Bondareva63] O. N. Bondareva, "Some Applications of Linear Programming Methods to the
// Theory of Cooperative Games", Problemy Kibernetiki 10, 1963.
//
// [Shapley67] L. S. Shapley, "On Balanced Sets and Cores", Naval Research Logistics
// Quarterly 14, 1967.
//
// [Maschler79] M. Maschler, B. Peleg, L. S. Shapley, "Geometric Properties of the Kernel,
// Nucleolus, and Related Solution Concepts", Mathematics of Operations Research 4, 1979.
package coalition
