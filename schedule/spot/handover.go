package spot

import (
	"time"

	"github.com/plimsoll/plimsoll/internal/enum"
)

// When does a task have to leave spot instances? The invariant that keeps a
// deadline, whatever prices do:
//
//	(I)  at every time t at which the task has no cluster on demand,
//	     t ≤ PNR(saved(t)) = T_deadline − T_latency − R(saved(t))
//
// with R(s) what remains on demand when s is in a checkpoint ([Task.Remaining]).
//
// Theorem. Let on demand meet the deadline from the time a on at which the task
// is taken: a + T_latency + T_est ≤ T_deadline. Let T_est and T_latency be upper
// bounds, checkpoints be kept, the agents be told of events at once, and their
// commands be carried out at once. Then under all rules from [RuleNoReturn] on the
// task meets its deadline.
//
// Proof. At a the invariant is the hypothesis, since R(0) = T_est. (I) continues to hold.
// saved never falls and R does not grow with saved, so PNR does not fall. At t =
// PNR(saved(t)) the task is sent on demand, with or without a spot cluster beside that.
// From a request on demand at a time t with (I) the task ends by t + T_latency +
// R(saved(t)) ≤ T_deadline: the cluster is not interrupted and reads a checkpoint at
// least as late. ∎
//
// Corollary. If the run takes δ longer than estimated, the task is late by δ at
// most: the last step has R + δ in place of R, and nothing else depends on it.
//
// Nothing is said of bids or prices: a bid decides about money only. With agents that
// look every i, a look may come i late, and so may the look that sees the cluster on
// demand ready. So both rules send the task 2·i earlier. The deadline is met iff agents
// that look every i meet it on demand from a on.
//
// Where the paper's rule misses deadlines. The agent looks at PR only until its cluster is ready.
// So the part of the latency that comes after that (Alg. 1, line 19) is not covered. Late looks are
// not covered either: the look that finds the cluster ready (line 12 precedes line 13), the look that
// finds the interruption, and the look that finds the cluster on demand ready. Two tasks of 60
// minutes with a latency of 10 minutes, which on demand would be done at minute 70 (the test
// TestPaperRuleMissesDeadlines of package spotsim):
//
//	due at   latency      looks        price rises at   paper ends at
//	130      after ready  at once      69               139
//	137      before       every 7 min  73               151
//
// Both tasks have PR = 1 when PR is last looked at.

// A Rule says when a task may be on spot instances.
type Rule uint8

const (
	// RulePaper is [Huang13] Alg. 1: by the thresholds, when a task is handed out
	// and until its cluster is ready, not while it runs. It misses deadlines.
	RulePaper Rule = iota
	// RuleSafe is the paper's with th1 raised to [Task.SafeThreshold] where that is
	// more. A task that starts on spot has time for a whole run on demand after
	// the last moment of its run.
	RuleSafe
	// RuleNoReturn lets a task be on spot instances until [Task.PointOfNoReturn], as
	// long as it can end or save something there before; th1 has no meaning. A
	// task of any PR can use spot if it saves often. At that point it is taken from
	// its cluster.
	RuleNoReturn
	// RuleHedged is RuleNoReturn, but a task that runs on spot at that point goes on
	// there, beside a new cluster on demand. The first to end ends both. RuleHedged is
	// for tasks that save seldom or never: stopping them would throw away most of a run.
	RuleHedged
	// RulePlanned leaves the decision to a plan, such as [Planner]. The plan says when to wait,
	// when to go on spot and with which bid, and when to stop. It also says when to go on demand,
	// alone or beside a spot cluster ([BidBoth]). Whatever the plan decides, no task is on spot
	// alone after its point of no return. RulePlanned requires an Interval of 0: agents learn of
	// events at once.
	RulePlanned
)

var rules = enum.New[Rule]("spot", "Rule", ErrRange, "paper", "safe threshold", "no return", "hedged", "planned")

// String returns the name of the rule, such as "no return", and Rule(7) for a value 7 that is none of
// the constants.
func (r Rule) String() string { return rules.String(r) }

// A Handover says which agent has a task at which time. The zero value is the
// paper's rule with its thresholds, and agents that are told of events at once.
type Handover struct {
	Rule       Rule
	Thresholds Thresholds
	// Interval is how often agents look at their clusters (Alg. 1, lines 16 and
	// 29). With 0 they are told when something happens, and wake at the times
	// that they ask for.
	Interval time.Duration
	// SpotRatio is what an hour on spot is expected to cost, risk included, as a
	// part of its price on demand, in [0, 1]: [RuleHedged] uses spot instances where
	// that saves money. 0 stands for 0.5.
	SpotRatio float64
}

// DefaultSpotRatio is the SpotRatio of the zero Handover. Spot prices were mostly below
// 0.3 of the price on demand in 2013 ([Huang13] section III.B) and between 0.24 and 0.4
// in 2020. The default is higher, to cover lost runs.
const DefaultSpotRatio = 0.5

