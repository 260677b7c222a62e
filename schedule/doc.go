// Package schedule decides when waiting jobs start on a cluster, and how many nodes
// an elastic cluster should have.
//
// Package schedule/elastic has policies of an elastic environment on a budget, and
// package schedule/spot tasks with deadlines on spot instances.
//
// # Problem
//
// Parallel jobs arrive over time. Each needs a number of nodes from its start to
// its end and comes with an estimate of its run time; how long it really runs
// nobody knows before it ends. Nodes are all alike. At each event a scheduler
// chooses the waiting jobs that start now, so that waits are short and nodes are
// seldom idle, and without letting small jobs starve a large one. When nodes are
// rented, a second question follows: when are there too few, how many more to
// request, and when to give one back.
//
// # Notation
//
//	P         nodes of the cluster, those that still boot included
//	n_j       nodes of job j
//	s_j, e_j  its submission and its estimate
//	start_j   when it started; by what is known it ends at start_j + e_j
//	free(t)   nodes that are up at t, minus Σ n_j over the jobs with start_j + e_j > t
//	top       the first job of the queue, when it does not fit
//	Q, R, S   waiting jobs, running jobs, steps of the conservative plan
//
// free counts by estimates: an estimate is an upper bound of the run time, since
// the resource manager ends a job that reaches it. So at start_j + e_j the nodes
// of j are free, whether its end has been told by then or not. This is also what
// makes a prediction a promise: jobs end at their estimate or before.
//
// # Algorithms
//
//	type          choose it when                    an event costs           guarantee
//	EASY          the usual trade is wanted:        O(log Q) an arrival,     the top job starts by
//	              high use and short waits          O(Q/64) an end           its shadow time
//	FCFS          order must be kept, or as a       O(log Q) an arrival,     jobs start in order
//	              yardstick                         O(log R) an end
//	Conservative  users want to be told a start     O(S/64) an arrival,      each job starts by its
//	                                                up to O(Q·S/64) an end   first reservation
//
// The costs by blocks of 64 are typical ones; each file states the worst case.
// None of the three has a proven bound on the mean wait.
//
// The queue is ordered by [Priority], higher first, and then by (Submit, ID);
// without one it is first come, first served. [Weights], the linear mix of user,
// time in the queue and size, needs one number a job although priorities change
// with time: the file priority.go has the short proof.
//
// Events come one at a time, and the scheduler is asked after each. At equal
// times tell it of submissions before ends of jobs. Under that rule the waits of
// two published EASY simulations come out to the second, job by job (the test
// TestPublishedEASYWaits of schedule/sim). It matters: a job that arrives when
// another ends early sees the nodes of that one still in use.
//
// # EASY in detail
//
// Let the top job need n nodes, with n > free(now). Its shadow time T is the
// first time with free(T) ≥ n, and its extra nodes are x = free(T) − n, counted
// after all that is free at T. A job j behind it may start now iff
//
//	n_j ≤ free(now)  and  (now + e_j ≤ T  or  n_j ≤ x).
//
// A job that ends by T gives its nodes back by then and leaves T and x alone.
// One that does not takes n_j from x and leaves T alone. So T, once given, is
// never put off by backfilling; an early end can only bring it forward. If the
// cluster is too small for the top job, T is [Never], and whatever fits starts.
//
// Invariant: after a pass no waiting job may start, and none becomes able to
// until an event frees nodes or changes the top job.
//
// Proof. The pass goes through the queue once, in order. free(now) and x only
// fall during it and T stays, so that a job refused early in the pass would be
// refused at its end. Afterwards time alone leaves free(now), T and x as they
// are until the next estimated end or the next node that is up, which count as
// events, and the window T − now shrinks. So conditions only become harder. A
// submission that does not come to the top leaves all three as they are, too:
// the jobs that waited stay refused, and it is enough to ask about the new one.
// If that one starts, free(now) and x fall once more. ∎
//
// So a submission costs O(1) beside its place in the queue, and only ends need a
// pass. What a pass then looks
// for, the first job that meets the condition, is answered by blocks of the
// queue that are bounded from below in nodes and estimate: see queue.go.
//
// # Growing and shrinking
//
// [Niu16] section 4.1 lets a cluster grow after an arrival or an end, iff the
// top job needs more nodes than there are or its predicted wait exceeds a limit. How
// many nodes it should have for the queue is an [Expansion]:
//
//	FirstSize  n of the first job
//	SumSize    Σ n over all jobs
//	BestSize   Σ n over the long jobs (e > short) + n of the first short one
//
// BestSize with short = 0 is SumSize; with short at or above all estimates it is
// FirstSize. An idle node goes at the last check before its next charge, and only
// when no job waits: what is paid for is kept. An [Autoscaler] decides all of this
// from a [View]. It also keeps a least and a greatest size and a pause between changes.
// These are rules of thumb; no bound on their cost is known.
//
// The paper leaves choices open. The default, and what each moves:
//
//	the predicted wait counts from submission      from now instead: later requests
//	nodes that boot count in P and in the          else they are requested again at the
//	prediction                                     next event
//	an expansion is the size for the whole queue;  else what is idle is requested once
//	what is idle or boots is taken off             more
//	the first short job is the first in the        another short job: more or fewer nodes
//	queue's order
//	the queue's order says who gets a node that    else bound to the job that it was
//	came up                                        requested for: Take it, then Start it
//
// Package schedule/sim has these as options and the others that concern leases.
//
// # Units
//
// Times are spans from the start of the trace, [time.Duration], ≥ 0, and calls
// come in the order of time. [Never] is later than all. Nodes are counts.
//
// # Allocation and concurrency
//
// Schedulers are ready as they are, as clusters without nodes; Reset empties one
// and keeps its memory. Once warm they allocate nothing, and
// jobs and allocations are plain values that are copied; nothing of the caller's is
// kept or modified. A scheduler must not be used by two goroutines at once.
//
// # References
//
// [Niu16] S. Niu, J. Zhai, X. Ma, X. Tang, W. Chen, W. Zheng, "Building
// Semi-Elastic Virtual Clusters for Cost-Effective HPC Cloud Resource
// Provisioning", IEEE Transactions on Parallel and Distributed Systems 27(7),
// 2016.
//
// [Lif95] D. Lifka, "The ANL/IBM SP Scheduling System", Job Scheduling Strategies
// for Parallel Processing, 1995, pp. 295-303: EASY.
//
// [Feit98] D. Feitelson, A. Weil, "Utilization and Predictability in Scheduling
// the IBM SP2 with Backfilling", International Parallel Processing Symposium,
// 1998: EASY and conservative backfilling compared.
package schedule
