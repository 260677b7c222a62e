package spot

import (
	"math"
	"time"

	"github.com/plimsoll/plimsoll/internal/enum"
)

// How urgent is a task with a deadline? The priority rate of [Huang13] Eq. (6)
// compares the slack that is left, if the task went on demand now, with its run
// time:
//
//	PR = (T_deadline − T_now − T_est − T_latency) / T_est
//
// So PR + 1 is how often the task could run until the deadline, one after the other on
// one cluster. Two thresholds th1 < th2 cut the range in three (Table II). Below th1 a
// task goes on demand, from th1 to th2 on a spot cluster with a high bid, and above th2
// on a spot cluster with a low bid.
//
// With checkpoints T_est is what is left of the run: see [Task.Remaining].
//
// PR as a float64 is for people. Tiers compare the slack with th·T_est in whole
// nanoseconds, so that a tier begins and ends at an exact time, which an agent
// can wait for.

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

// PriorityRate returns PR ([Huang13] Eq. (6)) at a time, with that much of the
// work in a checkpoint: 0 without one. It is negative iff the task misses its
// deadline even on demand, if the estimate is right.
func (t *Task) PriorityRate(now, saved time.Duration) float64 {
	return float64(t.slack(now, saved)) / float64(t.Remaining(saved))
}

// PointOfNoReturn returns the last time at which the task may go on demand and still
// meets its deadline, by its estimate, with that much of its work in a checkpoint. It
// does not fall as saved grows. A task that would not have met it on demand from the
// start has it in the past.
func (t *Task) PointOfNoReturn(saved time.Duration) time.Duration {
	return t.Deadline - t.Latency - t.Remaining(saved)
}

// A Tier is how urgent a task is, and the agent that takes such tasks ([Huang13]
// Table II). A lower value is more urgent.
type Tier uint8

const (
	TierHigh   Tier = iota // on demand
	TierMedium             // spot, with a bid that is seldom exceeded
	TierLow                // spot, with a low bid
)

var tiers = enum.New[Tier]("spot", "Tier", ErrRange, "high", "medium", "low")

// String returns "high", "medium" or "low", and Tier(7) for a value 7 that is none of
// the constants.
func (t Tier) String() string { return tiers.String(t) }

// Thresholds are th1 and th2 of [Huang13] Table II. The zero value stands for the
// paper's, 1 and 2. Both at +Inf send every task on demand, both at −Inf none.
type Thresholds struct {
	Medium float64 // th1: the least PR of a medium task
	Low    float64 // th2: a low task has a greater PR; ≥ Medium
}

// defaultThresholds returns the paper's, 1 and 2.
func defaultThresholds() Thresholds { return Thresholds{Medium: 1, Low: 2} }

// orDefault returns the thresholds, or the paper's for the zero value.
func (h Thresholds) orDefault() Thresholds {
	if h == (Thresholds{}) {
		return defaultThresholds()
	}
	return h
}

// valid reports whether Medium ≤ Low, both numbers.
func (h Thresholds) valid() bool { return h.Medium <= h.Low }

// Tier returns the tier of a task at a time: high iff PR < th1, low iff PR > th2.
// It panics if th1 > th2 or one is not a number.
func (h Thresholds) Tier(t *Task, now, saved time.Duration) Tier {
	h = h.orDefault()
	if !h.valid() {
		panic("spot: thresholds out of order")
	}
	slack, rest := t.slack(now, saved), t.Remaining(saved)
	switch {
	case slack > times(h.Low, rest, math.Floor):
		return TierLow
	case slack < times(h.Medium, rest, math.Ceil):
		return TierHigh
	}
	return TierMedium
}

// leaves returns the first time at which a task of that tier has become more
// urgent, if its progress stays: Never for the high tier.
func (h Thresholds) leaves(t *Task, tier Tier, saved time.Duration) time.Duration {
	h = h.orDefault()
	rest := t.Remaining(saved)
	var slack time.Duration // the most that is more urgent
	switch tier {
	case TierLow:
		slack = times(h.Low, rest, math.Floor)
	case TierMedium:
		slack = times(h.Medium, rest, math.Ceil) - 1
	default:
		return Never
	}
	if slack <= -farSlack {
		return Never
	}
	return t.PointOfNoReturn(saved) - slack
}

// farSlack is beyond the slack of every task, and far enough from the ends of a
// Duration to be added to one.
const farSlack = time.Duration(math.MaxInt64 / 2)

// times returns th·rest, rounded as told, within ±farSlack.
func times(th float64, rest time.Duration, round func(float64) float64) time.Duration {
	v := round(float64(th * float64(rest)))
	switch {
	case v >= float64(farSlack):
		return farSlack
	case v <= -float64(farSlack):
		return -farSlack
	}
	return time.Duration(v)
}

// SafeThreshold returns the least safe th1, the threshold of [Huang13] below which a task goes on
// demand. With a safe th1, a task that starts on a spot cluster and is interrupted at the last
// moment still meets its deadline on demand. interval is the time between two looks of the agents
// at their clusters, or 0 if they learn of events at once. The threshold is
//
//	th1 = (R_spot + T_latency + 3·interval) / R
//
// where R is the time that the task still needs on demand, and R_spot the time that it needs on a
// spot cluster, with its checkpoints. Without checkpoints th1 is
// 1 + (T_latency + 3·interval)/T_est.
//
// The paper's th1 of 1 leaves time for two runs and one latency, from the agent's last look at PR,
// the priority rate, on. But the latency is due twice, once before each run: Algorithm 1 looks at
// PR only until the cluster is ready, and nothing guards the latency that is left then (line 19).
// And each of three looks may come an interval late:
//
//   - the look that sees the cluster ready, which comes before the test of PR (line 12 before 13),
//   - the look that sees the interruption (line 23),
//   - the look that sees the cluster on demand ready.
func (t *Task) SafeThreshold(saved, interval time.Duration) float64 {
	return float64(t.SpotRun(saved)+t.Latency+3*interval) / float64(t.Remaining(saved))
}
