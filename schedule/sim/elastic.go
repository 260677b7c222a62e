package sim

import (
	"time"

	"github.com/plimsoll/plimsoll/placement"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule"
)

// elastic is the state of a cluster of leased instances.
//
// Every leased instance is in exactly one place: in a request that boots, in
// idle, or in the list of a job (running, or bound and waiting for its boot).
type elastic struct {
	leases   []lease
	free     int32 // the first unused lease record, through next; -1 if none
	ids      int   // instances leased so far
	idle     []placement.Instance
	idleOf   []int32 // the lease of each idle instance
	list     []int32 // by job: its first lease, -1 if none
	requests []request
	unused   int32 // the first unused request record
	booting  int   // instances
	waiting  []schedule.Job

	long        int // Σ nodes of waiting jobs with estimates above Short
	nextRelease time.Duration
	skipped     bool // a check, because jobs waited
	selector    placement.Selector
	picked      []int
	paid        span
	cost        pricing.Money
	err         error
}

type lease struct {
	start time.Duration
	id    int
	next  int32
}

// A request is a number of instances that boot together.
type request struct {
	first int32 // lease
	n     int
	next  int32
	job   int // that they are bound to, -1 if to none
}

func (e *elastic) reset(jobs int) {
	e.leases, e.free, e.ids = e.leases[:0], -1, 0
	e.idle, e.idleOf = e.idle[:0], e.idleOf[:0]
	if cap(e.list) < jobs {
		e.list = make([]int32, jobs)
	}
	e.list = e.list[:jobs]
	for i := range e.list {
		e.list[i] = -1
	}
	e.requests, e.unused, e.booting = e.requests[:0], -1, 0
	e.long, e.nextRelease, e.skipped = 0, schedule.Never, false
	e.paid, e.cost, e.err = span{}, 0, nil
}

// queued keeps the sums over the queue: job enters (1) or leaves (-1) it.
func (s *Simulator) queued(j schedule.Job, sign int) {
	if j.Estimate > s.cfg.Short {
		s.long += sign * j.Nodes
	}
}

// occupy gives a starting job its instances.
func (s *Simulator) occupy(job, n int) {
	if s.cfg.Mode == Local {
		return
	}
	s.refresh()
	s.picked = s.selector.AppendSelect(s.picked[:0], s.idle, n, s.cfg.Placement, s.cfg.Rand)
	for _, p := range s.picked {
		l := s.idleOf[p]
		s.leases[l].next = s.list[job]
		s.list[job] = l
		s.idleOf[p] = -1
	}
	if n == 1 {
		p, last := s.picked[0], len(s.idle)-1
		s.idle[p], s.idleOf[p] = s.idle[last], s.idleOf[last]
		s.idle, s.idleOf = s.idle[:last], s.idleOf[:last]
		return
	}
	k := 0
	for i, l := range s.idleOf {
		if l >= 0 {
			s.idle[k], s.idleOf[k] = s.idle[i], l
			k++
		}
	}
	s.idle, s.idleOf = s.idle[:k], s.idleOf[:k]
}

// vacate makes the instances of a job idle.
func (s *Simulator) vacate(job int) {
	s.busy -= s.jobs[job].Nodes
	if s.cfg.Mode == Local {
		return
	}
	s.idleAll(s.list[job])
	s.list[job] = -1
}

// idleAll makes a list of instances idle.
func (s *Simulator) idleAll(l int32) {
	for l >= 0 {
		r := &s.leases[l]
		in := placement.Instance{ID: r.id, Due: s.dueOf(r.start), Since: s.now}
		s.idle = append(s.idle, in)
		s.idleOf = append(s.idleOf, l)
		s.nextRelease = min(s.nextRelease, s.releaseAt(in.Due))
		l = r.next
	}
}

// dueOf returns when the next charge of a lease falls, now or later.
func (s *Simulator) dueOf(start time.Duration) time.Duration {
	return start + s.cfg.Meter.NextCharge(s.now-start)
}

// releaseAt returns the first release check that comes now or later at which an
// instance whose next charge falls at due may go. If the last check before that
// charge is past, the lease renews, and it is a check before a later charge.
func (s *Simulator) releaseAt(due time.Duration) time.Duration {
	if at := schedule.ReleaseAt(due, s.cfg.ReleaseEvery); at >= s.now {
		return at
	}
	return schedule.ReleaseAt(due, s.cfg.ReleaseEvery) + s.cfg.ReleaseEvery
}

// watch makes up for a check that was skipped, once no job waits.
func (s *Simulator) watch() {
	if !s.skipped || s.schd.Waiting().Jobs > 0 {
		return
	}
	s.skipped = false
	s.refresh()
	for i := range s.idle {
		s.nextRelease = min(s.nextRelease, s.releaseAt(s.idle[i].Due))
	}
}

// refresh renews the leases of idle instances whose charge fell meanwhile.
func (s *Simulator) refresh() {
	for i := range s.idle {
		if in := &s.idle[i]; in.Due < s.now {
			in.Due = s.dueOf(s.leases[s.idleOf[i]].start)
		}
	}
}

