package schedule

import (
	"math"
	"time"
)

// EASY with reservations for the first k jobs. Between EASY, which protects the top job
// alone, and Conservative, which protects every job, lies a number k that most batch
// systems let an administrator set.
//
// A pass goes through the queue in order, on a plan of the free nodes by estimates. A job
// that fits now, for its whole estimate, without touching a reservation, starts. The
// first k other jobs get a reservation at the earliest time from which they fit. Jobs
// behind them start or wait, and reserve nothing. Reservations are made anew in each
// pass.
//
// With k = 1 this is EASY. Let j start now and not end by the shadow time T. Nodes only
// come free before T and after T, so the plan is at its least at now or at T. So j fits
// iff n_j ≤ free(now) and n_j ≤ free(T) − n_top, which is EASY's condition.
//
// Guarantee: the top job starts by the reservation that it was given, as under EASY. The
// second to k-th reservation may move back: an early end can bring a job ahead of them
// forward, into their room.
//
// Invariant: after a pass no waiting job may start, and none becomes able to until an
// event frees nodes or the queue changes. Proof: a job waits because some reservation or
// running job leaves too few nodes at a time within its span. As time passes, the span
// moves later and the reservations stay. If a job could not start at t and can start at
// t' > t, then too few nodes were free at some time in [t, t'), and an event has freed
// nodes since. ∎
//
// Time of a pass, with R running jobs, Q waiting jobs and S = R + 2k steps of the plan:
// O(R + k·S/64) for the reservations and O(S/64) for each job behind them that needs at
// most the free nodes. A pass follows each event, also a submission. Memory: O(R + k).

// reservingPass starts jobs, with reservations for the first k that cannot.
func (s *EASY) reservingPass(dst []Allocation, now time.Duration, k int) []Allocation {
	s.changed, s.isNew, s.fits = false, false, false
	s.plan.reset(s.free)
	for _, b := range s.profile.blocks {
		for _, r := range b.list[:b.n] {
			s.plan.extend(r.at, r.nodes)
		}
	}
	s.plan.rebound()
	reserved := 0
	for p := s.queue.top(); ; {
		room, until := math.MaxInt, Never
		if reserved == k { // from here on only what starts now matters
			if s.free == 0 {
				return dst
			}
			room, until = s.free, now+1
		}
		var ok bool
		if p, ok = s.queue.next(p, room, Never, 0); !ok {
			return dst
		}
		j := s.queue.job(p)
		a := Allocation{*j, s.plan.earliest(now, j.Nodes, j.Estimate, Never, until)}
		switch {
		case a.Start == now:
			s.plan.add(now, a.End(), -a.Nodes)
			dst, p = s.start(dst, p, now)
			continue
		case reserved < k:
			reserved++
			if a.Start != Never {
				s.plan.add(a.Start, a.End(), -a.Nodes)
			}
		}
		p.slot++
	}
}
