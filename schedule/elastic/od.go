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
// behind it, take the instances that they can get, towards the next evaluation.
//
// Guarantee. Every job starts if three things hold: the infrastructures that the job needs
// refuse nothing, boots take less than an hour, and credits accrue. Reason: when the running
// jobs have ended, no instance with a price is renewed that the first job does not take. So
// the credits grow every hour, until they pay for the whole job. [Marshall12] launches as
// much as credits allow. That starves every job that needs more credits than accrue in an
// hour or two: renewals of the part use up the credits for the rest.
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
//     infrastructures count against its need, though it runs in one only: a job of three
//     nodes never starts beside a local cluster of two idle ones.
//
// KeepFree stays because an instance without a price costs nothing while it is idle. On the
// first 2,000 hours of two logs, with a free cloud of 128 instances that refuses 10% of the
// requests, OD++ with KeepFree pays less by these factors, and jobs wait no longer:
//
//	KTH-SP2   $6,008 to $2,446, a factor of 2.5
//	SDSC-SP2  $7,319 to $2,996, a factor of 2.4
//
//	go test ./schedule/elastic -run '^$' -bench Variants -benchtime 1x

// OD is the policy on demand ([Marshall12] section III.A). At each evaluation OD launches the
// instances that the waiting jobs need beyond the free instances. OD asks the cheapest cloud first,
// and keeps to limits and credits. As soon as no job waits, OD terminates all idle instances. While
// a job holds up the queue because credits are short, OD terminates the idle instances that would
// be charged before the next evaluation, except those that an earlier job in the queue will use. If
// a cloud refuses instances, OD asks the next cloud for them in the second round of the evaluation.
//
// With Plus the policy is OD++, on demand++ in the paper. OD++ launches as OD does, and keeps idle
// instances as long as they are paid for: it terminates the idle instances that would be charged
// before the next evaluation, except instances that a waiting job will use.
//
// The zero value is ready and remembers nothing. Time: O(jobs·clouds + instances).
type OD struct {
	Plus     bool // OD++
	Printed  bool // launch as the paper prints it
	KeepFree bool // keep idle instances of clouds without a price

	draft Draft
}

// String returns "OD" or "OD++".
func (p *OD) String() string {
	if p.Plus {
		return "OD++"
	}
	return "OD"
}

// AppendActions implements [Policy].
func (p *OD) AppendActions(dst []Action, s *Snapshot) []Action {
	d := &p.draft
	d.Reset(dst, s)
	why := queueNeeds
	if s.Again {
		why = afterRefuse
	}
	served := len(s.Jobs)
	if p.Printed {
		d.launchSum(why)
	} else {
		served = d.ServeQueue(s.Jobs, d.clouds, true, why)
	}
	switch {
	case s.Again:
	case p.Plus:
		d.TerminateDue(p.KeepFree, chargeDue)
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

// launchSum launches the cores of all waiting jobs less all cores that are idle or boot,
// within limits and credits.
func (d *Draft) launchSum(why string) {
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
}
