// Package savings decides how much money an hour to commit to a savings plan, and
// when, alone or beside reservations.
//
//	p := &savings.Problem{
//		Slot:  time.Hour,
//		Types: []savings.Type{{Name: "web", Demand: demand, OnDemand: 488_500 * pricing.Micro, Plan: 195_400 * pricing.Micro}},
//		Term:  3 * 8760 * time.Hour,
//		Every: 168, // once a week
//	}
//	var s savings.Solver
//	plan, err := s.Solve(p)
//
//	You have                                 You want                        Call
//	demands of several types, one plan       the commitments of least cost   Solver.Solve
//	the same, and classes of reservations    both, with a certified gap      Solver.Solve
//	demand as several weighted paths         one plan for all of them        Type.Paths
//	several savings plans on offer           the mix of them, and a gap      Problem.Others
//	a plan                                   what each commitment saves      AppendUses
//	a plan of any origin                     a proof that it is right        Verify
//	100,000 groups that share one plan       the commitments, and a gap      Sum.Add, Commit
//	a few groups, their prices and rules     the reservations of each        Branch.Search
//
// # Problem
//
// A commitment is an amount of money an hour for a term. In each hour the commitment pays for usage
// of any type at the rates of the savings plan, and the rest of the usage runs on demand. The part
// of a commitment that pays for nothing in an hour is lost. Reservations, in contrast, serve one
// type of instance each.
//
// # Algorithms
//
//	                   cost at most                     time, three years of hours
//	no classes         the optimum (10⁻⁸ above it       3 to 250 ms
//	                   with six types or more)
//	classes, 20 slots  the optimum                      up to a second: a limit on work
//	classes            the optimum and a certified gap  0.2 to 2.3 s: a limit on rounds
//	several offers     the optimum of a tiny problem,   3 to 12 s: a limit on work
//	                   else a certified gap
//	Verify             checks a plan by another way     seconds, in big integers
//
//	exact.go    Without classes, each slot becomes several consecutive slots of a reservation
//	            problem, a minimum-cost flow.
//	joint.go    With classes, exact savings plans and exact reservations take turns. The prices
//	            of each bound the cost of both.
//	branch.go   Branch and bound finds whole reservations where demand is a few instances, and
//	            the optimum of small problems.
//	relax.go    A first-order method replaces branch and bound where purchases are possible at
//	            too many dates.
//	several.go  Several offers start from the plan of the first-order method, and improve one
//	            coordinate at a time.
//	paths.go    If demand is paths, each slot becomes one part for each path.
//	shared.go   If many groups share a savings plan, each group answers a common price by itself.
//
// # Units
//
// Demand is instances per slot. Rates are money per instance-hour. A commitment is a number of
// units, each of [Problem].Unit money an hour, by default 0.001. Terms are whole numbers of slots.
// Amounts are exact until they are rounded once, at the end.
//
// # Allocation and concurrency
//
// A Solver and a Branch keep their memory, and allocate nothing once their memory suffices, except
// for paths, several offers and held reservations. One goroutine at a time may use a Solver or a
// Branch. No input is modified. The same problem gives the same plan.
//
// # References
//
// J. F. Benders, Partitioning procedures for solving mixed-variables programming problems,
// Numerische Mathematik 4, 1962. J. E. Kelley, The cutting-plane method for solving convex programs,
// SIAM Journal 8, 1960. M. Frank and P. Wolfe, An algorithm for quadratic programming, Naval Research
// Logistics Quarterly 3, 1956.
package savings
