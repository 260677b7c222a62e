package sim

import (
	"fmt"
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
