package elastic

import (
	"time"

	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule"
	"github.com/plimsoll/plimsoll/schedule/internal/replay"
)

// How jobs start, hold instances and end.

// start starts jobs from the head of the queue, as long as there is an
// infrastructure with room.
func (e *Simulator) start() {
	for e.head < len(e.queue) && e.err == nil {
		if !e.startFirst() {
			e.backfill()
			return
		}
	}
}

func (e *Simulator) startFirst() bool {
	j := &e.queue[e.head]
	for _, i := range e.order {
		if e.places[i].idle >= e.snap.Clouds[i].need(j.Nodes) && e.occupy(i, j) {
			e.head++
			e.cores -= j.Nodes
			return true
		}
	}
	return false
}

// occupy starts a job on idle instances of an infrastructure that has enough: those
// that are paid for longest, of these the first launched. It reports false if the
// charges to come are not covered.
func (e *Simulator) occupy(i int, j *schedule.Job) bool {
	e.settle(i, e.now)
	p, c := &e.places[i], &e.snap.Clouds[i]
	index, end := int32(j.ID), e.now+c.lasts(j.Estimate)+p.transfer
	// Instances are launched at evaluations, so that there are few values of Due.
	need := c.need(j.Nodes)
	missing, below := need, schedule.Never
	var charges int64
	for first := true; missing > 0; first = false {
		latest := time.Duration(-1)
		for k := range c.Instances {
			in := &c.Instances[k]
			if in.State == Idle && in.Due > latest && (first || in.Due < below) {
				latest = in.Due
			}
		}
		for k := range c.Instances {
			in := &c.Instances[k]
			if in.State == Idle && in.Due == latest && missing > 0 {
				in.State, in.Ready = Busy, end
				p.job[k] = index
				charges += remaining(in)
				missing--
			}
		}
		below = latest
	}
	p.idle -= need
	if e.cfg.Budget.Covered && c.Price > 0 && charges > 0 {
		cost, err := c.Price.Mul(charges)
		if err != nil || e.left+e.cfg.Budget.Debt-e.covered < cost {
			e.vacate(i, index)
			return false
		}
		e.covered += cost
	}
	e.wake()
	e.res.Starts[index], e.res.Places[index] = e.now, i
	over := e.now + c.lasts(e.jobs[index].Run) + p.transfer
	if e.cfg.Overhead != nil {
		over += e.cfg.Overhead.draw(e.rng)
	}
	e.ends[index] = over
	e.events.Push(over, replay.Order(replay.Finish, int64(index)))
	if p.data > 0 {
		e.spend(i, p.data)
	}
	return true
}

// remaining returns how often a busy instance will be charged before the end of
// its job's estimate.
func remaining(in *Instance) int64 {
	if in.Ready <= in.Due {
		return 0
	}
	return int64((in.Ready - in.Due + hour - 1) / hour)
}

// vacate makes the instances of a job idle.
func (e *Simulator) vacate(i int, job int32) {
	p, c := &e.places[i], &e.snap.Clouds[i]
	n := 0
	for k := range p.job {
		if p.job[k] == job {
			p.job[k] = -1
			c.Instances[k].State = Idle
			n++
		}
	}
	p.idle += n
}

func (e *Simulator) finish(index int) {
	e.wake()
	i, j := e.res.Places[index], &e.jobs[index]
	p, c := &e.places[i], &e.snap.Clouds[i]
	if e.cfg.Budget.Covered && c.Price > 0 {
		for k := range p.job {
			if p.job[k] == int32(index) {
				e.covered -= c.Price * pricing.Money(remaining(&c.Instances[k]))
			}
		}
	}
	e.vacate(i, int32(index))
	e.ends[index] = -1
	run := e.now - e.res.Starts[index]
	p.busy.Add(run, j.Nodes)
	wait := e.res.Starts[index] - j.Submit
	e.queued.Add(wait, j.Nodes)
	e.response.Add(wait+run, j.Nodes)
	e.weight += j.Nodes
	e.last = e.now
	e.ended++
}

// up makes an instance that has booted idle.
func (e *Simulator) up(cloud int, id int64) {
	in := e.snap.Clouds[cloud].Instances
	lo, hi := 0, len(in) // instances are in the order of their IDs
	for lo < hi {
		if m := int(uint(lo+hi) >> 1); in[m].ID < id {
			lo = m + 1
		} else {
			hi = m
		}
	}
	if lo == len(in) || in[lo].ID != id || in[lo].State != Booting {
		return // given back before it was up
	}
	e.wake()
	in[lo].State = Idle
	e.places[cloud].idle++
}
