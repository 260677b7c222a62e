// Package spot decides when a task with a deadline may run on spot instances, with which
// bid, and when the task must go on demand. A deadline that on demand would have met is
// not missed.
//
//	task := spot.Task{Deadline: due, Estimate: 4 * time.Hour, Latency: 10 * time.Minute, Instances: 4}
//	rule := spot.Handover{Rule: spot.RuleNoReturn}
//	tier := rule.Tier(&task, now, 0)                    // TierHigh: go on demand now
//	bid := spot.MediumBid(history, now, onDemand) // for a spot cluster
//
//	var planner spot.Planner                            // or weigh both against the cost
//	err := planner.Solve(market, &task, now)
//	decision := planner.Decide(spot.BidState{Now: now, Price: price})
//
// What to call:
//
//	You have                         You want                                 Call
//	a task, its deadline, a time     how urgent the task is                   Task.PriorityRate, Thresholds.Tier
//	the same                         the last moment to go on demand          Task.PointOfNoReturn
//	the same, and a rule             spot or on demand, now                   Handover.Tier
//	past prices                      a bid                                    MediumBid, LowBid
//	past prices                      a model of the price                     ChainEstimator.Estimate
//	a model and a task               wait, spot with a bid, or on demand      Planner.Solve, then Decide
//	many tasks and real clusters     the commands that carry this out         Framework
//	tasks and a history of prices    deadlines kept and costs                 package spotsim
//
// # Problem
//
// A [Task] has a run time, known in advance from a model, and a deadline. The task can
// run on demand, which is dear and certain, or on spot instances, which cost a third and
// are taken away when their price rises above the bid. When is spot safe? [Huang13]
// section II.C answers with a priority rate and three agents. This package has both, says
// what is wrong with them, and has rules that keep every deadline that on demand would
// have kept.
//
// # Notation
//
//	T_deadline, T_now, T_est, T_latency   of the task; see [Task]
//	s, R(s)    work in checkpoints, and what then remains on demand: [Task.Remaining]
//	PR         (T_deadline − T_now − R − T_latency)/R: Eq. (6), [Task.PriorityRate]
//	th1, th2   thresholds of PR, 1 and 2: Table II, [Thresholds]
//	PNR        T_deadline − T_latency − R(s): the point of no return, [Task.PointOfNoReturn]
//
// A [Framework] takes tasks and hands each task to agent high (on demand), medium or low
// (spot, with a high or a low bid). An agent opens a cluster and submits the task. An
// agent returns a task that is interrupted or has become too urgent. Framework and agents
// are machines without a clock: observations and times go in, commands come out. Package
// spotsim simulates these commands over a history of prices.
//
// # Which rule
//
//	rule          choose it when                     a task is on spot                 deadlines
//	RulePaper     the paper's decisions are wanted   from PR ≥ th1 on, then as long    can be missed
//	                                                 as it lasts
//	RuleSafe      the paper's behaviour is wanted,   from PR ≥ Task.SafeThreshold on   all kept
//	              with its deadlines
//	RuleNoReturn  tasks write checkpoints            until PNR, if it can save         all kept
//	                                                 something before
//	RuleHedged    they do not, or seldom             until PNR, and a running one      all kept
//	                                                 beyond it, beside on demand
//	RulePlanned   past prices tell something         when Planner says so, until       all kept
//	                                                 PNR, and beyond it as RuleHedged
//
// BENCHMARKS.md has the costs of the rules. Among the rules that keep all deadlines, RulePlanned is
// the cheapest there, or dearer than the cheapest by at most half a percent of the price on demand.
//
// "All kept" means: a task meets its deadline, whatever the prices and bids, if the task
// would have met the deadline on demand from the moment at which it was taken. The file
// handover.go has the hypotheses, the proof, and two tasks that [RulePaper] loses. If a run
// takes δ longer than estimated, RuleNoReturn, RuleHedged and RulePlanned are late by δ at
// most. So give them an upper bound, such as the upper end of a prediction interval. A step
// costs O(1) time a task. No rule here has a bound on its cost.
//
// # Bids
//
// A bid is the most that a user pays per hour of a spot instance. The instance runs while
// the price is at most the bid, and the user pays the price. [LowBid] and [MediumBid] are the
// bids of [Huang13] from past prices, reconstructed from what the paper tells (see bid.go).
// [Planner] also looks at the task and decides when to wait, when to
// run on spot and with which bid, and when to go on demand. Then the expected cost is
// least, and the deadline is met for every course of the price.
//
//	c, m, d    current price, mean of the past 30 days, price on demand
//	T, q, i    steps to the deadline, checkpoints written, level of the price
//	P_ij       probability that the price moves from level i to j in a step
//	V, R       least expected cost of a task that waits, of one that runs
//
//	bid          looks at          time                    guarantee
//	LowBid       c, m, d           O(changes)              at most d
//	MediumBid    c, m, d           O(changes)              served at once if c ≤ d; at most d
//	Planner      all that, and     O(T·blocks·h·n³) once,  the deadline; least expected cost
//	             the task          O(n²) a decision        if prices are as modelled
//
// The planner models the price as a Markov chain on a few levels ([PriceChain], estimated
// by [ChainEstimator]) and solves backwards from the deadline; planner.go has the
// recursion. The deadline does not depend on the chain: the planner never takes an action
// after which on demand could be too late, at whatever price. Only the cost depends on
// the chain. With hourly charges the plan knows that an hour is free if the provider
// interrupts it.
//
// A plan has at most 2²⁶ values: Solve returns an error for a longer plan, so that no call
// takes more than a few seconds.
//
// # Bids on today's clouds
//
// Until November 2017 the price of EC2's spot instances cleared an auction and jumped, and
// a bid said what an hour is worth. Since then the price follows supply and demand slowly,
// a few times a day and by a few percent. A maximum price is optional: its default is the
// price on demand. Interruptions come when the provider needs capacity, seldom by the
// price. So a low bid adds interruptions, and saves nothing that waiting would not save.
// So bid the price on demand, and tell the planner how often
// capacity is taken: [Market.Reclaim]. The bid matters only where prices jump.
//
// # Units
//
// Times are [time.Duration] from the start of the trace. Prices are [pricing.Money] per
// instance-hour. Expected costs of a [Planner] are float64 in units of the currency.
//
// # Allocation and concurrency
//
// A Framework, a ChainEstimator and a Planner keep their memory and allocate nothing once
// warm. Each is for one goroutine at a time. Nothing of the caller's is kept or modified.
//
// # References
//
// [Huang13] H. Huang, L. Wang, B. C. Tak, L. Wang, C. Tang, "CAP3: A Cloud
// Auto-Provisioning Framework for Parallel Processing Using On-demand and Spot
// Instances", 2013. Section II.C, Eq. (6), Table II, Algorithm 1, Fig. 2.
package spot
