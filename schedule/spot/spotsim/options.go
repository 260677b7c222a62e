package spotsim

import (
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/internal/inputerr"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule/internal/replay"
	"github.com/plimsoll/plimsoll/schedule/spot"
)

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
	Medium, Low func(h pricing.SpotHistory, now time.Duration, onDemand pricing.Money) pricing.Money
	// Bid replaces Medium and Low.
	Bid func(t *spot.Task, tier spot.Tier, now, saved time.Duration) pricing.Money
	// Plan decides under spot.RulePlanned. Nil stands for a spot.Planner with a model of the
	// prices of 30 days before the submission, or of all past prices if they are fewer; there
	// must be two steps.
	Plan  func(*spot.Task, spot.BidState) spot.BidDecision
	Step  time.Duration // of the model; 0 is 10 minutes
	Alone bool          // that plan has no cluster on demand beside one on spot
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
	if c.Step < 0 {
		return badInput("Options.Step", -1, spot.ErrRange, "%v: want 0 or more", c.Step)
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
		c.Medium = spot.MediumBid
	}
	if c.Low == nil {
		c.Low = spot.LowBid
	}
	return nil
}

// maxCheckpoints bounds the memory of a plan, which has a state for each checkpoint.
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

// taskError tells which task the framework does not take.
func taskError(index int, err error) error {
	if in, ok := err.(*inputerr.Error); ok {
		if field, ok := strings.CutPrefix(in.Field, "Task."); ok {
			return badInput("Tasks."+field, index, in.Err, "")
		}
	}
	return err
}
