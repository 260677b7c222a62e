package elastic

import (
	"math/rand/v2"
	"time"

	"github.com/plimsoll/plimsoll/internal/grow"
	"github.com/plimsoll/plimsoll/internal/heaps"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule"
	"github.com/plimsoll/plimsoll/schedule/internal/replay"
	"github.com/plimsoll/plimsoll/schedule/trace"
)

// A Simulator runs jobs on a local cluster that clouds extend, as a policy decides ([Marshall12]).
// The results are the response times and the queued times, weighted by cores, and the money spent.
//
// Rules. A job of n cores runs on idle instances of one infrastructure: n instances, or ⌈n/k⌉ if an
// instance has k cores. The job runs for its run time divided by the speed of the instances
// (instancetype.go). Jobs start in the order of their submission, and no job overtakes another,
// unless Options.Backfill lets it. Of the infrastructures with enough idle instances the job takes
// the cheapest, and the first of equal prices. There the job takes the instances whose paid time
// lasts longest, and the first launched of equal instances.
//
// An instance is charged when it is launched and at each full hour after that, also while it boots,
// until it is terminated. A terminated instance takes a while to go, and counts against the cloud's
// limit until then. The credits of the first hour accrue at time 0. The credits may fall below zero
// as [Budget] says. If the credits cannot pay for idle instances, the Simulator gives these
// instances back, the last launched first. Spot clouds end instances (spot.go).
//
// At one moment, events come in this order: jobs end and instances are up; spot prices change;
// credits accrue; jobs are submitted; jobs start; the policy is asked; instances are charged. So an
// instance that is idle at an evaluation on its full hour can be given back without another charge.
// If a cloud refuses, the policy is asked again in the same moment.
//
// The zero value is ready. A Simulator keeps its memory between runs and allocates nothing once
// that memory suffices. Two goroutines must not use a Simulator at once: for runs side by side,
// each goroutine has its own Simulator, policy and source of randomness.
//
// The idea: the snapshot that policies read is the state of the simulation itself, updated event by
// event and never rebuilt. Invariants for each cloud: instances are in the order of their launch;
// the field idle is the number of idle instances; the field due is the earliest next charge. An
// instance that has gone stays in the list, in the state Stopping, until the next evaluation.
type Simulator struct {
	cfg  Options
	jobs []trace.Job
	rng  *rand.Rand

	now     time.Duration
	since   time.Duration // how long nothing has happened for the jobs: see patience
	resting bool          // evaluations are skipped: see Policy
	enough  pricing.Money // credits that end that
	woken   bool          // something has happened since: skipping ends
	events  heaps.Queue[time.Duration]
	snap    Snapshot
	queue   []schedule.Job // all jobs that were submitted; from head on they wait
	head    int
	cores   int     // that the waiting jobs need
	places  []place // by infrastructure
	order   []int   // infrastructures, cheapest first
	actions []Action
	ends    []time.Duration // by job: when the job that runs ends, or -1
	frees   []time.Duration // memory of EASY
	dues    []time.Duration // memory of Lead
	ended   int
	left    pricing.Money // credits
	covered pricing.Money // under Covered: the part of left that running jobs will be charged
	ids     int64
	err     error

	next       int           // the job to be submitted
	accrual    time.Duration // of the next credits
	evaluation time.Duration // the next
	over       time.Duration // when the simulation ends

	response, queued replay.Sum
	weight           int
	last             time.Duration
	res              Result
}

// A place is what is known of an infrastructure beside what policies see.
type place struct {
	job        []int32 // by instance: the index of the job that it runs, or -1
	boot, stop Delay
	release    Delay
	reject     float64
	transfer   time.Duration
	data       pricing.Money // what the data of a job costs
	spot       *Spot
	change     time.Duration // of the spot price, or Never
	free       bool          // charges take place later, see settle
	idle       int
	stopping   int
	due        time.Duration // least Due
	busy, lost replay.Sum
}

var measuredLaunch = MeasuredLaunch()

// Run runs jobs, and returns the result. The jobs are sorted by (Submit, ID), as [trace.Convert]
// and the models of package workload return them. The slices of the result are valid until the next
// Run. Jobs are not modified.
//
// The error is a *schedule.InputError. Before the run, Run returns an error for options that
// contradict each other, and for jobs that cannot be replayed: jobs out of order, without cores or
// run time, with an estimate below the run time, or too large for every infrastructure. During the
// run, Run returns an error for actions of the policy that cannot be carried out, and for amounts
// beyond the range of pricing.Money.
//
// Run returns no error for jobs that do not end: check Result.Unfinished before you use the means.
// A run ends at the horizon, if there is one. Without a horizon, the run also ends when jobs wait,
// no job runs, and no job has started for 60 days. Days on which the credits are below −Budget.Debt
// do not count.
//
// Time:
//
//   - O(log E) an event, with E jobs running and instances booting.
//   - O(instances) for a start, an end, an evaluation, and each of the twelve or so moments of an
//     hour at which instances with a price are charged.
//   - O(log P) for a change of a spot price, with P prices.
//   - The time of the policy. An evaluation at which the policy rests takes no time: see [Policy].
//
// An hour without any other event takes O(1).
func (e *Simulator) Run(jobs []trace.Job, cfg Options) (Result, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return Result{}, err
	}
	if err := checkEnvironment(jobs, &cfg); err != nil {
		return Result{}, err
	}
	e.reset(jobs, cfg)
	e.replay()
	if e.err != nil {
		return Result{}, e.err
	}
	e.summarise()
	e.jobs, e.rng, e.cfg = nil, nil, Options{} // nothing of the caller's is kept
	return e.res, nil
}

