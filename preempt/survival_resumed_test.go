package preempt

import (
	"math/rand/v2"
	"testing"
	"time"
)

// A job that went on from a save has run for both spans together.
func TestOutlastCountsBothRuns(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 41))
	var s Survival
	for range 300 {
		s.Observe(rng.IntN(3), time.Duration(rng.ExpFloat64()*float64(3*time.Hour)))
	}
	distinct := 0
	for range 200 {
		elapsed, resumed, group := time.Duration(rng.IntN(300))*time.Minute, time.Duration(rng.IntN(300))*time.Minute, rng.IntN(4)
		jobs := []Job{{Nodes: 1, Elapsed: elapsed, Checkpoint: &Checkpoint{Resumed: resumed}}}
		var got [1]float64
		s.OutlastTo(got[:], jobs, []int{group}, time.Hour)
		if want := s.Chance(group, elapsed+resumed, time.Hour); got[0] != want {
			t.Fatalf("%v after %v: %v, want %v", elapsed, resumed, got[0], want)
		}
		if got[0] != s.Chance(group, elapsed, time.Hour) {
			distinct++
		}
	}
	if distinct < 100 {
		t.Errorf("resumed time matters in %d cases only", distinct)
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
