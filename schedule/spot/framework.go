package spot

import (
	"time"

	"github.com/plimsoll/plimsoll/pricing"
)

// Clusters shows a [Framework] the clusters that it has asked for. Look returns the state
// of the cluster on demand (TierHigh), or of the cluster on spot, of the task at that
// index.
type Clusters interface {
	Look(index int, tier Tier) Observation
}

// A BidFunc returns the bid of agent medium or low for an instance-hour, for a task at a
// time, with that much of its work in a checkpoint ([Huang13] Alg. 1, lines 4 and 5).
// [MediumBid] and [LowBid] are the paper's bids, [QuantileBid] is another. A BidFunc
// looks up the prices that they need.
type BidFunc func(t *Task, tier Tier, now, saved time.Duration) pricing.Money

// A PlanFunc decides what to do with a task under [RulePlanned]: [Planner.Decide]
// does, once the Price is looked up, which the state does not have. Saved is what
// BidState asks for, of a running cluster what was saved at its launch.
//
// A plan may tell an idle task to wait, to go on spot or on demand, or [BidBoth]. For a
// running task, BidSpot without Stop goes on with its bid, and BidBoth without Stop goes
// on with a cluster on demand beside it. Any other decision gives the cluster back, and
// the plan is asked again at once. A decision that holds for no time, or that is unknown,
// sends an idle task on demand.
type PlanFunc func(t *Task, s BidState) BidDecision

// A Framework is the framework agent AG of [Huang13] section II.C with its cluster
// agents. It takes tasks, hands them to agents by the rule of its Handover, and takes
// them back. Every task has its own cluster, so tasks do not wait for each other. An
// agent of the paper is a set of machines here, one for each of its tasks.
//
// It does nothing by itself. Commands come out, the caller carries them out and
// calls again:
//
//	for {
//		commands = f.AppendCommands(commands[:0], now, clusters)
//		if len(commands) == 0 {
//			break // until f.Next(), or, with Interval 0, until something happens
//		}
//		carryOut(commands)
//	}
//
// Set Handover and Bid, or Plan, before the first task. A Framework keeps its memory and
// allocates nothing once warm. It is for one goroutine.
type Framework struct {
	Handover Handover
	Bid      BidFunc  // asked whenever a task goes to agent medium or low; not under RulePlanned
	Plan     PlanFunc // asked under RulePlanned

	tasks []handled
	free  []int // indices of tasks that are gone
}

// handled is a task and the agents that have it: in the list of AG neither.
type handled struct {
	task       Task
	saved      time.Duration
	live       bool
	complete   bool
	spot, high agent
	plan       time.Duration // when Plan is asked next
	began      time.Duration // what was saved when the spot cluster was requested
}

// Reset forgets all tasks and keeps the memory.
func (f *Framework) Reset() { f.tasks, f.free = f.tasks[:0], f.free[:0] }

// Grow makes room for n tasks.
func (f *Framework) Grow(n int) {
	if n > cap(f.tasks) {
		f.tasks = append(make([]handled, 0, n), f.tasks...)
		f.free = append(make([]int, 0, n), f.free...)
	}
}

// Take takes a task at a time and returns its index, under which it is known until its
// last cluster is closed. The next AppendCommands hands it to an agent. A deadline that
// cannot be met is no error, as long as it is not past: the task goes on demand. It
// panics if the Handover is not usable, or if Bid or Plan is nil where the Handover needs
// it. The error is an [*InputError], which unwraps to [ErrRange] or [ErrPast].
func (f *Framework) Take(t Task, now time.Duration) (int, error) {
	f.Handover.check()
	if planned := f.Handover.Rule == RulePlanned; planned && f.Plan == nil || !planned && f.Bid == nil {
		panic("spot: Framework without a Bid or Plan")
	}
	if err := t.Validate(); err != nil {
		return 0, err
	}
	if now < 0 || now > maxSpan {
		return 0, badInput("now", -1, ErrRange, "%v: want 0 to %v", now, maxSpan)
	}
	if t.Deadline <= now {
		return 0, badInput("Task.Deadline", -1, ErrPast, "%v: want a time after %v, when the task is taken", t.Deadline, now)
	}
	e := handled{
		task: t, live: true, plan: now,
		spot: agent{Handover: f.Handover, Tier: TierLow},
		high: agent{Handover: f.Handover, Tier: TierHigh},
	}
	if n := len(f.free); n > 0 {
		i := f.free[n-1]
		f.free = f.free[:n-1]
		f.tasks[i] = e
		return i, nil
	}
	f.tasks = append(f.tasks, e)
	return len(f.tasks) - 1, nil
}

