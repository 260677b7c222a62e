package sim

import (
	"errors"
	"math"
	"strings"
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

// What is just within the limits of an option is taken, and what is just outside is an error
// about that option.
func TestOptionLimits(t *testing.T) {
	for _, c := range []struct {
		field     string
		good, bad func(*Options)
	}{
		{"Mode", func(o *Options) { o.Mode = NoWait }, func(o *Options) { o.Mode = NoWait + 1 }},
		{"Nodes", func(o *Options) { o.Mode, o.Nodes = Local, 1 }, func(o *Options) { o.Mode, o.Nodes = Local, 0 }},
		{"Nodes", func(o *Options) { o.Mode, o.Nodes = Local, math.MaxInt32 }, nil},
		{"Meter", func(o *Options) { o.Meter = pricing.Meter{Minimum: replay.MaxTime, Increment: replay.MaxTime} }, func(o *Options) { o.Meter = pricing.Meter{Minimum: replay.MaxTime + 1} }},
		{"Meter", nil, func(o *Options) { o.Meter = pricing.Meter{Increment: replay.MaxTime + 1} }},
		{"Hourly", func(o *Options) { o.Hourly = 1 }, func(o *Options) { o.Hourly = -1 }},
		{"WaitLimit", func(o *Options) { o.WaitLimit = schedule.AtOnce }, func(o *Options) { o.WaitLimit = schedule.AtOnce - 1 }},
		{"Short", func(o *Options) { o.Short = math.MaxInt64 }, func(o *Options) { o.Short = schedule.AtOnce - 1 }},
		{"ReleaseEvery", func(o *Options) { o.ReleaseEvery = replay.MaxTime }, func(o *Options) { o.ReleaseEvery = replay.MaxTime + 1 }},
		{"ReleaseEvery", func(o *Options) { o.ReleaseEvery = 1 }, func(o *Options) { o.ReleaseEvery = -1 }},
		{"Reformat", func(o *Options) { o.Reformat = replay.MaxTime }, func(o *Options) { o.Reformat = replay.MaxTime + 1 }},
		{"Reformat", func(o *Options) { o.Reformat = 0 }, func(o *Options) { o.Reformat = -1 }},
		{"Expansion", func(o *Options) { o.Expansion = schedule.SumSize }, func(o *Options) { o.Expansion = schedule.SumSize + 1 }},
		{"Placement", func(o *Options) { o.Mode, o.Placement = Individual, placement.Random }, func(o *Options) { o.Placement = placement.Random + 1 }},
		{"Rand", func(o *Options) { o.Mode, o.Nodes, o.Placement = Local, 9, placement.Random }, func(o *Options) { o.Placement = placement.Random }},
		{"Rand", nil, func(o *Options) { o.Mode, o.Placement = NoWait, placement.Random }},
	} {
		resolve := func(set func(*Options)) error {
			var o Options
			if set != nil {
				set(&o)
			}
			_, err := o.withDefaults()
			return err
		}
		if err := resolve(c.good); err != nil {
			t.Errorf("%s: %v", c.field, err)
		}
		var in *inputerr.Error
		if err := resolve(c.bad); c.bad != nil && (!errors.As(err, &in) || in.Field != c.field) {
			t.Errorf("%s: %v", c.field, err)
		}
	}
}

// With a time to format, what is short without it is short with it, up to the longest time.
func TestShortWithReformat(t *testing.T) {
	for _, c := range []struct {
		o    Options
		want time.Duration
	}{
		{Options{}, time.Hour},
		{Options{Reformat: time.Minute}, time.Hour + time.Minute},
		{Options{Short: schedule.AtOnce, Reformat: time.Minute}, time.Minute},
		{Options{Short: 3 * time.Minute, Reformat: replay.MaxTime}, replay.MaxTime},
		{Options{Short: 3 * time.Minute, Reformat: time.Minute, Mode: Local, Nodes: 1}, 3 * time.Minute}, // which formats nothing
	} {
		got, err := c.o.withDefaults()
		if err != nil || got.Short != c.want {
			t.Errorf("short %v with %v to format: %v, %v", c.o.Short, c.o.Reformat, got.Short, err)
		}
	}
}

// The same of jobs.
func TestJobLimits(t *testing.T) {
	good := trace.Job{ID: 5, Submit: 10, Run: 10, Estimate: 10, Nodes: 4}
	for _, c := range []struct {
		field     string
		o         Options
		good, bad func(j *trace.Job)
	}{
		{"Jobs.Nodes", Options{}, func(j *trace.Job) { j.Nodes = 1 }, func(j *trace.Job) { j.Nodes = 0 }},
		{"Jobs.Run", Options{}, func(j *trace.Job) { j.Run = 1 }, func(j *trace.Job) { j.Run = 0 }},
		{"Jobs.Run", Options{}, func(j *trace.Job) { j.Run, j.Estimate = replay.MaxTime, replay.MaxTime }, func(j *trace.Job) { j.Run, j.Estimate = replay.MaxTime+1, replay.MaxTime+1 }},
		{"Jobs.Estimate", Options{}, func(j *trace.Job) { j.Estimate = replay.MaxTime }, func(j *trace.Job) { j.Estimate = replay.MaxTime + 1 }},
		{"Jobs.Estimate", Options{}, nil, func(j *trace.Job) { j.Estimate = 9 }},
		{"Jobs.Submit", Options{}, func(j *trace.Job) { j.Submit = replay.MaxTime }, func(j *trace.Job) { j.Submit = replay.MaxTime + 1 }},
		{"Jobs.Submit", Options{}, func(j *trace.Job) { j.Submit, j.ID = 3, 2 }, func(j *trace.Job) { j.Submit, j.ID = 3, 0 }},
		{"Jobs.Submit", Options{}, nil, func(j *trace.Job) { j.Submit = 2 }},
		{"Jobs.Nodes", Options{}, func(j *trace.Job) { j.Nodes = replay.MaxHeld }, func(j *trace.Job) { j.Nodes = replay.MaxHeld + 1 }},
		{"Jobs.Nodes", Options{Mode: NoWait}, nil, func(j *trace.Job) { j.Nodes = replay.MaxHeld + 1 }},
		{"Jobs.Nodes", Options{Clouds: []Cloud{{Quota: 9}, {Quota: 7}}}, func(j *trace.Job) { j.Nodes = 9 }, func(j *trace.Job) { j.Nodes = 10 }},
		{"Jobs.Nodes", Options{Mode: Local, Nodes: 9}, func(j *trace.Job) { j.Nodes = 9 }, func(j *trace.Job) { j.Nodes = 10 }},
	} {
		try := func(set func(*trace.Job)) error {
			first, j := good, good
			first.Submit, first.ID = 3, 1
			if set != nil {
				set(&j)
			}
			return check([]trace.Job{first, j}, &c.o)
		}
		if err := try(c.good); err != nil {
			t.Errorf("%s: %v", c.field, err)
		}
		var in *inputerr.Error
		if err := try(c.bad); !errors.As(err, &in) || in.Field != c.field || in.Index != 1 {
			t.Errorf("%s: %v", c.field, err)
		}
	}
}

// Where each job has instances of its own: levels by hand. An instance takes 2 min to boot, and
// one whose job ends at the moment of a submission is gone by then.
func TestIndividualLevels(t *testing.T) {
	r := run(t, []trace.Job{job(1, 10, 5, 2), job(2, 15, 2, 1), job(3, 19, 1, 1)}, Options{Mode: Individual, Boot: func(int) time.Duration { return at(2) }})
	want := []Level{{at(10), 2, 0}, {at(12), 2, 2}, {at(15), 3, 2}, {at(17), 1, 1}, {at(19), 1, 0}, {at(21), 1, 1}, {at(22), 0, 0}}
	if diff := cmp.Diff(want, r.Levels); diff != "" {
		t.Errorf("levels (-want +got)\n%s", diff)
	}
	if r.Peak != 3 {
		t.Errorf("peak %d", r.Peak)
	}
}

// A local cluster is paid for from the first submission to the last end.
func TestLocalHours(t *testing.T) {
	r := run(t, []trace.Job{job(1, 7, 60, 2), job(2, 7, 120, 1)}, Options{Mode: Local, Nodes: 5})
	if r.ChargedHours != 10 || r.UsedHours != 4 || r.Utilisation != .4 || r.Makespan != 2*time.Hour {
		t.Errorf("%v of %v hours, %v, in %v; want 4 of 10 in 2 hours", r.UsedHours, r.ChargedHours, r.Utilisation, r.Makespan)
	}
}

// The error of a log that ends too late says how many jobs are left.
func TestErrorsCountTheJobsLeft(t *testing.T) {
	late := []trace.Job{job(1, 0, 60, 1), {ID: 2, Submit: replay.MaxTime, Run: replay.MaxTime, Estimate: replay.MaxTime, Nodes: 1}}
	if _, err := new(Simulator).Run(late, Options{}); err == nil || !strings.Contains(err.Error(), ", 1 jobs before the end") {
		t.Errorf("%v, want that one job is left", err)
	}
}

// A month's bill that overflows is an error, although what comes after would fit again.
func TestMonthlyBillOverflows(t *testing.T) {
	const much = pricing.Money(math.MaxInt64 / 1000)
	const halfAMonth = 24. * 15 * 60
	for _, nodes := range []int{1, 4, 5, 6, 9} {
		var jobs []trace.Job
		for i := range nodes {
			jobs = append(jobs, job(int64(i+1), 0, halfAMonth, 1))
		}
		c := Cloud{Hourly: much, Meter: pricing.GCE2014, Discount: pricing.GCE2014SustainedUse}
		r, err := new(Simulator).Run(jobs, Options{Clouds: []Cloud{c}})
		if fits := nodes < 3; fits != (err == nil) || !fits && !errors.Is(err, pricing.ErrOverflow) {
			t.Errorf("%d instances: %v, %v", nodes, r.Cost, err)
		}
	}
}

// A job that is refused does not start, and the sink hears nothing more.
func TestStreamEndsWithTheError(t *testing.T) {
	for _, bad := range []trace.Job{job(2, 50, 0, 1), job(2, 50, 10, 0), job(2, -50, 10, 1)} {
		started := 0
		seq := func(yield func(trace.Job, error) bool) {
			if yield(job(1, 0, 100, 1), nil) && yield(bad, nil) {
				t.Error("the sequence is asked for more after an error")
			}
		}
		_, err := new(Simulator).Stream(seq, Options{Mode: Individual, Boot: func(int) time.Duration { return 0 }}, func(int, *trace.Job, time.Duration) { started++ }, nil)
		var in *inputerr.Error
		if !errors.As(err, &in) || in.Index != 1 || started != 1 {
			t.Errorf("%d jobs have started, %v", started, err)
		}
	}
}
