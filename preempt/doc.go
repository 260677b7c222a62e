// Package preempt decides which nodes a partition gives back when its host wants
// some of them. Package preempt/exchange carries nodes between host and partitions.
//
// # Problem
//
// Nodes are shared between partitions, each with a manager of its own: a batch
// scheduler, a cloud, a testbed. When the host needs nodes for one partition it
// takes them from another, and gives that one a grace period to finish what it
// can ([Duplyakin17]). A job that loses one of its nodes and does not end in time
// is lost as a whole, on all its nodes. Which nodes should go, so that the least
// work is lost? The host knows nothing of jobs; the partition tells it a value for
// each of its nodes, and the host takes the lowest.
//
// # Notation
//
//	P, N     nodes to take, nodes there are
//	GP       the grace period
//	j        a running job on n_j nodes, which has run for e_j and has r_j to go
//	p_j      its priority, 1 unless said otherwise
//	WC_j     what is wasted if j loses a node:  0 if r_j < GP,  (e_j + GP)·n_j otherwise
//	need     max(0, P − idle nodes): how many nodes jobs have to give
//	s_j      the chance that j outlasts the grace period, Pr[r_j ≥ GP]
//	V        the jobs that lose a node, the victims
//
// The inequality is strict: a job that has just the grace period to go does not
// end in time.
//
// # Algorithms
//
//	                        choose it when                   cost                 guarantee
//	[Scorer.ValuesTo]       the host ranks nodes by what     O(jobs + nodes)      none
//	                        the scheduler knows anyhow
//	[Solver.AppendVictims]  the least waste is wanted        O(jobs·need)         least Σ s_j·WC_j·p_j
//	[Solver.AppendGreedy]   there are very many jobs         O(jobs·log jobs)     at most twice that
//	[Scorer.VectorTo]       either set is wanted of a        O(jobs + nodes)      the P lowest nodes are
//	                        host that only ranks nodes                            those of the set
//
// The policies of [Duplyakin17] are [Random], [FIFO], [LIFO], [PAP] (elapsed time
// by nodes) and [PAPPlus] (the same by priority). [Scorer.AppendLowest] finds the
// nodes that a vector gives up, [Scorer.AppendHit] the jobs that die of it, and
// [WastedCycles], [SumWasted] and [Tally] count what that wastes.
//
// # Why ranking nodes is not optimal
//
// Job 0 has run for an hour on one node, job 1 for 45 minutes on two; GP is 0, and
// neither ends. To free one node it is best to lose job 0, for 1 node-hour instead
// of 1.5. To free two it is best to lose job 1 alone, for 1.5 instead of 2.5. The two
// lowest values are those of the lowest one and another: so no vector is right for
// both, whatever it is computed from. PAP, which values job 0 less, is wrong with two
// nodes, and LIFO, which values job 1 less, with one. There is no smaller example:
// of two nodes or fewer, or with jobs on one node each, the cheapest jobs for P
// nodes are among those for P + 1. What is to be chosen is a set of jobs, not of
// nodes, and for a given P:
//
//	minimise    Σ_{j∈V} w_j,   w_j = s_j·(e_j + GP)·n_j·p_j
//	subject to  Σ_{j∈V} n_j ≥ need
//
// This is minimum knapsack cover. It is NP-hard when numbers are large, but here
// the n_j are numbers of nodes: dynamic programming over nodes freed is exact in
// O(jobs·need).
//
// Theorem. Idle nodes first and then the nodes of a least set V wastes least among
// all ways of taking P nodes.
//
// Proof. Let T be any P nodes. At most as many of them are idle as there are idle
// nodes, so at least need belong to jobs; the jobs hit by T, W, therefore have
// Σ n_j ≥ need over W, and W is feasible: its waste is at least that of V. Taking
// idle nodes and nodes of V hits no job outside of V. ∎
//
// Lemma. V as it is returned is minimal: without any of its jobs fewer than need
// nodes come free. For a job that could be left out would add waste, or if its
// waste is 0, nodes, and of equal waste the set with fewer nodes is chosen. So
// need nodes of V, whichever, hit every job of V; that is why values below those
// of all other jobs are enough to make a host take V by rank.
//
// The greedy form and the proof of its factor 2 are in greedy.go. The rule that
// suggests itself, jobs by waste per node until they suffice, has no such
// factor, even when superfluous jobs are dropped afterwards.
//
// # What is known of the time to go
//
// r_j is known in a simulation and nowhere else. [Preemption] therefore takes the
// chances s_j, from one of three sources:
//
//	[OutlastTo]           the true times: an oracle, to measure the others by
//	[RequestedTo]         the users' estimates: r_j is what was asked for less e_j
//	[Survival.OutlastTo]  how long earlier jobs of the user ran [Kaplan58]
//
// Σ s_j·(e_j + GP)·n_j is the expected waste, since the sum is additive, so that
// victims chosen by chances are best in expectation if the chances are right.
// Waste is counted with the true times whatever the choice was made with.
//
// Measured on 10,000 jobs drawn from the log KTH-SP2-1996-2.1, those of up to 20
// nodes and 24 hours, on 20 nodes of which 10 are taken (TestLogs, TestLogClaims);
// mean waste over that of the exact victims with true times:
//
//	GP                        2 min   30 min   4 h
//	Random                    1.771
//	FIFO                      1.583
//	LIFO                      1.086   1.117    1.348
//	PAP                       1.148   1.174    1.392
//	waste per node            1.084
//	waste per node, pruned    1.036
//	greedy, true times        1.001
//	exact, users' estimates   1.001   1.016    1.067
//	exact, survival           1.002   1.021    1.124
//	exact, nothing known      1.002   1.026    1.214
//
// So up to half an hour it is not knowledge that is missing: choosing whole jobs
// gets nearly all there is, and ranking them well by age does not. Ties matter,
// too: jobs that started at the same moment, as when a large one ends, are equal
// by LIFO. Taking a node here and one there kills them all, and costs LIFO 21%
// over the least, against 9% when ties go by node, as they do here.
//
// # Choices
//
//   - A nanosecond on one node is added to each value before it is scaled. The
//     paper's product is 0 for a job that has just started, as for an idle node, and
//     the host could not tell them apart. What is equal stays equal.
//   - FIFO has no formula in the paper; here the value falls with the elapsed time.
//   - Jobs beyond their requested time can be made cheaper, [Weights.Overrun]. That
//     needs the request as the user made it: an estimate that was raised to the run
//     time, as a scheduler in a simulation needs it, is never outrun. With a divisor
//     of 10 they waste 9 times what they waste without on the log above, the others
//     0.1% less, and all 0.1% more: few of its jobs outrun their requests.
//   - Values are scaled by the greatest, ties go by node, the lower first.
//   - Of equally wasteful sets the one that frees the fewest nodes, and then the one
//     with the earliest job, is taken.
//
// # Units
//
// Times are [time.Duration]. Node-time is a [NodeTime], exact to the nanosecond
// and wide enough for any sum. Values and chances are float64 in [0, 1]; chances
// are resolved to 2⁻²⁰ where victims are chosen, so that their sums are exact.
//
// # Allocation and concurrency
//
// [Scorer], [Solver], [Survival] and [Tally] are ready as they are, keep their
// memory and allocate nothing once it suffices; a Survival allocates while a
// window grows. None may be used by two goroutines at once. Arguments are never
// modified but dst. Randomness is passed in: the same seed gives the same values
// on every machine.
//
// # References
//
// [Duplyakin17] D. Duplyakin, D. Johnson, R. Ricci, "The Part-Time Cloud: Enabling
// Balanced Elasticity Between Diverse Computing Environments", ScienceCloud, 2017.
//
// [Csirik91] J. Csirik, J. B. G. Frenk, M. Labbé, S. Zhang, "Heuristics for the
// 0-1 Min-Knapsack Problem", Acta Cybernetica 10, 1991.
//
// [Kaplan58] E. L. Kaplan, P. Meier, "Nonparametric Estimation from Incomplete
// Observations", Journal of the American Statistical Association 53, 1958.
package preempt
