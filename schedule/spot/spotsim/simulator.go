package spotsim

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/internal/enum"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule/internal/replay"
	"github.com/plimsoll/plimsoll/schedule/spot"
)

// A simulation of tasks with deadlines on spot instances and on demand. The agents are
// those of package spot. This file has the clusters that they rent:
//
//	spot       A request is served at the first moment at which the price is at most
//	           the bid, and lost at the first one thereafter at which it is above.
//	           Instances that are lost before the task is on them are requested
//	           again by themselves.
//	on demand  A request is served at once and never lost.
//
// A cluster boots from the moment at which the request is served, for T_latency less the
// set-up. The set-up begins when the agent has seen the cluster ready and submits the
// task. Then the task reads its checkpoint, if there is one and that is faster than to
// begin again, and works, on spot with its checkpoints. A lease begins when the request
// is served and ends when the agent closes the cluster or the provider takes it.
//
// Events are handled in the order of time. At one moment, the progress of a task comes
// first, then what the provider takes, then what the agents see. So a task that ends just
// when the price rises has ended, and a checkpoint written at that moment is written. A
// lease that an agent closes at that moment for another reason is charged as closed by
// the agent. The price is constant after the end of the history.
//
// Tasks do not wait for each other and do not move prices. So each task is simulated by
// itself, in O(log c) time an event for c changes of the price, beside the changes
// between a request and its end. A checkpoint is no event: no agent acts when one is
// written, and who looks later finds it.

// A Task is a task to be simulated.
type Task struct {
	spot.Task
	Submit time.Duration // when the framework takes it; not before the first price
	// Runtime is how long the task really runs, without checkpoints; 0 stands for
	// its Estimate. With checkpoints, no more than 2²⁰ of them may fit in it.
	Runtime time.Duration
}

// A Options says what tasks are run on, and by which rule.
type Options struct {
	History  pricing.SpotHistory // of the price of an instance-hour
	OnDemand pricing.Money       // price of an instance-hour; > 0
	// Spot and Meter say what leases are charged. The zero values stand for
	// EC2SpotPerSecond and EC2PerSecond.
	Spot  pricing.SpotMeter
	Meter pricing.Meter
	// Setup is the part of each task's Latency that passes after the agent has
	// seen its cluster ready ([Huang13] Alg. 1, lines 19 and 20).
	Setup    time.Duration
	Handover spot.Handover
	// Medium and Low are the bids of the agents. Nil stands for the paper's,
	// MediumBid and LowBid.
	Medium, Low spot.Bidder
	// Bid replaces Medium and Low.
	Bid spot.BidFunc
	// Plan decides under spot.RulePlanned. Nil stands for a spot.Planner with the risk
	// Reclaim and a model by Chain of the prices of Window before the submission. A
	// Window of 0 is 30 days, or all past prices if they are fewer; there must be two
	// steps.
	Plan    spot.PlanFunc
	Window  time.Duration
	Chain   spot.ChainOptions
	Reclaim float64
	Alone   bool // that plan has no cluster on demand beside one on spot
}

// A LeaseEnd says what ended a lease.
type LeaseEnd uint8

const (
	LeaseCompleted   LeaseEnd = iota // the task ended on it
	LeaseInterrupted                 // the price rose above the bid while the task was on it
	LeaseLost                        // the same before the task was on it
	LeaseExpired                     // the agent gave the task back
	LeaseWithdrawn                   // the task ended elsewhere
)

var leaseEnds = enum.New[LeaseEnd]("spotsim", "LeaseEnd", spot.ErrRange,
	"completed", "interrupted", "lost", "expired", "withdrawn")

// String returns the end in a word, such as "completed", and LeaseEnd(7) for a value 7 that is none of
// the constants.
func (e LeaseEnd) String() string { return leaseEnds.String(e) }

// A Lease is a cluster that was rented for a task.
type Lease struct {
	Task      int           // index
	Tier      spot.Tier     // TierHigh is on demand
	Bid       pricing.Money // 0 on demand
	Requested time.Duration
	Launched  time.Duration
	Started   time.Duration // when the task began to run; -1 if it did not
	Ended     time.Duration
	End       LeaseEnd
	Saved     time.Duration // in checkpoints when it ended
	Cost      pricing.Money // of all instances
}

