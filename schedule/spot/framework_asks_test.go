package spot

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/pricing"
)

// seen is a world in which the test says what there is to see of the spot cluster.
type seen struct{ o *Observation }

func (s seen) Look(_ int, tier Tier) Observation {
	if tier == TierHigh {
		return Observation{Launched: true, Ready: true}
	}
	return *s.o
}

// When the framework asks the plan, and what it says of the task. It asks when the time has
// come, of a cluster that waits or runs, and never of one that has ended or was taken. Saved
// is what was in a checkpoint at the request, and Elapsed counts from the launch.
func TestFrameworkAsksThePlan(t *testing.T) {
	m := time.Minute
	var calls []string
	var o Observation
	answer := BidDecision{Action: BidSpot, Bid: 1, For: 10 * m}
	f := Framework{Handover: Handover{Rule: RulePlanned}, Plan: func(task *Task, s BidState) BidDecision {
		if s.Price != 0 {
			t.Errorf("a price: %+v", s)
		}
		calls = append(calls, fmt.Sprintf("%v: saved %v, running %v, bid %v, for %v", s.Now, s.Saved, s.Running, s.Bid, s.Elapsed))
		return answer
	}}
	task := Task{ID: 5, Estimate: 60 * m, Deadline: 300 * m, Latency: 2 * m, Instances: 1, Checkpoints: Checkpoints{Every: 5 * m}}
	if _, err := f.Take(task, 0); err != nil {
		t.Fatal(err)
	}
	var kinds []string
	step := func(now time.Duration, o2 Observation) {
		t.Helper()
		o = o2
		kinds = kinds[:0]
		for range 10 {
			commands := f.AppendCommands(nil, now, seen{&o}.Look)
			for _, c := range commands {
				kinds = append(kinds, fmt.Sprint(c.Kind))
				if c.Kind == CommandOpen || c.Kind == CommandClose || c.Kind == CommandReturn {
					o = Observation{Saved: o.Saved} // another cluster is not there yet
				}
			}
			if len(commands) == 0 {
				return
			}
		}
		t.Fatalf("no end at %v: %v", now, kinds)
	}
	expect := func(what string, want ...string) {
		t.Helper()
		if d := cmp.Diff(append([]string{}, want...), append([]string{}, calls...)); d != "" {
			t.Errorf("%s: %s, commands %v", what, d, kinds)
		}
		calls = calls[:0]
	}
	step(0, Observation{})
	expect("taken", "0s: saved 0s, running false, bid 0, for 0s")
	step(9*m, Observation{})
	expect("not yet")
	step(10*m, Observation{})
	expect("not launched", "10m0s: saved 0s, running true, bid 0.000000001, for 0s")
	step(13*m, Observation{Launched: true})
	expect("launched in between")
	step(20*m, Observation{Launched: true, Ready: true})
	expect("launched", "20m0s: saved 0s, running true, bid 0.000000001, for 7m0s")
	step(30*m, Observation{Launched: true, Ready: true, Saved: 5 * m})
	expect("running: what is saved now is not what was saved at the request", "30m0s: saved 0s, running true, bid 0.000000001, for 17m0s")
	step(40*m, Observation{Launched: true, Ready: true, Saved: 15 * m, Interrupted: true})
	expect("taken away: only the next cluster is asked about", "40m0s: saved 15m0s, running false, bid 0, for 0s")
	step(50*m, Observation{Launched: true, Saved: 15 * m})
	expect("launched as the time comes", "50m0s: saved 15m0s, running true, bid 0.000000001, for 0s")
	step(55*m, Observation{Launched: true, Ready: true, Saved: 15 * m})
	answer.Stop = true
	step(60*m, Observation{Launched: true, Ready: true, Saved: 20 * m})
	expect("stopped: asked about this cluster, and about the next", "1h0m0s: saved 15m0s, running true, bid 0.000000001, for 10m0s", "1h0m0s: saved 20m0s, running false, bid 0, for 0s")
	answer.Stop = false
	step(61*m, Observation{Launched: true, Ready: true, Saved: 20 * m})
	expect("not yet")
	step(70*m, Observation{Launched: true, Ready: true, Saved: 60 * m, Done: true})
	expect("done")
	if f.Len() != 0 {
		t.Errorf("%d tasks are left: %v", f.Len(), kinds)
	}
}

