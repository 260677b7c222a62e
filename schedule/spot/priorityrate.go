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

// PriorityRate returns PR ([Huang13] Eq. (6)) at a time, with that much of the
// work in a checkpoint: 0 without one. It is negative iff the task misses its
// deadline even on demand, if the estimate is right.
func (t *Task) PriorityRate(now, saved time.Duration) float64 {
	return float64(t.slack(now, saved)) / float64(t.Remaining(saved))
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

// SafeThreshold returns the least safe value of th1. th1 is the threshold of [Huang13] for PR, the
// priority rate: a task whose PR is below th1 goes on demand. With a safe th1, a task that starts
// on a spot cluster and is interrupted at the last moment still meets its deadline on demand.
// interval is the time between two looks of the agents at their clusters, or 0 if they learn of
// events at once. The threshold is
//
//	th1 = (R_spot + T_latency + 3·interval) / R
//
// where T_latency is t.Latency, R is the time that the task still needs on demand, and R_spot is
// the time that it needs on a spot cluster, with its checkpoints. Without checkpoints R and R_spot
// are the estimate T_est, and th1 is 1 + (T_latency + 3·interval)/T_est.
//
// The paper's th1 is 1. After the agent's last look at PR, it leaves time for two runs and one
// latency. But two latencies may be necessary, one before each run: Algorithm 1 looks at PR only
// until the spot cluster is ready, and does not check the remaining latency after that (line 19).
// In addition, each of three looks may come an interval late:
//
//   - the look that sees the cluster ready, which comes before the test of PR (line 12 before 13),
//   - the look that sees the interruption (line 23),
//   - the look that sees the cluster on demand ready.
func (t *Task) SafeThreshold(saved, interval time.Duration) float64 {
	return float64(t.SpotRun(saved)+t.Latency+3*interval) / float64(t.Remaining(saved))
}
