package schedule

import (
	"slices"
	"sort"
	"time"
)

// Conservative is backfilling in which every waiting job has a reservation: its nodes are set aside
// from the earliest time at which the job fits beside the other reservations. So a job that starts
// before a job ahead of it delays no waiting job. When nodes come free earlier than foreseen, each
// reservation moves to the earliest time that is now possible, in the queue's order. The old place
// of a reservation remains possible, so no reservation moves to a later time.
//
// Guarantee: no job starts later than its first reservation. There are three exceptions: nodes are
// removed from the cluster, the caller starts a job that AppendStarts did not return, or the caller
// does not call AppendStarts when a reservation begins. In these cases all jobs get new
// reservations, in the queue's order.
//
// Time: let Q jobs wait, and let S be the steps of the plan, the number of free nodes over time.
// There are at most two steps for each job that runs or waits. A submission takes O(S) at worst;
// blocks of 64 steps are skipped as a whole where possible. When nodes come free early,
// Conservative goes through all reservations, and again until no reservation moves. A reservation
// that the freed nodes cannot help takes O(log S). Every other reservation takes O(S) at worst. So
// an early end costs between O(Q·log S) and a small multiple of O(Q·S). Any other event at which no
// reservation begins costs O(log S). Conservative is for queues of hundreds: a flood of 4,000
// waiting jobs took half a minute where EASY takes milliseconds.
type Conservative struct {
	// Order is the priority by which the queue is ordered, as in [EASY].
	Order func(Job) float64

	queue   []reservation // in the queue's order
	plan    plan
	running []release // sorted; what Finish must find
	nodes   int
	freed   time.Duration // nodes came free since the reservations were made, till then at most
	soonest time.Duration // no reservation starts before it
	waiting int           // Σ nodes
}

type reservation struct {
	Job
	prio  float64
	start time.Duration
}

// Reset empties the cluster, gives it nodes free nodes and keeps the memory.
func (s *Conservative) Reset(nodes int) {
	if nodes < 0 {
		panic("schedule: negative number of nodes")
	}
	s.queue, s.running = s.queue[:0], s.running[:0]
	s.plan.reset(nodes)
	s.nodes, s.waiting, s.freed, s.soonest = nodes, 0, 0, Never
}

// begin gives the zero value its empty plan.
func (s *Conservative) begin() {
	if len(s.plan.blocks) == 0 {
		s.Reset(0)
	}
}

// Submit puts a job into the queue and reserves its nodes.
func (s *Conservative) Submit(j Job) {
	checkJob(j)
	checkSum(s.waiting, j.Nodes)
	s.begin()
	r := reservation{Job: j, prio: valueOf(s.Order, j)}
	i := sort.Search(len(s.queue), func(i int) bool { return r.before(&s.queue[i]) })
	s.reserve(&r, s.plan.earliest(max(j.Submit, s.plan.from()), j.Nodes, j.Estimate, Never, Never))
	s.queue = slices.Insert(s.queue, i, r)
	s.waiting += j.Nodes
}

func (r *reservation) before(o *reservation) bool {
	if r.prio != o.prio {
		return r.prio > o.prio
	}
	if r.Submit != o.Submit {
		return r.Submit < o.Submit
	}
	return r.ID < o.ID
}

// Finish takes a running job's nodes back.
func (s *Conservative) Finish(a Allocation, now time.Duration) {
	end := release{a.End(), a.ID, a.Nodes}
	i := sort.Search(len(s.running), func(i int) bool { return !s.running[i].before(end) })
	if i == len(s.running) || s.running[i] != end {
		panic("schedule: finish of a job that does not run")
	}
	s.running = slices.Delete(s.running, i, i+1)
	s.plan.forget(now)
	if end.at > now {
		s.plan.add(now, end.at, a.Nodes)
		s.freed = max(s.freed, end.at)
	}
}

// AddNodes makes the cluster n nodes larger from the time ready on.
func (s *Conservative) AddNodes(n int, ready time.Duration) {
	if n < 0 {
		panic("schedule: negative number of nodes")
	}
	s.begin()
	if n == 0 {
		return
	}
	checkSum(s.nodes, n)
	s.nodes += n
	s.plan.add(ready, Never, n)
	s.freed = Never
}

// RemoveNodes takes n free nodes away and gives all waiting jobs new
// reservations, in the queue's order.
func (s *Conservative) RemoveNodes(n int, now time.Duration) {
	s.begin()
	s.plan.forget(now)
	if n < 0 || n > s.idle(now) {
		panic("schedule: removal of nodes that are not free")
	}
	s.cancelAll(now)
	s.nodes -= n
	s.plan.add(now, Never, -n)
	s.reserveAll(now)
}

// AppendStarts appends the jobs that start at time now to dst.
func (s *Conservative) AppendStarts(dst []Allocation, now time.Duration) []Allocation {
	s.begin()
	s.advance(now)
	if s.soonest > now {
		return dst
	}
	s.soonest = Never
	kept := s.queue[:0]
	for _, r := range s.queue {
		if r.start > now {
			s.soonest = min(s.soonest, r.start)
			kept = append(kept, r)
			continue
		}
		s.waiting -= r.Nodes
		a := Allocation{r.Job, now}
		s.run(a)
		dst = append(dst, a)
	}
	s.queue = kept
	return dst
}

