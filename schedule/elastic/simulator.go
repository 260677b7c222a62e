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

// A Simulator runs jobs on a local cluster that clouds extend, as a policy decides
// ([Marshall12]). The package comment has the rules.
//
// The zero value is ready. A Simulator keeps its memory between runs and allocates nothing
// once that memory suffices. Two goroutines must not use a Simulator at once: for runs side
// by side, each goroutine has its own Simulator, policy and source of randomness.
//
// The idea: the snapshot that policies read is the state of the simulation itself, updated
// event by event and never rebuilt. Invariants for each cloud: instances are in the order of
// their launch; idle is the number of idle instances; due is the least Due. Instances that
// have gone stay, as Stopping, until the next evaluation.
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

	response, queued replay.Sum
	weight           int
	last             time.Duration
	over             time.Duration // when the simulation ends
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

var measuredLaunch, measuredStop = MeasuredLaunch(), MeasuredStop()

// Run runs jobs, and returns the result. The jobs are sorted by (Submit, ID), as
// [trace.Convert] and the models of package workload return them. The slices of the result
// are valid until the next Run. Jobs are not modified.
//
// The error is an [*InputError]. Before anything runs, the error is for options that
// contradict each other, and for jobs that cannot be replayed. Such jobs are out of order,
// have no cores or no run time, have an estimate below the run time, or are larger than every
// infrastructure can be. During the run, the error is for a policy whose actions cannot be
// carried out, and for amounts beyond the range of pricing.Money.
//
// Jobs that do not end are no error: look at Result.Unfinished before the means. A horizon
// ends a run. Without a horizon the simulation gives up when jobs wait, none runs, and none
// has started for 60 days; days on which the credits recover from below the debt do not
// count.
//
// Time:
//
//   - O(log E) an event, with E jobs running and instances booting.
//   - O(instances) for a start, an end, an evaluation, and each of the twelve or so moments
//     of an hour at which instances with a price are charged.
//   - O(log P) for a change of a spot price, with P prices.
//   - The time of the policy. Evaluations at which a policy rests take no time, see [Policy].
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
	if cfg.Progress != nil {
		cfg.Progress(e.ended)
	}
	e.jobs, e.rng, e.cfg = nil, nil, Options{} // nothing of the caller's is kept
	return e.res, nil
}

