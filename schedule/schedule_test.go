package schedule

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func mustPanic(t *testing.T, want string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if got := recover(); got != want {
			t.Errorf("panic %v, want %q", got, want)
		}
	}()
	f()
}

func TestMisusePanics(t *testing.T) {
	ok := Job{ID: 1, Estimate: time.Hour, Nodes: 2}
	for _, kind := range kinds {
		s := newScheduler(kind, nil)
		s.Reset(4)
		mustPanic(t, "schedule: negative number of nodes", func() { s.Reset(-1) })
		mustPanic(t, "schedule: negative number of nodes", func() { s.AddNodes(-1, 0) })
		mustPanic(t, "schedule: removal of nodes that are not free", func() { s.RemoveNodes(5, 0) })
		mustPanic(t, "schedule: removal of nodes that are not free", func() { s.RemoveNodes(-1, 0) })
		mustPanic(t, "schedule: job without nodes", func() { s.Submit(Job{Estimate: 1}) })
		mustPanic(t, "schedule: job without an estimate", func() { s.Submit(Job{Nodes: 1}) })
		mustPanic(t, "schedule: job submitted before time 0", func() { s.Submit(Job{Nodes: 1, Estimate: 1, Submit: -1}) })
		mustPanic(t, "schedule: job without nodes", func() { s.Start(Job{Estimate: 1, Nodes: -1}, 0) })
		mustPanic(t, "schedule: start of a job that does not fit", func() { s.Start(Job{Estimate: 1, Nodes: 5}, 0) })
		mustPanic(t, "schedule: finish of a job that does not run", func() { s.Finish(Allocation{ok, 0}, time.Minute) })
		a := s.Start(ok, 0)
		s.Finish(a, time.Minute)
		mustPanic(t, "schedule: finish of a job that does not run", func() { s.Finish(a, time.Minute) })
		// What panicked left the cluster as it was.
		if got := fmt.Sprint(waiting(s), s.Nodes(), s.Free()); got != "[0 0] 4 4" {
			t.Errorf("%s: %s after misuse", kind, got)
		}
		bad := newScheduler(kind, func(Job) float64 { return math.NaN() })
		mustPanic(t, "schedule: priority is not a number", func() { bad.Submit(ok) })
	}
	mustPanic(t, "schedule: unknown expansion", func() { Expansion(3).nodes(backlog{}) })
	mustPanic(t, "schedule: release checks need a positive period", func() { (&Autoscaler{ReleaseEvery: -1}).NextCheck(1, 0) })
}

// The zero value is an empty cluster without nodes; one that is given nodes
// works as after Reset.
func TestZeroValue(t *testing.T) {
	for _, kind := range kinds {
		s := newScheduler(kind, nil)
		if _, _, ok := s.Top(0); ok || s.Take(Job{ID: 1}) || s.Nodes() != 0 || s.Free() != 0 || len(s.AppendStarts(nil, 0)) != 0 {
			t.Errorf("%s: the zero value is not an empty cluster", kind)
		}
		s = newScheduler(kind, nil)
		s.Submit(Job{ID: 1, Estimate: time.Hour, Nodes: 2})
		if j, at, ok := s.Top(0); !ok || j.ID != 1 || at != Never {
			t.Errorf("%s: top %v at %v", kind, j, at)
		}
		s.AddNodes(2, time.Minute)
		if _, at, _ := s.Top(0); at != time.Minute {
			t.Errorf("%s: the top job starts at %v, want a minute", kind, at)
		}
		if got := s.AppendStarts(nil, time.Minute); len(got) != 1 || got[0].Start != time.Minute {
			t.Errorf("%s: started %v", kind, got)
		}
	}
}

// Nodes that a waiting job has reserved for later do not run it now: a job that does not fit cannot start
// out of turn.
func TestStartBesideReservations(t *testing.T) {
	for _, kind := range kinds {
		s := newScheduler(kind, nil)
		s.Reset(4)
		s.Start(Job{ID: 1, Estimate: time.Hour, Nodes: 3}, 0)
		s.Submit(Job{ID: 2, Estimate: time.Hour, Nodes: 4})
		if got := s.AppendStarts(nil, 0); len(got) != 0 {
			t.Fatalf("%s: started %v", kind, got)
		}
		mustPanic(t, "schedule: start of a job that does not fit", func() { s.Start(Job{ID: 3, Estimate: time.Hour, Nodes: 2}, 0) })
		if a := s.Start(Job{ID: 4, Estimate: time.Hour, Nodes: 1}, 0); a.Start != 0 {
			t.Errorf("%s: %+v", kind, a)
		}
	}
}