// An Outcome is what became of a task.
type Outcome struct {
	Finish time.Duration // spot.Never if it waits for a price for ever, or for more than 73 years
	Met    bool          // Finish ≤ Deadline
	// Possible: the same agents meet the deadline if they send it on demand at its
	// submission.
	Possible      bool
	Cost          pricing.Money // of all leases
	OnDemand      pricing.Money // part of it
	OnDemandOnly  pricing.Money // what it costs if it is sent on demand at its submission
	Interruptions int           // leases interrupted or lost
	Leases        int           // of the task; in Result.Leases they follow one another
	First         int           // the first of them
}

// A Result is what a simulation found. Its slices are valid until the next
// Run.
type Result struct {
	Met           int // tasks
	Possible      int
	Missed        int // possible, and not met
	Cost          pricing.Money
	OnDemand      pricing.Money
	OnDemandOnly  pricing.Money
	Interruptions int
	Tasks         []Outcome // by index
	Leases        []Lease   // by task, then in the order in which they ended
}

// A Simulator runs tasks over a price history. The zero value is ready; it
// keeps its memory and allocates nothing once warm.
type Simulator struct {
	framework spot.Framework
	commands  []spot.Command
	outcomes  []Outcome
	leases    []Lease
	bid       spot.BidFunc  // s.ask, made once
	plan      spot.PlanFunc // s.decide, made once
	chains    spot.ChainEstimator
	planner   spot.Planner

	cfg   Options
	task  Task
	index int
	now   time.Duration
	saved time.Duration
	spot  rented
	high  rented
	err   error
}

// rented is a cluster that was asked for.
type rented struct {
	open      bool
	tier      spot.Tier
	bid       pricing.Money
	requested time.Duration
	launch    time.Duration // when it is served
	lost      time.Duration // when the provider takes it; spot.Never on demand
	submitted bool
	start     time.Duration // of the run, after the set-up
	read      time.Duration // time for the checkpoint at its start
	base      time.Duration // work that was saved and need not be done again
	work      time.Duration // still to be done
	end       time.Duration // of the run, if nothing interrupts it
	ended     LeaseEnd      // why it will be closed
}

// Run simulates the tasks. The error is an [*InputError] that unwraps to [spot.ErrRange],
// or to [spot.ErrPast] for a deadline that is not after its submission. Its Field is such
// as "Tasks.Deadline" with the index of the task, or such as "Options.Window" with -1.
// Under spot.RulePlanned without a Plan a task needs two steps of the chain of past
// prices ("Tasks.Submit"), and a plan that is not too large ("Options.Chain"). The error
// is that of package pricing for a history or a meter that is not valid, or a sum that
// overflows. Within 73 years must be the prices of the history ("Options.History"), and what
// the meters charge at least ("Options.Spot", "Options.Meter"). Agents look at most 2²⁸
// times at a task, up to its run after the later of its deadline and the last price
// ("Options.Handover"). Run panics if the Handover cannot be used, and where a bidder panics.
func (s *Simulator) Run(tasks []Task, cfg Options) (Result, error) {
	if err := cfg.complete(); err != nil {
		return Result{}, err
	}
	s.cfg = cfg
	s.outcomes, s.leases = s.outcomes[:0], s.leases[:0]
	if s.bid == nil {
		s.bid, s.plan = s.ask, s.decide
	}
	s.framework.Handover, s.framework.Bid, s.framework.Plan = cfg.Handover, cfg.Bid, cfg.Plan
	if cfg.Bid == nil {
		s.framework.Bid = s.bid
	}
	if cfg.Plan == nil {
		s.framework.Plan = s.plan
	}
	var r Result
	for i := range tasks {
		if err := s.check(i, &tasks[i]); err != nil {
			return Result{}, err
		}
		o, err := s.run(i, tasks[i])
		if err != nil {
			return Result{}, err
		}
		s.outcomes = append(s.outcomes, o)
		if o.Met {
			r.Met++
		}
		if o.Possible {
			r.Possible++
		}
		if o.Possible && !o.Met {
			r.Missed++
		}
		r.Interruptions += o.Interruptions
		for _, sum := range [...]struct {
			to *pricing.Money
			by pricing.Money
		}{{&r.Cost, o.Cost}, {&r.OnDemand, o.OnDemand}, {&r.OnDemandOnly, o.OnDemandOnly}} {
			if *sum.to, err = sum.to.Add(sum.by); err != nil {
				return Result{}, err
			}
		}
	}
	r.Tasks, r.Leases = s.outcomes, s.leases
	return r, nil
}

