package schedule

import "time"

// Let the top job need n nodes, with n > free(now). Its shadow time T is the first time
// with free(T) ≥ n, and its extra nodes are x = free(T) − n, counted after all that is
// free at T. A job j behind the top job may start now iff
//
//	n_j ≤ free(now)  and  (now + e_j ≤ T  or  n_j ≤ x).
//
// A job that ends by T gives its nodes back by then and leaves T and x alone. A job that
// does not end by T takes n_j from x and leaves T alone. So backfilling never puts T off,
// and an early end can only bring T forward. If the cluster is too small for the top job,
// T is [Never], and every job that fits starts.
//
// Invariant: after a pass no waiting job may start, and none becomes able to start until
// an event frees nodes or changes the top job.
//
// Proof. The pass goes through the queue once, in order. free(now) and x only fall during
// the pass and T stays, so a job refused early in the pass would be refused at its end.
// After the pass, time alone leaves free(now), T and x as they are until the next
// estimated end or the next node that is up, which count as events. Meanwhile the window
// T − now shrinks, so conditions only become harder. A submission that does not come to
// the top leaves all three values as they are, too: the jobs that waited stay refused, and
// only the new job needs a look. If the new job starts, free(now) and x fall once more. ∎
//
// So a submission costs O(1) beside its place in the queue, and only ends need a pass. A
// pass looks for the first job that meets the condition. Blocks of the queue with bounds of
// nodes and estimates answer that: see queue.go.

// EASY is backfilling with one reservation, after Lifka's Extensible Argonne Scheduling System
// [Lif95], the scheduler of [Niu16] section 7. Jobs start in the queue's order until a job does not
// fit: the top job. The top job gets a reservation at its shadow time: the earliest moment at which
// enough nodes are free by the estimates of the running jobs. A job further back starts now, out of
// turn, if the job fits and does not delay that reservation. A job does not delay the reservation
// if it ends by the shadow time, or if it needs no more than the extra nodes. The extra nodes are
// the free nodes at the shadow time that the top job does not need.
//
// Time, for R running and Q waiting jobs: O(log R) to find a running job in the list of expected
// ends, and O(R/64 + 64) for the shadow time. The queue is in blocks of 64 jobs. A block keeps
// bounds on the sizes and estimates of its jobs. A pass through the queue takes O(1) for a block if
// the bounds show that no job of the block can start, and up to 64 steps otherwise. The worst case,
// O(Q), comes if many jobs are a little too large for the free nodes.
//
// Guarantee: the top job starts by its shadow time, unless nodes are removed, the caller starts a
// job that AppendStarts did not return, or a job of higher priority arrives. No bound on the mean
// wait is known.
type EASY struct {
	// Order is the priority by which the queue is ordered, nil for first come,
	// first served. Set it while no job waits; Reset keeps it.
	Order func(Job) float64

	// Reservations is how many jobs at the top of the queue get a reservation when they
	// cannot start. No job further back delays a job with a reservation. 0 and 1 are
	// EASY. More reservations protect more jobs and leave less room to backfill: see
	// reservations.go. Set it while no job waits; Reset keeps it.
	Reservations int

	cluster
	plan plan // of a pass with several reservations
}

// Submit puts a job into the queue. Time: O(log Q), and O(1) for one that
// comes behind all others.
func (s *EASY) Submit(j Job) { s.submit(j, s.Order) }

// AppendStarts appends the jobs that start at time now to dst.
func (s *EASY) AppendStarts(dst []Allocation, now time.Duration) []Allocation {
	s.expire(now)
	if s.queue.len == 0 {
		s.changed, s.isNew = false, false
		return dst
	}
	if s.Reservations > 1 {
		if !s.changed && !s.isNew {
			return dst
		}
		return s.reservingPass(dst, now, s.Reservations)
	}
	if !s.changed {
		if !s.isNew {
			return dst
		}
		if s.added != s.queue.top() {
			s.isNew = false
			return s.backfillNew(dst, now)
		}
		s.fits = false
	}
	s.changed, s.isNew = false, false

	dst = s.startTop(dst, now)
	if s.queue.len < 2 || s.free == 0 {
		return dst
	}
	p := s.queue.top()
	s.fit(s.queue.job(p).Nodes)
	p.slot++
	for {
		var ok bool
		if p, ok = s.queue.next(p, s.free, s.window(now), s.extra); !ok {
			return dst
		}
		dst, p = s.backfill(dst, p, now)
	}
}

// window returns how long a job may be that ends by the shadow time.
func (s *EASY) window(now time.Duration) time.Duration {
	if s.shadow == Never {
		return Never
	}
	return s.shadow - now
}

// backfillNew starts the job that was just submitted if it may.
func (s *EASY) backfillNew(dst []Allocation, now time.Duration) []Allocation {
	j := s.queue.job(s.added)
	if j.Nodes > s.free {
		return dst
	}
	s.fit(s.queue.job(s.queue.top()).Nodes)
	if j.Estimate <= s.window(now) || j.Nodes <= s.extra {
		dst, _ = s.backfill(dst, s.added, now)
	}
	return dst
}

// backfill starts a job that does not delay the top job. The shadow time does not change;
// a job that runs beyond the shadow time uses extra nodes.
func (s *EASY) backfill(dst []Allocation, p place, now time.Duration) ([]Allocation, place) {
	if j := s.queue.job(p); j.Estimate > s.window(now) {
		s.extra -= j.Nodes
	}
	return s.start(dst, p, now)
}
