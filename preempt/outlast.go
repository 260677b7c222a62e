package preempt

import "time"

// OutlastTo fills dst with the chance of each job to outlast the grace period, 1 or 0,
// from its true remaining run time: an oracle for [Preemption]. A simulation knows the
// true times; a live system does not. It panics if the lengths of dst and remaining
// differ or a time is negative.
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

// RequestedTo fills dst with the chance of each job to outlast the grace period, 1 or 0, from its
// user's estimate: the remaining time is Requested less Elapsed. If a job has no estimate, or has
// run longer than its estimate, nothing is known and the chance is 1, so the job counts in full.
// RequestedTo panics if the lengths of dst and jobs differ or the grace period is negative.
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
