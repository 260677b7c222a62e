package spotsim

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll/internal/seeded"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule/spot"
)

// drawSpotHistory draws a step function of a few prices with changes on the minute.
func drawSpotHistory(t *rapid.T) pricing.SpotHistory {
	var h pricing.SpotHistory
	at := time.Duration(0)
	for range rapid.IntRange(1, 20).Draw(t, "changes") {
		h.Times = append(h.Times, at)
		h.Prices = append(h.Prices, pricing.Money(rapid.IntRange(1, 12).Draw(t, "price"))*10*cents)
		at += time.Duration(rapid.IntRange(1, 40).Draw(t, "held")) * time.Minute
	}
	h.End = at
	return h
}

// drawTask draws a task that is seldom hopeless, with or without checkpoints.
func drawTask(t *rapid.T) Task {
	m := time.Minute
	minutes := func(lo, hi int, name string) time.Duration {
		return time.Duration(rapid.IntRange(lo, hi).Draw(t, name)) * m
	}
	k := Task{Submit: minutes(0, 100, "submit")}
	k.Instances = rapid.IntRange(1, 3).Draw(t, "instances")
	k.Estimate = minutes(1, 90, "estimate")
	k.Latency = minutes(0, 15, "latency")
	k.Deadline = k.Submit + k.Latency + k.Estimate + minutes(-2, 200, "slack")
	k.Deadline = max(k.Deadline, k.Submit+1)
	if rapid.Bool().Draw(t, "saves") {
		k.Checkpoints = spot.Checkpoints{Every: minutes(1, 40, "every"), Write: minutes(0, 5, "write"), Restart: minutes(0, 12, "restart")}
	}
	if rapid.IntRange(0, 2).Draw(t, "early") == 0 {
		k.Runtime = minutes(1, int(k.Estimate/m), "runtime")
	}
	return k
}

func drawOptions(t *rapid.T, h pricing.SpotHistory) Options {
	cfg := Options{
		History: h, OnDemand: pricing.Unit,
		Medium: flatBid(pricing.Money(rapid.IntRange(0, 13).Draw(t, "medium")) * 10 * cents),
		Low:    flatBid(pricing.Money(rapid.IntRange(0, 13).Draw(t, "low")) * 10 * cents),
	}
	if rapid.Bool().Draw(t, "hourly") {
		cfg.Spot, cfg.Meter = pricing.EC2SpotHourly, pricing.EC2Hourly
	}
	if rapid.Bool().Draw(t, "looks") {
		cfg.Handover.Interval = time.Duration(rapid.IntRange(1, 10).Draw(t, "interval")) * time.Minute
	}
	if rapid.Bool().Draw(t, "thresholds") {
		th1 := rapid.Float64Range(-1, 3).Draw(t, "th1")
		cfg.Handover.Thresholds = spot.Thresholds{Medium: th1, Low: th1 + rapid.Float64Range(0, 2).Draw(t, "th2-th1")}
	}
	cfg.Handover.SpotRatio = rapid.SampledFrom([]float64{0, .1, .9, 1}).Draw(t, "ratio")
	return cfg
}