// release is a release check: with an empty queue, idle instances that would be
// charged before the next check go.
//
// Invariant: unless skipped, nextRelease is at most the first check at which an
// instance that is idle now goes if it stays idle.
func (s *Simulator) release() {
	s.nextRelease = schedule.Never
	if s.schd.Waiting().Jobs > 0 {
		s.skipped = true
		return
	}
	s.refresh()
	k := 0
	for i, in := range s.idle {
		l := s.idleOf[i]
		if in.Due < s.now+s.cfg.ReleaseEvery {
			s.end(l)
			continue
		}
		s.idle[k], s.idleOf[k] = in, l
		s.nextRelease = min(s.nextRelease, s.releaseAt(in.Due))
		k++
	}
	if gone := len(s.idle) - k; gone > 0 {
		s.idle, s.idleOf = s.idle[:k], s.idleOf[:k]
		s.schd.RemoveNodes(gone, s.now)
		s.note()
	}
}

// end gives an instance back.
func (s *Simulator) end(l int32) {
	r := &s.leases[l]
	s.pay(s.now - r.start)
	r.next = s.free
	s.free = l
	s.held--
}

func (s *Simulator) pay(length time.Duration) {
	s.paid.add(s.cfg.Meter.Charged(length), 1)
	cost, err := s.addCost(s.cost, length, 1)
	if err != nil {
		s.fail(err)
	}
	s.cost = cost
}

// charged returns what all leases were charged for.
func (s *Simulator) charged() (span, error) {
	s.res.Cost = s.cost
	return s.paid, s.err
}

// grow requests instances if the top job needs them.
func (s *Simulator) grow() {
	if s.cfg.Mode == Local {
		return
	}
	top, start, ok := s.schd.Top(s.now)
	if !ok {
		return
	}
	since := top.Submit
	if s.cfg.WaitFromNow {
		since = s.now
	}
	if !schedule.MustGrow(top, start, s.schd.Nodes(), since, s.cfg.WaitLimit) {
		return
	}
	if s.cfg.Bound {
		s.bind()
		return
	}
	b := schedule.Backlog{Top: top.Nodes, All: s.schd.Waiting().Nodes, Long: s.long}
	if j, ok := s.schd.FirstWithin(s.cfg.Short); ok {
		b.FirstShort = j.Nodes
	}
	n := s.cfg.Expansion.Nodes(b) - len(s.idle) - s.booting
	if n > 0 {
		s.booting += n
		s.schd.AddNodes(n, s.now+s.request(n, unbound))
	}
}

// unbound, as the job of a request, is no job.
const unbound = -1

// bind takes the jobs that the expansion covers out of the queue, gives each
// what is idle and requests the rest for it.
func (s *Simulator) bind() {
	short := false
	s.waiting = s.schd.AppendWaiting(s.waiting[:0])
	for i, j := range s.waiting {
		switch s.cfg.Expansion {
		case schedule.FirstSize:
			if i > 0 {
				continue
			}
		case schedule.BestSize:
			if j.Estimate <= s.cfg.Short {
				if short {
					continue
				}
				short = true
			}
		}
		s.schd.Take(j)
		s.queued(j, -1)
		if have := min(j.Nodes, len(s.idle)); have > 0 {
			s.schd.RemoveNodes(have, s.now)
			s.occupy(int(j.ID), have)
			j.Nodes -= have
		}
		if j.Nodes == 0 {
			s.startBound(int(j.ID))
		} else {
			s.request(j.Nodes, int(j.ID))
		}
	}
}

// startBound starts a job whose instances are all up.
func (s *Simulator) startBound(job int) {
	j := s.job(job)
	s.schd.AddNodes(j.Nodes, s.now)
	s.begin(s.schd.Start(j, s.now))
}

// request leases n > 0 instances for a job, or for whoever the scheduler
// chooses, and returns how long they boot.
func (s *Simulator) request(n, job int) time.Duration {
	boot, err := s.boot(n)
	if err != nil {
		s.fail(err)
		return 0
	}
	if n > maxHeld-s.held {
		s.fail(badInput("Nodes", -1, ErrTooLarge, "%d instances at once: want at most %d", s.held+n, maxHeld))
		return 0
	}
	first := int32(-1)
	for range n {
		l := s.free
		if l >= 0 {
			s.free = s.leases[l].next
		} else {
			l = int32(len(s.leases))
			s.leases = append(s.leases, lease{})
		}
		s.leases[l] = lease{s.now, s.ids, first}
		s.ids++
		first = l
	}
	r := s.unused
	if r >= 0 {
		s.unused = s.requests[r].next
	} else {
		r = int32(len(s.requests))
		s.requests = append(s.requests, request{})
	}
	s.requests[r] = request{first: first, n: n, job: job}
	s.held += n
	s.events.push(event{s.now + boot, order(booted, int(r))})
	return boot
}

// boot asks the configuration for a boot time.
func (s *Simulator) boot(n int) (time.Duration, error) {
	boot := s.cfg.Boot(n)
	if boot < 0 || boot > maxTime {
		return 0, badInput("Boot", -1, ErrRange, "%v for %d instances: want a time from 0 to %.0f s", boot, n, maxTime.Seconds())
	}
	return boot, nil
}

// arrive makes the instances of a request idle, unless they are bound to a job.
func (s *Simulator) arrive(r int) {
	if s.requests[r].job == unbound {
		s.booting -= s.requests[r].n
		s.idleAll(s.requests[r].first)
	}
}

// ready handles the event that a request's instances are up.
func (s *Simulator) ready(r int) {
	if job := s.requests[r].job; job != unbound {
		for l := s.requests[r].first; l >= 0; {
			next := s.leases[l].next
			s.leases[l].next = s.list[job]
			s.list[job] = l
			l = next
		}
		s.startBound(job)
	}
	s.requests[r].next = s.unused
	s.unused = int32(r)
	s.pass()
	s.note()
}
