package spot

import (
	"time"

	"github.com/plimsoll/plimsoll/internal/enum"
	"github.com/plimsoll/plimsoll/pricing"
)

// An agent runs a task on a virtual cluster ([Huang13] Algorithm 1). It is a machine of
// six states (Fig. 2). An observation and the time go in, and a command comes out for the
// caller to carry out:
//
//	closed ─ task ─▶ initializing ─ ready ─▶ started ─ submitted ─▶ running ─ done ─▶ finished ─▶ closed
//	                      │                                           │                 ▲  ▲
//	                      └── PR expired ─────────────────────────────┼─────────────────┘  │
//	                                                                  └─▶ interrupted ─────┘
//
// The rules [RuleNoReturn] and [RulePlanned] add an edge from running to finished, taken
// at the point of no return, and RulePlanned one from initializing to interrupted.
// Everything else is the paper's. What it leaves open, and what is
// done here:
//
//   - Line 12 comes before line 13: a cluster that is seen ready is used although
//     PR has expired since the last look.
//   - Line 13 tests PR while the cluster boots, too: a task just above th1 loses a
//     cluster that has been launched and is paid for. RuleNoReturn and RuleHedged do not:
//     once instances boot, only the point of no return counts.
//   - A task that runs is never asked for its PR (lines 22 to 30): it may pass th2
//     and th1 and then be interrupted.
//   - PR falls with time, and a checkpoint is not written before the task runs, so
//     that a task which no longer satisfies its agent has become more urgent.
//     Agent high keeps what it has.
//   - A spot cluster that is lost before the agent has seen it ready waits for its
//     price again: only the running state knows interruptions.
//   - An instance on demand may fail: the paper does not say. The agent returns the
//     task as from an interruption, and the framework hands it out anew.
//   - A task whose end and interruption are both seen at one look has ended: else
//     line 23 before line 26 would run it a second time.

// A clusterState is the state of an agent's cluster ([Huang13] Fig. 2).
type clusterState uint8

const (
	clusterClosed       clusterState = iota // there is none, and no task
	clusterInitializing                     // requested or booting
	clusterStarted                          // booted, the task is not yet submitted
	clusterRunning                          // the task is on it
	clusterInterrupted                      // taken by the provider; the task is still to be returned
	clusterFinished                         // the task has ended or is returned; still to be closed
)

// An Observation is what an agent sees of its cluster at a look.
type Observation struct {
	Launched    bool          // the instances are granted and boot, or have booted
	Ready       bool          // they have booted
	Interrupted bool          // the provider has taken them while the task was on them
	Done        bool          // the task has ended
	Saved       time.Duration // work of the task in checkpoints, on this cluster or before
}

// A CommandKind is what an agent asks for.
type CommandKind uint8

const (
	// CommandProceed: nothing; the state has changed, and the next pass follows at once.
	CommandProceed CommandKind = iota
	// CommandOpen: request Instances, on spot with the Bid or on demand (lines 2 to 8).
	CommandOpen
	// CommandSubmit: add the instances to the cluster and start the task (lines 19 and 20).
	CommandSubmit
	// CommandReturn: the framework has the task again (lines 14 and 32).
	CommandReturn
	// CommandComplete: the task has ended (line 27).
	CommandComplete
	// CommandClose: terminate the instances or withdraw the request (lines 35 and 36).
	CommandClose
	// CommandWait: look again at Until, or when something happens if there is no
	// interval (lines 16 and 29).
	CommandWait
	// CommandStop: the agent has no task (line 38).
	CommandStop
)

var commandKinds = enum.New[CommandKind]("spot", "CommandKind", ErrRange,
	"proceed", "open cluster", "submit task", "return task", "complete task", "close cluster", "wait", "stop")

// String returns the kind in words, such as "open cluster", and CommandKind(7) for a value 7 that is none of
// the constants.
func (k CommandKind) String() string { return commandKinds.String(k) }

// A Command is what an agent wants done.
type Command struct {
	Kind  CommandKind
	Index int   // of the task in its [Framework]; 0 from an agent of its own
	Task  int64 // Task.ID
	Tier  Tier  // of the agent
	Bid   pricing.Money
	// Interrupted says that CommandReturn returns the task because the provider has taken the
	// cluster. Else the task no longer satisfies the agent, or is at its point of no return.
	Interrupted bool
	Until       time.Duration // of CommandWait
}

