// Package schedule decides which waiting jobs start now on a cluster, when the first
// waiting job will start, and how many nodes an elastic cluster requests or gives back.
//
//	var queue schedule.EASY
//	queue.Reset(64) // nodes
//	queue.Submit(schedule.Job{ID: 1, Submit: now, Estimate: 2 * time.Hour, Nodes: 16})
//	starts := queue.AppendStarts(nil, now) // start these jobs
//	queue.Finish(starts[0], later)         // tell of each end
//
//	scaler := schedule.Autoscaler{Most: 128}
//	_, view := scaler.Predict(&schedule.Snapshot{Now: now, Idle: 2, Running: running, Waiting: waiting})
//	verdict := scaler.Decide(nil, &view) // request verdict.Grow nodes
//
// What to call:
//
//	You have                       You want                          Call
//	a queue and a cluster          which jobs start now              AppendStarts of EASY, FCFS or Conservative
//	the same                       when the first job starts         Top of the same
//	jobs that others overtake      to protect the first k jobs       EASY.Reservations
//	priorities of users or sizes   another order of the queue        EASY.Order, Weights.Priority
//	queue, idle and busy nodes     whether to grow, by how much      Autoscaler.Predict, then Decide
//	idle nodes and their charges   which nodes to give back          View.Due, then Autoscaler.Decide
//	several clouds and a budget    what to launch where              package schedule/elastic
//	tasks with deadlines           spot or on demand, which bid      package schedule/spot
//	a job log                      what all this costs, and waits    package schedule/sim
//
// # Problem
//
// Parallel jobs arrive over time. Each job needs a number of nodes from its start to its
// end, and comes with an estimate of its run time. Nobody knows the real run time before
// the job ends. All nodes are alike. At each event a scheduler chooses the waiting jobs
// that start now. Waits should be short, nodes should seldom be idle, and small jobs must
// not starve a large job. When nodes are rented, a second question follows: when are there
// too few nodes, how many more to request, and when to give a node back?
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
// free counts by estimates. An estimate is an upper bound of the run time, since the
// resource manager ends a job that reaches its estimate. So at start_j + e_j the nodes of
// j are free, whether the scheduler has been told of the end or not. This also makes a
// prediction a promise: jobs end at their estimate or before.
//
// # Algorithms
//
//	type          choose it when                    an event costs           guarantee
//	EASY          the usual trade is wanted:        O(log Q) an arrival,     the top job starts by
//	              high use and short waits          O(Q/64) an end           its shadow time
//	FCFS          order must be kept, or as a       O(log Q) an arrival,     jobs start in order
//	              yardstick                         O(log R) an end
//	EASY with     the second job must not starve    O(R + k·S/64) an event   as EASY
//	Reservations  either                            and a look at the queue
//	Conservative  users want to be told a start     O(S/64) an arrival,      each job starts by its
//	                                                up to O(Q·S/64) an end   first reservation
//
// EASY has the condition for a start, and easy.go the proof that a pass is enough. The costs by
// blocks of 64 are typical costs; each file states the worst case. None of
// the three has a proven bound on the mean wait.
//
// The queue is ordered by a priority, higher first, and then by (Submit, ID). Without a
// priority the order is first come, first served. [Weights] is the linear mix of user,
// time in the queue and size. Weights needs one number a job although priorities change
// with time: the file priority.go has the short proof.
//
// Events come one at a time, and the scheduler is asked after each event. At equal times
// tell the scheduler of submissions before ends of jobs, and of ends in the order in which
// the jobs started. With this rule the waits of published EASY simulations come out to the
// second, job by job (the test TestPublishedEASYWaits of schedule/sim). The rule matters:
// a job that arrives when another job ends early sees the nodes of the other job still in
// use, and the reservation of the top job is counted after each single end.
//
// # Growing and shrinking
//
// An [Autoscaler] decides from a [View] whether a cluster grows and which idle nodes it gives
// back. It has the rules of thumb of [Niu16] section 4.1 (autoscaler.go), and keeps a least and
// a greatest size and a pause between changes. An [Expansion] says how many nodes the cluster
// should have for the queue. No bound on the cost of these rules is known.
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
// Package schedule/sim has these choices as options, and the choices about leases.
//
// # Units
//
// Times are spans from the start of the trace, [time.Duration], ≥ 0, and calls
// come in the order of time. [Never] is later than all. Nodes are counts.
//
// # Allocation and concurrency
//
// The zero value of a scheduler is a cluster without nodes. Reset empties a scheduler and
// keeps its memory. Schedulers and an Autoscaler allocate nothing once warm. Jobs and
// allocations are plain values that are copied; nothing of the caller's is kept or
// modified. Two goroutines must not use a scheduler or an Autoscaler at once.
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
