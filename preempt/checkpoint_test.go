package preempt

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// What a node of a job loses, and when the job is asked to save. The expected values are
// by hand: a job that ran for an hour and saved 10 minutes ago, or as told.
func TestCheckpoint(t *testing.T) {
	const hour, minute = time.Hour, time.Minute
	saved := 50 * minute
	for _, c := range []struct {
		name       string
		checkpoint *Checkpoint
		grace      time.Duration
		lost       time.Duration
		ask        time.Duration // -1: it is not asked
	}{
		{"does not save", nil, 2 * minute, 62 * minute, -1},
		{"saved", &Checkpoint{Saved: saved}, 2 * minute, 12 * minute, -1},
		{"has never saved", &Checkpoint{}, 2 * minute, 62 * minute, -1},
		{"saved just now", &Checkpoint{Saved: hour}, 2 * minute, 2 * minute, -1},
		{"saves too late by itself", &Checkpoint{Saved: saved, Every: 13 * minute}, 2 * minute, 12 * minute, -1},
		{"saves in time by itself", &Checkpoint{Saved: saved, Every: 11 * minute}, 2 * minute, minute, -1},
		{"saves at the very end", &Checkpoint{Saved: saved, Every: 12 * minute}, 2 * minute, 0, -1},
		{"saves several times", &Checkpoint{Saved: saved, Every: 11 * minute}, 30 * minute, 7 * minute, -1},
		{"has missed its save", &Checkpoint{Saved: saved, Every: 10 * minute}, 30 * minute, 40 * minute, -1},
		{"on request", &Checkpoint{Saved: saved, Cost: 90 * time.Second, OnRequest: true}, 2 * minute, 90 * time.Second, 30 * time.Second},
		{"on request, just in time", &Checkpoint{Cost: 2 * minute, OnRequest: true}, 2 * minute, 2 * minute, 0},
		{"on request, too slow", &Checkpoint{Saved: saved, Cost: 3 * minute, OnRequest: true}, 2 * minute, 12 * minute, -1},
		{"on request, and sooner by itself", &Checkpoint{Saved: saved, Every: 12 * minute, Cost: minute, OnRequest: true}, 2 * minute, 0, -1},
		{"on request, no better", &Checkpoint{Saved: hour, Cost: 2 * minute, OnRequest: true}, 2 * minute, 2 * minute, -1},
		{"not on request", &Checkpoint{Saved: saved, Cost: minute}, 2 * minute, 12 * minute, -1},
		{"resumed", &Checkpoint{Resumed: 5 * hour}, 2 * minute, 62 * minute, -1},
	} {
		j := Job{Nodes: 3, Elapsed: hour, Checkpoint: c.checkpoint}
		if got, want := WastedCycles(j, hour, c.grace), NodeTimeOf(c.lost, 3); got != want {
			t.Errorf("%s: loses %v, want %v", c.name, got, want)
		}
		if got := WastedCycles(j, c.grace-1, c.grace); got != (NodeTime{}) {
			t.Errorf("%s: ends in time and loses %v", c.name, got)
		}
		after, ask := j.AskAfter(c.grace)
		if !ask {
			after = -1
		}
		if after != c.ask {
			t.Errorf("%s: is asked after %v, want %v", c.name, after, c.ask)
		}
	}
	// The greatest times fit: 2·(2⁶³−1) ns, in whole seconds.
	j := Job{Nodes: 1, Elapsed: math.MaxInt64}
	if got, want := WastedCycles(j, math.MaxInt64, math.MaxInt64), (NodeTime{18446744073, 709551614}); got != want {
		t.Errorf("the longest job loses %v, want %v", got, want)
	}
	panics(t, "preempt: negative time", func() { j.AskAfter(-1) })
	panics(t, "preempt: checkpoint out of range", func() { WastedCycles(Job{Nodes: 1, Checkpoint: &Checkpoint{Saved: 1}}, 0, 0) })
}