func (e *Simulator) reset(jobs []trace.Job, cfg Options) {
	e.cfg, e.jobs, e.rng = cfg, jobs, cfg.Rand
	if p, ok := cfg.Policy.(interface{ Reset() }); ok {
		p.Reset()
	}
	e.now, e.since, e.head, e.cores, e.ended, e.ids, e.err = 0, 0, 0, 0, 0, 0, nil
	e.next, e.accrual, e.evaluation = 0, 0, 0
	e.resting, e.woken = false, false
	e.left, e.covered = 0, 0
	e.events.Reset()
	e.queue, e.actions = e.queue[:0], e.actions[:0]
	e.response, e.queued, e.weight, e.last = replay.Sum{}, replay.Sum{}, 0, 0

	n := 1 + len(cfg.Clouds)
	for len(e.places) < n {
		e.places = append(e.places, place{})
		e.snap.Clouds = append(e.snap.Clouds, Cloud{})
	}
	places, clouds := e.places[:n], e.snap.Clouds[:n]
	e.places, e.snap.Clouds = places, clouds
	r := &e.res
	*r = Result{
		Jobs:            len(jobs),
		Infrastructures: grow.Zero(r.Infrastructures, n),
		Starts:          grow.Zero(r.Starts, len(jobs)),
		Places:          grow.Zero(r.Places, len(jobs)),
		Credits:         r.Credits[:0],
		Decisions:       r.Decisions[:0],
	}
	e.ends = grow.To(e.ends, len(jobs))
	for i := range jobs {
		r.Starts[i], r.Places[i], e.ends[i] = -1, -1, -1
	}
	e.snap = Snapshot{Clouds: clouds, Every: cfg.Every, Budget: cfg.Budget}
	e.order = e.order[:0]
	for i := range n {
		p, c := &places[i], &clouds[i]
		*p = place{job: p.job[:0], due: schedule.Never, change: schedule.Never}
		*c = Cloud{Instances: c.Instances[:0]}
		if i == 0 {
			r.Infrastructures[0] = InfrastructureResult{Name: "local", Peak: cfg.Local}
			c.Fixed, c.Limit = true, cfg.Local
			p.idle = cfg.Local
			for k := range cfg.Local {
				c.Instances = append(c.Instances, Instance{ID: int64(k), Due: schedule.Never})
				p.job = append(p.job, -1)
			}
			e.ids = int64(cfg.Local)
		} else {
			cc := &cfg.Clouds[i-1]
			r.Infrastructures[i].Name = cc.Name
			instances := c.Instances
			*c = cc.cloud()
			c.Instances = instances
			p.reject, p.boot, p.stop, p.release = cc.Reject, cc.Boot, cc.Stop, cc.Release
			p.transfer, p.data, p.spot = cc.Transfer, cc.TransferPrice, cc.Spot
			p.free = cc.Price == 0 && cc.Spot == nil
			if p.spot != nil {
				e.price(i)
			}
			if p.boot == nil {
				p.boot = measuredLaunch
			}
			if p.stop == nil {
				p.stop = measuredStop
			}
			c.Boot = p.boot.Mean()
		}
	}
	e.sortPlaces()
}

// sortPlaces sorts the infrastructures by what work costs there.
func (e *Simulator) sortPlaces() {
	e.order = e.order[:0]
	for i := range e.places {
		e.order = insertCheapest(e.order, e.snap.Clouds, i)
	}
}

// cloudShift packs a cloud and an instance into the index of an event.
const cloudShift = 40

// replay is the event loop, in the order of the events of one moment.
func (e *Simulator) replay() {
	for e.err == nil {
		at, more := e.nextMoment()
		if !more {
			break
		}
		e.now = at
		freed := e.endsAndBoots()
		freed = e.reprices() || freed // a job may be the first of the queue again
		freed = e.accrue() || freed   // under Covered, credits can let a job start
		waited := e.head < len(e.queue)
		e.submissions()
		if freed || !waited || e.cfg.Backfill {
			e.start()
		}
		if e.woken {
			e.skip(at)
		}
		if e.evaluation == at && !e.resting && e.err == nil {
			e.evaluate()
			e.evaluation += e.cfg.Every
		}
		e.charges()
	}
	for i := range e.places {
		e.settle(i, e.over)
	}
}

