package preempt

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/allocs"
)

// A user whose jobs run for a tenth of what they ask for is known to; another one's requests
// are right. Both run jobs of all lengths, so that run times alone tell little.
func TestEstimates(t *testing.T) {
	e := Estimates{Prior: -1}
	if factor(&e) != 0 {
		t.Error("a factor of nothing")
	}
	for i := range 60 {
		asked := time.Duration(1+i%6) * time.Hour
		e.Observe(1, asked, asked/10)
		e.Observe(2, asked, asked)
	}
	before := e.Chance(3, hours(10), hours(.5), hours(.6))
	for range 1000 {
		e.Observe(3, 0, time.Hour) // teaches nothing
	}
	if got := e.Chance(3, hours(10), hours(.5), hours(.6)); got != before {
		t.Errorf("jobs without a request change a chance from %v to %v", before, got)
	}
	for _, c := range []struct {
		group                     int
		requested, elapsed, grace float64
		want                      float64
	}{
		{1, 10, .5, .4, 1}, {1, 10, .5, .6, 0}, {1, 1, .05, .06, 0}, {2, 10, .5, .6, 1}, {2, 10, 9.5, .6, 0},
		{2, 10, 10.5, 1, 1}, // longer than any: nothing is known
		{1, 0, 5, 1, 1},     // no request
	} {
		got := e.Chance(c.group, hours(c.requested), hours(c.elapsed), hours(c.grace))
		if got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
	if f := factor(&e); math.Abs(f-1) > .01 { // half have 10, half 1: the upper median of run over request is 1
		t.Errorf("a factor of %v", f)
	}
	for range 200 {
		e.Observe(1, hours(10), hours(10/19.2))
		e.ObserveKilled(1, hours(10), hours(9))
	}
	if f := factor(&e); math.Abs(f-19.2) > .01 {
		t.Errorf("a factor of %v, want 19.2", f)
	}
	jobs := []Job{{Nodes: 1, Requested: hours(10), Elapsed: hours(.5)}, {Nodes: 1, Elapsed: hours(2)}}
	dst := make([]float64, 2)
	if n := allocs.Once(func() { e.OutlastTo(dst, jobs, []int{2, 1}, hours(1)) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
	if dst[0] != e.Chance(2, hours(10), hours(.5), hours(1)) || dst[1] != 1 {
		t.Errorf("chances %v", dst)
	}
	e.Chance(1, 1, math.MaxInt64, math.MaxInt64) // far beyond its request
	e.Observe(1, 1, math.MaxInt64)
	for _, f := range []func(){
		func() { e.Observe(1, -1, 0) }, func() { e.Observe(1, 1, -1) }, func() { e.Chance(1, -1, 0, 0) }, func() { e.Chance(1, 0, -1, 0) }, func() { e.Chance(1, 0, 0, -1) },
	} {
		panics(t, "preempt: negative time", f)
	}
	panics(t, "preempt: chances, jobs and groups of different lengths", func() { e.OutlastTo(dst, jobs, nil, 0) })
}

// Any window can be asked for, and a job that does not exist panics with the package's name.
func TestWindowAndJobBeyond(t *testing.T) {
	for _, window := range []int{math.MaxInt/4 + 1, math.MaxInt/2 + 1, math.MaxInt} {
		s := Survival{Window: window}
		s.Observe(1, time.Hour)
		s.Observe(1, 3*time.Hour)
		if got := s.Chance(2, 0, 2*time.Hour); !(got > 0 && got < 1) { // one of the two jobs outlasted it
			t.Errorf("a window of %d: %v", window, got)
		}
	}
	for _, hit := range []int{-1, 1, math.MinInt, math.MaxInt} {
		func() {
			defer func() {
				if m, _ := recover().(string); !strings.HasPrefix(m, "preempt: ") {
					t.Errorf("job %d: panic %q", hit, m)
				}
			}()
			new(Tally).Add([]Job{{Nodes: 1}}, make([]time.Duration, 1), []int{hit}, 0)
		}()
	}
}

// With no grace period at all every job outlasts it, or ends at once: no time is left out.
func TestNoGrace(t *testing.T) {
	jobs := []Job{{Nodes: 1, Requested: time.Hour, Elapsed: time.Minute}, {Nodes: 1}}
	var got [2]float64
	if RequestedTo(got[:], jobs, 0); got != [2]float64{1, 1} {
		t.Errorf("by request: %v", got)
	}
	var e Estimates
	if c := e.Chance(1, time.Hour, time.Minute, 0); c != 1 {
		t.Errorf("by estimates: %v", c)
	}
	var s Survival
	if c := s.Chance(1, time.Minute, 0); c != 1 {
		t.Errorf("by run times: %v", c)
	}
}

// factor returns by how much the latest jobs overestimated: half of them asked for that many times
// their run time or more. It is 0 if nothing was learnt. Jobs that were killed do not count.
func factor(e *Estimates) float64 {
	w := &e.shares.all
	rank := (len(w.sorted) - w.censors) / 2
	for _, l := range w.sorted {
		if l.killed {
			continue
		}
		if rank == 0 {
			return float64(whole) / float64(max(1, l.ran))
		}
		rank--
	}
	return 0
}
