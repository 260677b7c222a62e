// Package reserve decides how many instances to reserve, of which class and when.
//
// # Problem
//
// A cluster needs d_t instances in slot t. Each runs on demand, at p a slot, or in
// a reservation: a class k asks a fee F_k for a term of τ_k slots and, while it is
// used, q_k < p a slot. Buy R_tk ≥ 0 reservations of class k at the beginning of
// slot t. Those of the last term are active,
//
//	S_tk = Σ R_lk    over t - τ_k < l ≤ t,
//
// and serve in the order of their use prices, the lowest first:
//
//	minimise   Σ F_k·R_tk + Σ q_k·(served by k in t) + p·(not served in t).
//
// A commitment is made now and pays later, so that the demand has to be known, or
// guessed, for as long as a term. Offline planners are given all of it: they answer
// what a past demand should have cost, or plan for a forecast. Online rules see the
// past, the present slot and what a forecast says of the next few.
//
// A [Problem] has also what is held already, how often and when one may buy,
// caps, and what to count of terms that outlive the demand (see [Horizon]). A
// [Planner] turns it into purchases, and [pricing.Biller] turns those into a bill.
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
// Offline, where h classes, prepaid or used, are reservations of one type of
// instance:
//
//	             classes  cost at most                       time
//	Exact        all      the optimum, or a certified gap    see BENCHMARKS.md
//	HGR          one      (2 - F/(τ·p))·optimum, 1           O(n·log n)
//	Periodic     one      2·optimum, 1                       O(n), sorting at worst
//	Levels       one      2·optimum, Periodic, 1             O(n·levels)
//	SEC          all      none known; 1 with one class       O(n·terms·log n)
//	Constant     one      best constant quantity, 1          O(n), sorting at worst
//	BestConstant one      best constant quantity of any, 1   O(n·h), sorting at worst
//	Peak         one      none                               O(n)
//	OnDemand     none     p/min(F_k/τ_k+q_k, p) · optimum    O(n)
//	Competitive  all      a lower bound, Eq. (5)             O(n·log L + L·h)
//
// where 1 stands for what on demand only costs, and there are min(2·n, max d)
// levels at most. The constants of the first three are for the Full horizon and
// purchases at any slot; see the types. Proofs are in the files named after the
// algorithms. All take O(n) memory but SEC, O(n·h).
//
// Use [Exact]. It plans purchases for any number of classes, terms, dates and caps
// and proves what it says: in milliseconds where the use of all classes costs the
// same, or terms are long; plans of thousands of purchases from classes with several
// use prices take seconds and may have a gap. The rest is here for those who
// study the published rules, who must do without a solver, or who want to know what
// another tool's plan leaves on the table. Of these, for
// one class, prepaid or not: [HGR] or [Levels] (seconds if tens of thousands of
// demands all differ), which differ by a per cent and know
// the whole demand; [Periodic] looks no further than a term, and is what to
// do by hand once a term. Several classes and terms: [SEC], which is for weekly
// purchases from a mix of one- and three-year classes. [Constant] and
// [BestConstant] are what the clouds' own recommendations do, and what a planner
// has to beat; [Peak] and [OnDemand] are the two ends. On the reference demands,
// cost over the optimum, purchases at any hour:
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
// Online, all classes, weekly purchases for what a forecast makes of the past:
// [Online], for which no constant is known.
//
// Online, one class; doc_rules.go has the proofs:
//
//	             sees                    cost at most, times the optimum
//	RHO          a forecast              none is known; Deferred is the one to use
//	Robust       a forecast              2.1, or what is asked for from 2 on, whatever it says
//	Wang         the past                2
//	WangRandom   the past, a coin        e/(e − 1), expected
//	History      the past                none is known
//
// Several types of instance and a commitment of money an hour to all of them:
// [Savings], exactly; with reservations of single types beside it, [Mixed], with a
// certified gap.
//
// # Two theorems that do not hold
//
// [Liu21] says that its objective is not convex (Theorem 1) and that planning
// purchases is NP-hard (Theorem 2); [Niu16] believes the like. With prepaid classes
// neither is so, and seeing why is to see the solver.
//
// Fix the number o_t on demand and the number e_t of idle reservations in each slot.
// Demand is met if o_t − e_t + Σ S_tk = d_t. Subtract from each of these equations
// the one of the slot before:
//
//	(o_t − o_{t−1}) − (e_t − e_{t−1}) + Σ_k (R_tk − R_{t−τ_k,k}) = d_t − d_{t−1}
//
// (with a last one, for n, that says that all ends there). Each variable is now in
// two equations, once with +1 and once with −1: R_tk in those of t and of
// min(n, t + τ_k), o_t in those of t and t + 1, e_t in the same two with the signs
// turned. That is a flow: the equations are nodes, the boundaries between slots;
// R_tk is an arc from t to t + τ_k at F_k, o_t an arc from t to t + 1 at p, e_t one
// from t + 1 to t at 0; and d_t − d_{t−1} is what node t supplies. A linear program
// over such a matrix has a whole optimum if supplies and capacities are whole, so
// that integrality costs nothing, and minimum-cost flows are solved in polynomial
// time. Caps on purchases are capacities of their arcs; a cap A on what is active is
// e_t − o_t ≤ A − d_t, capacities of the other two; inventory lowers d. The
// objective is linear in the variables, hence convex and piecewise linear in R alone.
// Where the reduction of Theorem 2 fails is that its instances need intervals that
// are not intervals of time.
//
// The dual is as plain. Give each slot a value z_t, 0 ≤ z_t ≤ p, such that no term's
// worth of consecutive values exceeds its fee. Then Σ d_t·z_t is at most the cost of
// any plan: each reservation takes at most F_k of it, each slot on demand at most p.
// The best such values prove the best plan; they are what [Exact] returns and what
// [Verify] checks, knowing nothing of flows.
//
// With usage prices the cost of a slot is convex in nested sums of the S_tk, and
// the matrix is no longer a flow's: [Exact] then solves the linear program, which was
// integral in all 30 reference cases. Not even one usage-priced class beside a prepaid
// one is always a flow: demand (1,1,1), 2 on demand, a class of 3 slots for 1 and 1 a
// slot, a prepaid one of 2 slots for 2: the program's optimum is 3.5, the best plan
// costs 4.
//
// # Heuristics
//
// Levels and windows. Two ideas carry all of them. A level is the simplest demand
// there is, an instance that is busy or not, and busy slots fall from level to
// level, so that "the levels with K busy slots or more" are those up to the K-th
// largest demand: an order statistic. That is all of Periodic, Constant and a step of
// SEC. But levels are not independent, since a reservation serves whichever
// instance runs: d = (1, 2, 1), τ = 2, F = 1.5, p = 1 costs 3.5 if each level buys
// for itself and 3.0 if not. Levels passes on what is left over; HGR looks at windows
// instead, and at all instances in them at once.
//
// Use prices. For one class, q only moves the origin: a plan costs q·Σd more than
// with the fee alone and the price p - q. So all one-class planners take classes
// billed either way, and inventory with a use price of at most q, which serves
// first whatever one buys. What is held of a dearer class would stand back, and is
// refused with [ErrUnsupported].
//
// Ties. What costs the same is bought: a level with exactly K busy slots is worth
// its fee. Of windows that save the same the first is taken.
//
// SEC's open choices. [Niu16] section 5.1.2 leaves five, see sec.go. What they
// move, over the 15 weekly reference cases, as the geometric mean and the largest
// of cost over the optimum:
//
//	                                     total           pure
//	as chosen                            1.0406 1.1175   1.0198 1.0632
//	discount: by full cost per hour      1.0414 1.1457   as chosen
//	discount: by term, then use price    1.0505 1.2020   as chosen
//	purchases: least discounted first    1.0415 1.1181   1.0198 1.0632
//	rests count as their own class       as chosen       1.0198 1.0632
//	demand after the end goes on         1.2811 2.1720   as chosen
//	demand after the end is 0            as chosen       1.1230 1.5458
//
// Only what is assumed of the time after the end matters much. Counting rests as
// their own class moves four of the cases, by 0.02% at most: Eq. (3) compares sums.
//
// The bound. [Competitive] is [Niu16] Eq. (5), the cost if terms could be bought by
// the interval. It is a lower bound on the pure cost and so on the total: 0.9-5.5%
// below the optimal pure cost and 6-32% below the optimal total cost in those 30
// cases. So it certifies plans for the Pure horizon, and for Full says little.
//
// # Units
//
// Demand is instances per slot, of the length Problem.Slot; terms are whole numbers
// of slots. All costs are integers, in the least unit in which all prices per slot
// are whole, so that ties are ties; overflow is an error. The bound is rounded down
// to a nano, for it has to stay one.
//
// # Allocation and concurrency
//
// Planners and [Competitive] are structs whose zero value is ready. They keep their
// memory, O(n) for one class and O(n·h) for SEC, and allocate nothing once they have
// seen the largest problem and dst has room. One goroutine at a time. No input is
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
//	[Wang15]  Wang, Niu, Liang, Li, Dynamic Cloud Instance Acquisition via IaaS
//	          Cloud Brokerage, IEEE TPDS 26(6), 2015: Periodic and the greedy over
//	          levels.
package reserve