// complete fills in what the zero value stands for and says what is out of range.
func (c *Options) complete() error {
	if err := c.History.Validate(); err != nil {
		return err
	}
	if c.OnDemand <= 0 {
		return badInput("Options.OnDemand", -1, spot.ErrRange, "a price of %v: want more than 0", c.OnDemand)
	}
	if c.Setup < 0 {
		return badInput("Options.Setup", -1, spot.ErrRange, "%v: want 0 or more", c.Setup)
	}
	if c.Window < 0 {
		return badInput("Options.Window", -1, spot.ErrRange, "%v: want 0 or more", c.Window)
	}
	if o := &c.Chain; o.Step < 0 || o.Levels < 0 || o.Levels > 64 || !(o.Prior <= math.MaxFloat64) {
		return badInput("Options.Chain", -1, spot.ErrRange, "%+v: want a step of 0 or more, 0 to 64 levels and a prior of 0 or more", *o)
	}
	if !(c.Reclaim >= 0 && c.Reclaim < 1) {
		return badInput("Options.Reclaim", -1, spot.ErrRange, "a probability of %v: want 0 or more and less than 1", c.Reclaim)
	}
	if c.Spot == (pricing.SpotMeter{}) {
		c.Spot = pricing.EC2SpotPerSecond
	}
	if c.Meter == (pricing.Meter{}) {
		c.Meter = pricing.EC2PerSecond
	}
	if err := c.Spot.Validate(); err != nil {
		return err
	}
	if err := c.Meter.Validate(); err != nil {
		return err
	}
	// Times that are charged have to fit, too.
	for _, m := range [...]struct {
		field string
		meter pricing.Meter
	}{{"Options.Spot", c.Spot.Meter}, {"Options.Meter", c.Meter}} {
		if most := max(m.meter.Minimum, m.meter.Increment); most > replay.MaxTime {
			return badInput(m.field, -1, spot.ErrRange, "a minimum or an increment of %v: want at most %v", most, replay.MaxTime)
		}
	}
	if last := c.History.Times[len(c.History.Times)-1]; last > replay.MaxTime {
		return badInput("Options.History", -1, spot.ErrRange, "a price is set at %v: want at most %v", last, replay.MaxTime)
	}
	if c.Medium == nil {
		c.Medium = spot.MediumBid{}
	}
	if c.Low == nil {
		c.Low = spot.LowBid{}
	}
	return nil
}

// maxCheckpoints bounds the memory of a plan and of a [Hindsight], which have a state for
// each checkpoint.
const maxCheckpoints = 1 << 20

// maxLooks bounds the time that a task takes whose agents look at it again and again: some
// ten seconds.
const maxLooks = 1 << 28

func (s *Simulator) check(i int, t *Task) error {
	switch {
	case t.Submit < 0:
		return badInput("Tasks.Submit", i, spot.ErrRange, "%v: want 0 or more", t.Submit)
	case t.Submit < s.cfg.History.Start():
		return badInput("Tasks.Submit", i, spot.ErrRange, "%v: want the first price, at %v, or later", t.Submit, s.cfg.History.Start())
	case t.Runtime < 0 || t.Runtime > replay.MaxTime/4:
		return badInput("Tasks.Runtime", i, spot.ErrRange, "%v: want 0 to %v", t.Runtime, replay.MaxTime/4)
	case t.Latency < s.cfg.Setup:
		return badInput("Tasks.Latency", i, spot.ErrRange, "%v: want at least the set-up, %v, which is part of the latency", t.Latency, s.cfg.Setup)
	case t.Deadline <= t.Submit && t.Deadline >= 0:
		return badInput("Tasks.Deadline", i, spot.ErrPast, "%v: want a time after %v, when the task is submitted", t.Deadline, t.Submit)
	}
	if err := t.Validate(); err != nil {
		return taskError(i, err)
	}
	// What it really runs for has to fit as well.
	longest := t.Task
	longest.Estimate = max(longest.Estimate, t.Runtime)
	if err := longest.Validate(); err != nil {
		return taskError(i, err)
	}
	if e := t.Checkpoints.Every; e > 0 && (longest.Estimate-1)/e > maxCheckpoints {
		return badInput("Tasks.Checkpoints.Every", i, spot.ErrRange, "every %v of a run of %v: want at most %d checkpoints", e, longest.Estimate, maxCheckpoints)
	}
	// After its deadline a task waits at most for the last change of the price, or is not
	// looked at until its agent gives it back.
	if every := s.cfg.Handover.Interval; every > 0 {
		times := s.cfg.History.Times
		span := max(t.Deadline, times[len(times)-1]) - t.Submit + t.Latency + t.Checkpoints.Restart + longest.SpotRun(0)
		if span/every > maxLooks {
			return badInput("Options.Handover", -1, spot.ErrRange, "looks every %v for up to %v at the task at index %d: want at most 2²⁸, such as with a longer Interval", every, span, i)
		}
	}
	return nil
}

