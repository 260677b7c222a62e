// Package bills divides the bill of a cluster among its users, and says what each user
// would have paid alone.
//
//	res, err := simulator.Run(jobs, sim.Options{Mode: sim.SEC, Hourly: prices.OnDemand})
//	var d bills.Divider
//	s, err := d.Divide(bills.Usage{
//		Jobs: jobs, Starts: res.Starts, Bill: res.Cost, OnDemand: res.Cost,
//		Prices: prices, Meter: pricing.EC2Hourly, Boot: sim.MeasuredBoot,
//	}, nil)
//	for _, a := range s.Accounts { // they add up to the bill
//		fmt.Println(a.Name(), a.Pays, a.Alone)
//	}
//
// What to call:
//
//	You have                          You want                                    Call
//	a simulated cluster and its bill  what each user pays, and would pay alone    Divider.Divide
//	a statement                       how many users pay less than alone          Statement.Less
//	a statement                       who pays more than alone                    Account.More, Statement.Worst
//	a bill with reservations          who earned the savings                      Account.SavedByUse, SavedByShapley
//
// # Problem
//
// An organisation shares a semi-elastic cluster among its users ([Niu16] section 3). The
// cloud sends one bill. Who pays what? The users' alternative is to rent alone: instances
// for each job, which boot, and are charged to the end of the hour. Reservations make the
// bill smaller, and only the sum of all demands is steady enough to reserve for. So whose
// are the savings?
//
// # Notation
//
//	w_u      use of user u: Σ nodes · run time over the jobs of u
//	B        the bill
//	D        what the same instance-hours cost on demand;  R = D − B is what reservations save
//	x_u(t)   use of user u in hour t, in instance-hours
//	U_j(S)   the hours in which the users S together use the j-th instance:
//	         Σ_t min(1, max(0, Σ_{u∈S} x_u(t) − (j−1)))
//	v(S)     what reservations would save the users S
//
// # Rules
//
// By use: user u pays B·w_u/Σw. Of the savings, user u has D·w_u/Σw − B·w_u/Σw.
//
// By the Shapley value: user u pays the same part of D less a part of R that goes by the
// Shapley value of the game v. Let the users join in random order. The Shapley value of
// u is the mean of what u's joining adds to v. A user with steady demand adds much, and
// a user with a burst adds little.
//
//	v(S) = Σ_j max(0, max_k (p_0 − p_k)·U_j(S) − f_k)
//
// Here p_0 is the price on demand, p_k the price of a used hour in class k, and f_k the
// fixed price of class k for the time of the log. The fixed price is the upfront price by the
// part of the term, and all hours of a class that is billed for all hours. So S reserves in
// hindsight, for all of the log or not at all. v never falls when a user joins, and no share is
// negative. The real portfolio saves R, which is not v of all; the shares are R·φ_u/Σφ.
// If v of all is 0 (no instance is used for long enough), the shares go by use.
//
// With [MaxExact] users or fewer the Shapley value is exact; with more it is sampled, and
// Account.StdErr is its standard error (package federation/coalition has both methods).
// Money adds up to the nano: each part is rounded down, and the parts with the greatest
// remainders get a nano more; ties go to the user who comes first.
//
// No rule can promise that nobody pays more than alone. A user whose jobs run for days
// uses 99% of the hours that the user pays for alone, and pays for the idle time of a
// cluster that is 85% used. [Account.More] names such users.
//
// # Units, allocation and concurrency
//
// Use counts in microseconds of an instance; run times are rounded up to the next
// microsecond. Money is exact. A [Divider] keeps its memory and allocates nothing once warm.
// It is for one goroutine at a time. Inputs are not modified. The same seed gives the same
// statement.
//
// # References
//
//   - [Niu16] S. Niu, J. Zhai, X. Ma, X. Tang, W. Chen, W. Zheng: Building Semi-Elastic
//     Virtual Clusters for Cost-Effective HPC Cloud Resource Provisioning. IEEE TPDS
//     27(7), 2016. Section 3. The paper does not say how users are charged.
//   - [Shapley53] L. S. Shapley: A Value for n-Person Games. Contributions to the Theory
//     of Games II, 1953.
package bills
