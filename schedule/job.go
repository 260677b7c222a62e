package schedule

import "time"

// A Job is what a batch scheduler knows of a job. The true run time is not part of a Job:
// nobody knows the run time before the job ends.
type Job struct {
	ID       int64         // unique among the jobs that wait or run
	User     int           // who submitted it; only an Order looks at it
	Submit   time.Duration // when it was submitted, ≥ 0
	Estimate time.Duration // its run time as the scheduler is told, > 0
	Nodes    int           // nodes held from start to end, > 0
}

// An Allocation is a job that was started: it holds Job.Nodes nodes from Start
// until it finishes, by the scheduler's knowledge at Start + Estimate.
type Allocation struct {
	Job
	Start time.Duration
}

// End returns when the job ends by its estimate, [Never] if that is beyond the
// range of a time.Duration.
func (a Allocation) End() time.Duration {
	if a.Start > 0 && a.Estimate > Never-a.Start {
		return Never
	}
	return a.Start + a.Estimate
}

// Never is a time after all others: when a job starts that no event known now
// will let start.
const Never time.Duration = 1<<63 - 1
