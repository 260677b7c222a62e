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
//	You have                      You want                                Call
//	centres, all tasks            bookings by [Liu21] Algorithm 3         Share
//	centres, tasks as they start  the same, task by task                  Sharer.Add
//	bookings                      what each centre pays and receives      Ledger.Post
//	centres, all tasks            what the cheapest plan costs, a bound   Optimizer.Solve
//	a price of your own           to share at that price                  Options.Lending
//
// # Problem
//
// Data centres reserve instances, each for itself, and pay for reservations whether they are used
// or not. A task that finds no free reservation at home may run on an idle reservation of another
// centre. That pays if it saves more than sending the task's data costs. Reservations are given;
// package reserve decides what to reserve. For each task, decide how many of its instances run in
// which centre, on reservations or on demand, so that its owner pays as little as possible. An
// instance stays in one centre from the start of the task to its end. Then say who owes what to
// whom.
//
// No task waits. A reservation is a price, not a machine: only the number of active
// reservations in each slot matters.
//
// # Notation
//
//	i, j           a task's home, another centre
//	d, ω           a task's instances, disk of each; a task runs in Start ≤ t < End
//	u_i(t)         reservations active in slot t, less those that tasks have taken
//	e_i(t)         idle reservations, (u − d)⁺ with the demand d_i(t) to come, Eq. (19)
//	p_i            price on demand of an instance and slot
//	F_i, τ_i       fee and term of a reservation
//	s              sharing price of an instance and slot, F_j/τ_j by default
//	φ_i            price of 10⁹ bytes that leave i
//	θ_j            instances of a task that run in centre j: a part
//
// # Which to choose
//
// Algorithm 3 ([Share], [Sharer]) serves tasks as they come and does not know the tasks to come. It
// serves a task at home as far as reservations reach in all of its slots. Then it asks the other
// centres, the nearest first; each takes as many instances as is cheapest for the task, Eq. (20).
// The rest stays at home. Time: O(slots of the tasks · centres). No constant times the optimum
// bounds the cost (TestGreedyAgainstOptimum).
//
// If every centre knows its own demand ([Centre].Demand), no centre pays more in the federation
// than alone (sharing.go has the proof). Otherwise each centre, and all centres together, can pay
// more than alone: a centre may lend reservations that its own later tasks need.
//
// [Optimizer] knows all tasks. Optimizer looks for the plan that costs the federation least, and
// proves how far its plan may be from the optimum. With one or two centres the plan is optimal.
// With more centres a gap may remain. The problem is NP-hard (optimum.go). For the same tasks and
// reservations, with all [Options] but [AtHomePrice], which books other amounts,
//
//	Share  ≥  Optimum.Cost  ≥  optimum  ≥  Optimum.Bound  ≥  Optimizer.SplitCost.
//
// The first ≥ needs the bookings of Share as OptimumOptions.Start if there are three
// centres or more. Fees plus any of these are at least the optimum of reserving jointly.
//
// On three logs of real clusters over 600 hours, with reservations by HGR, Algorithm 3 loses 2.5%
// of the total cost, nearly two fifths of what sharing could save (go test -run OptimumLogs -v
// ./federation). A quarter of the loss is due to the price of a lease: a borrower leaves an idle
// reservation alone when its saving does not cover F/τ. With [Unpaid], the sum that Eq. (20)
// minimises is the cost to the federation.
//
// # Units
//
// Slots have any length. Prices on demand and for sharing are per instance and slot, fees
// per instance and term, traffic per 10⁹ bytes, disks in bytes. Amounts are [pricing.Money],
// whole nanos. Two prices are rounded, once, before anything is multiplied: F/τ down, and
// the traffic of one instance to the nearest. So amounts are whole multiples of prices, and
// no sum is ever rounded. Counts of use are instance-slots.
//
// # Allocation and concurrency
//
// [Sharer], [Optimizer] and [Ledger] keep their memory, and allocate nothing once they have
// seen the largest input and dst has room. [Share] allocates. Each
// value is for one goroutine at a time. No input is modified or kept. Nothing is random.
//
// # References
//
//	[Liu21]  Liu, Peng, Yu, Liu, Huang, Pan, An Instance Reservation Framework
//	         for Cost Effective Services in Geo-Distributed Data Centers, IEEE
//	         Transactions on Services Computing 14(2), 2021: Alg. 3, Eqs. (19)-(22).
package federation
