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
// No vector of values is right for all numbers of nodes. Job 0 has run for an hour on one
// node, job 1 for 45 minutes on two nodes. To free one node it is best to lose job 0; to
// free two nodes it is best to lose job 1 alone. So [Solver.AppendVictims] chooses a set of
// jobs for a given P:
//
//	minimise    Σ_{j∈V} w_j,   w_j = s_j·l_j·n_j·p_j
//	subject to  Σ_{j∈V} n_j ≥ need
//
// File leastwaste.go proves that the idle nodes and then nodes of a least V waste least among
// all ways to take P nodes, and that a host that ranks nodes takes V.
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
// On the log KTH-SP2-1996-2.1, with a grace period of up to half an hour, all four sources
// come within 3% of the least waste, and LIFO within 9 to 12%. Choosing whole jobs gains
// nearly all there is to gain; knowledge gains more only with a grace period of hours
// (BENCHMARKS.md).
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
// allocate while a window grows. Each is for one goroutine at a time. No argument is modified
// except dst. Randomness is passed in: the same seed gives the same values on every machine.
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