// While a plan waits the framework looks again when the plan says so, and no later than the
// point of no return, at which the task goes on demand without another question.
func TestFrameworkWaits(t *testing.T) {
	m := time.Minute
	calls := 0
	f := Framework{Handover: Handover{Rule: RulePlanned}, Plan: func(*Task, BidState) BidDecision {
		calls++
		return BidDecision{Action: BidWait, For: 40 * m}
	}}
	task := Task{ID: 5, Estimate: 60 * m, Deadline: 200 * m, Latency: 2 * m, Instances: 1}
	if _, err := f.Take(task, 0); err != nil {
		t.Fatal(err)
	}
	var o Observation
	now := time.Duration(0)
	var at []time.Duration
	for range 10 {
		commands := f.AppendCommands(nil, now, seen{&o}.Look)
		at = append(at, now)
		if len(commands) > 0 {
			if commands[0].Kind != CommandOpen || commands[0].Tier != TierHigh {
				t.Errorf("%+v", commands)
			}
			break
		}
		if now = f.Next(); now > time.Hour*5 {
			t.Fatal(now)
		}
	}
	// On demand takes 62 minutes, so that 138 is the last time.
	if d := cmp.Diff([]time.Duration{0, 40 * m, 80 * m, 120 * m, 138 * m}, at); d != "" || calls != 4 {
		t.Errorf("%s, %d calls", d, calls)
	}
}

// Only hedged tasks get a second cluster at their point of no return. This one takes longer on spot than its estimate, as
// it writes checkpoints, and is handed out with a PR above 1.
func TestFrameworkHedgesByRule(t *testing.T) {
	m := time.Minute
	for rule, want := range map[Rule]int{RulePaper: 0, RuleHedged: 1} {
		f := bidding(Handover{Rule: rule})
		if _, err := f.Take(Task{Estimate: 60 * m, Deadline: 130 * m, Instances: 1, Checkpoints: Checkpoints{Every: 10 * m, Write: 10 * m}}, 0); err != nil {
			t.Fatal(err)
		}
		o := Observation{Launched: true, Ready: true}
		for range 3 { // open, submit, run
			f.AppendCommands(nil, 0, seen{&o}.Look)
		}
		if before := f.AppendCommands(nil, 69*m, seen{&o}.Look); len(before) != 0 {
			t.Errorf("%v: %+v a minute before", rule, before)
		}
		if got := f.AppendCommands(nil, 70*m, seen{&o}.Look); len(got) != want || want > 0 && (got[0].Kind != CommandOpen || got[0].Tier != TierHigh) {
			t.Errorf("%v: %+v, want %d", rule, got, want)
		}
	}
}

// Between two looks an agent sees and does nothing, whatever has happened.
func TestFrameworkLooksAtIntervals(t *testing.T) {
	m := time.Minute
	f := Framework{Handover: Handover{Rule: RuleNoReturn, Interval: 10 * m}, Bid: func(*Task, Tier, time.Duration, time.Duration) pricing.Money { return 1 }}
	if _, err := f.Take(Task{Estimate: 60 * m, Deadline: 600 * m, Latency: 2 * m, Instances: 1}, 0); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range []struct {
		now time.Duration
		o   Observation
	}{
		{0, Observation{}}, {9 * m, Observation{Launched: true, Ready: true}}, {10 * m, Observation{Launched: true, Ready: true}},
		{19 * m, Observation{Launched: true, Ready: true, Done: true}}, {20 * m, Observation{Launched: true, Ready: true, Done: true}},
	} {
		o := c.o
		for {
			commands := f.AppendCommands(nil, c.now, seen{&o}.Look)
			if len(commands) == 0 {
				break
			}
			for _, k := range commands {
				got = append(got, fmt.Sprintf("%v: %v", c.now, k.Kind))
			}
		}
	}
	want := []string{"0s: open cluster", "10m0s: submit task", "20m0s: complete task", "20m0s: close cluster"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}
