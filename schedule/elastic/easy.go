package elastic

import (
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/schedule"
)

// EASY backfilling over several infrastructures. [Marshall12] runs jobs first come, first
// served, and names "combining job scheduling algorithms with resource provisioning" as
// future work.
//
// The first job of the queue gets a reservation: the infrastructure, and the time, at which
// it will find enough instances by the estimates of the running jobs and the ends of the
// boots. Of several infrastructures the reservation is in the first that has enough, at
// equal times in the cheapest. A job behind the first one starts at once
//
//   - in another infrastructure than that of the reservation, or
//   - there, if the job ends by its estimate before the reservation, or takes instances
//     that the first job leaves.
//
// What the reservation cannot see are launches to come. A first job without a reservation
// waits for launches, and these need credits. Then only free infrastructures that are too
// small for the first job take other jobs. Under Budget.Covered, other jobs take no
// instances with a price: they would commit credits that the first job may need.
//
// Guarantee. If estimates hold and the policy gives back no instance that the reservation
// counts on, no job behind the first one delays the reservation. As on a cluster of a fixed
// size, jobs that are not first may wait longer than first come, first served.
//
// Time: O(instances·log instances + jobs·infrastructures) whenever something starts, ends or
// arrives while the first job waits. Space: O(instances).

// backfill starts jobs behind the first one, which cannot start now.
func (e *Simulator) backfill() {
	if !e.cfg.Backfill || len(e.queue)-e.head < 2 {
		return
	}
	idle := 0
	for i := range e.places {
		idle = max(idle, e.snap.Clouds[i].cores(e.places[i].idle))
	}
	if idle == 0 {
		return
	}
	first := e.queue[e.head].Nodes
	place, at, extra := e.reserve(first)
	for k := e.head + 1; k < len(e.queue) && e.err == nil; k++ {
		j := &e.queue[k]
		if j.Nodes > idle {
			continue
		}
		for _, i := range e.order {
			c := &e.snap.Clouds[i]
			need := c.need(j.Nodes)
			late := i == place && c.lasts(j.Estimate)+e.places[i].transfer > at-e.now
			switch {
			case e.places[i].idle < need, late && need > extra:
				continue
			case c.Price > 0 && (e.cfg.Budget.Covered || place < 0):
				continue
			case place < 0 && (c.Limit == NoLimit || c.cores(c.Limit) >= first):
				continue
			}
			if !e.occupy(i, j) {
				continue
			}
			if late {
				extra -= need
			}
			e.cores -= j.Nodes
			copy(e.queue[e.head+1:k+1], e.queue[e.head:k]) // its place is before the first job's
			e.head++
			break
		}
	}
}

// reserve returns where and when instances for so many cores will be idle, and how many more are
// idle there then. The infrastructure is -1 if no running job and no boot makes enough of
// them idle.
func (e *Simulator) reserve(cores int) (place int, at time.Duration, extra int) {
	place, at = -1, schedule.Never
	for _, i := range e.order {
		n := e.snap.Clouds[i].need(cores)
		if e.places[i].idle >= n { // the credits do not cover the job, see Budget.Covered
			return i, e.now, e.places[i].idle - n
		}
		e.frees = e.frees[:0]
		for k := range e.snap.Clouds[i].Instances {
			if in := &e.snap.Clouds[i].Instances[k]; in.State == Busy || in.State == Booting {
				e.frees = append(e.frees, in.Ready)
			}
		}
		missing := n - e.places[i].idle
		if missing > len(e.frees) {
			continue
		}
		slices.Sort(e.frees)
		when := e.frees[missing-1]
		if when >= at {
			continue
		}
		place, at = i, when
		free := missing
		for free < len(e.frees) && e.frees[free] == when {
			free++
		}
		extra = free - missing
	}
	return place, at, extra
}
