package trace

import "time"

// A Job is one batch job, from a log or from a generator, for a simulator to replay. Its size is in
// instances, not in processors.
//
// A Job whose Run or Nodes is not positive cannot be replayed; [Convert] leaves such records out
// and counts them. A policy sees Submit, Estimate, Nodes, User and Queue. Only the simulator sees
// Run. Wait is the wait in the log, and serves only for comparisons.
type Job struct {
	ID       int64         // the log's own job number
	Submit   time.Duration // since the start of the trace
	Run      time.Duration // the true run time, > 0
	Estimate time.Duration // the run time that the scheduler is told, ≥ Run
	Nodes    int           // instances held from start to end, > 0
	User     int           // the log's user number, -1 where unknown
	Queue    int           // the log's queue number, -1 where unknown
	Wait     time.Duration // how long it waited in the log, negative where unknown
}
