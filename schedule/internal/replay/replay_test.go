package replay_test

import (
	"errors"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/inputerr"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule/internal/replay"
	"github.com/plimsoll/plimsoll/schedule/trace"
)

// A job's numbers at their limits, and beyond.
func TestJobLimits(t *testing.T) {
	for _, c := range []struct {
		field     string
		good, bad func(j *trace.Job)
	}{
		{"Jobs.Nodes", func(j *trace.Job) { j.Nodes = 1 }, func(j *trace.Job) { j.Nodes = 0 }},
		{"Jobs.Run", func(j *trace.Job) { j.Run = 1 }, func(j *trace.Job) { j.Run = 0 }},
		{"Jobs.Run", func(j *trace.Job) { j.Run, j.Estimate = replay.MaxTime, replay.MaxTime }, func(j *trace.Job) { j.Run, j.Estimate = replay.MaxTime+1, replay.MaxTime+1 }},
		{"Jobs.Estimate", func(j *trace.Job) { j.Estimate = replay.MaxTime }, func(j *trace.Job) { j.Estimate = replay.MaxTime + 1 }},
		{"Jobs.Estimate", nil, func(j *trace.Job) { j.Estimate = 9 }},
		{"Jobs.Submit", func(j *trace.Job) { j.Submit = replay.MaxTime }, func(j *trace.Job) { j.Submit = replay.MaxTime + 1 }},
		{"Jobs.Submit", func(j *trace.Job) { j.Submit, j.ID = 3, 1 }, func(j *trace.Job) { j.Submit, j.ID = 3, 0 }},
		{"Jobs.Submit", nil, func(j *trace.Job) { j.Submit = 2 }},
	} {
		try := func(set func(*trace.Job)) error {
			j := trace.Job{ID: 5, Submit: 10, Run: 10, Estimate: 10, Nodes: 4}
			first := j
			first.Submit, first.ID = 3, 1
			if set != nil {
				set(&j)
			}
			return replay.CheckSubmission("sim", &first, &j, 1)
		}
		if err := try(c.good); err != nil {
			t.Errorf("%s: %v", c.field, err)
		}
		var in *inputerr.Error
		if err := try(c.bad); !errors.As(err, &in) || in.Field != c.field || in.Index != 1 {
			t.Errorf("%s: %v", c.field, err)
		}
	}
	if first := (trace.Job{Run: 1, Estimate: 1, Nodes: 1}); replay.CheckSubmission("sim", &first, &first, 0) != nil {
		t.Error("no first job at the start")
	}
	if early := (trace.Job{Submit: -1, Run: 1, Estimate: 1, Nodes: 1}); replay.CheckSubmission("sim", &early, &early, 0) == nil {
		t.Error("a first job before the start")
	}
}

// Of one moment ends of jobs come first, then boots, each by index.
func TestOrder(t *testing.T) {
	const most = 1<<56 - 1
	orders := []int64{replay.Order(replay.Finish, 0), replay.Order(replay.Finish, most), replay.Order(replay.Booted, 0), replay.Order(replay.Booted, most)}
	if !slices.IsSorted(orders) {
		t.Errorf("orders %v", orders)
	}
	for i, o := range orders {
		if k, n := replay.KindOf(o), replay.IndexOf(o); k != replay.Kind(i/2) || n != int64(i%2)*most {
			t.Errorf("%d is kind %d, index %d", o, k, n)
		}
	}
}

// Three leases of an hour and a half by the hour are six hours.
func TestCost(t *testing.T) {
	if got, err := replay.Cost(pricing.EC2Hourly, 7, 90*time.Minute, 3); err != nil || got != 42 {
		t.Errorf("%v, %v", got, err)
	}
	for _, n := range []int{1, 5} {
		if _, err := replay.Cost(pricing.EC2Hourly, math.MaxInt64/4, time.Duration(6-n)*time.Hour, n); err == nil {
			t.Errorf("%d leases cost more than Money holds", n)
		}
	}
}
