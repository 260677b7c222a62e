package sim

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/inputerr"
	"github.com/plimsoll/plimsoll/placement"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule"
	"github.com/plimsoll/plimsoll/schedule/internal/replay"
	"github.com/plimsoll/plimsoll/schedule/trace"
)

func at(min float64) time.Duration { return time.Duration(min * float64(time.Minute)) }

// job returns a job with an exact estimate, times in minutes.
func job(id int64, submit, run float64, nodes int) trace.Job {
	return trace.Job{ID: id, Submit: at(submit), Run: at(run), Estimate: at(run), Nodes: nodes}
}

func run(t *testing.T, jobs []trace.Job, cfg Options) Result {
	t.Helper()
	var s Simulator
	r, err := s.Run(jobs, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestErrors(t *testing.T) {
	ok := job(1, 0, 10, 2)
	with := func(change func(*trace.Job)) []trace.Job {
		j := job(2, 0, 10, 2)
		change(&j)
		return []trace.Job{ok, j}
	}
	for name, c := range map[string]struct {
		jobs  []trace.Job
		cfg   Options
		field string
		index int
		is    error
	}{
		"no nodes":       {with(func(j *trace.Job) { j.Nodes = 0 }), Options{}, "Jobs.Nodes", 1, ErrRange},
		"unsorted":       {[]trace.Job{job(1, 5, 1, 1), job(2, 4, 1, 1)}, Options{}, "Jobs.Submit", 1, ErrOrder},
		"too large":      {with(func(j *trace.Job) { j.Nodes = 3 }), Options{Mode: Local, Nodes: 2}, "Jobs.Nodes", 1, ErrTooLarge},
		"bad meter":      {nil, Options{Meter: pricing.Meter{Minimum: 1}}, "Meter", -1, pricing.ErrRange},
		"huge job":       {with(func(j *trace.Job) { j.Nodes = 1e9 }), Options{}, "Jobs.Nodes", 1, ErrTooLarge},
		"huge job bound": {with(func(j *trace.Job) { j.Nodes = replay.MaxHeld }), Options{Mode: NoWait}, "Nodes", -1, ErrTooLarge},
		"clock":          {centuries(6), Options{Mode: Local, Nodes: 1}, "Submit", -1, ErrRange},
		"clock of SEC":   {centuries(6), Options{WaitLimit: replay.MaxTime}, "Submit", -1, ErrRange},
		"stuck":          {[]trace.Job{ok}, Options{Scheduler: new(idleScheduler)}, "Scheduler", -1, ErrRange},
		"bad boot":       {[]trace.Job{ok}, Options{Boot: func(int) time.Duration { return -1 }}, "Boot", -1, ErrRange},
		"bad boot alone": {[]trace.Job{ok}, Options{Mode: Individual, Boot: func(int) time.Duration { return -1 }}, "Boot", -1, ErrRange},
	} {
		var s Simulator
		_, err := s.Run(c.jobs, c.cfg)
		var in *inputerr.Error
		if !errors.As(err, &in) || in.Field != c.field || in.Index != c.index || !errors.Is(err, c.is) {
			t.Errorf("%s: got %v, want field %s, index %d, %v", name, err, c.field, c.index, c.is)
		}
	}
	var s Simulator
	if _, err := s.Run([]trace.Job{job(1, 0, 60*1000, 1000)}, Options{Hourly: math.MaxInt64 / 4}); !errors.Is(err, pricing.ErrOverflow) {
		t.Errorf("a cost beyond Money: got %v", err)
	}
}

// centuries makes jobs that one node cannot run within the range of the clock.
func centuries(n int) []trace.Job {
	jobs := make([]trace.Job, n)
	for i := range jobs {
		jobs[i] = trace.Job{ID: int64(i), Run: replay.MaxTime / 2, Estimate: replay.MaxTime, Nodes: 1}
	}
	return jobs
}

// idleScheduler never starts a job.
type idleScheduler struct{ schedule.FCFS }

func (*idleScheduler) AppendStarts(dst []schedule.Allocation, _ time.Duration) []schedule.Allocation {
	return dst
}
func (s *idleScheduler) Top(now time.Duration) (schedule.Job, time.Duration, bool) {
	j, _, ok := s.FCFS.Top(now)
	return j, now, ok
}

// Jobs whose number is unknown may share it.
func TestRepeatedIDs(t *testing.T) {
	jobs := []trace.Job{job(-1, 0, 10, 1), job(-1, 0, 10, 1)}
	if r := run(t, jobs, Options{Mode: Local, Nodes: 1}); r.Starts[0] != 0 || r.Starts[1] != at(10) {
		t.Errorf("starts %v, want 0 and 10 minutes", r.Starts)
	}
}

// A local cluster's demand ends with its last job, also at the end of a slot.
func TestDemandEndsWithLastJob(t *testing.T) {
	r := run(t, []trace.Job{job(1, 0, 60, 1)}, Options{Mode: Local, Nodes: 3})
	if d := cmp.Diff([]int{3}, r.AppendDemand(nil, time.Hour)); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

// The scheduler of the options is used: with first come, first served a short job waits that EASY lets start.
func TestSchedulerOfTheOptions(t *testing.T) {
	jobs := []trace.Job{job(1, 0, 60, 3), job(2, 1, 60, 4), job(3, 2, 10, 1)}
	for third, scheduler := range map[time.Duration]schedule.Scheduler{at(2): nil, at(120): new(schedule.FCFS)} {
		if r := run(t, jobs, Options{Mode: Local, Nodes: 4, Scheduler: scheduler}); r.Starts[2] != third {
			t.Errorf("%T: the third job starts at %v, want %v", scheduler, r.Starts[2], third)
		}
	}
}

// By hand: two instances for 90 minutes from minute 30 on, charged for by the minute after an hour, are one in the first hour
// and two in the next; charged for by the hour they are two in both.
func TestHoursByMeter(t *testing.T) {
	for increment, want := range map[time.Duration][]int{time.Minute: {1, 2, 0}, time.Hour: {2, 2, 0}} {
		cloud := Cloud{Meter: pricing.Meter{Minimum: time.Hour, Increment: increment}, Boot: func(int) time.Duration { return 0 }}
		r := run(t, []trace.Job{job(1, 30, 90, 2)}, Options{Clouds: []Cloud{cloud}})
		if got := r.Clouds[0].Hours; !slices.Equal(got, want[:len(got)]) || len(got) < 2 {
			t.Errorf("by %v: %v, want %v", increment, got, want)
		}
	}
	r := run(t, []trace.Job{job(1, 0, 90, 2), job(2, 5, 10, 1)}, Options{Mode: Individual, Clouds: make([]Cloud, 1)})
	if r.Clouds[0].Jobs != 2 || r.Clouds[0].Leases != 3 {
		t.Errorf("%d jobs on %d instances of their own, want 2 on 3", r.Clouds[0].Jobs, r.Clouds[0].Leases)
	}
}

// Progress is told now and then, not at each job, and at the end.
func TestProgress(t *testing.T) {
	var jobs []trace.Job
	for i := range 9000 {
		jobs = append(jobs, job(int64(i+1), float64(i), 1, 1))
	}
	var told []int
	var s Simulator
	if _, err := s.Run(jobs, Options{Mode: Local, Nodes: 2, Progress: func(ended int) { told = append(told, ended) }}); err != nil || len(told) < 2 || len(told) > 20 || !slices.IsSorted(told) || told[len(told)-1] != 9000 {
		t.Errorf("told %v, %v", told, err)
	}
	if s.cfg.Progress != nil || s.sites[0].schd != nil { // nothing of the caller's is kept
		t.Error("a simulator keeps what it was given")
	}
}

// A log may end as late as the clock goes.
func TestTheLastMoment(t *testing.T) {
	last := []trace.Job{{ID: 1, Run: replay.MaxTime, Estimate: replay.MaxTime, Nodes: 1}}
	if _, err := new(Simulator).Run(last, Options{Mode: Local, Nodes: 1}); err != nil {
		t.Error(err)
	}
	b := Batch{Nodes: 1, Scheduler: new(schedule.EASY), Every: replay.MaxTime}
	if err := b.Run(last, func(*BatchState) bool { return true }); err != nil {
		t.Error(err)
	}
}

// A log without jobs is no error and costs nothing.
func TestNoJobs(t *testing.T) {
	for m := SEC; m <= NoWait; m++ {
		r := run(t, nil, Options{Mode: m, Nodes: 3})
		if r.Jobs != 0 || r.MeanWait != 0 || r.ChargedHours != 0 || r.Utilisation != 0 {
			t.Errorf("%v: %+v", m, r)
		}
		if d := r.AppendDemand(nil, time.Hour); len(d) != 0 {
			t.Errorf("%v: demand %v", m, d)
		}
	}
}

// Random placement follows the seed alone.
func TestRandomPlacementIsSeeded(t *testing.T) {
	jobs := flood(2000, 5, 200*time.Second, 1)
	starts := func(seed uint64) []time.Duration {
		r := run(t, jobs, Options{Placement: placement.Random, Rand: rand.New(rand.NewPCG(seed, 0))})
		return r.Starts
	}
	if d := cmp.Diff(starts(1), starts(1)); d != "" {
		t.Errorf("the same seed gives different starts:\n%s", d)
	}
	if cmp.Equal(starts(1), starts(2)) {
		t.Error("two seeds give the same starts: is placement random?")
	}
}

// [Niu16] Table 2 and Table 4, their rows, between them and above.
func TestBoot(t *testing.T) {
	for n, want := range map[int]float64{1: 126, 2: 186, 3: 219, 4: 252, 6: 261, 8: 270, 12: 285, 16: 300, 17: 300, 1000: 300} {
		if got := MeasuredBoot(n).Seconds(); got != want {
			t.Errorf("%d instances boot in %v s, want %v", n, got, want)
		}
	}
	for n, want := range map[int]float64{1: 133.36, 12: 293.755, 40: 309.25} {
		if got := MeasuredBootAndConfiguration(n).Seconds(); got != want {
			t.Errorf("%d instances are configured after %v s, want %v", n, got, want)
		}
	}
}

func TestText(t *testing.T) {
	for m := SEC; m <= NoWait; m++ {
		b, _ := m.MarshalText()
		var got Mode
		if err := got.UnmarshalText(b); err != nil || got != m {
			t.Errorf("%v: %v, %v", m, got, err)
		}
	}
	var m Mode
	if m.UnmarshalText([]byte("SEC")) == nil {
		t.Error("SEC is taken for a mode")
	}
	if Mode(9).String() != "Mode(9)" {
		t.Error(Mode(9).String())
	}
}

// Sums of times do not overflow where a time.Duration would.
// Ends of one moment come in the order in which the jobs started. Four nodes: job 1 has
// three until minute 2, so job 2 (two nodes, to minute 20 by its estimate) starts then, and
// job 3 (one node, to minute 31) has started at minute 1. Both end at minute 10. Job 4
// needs four nodes, job 5 two for 20 minutes by its estimate.
//
// By the starts, job 3 ends first: two nodes are free, job 4 is to start at minute 20, and
// job 5 would take too long. Then job 2 ends, and job 4 starts. By the jobs' order job 2
// would end first, and job 4 would be to start at minute 31. Then job 5 would start at
// minute 10, and job 4 would wait until minute 25, when job 5 ends.
func TestEndsComeByStart(t *testing.T) {
	jobs := []trace.Job{
		{ID: 1, Submit: at(0), Run: at(2), Estimate: at(2), Nodes: 3},
		{ID: 2, Submit: at(1), Run: at(8), Estimate: at(18), Nodes: 2},
		{ID: 3, Submit: at(1), Run: at(9), Estimate: at(30), Nodes: 1},
		{ID: 4, Submit: at(3), Run: at(5), Estimate: at(5), Nodes: 4},
		{ID: 5, Submit: at(4), Run: at(15), Estimate: at(20), Nodes: 2},
	}
	got := run(t, jobs, Options{Mode: Local, Nodes: 4})
	want := []time.Duration{at(0), at(2), at(1), at(10), at(15)}
	if diff := cmp.Diff(want, got.Starts); diff != "" {
		t.Errorf("starts (-want +got):\n%s", diff)
	}
}

// flood makes n jobs of 2^0 to 2^(sizes−1) nodes and of up to 2 h, submitted
// with a mean gap.
func flood(n, sizes int, gap time.Duration, seed uint64) []trace.Job {
	r := rand.New(rand.NewPCG(seed, 0))
	jobs := make([]trace.Job, n)
	var now time.Duration
	for i := range jobs {
		length := time.Duration(1+r.IntN(7200)) * time.Second
		jobs[i] = trace.Job{ID: int64(i), Submit: now, Run: length, Estimate: length * time.Duration(1+r.IntN(4)), Nodes: 1 << r.IntN(sizes), User: r.IntN(50), Queue: -1}
		now += time.Duration(r.Int64N(int64(2*gap/time.Second)+1)) * time.Second
	}
	return jobs
}
