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
//	the same, and classes of reservations    both, with a certified gap      Mixed.Solve
//	a plan                                   what each commitment saves      AppendUses
//	a plan of any origin                     a proof that it is right        Verify, VerifyMixed
//
// # Problem
//
// A commitment is an amount of money an hour for a term. In each hour the commitment
// pays for usage of any type at the rates of the savings plan, and the rest of the
// usage runs on demand. What a commitment does not pay for in an hour is lost.
// Reservations, in contrast, serve one type of instance each.
//
// # Algorithms
//
//	                   cost at most                     time, three years of hours
//	Solver             the optimum (10⁻⁸ above it       3 to 250 ms
//	                   with six types or more)
//	Mixed, 20 slots    the optimum                      up to a second: a limit on work
//	Mixed              the optimum and a certified gap  0.2 to 2.3 s: a limit on rounds
//	Solver, Whole      a plan and a certified gap       the same
//	Mixed, Whole       the optimum up to 6 slots,       up to a second; beyond 1 to 3 s
//	                   else a plan and a certified gap
//	Verify             checks a plan by another way     seconds, in big integers
//	VerifyMixed        the same                         the same
//
// Solver turns each slot into several consecutive slots of a reservation problem, a
// minimum-cost flow. Mixed alternates between an exact savings plan and exact
// reservations, and prices of the one for the other bound the cost of both. Where the
// problem is small, branch and bound goes on to the optimum. With Problem.Whole, a plan pays
// for whole instances only, as in integer programs for this purchase. Four files explain the
// methods: savings.go, mixed.go, search.go and whole.go.
//
// # Units
//
// Demand is instances per slot. Rates are money per instance-hour. A commitment is a
// number of units, each of [Problem].Unit money an hour, by default 0.001. Terms are
// whole numbers of slots. Integers throughout: amounts are rounded once, at the end.
//
// # Allocation and concurrency
//
// A Solver and a Mixed keep their memory and allocate nothing once that suffices. One
// goroutine at a time. No input is modified. The same problem gives the same plan.
package savings