// nextMoment returns when something happens next, and whether the simulation gets there.
func (e *Simulator) nextMoment() (at time.Duration, more bool) {
	if e.woken { // by a charge, which comes after the evaluation of the same moment
		e.skip(e.now + 1)
	}
	at = e.accrual
	if !e.resting {
		at = min(at, e.evaluation)
	}
	if e.next < len(e.jobs) {
		at = min(at, e.jobs[e.next].Submit)
	}
	if e.events.Len() > 0 {
		at = min(at, e.events.Min().Key)
	}
	for i := range e.places {
		p := &e.places[i]
		if !p.free {
			at = min(at, p.due)
		}
		at = min(at, p.change)
	}
	switch {
	case e.cfg.Horizon > 0:
		if at >= e.cfg.Horizon {
			e.skip(e.cfg.Horizon)
			e.over = e.cfg.Horizon
			return 0, false
		}
	case e.ended == len(e.jobs):
		e.over = e.now + 1
		return 0, false
	case e.head == e.ended && e.head < len(e.queue) && at >= e.since+patience:
		e.skip(e.since + patience)
		e.over = e.since + patience
		return 0, false
	case at >= replay.MaxTime:
		e.fail(badInput("Policy", -1, ErrRange, "the jobs take longer than the %.0f s that can be simulated: want a Horizon", replay.MaxTime.Seconds()))
		return 0, false
	}
	return at, true
}

// skip counts the evaluations before a time that were skipped while the policy rested.
func (e *Simulator) skip(before time.Duration) {
	if e.evaluation < before {
		n := (before - e.evaluation + e.cfg.Every - 1) / e.cfg.Every
		e.evaluation += n * e.cfg.Every
		e.res.Evaluations += int(n)
	}
	e.woken = false
}

// endsAndBoots handles the events of the present moment, and reports whether there is one.
func (e *Simulator) endsAndBoots() (some bool) {
	for e.events.Len() > 0 && e.events.Min().Key == e.now {
		order := e.events.Pop().Tie
		index := replay.IndexOf(order)
		switch {
		case replay.KindOf(order) == replay.Booted:
			e.up(int(index>>cloudShift), index&(1<<cloudShift-1))
		case e.ends[index] == e.now:
			e.finish(int(index))
			e.since = e.now
		default: // its instances were ended before
			continue
		}
		some = true
	}
	return some
}

// reprices carries out the changes of spot prices, and reports whether there is one.
func (e *Simulator) reprices() (some bool) {
	for i := range e.places {
		if e.places[i].change == e.now {
			e.reprice(i)
			some = true
		}
	}
	return some
}

// accrue adds an hour's credits if they accrue now, and reports whether they do.
func (e *Simulator) accrue() bool {
	if e.accrual != e.now {
		return false
	}
	if e.left < -e.cfg.Budget.Debt && e.cfg.Budget.Hourly > 0 {
		e.since = e.now
	}
	e.earn(e.cfg.Budget.Hourly)
	e.accrual += hour
	return true
}

// submissions puts the jobs that are submitted now into the queue.
func (e *Simulator) submissions() {
	if e.head == len(e.queue) {
		e.since = e.now
	}
	for ; e.next < len(e.jobs) && e.jobs[e.next].Submit == e.now; e.next++ {
		e.wake()
		j := &e.jobs[e.next]
		e.queue = append(e.queue, schedule.Job{ID: int64(e.next), User: j.User, Submit: j.Submit, Estimate: j.Estimate, Nodes: j.Nodes})
		e.cores += j.Nodes
	}
}

// wake has the policy asked again at the next evaluation.
func (e *Simulator) wake() {
	e.woken = e.woken || e.resting
	e.resting = false
}

func (e *Simulator) fail(err error) {
	if e.err == nil {
		e.err = err
	}
}

// summarise fills in what follows from the sums of a run.
func (e *Simulator) summarise() {
	r := &e.res
	r.Unfinished = len(e.jobs) - e.ended
	if e.ended > 0 {
		r.AWRT, r.AWQT = e.response.Mean(e.weight), e.queued.Mean(e.weight)
		r.Makespan = e.last - e.jobs[0].Submit
	}
	for i := range e.jobs { // that still run at the horizon
		if r.Unfinished == 0 || e.cfg.Horizon == 0 { // given up, when nothing runs
			break
		}
		if e.ends[i] >= e.cfg.Horizon {
			e.places[r.Places[i]].busy.Add(e.cfg.Horizon-r.Starts[i], e.jobs[i].Nodes)
		}
	}
	for i := range r.Infrastructures {
		r.Infrastructures[i].CoreHours, r.Infrastructures[i].LostHours = e.places[i].busy.Hours(), e.places[i].lost.Hours()
	}
}