// An agent is a state machine that runs one task at a time on a cluster of its tier.
//
// Under [RuleSafe], [RuleNoReturn] and [RulePlanned], the agent makes sure that the task meets its
// deadline. Under [RuleHedged] the framework does: it requests a second cluster, on demand, at the
// last moment that [Handover.Limit] allows for the work saved so far. The agent on spot then goes
// on until its task ends, is interrupted, or is withdrawn.
type agent struct {
	Handover Handover
	Tier     Tier

	task   Task
	bid    pricing.Money
	state  clusterState
	saved  time.Duration
	next   time.Duration
	since  time.Duration // when it was first seen launched; -1 before
	beside bool          // the task has a cluster on demand, too, so that this one may go on
}

// wakes returns when the agent wants to look again, [Never] if it waits for what
// happens only.
func (a *agent) wakes() time.Duration {
	if a.state == clusterClosed {
		return Never
	}
	return a.next
}

// assign gives the agent a task at a time (Alg. 1, lines 1 to 8), with what has been saved of
// it and the bid, which agent high does not use. The command is CommandOpen. The agent must
// have no task, and Framework.Take must have validated this one.
func (a *agent) assign(t Task, bid pricing.Money, now, saved time.Duration) Command {
	if a.Tier == TierHigh {
		bid = 0
	}
	a.task, a.bid, a.saved = t, bid, saved
	a.state, a.next, a.since, a.beside = clusterInitializing, now, -1, false
	c := a.command(CommandOpen)
	c.Bid = bid
	return c
}

func (a *agent) command(kind CommandKind) Command {
	return Command{Kind: kind, Task: a.task.ID, Tier: a.Tier}
}

// step is one pass of the loop (Alg. 1, lines 9 to 40) at a time with what the
// agent sees then. A caller carries the command out and calls again until it is
// CommandWait or CommandStop. Looks are in the order of time. It takes O(1) time.
func (a *agent) step(now time.Duration, o Observation) Command {
	a.saved = max(a.saved, o.Saved)
	if a.since < 0 && o.Launched {
		a.since = now
	}
	switch a.state {
	case clusterInitializing: // line 10
		leave := a.Handover.leaves(&a.task, a.Tier, a.saved, o.Launched)
		if a.beside && o.Launched {
			leave = Never
		}
		switch {
		case o.Ready && !(a.Handover.Rule >= RuleNoReturn && now >= leave):
			a.state = clusterStarted
			return a.command(CommandProceed)
		case a.Handover.Rule == RulePlanned && a.since >= 0 && !o.Launched && a.Tier != TierHigh:
			a.state = clusterInterrupted // planned anew, not requested again
			return a.command(CommandProceed)
		case now >= leave:
			return a.giveBack(false)
		}
		return a.wait(now, leave)
	case clusterStarted: // line 18
		a.state, a.next = clusterRunning, now
		return a.command(CommandSubmit)
	case clusterRunning: // line 22
		stop := a.Handover.stops(&a.task, a.Tier, a.saved)
		if a.beside {
			stop = Never
		}
		switch {
		case o.Done: // line 26
			a.state = clusterFinished
			return a.command(CommandComplete)
		case o.Interrupted: // line 23, and an instance on demand that fails
			a.state = clusterInterrupted
			return a.command(CommandProceed)
		case now >= stop:
			return a.giveBack(false)
		}
		return a.wait(now, stop)
	case clusterInterrupted: // line 31
		return a.giveBack(true)
	case clusterFinished: // line 34
		a.state = clusterClosed
		return a.command(CommandClose)
	}
	return a.command(CommandStop) // line 38
}

// giveBack returns the task to the framework.
func (a *agent) giveBack(interrupted bool) Command {
	a.state = clusterFinished
	c := a.command(CommandReturn)
	c.Interrupted = interrupted
	return c
}

// wait waits an interval, or until then if there is none.
func (a *agent) wait(now, until time.Duration) Command {
	a.next = until
	if i := a.Handover.Interval; i > 0 {
		a.next = now + i
	}
	c := a.command(CommandWait)
	c.Until = a.next
	return c
}
