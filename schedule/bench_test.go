package schedule

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

// A jam is an overloaded cluster in its stationary state. 100 of 128 nodes are
// held for 10 hours, and the top job needs them all. None of the jobs behind it
// can be backfilled: they are wide (64 to 128 nodes), or narrow (1 to 16) and
// too long. Meanwhile short jobs come, are backfilled and go, and at each end
// the whole queue must be ruled out.
type jam struct {
	s       Scheduler
	rnd     *rand.Rand
	now     time.Duration
	id      int64
	started []Allocation
}

func newJam(tb testing.TB, s Scheduler, waiting int, near bool) *jam {
	m := &jam{s: s, rnd: rand.New(rand.NewPCG(1, uint64(waiting)))}
	s.Reset(128)
	m.id++
	m.started = s.AppendStarts(m.started, 0)
	s.Start(Job{ID: 1, Estimate: 10 * time.Hour, Nodes: 100}, 0)
	m.submit(128, time.Hour)
	for range waiting - 1 {
		switch n := m.rnd.IntN(2); {
		case near: // in the same class of sizes as what is free, and short
			m.submit(29+m.rnd.IntN(3), time.Hour)
		case n == 0:
			m.submit(64+m.rnd.IntN(65), hours(m.rnd, 1, 10))
		default:
			m.submit(1+m.rnd.IntN(16), hours(m.rnd, 20, 100))
		}
	}
	if m.started = s.AppendStarts(m.started[:0], 0); len(m.started) > 0 {
		tb.Fatalf("%d jobs started", len(m.started))
	}
	return m
}

func hours(rnd *rand.Rand, lo, hi int) time.Duration {
	return time.Duration(lo)*time.Hour + time.Duration(rnd.Int64N(int64(hi-lo)*int64(time.Hour)))
}

func (m *jam) submit(nodes int, estimate time.Duration) {
	m.id++
	m.s.Submit(Job{ID: m.id, Submit: m.now, Estimate: estimate, Nodes: nodes})
}

// cycle is a short job's two events.
func (m *jam) cycle(tb testing.TB) {
	m.now++
	m.submit(1+m.rnd.IntN(8), hours(m.rnd, 0, 1)+time.Minute)
	m.started = m.s.AppendStarts(m.started[:0], m.now)
	if len(m.started) != 1 {
		tb.Fatalf("%d jobs started, want the short one", len(m.started))
	}
	m.now++
	m.s.Finish(m.started[0], m.now)
	if m.started = m.s.AppendStarts(m.started[:0], m.now); len(m.started) != 0 {
		tb.Fatalf("%d jobs started, want none", len(m.started))
	}
}

func perSecond(b *testing.B, events int) {
	b.ReportMetric(float64(events)*float64(b.N)/b.Elapsed().Seconds(), "events/s")
}

// BenchmarkAppendStarts: the cost of an event in a jam. In the case "near" all
// waiting jobs are a little too large for what is free, so that the bounds of
// the queue's blocks rule nothing out.
func BenchmarkAppendStarts(b *testing.B) {
	for _, c := range []struct {
		alg     string
		near    bool
		waiting []int
	}{
		{"easy", false, []int{100, 1000, 10_000, 100_000}},
		{"easy", true, []int{100, 1000, 10_000, 100_000}},
		{"conservative", false, []int{100, 1000, 10_000}},
	} {
		alg := c.alg
		if c.near {
			alg += "-near"
		}
		for _, waiting := range c.waiting {
			b.Run(fmt.Sprintf("alg=%s/waiting=%d", alg, waiting), func(b *testing.B) {
				m := newJam(b, newScheduler(c.alg, nil), waiting, c.near)
				for b.Loop() {
					m.cycle(b)
				}
				perSecond(b, 2)
			})
		}
	}
}

// A flow is a cluster in which jobs of all sizes start and end early, with as
// many waiting as at the beginning.
type flow struct {
	jam
	running []Allocation
	nodes   int
}

func newFlow(s Scheduler, nodes, waiting int) *flow {
	f := &flow{jam: jam{s: s, rnd: rand.New(rand.NewPCG(2, uint64(waiting)))}, nodes: nodes}
	s.Reset(nodes)
	for range waiting {
		f.arrive()
	}
	return f
}

func (f *flow) arrive() {
	f.submit(1+f.rnd.IntN(1+f.rnd.IntN(f.nodes)), hours(f.rnd, 0, 1+f.rnd.IntN(20))+1)
}

// step ends a job, and lets as many arrive as start.
func (f *flow) step() (events int) {
	f.now += time.Second
	for i := len(f.running) - 1; i >= 0; i-- { // who reached the limit
		if f.running[i].End() <= f.now {
			f.end(i)
			events++
		}
	}
	if len(f.running) > 0 {
		f.end(f.rnd.IntN(len(f.running)))
		events++
	}
	f.started = f.s.AppendStarts(f.started[:0], f.now)
	for todo := len(f.started); ; {
		f.running = append(f.running, f.started...)
		if todo == 0 {
			return events
		}
		todo--
		f.arrive()
		events++
		f.started = f.s.AppendStarts(f.started[:0], f.now)
		todo += len(f.started)
	}
}

func (f *flow) end(i int) {
	f.s.Finish(f.running[i], f.now)
	last := len(f.running) - 1
	f.running[i] = f.running[last]
	f.running = f.running[:last]
}

// BenchmarkFlow: the cost of an event where jobs do start, first come, first
// served and with a priority that puts each new job somewhere in the queue.
func BenchmarkFlow(b *testing.B) {
	for _, alg := range kinds {
		for _, order := range []string{"submit", "shortest"} {
			for _, waiting := range []int{100, 1000, 10_000, 100_000} {
				if alg == "conservative" && waiting > 1000 {
					continue
				}
				b.Run(fmt.Sprintf("alg=%s/order=%s/waiting=%d", alg, order, waiting), func(b *testing.B) {
					var p priority
					if order == "shortest" {
						p = ShortestFirst
					}
					f := newFlow(newScheduler(alg, p), 256, waiting)
					f.step()
					events := 0
					for b.Loop() {
						events += f.step()
					}
					b.ReportMetric(float64(events)/b.Elapsed().Seconds(), "events/s")
				})
			}
		}
	}
}
