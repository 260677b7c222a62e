package elastic

import (
	"math"

	"github.com/plimsoll/plimsoll/pricing"
)

// The policies that launch for all waiting jobs, OD and OD++ ([Marshall12] section III.A).
//
// Counting. Each waiting job, in the order of the queue, gets a place in one infrastructure:
// where enough instances are idle or boot already, or else in the cheapest cloud that can
// launch the missing instances. So free instances of an infrastructure serve any job there,
// whichever job they were launched for. A job never counts on instances of two
// infrastructures, which could not run it.
//
// A job without a place holds up the queue, which starts in order. The job lacks credits if
// a cloud with a price could hold it, and otherwise instances that other jobs have. So
// credits are saved for the job: until it is served, nothing that costs is launched for the
// jobs behind it, and idle instances with a price go before their next charge. When the
// credits suffice, all instances of the job are launched at once. That is no later than in
// parts, except for a boot, and costs less. In clouds without a price the job, and the jobs
// behind it, take the instances that they can get, towards the next evaluation, unless
// WholeJobs is set.
//
// Guarantee. Every job starts if three things hold: the infrastructures that the job needs
// refuse nothing, boots take less than an hour, and credits accrue. Reason: when the running
// jobs have ended, no instance with a price is renewed that the first job does not take. So
// the credits grow every hour, until they pay for the whole job. [Marshall12] launches as
// much as credits allow. That starves every job that needs more credits than accrue in an
// hour or two: renewals of the part use up the credits for the rest.
//
// With Pooled, cores are only counted: the sum over the queue less all cores that are idle
// or boot anywhere. That launches no more instances, and often fewer. A wide job can then
// wait without end, although enough instances are free in two places together.
//
// With Printed the policy is [Marshall12]'s to the letter. The policy launches the cores of
// all waiting jobs less all cores that are idle or boot anywhere, the cheapest cloud first.
// The policy stops when there are enough cores, the limits are reached or the credits are
// used up. It launches a part of a job if need be. The policy saves nothing for a job and
// counts no instance for a job: OD++ gives back due instances although a job waits, and OD
// gives back nothing while a job waits. Two kinds of jobs can then wait without end:
//
//   - A job that needs more than the clouds without a price have, and more credits than accrue.
//   - A job of several nodes, whatever the clouds have and the credits are. Idle cores of all
//     infrastructures count against its need, as with Pooled, though it runs in one only: a
//     job of three nodes never starts beside a local cluster of two idle ones.

// OD launches, at each evaluation, the instances that the waiting jobs need and that are not
// free already, in the cheapest cloud first, within limits and credits. As soon as no job
// waits, OD terminates all idle instances ([Marshall12] section III.A, on-demand). While a
// job holds up the queue for credits, OD terminates the idle instances that would be charged
// and that no earlier job counts on. OD asks the next cloud for refused instances, in the
// second round of the evaluation.
//
// The zero value is ready and remembers nothing. Time: O(jobs·clouds + instances).
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
		d.TerminateIdle(p.KeepFree, queueEmpty)
	case served < len(s.Jobs):
		d.TerminateDue(true, chargeDue)
	}
	return d.Actions()
}

// Rests reports whether nothing waits and there is no instance to give back. See [Policy].
func (p *OD) Rests(s *Snapshot) (pricing.Money, bool) { return nothingToDo(s, p.KeepFree) }

// nothingToDo reports whether no job waits and every instance of a cloud is kept, whatever
// the credits.
func nothingToDo(s *Snapshot, keepFree bool) (pricing.Money, bool) {
	if len(s.Jobs) > 0 {
		return 0, false
	}
	for i := range s.Clouds {
		c := &s.Clouds[i]
		if !c.Fixed && len(c.Instances) > 0 && !(keepFree && c.Price == 0) {
			return 0, false
		}
	}
	return math.MaxInt64, true
}

// ODPlus is OD++: ODPlus launches as [OD] does, and keeps idle instances as long as they are
// paid for. ODPlus terminates idle instances that would be charged before the next evaluation
// ([Marshall12] section III.A, on-demand++), unless a waiting job counts on them.
//
// The zero value is ready and remembers nothing. Time: O(jobs·clouds + instances).
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
		d.TerminateDue(p.KeepFree, chargeDue)
	}
	return d.Actions()
}

// Rests reports whether nothing waits and there is no instance to give back. See [Policy].
func (p *ODPlus) Rests(s *Snapshot) (pricing.Money, bool) { return nothingToDo(s, p.KeepFree) }

// serveAll launches for all waiting jobs, and returns how many could be served
// before the first that could not; as printed, all.
func (d *Draft) serveAll(printed, pooled, wholeJobs bool) int {
	why := queueNeeds
	if d.s.Again {
		why = afterRefuse
	}
	switch {
	case printed:
		need := 0
		for i := range d.s.Jobs {
			need = min(need+d.s.Jobs[i].Nodes, math.MaxInt/4) // more than limits and credits allow
		}
		for i := range d.books {
			need -= d.books[i].has()
		}
		for _, c := range d.clouds {
			k := d.books[c].cores
			need -= k * d.Launch(c, needOf(max(0, need), k), why)
		}
		return len(d.s.Jobs)
	case pooled:
		return d.servePooled(why)
	}
	return d.ServeQueue(d.s.Jobs, d.clouds, !wholeJobs, why)
}

// servePooled launches for the sum of the waiting jobs up to the first job for which
// there is not enough, and free instances for the jobs behind it. It takes that many
// instances, wherever they are.
func (d *Draft) servePooled(why string) int {
	free, all := 0, 0 // what can be had without a price, and in all
	left := d.left
	for _, c := range d.all {
		b := &d.books[c]
		room := b.room
		if b.price > 0 {
			room = int(min(int64(room), int64(max(0, left)/b.price)))
			left -= b.price * pricing.Money(room)
		} else {
			free += b.cores * (b.spare + room)
		}
		all += b.cores * (b.spare + room)
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
		b := &d.books[c]
		n := min(needOf(need, b.cores), b.spare)
		b.take(n)
		need = max(0, need-b.cores*n)
	}
	for _, c := range d.clouds {
		b := &d.books[c]
		n := d.Launch(c, needOf(need, b.cores), why)
		b.take(n)
		need = max(0, need-b.cores*n)
	}
	return served
}
