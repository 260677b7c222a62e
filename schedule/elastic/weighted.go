package elastic

import (
	"time"

	"github.com/plimsoll/plimsoll/internal/wide"
	"github.com/plimsoll/plimsoll/schedule"
)

// AWQT is the average weighted queued time of the jobs that wait now: Σ n·(now − submit)
// / Σ n over the jobs, with n the nodes of a job ([Marshall12] section III.B). It is
// exact but for the part of a nanosecond, which is cut off, and 0 without jobs. It panics
// if a job was submitted after now or has no nodes. Time: O(jobs).
func AWQT(jobs []schedule.Job, now time.Duration) time.Duration {
	var m weighted
	for i := range jobs {
		m.add(jobs[i].Nodes, now-jobs[i].Submit)
	}
	return m.mean()
}

// AWRT is the average weighted response time of jobs that have ended, job i at
// ends[i]: Σ n·(end − submit) / Σ n ([Marshall12] section V), rounded as by
// [AWQT]. It panics if the lengths differ, a job ended before it was submitted,
// or a job has no nodes. Time: O(jobs).
func AWRT(jobs []schedule.Job, ends []time.Duration) time.Duration {
	if len(jobs) != len(ends) {
		panic("elastic: jobs and ends differ in length")
	}
	var m weighted
	for i := range jobs {
		m.add(jobs[i].Nodes, ends[i]-jobs[i].Submit)
	}
	return m.mean()
}

// weighted is a mean of spans by nodes; the sum has 128 bits.
type weighted struct {
	sum   wide.Uint
	nodes uint64
}

func (m *weighted) add(nodes int, d time.Duration) {
	if nodes <= 0 || d < 0 {
		panic("elastic: a mean of spans needs positive nodes and spans that are not negative")
	}
	m.sum.AddProduct(uint64(nodes), uint64(d))
	m.nodes += uint64(nodes)
}

func (m *weighted) mean() time.Duration {
	if m.nodes == 0 {
		return 0
	}
	// A mean is at most the largest span, so that the quotient fits.
	q, _, _ := m.sum.Over(m.nodes)
	return time.Duration(q)
}
