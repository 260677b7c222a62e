package elastic

import (
	"math"

	"github.com/plimsoll/plimsoll/pricing"
)

// The policies that launch for all that waits, OD and OD++ ([Marshall12] section
// III.A).
//
// Counting. Each waiting job, in the queue's order, is found a place in one
// infrastructure: where enough instances are idle or boot already, or else in
// the cheapest cloud that can launch what is missing. What is free in one
// infrastructure so serves the jobs there, whoever it was launched for, but a
// job is not counted on instances of two, which could not run it.
//
// A job that fits nowhere holds up the queue, which starts in order. What it
// lacks is credits, if a cloud with a price could hold it, or else instances
// that others have. So credits are saved for it: until it is served nothing that
// costs is launched for those behind it, and idle instances with a price go
// before their next charge. With the credits complete all of it is launched at
// once, which is no later than in parts, but for a boot, and costs less. In
// clouds without a price it takes what it can get, towards the next evaluation,
// unless WholeJobs is set, and so do those behind it.
//
// Guarantee. If every infrastructure that a job needs to go to is one that
// refuses nothing, boots take less than an hour, and credits accrue, every job
// starts: when those that run have ended no instance with a price is renewed
// that the first job does not take, the credits grow every hour, and one day
// pay for all that it needs. [Marshall12] launches as much as credits allow,
// which starves every job that needs more credits than an hour or two accrue:
// the renewals of the part use up what accrues for the rest.
//
// With Pooled, cores are only counted: the sum over the queue less all that is
// idle or boots anywhere. That launches no more, often less, and a wide job can
// then wait, for ever, although "enough" is free in two places.
//
// With Printed the policy is [Marshall12]'s to the letter: the cores of all waiting jobs
// less all that is idle or boots anywhere are launched, the cheapest cloud first, until
// there are enough, the limits are reached or the credits are gone, a part of a job if
// need be. Nothing is saved for a job, and no instance is counted on: OD++ gives back
// what is due although a job waits, and OD gives back nothing while one does. A job that
// needs more than the clouds without a price have, and more credits than accrue, can wait
// for ever.

// OD launches, at each evaluation, the instances that the waiting jobs need and
// that are not free already, in the cheapest cloud first, as far as limits and
// credits go. It terminates all idle instances as soon as no job waits
// ([Marshall12] section III.A, on-demand), and while a job holds up the queue
// for credits those that would be charged and that no job ahead of it is
// counted on. What a cloud refuses it asks of the next, in the second round of
// the evaluation.
//
// The zero value is ready and remembers nothing. Time: O(jobs·clouds +
// instances).
type OD struct {
	Printed   bool // launch as the paper prints it; Pooled and WholeJobs do not matter then
	Pooled    bool // count cores over all infrastructures together
	WholeJobs bool // launch no part of a job, not even in clouds without a price
	KeepFree  bool // keep idle instances of clouds without a price

	draft Draft
}

// String returns "OD".
func (p *OD) String() string { return "OD" }

// AppendActions implements [Policy].
func (p *OD) AppendActions(dst []Action, s *Snapshot) []Action {
	d := &p.draft
	d.Reset(dst, s)
	served := d.serveAll(p.Printed, p.Pooled, p.WholeJobs)
	switch {
	case s.Again:
	case len(s.Jobs) == 0:
		d.TerminateIdle(p.KeepFree, QueueEmpty)
	case served < len(s.Jobs):
		d.TerminateDue(true, ChargeDue)
	}
	return d.Actions()
}

// Rests reports whether nothing waits and there is no instance to give back. See [Policy].
func (p *OD) Rests(s *Snapshot) bool { return nothingToDo(s, p.KeepFree) }

// nothingToDo reports whether no job waits, and no cloud has an instance but those that are
// kept.
func nothingToDo(s *Snapshot, keepFree bool) bool {
	if len(s.Jobs) > 0 {
		return false
	}
	for i := range s.Clouds {
		c := &s.Clouds[i]
		if !c.Fixed && len(c.Instances) > 0 && !(keepFree && c.Price == 0) {
			return false
		}
	}
	return true
}

// ODPlus is OD++: it launches as [OD] does, and keeps idle instances as long as
// they are paid for. It terminates those that would be charged before the next
// evaluation ([Marshall12] section III.A, on-demand++), unless a waiting job is
// counted on them.
//
// The zero value is ready and remembers nothing. Time: O(jobs·clouds +
// instances).
type ODPlus struct {
	Printed   bool // as in OD
	Pooled    bool // as in OD
	WholeJobs bool // as in OD
	KeepFree  bool // as in OD

	draft Draft
}

// String returns "OD++".
func (p *ODPlus) String() string { return "OD++" }

// AppendActions implements [Policy].
func (p *ODPlus) AppendActions(dst []Action, s *Snapshot) []Action {
	d := &p.draft
	d.Reset(dst, s)
	d.serveAll(p.Printed, p.Pooled, p.WholeJobs)
	if !s.Again {
		d.TerminateDue(p.KeepFree, ChargeDue)
	}
	return d.Actions()
}

// Rests reports whether nothing waits and there is no instance to give back. See [Policy].
func (p *ODPlus) Rests(s *Snapshot) bool { return nothingToDo(s, p.KeepFree) }

// serveAll launches for all waiting jobs, and returns how many could be served
// before the first that could not; as printed, all.
func (d *Draft) serveAll(printed, pooled, wholeJobs bool) int {
	why := QueueNeeds
	if d.s.Again {
		why = AfterRefuse
	}
	switch {
	case printed:
		need := 0
		for i := range d.s.Jobs {
			need = min(need+d.s.Jobs[i].Nodes, math.MaxInt/4) // more than limits and credits allow
		}
		for i := range d.books {
			need -= d.books[i].spare
		}
		for _, c := range d.clouds {
			need -= d.Launch(c, max(0, need), why)
		}
		return len(d.s.Jobs)
	case pooled:
		return d.servePooled(why)
	}
	return d.ServeQueue(d.s.Jobs, d.clouds, !wholeJobs, why)
}

// servePooled launches for the sum of the waiting jobs up to the first for
// which there is not enough, and what is free for those behind it; it takes that
// many instances, wherever they are.
func (d *Draft) servePooled(why Reason) int {
	free, all := 0, 0 // what can be had without a price, and in all
	left := d.left
	for _, c := range d.all {
		b := &d.books[c]
		room := b.room
		if b.price > 0 {
			room = int(min(int64(room), int64(max(0, left)/b.price)))
			left -= b.price * pricing.Money(room)
		} else {
			free += b.spare + room
		}
		all += b.spare + room
	}
	served, need, more := 0, 0, 0
	for i := range d.s.Jobs {
		n := d.s.Jobs[i].Nodes
		if more == 0 && need+n <= all {
			served, need = i+1, need+n
		} else {
			more = min(more+n, free)
		}
	}
	need = max(need, min(need+more, free))
	for _, c := range d.all {
		n := min(need, d.books[c].spare)
		d.books[c].take(n)
		need -= n
	}
	for _, c := range d.clouds {
		n := d.Launch(c, need, why)
		d.books[c].take(n)
		need -= n
	}
	return served
}
