// Package preempt decides which nodes a partition gives back when its host takes some
// of its nodes, so that the least work is lost.
//
//	state := preempt.State{Jobs: jobs, Node: node} // Node[n] is the job on node n, or preempt.Idle
//	var solver preempt.Solver
//	victims, err := solver.AppendVictims(nil, state, preempt.Preemption{Take: 5, Grace: 2 * time.Minute})
//	// The host takes the idle nodes first, then nodes of the jobs in victims. If the
//	// host ranks nodes by a value, lowest first, give it these values:
//	values := make([]float64, len(state.Node))
//	var scorer preempt.Scorer
//	err = scorer.VectorTo(values, state, victims, 0)
//
// All calls take plain slices and keep none of them.
//
//	You have                                  You want                              Call
//	jobs on nodes, and a number to take       the jobs whose loss wastes least      Solver.AppendVictims
//	the same, with very many jobs             jobs that waste at most twice that    Solver.AppendGreedy
//	victims, and a host that ranks nodes      values that make the host take them   Scorer.VectorTo
//	jobs on nodes, no number yet              values by a published policy          Scorer.ValuesTo
//	a vector of values                        the nodes that it gives up            Scorer.AppendLowest
//	nodes that are taken                      the jobs that are lost                Scorer.AppendHit
//	users' run time limits                    chances that jobs outlast the grace   RequestedTo
//	run times of earlier jobs                 the same, learnt                      Survival.OutlastTo
//	limits and run times of earlier jobs      the same, limits corrected            Estimates.OutlastTo
//	jobs that save their work                 losses that count from the last save  Job.Checkpoint
//	the same, and a preemption                when to ask a job to save             Job.AskAfter
//	jobs hit, and their true run times        the node-time that was wasted         SumWasted, Tally.Add
//	a host and partitions over a network      the exchange of nodes itself          package preempt/exchange
//
// # Problem
//
// Partitions share the nodes of a host: a batch scheduler, a cloud, a testbed, each
// with its own manager. When the host needs nodes for one partition, it takes nodes
// from another partition, and leaves that partition a grace period to finish what it
// can [Duplyakin17]. A job that loses one of its nodes, and does not end in time, is
// lost on all its nodes. Which nodes should go, so that the least work is lost? The
// host knows nothing of jobs. The partition tells the host a value for each of its
// nodes, and the host takes the nodes with the lowest values.
//
// # Notation
//
//	P, N     nodes to take, nodes there are
//	GP       the grace period
//	j        a running job on n_j nodes, which has run for e_j and has r_j to go
//	p_j      its priority, 1 by default
//	l_j      what each node of j loses: e_j + GP, less for a job that saves its work
//	WC_j     the waste if j loses a node:  0 if r_j < GP,  l_j·n_j otherwise
//	need     max(0, P − idle nodes): how many nodes jobs must give
//	s_j      the chance that j outlasts the grace period, Pr[r_j ≥ GP]
//	V        the victims: the jobs that lose a node
//
// The inequality is strict: a job with exactly the grace period to go does not end in
// time.
//
// # Algorithms
//
//	                        choose it when                   cost                 guarantee
//	[Scorer.ValuesTo]       the host ranks nodes by what     O(jobs + nodes)      none
//	                        the scheduler knows anyway
//	[Solver.AppendVictims]  the least waste is wanted        O(jobs·need)         least Σ s_j·WC_j·p_j
//	[Solver.AppendGreedy]   there are very many jobs         O(jobs·log jobs)     at most twice that
//	[Scorer.VectorTo]       a host that only ranks nodes     O(jobs + nodes)      the P lowest nodes are
//	                        should take either set                                nodes of the set
//
// The policies of [Duplyakin17] are [Random], [FIFO], [LIFO], [PAP] (elapsed time
// times nodes) and [PAPPlus] (PAP times priority). A host that is told nothing does not
// even know the idle nodes; that is [Blind]. [Scorer.AppendLowest] finds the
// nodes that a vector gives up. [Scorer.AppendHit] finds the jobs that are lost.
// [WastedCycles], [SumWasted] and [Tally] count the waste.
//
// # Why ranking nodes is not optimal
//
// Job 0 has run for an hour on one node, job 1 for 45 minutes on two nodes. GP is 0,
// and neither job ends. To free one node it is best to lose job 0: 1 node-hour
// instead of 1.5. To free two nodes it is best to lose job 1 alone: 1.5 node-hours
// instead of 2.5. For one node, the lowest value must be that of job 0. For two nodes,
// the two lowest values must be those of job 1. So no vector is right for both
// numbers, whatever it is computed from. PAP gives job 0 the lower value, and is wrong
// for two nodes. LIFO gives job 1 the lower value, and is wrong for one node.
//
// There is no smaller example. With at most two nodes, or with jobs on one node each,
// the cheapest jobs for P nodes are among the cheapest jobs for P + 1.
//
// So the choice is a set of jobs, not of nodes, for a given P:
//
//	minimise    Σ_{j∈V} w_j,   w_j = s_j·l_j·n_j·p_j
//	subject to  Σ_{j∈V} n_j ≥ need
//
// This is the minimum knapsack cover problem. It is NP-hard when numbers are large,
// but here the n_j are numbers of nodes. Dynamic programming over the nodes freed is
// exact in O(jobs·need).
//
// Theorem. To take the idle nodes first, and then nodes of a least set V, wastes
// least among all ways to take P nodes.
//
// Proof. Let T be any P nodes. T has at most as many idle nodes as there are, so at
// least need nodes of T belong to jobs. The jobs hit by T have Σ n_j ≥ need, so they
// are a feasible set, whose waste is at least that of V. Taking the idle nodes and
// nodes of V hits no job outside V. ∎
//
// Lemma. The V that is returned is minimal: without any of its jobs, fewer than need
// nodes come free. A job that could be left out would add waste, or, if its waste is
// 0, nodes; and of sets with equal waste the set with fewer nodes is chosen. So any
// need nodes of V hit every job of V. That is why a host takes V by rank if the
// values of V are below the values of all other jobs.
//
// Theorem and lemma need only that the waste of a set is the sum over its jobs, and that
// no job's part is negative or depends on the other jobs of the set.
//
// greedy.go has the greedy algorithm and the proof of its factor 2. The obvious rule,
// to take jobs by waste per node until they are enough, has no such factor, even if
// superfluous jobs are dropped afterwards.
//
// # How long jobs still run
//
// Only a simulation knows r_j. So [Preemption] takes the chances s_j, from one of four
// sources:
//
//	[OutlastTo]           the true times: an oracle, to measure the others against
//	[RequestedTo]         the users' estimates: r_j is the time asked for less e_j
//	[Survival.OutlastTo]  how long earlier jobs of the user ran [Kaplan58]
//	[Estimates.OutlastTo] the users' estimates, corrected by what earlier ones were worth
//
// The sum is additive, so Σ s_j·l_j·n_j is the expected waste. Victims chosen
// by chances are best in expectation if the chances are right. Waste is counted with
// the true times, whatever the choice was made with.
//
// The table has the mean waste over the mean waste of the exact victims with true times.
// TestLogs and TestLogClaims measure it on 20 nodes, of which 10 are taken. The 10,000
// jobs are drawn from those of up to 20 nodes and 24 hours in the log KTH-SP2-1996-2.1.
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
//	exact, corrected          1.001   1.013    1.052
//	exact, survival           1.002   1.021    1.124
//	exact, nothing known      1.002   1.026    1.214
//
// So up to half an hour, knowledge is not what is missing. Choosing whole jobs gets
// nearly all there is to gain, and ranking jobs well by age does not. Ties matter,
// too. Jobs that started at the same moment, for example when a large job ended, are
// equal by LIFO. Taking one node of each loses them all. That costs LIFO 21% over the
// least waste, against 9% when ties go by node, as they do here.
//
// # Checkpoints
//
// The paper's jobs lose all their work. A job that saves its work loses less, and
// [Job.Checkpoint] says how much less: when the job last saved, how often it saves by
// itself, what a save costs, and whether it saves on request. Such a job loses the time
// since the last save that is complete at the end of the grace period. A job that saves
// on request is asked so late that the save ends with the grace period, and loses the
// cost of the save only. checkpoint.go has the formulas.
//
// l_j depends on the job and GP alone, so the victims stay exact. What the model leaves
// out: saves that slow each other down, and a job that would have ended during the save
// that it was asked for. A caller that knows that the job ends in time does not ask.
//
// [LIFO], [PAP] and [PAPPlus] value a job by the run time that would be lost now. FIFO
// goes by the start of the job, as before. [Survival] counts a job that went on from a
// save with its whole run time. Restarts lose time, too: count it as part of Cost.
//
// # Choices
//
//   - Each value gets a nanosecond on one node before it is scaled. The paper's
//     product is 0 both for a job that has just started and for an idle node, so the
//     host could not tell them apart. Equal products stay equal.
//   - The paper has no formula for FIFO. Here the value falls with the elapsed time.
//   - [Weights.Overrun] makes jobs beyond their requested time cheaper. That needs the
//     request as the user made it: a simulation that raises estimates to run times has
//     no such jobs. With a divisor of 10, these jobs waste 9 times as much on the log
//     above, the other jobs 0.1% less, and all jobs 0.1% more: few jobs of the log run
//     longer than requested.
//   - Values are scaled by the greatest. Ties go to the lower node.
//   - Of sets with equal waste, the set that frees the fewest nodes is taken, and of
//     these the set with the earliest job.
//
// # Units
//
// Times are [time.Duration]. Node-time is a [NodeTime], exact to the nanosecond and
// wide enough for any sum. Values and chances are float64 in [0, 1]. Where victims are
// chosen, chances are rounded to 2⁻²⁰, so that their sums are exact.
//
// # Allocation and concurrency
//
// The zero values of [Scorer], [Solver], [Survival], [Estimates] and [Tally] are ready.
// They keep their memory and allocate nothing once it suffices; a Survival and an Estimates
// allocate while a window grows. Each is for one goroutine at a time. No argument is modified except
// dst. Randomness is passed in: the same seed gives the same values on every machine.
//
// # In the browser
//
// The program examples/tools/page has a room for this package, Take back:
// take nodes, and see what each policy and the least waste lose. The room runs this package as WebAssembly.
//
//	go run github.com/plimsoll/plimsoll/examples/tools/page@latest
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
