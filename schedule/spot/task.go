package spot

import (
	"math"
	"time"
)

// A Task is a program to be run once, by a deadline, on a cluster of its own. What its
// methods return has no meaning for a task that [Task.Validate] refuses, or for a time now
// or saved work that is negative or beyond 100 years.
type Task struct {
	ID       int64
	Deadline time.Duration // from the start of the trace; ≥ 0
	// Estimate is T_est, the run time on that many instances; > 0. For the guarantee of
	// [RuleNoReturn] set it to an upper bound, such as the upper end of a prediction
	// interval.
	Estimate time.Duration
	// Latency is T_latency: what passes between the request for a cluster and the
	// task running on it; ≥ 0.
	Latency   time.Duration
	Instances int // of the cluster; > 0
	// Checkpoints says how the task saves its progress. The zero value is the
	// paper's: it does not, and an interruption loses all.
	Checkpoints Checkpoints
}

// Checkpoints says how often a task on a spot cluster saves its progress and
// what that costs it in time. Clusters on demand are not interrupted, and the
// task does not save there.
type Checkpoints struct {
	Every   time.Duration // work between two checkpoints; 0 for none
	Write   time.Duration // how long the work stops for one; ≥ 0
	Restart time.Duration // how long it takes to read one back; ≥ 0
}

// maxSpan bounds the times of a task, about 36 years, so that sums of a few of
// them do not overflow.
const maxSpan = time.Duration(math.MaxInt64 / 8)

// Validate returns a *schedule.InputError, which unwraps to [ErrRange], if a field is
// outside of its range. A deadline in the past is not known here: see
// [Framework.Take].
func (t *Task) Validate() error {
	switch c := &t.Checkpoints; {
	case t.Deadline < 0 || t.Deadline > maxSpan:
		return badInput("Task.Deadline", -1, ErrRange, "%v: want 0 to %v", t.Deadline, maxSpan)
	case t.Estimate <= 0 || t.Estimate > maxSpan:
		return badInput("Task.Estimate", -1, ErrRange, "%v: want more than 0 and at most %v", t.Estimate, maxSpan)
	case t.Latency < 0 || t.Latency > maxSpan:
		return badInput("Task.Latency", -1, ErrRange, "%v: want 0 to %v", t.Latency, maxSpan)
	case t.Instances <= 0:
		return badInput("Task.Instances", -1, ErrRange, "%d: want more than 0", t.Instances)
	case c.Every < 0 || c.Every > maxSpan:
		return badInput("Task.Checkpoints.Every", -1, ErrRange, "%v: want 0 to %v", c.Every, maxSpan)
	case c.Write < 0 || c.Write > maxSpan:
		return badInput("Task.Checkpoints.Write", -1, ErrRange, "%v: want 0 to %v", c.Write, maxSpan)
	case c.Restart < 0 || c.Restart > maxSpan:
		return badInput("Task.Checkpoints.Restart", -1, ErrRange, "%v: want 0 to %v", c.Restart, maxSpan)
	case c.Every > 0 && c.Write > 0 && t.Estimate/c.Every >= maxSpan/c.Write:
		return badInput("Task.Checkpoints.Write", -1, ErrRange, "%v every %v of %v: want at most %v in all", c.Write, c.Every, t.Estimate, maxSpan)
	}
	return nil
}

// Remaining returns how long the task still runs on demand, by its estimate, with that
// much of its work in a checkpoint. That is the rest and the time to read the checkpoint,
// or the whole run where that is shorter. It never grows with saved. A task that has
// saved its estimate and has not ended is taken to have a nanosecond left.
func (t *Task) Remaining(saved time.Duration) time.Duration {
	return min(t.Estimate, t.Checkpoints.Restart+max(t.Estimate-saved, 1))
}

// SpotRun returns how long the task runs on a spot cluster to its end, without an
// interruption: what remains, and the checkpoints on the way. There is none at
// the end.
func (t *Task) SpotRun(saved time.Duration) time.Duration {
	rest := t.Remaining(saved)
	work := rest
	if rest < t.Estimate {
		work -= t.Checkpoints.Restart
	}
	return rest + t.Checkpoints.stops(work)
}

// stops returns the time for the checkpoints within that much work.
func (c *Checkpoints) stops(work time.Duration) time.Duration {
	if c.Every == 0 {
		return 0
	}
	return (work - 1) / c.Every * c.Write
}

// slack returns by how much the task would beat its deadline on demand, requested
// now; negative if it would miss it.
func (t *Task) slack(now, saved time.Duration) time.Duration {
	return t.Deadline - now - t.Remaining(saved) - t.Latency
}

// PointOfNoReturn returns the last time at which the task may go on demand and still
// meets its deadline, by its estimate, with that much of its work in a checkpoint. It
// does not fall as saved grows. A task that would not have met it on demand from the
// start has it in the past.
func (t *Task) PointOfNoReturn(saved time.Duration) time.Duration {
	return t.Deadline - t.Latency - t.Remaining(saved)
}
