package preempt

import (
	"math"
	"time"
)

// Estimates learns from jobs that have ended how far users' estimates of run times are off, and
// says how likely a running job is to outlast a grace period. In the log of [Duplyakin17] section
// 5, half of the jobs asked for more than 19.2 times their run time. The paper calls such estimates
// useless. But users repeat their errors. So the share of its request that a job has used so far
// says much about how long the job still runs.
//
// Estimates is a [Survival] that measures each time as a share of the job's requested time. Let a
// job have asked for the time R and run for e, and let g be the grace period. Let run be the whole
// run time, which is unknown. Estimates estimates
//
//	chance = Pr[run/R ≥ (e + g)/R | run/R > e/R]
//
// from the latest jobs of the job's group and of all groups, as Survival does.
//
// The zero value is ready. An Estimates is for one goroutine at a time.
type Estimates struct {
	// Window and Prior are those of a Survival. Set Window before the first job is learnt.
	Window int
	Prior  float64

	shares Survival
}

// whole is the request of a job on the clock of an Estimates: fine enough for a run time of
// a 4-billionth of the request, with room for one of 2³¹ times the request.
const whole = time.Duration(1) << 32

// share returns d as a share of a request.
func share(d, requested time.Duration) time.Duration {
	return time.Duration(min(float64(d)/float64(requested)*float64(whole), math.MaxInt64/4))
}

// Observe learns that a job of a group, which had asked for the run time requested, ended by
// itself after the time ran. A job without a request teaches nothing. It panics if a time or
// Window is negative. Cost: as [Survival.Observe].
func (e *Estimates) Observe(group int, requested, ran time.Duration) {
	e.learn(group, requested, ran, false)
}

// ObserveKilled learns that a job was killed after the time ran. Otherwise it is as Observe.
// A job that its own limit killed belongs to Observe.
func (e *Estimates) ObserveKilled(group int, requested, ran time.Duration) {
	e.learn(group, requested, ran, true)
}

func (e *Estimates) learn(group int, requested, ran time.Duration, killed bool) {
	if requested < 0 || ran < 0 {
		panic("preempt: negative time")
	}
	e.shares.Window, e.shares.Prior = e.Window, e.Prior
	if requested > 0 {
		e.shares.learn(group, life{share(ran, requested), killed})
	}
}

// Chance returns the chance that a job of a group outlasts a grace period. It is 1 for a job
// without a request. It panics if a time is negative, or if Prior is NaN or +Inf. Cost: as
// [Survival.Chance].
func (e *Estimates) Chance(group int, requested, elapsed, grace time.Duration) float64 {
	if requested < 0 || elapsed < 0 || grace < 0 {
		panic("preempt: negative time")
	}
	if requested == 0 {
		return 1
	}
	e.shares.Prior = e.Prior
	return e.shares.Chance(group, share(elapsed, requested), share(grace, requested))
}

// OutlastTo fills dst with the chance of each job to outlast the grace period; groups[i] is
// the group of jobs[i]. It panics if lengths differ, and as Chance does.
func (e *Estimates) OutlastTo(dst []float64, jobs []Job, groups []int, grace time.Duration) {
	if len(dst) != len(jobs) || len(groups) != len(jobs) {
		panic("preempt: chances, jobs and groups of different lengths")
	}
	for i := range jobs {
		dst[i] = e.Chance(groups[i], jobs[i].Requested, jobs[i].Elapsed, grace)
	}
}
