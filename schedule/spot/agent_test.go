package spot

import (
	"errors"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/inputerr"
	"github.com/plimsoll/plimsoll/pricing"
)

// PR by Eq. (6) and the tier by Table II, worked by hand: T_est = 60, T_latency =
// 10 minutes, so that PR = (deadline − now − 70)/60.
func TestPriorityRateAndTiers(t *testing.T) {
	m := time.Minute
	for _, c := range []struct {
		left, saved time.Duration
		pr          float64
		tier        Tier
	}{
		{60 * m, 0, -1. / 6, TierHigh}, // cannot meet the deadline
		{70 * m, 0, 0, TierHigh},
		{130*m - 1, 0, 1 - 1/3.6e12, TierHigh}, // below 1 by a nanosecond
		{130 * m, 0, 1, TierMedium},            // "th1 ≤ PR ≤ th2"
		{190 * m, 0, 2, TierMedium},
		{190*m + 1, 0, 2 + 1/3.6e12, TierLow}, // "PR > th2"
		{700 * m, 0, 10.5, TierLow},
		// With 40 of 60 saved and 5 to read them back, 25 remain.
		{85 * m, 40 * m, 2, TierMedium},
		{60 * m, 40 * m, 1, TierMedium},
		// To read 3 back takes longer than to work them again.
		{130 * m, 3 * m, 1, TierMedium},
	} {
		k := Task{Deadline: 1000 * m, Estimate: 60 * m, Latency: 10 * m, Instances: 1, Checkpoints: Checkpoints{Every: m, Restart: 5 * m}}
		now := k.Deadline - c.left
		if got := k.PriorityRate(now, c.saved); math.Abs(got-c.pr) > 1e-12 {
			t.Errorf("PR with %v left, %v saved: %v, want %v", c.left, c.saved, got, c.pr)
		}
		if got := (Thresholds{}).Tier(&k, now, c.saved); got != c.tier {
			t.Errorf("tier with %v left, %v saved: %v, want %v", c.left, c.saved, got, c.tier)
		}
		if got := (&Handover{}).Tier(&k, now, c.saved); got != c.tier {
			t.Errorf("tier handed to with %v left, %v saved: %v, want %v", c.left, c.saved, got, c.tier)
		}
	}
}

// Until when a spot cluster is requested: under RuleNoReturn the boot, the reading of
// what is saved and the next checkpoint have to fit in before the point of no return;
// under RulePlanned the plan says so, and only that point counts. Worked by hand:
// due at 300 minutes with 100 of work, 10 of latency and 40 saved, PNR = 300 - 10 - 67
// = 223, and 223 - 10 - (7 + 20 + 1) = 185.
func TestLastRequest(t *testing.T) {
	m := time.Minute
	k := Task{Deadline: 300 * m, Estimate: 100 * m, Latency: 10 * m, Instances: 1, Checkpoints: Checkpoints{Every: 20 * m, Write: m, Restart: 7 * m}}
	for rule, want := range map[Rule]time.Duration{RuleNoReturn: 185 * m, RulePlanned: 223 * m} {
		h := Handover{Rule: rule}
		if got := h.Limit(&k, 40*m); got != 223*m {
			t.Errorf("%v: limit %v, want %v", rule, got, 223*m)
		}
		if got := h.leaves(&k, TierMedium, 40*m, false); got != want {
			t.Errorf("%v: requests until %v, want %v", rule, got, want)
		}
	}
}

