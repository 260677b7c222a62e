package spotsim

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/internal/inputerr"
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
// written, and the next look finds it.

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
	bid       func(t *spot.Task, tier spot.Tier, now, saved time.Duration) pricing.Money // s.ask, made once
	plan      func(*spot.Task, spot.BidState) spot.BidDecision                           // s.decide, made once
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

// Run simulates the tasks.
//
// Run returns an error of package pricing for a history or a meter that is not valid, and for a sum
// that overflows. Every other error is a *schedule.InputError. It unwraps to [spot.ErrPast] for a
// deadline that is not after the submission, and to [spot.ErrRange] otherwise. Index is the index
// of the task for a Field such as "Tasks.Deadline", and -1 for a Field such as "Options.Setup". Run
// checks these limits:
//
//   - "Tasks.Submit": under spot.RulePlanned without a Plan, a task has two steps of past prices
//     before it, for the chain.
//   - "Options.Step": under the same rule, the plan is not too large.
//   - "Options.History": the prices are within 73 years.
//   - "Options.Spot", "Options.Meter": the least charge of a meter is within 73 years.
//   - "Options.Handover": the agents look at a task at most 2²⁸ times, until the later of its
//     deadline and the last price, and for its run time after that.
//
// Run panics if the Handover cannot be used, and if a bidder panics.
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

// ask is the bid of the agents by Medium and Low.
func (s *Simulator) ask(_ *spot.Task, tier spot.Tier, now, _ time.Duration) pricing.Money {
	if tier == spot.TierLow {
		return s.cfg.Low(s.cfg.History, now, s.cfg.OnDemand)
	}
	return s.cfg.Medium(s.cfg.History, now, s.cfg.OnDemand)
}

// solve plans the task by the prices before its submission.
func (s *Simulator) solve() error {
	t := &s.task
	const window = 30 * 24 * time.Hour
	h := &s.cfg.History
	s.chains.Step = s.cfg.Step
	chain, err := s.chains.Estimate(*h, max(h.Start(), t.Submit-window), t.Submit)
	if err != nil { // the history and the options are valid: the window is too short
		return badInput("Tasks.Submit", s.index, spot.ErrRange, "%v: want two steps of past prices or more, within %v, to plan by", t.Submit, window)
	}
	err = s.planner.Solve(spot.Market{
		Chain: chain, Spot: s.cfg.Spot, OnDemand: s.cfg.OnDemand, Meter: s.cfg.Meter, Beside: !s.cfg.Alone,
	}, &t.Task, t.Submit)
	if err == nil {
		return nil
	}
	var in *inputerr.Error
	if errors.As(err, &in) {
		switch {
		case strings.HasPrefix(in.Field, "PriceChain."):
			return badInput("Options.Step", -1, fmt.Errorf("task at index %d: %w", s.index, in.Err), "")
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
		s.commands = s.framework.AppendCommands(s.commands[:0], s.now, (*looker)(s).Look)
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
		if c.Interrupted {
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
