package sim

import (
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/internal/grow"
	"github.com/plimsoll/plimsoll/placement"
	"github.com/plimsoll/plimsoll/schedule"
)

// Several clouds ([Niu16] section 6).
//
// Each cloud has a part of the cluster, a site, with its instances, its queue and its
// scheduler. A job runs at one site. The simulator makes two choices of a site, by the instant
// charging rate (placement.Choose). The rate of a site is that of further instances, beyond
// those for the jobs that run, wait or are assigned there. The quota of the site limits them.
//
//   - A job that arrives joins the cheapest of the sites where the job would start at once on
//     idle instances; if there is none, the cheapest site of all.
//   - When a queue has to grow, each job that the expansion covers is assigned to the
//     cheapest site, and moves there. A job that no site has room for stays. A site then makes
//     one request for all jobs assigned to it. The request leaves out idle and booting
//     instances that no job of the site's queue needs.
//
// All queues are looked at after each arrival and end, first the queue of that job's site.
//
// Invariant: a job is in one queue, on one site's instances, or has ended. A job moves
// only while it waits.
//
// With one cloud there is no choice: dispatch and assign would do what submit and grow do,
// and a test holds that.

// A chooser keeps what choosing needs.
type chooser struct {
	choice   []placement.Cloud
	assigned []int   // by site: nodes of the jobs that are assigned to it
	to       []int32 // by position in pool.waiting: the site that a job is assigned to
	demand   []int   // of a week, at all sites
}

// quote sets choice to the current price of each cloud, for the first instances after
// those that jobs already use or wait for.
func (s *Simulator) quote() {
	s.choice = s.choice[:0]
	for _, c := range s.sites {
		_, waiting := c.schd.Waiting()
		q := placement.Cloud{
			Hourly:   c.cloud.Hourly,
			Discount: c.cloud.Discount,
			Reserved: c.reserved,
			Taken:    c.busy + waiting,
			Quota:    c.cloud.Quota,
		}
		if c.usage.on {
			c.usage.upTo(s.now, q.Taken)
			q.Used, q.Month = c.usage.used, c.usage.to-c.usage.from
		}
		s.choice = append(s.choice, q)
	}
}

// choose returns the site with the least rate for n more instances, nil if none
// is open and has room for them.
func (s *Simulator) choose(n int) *site {
	i, err := placement.Choose(s.choice, n)
	if err != nil {
		s.fail(err)
	}
	if i < 0 {
		return nil
	}
	return s.sites[i]
}

// dispatch submits a job to the site that it joins and lets that start jobs. That is the
// cheapest site of those where the job starts at once on idle instances. If there is
// none, it is the cheapest site of those that would request instances for the job. If
// there is none of these either, it is the first site that can ever run the job.
func (s *Simulator) dispatch(j schedule.Job, slot int32) *site {
	s.quote()
	for k, c := range s.sites {
		s.choice[k].Closed = j.Nodes > c.up
		s.choice[k].Taken = c.busy
	}
	for c := s.choose(j.Nodes); c != nil; c = s.choose(j.Nodes) {
		s.enqueue(c, j, slot)
		s.pass(c)
		if s.live[slot].alloc.Nodes > 0 {
			return c
		}
		c.schd.Take(j)
		c.queued(j, s.cfg.Short, -1)
		s.choice[c.index].Closed = true
	}
	s.quote()
	c := s.choose(j.Nodes)
	for k := 0; c == nil; k++ {
		if q := s.sites[k].cloud.Quota; q == 0 || j.Nodes <= q {
			c = s.sites[k]
		}
	}
	s.enqueue(c, j, slot)
	s.pass(c)
	return c
}

// assign requests instances for the jobs at the top of a site's queue, each at the
// site that is cheapest for it, and moves it there. What a site is asked for is
// what is assigned to it less what is idle or boots there and no waiting job needs.
// Jobs that no site has room for stay where they are.
func (s *Simulator) assign(from *site) {
	s.cover(from)
	s.quote()
	s.choice[from.index].Taken = from.busy // what waits here is about to be assigned, here or elsewhere
	s.assigned = grow.Zero(s.assigned, len(s.sites))
	s.to = s.to[:0]
	for _, j := range s.waiting {
		c := s.choose(j.Nodes)
		if c == nil {
			s.to = append(s.to, -1)
			continue
		}
		s.to = append(s.to, int32(c.index))
		s.assigned[c.index] += j.Nodes
		s.choice[c.index].Taken += j.Nodes
	}
	moved := false
	for _, c := range s.sites {
		n := s.assigned[c.index]
		switch {
		case n == 0:
		case c == from:
			s.ask(c, n-c.up-c.booting)
		default:
			s.ask(c, n-c.spare())
			s.move(from, c)
			moved = true
		}
	}
	if moved { // other jobs are at the top now
		for _, c := range s.sites {
			s.pass(c)
		}
	}
}

// move moves the jobs that are assigned to another site into its queue.
func (s *Simulator) move(from, c *site) {
	for i, j := range s.waiting {
		if s.to[i] == int32(c.index) {
			from.schd.Take(j)
			from.queued(j, s.cfg.Short, -1)
			s.enqueue(c, j, s.slot(j.ID))
		}
	}
}

// weeks lets the portfolios see the weeks that have ended.
func (s *Simulator) weeks(at time.Duration) {
	for s.nextWeek <= at {
		end := int(s.nextWeek / time.Hour)
		s.demand = grow.Zero(s.demand, weekHours)
		for _, c := range s.sites {
			c.room(end)
			c.sum(end)
			for k := range s.demand {
				s.demand[k] += c.hour(end - weekHours + k)
			}
		}
		for i, c := range s.sites {
			if c.cloud.Portfolio == nil {
				continue
			}
			var err error
			c.reserved, err = c.cloud.Portfolio(c.reserved[:0], s.demand)
			if err != nil {
				s.fail(badCloud("Portfolio", i, err, ""))
				return
			}
			for _, r := range c.reserved {
				if r.Count < 0 || r.Rate < 0 {
					s.fail(badCloud("Portfolio", i, ErrRange, "%d reservations at %v an hour: want neither negative", r.Count, r.Rate))
					return
				}
			}
			slices.SortStableFunc(c.reserved, func(a, b placement.Reservation) int {
				switch {
				case a.Rate < b.Rate:
					return -1
				case a.Rate > b.Rate:
					return 1
				}
				return 0
			})
		}
		s.nextWeek += week
	}
}

// tell fills in what came of each cloud.
func (s *Simulator) tell() {
	if s.cfg.Mode == Local {
		return
	}
	for _, c := range s.sites {
		r := CloudResult{
			Name: c.cloud.Name, Jobs: c.jobs, Leases: c.leases,
			ChargedHours: c.paid.Hours(), Cost: c.cost,
		}
		if len(s.sites) == 1 {
			r.Levels, r.Peak = s.res.Levels, s.res.Peak
		} else {
			r.Levels, r.Peak = c.course.states()
		}
		n := 0
		for k := range c.hours {
			if c.hours[k] = c.hour(k); c.hours[k] > 0 {
				n = k + 1
			}
		}
		r.Hours = c.hours[:n]
		s.res.Clouds = append(s.res.Clouds, r)
	}
}
