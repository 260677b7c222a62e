// Package spot decides when a task with a deadline may run on spot instances, with
// which bid, and when the task must go on demand.
//
// # Deadlines and spot instances
//
// A [Task] has a run time, known in advance from a model of it, and a deadline.
// It can run on demand, which is dear and certain, or on spot instances, which
// cost a third and are taken away when their price rises above the bid. When is it
// safe to risk spot? [Huang13] section II.C answers with a priority rate and three
// agents; this part has both, what is wrong with them, and rules that keep every
// deadline that on demand would have kept.
//
//	T_deadline, T_now, T_est, T_latency   of the task; see [Task]
//	s, R(s)    work in checkpoints, and what then remains on demand: [Task.Remaining]
//	PR         (T_deadline − T_now − R − T_latency)/R: Eq. (6), [Task.PriorityRate]
//	th1, th2   thresholds of PR, 1 and 2: Table II, [Thresholds]
//	PNR        T_deadline − T_latency − R(s): the point of no return, [Task.PointOfNoReturn]
//
// A [Framework] takes tasks and hands each to agent high (on demand), medium or
// low (spot, with a high or a low bid); an [agent] opens a cluster, submits the
// task, and returns it if it is interrupted or has become too urgent. Both are
// machines without a clock: observations and times go in, commands come out.
// Package spotsim has a simulator of what they command, over a price history.
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
//	RulePlanned   past prices tell something         when Planner says so, until    all kept
//	                                                 PNR, and beyond it as RuleHedged
//
// In the table of BENCHMARKS.md RulePlanned is the cheapest of those that keep all
// deadlines, or within half a percent of the price on demand of it, with and without
// checkpoints, on calm and on wild prices (the test TestSpotTable of schedule/spot/spotsim
// says within one). Tasks, prices and prices on demand other than these may order the
// rules otherwise: over three other draws of tasks on the calm prices RuleHedged with
// a SpotRatio of 0.35 was from 0.2 percent cheaper to as dear.
//
// "All kept" means: a task that would have met its deadline if it had been sent on
// demand when it was taken meets it, whatever prices and bids. The hypotheses are
// that T_est and T_latency are upper bounds, that checkpoints can be read, that on
// demand is to be had, that agents are told of events at once or look every i, and
// that what they command is carried out at once; the proof is in handover.go. If a run takes δ longer than
// estimated, all but the first two rules are late by δ at most; so give them an
// upper bound, such as the upper end of a prediction interval. An agent that looks
// every i takes its decisions 2·i early, and is compared with one on demand that
// looks every i. A step costs O(1) time a task.
//
// # Where the paper's rule misses deadlines
//
// With th1 = 1 there is time for two runs and one T_latency. A run on spot and one
// on demand have two. The agent looks at PR only until its cluster is ready, so
// what of the latency comes after that (Alg. 1, line 19) is not covered, nor are
// late looks: the one that finds the cluster ready (line 12 precedes line 13), the
// one that finds the interruption, and the one that finds the cluster on demand
// ready. Two tasks of 60 minutes with a latency of 10 that on demand would meet
// at 70 (the test TestPaperRuleMissesDeadlines of schedule/spot/spotsim):
//
//	due at   latency      looks        price rises at   paper ends at
//	130      after ready  at once      69               139
//	137      before       every 7 min  73               151
//
// Both have PR = 1 when they are last asked. th1 = (R_spot + T_latency + 3·interval)/R
// is what it takes: [Task.SafeThreshold]. Without checkpoints, and told at once,
// that is 1 + T_latency/T_est.
//
// # What else there is to know of Algorithm 1
//
//   - PR also falls while a cluster boots. A task just above th1 gives back a
//     cluster that is nearly ready, and pays for its boot. The rules after RuleSafe
//     count the boot once, when they decide to start.
//   - Nobody asks for PR while the task runs. It is right to let a run go on that
//     was begun in time; with checkpoints it is not even necessary to have begun
//     in time, and RuleNoReturn asks all the time.
//   - Below PR = 1 a task that saves its progress every hour loses at most one
//     hour, but th1 sends it on demand. That is what RuleNoReturn wins.
//   - A task that does not save and is stopped at PNR loses all. If most of it is
//     done, a second cluster beside it costs less: RuleHedged. In hourly charges, and
//     for the ratio of prices in [Handover], it is a rule of thumb.
//   - In the agent's own loop "cluster is interrupted" (line 23) comes before "job
//     is done" (line 26): a task that ends and loses its cluster between two looks
//     would run again. Here it has ended.
//   - T_latency is said to have the tear-down in it (section II.C). That comes
//     after the end of the task; with it deadlines are kept by so much more.
//   - "Running twice before the deadline" at PR between 1 and 2 (section II.C) is
//     from PR = 1 on; at PR = 2 it is three times.
//
// Money: bids and their prices are in bid.go and [Planner]; no rule here has a
// bound on its cost. How much of the possible saving each got on prices of 2020
// and on synthetic ones with spikes is in BENCHMARKS.md.
//
// # References of this part
//
// [Huang13] H. Huang, L. Wang, B. C. Tak, L. Wang, C. Tang, "CAP3: A Cloud
// Auto-Provisioning Framework for Parallel Processing Using On-demand and Spot
// Instances", 2013. Section II.C, Eq. (6), Table II, Algorithm 1, Fig. 2.
package spot
