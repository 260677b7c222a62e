package accounting

import (
	"math"
	"time"

	"github.com/plimsoll/plimsoll/internal/enum"
)

// A State is what has become of a job.
type State int

const (
	Unknown   State = iota // the text says nothing of the kind
	Pending                // waits in the queue, or is held
	Running                // holds nodes now; also suspended, configuring and completing
	Completed              // ended by itself with exit status 0
	Failed                 // ended with another status, or with its node
	Cancelled              // by a person, before or after the job started
	Timeout                // ended at its limit of time
	Preempted              // ended for another job, or put back into the queue
)

var states = enum.New[State]("accounting", "State", ErrRange, "unknown", "pending", "running", "completed", "failed", "cancelled", "timeout", "preempted")

// String returns the state's name in lower case.
func (s State) String() string { return states.String(s) }

// Ended reports whether the job holds nodes no longer and will not again.
func (s State) Ended() bool { return s >= Completed }

// Unlimited is the [Job.Limit] of a job that may run for any time.
const Unlimited = time.Duration(math.MaxInt64)

// A Job is one job as a batch system accounts for it. Steps, and the records of
// anything but jobs, are not jobs: a [Reader] leaves them out.
type Job struct {
	ID        int64 // the batch system's number; tasks of an array may share it
	User      string
	Group     string // the Unix group
	Account   string // account or project that is charged
	Partition string // Slurm's partition, the queue of PBS and LSF
	QOS       string
	State     State

	Submit   time.Time
	Eligible time.Time // from when the job could start; zero where unknown
	Start    time.Time // zero where the job has not started or the start is unknown
	End      time.Time // zero where the job has not ended

	Limit         time.Duration // requested run time; 0 where unknown, or [Unlimited]
	Nodes         int           // allocated, or requested where none is allocated; 0 where unknown
	Processors    int           // allocated; 0 where none
	ReqProcessors int           // requested; 0 where unknown
	Memory        float64       // requested, KB per processor; 0 where unknown
}
