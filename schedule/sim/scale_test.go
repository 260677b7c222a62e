package sim

import (
	"errors"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll/schedule"
	"github.com/plimsoll/plimsoll/schedule/trace"
)

// A least and a greatest size hold from the first submission to the last end, changes
// are a pause apart, and all jobs end. The zero values change nothing.
func TestSizesAndPause(t *testing.T) {
	var s Simulator
	rapid.Check(t, func(t *rapid.T) {
		jobs, cfg := drawJobs(t, 6), drawConfig(t)
		cfg.Mode, cfg.Bound = SEC, false
		cfg.Least = rapid.IntRange(0, 8).Draw(t, "least")
		if rapid.Bool().Draw(t, "bounded") {
			cfg.Most = max(6, cfg.Least) + rapid.IntRange(0, 6).Draw(t, "most")
		}
		cfg.Pause = rapid.SampledFrom([]time.Duration{0, 0, time.Minute, 17*time.Minute + 1, 3 * time.Hour}).Draw(t, "pause")
		got, err := s.Run(jobs, cfg)
		if err != nil {
			t.Fatal(err)
		}
		if len(jobs) == 0 {
			return
		}
		first, last := jobs[0].Submit, time.Duration(0)
		for i, j := range jobs {
			last = max(last, got.Starts[i]+j.Run)
		}
		changed, held := -cfg.Pause, 0
		for _, l := range got.Levels {
			if cfg.Most > 0 && l.Held > cfg.Most {
				t.Fatalf("%d instances at %v, want at most %d", l.Held, l.At, cfg.Most)
			}
			if l.At >= first && l.At < last && l.Held < cfg.Least && cfg.Pause == 0 {
				t.Fatalf("%d instances at %v, want at least %d", l.Held, l.At, cfg.Least)
			}
			if l.Held != held {
				if l.At-changed < cfg.Pause {
					t.Fatalf("changes at %v and %v, want %v between them", changed, l.At, cfg.Pause)
				}
				changed, held = l.At, l.Held
			}
		}
		if held != 0 {
			t.Fatalf("%d instances are held for ever", held)
		}
	})
}

// Two jobs of one node, at minutes 0 and 1, run for 10 minutes each, and instances boot
// for one. Without limits each gets its own; with at most one, or in a pause, the second
// job waits; with a least size of two the second instance is there before the job.
func TestSizesByHand(t *testing.T) {
	jobs := []trace.Job{job(1, 0, 10, 1), job(2, 1, 10, 1)}
	for name, c := range map[string]struct {
		set    func(*Options)
		second time.Duration
		hours  float64
	}{
		"free":       {func(*Options) {}, at(2), 2},
		"at most 1":  {func(o *Options) { o.Most = 1 }, at(11), 1},
		"at least 2": {func(o *Options) { o.Least = 2 }, at(1), 2},
		"pause":      {func(o *Options) { o.Pause = 5 * time.Minute }, at(6), 2},
		"long pause": {func(o *Options) { o.Pause = 3 * time.Hour }, at(11), 3}, // goes at 3:00, when the fourth hour would begin
	} {
		cfg := Options{WaitLimit: schedule.AtOnce, Boot: func(int) time.Duration { return time.Minute }}
		c.set(&cfg)
		got := run(t, jobs, cfg)
		if got.Starts[1] != c.second || got.ChargedHours != c.hours {
			t.Errorf("%s: the second job starts at %v, %v hours are charged, want %v and %v", name, got.Starts[1], got.ChargedHours, c.second, c.hours)
		}
	}
}

// Of five instances that are idle from minute 11 on, in one lease of five, three go before the hour ends, if two are to
// be kept; the job that comes then finds these. All go at the end.
func TestLeastSizeKeepsAPart(t *testing.T) {
	jobs := []trace.Job{job(1, 0, 10, 5), job(2, 100, 10, 2)}
	got := run(t, jobs, Options{Least: 2, WaitLimit: schedule.AtOnce, Boot: func(int) time.Duration { return time.Minute }})
	var held []int
	for _, l := range got.Levels {
		if len(held) == 0 || held[len(held)-1] != l.Held {
			held = append(held, l.Held)
		}
	}
	if !slices.Equal(held, []int{5, 2, 0}) || got.Starts[1] != at(100) || got.ChargedHours != 5+2 {
		t.Errorf("%v instances are held, the second job starts at %v, %v hours are charged", held, got.Starts[1], got.ChargedHours)
	}
}

func TestSizeErrors(t *testing.T) {
	jobs := []trace.Job{job(1, 0, 10, 3)}
	for _, c := range []struct {
		cfg   Options
		field string
		cause error
	}{
		{Options{Most: 2}, "Jobs.Nodes", ErrTooLarge},
		{Options{Most: 3, Least: 4}, "Most", ErrRange},
		{Options{Most: -1}, "Most", ErrRange},
		{Options{Least: -1}, "Least", ErrRange},
		{Options{Least: maxHeld + 1}, "Least", ErrRange},
		{Options{Pause: -1}, "Pause", ErrRange},
		{Options{Mode: NoWait, Least: 1}, "Least", ErrRange},
		{Options{Mode: Local, Nodes: 4, Pause: 1}, "Least", ErrRange},
		{Options{Bound: true, Most: 7}, "Least", ErrRange},
		{Options{Clouds: make([]Cloud, 2), Most: 7}, "Least", ErrRange},
	} {
		_, err := new(Simulator).Run(jobs, c.cfg)
		var in *InputError
		if !errors.As(err, &in) || in.Field != c.field || !errors.Is(err, c.cause) {
			t.Errorf("%+v: %v", c.cfg, err)
		}
	}
}
