package schedule

import "time"

// A Scheduler decides when waiting jobs start on a cluster whose nodes are all alike and whose size
// may change. A Scheduler is a state machine without a clock. The caller tells it what happens, in
// the order of time, and calls AppendStarts after each event. [EASY], [FCFS] and [Conservative] are
// Schedulers; their zero values are empty clusters without nodes.
//
// The nodes of a job count as free from the moment at which its estimate ends, even if the caller
// has not called Finish yet. So an estimate must be an upper bound of the run time. This holds if
// the resource manager ends each job that reaches its estimate.
type Scheduler interface {
	// Reset empties the cluster, gives it nodes free nodes and keeps the
	// memory. It panics if nodes is negative.
	Reset(nodes int)
	// Submit puts a job into the queue. It panics if the job's Nodes or
	// Estimate is not positive, its Submit is negative, its priority is not
	// a number, or the nodes of all waiting jobs do not fit in an int. That its ID is unique is not checked.
	Submit(j Job)
	// Finish takes a running job's nodes back at time now, before or at its
	// estimated end. Tell it for every job that was started. It panics if the
	// job does not run, as far as that is known: EASY and FCFS have forgotten
	// a job whose estimated end is past.
	Finish(a Allocation, now time.Duration)
	// AddNodes makes the cluster n nodes larger: they are known from now on
	// and can be used from the time ready on. It panics if n is negative
	// or the size of the cluster does not fit in an int.
	AddNodes(n int, ready time.Duration)
	// RemoveNodes takes n free nodes away at time now. It panics if n is
	// negative or fewer than n are free.
	RemoveNodes(n int, now time.Duration)
	// AppendStarts appends the jobs that start at time now to dst, in the
	// order in which they were chosen.
	AppendStarts(dst []Allocation, now time.Duration) []Allocation
	// Top returns the first job of the queue and its latest start. The latest start holds
	// if no job ends after its estimate and no job is submitted that comes before the
	// first job. It is [Never] if the cluster is too small for the job. It reports false
	// if no job waits.
	Top(now time.Duration) (Job, time.Duration, bool)
	// FirstWithin returns the first waiting job whose estimate is at most
	// limit. It reports false if there is none.
	FirstWithin(limit time.Duration) (Job, bool)
	// Take removes a waiting job from the queue without starting it, as when
	// its user cancels it. It is found by its ID, in O(waiting jobs). It
	// reports whether the job was there.
	Take(j Job) bool
	// Start starts a job that is not in the queue at time now, out of turn. It
	// panics if fewer nodes are free than it needs, and as Submit does.
	Start(j Job, now time.Duration) Allocation
	// Waiting returns how many jobs wait, and how many nodes they need together.
	Waiting() (jobs, nodes int)
	// AppendWaiting appends the jobs that wait to dst, in the queue's order.
	AppendWaiting(dst []Job) []Job
	// Nodes returns the size of the cluster with the nodes that are not ready yet. Free
	// returns how many nodes are ready and free, as of the last call with a time.
	Nodes() int
	Free() int
}
