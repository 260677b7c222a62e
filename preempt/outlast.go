package preempt

import "time"

// OutlastTo fills dst with the chance of each job to outlast the grace period
// where its remaining run time is known, 1 or 0: what an oracle would give to
// [Preemption]. A simulation knows the true times, and a live system does not.
// It panics if dst and remaining differ in length or a time is negative.
func OutlastTo(dst []float64, remaining []time.Duration, grace time.Duration) {
	if len(dst) != len(remaining) {
		panic("preempt: chances and remaining times of different lengths")
	}
	if grace < 0 {
		panic("preempt: negative time")
	}
	for i, r := range remaining {
		if r < 0 {
			panic("preempt: negative time")
		}
		if dst[i] = 0; Outlasts(r, grace) {
			dst[i] = 1
		}
	}
}

// RequestedTo fills dst with the chance of each job to outlast the grace period
// as its user's estimate has it, 1 or 0: it remains what was requested less what
// has elapsed. Of a job without an estimate and of one that has outrun its own
// nothing is known, and the chance is 1: it counts in full. It panics if dst and
// jobs differ in length or the grace period is negative.
func RequestedTo(dst []float64, jobs []Job, grace time.Duration) {
	if len(dst) != len(jobs) {
		panic("preempt: chances and jobs of different lengths")
	}
	if grace < 0 {
		panic("preempt: negative time")
	}
	for i := range jobs {
		j := &jobs[i]
		dst[i] = 1
		if j.Requested > 0 && !j.overdue() && !Outlasts(j.Requested-j.Elapsed, grace) {
			dst[i] = 0
		}
	}
}