// advance brings the plan and the reservations up to the present.
func (s *Conservative) advance(now time.Duration) {
	s.plan.forget(now)
	if s.soonest < now && slices.ContainsFunc(s.queue, func(r reservation) bool { return r.start < now }) {
		s.cancelAll(now)
		s.reserveAll(now)
	}
	s.compress(now)
}

// compress moves every reservation to the earliest possible time, in the queue's order. It goes
// through the queue again until no reservation moves, since a job that moves leaves a gap that a
// job ahead of it may fill.
//
// When compress returns, no reservation can move to an earlier time. The passage of time alone
// changes nothing in this. A reservation can move again only after nodes come free that the plan
// did not count on, for example because a job ended early. The field s.freed is the end of the
// time for which they are extra nodes. From s.freed on, the plan has counted on them before. So an
// earlier place for a job must begin before s.freed, and compress looks for no other place. If no
// nodes came free, s.freed is not after now, and compress does nothing.
func (s *Conservative) compress(now time.Duration) {
	for moved := s.freed > now; moved; {
		moved = false
		for i := range s.queue {
			r := &s.queue[i]
			if at := s.plan.earliest(now, r.Nodes, r.Estimate, r.start, s.freed); at < r.start {
				s.freed = max(s.freed, Allocation{r.Job, r.start}.End())
				s.cancel(r, now)
				s.reserve(r, at)
				moved = true
			}
		}
	}
	s.freed = 0
}

// reserve gives r its nodes from start on, unless that is Never.
func (s *Conservative) reserve(r *reservation, start time.Duration) {
	r.start = start
	s.soonest = min(s.soonest, start)
	if start != Never {
		s.plan.add(start, Allocation{r.Job, start}.End(), -r.Nodes)
	}
}

// cancel gives the nodes of r's reservation from now on back to the plan.
func (s *Conservative) cancel(r *reservation, now time.Duration) {
	if r.start != Never {
		s.plan.add(max(now, r.start), Allocation{r.Job, r.start}.End(), r.Nodes)
	}
}

// cancelAll cancels every reservation, and reserveAll makes them anew, in the
// queue's order, from now on.
func (s *Conservative) cancelAll(now time.Duration) {
	for i := range s.queue {
		s.cancel(&s.queue[i], now)
	}
}

func (s *Conservative) reserveAll(now time.Duration) {
	s.soonest = Never
	for i := range s.queue {
		r := &s.queue[i]
		s.reserve(r, s.plan.earliest(now, r.Nodes, r.Estimate, Never, Never))
	}
	s.freed = 0
}

// Top returns the first job of the queue and its reservation.
func (s *Conservative) Top(now time.Duration) (Job, time.Duration, bool) {
	s.begin()
	s.advance(now)
	if len(s.queue) == 0 {
		return Job{}, 0, false
	}
	return s.queue[0].Job, s.queue[0].start, true
}

// FirstWithin returns the first waiting job whose estimate is at most limit.
func (s *Conservative) FirstWithin(limit time.Duration) (Job, bool) {
	for i := range s.queue {
		if s.queue[i].Estimate <= limit {
			return s.queue[i].Job, true
		}
	}
	return Job{}, false
}

// Take removes a waiting job from the queue without starting it.
func (s *Conservative) Take(j Job) bool {
	i := slices.IndexFunc(s.queue, func(r reservation) bool { return r.ID == j.ID })
	if i < 0 {
		return false
	}
	if r := &s.queue[i]; r.start != Never {
		s.cancel(r, s.plan.from())
		s.freed = max(s.freed, Allocation{r.Job, r.start}.End())
	}
	s.waiting -= s.queue[i].Nodes
	s.queue = slices.Delete(s.queue, i, i+1)
	return true
}

// Start starts a job that is not in the queue, out of turn. Reservations that
// it is in the way of are made anew, with all others.
func (s *Conservative) Start(j Job, now time.Duration) Allocation {
	checkJob(j)
	s.begin()
	s.plan.forget(now)
	if j.Nodes > s.idle(now) {
		panic("schedule: start of a job that does not fit")
	}
	s.cancelAll(now)
	a := Allocation{j, now}
	s.plan.add(now, a.End(), -a.Nodes)
	s.run(a)
	s.reserveAll(now)
	return a
}

// idle returns how many nodes no running job holds now, reserved ones included.
func (s *Conservative) idle(now time.Duration) int {
	idle := s.plan.free()
	for i := range s.queue {
		if r := &s.queue[i]; r.start <= now && (Allocation{r.Job, r.start}).End() > now {
			idle += r.Nodes
		}
	}
	return idle
}

// run notes what Finish must find.
func (s *Conservative) run(a Allocation) {
	end := release{a.End(), a.ID, a.Nodes}
	i := sort.Search(len(s.running), func(i int) bool { return !s.running[i].before(end) })
	s.running = slices.Insert(s.running, i, end)
}

// Waiting describes the queue.
func (s *Conservative) Waiting() (jobs, nodes int) { return len(s.queue), s.waiting }

// AppendWaiting appends the jobs that wait to dst, in the queue's order.
func (s *Conservative) AppendWaiting(dst []Job) []Job {
	for i := range s.queue {
		dst = append(dst, s.queue[i].Job)
	}
	return dst
}

// Nodes returns the size of the cluster, nodes that are not ready yet included.
func (s *Conservative) Nodes() int { return s.nodes }

// Free returns how many nodes are ready and free, reservations that begin now
// taken off.
func (s *Conservative) Free() int {
	if len(s.plan.blocks) == 0 {
		return 0
	}
	return s.plan.free()
}
