package sim

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll/internal/seeded"
	"github.com/plimsoll/plimsoll/placement"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule"
	"github.com/plimsoll/plimsoll/schedule/internal/replay"
	"github.com/plimsoll/plimsoll/schedule/trace"
)

// drawJobs draws a small log: coarse times, so that events coincide, and
// estimates that are often exact.
func drawJobs(t *rapid.T, maxNodes int) []trace.Job {
	n := rapid.IntRange(0, 14).Draw(t, "jobs")
	unit := rapid.SampledFrom([]time.Duration{time.Second, 30 * time.Second, 5 * time.Minute}).Draw(t, "unit")
	var jobs []trace.Job
	var at time.Duration
	for i := range n {
		at += unit * time.Duration(rapid.IntRange(0, 12).Draw(t, "gap"))
		run := unit * time.Duration(rapid.IntRange(1, 40).Draw(t, "run"))
		over := unit * time.Duration(rapid.SampledFrom([]int{0, 0, 1, 5, 60}).Draw(t, "over"))
		jobs = append(jobs, trace.Job{
			ID: int64(10 + i), Submit: at, Run: run, Estimate: run + over,
			Nodes: rapid.IntRange(1, maxNodes).Draw(t, "nodes"), User: i % 3, Queue: -1,
		})
	}
	return jobs
}

func drawConfig(t *rapid.T) Options {
	cfg := Options{
		Mode:         rapid.SampledFrom([]Mode{SEC, SEC, SEC, NoWait, Local}).Draw(t, "mode"),
		Nodes:        6,
		Meter:        rapid.SampledFrom([]pricing.Meter{pricing.EC2Hourly, pricing.GCE2014, pricing.EC2PerSecond, {Minimum: 7 * time.Minute, Increment: 90 * time.Second}}).Draw(t, "meter"),
		Boot:         MeasuredBoot,
		WaitLimit:    rapid.SampledFrom([]time.Duration{time.Second, 5 * time.Minute, 20 * time.Minute}).Draw(t, "limit"),
		Short:        rapid.SampledFrom([]time.Duration{time.Second, 10 * time.Minute, time.Hour}).Draw(t, "short"),
		Expansion:    schedule.Expansion(rapid.IntRange(0, 2).Draw(t, "expansion")),
		Placement:    placement.Policy(rapid.IntRange(0, 3).Draw(t, "placement")),
		ReleaseEvery: rapid.SampledFrom([]time.Duration{time.Minute, 45 * time.Second}).Draw(t, "every"),
		bound:        rapid.Bool().Draw(t, "bound"),
	}
	if rapid.IntRange(0, 2).Draw(t, "formats") == 0 {
		cfg.Reformat = 3400 * time.Millisecond
	}
	if rapid.Bool().Draw(t, "odd boot") {
		cfg.Boot = func(n int) time.Duration { return time.Duration(30+7*n) * time.Second }
	}
	return cfg
}

// The Simulator does what the package documentation says, event by event: it
// equals a program that rescans everything at every step.
func TestRunEqualsReference(t *testing.T) {
	var s Simulator // used again and again: a dirty workspace is as good as a fresh one
	seen := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		jobs, cfg := drawJobs(t, 6), drawConfig(t)
		input := slices.Clone(jobs)
		got, err := s.Run(jobs, cfg)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(input, jobs); d != "" {
			t.Fatalf("jobs were modified (-before +after):\n%s", d)
		}
		full, err := cfg.withDefaults()
		if err != nil {
			t.Fatal(err)
		}
		want := refRun(jobs, full)
		if d := cmp.Diff(want.starts, got.Starts, cmpopts.EquateEmpty()); d != "" {
			t.Fatalf("starts (-want +got):\n%s", d)
		}
		var paid replay.Sum
		for _, l := range want.paid {
			paid.Add(full.Meter.Charged(l), 1)
		}
		if cfg.Mode != Local && paid.Hours() != got.ChargedHours {
			t.Fatalf("charged %v hours, want %v", got.ChargedHours, paid.Hours())
		}
		if len(jobs) > 0 {
			if d := cmp.Diff(changes(want.levels, jobs[0].Submit), got.Levels, cmpopts.EquateEmpty()); d != "" {
				t.Fatalf("levels (-want +got):\n%s", d)
			}
		}
		for i, j := range jobs {
			if got.Starts[i] > j.Submit {
				seen["waits"]++
			}
			if i > 0 && got.Starts[i] < got.Starts[i-1] {
				seen["backfills"]++
			}
		}
		seen[cfg.Mode.String()]++
		seen[fmt.Sprint("bound ", full.bound)]++
		seen["released"] += len(want.paid)
	})
	for _, k := range []string{"waits", "backfills", "sec", "nowait", "local", "bound true", "bound false", "released"} {
		if seen[k] == 0 {
			seeded.TooFew(t, "no case with %s was drawn", k)
		}
	}
}