// A spot cluster is of use until its run ends, or saves something that is worth reading, before
// the point of no return. Worked by hand for the task of TestLastRequest, with other checkpoints.
func TestLastUsefulStart(t *testing.T) {
	m := time.Minute
	for _, c := range []struct {
		rule           Rule
		ratio          float64
		every, restart time.Duration
		saved          time.Duration
		want           time.Duration // the first time at which the task is sent on demand
	}{
		{RuleNoReturn, 0, 20 * m, 7 * m, 0, 159 * m},  // 190 - 10 - 21
		{RuleNoReturn, 0, 20 * m, 25 * m, 0, 138 * m}, // to read 20 back takes longer: it is saved with the second, 190 - 10 - 42
		{RuleNoReturn, 0, 20 * m, 25 * m, 20 * m, 138 * m},
		{RuleNoReturn, 0, 20 * m, 20 * m, 0, 138 * m},
		{RuleNoReturn, 0, 20 * m, 25 * m, 40 * m, 149 * m}, // 300 - 10 - 85 = 205, and 205 - 10 - (25 + 21)
		{RuleNoReturn, 0, 20 * m, 99 * m, 0, 76 * m},       // no checkpoint is: 100 minutes and 4 checkpoints
		{RuleNoReturn, 0, 20 * m, 100 * m, 0, 76 * m},
		{RuleNoReturn, 0, 0, 0, 0, 80 * m},
		{RuleNoReturn, 0, 20 * m, 7 * m, 99 * m, 264 * m}, // 300 - 10 - 8 = 282, and 282 - 10 - 8 to the end
		// A second cluster at 190 costs 110 minutes, and both as much with the half of 110 on spot and 55 beside:
		// the run of 100 begins 45 minutes before, and 10 earlier it is requested.
		{RuleHedged, 0, 0, 0, 0, 135 * m},
		{RuleHedged, .5, 0, 0, 0, 135 * m},
		{RuleHedged, .2, 0, 0, 0, 168 * m},                              // 110 - 22 = 88 beside
		{RuleHedged, 1, 0, 0, 0, 80 * m},                                // none
		{RuleHedged, .5, 20 * m, 7 * m, 40 * m, 185 * m},                // 77 - 39.5 = 37.5 of 69 beside is later than a checkpoint
		{RuleHedged, .2, 20 * m, 7 * m, 40 * m, 205*m + 12*time.Second}, // 77 - 15.8 = 61.2
		{RulePlanned, 0, 20 * m, 25 * m, 0, 190 * m},
		{RulePlanned, 0, 20 * m, 25 * m, 40 * m, 205 * m},
	} {
		k := Task{Deadline: 300 * m, Estimate: 100 * m, Latency: 10 * m, Instances: 1, Checkpoints: Checkpoints{Every: c.every, Write: m, Restart: c.restart}}
		h := Handover{Rule: c.rule, SpotRatio: c.ratio, Thresholds: Thresholds{Medium: .001, Low: 1000}}
		before, from := h.Tier(&k, c.want-1, c.saved), h.Tier(&k, c.want, c.saved)
		if before != TierMedium || from != TierHigh {
			t.Errorf("%v, every %v, %v to read, %v saved: %v just before %v, and %v then", c.rule, c.every, c.restart, c.saved, before, c.want, from)
		}
	}
}

// Thresholds at infinity send all tasks to one tier.
func TestInfiniteThresholds(t *testing.T) {
	inf := math.Inf(1)
	k := Task{Deadline: time.Hour, Estimate: time.Minute, Instances: 1}
	for _, now := range []time.Duration{0, time.Hour, 1000 * time.Hour} {
		if got := (Thresholds{inf, inf}).Tier(&k, now, 0); got != TierHigh {
			t.Errorf("th1 = +Inf: %v", got)
		}
		h := Thresholds{-inf, -inf}
		if got := h.Tier(&k, now, 0); got != TierLow {
			t.Errorf("th2 = -Inf: %v", got)
		}
		if got := h.leaves(&k, TierLow, 0); got != Never {
			t.Errorf("th2 = -Inf: leaves at %v", got)
		}
	}
}

// script is what an agent's cluster shows at each look, and what must come of it.
type look struct {
	at    time.Duration
	see   Observation
	kind  CommandKind
	state clusterState // afterwards
}

