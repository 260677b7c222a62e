package schedule

import (
	"slices"
	"sort"
	"time"
)

// Conservative is backfilling in which every waiting job has a reservation:
// the earliest time at which it fits without touching any other's. A job that
// starts out of turn so delays nobody, not only not the top job. When nodes
// come free earlier than foreseen, the reservations are gone through in the
// queue's order and each is moved to the earliest time that is now possible;
// its old place is still free then, so that none ever moves back.
//
// Guarantee: no job starts later than the reservation that it got when it was
// submitted, unless nodes are removed from the cluster.
//
// Time: O(S) for a submission and O(Q·S) when nodes come free, with Q waiting
// jobs and S steps of the plan (at most two a job that runs or waits).
type Conservative struct {
	// Order is the priority by which the queue is ordered, nil for first come,
	// first served. Set it before the first Submit.
	Order Priority

	queue   []reservation // in the queue's order
	plan    []step        // free nodes from each time on; the last holds for ever
	running []release     // sorted; what Finish must find
	nodes   int
	changed bool
	waiting int // Σ nodes
}

type reservation struct {
	Job
	prio  float64
	start time.Duration
}

type step struct {
	at   time.Duration
	free int
}

// Reset empties the cluster, gives it nodes free nodes and keeps the memory.
func (s *Conservative) Reset(nodes int) {
	if nodes < 0 {
		panic("schedule: negative number of nodes")
	}
	s.queue, s.running = s.queue[:0], s.running[:0]
	s.plan = append(s.plan[:0], step{-Never, nodes})
	s.nodes, s.waiting, s.changed = nodes, 0, false
}

// begin gives the zero value its empty plan.
func (s *Conservative) begin() {
	if len(s.plan) == 0 {
		s.plan = append(s.plan, step{-Never, 0})
	}
}