func (e *Simulator) reset(jobs []trace.Job, cfg Options) {
	e.cfg, e.jobs, e.rng = cfg, jobs, cfg.Rand
	if p, ok := cfg.Policy.(interface{ Reset() }); ok {
		p.Reset()
	}
	e.now, e.since, e.head, e.cores, e.ended, e.ids, e.err = 0, 0, 0, 0, 0, 0, nil
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

// settle charges the instances of an infrastructure without a price for the hours that have
// begun before a time. Nothing but the number of hours depends on these charges, so they
// are no events.
func (e *Simulator) settle(i int, before time.Duration) {
	p, c := &e.places[i], &e.snap.Clouds[i]
	if !p.free || p.due >= before {
		return
	}
	p.due = schedule.Never
	for k := range c.Instances {
		in := &c.Instances[k]
		if in.Due < before {
			hours := (before - in.Due + hour - 1) / hour
			in.Due += hours * hour
			if in.State == Stopping { // it takes longer to go, see Release
				hours, in.Due = 1, schedule.Never
			}
			e.res.Infrastructures[i].Hours += int64(hours)
		}
		p.due = min(p.due, in.Due)
	}
}

// cloudShift packs a cloud and an instance into the index of an event.
const cloudShift = 40

// replay is the event loop. At one moment: jobs end and instances are up; spot prices
// change; credits accrue; jobs are submitted; jobs start; the policy is asked; instances
// are charged.
func (e *Simulator) replay() {
	defer func() {
		for i := range e.places {
			e.settle(i, e.over)
		}
	}()
	next := 0 // job to be submitted
	var accrual, evaluation time.Duration
	// skip counts the evaluations before a time that were skipped while the policy rested.
	skip := func(before time.Duration) {
		if evaluation < before {
			n := (before - evaluation + e.cfg.Every - 1) / e.cfg.Every
			evaluation += n * e.cfg.Every
			e.res.Evaluations += int(n)
		}
		e.woken = false
	}
	for {
		if e.woken { // by a charge, which comes after the evaluation of the same moment
			skip(e.now + 1)
		}
		at := accrual
		if !e.resting {
			at = min(at, evaluation)
		}
		if next < len(e.jobs) {
			at = min(at, e.jobs[next].Submit)
		}
		if e.events.Len() > 0 {
			at = min(at, e.events.Min().Key)
		}
		for i := range e.places {
			if p := &e.places[i]; !p.free {
				at = min(at, p.due)
			}
			at = min(at, e.places[i].change)
		}
		if e.cfg.Horizon == 0 && e.ended == len(e.jobs) {
			e.over = e.now + 1
			return
		}
		switch {
		case e.cfg.Horizon > 0:
			if at >= e.cfg.Horizon {
				skip(e.cfg.Horizon)
				e.over = e.cfg.Horizon
				return
			}
		case e.head == e.ended && e.head < len(e.queue) && at >= e.since+patience:
			skip(e.since + patience)
			e.over = e.since + patience
			return
		case at >= replay.MaxTime:
			e.fail(badInput("Policy", -1, ErrRange, "the jobs take longer than the %.0f s that can be simulated: want a Horizon", replay.MaxTime.Seconds()))
			return
		}
		e.now = at

		freed := false
		for e.events.Len() > 0 && e.events.Min().Key == at {
			ev := e.events.Pop().Tie
			if replay.KindOf(ev) == replay.Finish {
				if e.ends[replay.IndexOf(ev)] != at {
					continue // its instances were ended before
				}
				e.finish(int(replay.IndexOf(ev)))
				e.since = at
			} else {
				e.up(int(replay.IndexOf(ev)>>cloudShift), replay.IndexOf(ev)&(1<<cloudShift-1))
			}
			freed = true
		}
		for i := range e.places {
			if e.places[i].change == at {
				e.reprice(i)
				freed = true // a job may be the first of the queue again
			}
		}
		if accrual == at {
			if e.left < -e.cfg.Budget.Debt && e.cfg.Budget.Hourly > 0 {
				e.since = at
			}
			e.earn(e.cfg.Budget.Hourly)
			accrual += hour
			freed = true // under Covered, credits can let a job start
		}
		waited := e.head < len(e.queue)
		for next < len(e.jobs) && e.jobs[next].Submit == at {
			e.submit(next)
			next++
		}
		if !waited {
			e.since = at
		}
		if freed || !waited || e.cfg.Queue == EASY {
			e.start()
		}
		if e.woken {
			skip(at)
		}
		if evaluation == at && !e.resting && e.err == nil {
			e.evaluate()
			evaluation += e.cfg.Every
		}
		for _, needed := range [...]bool{true, false} {
			for i := range e.places {
				if e.places[i].due == at && !e.places[i].free {
					e.charge(i, needed)
				}
			}
		}
		if e.err != nil {
			return
		}
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

// earn adds to the credits, or takes from them, and records the level.
func (e *Simulator) earn(m pricing.Money) {
	left, err := e.left.Add(m)
	if err != nil {
		e.fail(badInput("Budget", -1, err, ""))
		return
	}
	e.left = left
	if e.resting && left-e.covered >= e.enough {
		e.wake()
	}
	r := &e.res
	n := len(r.Credits)
	if n == 0 {
		r.LowestCredits, r.LowestLaunch = left, left
	}
	r.LowestCredits = min(r.LowestCredits, left)
	if n > 0 && r.Credits[n-1].At == e.now {
		r.Credits[n-1].Credits = left
	} else if n == 0 || m != 0 {
		r.Credits = append(r.Credits, CreditLevel{e.now, left})
	}
}

// pay charges n instance-hours in a cloud.
func (e *Simulator) pay(cloud, n int) {
	r := &e.res.Infrastructures[cloud]
	r.Hours += int64(n)
	price := e.snap.Clouds[cloud].Price
	if price == 0 || n == 0 {
		return
	}
	cost, err := price.Mul(int64(n))
	if err != nil {
		e.fail(badEnvironment("Price", cloud-1, err, "%d instances", n))
		return
	}
	e.spend(cloud, cost)
}

// spend notes what a cloud costs.
func (e *Simulator) spend(cloud int, cost pricing.Money) {
	r := &e.res.Infrastructures[cloud]
	var err error
	if r.Cost, err = r.Cost.Add(cost); err == nil {
		e.res.Cost, err = e.res.Cost.Add(cost)
	}
	if err != nil {
		e.fail(badEnvironment("Price", cloud-1, err, "all instances"))
		return
	}
	e.earn(-cost)
}

func (e *Simulator) submit(i int) {
	e.wake()
	j := &e.jobs[i]
	e.queue = append(e.queue, schedule.Job{ID: int64(i), User: j.User, Submit: j.Submit, Estimate: j.Estimate, Nodes: j.Nodes})
	e.cores += j.Nodes
}

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
	if e.ended%64 == 0 && e.cfg.Progress != nil {
		e.cfg.Progress(e.ended)
	}
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

// charge charges the due instances of a cloud. With needed, it charges the instances that
// are paid for in any case; then the others, as long as the credits stay at the debt or
// above. What is not paid for is given back.
func (e *Simulator) charge(cloud int, needed bool) {
	p, c := &e.places[cloud], &e.snap.Clouds[cloud]
	due := schedule.Never
	n, freed := 0, 0
	for k := range c.Instances {
		in := &c.Instances[k]
		if in.Due == e.now {
			busy := in.State == Busy
			switch {
			case in.State == Stopping: // it takes longer to go, see Release
				if needed {
					in.Due = schedule.Never
					n++
				}
			case busy || c.Price == 0 || in.State == Booting && !e.cfg.Budget.Covered:
				if busy && e.cfg.Budget.Covered {
					e.covered -= c.Price
				}
				in.Due += hour
				n++
			case needed: // not yet
			case e.left-e.covered+e.cfg.Budget.Debt-c.Price*pricing.Money(n) >= c.Price:
				in.Due += hour
				n++
			default:
				e.stop(cloud, k)
				in.Due = schedule.Never
				freed++
			}
		}
		due = min(due, in.Due)
	}
	p.due = due
	e.pay(cloud, n)
	if freed > 0 {
		e.decide(Decision{Kind: Terminate, Cloud: cloud, Count: freed, Reason: pastDebt})
	}
}

// stop terminates an instance that is idle or boots.
func (e *Simulator) stop(cloud, k int) {
	e.wake()
	p := &e.places[cloud]
	in := &e.snap.Clouds[cloud].Instances[k]
	if in.State == Idle {
		p.idle--
	}
	gone := e.now + p.stop.draw(e.rng)
	charged := e.now
	if p.release != nil {
		charged += p.release.draw(e.rng)
	}
	if charged <= in.Due {
		in.Due = schedule.Never
	}
	in.State, in.Ready = Stopping, max(gone, charged)
	p.stopping++
}

// decide records a decision.
func (e *Simulator) decide(d Decision) {
	if !e.cfg.Decisions {
		return
	}
	d.At, d.Jobs, d.Cores, d.Credits = e.now, len(e.queue)-e.head, e.cores, e.left
	e.res.Decisions = append(e.res.Decisions, d)
}

// evaluate asks the policy, in rounds.
func (e *Simulator) evaluate() {
	e.res.Evaluations++
	s := &e.snap
	s.Now, s.Again, s.Jobs = e.now, false, e.queue[e.head:]
	for i := range e.places {
		e.settle(i, e.now)
		s.Clouds[i].Refused = 0
		if e.places[i].stopping > 0 {
			e.sweep(i)
		}
	}
	for round := 0; e.err == nil; round++ {
		if round > len(s.Clouds) {
			e.fail(badInput("Policy", -1, ErrRange, "it asks a cloud again that has refused at %v: want each asked once an evaluation", e.now))
			return
		}
		s.Credits = e.left - e.covered
		e.lead()
		e.actions = e.cfg.Policy.AppendActions(e.actions[:0], s)
		if round == 0 && len(e.actions) == 0 {
			if p, ok := e.cfg.Policy.(rester); ok {
				e.enough, e.resting = p.Rests(s)
			}
		}
		e.unlead()
		refused := 0
		for k := 0; k < len(e.actions) && e.err == nil; {
			a := e.actions[k]
			if a.Cloud < 0 || a.Cloud >= len(s.Clouds) || s.Clouds[a.Cloud].Fixed {
				e.fail(badInput("Policy", -1, ErrRange, "at %v it would %v instances at %d, where none can be rented", e.now, a.Kind, a.Cloud))
				return
			}
			switch a.Kind {
			case Launch:
				refused += e.launch(a, round)
				k++
			case Terminate:
				k += e.terminate(e.actions[k:], round)
			default:
				e.fail(badInput("Policy", -1, ErrRange, "at %v it has an action of an unknown kind, %v", e.now, a.Kind))
			}
		}
		if refused == 0 {
			return
		}
		s.Again = true
	}
}

// A rester is a policy that says when it need not be asked, see [Policy].
type rester interface {
	Rests(s *Snapshot) (credits pricing.Money, rests bool)
}

// lead shows charges earlier, see Options.Lead, and unlead shows them as they are.
func (e *Simulator) lead() {
	if e.cfg.Lead == 0 {
		return
	}
	e.dues = e.dues[:0]
	for i := range e.snap.Clouds {
		for k := range e.snap.Clouds[i].Instances {
			in := &e.snap.Clouds[i].Instances[k]
			e.dues = append(e.dues, in.Due)
			if in.Due == schedule.Never {
				continue
			}
			if in.Due -= e.cfg.Lead; in.Due < e.now {
				in.Due += hour
			}
		}
	}
}

func (e *Simulator) unlead() {
	if e.cfg.Lead == 0 {
		return
	}
	n := 0
	for i := range e.snap.Clouds {
		for k := range e.snap.Clouds[i].Instances {
			e.snap.Clouds[i].Instances[k].Due = e.dues[n]
			n++
		}
	}
}

// sweep removes the instances of a cloud that are gone.
func (e *Simulator) sweep(i int) {
	p, c := &e.places[i], &e.snap.Clouds[i]
	w := 0
	for k := range c.Instances {
		if in := c.Instances[k]; in.State != Stopping || in.Ready > e.now {
			c.Instances[w], p.job[w] = in, p.job[k]
			w++
		}
	}
	p.stopping -= len(c.Instances) - w
	c.Instances, p.job = c.Instances[:w], p.job[:w]
}

// launch asks a cloud for instances and returns how many it refuses.
func (e *Simulator) launch(a Action, round int) int {
	p, c, r := &e.places[a.Cloud], &e.snap.Clouds[a.Cloud], &e.res.Infrastructures[a.Cloud]
	limit := c.Limit
	if limit == NoLimit {
		limit = replay.MaxHeld
	}
	if a.Count <= 0 || a.Count > limit-len(c.Instances) {
		e.fail(badInput("Policy", -1, ErrRange, "at %v it launches %d instances in cloud %d, which has %d of at most %d", e.now, a.Count, a.Cloud, len(c.Instances), limit))
		return 0
	}
	if cost, err := c.Price.Mul(int64(a.Count)); err != nil || cost > 0 && cost > e.left-e.covered+e.cfg.Budget.Debt {
		e.fail(badInput("Policy", -1, ErrRange, "at %v it launches %d instances in cloud %d at %v, with %v left and a debt of %v", e.now, a.Count, a.Cloud, c.Price, e.left-e.covered, e.cfg.Budget.Debt))
		return 0
	}
	granted := a.Count
	switch {
	case p.reject == 0:
	case p.reject == 1:
		granted = 0
	case e.cfg.RejectWhole:
		if e.rng.Float64() < p.reject {
			granted = 0
		}
	default:
		for range a.Count {
			if e.rng.Float64() < p.reject {
				granted--
			}
		}
	}
	due := e.now + hour
	for range granted {
		boot := p.boot.draw(e.rng)
		c.Instances = append(c.Instances, Instance{ID: e.ids, State: Booting, Due: due, Ready: e.now + boot})
		p.job = append(p.job, -1)
		e.events.Push(e.now+boot, replay.Order(replay.Booted, int64(a.Cloud)<<cloudShift|int64(e.ids)))
		e.ids++
	}
	if granted > 0 {
		p.due = min(p.due, due)
		e.pay(a.Cloud, granted)
		if c.Price > 0 {
			e.res.LowestLaunch = min(e.res.LowestLaunch, e.left)
		}
	}
	refused := a.Count - granted
	c.Refused += refused
	r.Launched += granted
	r.Refused += refused
	r.Peak = max(r.Peak, len(c.Instances))
	e.decide(Decision{Round: round, Kind: a.Kind, Cloud: a.Cloud, Count: a.Count, Refused: refused, Reason: a.Reason})
	return refused
}

// terminate carries out the first of the actions and those after it of the same
// kind, and returns how many.
func (e *Simulator) terminate(actions []Action, round int) int {
	a := actions[0]
	n := 0
	for n < len(actions) && actions[n].Kind == a.Kind && actions[n].Cloud == a.Cloud && actions[n].Reason == a.Reason {
		k, in := actions[n].Instance, e.snap.Clouds[a.Cloud].Instances
		if k < 0 || k >= len(in) || in[k].State != Idle {
			e.fail(badInput("Policy", -1, ErrRange, "at %v it terminates instance %d in cloud %d, which is not idle", e.now, k, a.Cloud))
			return n + 1
		}
		e.stop(a.Cloud, k)
		n++
	}
	e.decide(Decision{Round: round, Kind: a.Kind, Cloud: a.Cloud, Count: n, Reason: a.Reason})
	return n
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
