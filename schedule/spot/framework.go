package spot

import (
	"time"

	"github.com/plimsoll/plimsoll/pricing"
)

// A Framework is the framework agent of [Huang13] section II.C (AG in the paper) together with the
// cluster agents. The framework takes tasks, hands each task to an agent by the rule of Handover,
// and takes the task back from the agent. Every task has its own cluster, so no task waits for
// another task. Each agent of the paper is implemented as several state machines, one for each of
// its tasks.
//
// A Framework decides and does not act. The framework returns commands. The caller carries out the
// commands, and then calls again:
//
//	for {
//		commands = f.AppendCommands(commands[:0], now, look)
//		if len(commands) == 0 {
//			break // until f.Next(), or, with Interval 0, until something happens
//		}
//		carryOut(commands)
//	}
//
// Set Handover and Bid, or Handover and Plan, before the first task. A Framework keeps its memory
// and allocates nothing once warm. A Framework is for one goroutine at a time.
type Framework struct {
	Handover Handover
	// Bid returns what agent medium or agent low bids for an instance-hour ([Huang13] Alg. 1,
	// lines 4 and 5). Saved is how much of the task's work is in a checkpoint. Bid looks up the
	// prices itself: [MediumBid] and [LowBid] are the paper's bids. The framework calls Bid when
	// a task goes to agent medium or low, under all rules but RulePlanned.
	Bid func(t *Task, tier Tier, now, saved time.Duration) pricing.Money
	// Plan decides what to do with a task under [RulePlanned]. The framework does not know
	// prices, so the Price of the state is 0. Plan sets the Price, and may then call
	// [Planner.Decide]. For a task without a cluster, Saved is how much of the task's work is in
	// a checkpoint now. For a running task, Saved is how much was in a checkpoint when the
	// framework requested the cluster.
	//
	// A task without a cluster waits, goes on spot, goes on demand, or gets both clusters
	// ([BidBoth]), as the decision says. For a running task, BidSpot without Stop keeps the spot
	// cluster and its bid, and BidBoth without Stop requests a cluster on demand beside the
	// spot cluster. After any other decision the framework closes the spot cluster and calls
	// Plan again at once. An unknown decision, or a decision with For ≤ 0, sends a task
	// without a cluster on demand.
	Plan func(t *Task, s BidState) BidDecision

	tasks []handled
	free  []int // indices of tasks that have ended and have no cluster
}

// handled is a task and the two agents that may run the task. If neither agent has a
// cluster, the task is in the list of AG.
type handled struct {
	task       Task
	saved      time.Duration
	live       bool
	complete   bool
	spot, high agent
	plan       time.Duration // when the framework calls Plan next
	began      time.Duration // work in checkpoints when the framework requested the spot cluster
}

// Reset forgets all tasks and keeps the memory.
func (f *Framework) Reset() { f.tasks, f.free = f.tasks[:0], f.free[:0] }

// Grow makes room for n tasks. It panics if n is more than 2²⁰.
func (f *Framework) Grow(n int) {
	if n > 1<<20 {
		panic("spot: room for more than 1<<20 tasks")
	}
	if n > cap(f.tasks) {
		f.tasks = append(make([]handled, 0, n), f.tasks...)
		f.free = append(make([]int, 0, n), f.free...)
	}
}

// Take takes a task at the time now and returns the index of the task. The index is valid until the
// task has ended and its last cluster is closed; then a later task may get the same index. The next
// AppendCommands hands the task to an agent. A task that can no longer meet its deadline is not an
// error: it goes on demand.
//
// The error is a *schedule.InputError. The error unwraps to [ErrPast] if the deadline is not after
// now, and to [ErrRange] for any other value out of range. Take panics if the Handover is not
// usable, or if the rule of the Handover needs Bid or Plan and the field is nil.
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

// Len returns how many tasks have not ended or still have a cluster.
func (f *Framework) Len() int { return len(f.tasks) - len(f.free) }

// Next returns the time at which the first agent wants to look again. The time is now or
// earlier if an agent wants to look at once, and [Never] if all agents wait for events.
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
	next := min(e.spot.wakes(), e.high.wakes())
	if e.spot.Handover.Rule == RulePlanned && e.high.state == clusterClosed {
		next = min(next, e.plan, e.spot.Handover.Limit(&e.task, e.saved))
	}
	if at, ok := e.hedgeAt(); ok && e.spot.Handover.Interval == 0 {
		next = min(next, at)
	}
	return next
}