// ask is the bid of the agents by Medium and Low.
func (s *Simulator) ask(_ *spot.Task, tier spot.Tier, now, _ time.Duration) pricing.Money {
	if tier == spot.TierLow {
		return s.cfg.Low.Bid(s.cfg.History, now, s.cfg.OnDemand)
	}
	return s.cfg.Medium.Bid(s.cfg.History, now, s.cfg.OnDemand)
}

// solve plans the task by the prices before its submission.
func (s *Simulator) solve() error {
	t := &s.task
	window := s.cfg.Window
	if window == 0 {
		window = 30 * 24 * time.Hour
	}
	h := &s.cfg.History
	chain, err := s.chains.Estimate(*h, max(h.Start(), t.Submit-window), t.Submit, s.cfg.Chain)
	if err != nil { // the history and the options are valid: the window is too short
		return badInput("Tasks.Submit", s.index, spot.ErrRange, "%v: want two steps of past prices or more, within %v, to plan by", t.Submit, window)
	}
	err = s.planner.Solve(spot.Market{
		Chain: chain, Spot: s.cfg.Spot, OnDemand: s.cfg.OnDemand, Meter: s.cfg.Meter, Reclaim: s.cfg.Reclaim, Beside: !s.cfg.Alone,
	}, &t.Task, t.Submit)
	if err == nil {
		return nil
	}
	var in *InputError
	if errors.As(err, &in) {
		switch {
		case strings.HasPrefix(in.Field, "PriceChain."):
			return badInput("Options.Chain", -1, fmt.Errorf("task at index %d: %w", s.index, in.Err), "")
		case strings.HasPrefix(in.Field, "Market."):
			return badInput("Options."+strings.TrimPrefix(in.Field, "Market."), -1, in.Err, "")
		}
	}
	return err
}

// decide is what the planner does.
func (s *Simulator) decide(_ *spot.Task, state spot.BidState) spot.BidDecision {
	state.Price = s.cfg.History.At(state.Now)
	return s.planner.Decide(state)
}

// run simulates one task.
func (s *Simulator) run(index int, t Task) (Outcome, error) {
	if t.Runtime == 0 {
		t.Runtime = t.Estimate
	}
	s.task, s.index, s.now, s.saved, s.err = t, index, t.Submit, 0, nil
	s.spot, s.high = rented{}, rented{}
	s.framework.Reset()
	if _, err := s.framework.Take(t.Task, t.Submit); err != nil {
		return Outcome{}, taskError(index, err)
	}
	if s.cfg.Handover.Rule == spot.RulePlanned && s.cfg.Plan == nil {
		if err := s.solve(); err != nil {
			return Outcome{}, taskError(index, err)
		}
	}
	o := Outcome{Finish: spot.Never, First: len(s.leases)}
	for {
		s.commands = s.framework.AppendCommands(s.commands[:0], s.now, (*looker)(s))
		for i := range s.commands {
			s.carryOut(&s.commands[i], &o)
		}
		if s.err != nil {
			return Outcome{}, s.err
		}
		if len(s.commands) > 0 {
			continue
		}
		if s.framework.Len() == 0 {
			break
		}
		next := s.framework.Next()
		waits := s.spot.open && s.spot.launch == spot.Never && !s.high.open // for a price that never comes
		switch {
		case s.cfg.Handover.Interval == 0:
			next = min(next, s.spot.event(s), s.high.event(s))
		case waits:
			next = s.givesUp()
		}
		if waits && next > replay.MaxTime {
			break
		}
		s.now = next
	}
	o.Leases = len(s.leases) - o.First
	for _, l := range s.leases[o.First:] {
		if l.End == LeaseInterrupted || l.End == LeaseLost {
			o.Interruptions++
		}
		var err error
		if o.Cost, err = o.Cost.Add(l.Cost); err != nil {
			return Outcome{}, err
		}
		if l.Tier == spot.TierHigh {
			if o.OnDemand, err = o.OnDemand.Add(l.Cost); err != nil {
				return Outcome{}, err
			}
		}
	}
	o.Met = o.Finish <= t.Deadline
	span, seen := s.onDemandOnly()
	o.Possible = t.Submit+span <= t.Deadline
	var err error
	o.OnDemandOnly, err = replay.Cost(s.cfg.Meter, s.cfg.OnDemand, seen, t.Instances)
	return o, err
}