// Len returns the number of tasks that have not ended or whose clusters are not
// closed.
func (f *Framework) Len() int { return len(f.tasks) - len(f.free) }

// Next returns when agents want to look again: now or earlier if that is at once,
// [Never] if they wait for what happens.
func (f *Framework) Next() time.Duration {
	next := Never
	for i := range f.tasks {
		if e := &f.tasks[i]; e.live {
			next = min(next, e.next())
		}
	}
	return next
}

func (e *handled) next() time.Duration {
	next := min(e.spot.Next(), e.high.Next())
	if e.spot.Handover.Rule == RulePlanned && e.high.state == clusterClosed {
		next = min(next, e.plan, e.spot.Handover.Limit(&e.task, e.saved))
	}
	if at, ok := e.hedgeAt(); ok && e.spot.Handover.Interval == 0 {
		next = min(next, at)
	}
	return next
}

// hedgeAt returns when a task that runs on spot gets a second cluster.
func (e *handled) hedgeAt() (time.Duration, bool) {
	if e.spot.Handover.Rule != RuleHedged || e.spot.state != clusterRunning || e.high.state != clusterClosed {
		return 0, false
	}
	return e.spot.Handover.Limit(&e.task, e.saved), true
}

// AppendCommands lets AG and all agents look at a time and appends what they want
// done, to be carried out in that order. The caller then calls again, at the same
// time, until nothing is appended. CommandProceed, CommandWait and CommandStop are not appended.
//
// It takes O(1) time a task. It looks at both clusters of a task at most once, and at the
// spot cluster once more when the plan is asked.
func (f *Framework) AppendCommands(dst []Command, now time.Duration, c Clusters) []Command {
	for i := range f.tasks {
		if e := &f.tasks[i]; e.live {
			dst = f.step(dst, i, e, now, c)
		}
	}
	return dst
}

func (f *Framework) step(dst []Command, i int, e *handled, now time.Duration, c Clusters) []Command {
	before := len(dst)
	if e.asks(i, now, c) {
		switch f.goOn(e, now) {
		case BidBoth:
			return e.hedge(dst, i, now)
		case BidOnDemand:
			dst = append(dst, e.label(e.spot.giveBack(ReturnExpired), i))
		}
	}
	dst = e.let(&e.spot, dst, i, now, c)
	if len(dst) > before && opens(dst[len(dst)-1].Kind) {
		return dst
	}
	if !e.complete {
		dst = e.let(&e.high, dst, i, now, c)
	}
	if len(dst) > before && opens(dst[len(dst)-1].Kind) {
		return dst
	}
	if e.complete {
		// What the task leaves behind: with RuleHedged, the other cluster.
		for _, a := range [...]*agent{&e.spot, &e.high} {
			if a.state != clusterClosed {
				a.Withdraw()
				dst = append(dst, e.label(a.Step(now, Observation{}), i))
			}
		}
		e.live = false
		f.free = append(f.free, i)
		return dst
	}
	if at, ok := e.hedgeAt(); ok && now >= at {
		return e.hedge(dst, i, now)
	}
	if e.spot.state == clusterClosed && e.high.state == clusterClosed {
		dst = f.handOut(dst, i, e, now)
	}
	return dst
}

