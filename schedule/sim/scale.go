package sim

import (
	"time"

	"github.com/plimsoll/plimsoll/schedule"
)

// When the cluster grows and gives back: what the simulator shows to a
// [schedule.Autoscaler], and when; and how it carries out what the autoscaler decides.

// look sees whether a queue has to grow: first that of the site where a job
// arrived or ended, then the others. Jobs may wait at a site where nothing runs.
func (s *Simulator) look(first *site) {
	if s.cfg.Mode == Local {
		return
	}
	s.grow(first)
	for _, c := range s.sites {
		if c != first {
			s.grow(c)
		}
	}
}

// grow requests instances for a site if the autoscaler says so.
func (s *Simulator) grow(c *site) {
	top, start, ok := c.schd.Top(s.now)
	if !ok && s.cfg.Least == 0 {
		return
	}
	v := schedule.View{Now: s.now, Nodes: c.schd.Nodes(), Idle: c.up, Booting: c.booting, Top: top, Start: start, Until: c.until}
	switch {
	case s.scaler.Growth(&v) == schedule.CauseNone:
		return
	case s.cfg.Bound:
		s.bind(c)
		return
	case len(s.sites) > 1:
		s.assign(c)
		return
	}
	v.Backlog = schedule.Backlog{Top: v.Top.Nodes, All: c.schd.Waiting().Nodes, Long: c.long}
	if j, ok := c.schd.FirstWithin(s.cfg.Short); ok {
		v.Backlog.FirstShort = j.Nodes
	}
	d := s.scaler.Decide(nil, &v)
	switch {
	case d.Cause == schedule.CausePause:
		if c.wake != c.until {
			c.wake = c.until
			s.events.Push(c.wake, order(retry, c.index))
		}
	case d.Grow > 0 && s.ask(c, d.Grow):
		c.until = d.Until
	}
}

// unbound, as the job of a request, is no job.
const unbound int32 = -1

// bind takes the jobs that the expansion covers out of the queue, gives each
// what is idle and requests the rest for it.
func (s *Simulator) bind(c *site) {
	s.cover(c)
	for _, j := range s.waiting {
		c.schd.Take(j)
		c.queued(j, s.cfg.Short, -1)
		slot := s.slot(j.ID)
		if have := min(j.Nodes, c.up); have > 0 {
			c.schd.RemoveNodes(have, s.now)
			s.occupy(c, slot, have)
			j.Nodes -= have
		}
		if j.Nodes == 0 {
			s.startBound(c, slot)
		} else {
			s.request(c, j.Nodes, slot, 0)
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

// ask requests n instances of a cloud for the jobs that its scheduler chooses, if n is
// positive. It reports whether the cloud grants them; a cloud that refuses is asked again
// after a while.
func (s *Simulator) ask(c *site, n int) bool {
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
			s.events.Push(c.closed, order(retry, c.index))
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

// release is a release check: the autoscaler says which idle instances go.
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
	// Each instance is decided by itself, but for Least. So one of a span stands for all.
	each := s.cfg.Least > 0
	s.dues = s.dues[:0]
	for i := range c.idle {
		e := &c.idle[i]
		s.dues = append(s.dues, e.due)
		for k := int32(1); each && k < e.n; k++ {
			s.dues = append(s.dues, e.due)
		}
	}
	d := s.scaler.Decide(s.gone[:0], &schedule.View{Now: s.now, Nodes: c.schd.Nodes(), Idle: c.up, Booting: c.booting, Due: s.dues, Until: c.until})
	s.gone, c.until = d.Release, d.Until
	up, gone := c.up, s.gone
	k, first := 0, 0      // of the spans that stay; the first position of a span in dues
	due := schedule.Never // the first of those that stay and may go at a later check
	for _, e := range c.idle {
		size := int(e.n)
		if !each {
			size = 1
		}
		n := 0
		for n < len(gone) && gone[n] < first+size {
			n++
		}
		gone = gone[n:]
		first += size
		switch {
		case n == size:
			s.end(c, e.span)
			continue
		case n > 0:
			s.end(c, s.split(e.span, n))
			e.id += n
			e.n -= int32(n)
		}
		c.idle[k] = e
		k++
		if e.due-s.now >= s.cfg.ReleaseEvery {
			due = min(due, e.due)
		} else { // it would go, but for the least size or a pause
			c.nextRelease = s.scaler.NextCheck(0, max(s.now+1, c.until))
		}
	}
	c.idle = c.idle[:k]
	c.goes(s, due)
	if up -= c.up; up > 0 {
		c.schd.RemoveNodes(up, s.now)
		s.note()
	}
}

// watch makes up for a check that was skipped, once no job waits.
func (c *site) watch(s *Simulator) {
	if !c.skipped || c.schd.Waiting().Jobs > 0 {
		return
	}
	c.skipped = false
	c.refresh(s)
	due := schedule.Never
	for i := range c.idle {
		due = min(due, c.idle[i].due)
	}
	c.goes(s, due)
}

// goes notes that an idle instance whose next charge falls at due may go: NextCheck rises
// with due, so that the first charge of several decides.
func (c *site) goes(s *Simulator, due time.Duration) {
	if due != schedule.Never {
		c.nextRelease = min(c.nextRelease, s.scaler.NextCheck(due, s.now))
	}
}
