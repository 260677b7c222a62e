package workload

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/inputerr"
	"github.com/plimsoll/plimsoll/schedule/trace"
)

func TestRoundUp(t *testing.T) {
	const m, h = time.Minute, time.Hour
	for _, c := range []struct {
		run    time.Duration
		factor float64
		want   time.Duration
	}{
		{time.Second, 1, m},
		{m, 1, m},
		{m + 1, 1, 2 * m},
		{m, 2.1, 5 * m},
		{10 * m, 1.4, 15 * m},
		{45 * m, 1.01, h},
		{18 * h, 1, 18 * h},
		{18 * h, 1.5, 36 * h},     // 27 hours
		{20 * h, 5, 48 * h},       // 100 hours, but 48 is what one may ask for
		{48 * h, 3, 48 * h},       // at the limit
		{48*h + 1, 1, 72 * h},     // longer than the limit: whole days
		{49 * h, 10, 72 * h},      // the factor does not count above the limit
		{72 * h, 1, 72 * h},       // a whole day stays
		{time.Nanosecond, 1e6, m}, // 1 ms
	} {
		if got := roundUp(c.run, float64(c.run)*c.factor); got != c.want {
			t.Errorf("run time %v times %g: estimate %v, want %v", c.run, c.factor, got, c.want)
		}
	}
}

// The estimates of the published jobs are about as bad as those of real logs,
// whose mean accuracies are 0.31 to 0.47. Seeds 1 and 2.
func TestDefaultFactor(t *testing.T) {
	for _, c := range []struct {
		o    Options
		want float64
	}{{Options{}, .31}, {Options{Typeless: true}, .44}} {
		jobs, err := AppendLublin(nil, newRand(1), 100_000, c.o)
		if err != nil {
			t.Fatal(err)
		}
		if err := EstimatesTo(jobs, jobs, newRand(2), DefaultFactor); err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		for _, j := range jobs {
			sum += float64(j.Run) / float64(j.Estimate)
		}
		if got := sum / float64(len(jobs)); got < c.want-.01 || got > c.want+.01 {
			t.Errorf("mean accuracy %.3f, want %.2f", got, c.want)
		}
	}
}

func TestEstimatesErrors(t *testing.T) {
	for _, run := range []time.Duration{0, -time.Second, maxEstimated + 1} {
		jobs := []trace.Job{{ID: 1, Run: time.Minute}, {ID: 2, Run: run}, {ID: 3, Run: time.Minute}}
		dst := make([]trace.Job, 3)
		err := EstimatesTo(dst, jobs, newRand(1), 0)
		var in *inputerr.Error
		if !errors.As(err, &in) || !errors.Is(err, ErrRange) || in.Field != "jobs" || in.Index != 1 {
			t.Errorf("run time %v: error %v, want one at jobs[1]", run, err)
		}
		want := []trace.Job{{ID: 1, Run: time.Minute, Estimate: time.Minute}, {}, {}}
		if diff := cmp.Diff(want, dst); diff != "" {
			t.Errorf("run time %v (-want +got):\n%s", run, diff)
		}
	}
	jobs := []trace.Job{{Run: maxEstimated}}
	if err := EstimatesTo(jobs, jobs, newRand(1), 1e6); err != nil || jobs[0].Estimate < jobs[0].Run {
		t.Errorf("longest run time: estimate %v, error %v", jobs[0].Estimate, err)
	}
}