// hedgeAt returns the time at which a task on spot gets a second cluster, on demand. The
// result is false unless the rule is RuleHedged and the task runs on spot alone.
func (e *handled) hedgeAt() (time.Duration, bool) {
	if e.spot.Handover.Rule != RuleHedged || e.spot.state != clusterRunning || e.high.state != clusterClosed {
		return 0, false
	}
	return e.spot.Handover.Limit(&e.task, e.saved), true
}

// AppendCommands lets the framework and all its agents look at their clusters at the time now, and
// appends their commands to dst. The caller carries out the commands in that order. Then the caller
// calls again with the same time, until AppendCommands appends nothing. CommandProceed, CommandWait
// and CommandStop are not appended.
//
// AppendCommands calls look to learn the state of a cluster. look returns what the caller sees of a
// cluster of the task with the given index: of the cluster on demand if tier is TierHigh, and of
// the spot cluster otherwise.
//
// Time: O(1) for each task. AppendCommands calls look at most once for each cluster of a task, and
// once more for the spot cluster if it calls Plan.
func (f *Framework) AppendCommands(dst []Command, now time.Duration, look func(index int, tier Tier) Observation) []Command {
	for i := range f.tasks {
		if e := &f.tasks[i]; e.live {
			dst = f.step(dst, i, e, now, look)
		}
	}
	return dst
}

func (f *Framework) step(dst []Command, i int, e *handled, now time.Duration, look func(index int, tier Tier) Observation) []Command {
	before := len(dst)
	if e.asks(i, now, look) {
		switch f.goOn(e, now) {
		case BidBoth:
			return e.hedge(dst, i, now)
		case BidOnDemand:
			dst = append(dst, e.label(e.spot.giveBack(false), i))
		}
	}
	dst = e.let(&e.spot, dst, i, now, look)
	if len(dst) > before && opens(dst[len(dst)-1].Kind) {
		return dst
	}
	if !e.complete {
		dst = e.let(&e.high, dst, i, now, look)
	}
	if len(dst) > before && opens(dst[len(dst)-1].Kind) {
		return dst
	}
	if e.complete {
		// The task may have another cluster, under RuleHedged or BidBoth: close it.
		for _, a := range [...]*agent{&e.spot, &e.high} {
			if a.state != clusterClosed {
				a.state = clusterFinished // the next command is CommandClose
				dst = append(dst, e.label(a.step(now, Observation{}), i))
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

// asks reports whether the framework calls Plan about the spot cluster of a task: the time
// for the next call has come, the task has not ended, and the provider has not taken the
// cluster. At the point of no return, the framework calls Plan before the agent decides.
func (e *handled) asks(i int, now time.Duration, look func(index int, tier Tier) Observation) bool {
	a := &e.spot
	if a.Handover.Rule != RulePlanned || a.state != clusterInitializing && a.state != clusterRunning || e.high.state != clusterClosed || now < e.plan {
		return false
	}
	o := look(i, a.Tier)
	e.saved = max(e.saved, o.Saved)
	if a.state == clusterRunning {
		return !o.Done && !o.Interrupted
	}
	if a.since < 0 && o.Launched {
		a.since = now
	}
	return a.since < 0 || o.Launched
}

// hedge requests a cluster on demand beside the spot cluster.
func (e *handled) hedge(dst []Command, i int, now time.Duration) []Command {
	e.spot.beside = true
	return append(dst, e.label(e.high.assign(e.task, 0, now, e.saved), i))
}

// handOut delivers a task in the list of AG to an agent, unless the plan says to wait.
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

// goOn calls Plan about the spot cluster of a task. BidSpot says to keep the cluster,
// BidBoth to request a cluster on demand as well, and BidOnDemand to close the cluster.
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

// later returns now + d, or Never if the sum does not fit in a Duration.
func later(now, d time.Duration) time.Duration {
	if d > Never-now {
		return Never
	}
	return now + d
}

// opens reports whether the agent must wait until the caller has carried out the command.
func opens(k CommandKind) bool { return k == CommandOpen || k == CommandSubmit }

func (e *handled) label(c Command, i int) Command {
	c.Index = i
	return c
}

// let runs the loop of an agent until the agent waits, stops, or gives a command that the
// caller must carry out first.
func (e *handled) let(a *agent, dst []Command, i int, now time.Duration, look func(index int, tier Tier) Observation) []Command {
	if a.state == clusterClosed || a.Handover.Interval > 0 && now < a.next {
		return dst
	}
	o := look(i, a.Tier)
	e.saved = max(e.saved, o.Saved)
	for {
		o.Saved = e.saved
		cmd := a.step(now, o)
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

// Never is the time after all others. [Framework.Next] returns Never if all agents wait for
// events.
const Never time.Duration = 1<<63 - 1