func TestCheckpointErrors(t *testing.T) {
	for field, c := range map[string]*Checkpoint{
		"Jobs.Checkpoint.Saved":   {Saved: 4},
		"Jobs.Checkpoint.Every":   {Every: -1},
		"Jobs.Checkpoint.Cost":    {Every: 2, Cost: 3},
		"Jobs.Checkpoint.Resumed": {Resumed: -1},
	} {
		st := on(1, Job{Nodes: 1, Elapsed: 9}, Job{Nodes: 1, Elapsed: 3, Checkpoint: c})
		_, err := new(Solver).AppendVictims(nil, st, Preemption{Take: 2})
		wantError(t, err, ErrRange, field, 1)
		values := []float64{7, 7, 7}
		wantError(t, new(Scorer).ValuesTo(values, st, FIFO, ValueOptions{}), ErrRange, field, 1)
		if values[0] != 7 {
			t.Error("values were changed")
		}
	}
	for _, c := range []Checkpoint{{Saved: -1}, {Cost: -1}} {
		st := on(0, Job{Nodes: 1, Elapsed: 3, Checkpoint: &c})
		if _, err := new(Solver).AppendGreedy(nil, st, Preemption{Take: 1}); err == nil {
			t.Errorf("%+v is taken", c)
		}
	}
	wantError(t, new(Scorer).ValuesTo(nil, State{}, LIFO, ValueOptions{Grace: -1}), ErrRange, "Grace", -1)
}

// Values count what would be lost now: 30 minutes since a save, or one save of 5 minutes
// where the grace period has room for it. FIFO goes by the start alone.
func TestCheckpointValues(t *testing.T) {
	st := on(1, Job{Nodes: 1, Elapsed: hours(1)}, Job{Nodes: 1, Elapsed: hours(2), Checkpoint: &Checkpoint{
		Saved: hours(1.5), Cost: 5 * time.Minute, OnRequest: true}})
	for _, c := range []struct {
		policy Policy
		grace  time.Duration
		want   []float64
	}{
		{FIFO, 0, []float64{0, 1, 0}},
		{LIFO, 0, []float64{0, 1, .5}},
		{LIFO, 5 * time.Minute, []float64{0, 1, 1. / 12}},
		{PAP, 4 * time.Minute, []float64{0, 1, .5}},
		{PAPPlus, 6 * time.Minute, []float64{0, 1, 1. / 12}},
	} {
		got := make([]float64, 3)
		if err := new(Scorer).ValuesTo(got, st, c.policy, ValueOptions{Grace: c.grace}); err != nil {
			t.Fatal(err)
		}
		for i := range got {
			if math.Abs(got[i]-c.want[i]) > 1e-9 {
				t.Errorf("%v, grace %v: %v, want %v", c.policy, c.grace, got, c.want)
				break
			}
		}
	}
}

// A host that is told nothing takes busy nodes as often as idle ones.
func TestBlind(t *testing.T) {
	st := on(2, Job{Nodes: 2, Elapsed: hours(1)})
	rng := rand.New(rand.NewPCG(3, 4))
	var s Scorer
	values := make([]float64, 4)
	hit := 0
	for range 6000 {
		if err := s.ValuesTo(values, st, Blind, ValueOptions{Rand: rng}); err != nil {
			t.Fatal(err)
		}
		taken, err := s.AppendLowest(nil, values, 1)
		if err != nil {
			t.Fatal(err)
		}
		if st.Node[taken[0]] != Idle {
			hit++
		}
	}
	if hit < 2800 || hit > 3200 { // 3,000 ± 5 standard deviations of 39
		t.Errorf("a node with a job is taken %d times of 6000, want about half", hit)
	}
}

// A job that went on from a save has run for longer than its start tells.
func TestResumedSurvival(t *testing.T) {
	var s Survival
	for range 50 {
		s.Observe(1, hours(2))
		s.Observe(1, hours(10))
	}
	jobs := []Job{{Nodes: 1, Elapsed: hours(1)}, {Nodes: 1, Elapsed: hours(1), Checkpoint: &Checkpoint{Resumed: hours(4)}}}
	got, want := make([]float64, 2), []float64{s.Chance(1, hours(1), hours(2)), s.Chance(1, hours(5), hours(2))}
	s.OutlastTo(got, jobs, []int{1, 1}, hours(2))
	if diff := cmp.Diff(want, got); diff != "" || got[0] > .6 || got[1] < .9 {
		t.Errorf("chances %v: %s", got, diff)
	}
	jobs[1].Checkpoint.Resumed = math.MaxInt64 // the sum ends at the longest time
	s.OutlastTo(got, jobs, []int{1, 1}, hours(2))
	jobs[1].Checkpoint.Resumed = -1
	panics(t, "preempt: negative time", func() { s.OutlastTo(got, jobs, []int{1, 1}, 0) })
}