// The theorem of package spot: under the mended rules no task misses a
// deadline that on demand would have met, whatever prices, bids, latencies,
// checkpoints and meters, if run times are no longer than estimated. Under the
// paper's rule some do.
func TestNoDeadlineMissedThatOnDemandMeets(t *testing.T) {
	var s, fresh Simulator
	used, missedByPaper, interrupted, hedges, tight, ends := 0, 0, 0, 0, 0, map[string]int{}
	one := func(t *rapid.T) {
		cfg := drawOptions(t, drawSpotHistory(t))
		task := drawTask(t)
		cfg.Setup = time.Duration(rapid.Int64Range(0, int64(task.Latency/time.Minute)).Draw(t, "setup")) * time.Minute
		interval := cfg.Handover.Interval
		for _, rule := range []spot.Rule{spot.RulePaper, spot.RuleSafe, spot.RuleNoReturn, spot.RuleHedged, spot.RulePlanned} {
			cfg.Handover.Rule, cfg.Handover.Interval = rule, interval
			if rule == spot.RulePlanned {
				cfg.Handover.Interval = 0
			}
			task := task
			task.Submit += 30 * time.Minute // a history to plan by
			task.Deadline += 30 * time.Minute
			before := cfg.History
			before.Times, before.Prices = slices.Clone(before.Times), slices.Clone(before.Prices)
			r, err := s.Run([]Task{task}, cfg)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(before, cfg.History); diff != "" {
				t.Fatal("history changed", diff)
			}
			fresh = Simulator{}
			again, err := fresh.Run([]Task{task}, cfg)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(again, r); diff != "" {
				t.Fatal("a used simulator differs from a fresh one", diff)
			}
			sound(t, task, cfg, r)
			if r.Missed > 0 && rule != spot.RulePaper {
				t.Fatalf("%v: missed: %+v", rule, r)
			}
			if rule == spot.RulePaper {
				missedByPaper += r.Missed
				continue
			}
			spots, highs := 0, 0
			for _, l := range r.Leases {
				ends[l.End]++
				if l.Tier == spot.TierHigh {
					highs++
				} else if l.Started >= 0 {
					spots++
				}
			}
			used += min(spots, 1)
			interrupted += min(r.Interruptions, 1)
			hedges += min(spots, highs, 1)
			if r.Tasks[0].Finish == task.Deadline {
				tight++
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		for range 20 {
			one(t)
		}
	})
	t.Logf("spot used %d, interrupted %d, both %d, ends on the deadline %d, paper's misses %d, ends %v", used, interrupted, hedges, tight, missedByPaper, ends)
	if used == 0 || interrupted == 0 || hedges == 0 || tight == 0 || missedByPaper == 0 || len(ends) < 5 {
		seeded.TooFew(t, "cases that matter were not drawn: %d %d %d %d %d %v", used, interrupted, hedges, tight, missedByPaper, ends)
	}
}

// The corollary: a task that on demand meets by its estimate, and that runs longer
// than estimated, is late by no more than that.
func TestLateByTheOverrunAtMost(t *testing.T) {
	var s Simulator
	late, onTime, exact := 0, 0, 0
	one := func(t *rapid.T) {
		cfg := drawOptions(t, drawSpotHistory(t))
		task := drawTask(t)
		task.Submit += 30 * time.Minute
		task.Deadline += 30 * time.Minute
		over := time.Duration(rapid.IntRange(1, 60).Draw(t, "over")) * time.Minute
		task.Runtime = task.Estimate
		cfg.Setup = task.Latency
		for _, rule := range []spot.Rule{spot.RuleNoReturn, spot.RuleHedged, spot.RulePlanned} {
			if cfg.Handover.Rule = rule; rule == spot.RulePlanned {
				cfg.Handover.Interval = 0
			}
			right := task
			r, err := s.Run([]Task{right}, cfg)
			if err != nil {
				t.Fatal(err)
			}
			if r.Possible == 0 {
				continue
			}
			longer := task
			longer.Runtime += over
			if r, err = s.Run([]Task{longer}, cfg); err != nil {
				t.Fatal(err)
			}
			switch lateness := r.Tasks[0].Finish - task.Deadline; {
			case lateness > over:
				t.Fatalf("%v: late by %v, over by %v: %+v", rule, lateness, over, r)
			case lateness == over:
				exact++
			case lateness > 0:
				late++
			default:
				onTime++
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		for range 20 {
			one(t)
		}
	})
	t.Logf("late by less %d, by the overrun %d, on time %d", late, exact, onTime)
	if late == 0 || exact == 0 || onTime == 0 {
		seeded.TooFew(t, "late by less %d, by the overrun %d, on time %d", late, exact, onTime)
	}
}

// sound checks what holds under every rule: leases follow one another, run while
// the price allows it, cost what the meters say, and the task's work fits in.
func sound(t *rapid.T, task Task, cfg Options, r Result) {
	o := r.Tasks[0]
	var cost pricing.Money
	completed := 0
	spotEnd, saved := task.Submit, time.Duration(0)
	for i, l := range r.Leases {
		if !(task.Submit <= l.Requested && l.Requested <= l.Launched && l.Launched <= l.Ended) {
			t.Fatalf("lease %d out of order: %+v", i, l)
		}
		if l.Tier != spot.TierHigh {
			if l.Launched < spotEnd {
				t.Fatalf("lease %d begins before the one before it ended: %+v", i, r.Leases)
			}
			spotEnd = l.Ended
			saved = fits(t, &task.Task, l, saved)
			if cfg.History.At(l.Launched) > l.Bid {
				t.Fatalf("lease %d launched above its bid", i)
			}
			if at, ok := cfg.History.NextAbove(l.Launched, l.Bid); ok && at < l.Ended {
				t.Fatalf("lease %d goes on above its bid", i)
			} else if taken := ok && at == l.Ended; (l.End == LeaseInterrupted || l.End == LeaseLost) && !taken {
				t.Fatalf("lease %d interrupted for nothing: %+v", i, l)
			}
		}
		if l.End == LeaseCompleted {
			completed++
			if l.Started < 0 || o.Finish < l.Started+task.Runtime-l.Saved || l.Ended < o.Finish {
				// Runtime 0 stands for the estimate: then this asks for less.
				t.Fatalf("task ends at %v, too early for %+v", o.Finish, l)
			}
		}
		cost += l.Cost
	}
	if cost != o.Cost || cost != r.Cost {
		t.Fatalf("leases cost %v, the task %v, all %v", cost, o.Cost, r.Cost)
	}
	if o.Finish != spot.Never && completed != 1 {
		t.Fatalf("%d leases completed the task: %+v", completed, r.Leases)
	}
	if o.Met != (o.Finish <= task.Deadline) {
		t.Fatal("met or not?")
	}
}

// fits checks that what is saved when a spot lease ends fits between the start of
// its task and its end, and returns it.
func fits(t *rapid.T, task *spot.Task, l Lease, before time.Duration) time.Duration {
	c := &task.Checkpoints
	most := before
	if c.Every > 0 && l.Started >= 0 {
		worked, from := l.Ended-l.Started, time.Duration(0)
		if task.Remaining(before) < task.Estimate {
			worked, from = worked-c.Restart, before
		}
		if worked > 0 {
			most = max(most, from+worked/(c.Every+c.Write)*c.Every)
		}
	}
	if l.Saved < before || l.Saved > most {
		t.Fatalf("%v saved before a lease, %v after it, which has time for %v: %+v", before, l.Saved, most, l)
	}
	return l.Saved
}