// givesUp returns the next look at which the agent of a request that is never served gives
// its task back: all looks before find nothing new. The result is spot.Never for a look
// after replay.MaxTime. O(log replay.MaxTime).
func (s *Simulator) givesUp() time.Duration {
	every := s.cfg.Handover.Interval
	lo, hi := time.Duration(1), (replay.MaxTime-s.now)/every+1 // the look is one of these, or the last is after replay.MaxTime
	for lo < hi {
		k := lo + (hi-lo)/2
		if s.cfg.Handover.Tier(&s.task.Task, s.now+k*every, s.saved) < s.spot.tier {
			hi = k
		} else {
			lo = k + 1
		}
	}
	if lo > (replay.MaxTime-s.now)/every {
		return spot.Never
	}
	return s.now + lo*every
}

// onDemandOnly returns how long the task takes if it is sent on demand at its
// submission, and after which time the agent sees that.
func (s *Simulator) onDemandOnly() (span, seen time.Duration) {
	submit := s.looked(s.task.Latency - s.cfg.Setup)
	run := s.cfg.Setup + s.task.Runtime
	return submit + run, submit + s.looked(run)
}

// looked rounds a span up to the next look of an agent.
func (s *Simulator) looked(d time.Duration) time.Duration {
	if i := s.cfg.Handover.Interval; i > 0 {
		return (d + i - 1) / i * i
	}
	return d
}

// taskError tells which task the framework does not take.
func taskError(index int, err error) error {
	if in, ok := err.(*InputError); ok {
		if field, ok := strings.CutPrefix(in.Field, "Task."); ok {
			return badInput("Tasks."+field, index, in.Err, "")
		}
	}
	return err
}

// carryOut does what an agent asks for.
func (s *Simulator) carryOut(c *spot.Command, o *Outcome) {
	r := &s.spot
	if c.Tier == spot.TierHigh {
		r = &s.high
	}
	switch c.Kind {
	case spot.CommandOpen:
		*r = rented{open: true, tier: c.Tier, bid: c.Bid, requested: s.now, ended: LeaseWithdrawn}
		r.serve(s, s.now)
	case spot.CommandSubmit:
		r.submit(s)
	case spot.CommandReturn:
		r.ended = LeaseExpired
		if c.Reason == spot.ReturnInterrupted {
			r.ended = LeaseInterrupted
		}
	case spot.CommandComplete:
		// Both clusters of a task may have ended it since the last look.
		r.ended = LeaseCompleted
		for _, r := range [...]*rented{&s.spot, &s.high} {
			if r.submitted && r.end <= min(s.now, r.lost) {
				o.Finish = min(o.Finish, r.end)
			}
		}
	case spot.CommandClose:
		r.close(s)
	}
}

// serve finds when a request is served and lost.
func (r *rented) serve(s *Simulator, from time.Duration) {
	r.launch, r.lost = from, spot.Never
	if r.tier == spot.TierHigh {
		return
	}
	var ok bool
	if r.launch, ok = s.cfg.History.NextWithin(from, r.bid); !ok {
		r.launch = spot.Never
		return
	}
	if r.lost, ok = s.cfg.History.NextAbove(r.launch, r.bid); !ok {
		r.lost = spot.Never
	}
}