// A scheduler that is reset while jobs wait knows nothing of them.
func TestResetForgetsWaiting(t *testing.T) {
	for _, kind := range kinds {
		s := newScheduler(kind, nil)
		s.Reset(1)
		for id := range int64(70) {
			s.Submit(Job{ID: id, Estimate: time.Hour, Nodes: 2})
		}
		s.Reset(4)
		s.Submit(Job{ID: 100, Estimate: time.Hour, Nodes: 3})
		s.Submit(Job{ID: 101, Estimate: time.Hour, Nodes: 3})
		got := s.AppendStarts(nil, 0)
		if waiting := s.AppendWaiting(nil); len(got) != 1 || got[0].ID != 100 || len(waiting) != 1 || waiting[0].ID != 101 {
			t.Errorf("%s: started %v, waiting %v: want 100, and 101", kind, got, waiting)
		}
	}
}

// A job that starts out of turn has the nodes that have come since anybody asked, and those can be
// taken away again.
func TestStartOnNodesThatCame(t *testing.T) {
	for _, kind := range kinds {
		s := newScheduler(kind, nil)
		s.AddNodes(3, time.Minute)
		a := s.Start(Job{ID: 1, Estimate: time.Hour, Nodes: 2}, 2*time.Minute)
		if a.Start != 2*time.Minute || s.Free() != 1 {
			t.Errorf("%s: %+v, %d free, want a start at two minutes and 1 free", kind, a, s.Free())
		}
		s = newScheduler(kind, nil)
		s.AddNodes(3, time.Minute)
		if s.RemoveNodes(3, time.Minute); s.Nodes() != 0 || s.Free() != 0 {
			t.Errorf("%s: %d nodes, %d free after all are gone", kind, s.Nodes(), s.Free())
		}
	}
}

// A pass of EASY leaves no work for the next: it returns at once until something has happened.
func TestPassIsDone(t *testing.T) {
	for _, reservations := range []int{0, 3} {
		s := EASY{Reservations: reservations}
		s.Reset(4)
		s.Start(Job{ID: 1, Estimate: time.Hour, Nodes: 2}, 0)
		for id := range int64(5) {
			s.Submit(Job{ID: 2 + id, Estimate: 2 * time.Hour, Nodes: 3})
			if got := s.AppendStarts(nil, 0); len(got) != 0 || s.changed || s.isNew {
				t.Errorf("with %d reservations, %d jobs wait: started %v, changed %v, new %v", reservations, id+1, got, s.changed, s.isNew)
			}
		}
	}
}

// Two jobs that arrive before the scheduler is asked, the second of which goes
// to the top: its shadow time counts, not that of the former top job. By hand:
// of 10 nodes 8 run until 10 and, of these, 4 until 5. Job 3, of 6 nodes, would
// start at 5; job 5 comes before it and needs 10, at 10. So job 4, of 1 node and
// 8 long, may start.
func TestTwoArrivalsBeforeAPass(t *testing.T) {
	s := &EASY{Order: func(j Job) float64 { return float64(j.User) }}
	s.Reset(10)
	s.Submit(Job{ID: 1, Estimate: 10, Nodes: 4})
	s.Submit(Job{ID: 2, Estimate: 5, Nodes: 4})
	s.AppendStarts(nil, 0)
	s.Submit(Job{ID: 3, Estimate: 1, Nodes: 6})
	s.AppendStarts(nil, 0)
	if _, at, _ := s.Top(0); at != 5 {
		t.Fatalf("job 3 starts at %d, want 5", at)
	}
	s.Submit(Job{ID: 4, Estimate: 8, Nodes: 1})
	s.Submit(Job{ID: 5, User: 1, Estimate: 1, Nodes: 10})
	want := []Allocation{{Job{ID: 4, Estimate: 8, Nodes: 1}, 0}}
	if diff := cmp.Diff(want, s.AppendStarts(nil, 0)); diff != "" {
		t.Error(diff)
	}
	if j, at, _ := s.Top(0); j.ID != 5 || at != 10 {
		t.Errorf("job %d starts at %d, want job 5 at 10", j.ID, at)
	}
}

// Estimates at the end of the range: the job ends Never, and what waits for its
// nodes has no start.
func TestNeverEnds(t *testing.T) {
	for _, kind := range kinds {
		s := newScheduler(kind, nil)
		s.Reset(4)
		now := time.Hour
		s.Submit(Job{ID: 1, Submit: now, Estimate: Never, Nodes: 3})
		s.Submit(Job{ID: 2, Submit: now, Estimate: Never - 1, Nodes: 4})
		started := s.AppendStarts(nil, now)
		if len(started) != 1 || started[0].End() != Never {
			t.Fatalf("%s: started %v", kind, started)
		}
		if j, at, _ := s.Top(now); j.ID != 2 || at != Never {
			t.Errorf("%s: job %d at %v", kind, j.ID, at)
		}
		s.Finish(started[0], now+1)
		if got := s.AppendStarts(nil, now+1); len(got) != 1 || got[0].ID != 2 {
			t.Errorf("%s: started %v", kind, got)
		}
	}
	if got := (Allocation{Job{Estimate: Never}, -time.Hour}).End(); got != Never-time.Hour {
		t.Errorf("End = %v", got)
	}
}

// waiting returns the jobs that wait and their nodes.
func waiting(s Scheduler) [2]int {
	jobs, nodes := s.Waiting()
	return [2]int{jobs, nodes}
}
