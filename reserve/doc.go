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
//	You have                              You want                           Call
//	a demand, known or forecast           the cheapest plan, with a proof    Exact.Solve
//	paths of the future, a distribution   the plan that is cheapest on       Exact.Solve with Problem.Paths
//	for each slot                         average, with a proof              or Problem.Chances
//	the same, and a plan                  the cost of not knowing            Exact.Outlook
//	the same                              mean cost against risk             Exact.Front
//	a plan of any origin                  what the plan costs; a check       Cost; Verify
//	a plan                                what each purchase does            AppendUses
//	demand week by week and a forecaster  what to buy this week              Online.Advance
//	demand slot by slot                   what to buy now, with a constant   Wang, Robust: Observe
//	commitments of money an hour          how much to commit                 package reserve/savings
//	discounts for large purchases         what to buy with them              Exact.SolveDiscounted
//
// # Types
//
// A [Problem] has a [Horizon] and, for a distribution, lists of [Chance]. [Exact] turns
// a Problem into a [Plan] with a [Certificate]. [AppendUses] gives a [Use] for each
// purchase. An [Outlook] says what a plan costs on each path, and a [FrontPoint] is a plan
// on the front of mean cost against risk. A [Planner] turns a Problem into purchases: Exact, the offline heuristics
// ([HGR], [rules.Periodic], [rules.Levels], [rules.SEC]), what tools on the market do ([rules.Constant],
// [rules.Peak], [rules.OnDemand]) and the online rules. A [rules.Rule] is an online rule for one class,
// an [rules.Offer], told the demand slot by slot: [rules.RHO], [rules.Robust], [rules.Wang], [rules.WangRandom],
// [rules.History]. [rules.Online] is a portfolio of all classes with a [rules.Forecaster] and a [rules.Cap] for
// each class. [Competitive] computes a published lower bound.
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
// A purchase commits now and pays off later, so a planner must know or guess the demand
// for as long as a term. Offline planners get the whole demand: they say what a past
// demand should have cost, or plan for a forecast. Online rules see the past, the
// present slot and what a forecast says of the next slots.
//
// A Problem also has the contracts held already, the slots at which purchases are
// possible, and caps. Its Horizon says what to count of a term that outlives the demand.
//
// # Demand that is not known
//
// A forecast is a distribution, not a number. Give the planner the futures:
//
//	p := &reserve.Problem{Paths: paths, Slot: 168 * time.Hour, Prices: prices, Horizon: reserve.Pure}
//	plan, err := exact.Solve(p)
//
// paths[i][t] is the demand in slot t on path i, and [AppendInstances] turns a path of
// floats into instances. Problem.Weights are probabilities of the paths; without
// Weights all paths are equally likely. Problem.Chances is a distribution for each slot
// instead. Exact decides all purchases before any path is seen, serves the rest of each
// path on demand, and minimises the mean cost. [Plan].Cost, [Plan].Bound and [Cost] are
// means, Plan.Bill is empty, and [Verify] checks the plan as it checks others. Several
// terms, held contracts, dates, caps and both horizons work as for a known demand.
//
// [Exact.Outlook] says what uncertainty costs. An [Outlook] has the cost on each path and
// the probability that each purchase loses money. It also says what a perfect forecast
// would save, and what planning for the mean path would cost. [Exact.Front] weighs the
// mean cost against the mean of the worst paths. [Problem.AppendQuantile] gives the demand
// that a tool with one number a slot plans for. [Cost] of the plan for that demand says
// what the tool leaves on the table.
//
// On average one more active reservation in a slot saves p times the probability that
// the demand needs it. So a slot costs a convex, piecewise linear function of the active
// reservations, and the problem is still a minimum-cost flow: exact, with a proof.
// On one core a year of hours with 50 paths takes about 50 ms, and the three cases of
// BenchmarkPaths 0.4 to 1 ms (a linear program solver takes 2.6 to 3.4 s for each).
//
// # Notation
//
//	n, h           slots of the demand, classes of the list
//	d_t            demand, instances in slot t;  level l: the l-th instance, busy
//	               in the slots with d_t ≥ l
//	p              price of a slot on demand
//	τ, F, q        term in slots, fee, use price per slot of a class; a class billed
//	               [pricing.Always] has all in F
//	R_tk, S_tk     reservations of class k bought at, active in slot t
//	D_tk           reservations of class k that a plan wants active
//	ν              busy slots of a window of τ slots
//	K              least number of busy slots that is worth a fee, ⌈F/(p - q)⌉
//	U_ij           used slots of the j-th instance in interval i
//	L              slots of an interval between purchases, Problem.Every
//
// # Algorithms
//
// Offline. The h classes, prepaid or used, are reservations of one type of instance:
//
//	             classes  cost at most                       time
//	Exact        all      the optimum, or a certified gap    see BENCHMARKS.md
//	HGR          one      (on demand + optimum)/2            O(n·log n)
//	Periodic     one      2·optimum, 1                       O(n), sorting at worst
//	Levels       one      2·optimum, Periodic, 1             O(n·τ), mostly
//	SEC          all      none known; 1 with one class       O(n·terms·log n)
//	Constant     one      best constant quantity, 1          O(n), sorting at worst
//	  AnyClass   all      best constant quantity of any, 1   O(n·h), sorting at worst
//	Peak         one      none                               O(n)
//	OnDemand     none     p/min(F_k/τ_k+q_k, p) · optimum    O(n)
//	Competitive  all      a lower bound, Eq. (5)             O(n·log L + L·h)
//
// In the table 1 stands for the cost of on demand only. The constants of Periodic and
// Levels hold for the Full horizon and purchases at any slot; the types say more. The file
// of each algorithm and package reserve/theory have the proofs. Each takes O(n) memory, but
// SEC takes O(n·h).
//
// Use [Exact]. Exact plans purchases for any number of classes, terms, dates and caps,
// and proves what it says. It takes milliseconds where the use of all classes costs the
// same, or where terms are long. Plans of thousands of purchases from classes with
// several use prices take a second or some, and have a gap of about 5·10⁻⁴. If the gap is
// above 10⁻³, [Plan].Limited says so. All other algorithms of this package take the time of
// the table and need no limit.
//
// The heuristics are here for three readers: who studies the published rules, who must
// do without a solver, and who wants to know what another tool's plan leaves on the
// table. For one class, prepaid or not, take HGR or Levels. Both know the whole demand,
// and their costs differ by a per cent. Periodic looks no further than a term, and can be done by hand
// once a term. For several classes and terms there is SEC, made for weekly purchases
// from a mix of one- and three-year classes. Constant is what the clouds' own
// recommendations do, and what a planner has to beat. Peak and OnDemand are the two
// ends. On the reference demands, cost over the optimum, purchases at any hour:
//
//	demand, term          HGR     Periodic  Levels  SEC     Constant  OnDemand
//	sdsc-ds, day          1.0279  1.0542    1.0097  1.0779  1.2501    1.8056
//	sdsc-ds, 30 days      1.0188  1.0289    1.0051  1.0400  1.1682    1.3620
//	sdsc-blue, day        1.0276  1.0391    1.0077  1.0548  1.1158    1.8295
//	sdsc-blue, 30 days    1.0265  1.0362    1.0033  1.0377  1.0492    1.4509
//	lanl-cm5, day         1.0167  1.0493    1.0112  1.0635  1.1130    1.5801
//	lanl-cm5, 30 days     1.0068  1.0220    1.0041  1.0287  1.0630    1.2889
//	unilu-gaia, day       1.0161  1.0611    1.0132  1.1177  1.3408    1.7446
//	unilu-gaia, 30 days   1.0021  1.0266    1.0147  1.0280  1.0282    1.2147
//	hpc2n, day            1.0226  1.0556    1.0128  1.0794  1.1921    1.8038
//	hpc2n, 30 days        1.0162  1.0459    1.0091  1.0560  1.0804    1.4023
//	fleet-3y, one year    1.0021  1.0301    1.0053  1.0490  1.0522    2.0005
//
// as measured by TestHourlyReference and BenchmarkReference against the optima of
// a network simplex program.
//
// Online, all classes: [rules.Online] buys weekly for what a forecaster makes of the past. No
// constant is known for its cost.
//
// Online, one class; package reserve/theory has the proofs:
//
//	             sees                    cost at most, times the optimum
//	RHO          a forecast              none is known; Deferred is the one to use
//	Robust       a forecast              2.1, or what is asked for from 2 on, whatever it says
//	Wang         the past                2
//	WangRandom   the past, a coin        e/(e − 1), expected
//	History      the past                no constant
//
// Commitments of money an hour for several types of instances: package reserve/savings.
//
// Why planning is not hard, what the heuristics have in common, and the proofs of the
// online rules: package reserve/theory.
//
// # Units
//
// Demand is instances per slot, each of the length Problem.Slot. Terms are whole numbers
// of slots. All costs are integers, in the largest unit in which all prices per slot are
// whole, so that equal costs are equal; overflow is an error. A lower bound is rounded
// down to a nano, so that it stays a bound.
//
// # Allocation and concurrency
//
// The zero value of each planner, of Exact and of Competitive is ready. Each keeps its
// memory, O(n) for one class and O(n·h) for SEC, and allocates nothing once it has seen
// the largest problem and dst has room. One goroutine at a time may use one. Inputs are
// not modified. Nothing is random but WangRandom.
//
// # In the browser
//
// The program examples/tools/page has a room for this package, Reserve:
// pull a demand, move a price, and see the plan, the dual price of each hour and
// the proof follow. The room runs this package as WebAssembly.
//
//	go run github.com/plimsoll/plimsoll/examples/tools/page@latest
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
//	[Wang15]  Wang, Niu, Liang, Li, Dynamic Cloud Instance Acquisition via IaaS
//	          Cloud Brokerage, IEEE TPDS 26(6), 2015: Periodic and the greedy over
//	          levels.
package reserve