// Every edge of Fig. 2, pass by pass of Algorithm 1, and those that the mended rules
// add. The task has PR = 1 at 70 minutes, its point of no return is at 130.
func TestAgentFollowsAlgorithm1(t *testing.T) {
	m := time.Minute
	k := Task{ID: 7, Deadline: 200 * m, Estimate: 60 * m, Latency: 10 * m, Instances: 4}
	boots, ready := Observation{Launched: true}, Observation{Launched: true, Ready: true}
	lost := Observation{Launched: true, Ready: true, Interrupted: true}
	done := Observation{Launched: true, Ready: true, Done: true}
	both := Observation{Launched: true, Ready: true, Interrupted: true, Done: true}
	closing := []look{{kind: CommandClose, state: clusterClosed}, {kind: CommandStop, state: clusterClosed}}
	running := []look{
		{0, Observation{}, CommandWait, clusterInitializing}, // line 16
		{5 * m, boots, CommandWait, clusterInitializing},
		{10 * m, ready, CommandProceed, clusterStarted}, // line 12
		{10 * m, ready, CommandSubmit, clusterRunning},  // line 21
		{10 * m, ready, CommandWait, clusterRunning},    // line 29
	}
	for _, c := range []struct {
		name string
		tier Tier
		h    Handover
		do   []look
	}{
		{"done", TierMedium, Handover{}, slices.Concat(running, []look{{70 * m, done, CommandComplete, clusterFinished}}, closing)},
		{"interrupted", TierMedium, Handover{}, slices.Concat(running,
			[]look{{69 * m, lost, CommandProceed, clusterInterrupted}, {69 * m, lost, CommandReturn, clusterFinished}}, closing)},
		{"done and interrupted", TierMedium, Handover{}, slices.Concat(running, []look{{70 * m, both, CommandComplete, clusterFinished}}, closing)},
		{"lost on demand", TierHigh, Handover{}, slices.Concat(running,
			[]look{{69 * m, lost, CommandProceed, clusterInterrupted}, {69 * m, lost, CommandReturn, clusterFinished}}, closing)},
		{"expired", TierMedium, Handover{}, slices.Concat([]look{
			{70 * m, Observation{}, CommandWait, clusterInitializing},
			{70*m + 1, Observation{}, CommandReturn, clusterFinished}}, closing)}, // line 14
		{"expired while it boots", TierMedium, Handover{}, slices.Concat([]look{{70*m + 1, boots, CommandReturn, clusterFinished}}, closing)},
		{"low becomes medium", TierLow, Handover{}, slices.Concat([]look{
			{10*m - 1, Observation{}, CommandWait, clusterInitializing},
			{10 * m, Observation{}, CommandReturn, clusterFinished}}, closing)},
		{"high keeps it", TierHigh, Handover{}, []look{{199 * m, Observation{}, CommandWait, clusterInitializing}}},
		{"ready comes before expired", TierMedium, Handover{}, []look{{100 * m, ready, CommandProceed, clusterStarted}}},
		{"no PR while it runs", TierLow, Handover{}, slices.Concat(running, []look{{199 * m, ready, CommandWait, clusterRunning}})},
		{"safe threshold", TierMedium, Handover{Rule: RuleSafe}, slices.Concat([]look{
			{60 * m, Observation{}, CommandWait, clusterInitializing},
			{60*m + 1, Observation{}, CommandReturn, clusterFinished}}, closing)},
		{"no return", TierMedium, Handover{Rule: RuleNoReturn}, slices.Concat(running, []look{
			{130*m - 1, ready, CommandWait, clusterRunning}, {130 * m, ready, CommandReturn, clusterFinished}}, closing)},
		{"no return, not launched", TierMedium, Handover{Rule: RuleNoReturn}, slices.Concat([]look{
			{60*m - 1, Observation{}, CommandWait, clusterInitializing},
			{60 * m, boots, CommandWait, clusterInitializing},
			{61 * m, Observation{}, CommandReturn, clusterFinished}}, closing)},
		{"no return, looks", TierMedium, Handover{Rule: RuleNoReturn, Interval: 5 * m}, slices.Concat(running, []look{
			{120*m - 1, ready, CommandWait, clusterRunning}, {120 * m, ready, CommandReturn, clusterFinished}}, closing)},
		{"hedged stays", TierMedium, Handover{Rule: RuleHedged}, slices.Concat(running, []look{{150 * m, ready, CommandWait, clusterRunning}})},
		{"planned, lost", TierMedium, Handover{Rule: RulePlanned}, slices.Concat([]look{
			{0, boots, CommandWait, clusterInitializing},
			{1 * m, Observation{}, CommandProceed, clusterInterrupted}, {1 * m, Observation{}, CommandReturn, clusterFinished}}, closing)},
	} {
		a := agent{Tier: c.tier, Handover: c.h}
		bid := pricing.Money(0)
		if c.tier != TierHigh {
			bid = 21
		}
		want := Command{Kind: CommandOpen, Task: 7, Tier: c.tier, Bid: bid}
		if diff := cmp.Diff(want, a.assign(k, 21, 0, 0)); diff != "" || a.state != clusterInitializing {
			t.Errorf("%s: assigned: %s", c.name, diff)
		}
		for i, l := range c.do {
			cmd := a.step(l.at, l.see)
			if cmd.Kind != l.kind || a.state != l.state {
				t.Errorf("%s, pass %d: %v, now %v; want %v, %v", c.name, i, cmd.Kind, a.state, l.kind, l.state)
			}
			if cmd.Kind == CommandWait && c.h.Interval > 0 && cmd.Until != l.at+c.h.Interval {
				t.Errorf("%s, pass %d: waits until %v", c.name, i, cmd.Until)
			}
			if cmd.Kind == CommandWait && c.h.Interval == 0 && cmd.Until <= l.at {
				t.Errorf("%s, pass %d: waits until %v at %v", c.name, i, cmd.Until, l.at)
			}
		}
	}
}

