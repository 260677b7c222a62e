package schedule

import "time"

// FCFS starts jobs strictly in the queue's order: while the top job does not
// fit, nothing starts. With a priority it is list scheduling in that order.
// Time: O(1) an event and O(log R) a start, for R running jobs.
type FCFS struct {
	// Order is the priority by which the queue is ordered, as in [EASY].
	Order func(Job) float64

	cluster
}

// Submit puts a job into the queue.
func (s *FCFS) Submit(j Job) { s.submit(j, s.Order) }

// AppendStarts appends the jobs that start at time now to dst.
func (s *FCFS) AppendStarts(dst []Allocation, now time.Duration) []Allocation {
	s.expire(now)
	s.changed, s.isNew = false, false
	return s.startTop(dst, now)
}