// Submit puts a job into the queue and reserves its nodes.
func (s *Conservative) Submit(j Job) {
	checkJob(j)
	s.begin()
	r := reservation{Job: j}
	if s.Order != nil {
		if r.prio = s.Order(j); r.prio != r.prio {
			panic("schedule: priority is not a number")
		}
	}
	i := sort.Search(len(s.queue), func(i int) bool { return r.before(&s.queue[i]) })
	s.reserve(&r, j.Submit)
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
	if end.at > now {
		s.add(now, end.at, a.Nodes)
		s.changed = true
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
	s.nodes += n
	s.add(ready, Never, n)
	s.changed = true
}

// RemoveNodes takes n free nodes away and gives all waiting jobs new
// reservations, in the queue's order.
func (s *Conservative) RemoveNodes(n int, now time.Duration) {
	s.begin()
	s.forget(now)
	for i := range s.queue {
		s.cancel(&s.queue[i], now)
	}
	if n < 0 || n > s.plan[0].free {
		panic("schedule: removal of nodes that are not free")
	}
	s.nodes -= n
	s.add(now, Never, -n)
	for i := range s.queue {
		s.reserve(&s.queue[i], now)
	}
}

// AppendStarts appends the jobs that start at time now to dst.
func (s *Conservative) AppendStarts(dst []Allocation, now time.Duration) []Allocation {
	s.begin()
	s.forget(now)
	s.compress(now)
	kept := s.queue[:0]
	for _, r := range s.queue {
		if r.start > now {
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

// compress moves every reservation to the earliest time that is possible, in
// the queue's order, until none moves any more: a job that moves leaves a gap
// that an earlier one in the queue may fill.
func (s *Conservative) compress(now time.Duration) {
	for s.changed {
		s.changed = false
		for i := range s.queue {
			r := &s.queue[i]
			old := r.start
			if old <= now {
				continue
			}
			s.cancel(r, now)
			s.reserve(r, now)
			s.changed = s.changed || r.start != old
		}
	}
}

// reserve gives r the earliest start from now on.
func (s *Conservative) reserve(r *reservation, now time.Duration) {
	r.start = s.earliest(now, r.Nodes, r.Estimate)
	if r.start != Never {
		s.add(r.start, Allocation{r.Job, r.start}.End(), -r.Nodes)
	}
}

// cancel gives the nodes of r's reservation back to the plan.
func (s *Conservative) cancel(r *reservation, now time.Duration) {
	if r.start != Never {
		s.add(max(now, r.start), Allocation{r.Job, r.start}.End(), r.Nodes)
	}
}

// earliest returns the first time from now on at which nodes are free for a
// span.
func (s *Conservative) earliest(now time.Duration, nodes int, span time.Duration) time.Duration {
	start, open := Never, false
	for i := range s.plan {
		if i+1 < len(s.plan) && s.plan[i+1].at <= now {
			continue
		}
		if s.plan[i].free < nodes {
			open = false
			continue
		}
		if !open {
			start, open = max(now, s.plan[i].at), true
		}
		if i+1 < len(s.plan) && s.plan[i+1].at-start >= span {
			return start
		}
	}
	if !open {
		return Never
	}
	return start
}

// add changes the free nodes of the plan by n in [from, to).
func (s *Conservative) add(from, to time.Duration, n int) {
	if from >= to {
		return
	}
	i := s.cut(from)
	j := len(s.plan)
	if to != Never {
		j = s.cut(to)
	}
	for k := i; k < j; k++ {
		s.plan[k].free += n
	}
	// Steps without a step: at most the two ends.
	if j < len(s.plan) && s.plan[j].free == s.plan[j-1].free {
		s.plan = slices.Delete(s.plan, j, j+1)
	}
	if i > 0 && s.plan[i].free == s.plan[i-1].free {
		s.plan = slices.Delete(s.plan, i, i+1)
	}
}

// cut makes a step begin at t and returns its index.
func (s *Conservative) cut(t time.Duration) int {
	i := sort.Search(len(s.plan), func(i int) bool { return s.plan[i].at >= t })
	if i == len(s.plan) || s.plan[i].at != t {
		free := 0
		if i > 0 {
			free = s.plan[i-1].free
		}
		s.plan = slices.Insert(s.plan, i, step{t, free})
	}
	return i
}

// forget drops the part of the plan that is past.
func (s *Conservative) forget(now time.Duration) {
	i := sort.Search(len(s.plan), func(i int) bool { return s.plan[i].at > now })
	if i > 1 {
		s.plan = slices.Delete(s.plan, 0, i-1)
	}
}

// Top returns the first job of the queue and its reservation.
func (s *Conservative) Top(now time.Duration) (Job, time.Duration, bool) {
	if len(s.queue) == 0 {
		return Job{}, 0, false
	}
	s.compress(now)
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
	s.cancel(&s.queue[i], s.plan[0].at)
	s.waiting -= s.queue[i].Nodes
	s.queue = slices.Delete(s.queue, i, i+1)
	s.changed = true
	return true
}

// Start starts a job that is not in the queue, out of turn. Reservations that
// it is in the way of are made anew, with all others.
func (s *Conservative) Start(j Job, now time.Duration) Allocation {
	checkJob(j)
	s.begin()
	s.forget(now)
	for i := range s.queue {
		s.cancel(&s.queue[i], now)
	}
	if j.Nodes > s.plan[0].free {
		panic("schedule: start of a job that does not fit")
	}
	a := Allocation{j, now}
	s.add(now, a.End(), -a.Nodes)
	s.run(a)
	for i := range s.queue {
		s.reserve(&s.queue[i], now)
	}
	return a
}

// run notes what Finish must find.
func (s *Conservative) run(a Allocation) {
	end := release{a.End(), a.ID, a.Nodes}
	i := sort.Search(len(s.running), func(i int) bool { return !s.running[i].before(end) })
	s.running = slices.Insert(s.running, i, end)
}

// Waiting describes the queue.
func (s *Conservative) Waiting() Waiting { return Waiting{len(s.queue), s.waiting} }

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
	if len(s.plan) == 0 {
		return 0
	}
	return s.plan[0].free
}
