package sim

import (
	"errors"
	"iter"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll/internal/allocs"
	"github.com/plimsoll/plimsoll/internal/inputerr"
	"github.com/plimsoll/plimsoll/placement"
	"github.com/plimsoll/plimsoll/schedule"
	"github.com/plimsoll/plimsoll/schedule/trace"
)

// sequence yields the jobs of a slice.
func sequence(jobs []trace.Job) iter.Seq2[trace.Job, error] {
	return func(yield func(trace.Job, error) bool) {
		for _, j := range jobs {
			if !yield(j, nil) {
				return
			}
		}
	}
}

// collected streams jobs and puts the starts and levels where Run has them.
func collected(s *Simulator, jobs []trace.Job, cfg Options) (Result, error) {
	starts := make([]time.Duration, len(jobs))
	var levels []Level
	r, err := s.Stream(sequence(jobs), cfg,
		func(i int, j *trace.Job, at time.Duration) {
			if *j != jobs[i] {
				panic("another job")
			}
			starts[i] = at
		},
		func(l Level) { levels = append(levels, l) })
	if err == nil {
		r.Starts, r.Levels = starts, levels
		if len(r.Clouds) == 1 {
			r.Clouds[0].Levels = levels
		}
	}
	return r, err
}

// Stream finds what Run finds, to the last digit, in all modes and at several clouds.
func TestStreamEqualsRun(t *testing.T) {
	var s, bulk Simulator
	rapid.Check(t, func(t *rapid.T) {
		jobs := drawJobs(t, 6)
		cfg := drawConfig(t)
		cfg.Mode = rapid.SampledFrom([]Mode{SEC, NoWait, Local, Individual}).Draw(t, "any mode")
		cfg.Placement = placement.Policy(rapid.IntRange(0, 4).Draw(t, "any placement"))
		if cfg.Mode == SEC && rapid.Bool().Draw(t, "clouds") {
			cfg = drawCloudsConfig(t, jobs, 1, 4)
		}
		seeded := func() Options {
			cfg.Rand = rand.New(rand.NewPCG(1, 2))
			return cfg
		}
		want, err := bulk.Run(jobs, seeded())
		if err != nil {
			t.Fatal(err)
		}
		got, err := collected(&s, jobs, seeded())
		if err != nil {
			t.Fatal(err)
		}
		ignore := cmp.FilterPath(func(p cmp.Path) bool { return len(want.Clouds) > 1 && p.String() == "Clouds.Levels" }, cmp.Ignore())
		if d := cmp.Diff(want, got, cmpopts.EquateEmpty(), ignore); d != "" {
			t.Fatalf("-run +stream:\n%s", d)
		}
	})
}

// An error of the sequence ends the simulation, and so does a job that cannot be run.
func TestStreamOfTooLargeJobs(t *testing.T) {
	var s Simulator
	for _, quota := range []int{4, 5} {
		seq := func(yield func(trace.Job, error) bool) { yield(job(1, 0, 10, 5), nil) }
		_, err := s.Stream(seq, Options{Clouds: []Cloud{{Quota: quota}}}, nil, nil)
		var in *inputerr.Error
		if tooLarge := errors.As(err, &in) && errors.Is(err, ErrTooLarge) && in.Index == 0; tooLarge != (quota < 5) || err != nil && !tooLarge {
			t.Errorf("five instances with a quota of %d: %v", quota, err)
		}
	}
}

