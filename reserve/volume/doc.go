// Package volume decides what to reserve where a provider gives discounts for large
// purchases: the more the fees add up to, the less the next reservation costs.
//
//	discounts := volume.Discounts{Tiers: []volume.Tier{
//		{From: 500_000 * pricing.Unit, Discount: .05},
//		{From: 4_000_000 * pricing.Unit, Discount: .10},
//	}}
//	var s volume.Solver
//	plan, err := s.Solve(discounts, problem) // problem.Prices has the list prices
//	// plan.Purchases[0] is what to buy, plan.Cost what all costs with the discounts
//
//	You have                                You want                              Call
//	tiers, a demand                         the cheapest plan, with a bound       Solver.Solve
//	tiers, demands of several accounts      the same, with one count of fees      Solver.Solve
//	tiers, purchases of any origin          what they cost with the discounts     Cost
//	tiers of any origin                     a check                               Discounts.Validate
//
// # Problem
//
// [Liu21] section 2.2 says that some providers give discounts if a large number of instances
// is purchased, and then assumes one fee. Here fees add up over all purchases, at list
// prices. What lies between the From of a tier and the next From costs the tier's Discount
// less. Minimise the fees with the discounts and the cost on demand.
//
// # Algorithm
//
// Let L be the list value of a plan's fees, and δ_0 = 0 < δ_1 < … the discounts of the tiers
// from f_0 = 0 < f_1 < … on. The fees cost
//
//	φ(L) = min over i of  (1-δ_i)·L + a_i,    a_i = Σ_{j≤i} f_j·(δ_j - δ_{j-1}),
//
// since φ is concave and each tier is one of its lines. So the least cost of a plan is the
// least, over the tiers, of a_i and the optimum with all fees δ_i lower. Each of these is a
// problem of package reserve, which [reserve.Exact] solves. The bound is the least of the
// bounds in the same way. With t tiers the solver solves t+1 problems for each account.
//
// A purchase can be worth its fee only because others are made, too: with the discount of a
// tier more levels of the demand are worth a reservation, and their fees reach the tier. A
// planner that looks at list prices does not see that, and neither does a search that adds
// one purchase at a time.
//
// # Limits
//
// The discount is for what is bought beyond a tier's From, as AWS has it, and not for all
// that was bought before. Fees count from the first slot on; fees of contracts that are held
// already, and still count, are Discounts.Counted. A provider who counts only the fees of
// contracts in force charges the same if no term ends within the demand, and more otherwise.
// The horizon is reserve.Full: under Pure a fee costs its share, but counts in full.
//
// # Units
//
// Amounts are pricing.Money. A discount is a share from 0 to 1, rounded to a millionth. The
// discounted Upfront and Hourly of a class, and each a_i, are rounded to a nano once.
//
// # Allocation and concurrency
//
// A Solver keeps its memory, and allocates nothing once it has seen the largest problems. A
// plan is valid until the next call. Cost allocates. No input is modified. One goroutine at
// a time may use a Solver.
//
// # References
//
//	[Liu21]  Liu, Peng, Yu, Liu, Huang, Pan, An Instance Reservation Framework for Cost
//	         Effective Services in Geo-Distributed Data Centers, IEEE TSC 14(2), 2021:
//	         section 2.2.
package volume
