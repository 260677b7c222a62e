// Package federation decides which data centre lends which idle reserved instances to
// which task of another centre, and who pays what to whom.
//
//	centres := []federation.Centre{ // reservations by slot, and prices
//		{Reserved: []int{0, 0, 2, 2}, OnDemand: 8 * cent, Fee: 80 * cent, Term: 24, Traffic: 2 * cent},
//		{Reserved: []int{4, 4, 0, 0}, OnDemand: 9 * cent, Fee: 80 * cent, Term: 24, Traffic: 2 * cent},
//	}
//	tasks := []federation.Task{{ID: 1, Home: 0, Start: 0, End: 2, Instances: 4, Disk: 1e9}}
//	bookings, err := federation.Share(nil, centres, tasks, federation.Options{})
//	var ledger federation.Ledger
//	ledger.Reset(len(centres))
//	err = ledger.Post(bookings...) // then ledger.Statement(i): what centre i paid and received
//
// A [Booking] says how many instances of a task run in a centre over which slots.
//
//	You have                              You want                                      Call
//	centres, all tasks                    bookings by the published algorithm           Share
//	centres, tasks as they start          the same, task by task                        Sharer.Reset, Sharer.Add
//	a centre that leaves or fails         bookings for what changes                     Sharer.Leave, Sharer.Fail
//	centres, all tasks                    the cheapest plan, with a bound               Optimizer.Solve
//	tasks that may split by slot          the cheapest plan, exactly                    Slotwise.Solve
//	one task, one other centre            how many instances to send there              Splitter.Theta
//	bookings                              what each centre pays and receives            Ledger.Post, Payments
//	bookings of any origin                a check of counts, prices and limits          Verify
//	a price of your own for what is lent  to share at that price                        LendingByIdle, Options.Lending
//	a price                               whether needless reservations would pay       AppendTemptations
//	centres, all tasks                    what every coalition of centres costs         Coalitions, and package coalition
//	an optimum with its prices            shares that no coalition leaves               PriceSharesTo
//
// # Problem
//
// Data centres reserve instances, each for itself, and pay for reservations whether they
// are used or not. In one centre it is night while the queue of another is full. In a
// federation, a task that finds no free reservation at home may run on an idle one
// elsewhere, if sending its data does not cost more than that saves.
//
// Reservations are given; package reserve decides what to reserve. Tasks come in the order
// of their starts, and the tasks to come are not known. Decide for each task how many of
// its instances run in which centre, on reservations or on demand, from its start to its
// end without moving, so that its owner pays as little as possible. And say who owes what
// to whom.
//
// No task waits. A reservation is a price, not a machine: nothing moves if two tasks run on
// the same reservation in turn, or one task on two. So only the number of active
// reservations in each slot matters.
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
//	Share, Sharer      [Liu21] Alg. 3, all at once or task by task    O(slots of tasks · centres)
//	Splitter           Eq. (20), θ for one task and one other centre  O(slots)
//	Sharer.Leave       a centre takes back what it has lent           O(what runs)
//	Sharer.Fail        a centre stops                                 O(what runs)
//	Ledger             who paid what to whom                          O(1) a booking
//	Verify             any bookings, against what they are for        O(n·log n) + their slots
//	Optimizer          the least cost, below                          no polynomial bound known
//	Coalitions         the cost of each coalition, below              2ⁿ plans
//	PriceSharesTo      shares that no coalition leaves, below         O((tasks + slots) · centres)
//	AppendTemptations  whether a price pays needless reservations     a Share for each
//
// Algorithm 3 serves a task by its home as far as reservations reach in all of its slots.
// Then it asks the other centres, the nearest first. Each takes as many instances as is
// cheapest for the task (Eq. 20). The rest stays at home, on free reservations in the slots
// that have any and on demand in the others. No factor bounds what that costs over the
// optimum: with three centres and two tasks the optimum can be free where Algorithm 3 pays
// (TestGreedyAgainstOptimum). The order of centres and of tasks matters. The section "What
// greed loses" has measured losses, and [Optimizer] finds better plans.
//
// The saving, on three logs of real clusters (UniLu-Gaia, SDSC-BLUE, LANL-CM5; 600 hours,
// a day's reservations, prices as in [Liu21]; TestLiuWindows), of the total cost with fees.
// [Liu21] draws what an instance has to send from a power law over 5 MB to 65 GB and does
// not give its exponent. Here P(x > k) ∝ 1/k, as in all figures of this package and in
// examples/federation, which explains the choice:
//
//	                                        reserved by    Periodic   HGR
//	all prices as printed, demand known                    6.34%      3.29%
//	leases at the lender's fee, known                      6.53%      3.31%
//	the same, not known                                    6.48%      3.22%
//	and on demand elsewhere at the price there, known      6.92%      3.71%
//	parts no larger than what is idle, known               6.11%      3.02%
//	on demand at the price there, leases free, not known   7.69%      4.21%
//
// [Liu21] reports 8.9% and 7.2%. The better the reservations, the less is left to share.
//
// # Equation (20)
//
// In θ, the cost of a part is piecewise linear with all kinks at whole numbers. It is convex
// if s ≤ p_j, that is, if a lent reservation costs no more than an instance on demand beside
// it. Otherwise it need not be. [Liu21]'s Assumption 1, F_i/τ_i ≤ p_i, makes it convex if
// both prices are the lender's, or both the home's. It says nothing if one price is of each.
//
// If the cost is convex, a weighted selection finds the least minimiser in time linear in
// the task's slots; [Liu21] tries all θ. Otherwise there may be two minima with a maximum
// between, and the kinks are sorted (theta.go). Ties go to the least θ, so that a task that
// saves nothing stays.
//
// A part stays for the whole task, and may be larger than what is idle in some of its
// slots. The rest, (θ − e_j(t))⁺, runs on demand in j. That lets long tasks move at all, and
// has three consequences.
//
//   - If p_j < p_i, tasks move to where nothing is idle, because on demand is cheaper
//     there. The three logs save 7% without any reservation. That is a price difference, not
//     sharing. [AtHomePrice], as printed, and [NoExcess] prevent it.
//   - Reservations that fall idle later, in j or at home, do not help a part that is on
//     demand.
//   - In slots in which a part's home has free reservations, these lie idle while the part
//     pays for others: it is lent all slots for the slots that it lacks.
//
// # What is printed, and what is done
//
// Alg. 3 does not run as it is printed.
//
//   - Line 2 lowers d by what fits, and line 3 subtracts what fits of the lowered d. After
//     d ← 0 that is nothing, and local reservations would never be used up. Here both use
//     the d from before.
//   - Line 15 serves the rest from u_i(t) in slots where it is not 0, but no line subtracts
//     that. With u = (1, 0), a task of both slots and a task of the first slot would share a
//     reservation. Here it is subtracted.
//   - Line 15 has no price and charges C_j. The price is p_i, and C_i is charged.
//   - Line 11 subtracts θ from u_j, which may be more than there is. Here it is min(θ, e_j).
//   - Line 14 has u_i less what runs, and d_i with it: (u_i − d_i)⁺ counts running tasks
//     twice. Here e_i is what is free less what is expected of tasks that have not started.
//   - Eqs. (20) and (21) price on-demand instances of centre j at p_i. [AtLender] takes p_j,
//     [AtHomePrice] takes p_i.
//   - They price leases at the borrower's F_i/τ_i: [BorrowerFee]. The argument of section 4
//     needs the lender's: [LenderFee].
//   - Eq. (22) says that the gain is between 0 and Σ_i Σ_t d_i·p_i − r_i·F_i, for centres whose
//     reservations cost as much as their demand on demand. For these centres the upper end
//     is 0, and nothing lies between. What holds for all centres in sum: fees are spent and
//     leases pass between centres, so the gain is at most Σ_i Σ_t p_i·(d_i − u_i)⁺, the cost
//     on demand without sharing.
//   - Line 2 follows from Eq. (20): no part is larger than what is missing at home. The line
//     only saves asking.
//
// # Who gains
//
// Let every centre know its own demand: [Centre].Demand is what [AddDemand] gives. Then no
// centre pays more in the federation than alone, whatever prices and order, while nobody
// goes.
//
// Proof. A centre lends in slot t only what exceeds its demand that is still to come. So
// lending never makes it rent: if it lends in t at all, all that is still to come fits
// beside. Borrowing is chosen, task by task, to cost no more than what it replaces. A part
// saves min(θ, missing at its time) in a slot. It saves no less in the end: later tasks only
// add to what is missing, and (x − u)⁺ grows no slower for larger x. Sum over tasks and
// slots. ∎ (TestNobodyLosesWhoKnowsItsDemand)
//
// If centres do not know their demand, each of them can lose, and so can their sum. The
// least case: both pay 4 on demand, centre 1 has a reservation, F/τ = 2. In one slot first a
// task of centre 0, whose data costs 1 to send, and then a task of centre 1 need an
// instance. Alone they pay 4 + 0, in the federation 2 + 1 and 4 − 2: 5 in sum. A federation
// can even run more instances on demand than its centres alone, with nothing to send: three
// instead of one in TestFederationCanRunMoreOnDemand. On the three logs, not knowing costs a
// tenth of a percent of the sum, though far more is lent. Where tasks have less to send, not
// knowing can even save.
//
// # The price of what is lent
//
// The price of a lease only passes between centres, yet it decides what moves. An idle
// reservation is paid for. Asking F/τ for it keeps some tasks at home that would have saved
// the federation money ([Unpaid]).
//
// [Liu21] says that with the price F/τ no centre gains by reserving needless instances for
// sale. At the borrower's F/τ, as printed, that is false: a centre with lower fees resells.
// At the lender's F/τ a sale never brings in more than its share of the fee, so a centre
// without tasks gains nothing (TestResellerGainsNothing). But for a centre with tasks it is
// false there, too (TestOverReserving). Terms have 3 slots and cost 9. The centre's demand,
// 1 0 0 1 1 1 0 0 1, has a term for each three slots. A task of another centre in slots 1 to
// 7, at 10 on demand a slot, would find slots 1, 2, 6 and 7 idle; but with 40 for its data,
// 4·3 + 3·10 + 40 is more than 70. A needless term for slots 3 to 5 makes the stretch whole,
// 7·3 + 40: it costs 9 and sells 21. And a reservation that alone does not pay off may do so
// if the slots that its owner does not need are sold.
//
// [Options].Lending takes a price of the user's own, a function of how many instances the
// lender has idle ([Offer]). The price must not rise as more is idle: a lender could else
// hide idle instances to be paid more for the rest. [Sharer.Reset] checks that for every
// borrower, lender and number of idle instances, and refuses the price otherwise. Whether a
// price tempts centres to over-reserve depends on the tasks; [AppendTemptations] tries.
//
// # Centres that go
//
// [Sharer.Leave]: at the end of a slot, the centre takes back what it has lent and gives
// back what it has borrowed. Tasks stay where they are and go on, on demand. From then on,
// the centre's own tasks are served at home.
//
// [Sharer.Fail]: nothing runs in the centre any more. Tasks of other centres go on at home,
// on demand or on free reservations, even on those that are kept for tasks to come. The
// centre's own tasks end with it, except for parts that run elsewhere.
//
// Leases are paid for the slots that they lasted. Both calls append refunds, bookings with
// negative counts, so that sums over bookings are what runs and what is owed.
//
// # Units
//
// Slots have any length. Prices on demand and for sharing are per instance and slot, fees
// per instance and term, traffic per 10⁹ bytes, disks in bytes. Amounts are [pricing.Money],
// whole nanos. Two prices may have fractions of nanos. They are rounded once, before
// anything is multiplied: F/τ down, so that no lender receives more than its fee, and the
// traffic of one instance to the nearest. So amounts are whole multiples of prices, a
// booking that is cut costs exactly the sum of its pieces, Eq. (20) compares exact amounts,
// and no sum is ever rounded. F/τ loses less than a nano an instance and slot: for 1,000
// instances and hourly slots, less than a cent a year. Each payment has a payer and a
// receiver, so money is conserved. Counts of use are instance-slots.
//
// # Allocation and concurrency
//
// [Sharer], [Splitter], [Optimizer], [Slotwise] and [Ledger] keep their memory, and allocate
// nothing once they have seen the largest input and dst has room. A Sharer has an integer or
// two for each centre and slot, each task's ID, and the bookings that have not ended.
// [AppendTemptations], [Bound] and [Verify] allocate. Each value is for one goroutine at a
// time. No input is modified; only [Coalitions] keeps its input. Nothing is random.
//
// # In the browser
//
// The program examples/page has a room for this package, Federation:
// drag the reservations of three centres, and see who lends and who pays. The room runs this package as WebAssembly.
//
//	go run github.com/plimsoll/plimsoll/examples/page@latest
//
// # References
//
//	[Liu21]  Liu, Peng, Yu, Liu, Huang, Pan, An Instance Reservation Framework
//	         for Cost Effective Services in Geo-Distributed Data Centers, IEEE
//	         Transactions on Services Computing 14(2), 2021: sections 2, 4 and 5,
//	         Alg. 3, Eqs. (19)-(22).
//	[Owen75] G. Owen, On the Core of Linear Production Games, Mathematical
//	         Programming 9, 1975.
package federation