func TestStreamErrors(t *testing.T) {
	jobs := flood(100, 5, 100*time.Second, 1)
	broken := errors.New("broken")
	var s Simulator
	seen := 0
	_, err := s.Stream(func(yield func(trace.Job, error) bool) {
		for i, j := range jobs {
			if i == 50 {
				yield(trace.Job{}, broken)
				return
			}
			if !yield(j, nil) {
				return
			}
		}
	}, Options{}, func(int, *trace.Job, time.Duration) { seen++ }, nil)
	if err != broken || seen == 0 || seen > 50 {
		t.Errorf("%v after %d starts, want broken", err, seen)
	}
	for name, c := range map[string]struct {
		spoil    func(*trace.Job)
		cfg      Options
		field    string
		sentinel error
	}{
		"order": {func(j *trace.Job) { j.Submit = 0 }, Options{}, "Jobs.Submit", ErrOrder},
		"nodes": {func(j *trace.Job) { j.Nodes = 0 }, Options{Mode: Individual}, "Jobs.Nodes", ErrRange},
		"large": {func(j *trace.Job) { j.Nodes = 65 }, Options{Mode: Local, Nodes: 64}, "Jobs.Nodes", ErrTooLarge},
		"run":   {func(j *trace.Job) { j.Run = 0 }, Options{}, "Jobs.Run", ErrRange},
	} {
		spoilt := slices.Clone(jobs)
		c.spoil(&spoilt[70])
		_, err := s.Stream(sequence(spoilt), c.cfg, nil, nil)
		var input *inputerr.Error
		if !errors.As(err, &input) || input.Index != 70 || input.Field != c.field || !errors.Is(err, c.sentinel) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := s.Stream(sequence(nil), Options{Mode: 9}, nil, nil); !errors.Is(err, ErrRange) {
		t.Errorf("mode 9: %v", err)
	}
	if r, err := s.Stream(sequence(jobs), Options{}, nil, nil); err != nil || r.Jobs != len(jobs) {
		t.Errorf("after the errors: %d jobs, %v", r.Jobs, err)
	}
}

// endless yields n jobs of a steady load without holding them.
func endless(n int) iter.Seq2[trace.Job, error] {
	return func(yield func(trace.Job, error) bool) {
		r := rand.New(rand.NewPCG(5, 6))
		at := time.Duration(0)
		for i := range n {
			at += time.Duration(r.IntN(60)) * time.Second
			run := time.Duration(60+r.IntN(7200)) * time.Second
			if !yield(trace.Job{ID: int64(i), Submit: at, Run: run, Estimate: run + time.Duration(r.IntN(3600))*time.Second, Nodes: 1 + r.IntN(16), User: i % 7}, nil) {
				return
			}
		}
	}
}

// Memory goes by what waits and runs: ten times as many jobs need what the hours of the
// longer log need, and no more.
func TestStreamMemory(t *testing.T) {
	held := func(n int, cfg Options) (uint64, int) {
		var s Simulator
		if _, err := s.Stream(endless(n), cfg, nil, nil); err != nil {
			t.Fatal(err)
		}
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		before := m.HeapAlloc
		slots := len(s.live)
		runtime.KeepAlive(&s)
		s = Simulator{}
		runtime.GC()
		runtime.ReadMemStats(&m)
		return before - m.HeapAlloc, slots
	}
	for _, cfg := range []Options{{}, {Mode: Local, Nodes: 1100}, {Mode: Individual}, {Mode: NoWait}} {
		few, slots := held(12_000, cfg)
		many, more := held(120_000, cfg)
		hours := uint64(120_000 * 30 / 3600 * 8 * 5 / 4) // append leaves a quarter of room
		if many > few+few/2+2*hours || more > 2*slots {
			t.Errorf("%v: %d bytes for 12,000 jobs (%d at once), %d for 120,000 (%d at once)", cfg.Mode, few, slots, many, more)
		}
	}
}

// A warm Simulator streams without allocating.
func TestStreamAllocatesNothing(t *testing.T) {
	jobs := sequence(flood(5000, 7, 150*time.Second, 1))
	var levels, starts int
	start, level := func(int, *trace.Job, time.Duration) { starts++ }, func(Level) { levels++ }
	for _, cfg := range []Options{{}, {Mode: Local, Nodes: 64}, {Mode: Individual}, {Mode: NoWait}} {
		var s Simulator
		one := func() {
			if _, err := s.Stream(jobs, cfg, start, level); err != nil {
				t.Fatal(err)
			}
		}
		one()
		if n := allocs.Once(one); n != 0 {
			t.Errorf("%v: %v allocations", cfg.Mode, n)
		}
	}
}

// lying starts a job twice.
type lying struct {
	schedule.EASY
	job schedule.Job
}

func (l *lying) Submit(j schedule.Job) { l.job = j; l.EASY.Submit(j) }
func (l *lying) AppendStarts(dst []schedule.Allocation, now time.Duration) []schedule.Allocation {
	return append(l.EASY.AppendStarts(dst, now), schedule.Allocation{Job: l.job, Start: now})
}

// A Scheduler that starts a job that does not wait is the caller's mistake.
func TestSchedulerStartsTwice(t *testing.T) {
	defer func() {
		if recover() != "sim: the Scheduler starts a job that does not wait" {
			t.Error("a Scheduler may start a job twice")
		}
	}()
	var s Simulator
	s.Run(flood(3, 1, time.Second, 1), Options{Mode: Local, Nodes: 8, Scheduler: new(lying)})
}