// changes drops the levels that repeat the one before, and those before first.
func changes(levels []Level, first time.Duration) (kept []Level) {
	for _, l := range levels {
		if n := len(kept); l.At < first || n > 0 && kept[n-1].Held == l.Held && kept[n-1].Busy == l.Busy {
			continue
		}
		kept = append(kept, l)
	}
	return kept
}

// What holds for every scheduler, with a Simulator used before and with a
// fresh one.
func TestRunInvariants(t *testing.T) {
	var s Simulator
	rapid.Check(t, func(t *rapid.T) {
		jobs, cfg := drawJobs(t, 6), drawConfig(t)
		cfg.Mode = rapid.SampledFrom([]Mode{SEC, NoWait, Local, Individual}).Draw(t, "any mode")
		cfg.Reformat = 0 // starts are when instances are there
		cfg.Placement = placement.Policy(rapid.IntRange(0, 4).Draw(t, "any placement"))
		newScheduler := rapid.SampledFrom([]func() schedule.Scheduler{
			func() schedule.Scheduler { return nil },
			func() schedule.Scheduler { return new(schedule.FCFS) },
			func() schedule.Scheduler { return new(schedule.Conservative) },
			func() schedule.Scheduler {
				e := new(schedule.EASY)
				e.Order = func(j schedule.Job) float64 { return -float64(j.Nodes) }
				return e
			},
		}).Draw(t, "scheduler")
		cfg.Scheduler, cfg.Rand = newScheduler(), rand.New(rand.NewPCG(7, 7))
		got, err := s.Run(jobs, cfg)
		if err != nil {
			t.Fatal(err)
		}
		var fresh Simulator
		cfg.Scheduler, cfg.Rand = newScheduler(), rand.New(rand.NewPCG(7, 7))
		again, err := fresh.Run(jobs, cfg)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(again, got, cmpopts.EquateEmpty()); d != "" {
			t.Fatalf("a used Simulator differs from a fresh one (-fresh +used):\n%s", d)
		}
		var last time.Duration
		for i, j := range jobs {
			if got.Starts[i] < j.Submit {
				t.Fatalf("job %d starts before it is submitted", i)
			}
			last = max(last, got.Starts[i]+j.Run)
		}
		// The levels are the jobs': busy at each change is Σ nodes running then.
		for k, l := range got.Levels {
			busy := 0
			for i, j := range jobs {
				if got.Starts[i] <= l.At && l.At < got.Starts[i]+j.Run {
					busy += j.Nodes
				}
			}
			if busy != l.Busy || l.Busy > l.Held || k > 0 && got.Levels[k-1].At >= l.At {
				t.Fatalf("level %d is %+v, with %d instances busy", k, l, busy)
			}
		}
		if n := len(got.Levels); n > 0 && cfg.Mode != Local && got.Levels[n-1] != (Level{got.Levels[n-1].At, 0, 0}) {
			t.Fatalf("instances are held for ever: %+v", got.Levels[n-1])
		}
		// Nothing is charged less than it is held, and no more than a minimum
		// or an increment beyond.
		if cfg.Mode != Local && cfg.Mode != Individual {
			var held replay.Sum
			for k, l := range got.Levels[:max(0, len(got.Levels)-1)] {
				held.Add(got.Levels[k+1].At-l.At, l.Held)
			}
			if held.Hours() > got.ChargedHours*(1+1e-12) || got.UsedHours > held.Hours()*(1+1e-12) {
				t.Fatalf("used %v, held %v and charged %v hours", got.UsedHours, held.Hours(), got.ChargedHours)
			}
		}
		// The demand curve is the peak of each slot.
		slot := time.Hour
		demand := got.AppendDemand([]int{-1}, slot)[1:]
		want := make([]int, len(demand))
		for k := range want {
			for i, l := range got.Levels {
				end := schedule.Never
				if i+1 < len(got.Levels) {
					end = got.Levels[i+1].At
				}
				if l.At < time.Duration(k+1)*slot && end > time.Duration(k)*slot {
					want[k] = max(want[k], l.Held)
				}
			}
		}
		if d := cmp.Diff(want, demand, cmpopts.EquateEmpty()); d != "" {
			t.Fatalf("demand (-want +got):\n%s", d)
		}
	})
}
