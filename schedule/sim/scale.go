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
	if !ok {
		return
	}
	v := schedule.View{Now: s.now, Nodes: c.schd.Nodes(), Idle: c.up, Booting: c.booting, Top: top, Start: start}
	switch {
	case s.scaler.Growth(&v) == schedule.CauseNone:
		return
	case s.cfg.bound:
		s.bind(c)
		return
	case len(s.sites) > 1:
		s.assign(c)
		return
	}
	_, v.All = c.schd.Waiting()
	v.Long = c.long
	if j, ok := c.schd.FirstWithin(s.cfg.Short); ok {
		v.FirstShort = j.Nodes
	}
	s.ask(c, s.scaler.Decide(nil, &v).Grow)
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
			s.request(c, j.Nodes, slot)
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
// positive.
func (s *Simulator) ask(c *site, n int) {
	if n > 0 {
		c.booting += n
		c.schd.AddNodes(n, s.now+s.request(c, n, unbound))
	}
}

// release is a release check: the autoscaler says which idle instances go.
//
// Invariant: unless skipped, nextRelease is at most the first check at which an
// instance that is idle now goes if it stays idle.
func (s *Simulator) release(c *site) {
	c.nextRelease = schedule.Never
	if jobs, _ := c.schd.Waiting(); jobs > 0 {
		c.skipped = true
		return
	}
	c.refresh(s)
	s.dues = s.dues[:0] // each instance is decided by itself, so that one of a span stands for all
	for i := range c.idle {
		s.dues = append(s.dues, c.idle[i].due)
	}
	s.gone = s.scaler.Decide(s.gone[:0], &schedule.View{Now: s.now, Nodes: c.schd.Nodes(), Idle: c.up, Booting: c.booting, Due: s.dues}).Release
	up, gone := c.up, s.gone
	k := 0                // of the spans that stay
	due := schedule.Never // the first of theirs
	for i, e := range c.idle {
		if len(gone) > 0 && gone[0] == i {
			gone = gone[1:]
			s.end(c, e.span)
			continue
		}
		c.idle[k] = e
		k++
		due = min(due, e.due)
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
	if jobs, _ := c.schd.Waiting(); !c.skipped || jobs > 0 {
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