// asks reports whether the plan is asked about the spot cluster of a task: its time has
// come, the task has not ended, and the cluster is not gone. At its point of no return
// the plan has the last word before the agent.
func (e *handled) asks(i int, now time.Duration, c Clusters) bool {
	a := &e.spot
	if a.Handover.Rule != RulePlanned || a.state != clusterInitializing && a.state != clusterRunning || e.high.state != clusterClosed || now < e.plan {
		return false
	}
	o := c.Look(i, a.Tier)
	e.saved = max(e.saved, o.Saved)
	if a.state == clusterRunning {
		return !o.Done && !o.Interrupted
	}
	if a.since < 0 && o.Launched {
		a.since = now
	}
	return a.since < 0 || o.Launched
}

// hedge requests a cluster on demand beside the one on spot.
func (e *handled) hedge(dst []Command, i int, now time.Duration) []Command {
	e.spot.beside = true
	return append(dst, e.label(e.high.assign(e.task, 0, now, e.saved), i))
}

// handOut delivers a task in the list of AG to an agent.
func (f *Framework) handOut(dst []Command, i int, e *handled, now time.Duration) []Command {
	tier, bid, both := TierHigh, pricing.Money(0), false
	if f.Handover.Rule != RulePlanned {
		// AG compares PR with the thresholds.
		if tier = f.Handover.tier(&e.task, now, e.saved); tier != TierHigh {
			bid = f.Bid(&e.task, tier, now, e.saved)
		}
	} else if now < f.Handover.Limit(&e.task, e.saved) {
		d := f.Plan(&e.task, BidState{Now: now, Saved: e.saved})
		switch {
		case d.Action == BidWait && d.For > 0:
			e.plan = later(now, d.For)
			return dst
		case (d.Action == BidSpot || d.Action == BidBoth) && d.For > 0:
			tier, bid, both = TierMedium, d.Bid, d.Action == BidBoth
			e.plan, e.began = later(now, d.For), e.saved
		}
	}
	a := &e.high
	if tier != TierHigh {
		a = &e.spot
		a.Tier = tier
	}
	dst = append(dst, e.label(a.assign(e.task, bid, now, e.saved), i))
	if both {
		dst = e.hedge(dst, i, now)
	}
	return dst
}

// goOn asks the plan about the spot cluster of a task: BidSpot keeps it, BidBoth
// wants one on demand beside it, and BidOnDemand stands for all that gives it back.
func (f *Framework) goOn(e *handled, now time.Duration) BidAction {
	s := BidState{Now: now, Saved: e.began, Running: true, Bid: e.spot.bid}
	if e.spot.since >= 0 {
		s.Elapsed = now - e.spot.since
	}
	d := f.Plan(&e.task, s)
	if d.Action != BidSpot && d.Action != BidBoth || d.Stop || d.For <= 0 {
		return BidOnDemand
	}
	e.plan = later(now, d.For)
	return d.Action
}

// later returns now + d, Never if that is beyond the range of a Duration.
func later(now, d time.Duration) time.Duration {
	if d > Never-now {
		return Never
	}
	return now + d
}

// opens reports whether the caller has to act before the agent can go on.
func opens(k CommandKind) bool { return k == CommandOpen || k == CommandSubmit }

func (e *handled) label(c Command, i int) Command {
	c.Index = i
	return c
}

// let lets an agent pass through its loop until it waits, stops or wants
// something done that it has to wait for.
func (e *handled) let(a *agent, dst []Command, i int, now time.Duration, c Clusters) []Command {
	if a.state == clusterClosed || a.Handover.Interval > 0 && now < a.next {
		return dst
	}
	o := c.Look(i, a.Tier)
	e.saved = max(e.saved, o.Saved)
	for {
		o.Saved = e.saved
		cmd := a.Step(now, o)
		switch cmd.Kind {
		case CommandWait, CommandStop:
			return dst
		case CommandProceed:
			continue
		case CommandComplete:
			e.complete = true
		}
		dst = append(dst, e.label(cmd, i))
		if opens(cmd.Kind) {
			return dst
		}
	}
}

// Never is a time after all others. A [Framework] that only waits for events returns it
// as the time of its next look.
const Never time.Duration = 1<<63 - 1
