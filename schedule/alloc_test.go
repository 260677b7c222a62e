package schedule

import (
	"slices"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/allocs"
)

// A warm scheduler allocates nothing, whatever happens: jobs start and end, nodes
// come and go, jobs are taken out and started out of turn, with queues of up
// to 10,000, 300 for Conservative. Each case is run to warm up and then the same
// once more from a Reset on, one step measured at a time.
func TestSchedulersAllocateNothing(t *testing.T) {
	for _, c := range []struct {
		kind    string
		waiting int
	}{
		{"easy", 50}, {"easy", 10_000}, {"fcfs", 50}, {"fcfs", 10_000}, {"conservative", 50}, {"conservative", 300},
	} {
		for name, order := range map[string]priority{"submit": nil, "shortest": ShortestFirst} {
			s := newScheduler(c.kind, order)
			list := make([]Job, 0, 2*c.waiting+1000)
			f := &flow{}
			var running, started []Allocation
			begin := func() {
				f = newFlow(s, 200, c.waiting)
				f.running, f.started = running[:0], started[:0]
			}
			one := func() {
				f.step()
				if _, at, ok := s.Top(f.now); ok && at < f.now {
					t.Fatal("the top job starts before now")
				}
				switch f.rnd.IntN(6) {
				case 0:
					s.AddNodes(3, f.now+time.Minute)
				case 1:
					s.RemoveNodes(min(2, s.Free()), f.now)
				case 2:
					list = s.AppendWaiting(list[:0])
					s.Take(list[f.rnd.IntN(len(list))])
				case 3:
					if n := s.Free(); n > 0 {
						f.id++
						f.running = append(f.running, s.Start(Job{ID: f.id, Submit: f.now, Estimate: time.Hour, Nodes: n}, f.now))
					}
				case 4:
					s.FirstWithin(time.Minute)
				}
			}
			steps := 60
			run := func(measure bool) {
				begin()
				running, started = slices.Grow(f.running, 1000), slices.Grow(f.started, 1000)
				f.running, f.started = running, started
				for i := range steps {
					if !measure {
						one()
					} else if n := allocs.Once(func() { one() }); n != 0 {
						t.Errorf("%s, %s, %d jobs: %v allocations at step %d", c.kind, name, c.waiting, n, i)
						return
					}
				}
			}
			// AllocsPerRun takes every step twice.
			steps *= 2
			run(false)
			run(false)
			steps /= 2
			run(true)
		}
	}
}

func TestJamAllocatesNothing(t *testing.T) {
	for _, kind := range []string{"easy", "conservative"} {
		m := newJam(t, newScheduler(kind, nil), 2000, false)
		m.cycle(t)
		for range 20 {
			if n := allocs.Once(func() { m.cycle(t) }); n != 0 {
				t.Errorf("%s: %v allocations", kind, n)
			}
		}
	}
}

// Two thousand jobs of one node that run at once, so that the profile and the
// plan have many blocks, which come and go.
func TestManyRunningAllocateNothing(t *testing.T) {
	for _, kind := range kinds {
		s := newScheduler(kind, nil)
		var started []Allocation
		now, id := time.Duration(0), int64(0)
		wave := func() {
			for range 2000 {
				id++
				s.Submit(Job{ID: id, Submit: now, Estimate: time.Hour + time.Duration(id*7919%2000), Nodes: 1})
			}
			if started = s.AppendStarts(started[:0], now); len(started) != 2000 {
				t.Fatalf("%s: %d jobs started", kind, len(started))
			}
			now += time.Minute
			for i := range started {
				s.Finish(started[i*7907%2000], now)
			}
		}
		s.Reset(2000)
		wave()
		wave()
		if n := allocs.Once(wave); n != 0 {
			t.Errorf("%s: %v allocations", kind, n)
		}
	}
}

func TestExpansionAllocatesNothing(t *testing.T) {
	jobs := []Job{{Nodes: 1, Estimate: time.Minute}, {Nodes: 8, Estimate: time.Hour}}
	if n := allocs.Once(func() { BestSize.nodes(newBacklog(jobs, time.Minute)) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
