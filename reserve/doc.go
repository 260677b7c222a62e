// Package reserve decides how many reservations of cloud instances to buy, of which
// class and when, and proves how good the decision is.
//
//	p := &reserve.Problem{
//		Demand: demand,    // instances needed in each hour
//		Slot:   time.Hour, // the length of a slot of demand
//		Prices: prices,    // the price on demand and the classes of reservations
//		Every:  168,       // purchases once a week
//	}
//	var exact reserve.Exact
//	plan, err := exact.Solve(p) // plan.Purchases, plan.Cost, plan.Optimal()
//
//	You have                               You want                          Call
//	a demand, known or forecast            the cheapest plan, with a proof   Exact.Solve
//	paths of the future, or a              the plan that is cheapest on      Exact.Solve with Problem.Paths
//	distribution for each slot             average, with a proof             or Problem.Chances
//	a tree of futures that show step       the plan that decides when it     Exact.Solve with Problem.Tree
//	by step                                sees, with a proof
//	the same                               what it is worth to wait          Exact.Waiting
//	paths, and a plan                      the cost of not knowing           Exact.Outlook
//	the same                               mean cost against risk            Exact.Front
//	a demand or paths, and a budget        the plan within the budget, and   Exact.Within
//	of money up front                      what more of the budget saves
//	a marketplace for rests of terms       a price list with sales           Resale.AppendClasses
//	a plan of any origin                   what the plan costs; a check      Cost; Verify
//	a plan                                 what each purchase does           AppendUses
//	a demand                               a lower bound without a solver    Competitive.Bound
//	demand as it comes, or a published     what to buy now, by a rule        package reserve/rules
//	rule to compare with
//	commitments of money an hour           how much to commit                package reserve/savings
//
// # Problem
//
// A cluster needs d_t instances in slot t. An instance runs on demand, at p a slot, or in
// a reservation. Class k asks a fee F_k for a term of τ_k slots and, in each slot used,
// q_k < p. Buy R_tk ≥ 0 reservations of class k at the beginning of slot t. The
// reservations of the last term are active,
//
//	S_tk = Σ R_lk    over t - τ_k < l ≤ t,
//
// and serve in the order of their use prices, the lowest first:
//
//	minimise   Σ F_k·R_tk + Σ q_k·(served by k in t) + p·(not served in t).
//
// A [Problem] also has the contracts held already, the slots at which purchases are possible, and
// caps. Its [Horizon] says how the cost counts a term that outlives the demand.
//
// # Demand that is not known
//
// A forecast is a distribution, not a number. Problem.Paths has the possible demands, with
// Problem.Weights for their probabilities, or Problem.Chances a distribution for each slot. Exact
// decides all purchases before any path is seen, serves the rest of each path on demand, and
// minimises the mean cost. Costs and bounds are then means. For most forecasts the horizon [Pure]
// is the right choice: the need goes on after the paths end. [Exact.Outlook] says what each path
// costs, what a perfect forecast would save, and what planning for the mean path would cost.
//
// A buyer who decides today, sees a quarter, and decides again has a tree: Problem.Tree has a [Node] for
// each slot of each past, and a purchase is decided in its node. The first purchases of such a plan are
// those of today. [Exact.Waiting] compares with deciding everything at once.
//
// # Algorithms
//
//	             classes  cost at most              time
//	Exact        all      the optimum, or a         milliseconds to a second for a year of
//	                      certified gap             hours; package reserve/internal/flow
//	HGR          one      (on demand + optimum)/2   O(n·log n), [Liu21] Alg. 1
//	Competitive  all      a lower bound, Eq. (5)    O(n·log L + L·h), [Niu16]
//
// n is the number of slots, h of classes, L of slots between purchases. Use [Exact]. Exact plans
// purchases for any number of classes, terms, dates and caps, and proves how near to the optimum
// its plan is. Plans of thousands of purchases from classes with several use prices have a gap of
// about 5·10⁻⁴. If a limit on the work was reached and the gap is above 10⁻³, [Plan].Limited says
// so. [Plan].Gap has the gap; small problems with several use prices may have a larger one, since
// the bound is that of a linear program. [HGR] is for readers of [Liu21]. Other published planners,
// which cost 0.2 to 6% more than the optimum on real demands, are in package reserve/rules. Package
// reserve/theory has the long proofs.
//
// A [Planner] turns a Problem into purchases. A planner of a user's own reads the Problem as an
// [Input] of [Offer].
//
// # Units
//
// Demand is instances per slot, each of the length Problem.Slot. Terms are whole numbers
// of slots ([WholeTerms]). All costs are integers, in the largest unit in which all prices per
// slot are whole, so that equal costs are equal; overflow is an error. A lower bound is rounded
// down to a nano, so that it stays a bound.
//
// # Allocation and concurrency
//
// The zero value of each solver is ready. A solver keeps its memory, O(n) for one use price, and
// allocates nothing once it has seen the largest problem and dst has room; Outlook, Waiting, Front,
// Within, Cost, Verify and AppendUses allocate. One goroutine at a time may use a solver. Inputs are not
// modified. Nothing is random.
//
// # References
//
//	[Niu16]   Niu, Zhai, Ma, Tang, Chen, Zheng, Building Semi-Elastic Virtual
//	          Clusters for Cost-Effective HPC Cloud Resource Provisioning, IEEE
//	          TPDS 27(7), 2016: sections 5.1 and 9, Eqs. (1)-(5), Theorem 1.
//	[Liu21]   Liu, Peng, Yu, Liu, Huang, Pan, An Instance Reservation Framework
//	          for Cost Effective Services in Geo-Distributed Data Centers, IEEE
//	          Transactions on Services Computing, 2021: sections 3 and 4, Algs. 1
//	          and 2, Theorems 1 to 4.
package reserve
