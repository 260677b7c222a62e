package sim

import (
	"time"

	"github.com/plimsoll/plimsoll/placement"
	"github.com/plimsoll/plimsoll/schedule"
)

// A pool holds the leased instances of all sites.
//
// Every leased instance is in exactly one place: in a booting request, in the idle
// instances of its site, or in the list of a job (running, or bound and waiting for its
// boot).
type pool struct {
	leases   []lease
	free     int32   // the first unused lease record, through next; -1 if none
	ids      int     // instances leased so far
	list     []int32 // by job: its first lease, -1 if none
	requests []request
	unused   int32 // the first unused request record
	waiting  []schedule.Job
	selector placement.Selector
	picked   []int
	err      error
}

type lease struct {
	start time.Duration
	id    int
	next  int32
	last  int32 // the last job on it that Reformat matters to, -1 before the first
}

// A request is a number of instances that boot together.
type request struct {
	first int32 // lease
	n     int
	next  int32
	job   int // that they are bound to, -1 if to none
	site  int
}

func (p *pool) reset(jobs int) {
	p.leases, p.free, p.ids = p.leases[:0], -1, 0
	if cap(p.list) < jobs {
		p.list = make([]int32, jobs)
	}
	p.list = p.list[:jobs]
	for i := range p.list {
		p.list[i] = -1
	}
	p.requests, p.unused = p.requests[:0], -1
	p.err = nil
}

// occupy gives a job instances that are idle.
func (s *Simulator) occupy(c *site, job, n int) {
	if s.cfg.Mode == Local {
		return
	}
	c.refresh(s)
	s.picked = s.selector.AppendSelect(s.picked[:0], c.idle, n, s.cfg.Placement, s.cfg.Rand)
	for _, p := range s.picked {
		l := c.idleOf[p]
		s.leases[l].next = s.list[job]
		s.list[job] = l
		c.idleOf[p] = -1
	}
	if n == 1 {
		p, last := s.picked[0], len(c.idle)-1
		c.idle[p], c.idleOf[p] = c.idle[last], c.idleOf[last]
		c.idle, c.idleOf = c.idle[:last], c.idleOf[:last]
		return
	}
	k := 0
	for i, l := range c.idleOf {
		if l >= 0 {
			c.idle[k], c.idleOf[k] = c.idle[i], l
			k++
		}
	}
	c.idle, c.idleOf = c.idle[:k], c.idleOf[:k]
}

// vacate makes the instances of a job idle.
func (s *Simulator) vacate(c *site, job int) {
	s.busy -= s.jobs[job].Nodes
	c.busy -= s.jobs[job].Nodes
	if s.cfg.Mode == Local {
		return
	}
	s.idleAll(c, s.list[job])
	s.list[job] = -1
}

// idleAll makes a list of instances idle.
func (s *Simulator) idleAll(c *site, l int32) {
	due := schedule.Never
	for l >= 0 {
		r := &s.leases[l]
		in := placement.Instance{ID: r.id, Due: c.dueOf(r.start, s.now), Since: s.now}
		c.idle = append(c.idle, in)
		c.idleOf = append(c.idleOf, l)
		due = min(due, in.Due)
		l = r.next
	}
	c.goes(s, due)
}

// dueOf returns when the next charge of a lease falls, now or later.
func (c *site) dueOf(start, now time.Duration) time.Duration {
	return start + c.cloud.Meter.NextCharge(now-start)
}

// end gives an instance back.
func (s *Simulator) end(c *site, l int32) {
	r := &s.leases[l]
	if err := c.pay(r.start, s.now-r.start, 1); err != nil {
		s.fail(err)
	}
	r.next = s.free
	s.free = l
	s.held--
	c.held--
}

// startBound starts a job whose instances are all up.
func (s *Simulator) startBound(c *site, job int) {
	j := s.job(job)
	c.schd.AddNodes(j.Nodes, s.now)
	s.begin(c, c.schd.Start(j, s.now))
}

// mixed notes whose job has its instances now, and reports whether one of them
// had a job of another user.
func (s *Simulator) mixed(job int) (others bool) {
	user := s.jobs[job].User
	for l := s.list[job]; l >= 0; l = s.leases[l].next {
		r := &s.leases[l]
		others = others || r.last >= 0 && s.jobs[r.last].User != user
		r.last = int32(job)
	}
	return others
}

// request leases n > 0 instances for a job, or for the jobs that the scheduler chooses,
// and returns how long they boot.
func (s *Simulator) request(c *site, n, job int, delay time.Duration) time.Duration {
	boot, err := s.boot(c, n)
	if err != nil {
		s.fail(err)
		return 0
	}
	boot += delay
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
		s.leases[l] = lease{s.now, s.ids, first, -1}
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
	s.requests[r] = request{first: first, n: n, job: job, site: c.index}
	s.held += n
	c.held += n
	c.begin(s.now, n)
	s.events.Push(s.now+boot, order(booted, int(r)))
	return boot
}

// boot asks a cloud for a boot time.
func (s *Simulator) boot(c *site, n int) (time.Duration, error) {
	boot := c.cloud.Boot(n)
	if boot < 0 || boot > maxTime {
		return 0, badInput("Boot", -1, ErrRange, "%v for %d instances: want a time from 0 to %.0f s", boot, n, maxTime.Seconds())
	}
	return boot, nil
}

// arrive makes the instances of a request idle, unless they are bound to a job.
func (s *Simulator) arrive(r int) {
	if q := &s.requests[r]; q.job == unbound {
		c := s.sites[q.site]
		c.booting -= q.n
		s.idleAll(c, q.first)
	}
}

// ready handles the event that a request's instances are up.
func (s *Simulator) ready(r int) {
	c := s.sites[s.requests[r].site]
	if job := s.requests[r].job; job != unbound {
		for l := s.requests[r].first; l >= 0; {
			next := s.leases[l].next
			s.leases[l].next = s.list[job]
			s.list[job] = l
			l = next
		}
		s.startBound(c, job)
	}
	s.requests[r].next = s.unused
	s.unused = int32(r)
	s.pass(c)
	s.note()
}
