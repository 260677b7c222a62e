package sim

import (
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/internal/grow"
	"github.com/plimsoll/plimsoll/placement"
	"github.com/plimsoll/plimsoll/schedule"
	"github.com/plimsoll/plimsoll/schedule/internal/replay"
)

// A pool holds the leased instances of all sites.
//
// A span is a set of instances with consecutive numbers that were requested together and are in the
// same place. So the start or the end of a job takes one step for each span of the job, not for
// each instance. On a large machine that can be one step instead of a thousand.
//
// Every leased instance is in exactly one span, and every span in exactly one place. A place is a
// booting request, the idle spans of a site, or the instances of a job. The job runs, or waits for
// instances that boot for it. A job that needs a part of a span splits it. Two idle spans that
// follow each other become one again.
//
// placement.Random draws from the instances one by one. With Random every span is one instance, and
// the idle spans of a site have no order.
type pool struct {
	spans    []span
	freeSpan int32 // the first unused span, through next; -1 if none
	ids      int   // instances leased so far
	requests []request
	unused   int32 // the first unused request record
	waiting  []schedule.Job
	selector placement.Selector // for Random
	blank    []placement.Instance
	picked   []int
	err      error
}

// A span is n instances with the numbers from id on, leased from start on.
type span struct {
	start time.Duration
	id    int
	user  int // of the last job on them that Reformat matters to, if used
	n     int32
	next  int32
	used  bool
}

// An idleSpan is a span in the idle instances of a site.
type idleSpan struct {
	key  time.Duration // see Simulator.key
	due  time.Duration // the next charge
	id   int           // of the first instance
	span int32
	n    int32
}

// before reports whether a placement takes instances of a before those of b.
func (a *idleSpan) before(b *idleSpan) bool { return a.key < b.key || a.key == b.key && a.id < b.id }

// A request is a number of instances that boot together.
type request struct {
	first int32 // span
	n     int
	next  int32
	job   int32 // that they are bound to, unbound if to none
	site  int
}

func (p *pool) reset() {
	p.spans, p.freeSpan, p.ids = p.spans[:0], -1, 0
	p.requests, p.unused = p.requests[:0], -1
	p.err = nil
}

// newSpan returns an unused span.
func (p *pool) newSpan() int32 {
	if l := p.freeSpan; l >= 0 {
		p.freeSpan = p.spans[l].next
		return l
	}
	p.spans = append(p.spans, span{})
	return int32(len(p.spans) - 1)
}

func (p *pool) dropSpan(l int32) {
	p.spans[l].next = p.freeSpan
	p.freeSpan = l
}

// split takes the first n instances out of a longer span and returns them as a span.
func (p *pool) split(l int32, n int) int32 {
	f := p.newSpan()
	rest := &p.spans[l]
	p.spans[f] = *rest
	p.spans[f].n = int32(n)
	rest.id += n
	rest.n -= int32(n)
	return f
}

// key is what the placement policy sorts idle instances by: it takes the least keys,
// and of equal ones the least numbers.
func (s *Simulator) key(due, since time.Duration) time.Duration {
	switch s.cfg.Placement {
	case placement.MaxMarginFirst:
		return -due
	case placement.MinMarginFirst:
		return due
	case placement.MaxIdleFirst:
		return since
	case placement.MinIdleFirst:
		return -since
	}
	return 0
}

// occupy gives a job instances that are idle.
func (s *Simulator) occupy(c *site, slot int32, n int) {
	if s.cfg.Mode == Local {
		return
	}
	c.refresh(s)
	c.up -= n
	if s.cfg.Placement == placement.Random {
		s.occupyAny(c, slot, n)
		return
	}
	list := &s.live[slot].list
	for n > 0 {
		k := len(c.idle) - 1
		e := &c.idle[k]
		l := e.span
		if int(e.n) > n {
			e.id += n
			e.n -= int32(n)
			l = s.split(l, n)
			n = 0
		} else {
			n -= int(e.n)
			c.idle = c.idle[:k]
		}
		s.spans[l].next = *list
		*list = l
	}
}

// occupyAny is occupy for placement.Random.
func (s *Simulator) occupyAny(c *site, slot int32, n int) {
	s.blank = grow.To(s.blank, len(c.idle))
	s.picked = s.selector.AppendSelect(s.picked[:0], s.blank, n, placement.Random, s.cfg.Rand)
	list := &s.live[slot].list
	for _, p := range s.picked {
		e := &c.idle[p]
		s.spans[e.span].next = *list
		*list = e.span
		e.n = 0
	}
	if n == 1 {
		last := len(c.idle) - 1
		c.idle[s.picked[0]] = c.idle[last]
		c.idle = c.idle[:last]
		return
	}
	c.idle = slices.DeleteFunc(c.idle, func(e idleSpan) bool { return e.n == 0 })
}

// vacate makes the instances of a job idle.
func (s *Simulator) vacate(c *site, slot int32) {
	j := &s.live[slot]
	s.busy -= j.Nodes
	c.busy -= j.Nodes
	if s.cfg.Mode == Local {
		return
	}
	s.idleAll(c, j.list)
	j.list = -1
}

// idleAll makes a list of spans idle.
func (s *Simulator) idleAll(c *site, l int32) {
	due := schedule.Never
	for l >= 0 {
		r := &s.spans[l]
		next := r.next
		d := c.dueOf(r.start, s.now)
		due = min(due, d)
		c.up += int(r.n)
		s.idle(c, idleSpan{s.key(d, s.now), d, r.id, l, r.n})
		l = next
	}
	c.due = min(c.due, due)
	c.goes(s, due)
}