// check panics if the handover cannot be used.
func (h *Handover) check() {
	switch {
	case h.Rule > RulePlanned:
		panic("spot: Handover with an unknown rule")
	case h.Interval < 0 || h.Interval > maxSpan:
		panic("spot: Handover with an interval out of range")
	case h.Rule == RulePlanned && h.Interval > 0:
		panic("spot: Handover with an interval, which a plan cannot have")
	case !h.Thresholds.valid():
		panic("spot: Handover with thresholds out of order")
	case !(h.SpotRatio >= 0 && h.SpotRatio <= 1):
		panic("spot: Handover with a ratio of prices outside of 0 to 1")
	}
}

// Tier returns the tier that has a task which is handed out at a time, with that
// much of its work in a checkpoint. Where a plan decides, that is medium until the
// point of no return. It panics if h is not usable.
func (h *Handover) Tier(t *Task, now, saved time.Duration) Tier {
	h.check()
	return h.tier(t, now, saved)
}

func (h *Handover) tier(t *Task, now, saved time.Duration) Tier {
	switch h.Rule {
	case RulePaper:
		return h.Thresholds.Tier(t, now, saved)
	case RuleSafe:
		if now > h.lastStart(t, saved) {
			return TierHigh
		}
		return h.Thresholds.Tier(t, now, saved)
	case RulePlanned:
		if now >= h.Limit(t, saved) {
			return TierHigh
		}
		return TierMedium
	}
	if now >= h.lastStart(t, saved) {
		return TierHigh
	}
	return max(h.Thresholds.Tier(t, now, saved), TierMedium)
}

// Limit returns the time from which a task may not be on spot alone, with that much of
// its work in a checkpoint, under RuleNoReturn, RuleHedged and RulePlanned. That is the
// task's point of no return, or two looks earlier if agents look at intervals. A caller
// that has [agent] values of its own under [RuleHedged] requests the second cluster then.
func (h *Handover) Limit(t *Task, saved time.Duration) time.Duration {
	return t.PointOfNoReturn(saved) - 2*h.Interval
}

// lastStart returns until when it is of use to request a spot cluster, by the rules
// that are not the paper's; that time included under RuleSafe, whose th1 it stands
// for.
func (h *Handover) lastStart(t *Task, saved time.Duration) time.Duration {
	start := h.Limit(t, saved) - t.Latency - h.Interval
	run := t.SpotRun(saved)
	if h.Rule == RuleSafe {
		return start - run
	}
	first := run
	if c := &t.Checkpoints; c.Every > 0 && c.Restart < t.Estimate {
		// A run from the beginning goes on to the first checkpoint that is worth reading.
		save := (c.Restart/c.Every + 1) * (c.Every + c.Write)
		if saved > 0 && t.Remaining(saved) < t.Estimate {
			save = c.Restart + c.Every + c.Write
		}
		first = min(run, save)
	}
	last := start - first
	if h.Rule == RuleHedged {
		last = max(last, start-h.overlap(t, saved, run))
	}
	return last
}

// overlap returns the earliest moment at which a second cluster, on demand, may begin to run a
// task beside the spot cluster that runs it. Both clusters together must cost no more than a run
// on demand alone. The moment is a time since the beginning of the run on spot. run is the length
// of that run, and saved is the work of the task that is in a checkpoint. The condition is
//
//	ratio·(latency + run) + (run − moment) ≤ latency + remaining
//
// Each side is a cost, divided by the price on demand. The left side is the cost of the spot
// cluster and of the second cluster from moment to the end of the run. The right side is the cost
// on demand alone. ratio is the spot price over the price on demand, h.SpotRatio or its default.
// latency is the time until a cluster is ready. remaining is the time that the task still needs on
// demand.
//
// overlap returns 0 if every moment of the run satisfies the condition, and run if no earlier
// moment does.
func (h *Handover) overlap(t *Task, saved, run time.Duration) time.Duration {
	ratio := h.SpotRatio
	if ratio == 0 {
		ratio = DefaultSpotRatio
	}
	beside := t.Latency + t.Remaining(saved) - time.Duration(float64(ratio*float64(t.Latency+run)))
	return run - max(0, min(beside, run))
}

// leaves returns the first time at which a task of that tier is taken from an
// agent whose cluster is not ready: launched says that it boots.
func (h *Handover) leaves(t *Task, tier Tier, saved time.Duration, launched bool) time.Duration {
	if tier == TierHigh {
		return Never
	}
	switch h.Rule {
	case RulePaper:
		return h.Thresholds.leaves(t, tier, saved)
	case RuleSafe:
		return min(h.Thresholds.leaves(t, tier, saved), h.lastStart(t, saved)+1)
	}
	if launched || h.Rule == RulePlanned {
		return h.Limit(t, saved)
	}
	at := h.lastStart(t, saved)
	if tier == TierLow {
		at = min(at, h.Thresholds.leaves(t, TierLow, saved))
	}
	return at
}

// stops returns the first time at which a task that runs on spot is taken from
// its agent.
func (h *Handover) stops(t *Task, tier Tier, saved time.Duration) time.Duration {
	if tier == TierHigh || h.Rule != RuleNoReturn && h.Rule != RulePlanned {
		return Never
	}
	return h.Limit(t, saved)
}
