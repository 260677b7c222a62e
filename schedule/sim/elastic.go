package sim

import (
	"time"

	"github.com/plimsoll/plimsoll/placement"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule"
)

// A pool holds the leased instances of all sites.
//
// Every leased instance is in exactly one place: in a request that boots, in its
// site's idle, or in the list of a job (running, or bound and waiting for its boot).
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
	for l >= 0 {
		r := &s.leases[l]
		in := placement.Instance{ID: r.id, Due: c.dueOf(r.start, s.now), Since: s.now}
		c.idle = append(c.idle, in)
		c.idleOf = append(c.idleOf, l)
		c.nextRelease = min(c.nextRelease, schedule.NextReleaseAt(in.Due, s.now, s.cfg.ReleaseEvery))
		l = r.next
	}
}

// dueOf returns when the next charge of a lease falls, now or later.
func (c *site) dueOf(start, now time.Duration) time.Duration {
	return start + c.cloud.Meter.NextCharge(now-start)
}

// watch makes up for a check that was skipped, once no job waits.
func (c *site) watch(s *Simulator) {
	if !c.skipped || c.schd.Waiting().Jobs > 0 {
		return
	}
	c.skipped = false
	c.refresh(s)
	for i := range c.idle {
		c.nextRelease = min(c.nextRelease, schedule.NextReleaseAt(c.idle[i].Due, s.now, s.cfg.ReleaseEvery))
	}
}

// refresh renews the leases of idle instances whose charge fell meanwhile.
func (c *site) refresh(s *Simulator) {
	for i := range c.idle {
		if in := &c.idle[i]; in.Due < s.now {
			in.Due = c.dueOf(s.leases[c.idleOf[i]].start, s.now)
		}
	}
}

// release is a release check: with an empty queue, idle instances that would be
// charged before the next check go.
//
// Invariant: unless skipped, nextRelease is at most the first check at which an
// instance that is idle now goes if it stays idle.
func (s *Simulator) release(c *site) {
	c.nextRelease = schedule.Never
	if c.schd.Waiting().Jobs > 0 {
		c.skipped = true
		return
	}
	c.refresh(s)
	k := 0
	for i, in := range c.idle {
		l := c.idleOf[i]
		if schedule.MustRelease(in.Due, s.now, s.cfg.ReleaseEvery) {
			s.end(c, l)
			continue
		}
		c.idle[k], c.idleOf[k] = in, l
		c.nextRelease = min(c.nextRelease, schedule.NextReleaseAt(in.Due, s.now, s.cfg.ReleaseEvery))
		k++
	}
	if gone := len(c.idle) - k; gone > 0 {
		c.idle, c.idleOf = c.idle[:k], c.idleOf[:k]
		c.schd.RemoveNodes(gone, s.now)
		s.note()
	}
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

// charged returns what all leases were charged for, and sums up their cost.
func (s *Simulator) charged() (all span, err error) {
	err = s.err
	for _, c := range s.sites {
		if err == nil {
			var cost pricing.Money
			if cost, err = c.usage.close(); err == nil {
				c.cost, err = c.cost.Add(cost)
			}
		}
		if err == nil {
			s.res.Cost, err = s.res.Cost.Add(c.cost)
		}
		all.sec += c.paid.sec
		all.add(time.Duration(c.paid.nsec), 1)
		c.sum(len(c.hours))
	}
	return all, err
}

// grow requests instances if the top job of a site's queue needs them.
func (s *Simulator) grow(c *site) {
	if s.cfg.Mode == Local {
		return
	}
	top, start, ok := c.schd.Top(s.now)
	if !ok {
		return
	}
	since := top.Submit
	if s.cfg.WaitFromNow {
		since = s.now
	}
	if !schedule.MustGrow(top, start, c.schd.Nodes(), since, s.cfg.WaitLimit) {
		return
	}
	switch {
	case s.cfg.Bound:
		s.bind(c)
		return
	case len(s.sites) > 1:
		s.assign(c)
		return
	}
	b := schedule.Backlog{Top: top.Nodes, All: c.schd.Waiting().Nodes, Long: c.long}
	if j, ok := c.schd.FirstWithin(s.cfg.Short); ok {
		b.FirstShort = j.Nodes
	}
	s.ask(c, s.cfg.Expansion.Nodes(b)-len(c.idle)-c.booting)
}

// unbound, as the job of a request, is no job.
const unbound = -1

// bind takes the jobs that the expansion covers out of the queue, gives each
// what is idle and requests the rest for it.
func (s *Simulator) bind(c *site) {
	s.cover(c)
	for _, j := range s.waiting {
		c.schd.Take(j)
		c.queued(j, s.cfg.Short, -1)
		if have := min(j.Nodes, len(c.idle)); have > 0 {
			c.schd.RemoveNodes(have, s.now)
			s.occupy(c, int(j.ID), have)
			j.Nodes -= have
		}
		if j.Nodes == 0 {
			s.startBound(c, int(j.ID))
		} else {
			s.request(c, j.Nodes, int(j.ID), 0)
		}
	}
}

// cover sets waiting to the jobs of a queue that the expansion has room for.
func (s *Simulator) cover(c *site) {
	s.waiting = c.schd.AppendWaiting(s.waiting[:0])
	if s.cfg.Expansion == schedule.FirstSize {
		s.waiting = s.waiting[:1]
	}
	if s.cfg.Expansion != schedule.BestSize {
		return
	}
	k, short := 0, false
	for _, j := range s.waiting {
		if j.Estimate <= s.cfg.Short {
			if short {
				continue
			}
			short = true
		}
		s.waiting[k] = j
		k++
	}
	s.waiting = s.waiting[:k]
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

// ask requests n instances of a cloud for whoever its scheduler chooses, if n is
// positive. It reports whether the cloud grants them; a cloud that refuses is
// asked again after a while.
func (s *Simulator) ask(c *site, n int) bool {
	if quota := c.cloud.Quota; quota > 0 && len(s.sites) == 1 {
		n = min(n, quota-c.held)
	}
	if n <= 0 {
		return true
	}
	var delay time.Duration
	if c.cloud.Ask != nil {
		if s.now < c.closed {
			return false
		}
		var granted bool
		if delay, granted = c.cloud.Ask(s.now, n); !granted {
			c.refused++
			c.closed = s.now + s.cfg.RetryEvery
			s.events.push(event{c.closed, order(retry, c.index)})
			return false
		}
		if delay < 0 || delay > maxTime {
			s.fail(badCloud("Ask", c.index, ErrRange, "a delay of %v: want a time from 0 to %.0f s", delay, maxTime.Seconds()))
			return true
		}
	}
	c.booting += n
	c.schd.AddNodes(n, s.now+s.request(c, n, unbound, delay))
	return true
}

// again looks at the queues once a cloud that refused may be asked again.
func (s *Simulator) again() {
	s.look(s.sites[0])
	s.note()
}

// look sees whether a queue has to grow: first that of the site where a job
// arrived or ended, then the others. Jobs may wait at a site where nothing runs.
func (s *Simulator) look(first *site) {
	s.grow(first)
	for _, c := range s.sites {
		if c != first {
			s.grow(c)
		}
	}
}

// request leases n > 0 instances for a job, or for whoever the scheduler
// chooses, and returns how long they boot.
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
	s.events.push(event{s.now + boot, order(booted, int(r))})
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
