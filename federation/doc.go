// Package federation shares reserved instances between data centres.
//
// # Problem
//
// Data centres reserve instances, each for itself, and pay for them whether they
// run or not. In one it is night while another's queue is full. In a federation
// a task that finds no free reservation at home may run on an idle one elsewhere, if
// sending its data does not cost more than it saves. Reservations are given. For
// each task, in the order of starts and without knowing those to come, decide how
// many of its instances run in which centre, on reservations or on demand, from its
// start to its end without moving, so that its owner pays as little as possible;
// and say who owes what to whom.
//
// No task waits. A reservation is a price, not a machine: that two tasks run on the
// same one in turn, or a task on two of them, moves nothing. So all there is to
// know of reservations is how many are active in each slot.
//
// What to reserve is the business of package reserve.
//
// # Notation
//
//	i, j           a task's home, another centre
//	t              slot; a task runs in Start ≤ t < End, half-open as everywhere here
//	d, ω           a task's instances, disk of each
//	u_i(t)         reservations active in slot t ([Centre].Reserved), later those
//	               of them that no task has taken
//	d_i(t)         demand, what all tasks of i need in t ([AddDemand])
//	e_i(t), o_i(t) idle and missing reservations, (u − d)⁺ and (d − u)⁺:
//	               Eqs. (19) and (2)
//	p_i            price on demand of an instance and slot
//	F_i, τ_i       fee and term of a reservation
//	s              sharing price of an instance and slot, F_j/τ_j by default
//	φ_i            price of 10⁹ bytes that leave i
//	θ_j            instances of a task that run in centre j: a part
//
// # Algorithms
//
//	Share, Sharer   [Liu21] Alg. 3, all at once or task by task    O(slots of tasks · centres)
//	Splitter        Eq. (20), θ for one task and one other centre  O(slots)
//	Sharer.Leave    a centre takes back what it has lent           O(what runs)
//	Sharer.Fail     a centre stops                                 O(what runs)
//	Ledger          who paid what to whom                          O(1) a booking
//	Verify          any bookings, against what they are for        O(n·log n) + their slots
//
// A task is served by its home as far as reservations reach in all of its slots;
// then each of the other centres is asked, the nearest first, and takes as many
// instances as is cheapest for the task (Eq. 20); what is left stays at home,
// on free reservations in the slots that have any and on demand in the others. No
// factor bounds what that costs over the optimum: with three centres and two tasks
// the optimum can be free where it pays (TestGreedyAgainstOptimum). The order of
// centres and of tasks matters. What it loses is said below, and [Optimizer] finds
// it.
//
// The saving, on three logs of real clusters (UniLu-Gaia, SDSC-BLUE, LANL-CM5; 600
// hours, a day's reservations, prices as in [Liu21]; TestLiuWindows), of the total
// cost with fees. [Liu21] draws what an instance has to send from a power law over
// 5 MB to 65 GB and does not give its exponent; with P(x > k) ∝ 1/k, as in all figures
// of this package and in examples/federation, where the choice is explained:
//
//	                                        reserved by    Periodic   HGR
//	all prices as printed, demand known                    6.34%      3.29%
//	leases at the lender's fee, known                      6.53%      3.31%
//	the same, not known                                    6.48%      3.22%
//	and on demand elsewhere at the price there, known      6.92%      3.71%
//	parts no larger than what is idle, known               6.11%      3.02%
//	on demand at the price there, leases free, not known   7.69%      4.21%
//
// [Liu21] reports 8.9% and 7.2%. The better the reservations, the less is left to
// share.
//
// # Equation (20)
//
// In θ, the cost of a part is piecewise linear with all kinks at whole numbers. It is
// convex if s ≤ p_j, a lent reservation costs no more than an instance on demand beside
// it, and in general not otherwise. [Liu21]'s Assumption 1, F_i/τ_i ≤ p_i, makes it so
// if both are the lender's prices, or both the home's, and says nothing if one is of
// each. Where it is convex the least minimiser is found by a weighted selection in
// time linear in the task's slots, where [Liu21] tries all θ; otherwise there may be
// two minima with a maximum between, and kinks are sorted: theta.go. Ties go to the
// least θ, so that who saves nothing stays.
//
// A part stays for all of the task, and may be larger than what is idle in some of
// its slots; the rest, (θ − e_j(t))⁺, runs on demand in j. That is what lets long
// tasks move at all, and has three consequences.
//
//   - If p_j < p_i, tasks move to where nothing is idle, because on demand is cheaper
//     there: the three logs save 7% with no reservation at all. That is a price
//     difference, not sharing. [AtHomePrice], as printed, and [NoExcess] do without.
//   - What falls idle later, in j or at home, does not help a part that is on demand.
//   - In slots in which a part's home has free reservations, they lie idle while
//     the part pays for others: it is lent all slots for those that it lacks.
//
// # What is printed, and what is done
//
// Alg. 3 does not run as it is printed.
//
//   - Line 2 lowers d by what fits, and line 3 subtracts what fits of the lowered d:
//     after d ← 0 that is nothing, and local reservations would never be used up. Both
//     are meant with the d of before.
//   - Line 15 serves the rest from u_i(t) in slots where it is not 0, but no line
//     subtracts that. With u = (1, 0), a task of both slots and another of the first
//     would share a reservation. It is subtracted here.
//   - Line 15 has no price and charges C_j. It is p_i, and C_i.
//   - Line 11 subtracts θ from u_j, which may be more than there is. It is min(θ, e_j).
//   - Line 14 has u_i less what runs, and d_i with it: (u_i − d_i)⁺ counts running tasks
//     twice. Here e_i is what is free less what is expected of tasks that have not
//     started.
//   - Eqs. (20) and (21) price on-demand instances of centre j at p_i. [AtLender] takes
//     p_j, [AtHomePrice] p_i.
//   - They price leases at the borrower's F_i/τ_i: [BorrowerFee]; section 4's
//     argument needs the lender's, [LenderFee].
//   - Line 2 is implied by Eq. (20): no part is larger than what is missing at
//     home. It only saves asking.
//
// # Who gains
//
// If every centre knows its own demand ([Centre].Demand is what [AddDemand] gives),
// no centre pays more in the federation than alone, whatever prices and order, while
// nobody goes. Proof.
// A centre lends in slot t only what exceeds its demand that is still to come. So
// what it lends never makes it rent: if it lends in t at all, all that is still to
// come fits beside it. What it borrows is chosen to cost no more than what it
// replaces, task by task: and what a task's part saves in a slot, min(θ, missing at
// its time), is no more than it saves in the end, because tasks that come later only
// add to what is missing, and (x − u)⁺ grows no slower for larger x. Sum over tasks
// and slots. ∎ TestNobodyLosesWhoKnowsItsDemand holds it fast.
//
// If they do not, that is false for each of them, and for their sum. The least
// case: both pay 4 on demand, centre 1 has a reservation, F/τ = 2. In the same slot
// first a task of centre 0, whose data costs 1 to send, and then one of centre 1 need
// an instance. Alone they pay 4 + 0, in the federation 2 + 1 and 4 − 2: 5 in sum. It
// can even run more instances on demand than before, with nothing to send: three
// instead of one in TestFederationCanRunMoreOnDemand. On the three logs not to know
// costs little in sum, a tenth of a percent, though far more is lent; where tasks
// have less to send it can even save more.
//
// The price of a lease only passes between centres, yet it decides what moves. An
// idle reservation is paid for; asking F/τ for it keeps some tasks at home that would
// have saved the federation money ([Unpaid]).
//
// [Liu21] says that with the price F/τ no centre gains by reserving needless
// instances for sale. At the borrower's F/τ, as printed, it is false: who has lower
// fees resells. At the lender's, a sale never brings in more than its share of the
// fee, so that whoever has no tasks of its own gains nothing: TestResellerGainsNothing.
// But for a centre with tasks it is false there too (TestOverReserving). Terms have
// 3 slots and cost 9; its own demand, 1 0 0 1 1 1 0 0 1, has a term for each three. A
// task of another centre in slots 1 to 7, 10 on demand a slot, would find slots 1, 2,
// 6 and 7 idle, but with 40 for its data 4·3 + 3·10 + 40 is more than 70. A needless
// term for slots 3 to 5 makes the stretch whole, 7·3 + 40: it costs 9 and sells 21. And
// a reservation that alone does not pay off may do so if the slots that its owner
// does not need are sold.
//
// # Centres that go
//
// [Sharer.Leave]: the centre takes back what it has lent and gives back what it has
// borrowed, at the end of a slot; tasks stay where they are and go on, on demand.
// Its own tasks are served at home from then on. [Sharer.Fail]: nothing runs there
// any more; others' tasks go on at home, on free reservations, even those that are
// kept for tasks to come, or on demand, and its own end with it but for parts that
// run elsewhere. Leases are paid for the slots
// that they lasted. Both append refunds, bookings with negative counts, so that
// sums over bookings are what runs and what is owed.
//
// # Units
//
// Slots have any length; prices on demand and for sharing are per instance and slot,
// fees per instance and term, traffic per 10⁹ bytes, disks in bytes. Amounts are
// [pricing.Money], whole nanos. Two prices may have fractions of nanos and are
// rounded once, before anything is multiplied: F/τ, down, so that no lender receives
// more than its fee; and the traffic of one instance, to the nearest. So amounts are
// whole multiples of prices, a booking that is cut costs exactly the sum of its
// pieces, Eq. (20) compares exact amounts, and no sum is ever rounded. F/τ loses less
// than a nano an instance and slot by that: for 1,000 instances and slots of an hour,
// less than a cent a year. Each payment has a payer and a receiver, so that money is
// conserved. Counts of use are instance-slots.
//
// # Allocation and concurrency
//
// [Sharer], [Splitter] and [Ledger] keep their memory, and allocate nothing once
// they have seen the largest input and dst has room. A Sharer has an integer or two
// for each centre and slot, each task's ID, and the bookings that have not ended. One
// goroutine at a time. No input is modified or kept. Nothing is random.
//
// # References
//
//	[Liu21]  Liu, Peng, Yu, Liu, Huang, Pan, An Instance Reservation Framework
//	         for Cost Effective Services in Geo-Distributed Data Centers, IEEE
//	         Transactions on Services Computing 14(2), 2021: sections 2, 4 and 5,
//	         Alg. 3, Eqs. (19)-(22).
package federation