// ready returns when the cluster has booted.
func (r *rented) ready(s *Simulator) time.Duration {
	if r.launch == spot.Never {
		return spot.Never
	}
	return r.launch + s.task.Latency - s.cfg.Setup
}

// submit starts the task after the set-up, from the checkpoint that there is by
// then.
func (r *rented) submit(s *Simulator) {
	r.submitted = true
	r.start = s.now + s.cfg.Setup
	saved := s.saved
	if r.tier == spot.TierHigh && s.spot.open && s.spot.submitted {
		saved = max(saved, s.spot.savedAt(s, r.start))
	}
	t := &s.task
	r.work = t.Runtime
	if t.Remaining(saved) < t.Estimate {
		r.read, r.base, r.work = t.Checkpoints.Restart, saved, t.Runtime-saved
	}
	r.end = r.start + r.read + r.work
	if c := &t.Checkpoints; c.Every > 0 && r.tier != spot.TierHigh {
		r.end += (r.work - 1) / c.Every * c.Write
	}
}

// savedAt returns how much work is in checkpoints at a time.
func (r *rented) savedAt(s *Simulator, at time.Duration) time.Duration {
	c := &s.task.Checkpoints
	at = min(at, r.lost)
	if c.Every == 0 || r.tier == spot.TierHigh {
		return s.saved
	}
	// Before the run has read its checkpoint, n is not positive.
	n := min((at-r.start-r.read)/(c.Every+c.Write), (r.work-1)/c.Every)
	return max(s.saved, r.base+n*c.Every)
}

// event returns when something happens next to the cluster, spot.Never if nothing
// does.
func (r *rented) event(s *Simulator) time.Duration {
	next := spot.Never
	if !r.open {
		return next
	}
	soon := func(t time.Duration) {
		if t > s.now {
			next = min(next, t)
		}
	}
	soon(r.launch)
	soon(r.lost)
	if r.submitted {
		soon(r.end)
	} else {
		soon(r.ready(s))
	}
	return next
}

// looker is the simulator as its framework sees it.
type looker Simulator

// Look lets a cluster go on until now.
func (l *looker) Look(_ int, tier spot.Tier) spot.Observation {
	s := (*Simulator)(l)
	r := &s.spot
	if tier == spot.TierHigh {
		r = &s.high
	}
	if !r.submitted {
		for r.lost <= s.now {
			r.ended = LeaseLost
			r.charge(s, r.lost, pricing.EndedByProvider)
			r.ended = LeaseWithdrawn
			r.serve(s, r.lost)
		}
		return spot.Observation{Launched: r.launch <= s.now, Ready: r.ready(s) <= s.now, Saved: s.saved}
	}
	s.saved = r.savedAt(s, s.now)
	return spot.Observation{
		Launched: true, Ready: true, Saved: s.saved,
		Done:        r.end <= s.now && r.end <= r.lost,
		Interrupted: r.lost <= s.now,
	}
}

// close ends the lease now, if it has not been lost before.
func (r *rented) close(s *Simulator) {
	switch {
	case r.launch > s.now: // never served
	case r.lost < s.now || r.lost == s.now && r.ended == LeaseInterrupted:
		r.charge(s, r.lost, pricing.EndedByProvider)
	default: // also at the moment at which the price rises
		r.charge(s, s.now, pricing.EndedByUser)
	}
	*r = rented{}
}

// charge notes a lease that ended.
func (r *rented) charge(s *Simulator, at time.Duration, by pricing.SpotEnd) {
	var cost pricing.Money
	var err error
	if r.tier == spot.TierHigh {
		cost, err = replay.Cost(s.cfg.Meter, s.cfg.OnDemand, at-r.launch, s.task.Instances)
	} else if cost, err = s.cfg.Spot.Cost(s.cfg.History, r.launch, at-r.launch, by); err == nil {
		cost, err = cost.Mul(int64(s.task.Instances))
	}
	if s.err == nil {
		s.err = err
	}
	started := time.Duration(-1)
	if r.submitted && r.start < at {
		started = r.start
	}
	s.leases = append(s.leases, Lease{
		Task: s.index, Tier: r.tier, Bid: r.bid, Requested: r.requested, Launched: r.launch,
		Started: started, Ended: at, End: r.ended, Saved: s.saved, Cost: cost,
	})
}