// SafeThreshold by its formula: 1 + (10 + 3·5)/60 without checkpoints; with one of
// 2 min every 20 min there are two on the way, and from 40 saved 20 + 5 remain.
func TestSafeThreshold(t *testing.T) {
	m := time.Minute
	k := Task{Deadline: 200 * m, Estimate: 60 * m, Latency: 10 * m, Instances: 4}
	if got, want := k.SafeThreshold(0, 5*m), 1+25./60; got != want {
		t.Errorf("got %v, want %v", got, want)
	}
	k.Checkpoints = Checkpoints{Every: 20 * m, Write: 2 * m, Restart: 5 * m}
	if got, want := k.SafeThreshold(0, 0), (60+4+10)/60.; got != want {
		t.Errorf("got %v, want %v", got, want)
	}
	if got, want := k.SafeThreshold(40*m, 0), (25+10)/25.; got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

// What data can get wrong is an error that says where.
func TestTaskErrors(t *testing.T) {
	good := Task{Deadline: time.Hour, Estimate: time.Minute, Instances: 1}
	f := Framework{Bid: func(*Task, Tier, time.Duration, time.Duration) pricing.Money { return 1 }}
	for _, c := range []struct {
		field string
		cause error
		set   func(*Task)
	}{
		{"", nil, func(*Task) {}},
		{"Task.Deadline", ErrRange, func(t *Task) { t.Deadline = -1 }},
		{"Task.Deadline", ErrRange, func(t *Task) { t.Deadline = Never }},
		{"Task.Deadline", ErrPast, func(t *Task) { t.Deadline = time.Minute }},
		{"Task.Estimate", ErrRange, func(t *Task) { t.Estimate = 0 }},
		{"Task.Estimate", ErrRange, func(t *Task) { t.Estimate = Never }},
		{"Task.Latency", ErrRange, func(t *Task) { t.Latency = -1 }},
		{"Task.Instances", ErrRange, func(t *Task) { t.Instances = 0 }},
		{"Task.Checkpoints.Every", ErrRange, func(t *Task) { t.Checkpoints.Every = -1 }},
		{"Task.Checkpoints.Write", ErrRange, func(t *Task) { t.Checkpoints.Write = -1 }},
		{"Task.Checkpoints.Restart", ErrRange, func(t *Task) { t.Checkpoints.Restart = -1 }},
		{"", nil, func(t *Task) { t.Checkpoints = Checkpoints{Write: time.Hour, Restart: time.Hour} }}, // never written
		{"Task.Checkpoints.Write", ErrRange, func(t *Task) { t.Checkpoints = Checkpoints{Every: 1, Write: 10 * 365 * 24 * time.Hour} }},
	} {
		k := good
		c.set(&k)
		_, err := f.Take(k, time.Minute)
		var in *inputerr.Error
		switch {
		case c.cause == nil && err != nil:
			t.Errorf("good task: %v", err)
		case c.cause != nil && (!errors.As(err, &in) || in.Field != c.field || !errors.Is(err, c.cause)):
			t.Errorf("%s: got %v", c.field, err)
		}
	}
	if f.Len() != 2 {
		t.Errorf("%d tasks taken, want 2", f.Len())
	}
	// The longest times are valid, and no longer ones.
	for name, set := range map[string]func(*Task, time.Duration){
		"Task.Deadline":            func(t *Task, d time.Duration) { t.Deadline = d },
		"Task.Estimate":            func(t *Task, d time.Duration) { t.Estimate = d },
		"Task.Latency":             func(t *Task, d time.Duration) { t.Latency = d },
		"Task.Checkpoints.Every":   func(t *Task, d time.Duration) { t.Checkpoints.Every = d },
		"Task.Checkpoints.Write":   func(t *Task, d time.Duration) { t.Checkpoints.Write = d },
		"Task.Checkpoints.Restart": func(t *Task, d time.Duration) { t.Checkpoints.Restart = d },
	} {
		k := good
		if set(&k, maxSpan); k.Validate() != nil {
			t.Errorf("%s of %v: %v", name, maxSpan, k.Validate())
		}
		var in *inputerr.Error
		if set(&k, maxSpan+1); !errors.As(k.Validate(), &in) || in.Field != name {
			t.Errorf("%s above %v: %v", name, maxSpan, k.Validate())
		}
	}
	if _, err := f.Take(good, -1); !errors.Is(err, ErrRange) {
		t.Errorf("taken at -1: %v", err)
	}
}

// bidding is a framework whose agents bid 1.
func bidding(h Handover) *Framework {
	return &Framework{Handover: h, Bid: func(*Task, Tier, time.Duration, time.Duration) pricing.Money { return 1 }}
}

// What the caller can see to be wrong panics.
func TestFrameworkPanics(t *testing.T) {
	good := Task{Deadline: time.Hour, Estimate: time.Minute, Instances: 1}
	for name, do := range map[string]func(){
		"no bid":           func() { new(Framework).Take(good, 0) },
		"no plan":          func() { (&Framework{Handover: Handover{Rule: RulePlanned}}).Take(good, 0) },
		"rule of tasks":    func() { f := bidding(Handover{Rule: 99}); f.Take(good, 0) },
		"rule":             func() { (&Handover{Rule: 99}).Tier(&good, 0, 0) },
		"interval":         func() { (&Handover{Interval: -1}).Tier(&good, 0, 0) },
		"planned interval": func() { (&Handover{Rule: RulePlanned, Interval: 1}).Tier(&good, 0, 0) },
		"thresholds":       func() { (&Handover{Thresholds: Thresholds{2, 1}}).Tier(&good, 0, 0) },
		"not a number":     func() { (&Handover{Thresholds: Thresholds{1, math.NaN()}}).Tier(&good, 0, 0) },
		"ratio":            func() { (&Handover{SpotRatio: 2}).Tier(&good, 0, 0) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			do()
		}()
	}
}
