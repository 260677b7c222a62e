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
// algorithms and in package reserve/theory. All take O(n) memory but SEC, O(n·h).
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
// Online, one class; package reserve/theory has the proofs:
//
//	             sees                    cost at most, times the optimum
//	RHO          a forecast              none is known; Deferred is the one to use
//	Robust       a forecast              2.1, or what is asked for from 2 on, whatever it says
//	Wang         the past                2
//	WangRandom   the past, a coin        e/(e − 1), expected
//	History      the past                none is known
//
// Several types of instance and a commitment of money an hour to all of them:
// package reserve/savings.
//
// Why planning is not hard, what the heuristics have in common, and the proofs of the
// online rules: package reserve/theory.
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