// idle puts a span in its place among the idle spans of a site: what is taken first is
// last.
func (s *Simulator) idle(c *site, e idleSpan) {
	if s.cfg.Placement == placement.Random {
		c.idle = append(c.idle, e)
		return
	}
	a := c.idle
	lo, hi := 0, len(a)
	for lo < hi {
		if m := int(uint(lo+hi) / 2); e.before(&a[m]) {
			lo = m + 1
		} else {
			hi = m
		}
	}
	// a[lo-1] is taken after e, a[lo] before it.
	if lo < len(a) && s.follows(&a[lo], &e) {
		s.spans[a[lo].span].n += e.n
		a[lo].n += e.n
		s.dropSpan(e.span)
		if lo > 0 && s.follows(&a[lo], &a[lo-1]) {
			s.spans[a[lo].span].n += a[lo-1].n
			a[lo].n += a[lo-1].n
			s.dropSpan(a[lo-1].span)
			c.idle = append(a[:lo-1], a[lo:]...)
		}
		return
	}
	if lo > 0 && s.follows(&e, &a[lo-1]) {
		r := &s.spans[a[lo-1].span]
		r.id, a[lo-1].id = e.id, e.id
		r.n += e.n
		a[lo-1].n += e.n
		s.dropSpan(e.span)
		return
	}
	c.idle = slices.Insert(a, lo, e)
}

// follows reports whether idle span b is what idle span a lacks to be one span.
func (s *Simulator) follows(a, b *idleSpan) bool {
	if a.key != b.key || a.id+int(a.n) != b.id {
		return false
	}
	x, y := &s.spans[a.span], &s.spans[b.span]
	return x.start == y.start && (s.cfg.Reformat == 0 || x.used == y.used && x.user == y.user)
}

// dueOf returns when the next charge of a lease falls, now or later.
func (c *site) dueOf(start, now time.Duration) time.Duration {
	return start + c.cloud.Meter.NextCharge(now-start)
}

// refresh renews the leases of idle instances whose charge fell meanwhile.
//
// Invariant: no idle instance is due before c.due.
func (c *site) refresh(s *Simulator) {
	if c.due >= s.now {
		return
	}
	c.due = schedule.Never
	for i := range c.idle {
		e := &c.idle[i]
		if e.due < s.now {
			e.due = c.dueOf(s.spans[e.span].start, s.now)
			switch s.cfg.Placement {
			case placement.MaxMarginFirst, placement.MinMarginFirst:
				e.key = s.key(e.due, 0)
			}
		}
		c.due = min(c.due, e.due)
	}
	switch s.cfg.Placement {
	case placement.MaxMarginFirst, placement.MinMarginFirst:
		slices.SortFunc(c.idle, func(a, b idleSpan) int {
			if b.before(&a) {
				return -1
			}
			return 1 // no two are equal
		})
	}
}

// end gives the instances of a span back.
func (s *Simulator) end(c *site, l int32) {
	r := &s.spans[l]
	n := int(r.n)
	if err := c.pay(r.start, s.now-r.start, n); err != nil {
		s.fail(err)
	}
	s.dropSpan(l)
	s.held -= n
	c.held -= n
	c.up -= n
}

// startBound starts a job whose instances are all up.
func (s *Simulator) startBound(c *site, slot int32) {
	j := s.job(slot)
	c.schd.AddNodes(j.Nodes, s.now)
	s.begin(c, slot, c.schd.Start(j, s.now))
}

// mixed notes whose job has its instances now, and reports whether one of them
// had a job of another user.
func (s *Simulator) mixed(slot int32) (others bool) {
	user := s.live[slot].User
	for l := s.live[slot].list; l >= 0; l = s.spans[l].next {
		r := &s.spans[l]
		others = others || r.used && r.user != user
		r.user, r.used = user, true
	}
	return others
}

// request leases n > 0 instances for a job, or for the jobs that the scheduler chooses,
// and returns how long they boot.
func (s *Simulator) request(c *site, n int, job int32) time.Duration {
	boot, err := s.boot(c, n)
	if err != nil {
		s.fail(err)
		return 0
	}
	if n > replay.MaxHeld-s.held {
		s.fail(badInput("Nodes", -1, ErrTooLarge, "%d instances at once: want at most %d", s.held+n, replay.MaxHeld))
		return 0
	}
	size := n
	if s.cfg.Placement == placement.Random {
		size = 1
	}
	first := int32(-1)
	for k := 0; k < n; k += size {
		l := s.newSpan()
		s.spans[l] = span{start: s.now, id: s.ids, n: int32(size), next: first}
		s.ids += size
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
	s.events.Push(s.now+boot, replay.Order(replay.Booted, int64(r)))
	return boot
}

// boot asks a cloud for a boot time.
func (s *Simulator) boot(c *site, n int) (time.Duration, error) {
	boot := c.cloud.Boot(n)
	if boot < 0 || boot > replay.MaxTime {
		return 0, badInput("Boot", -1, ErrRange, "%v for %d instances: want a time from 0 to %.0f s", boot, n, replay.MaxTime.Seconds())
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
		list := &s.live[job].list
		for l := s.requests[r].first; l >= 0; {
			next := s.spans[l].next
			s.spans[l].next = *list
			*list = l
			l = next
		}
		s.startBound(c, job)
	}
	s.requests[r].next = s.unused
	s.unused = int32(r)
	s.pass(c)
	s.note()
}
