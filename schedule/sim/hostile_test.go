package sim

import (
	"errors"
	"github.com/plimsoll/plimsoll/internal/inputerr"
	"github.com/plimsoll/plimsoll/schedule/internal/replay"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/schedule/trace"
)

// A local cluster whose node-hours no number holds is refused.
func TestHugeLocalCluster(t *testing.T) {
	if math.MaxInt == math.MaxInt32 {
		t.Skip("an int of 32 bits holds no such size")
	}
	n := int64(1) << 52
	for _, nodes := range []int{int(n), int(n << 8)} {
		var s Simulator
		if _, err := s.Run(nil, Options{Mode: Local, Nodes: nodes}); !errors.Is(err, ErrTooLarge) {
			t.Errorf("%d nodes: %v", nodes, err)
		}
	}
}

// Memory goes by the instances that are held at once, however long the log is: two idle
// spans become one when those between them come free, again and again.
func TestSpansAreUsedAgain(t *testing.T) {
	var jobs []trace.Job
	for k := range 1000 {
		for i, run := range []time.Duration{10, 30, 20} {
			run *= time.Minute // the second comes free last, between the others
			jobs = append(jobs, trace.Job{ID: int64(3*k + i), Submit: time.Duration(k) * 2 * time.Hour, Run: run, Estimate: run, Nodes: 2})
		}
	}
	var s Simulator
	if _, err := s.Run(jobs, Options{Mode: NoWait}); err != nil {
		t.Fatal(err)
	}
	if n := len(s.spans); n > 30 {
		t.Errorf("%d spans for 6 instances at once", n)
	}
}

// Nothing is leased in a run that fails: each instance may need a record.
func TestNothingIsLeasedBeyondTheLimits(t *testing.T) {
	job := trace.Job{ID: 1, Run: time.Hour, Estimate: time.Hour, Nodes: replay.MaxHeld}
	for name, cloud := range map[string]Cloud{
		"too many instances": {},
		"a boot time":        {Boot: func(int) time.Duration { return -1 }},
	} {
		var s Simulator
		jobs, mode := []trace.Job{job}, SEC
		if name == "too many instances" {
			jobs, mode = append(jobs, job), NoWait
		}
		var in *inputerr.Error
		if _, err := s.Run(jobs, Options{Mode: mode, Clouds: []Cloud{cloud}}); !errors.As(err, &in) {
			t.Errorf("%s: error %v", name, err)
		}
		if s.ids > replay.MaxHeld || name != "too many instances" && s.ids > 0 {
			t.Errorf("%s: %d instances leased", name, s.ids)
		}
	}
}

// What is free again is used again, the first of all, too: there are never more slots and spans than
// jobs and spans at once.
func TestTheFirstSlotIsUsedAgain(t *testing.T) {
	var r roster
	r.reset()
	p := pool{freeSpan: -1}
	for range 5 {
		a, b := r.enter(&trace.Job{}), r.enter(&trace.Job{})
		r.leave(b)
		r.leave(a)
		x, y := p.newSpan(), p.newSpan()
		p.dropSpan(y)
		p.dropSpan(x)
	}
	if len(r.live) != 2 || len(p.spans) != 2 {
		t.Errorf("%d slots for two jobs, %d spans for two", len(r.live), len(p.spans))
	}
}

// A curve in slots that are too short panics before memory is taken, and one in slots that
// are longer than anything has one slot, whatever the clock holds.
func TestDemandInSlotsOfAnyLength(t *testing.T) {
	r := Result{Levels: []Level{{At: 0, Held: 2}, {At: time.Hour, Held: 0}, {At: math.MaxInt64 - 1, Held: 3}, {At: math.MaxInt64}}}
	if got := r.AppendDemand([]int{9}, math.MaxInt64); len(got) != 2 || got[1] != 3 {
		t.Errorf("one slot: %v, want 9 3", got)
	}
	if got := r.AppendDemand(nil, math.MaxInt64/2+1); len(got) != 2 || got[0] != 2 || got[1] != 3 {
		t.Errorf("two slots: %v, want 2 3", got)
	}
	for _, slot := range []time.Duration{1, math.MaxInt64 / maxSlots} {
		func() {
			defer func() {
				if m, _ := recover().(string); !strings.HasPrefix(m, "sim: ") {
					t.Errorf("slots of %v: panic %q", slot, m)
				}
			}()
			r.AppendDemand(nil, slot)
		}()
	}
}
