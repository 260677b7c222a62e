package manager

import (
	"cmp"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/placement"
	"github.com/plimsoll/plimsoll/schedule"
	"github.com/plimsoll/plimsoll/schedule/sim"
	"github.com/plimsoll/plimsoll/schedule/trace"
)

// In a world without delays a manager does exactly what the simulator does: every job
// starts when it does there, and as many hours are charged.
func TestAsSimulator(t *testing.T) {
	t.Parallel()
	early, waits := 0, 0
	configurations := uint64(10)
	if testing.Verbose() { // it takes a while
		configurations = 30
	}
	for seed := range configurations {
		rng := rand.New(rand.NewPCG(10, 1000+seed))
		const boot = 187_300 * time.Millisecond
		w := newWorld(12, boot)
		o := worldOptions(w)
		o.Expansion = schedule.Expansion(rng.IntN(3))
		o.Placement = placement.Policy(rng.IntN(int(placement.Random)))
		o.WaitLimit = time.Duration(rng.IntN(40)) * time.Minute
		o.Short = time.Duration(1+rng.IntN(60)) * time.Minute
		o.ReleaseEvery = time.Duration(1+seed%6) * time.Minute
		if limits := rand.New(rand.NewPCG(11, seed)); limits.IntN(3) == 0 {
			o.Most = 6 + limits.IntN(6)
		}
		o.Watch = func(e *Entry, _ *Status) {
			if e != nil && e.Kind == Promoted {
				early++
			}
		}
		var jobs []trace.Job
		at := time.Duration(0)
		for i := range 40 {
			// Milliseconds keep events apart: at equal times the order of the
			// simulator is not that of this world. Slurm tells submissions in seconds.
			at += time.Duration(1+rng.IntN(1800)) * time.Second
			run := time.Duration(7001+rng.IntN(8000_000)) * time.Millisecond
			jobs = append(jobs, trace.Job{ID: int64(i), Submit: at, Run: run,
				Estimate: run + time.Duration(rng.IntN(3600))*time.Second, Nodes: 1 + rng.IntN(6)})
		}
		limit := o.WaitLimit
		if limit == 0 {
			limit = schedule.AtOnce
		}
		var s sim.Simulator
		want, err := s.Run(jobs, sim.Options{
			Clouds: []sim.Cloud{{Meter: o.Meter, Hourly: o.Prices.OnDemand, Boot: func(int) time.Duration { return boot }, Quota: cmp.Or(o.Most, len(w.nodes))}},
			Meter:  o.Meter, WaitLimit: limit, Short: o.Short, Expansion: o.Expansion, Placement: o.Placement, ReleaseEvery: o.ReleaseEvery,
		})
		if err != nil {
			t.Fatal(err)
		}
		m := w.open(t, filepath.Join(memory(t), "journal"), o)
		for next := 0; next < len(jobs) || !w.done(); {
			if next < len(jobs) && w.now.Sub(worldStart) == jobs[next].Submit {
				w.submit(jobs[next].Nodes, jobs[next].Run, jobs[next].Estimate)
				next++
				w.advance(0)
			}
			w.step(t, m)
			w.step(t, m) // the list that confirms what is gone
			w.advance(0)
			if w.now.Sub(worldStart) > 1000*time.Hour {
				t.Fatal("it does not come to an end")
			}
			// A look each minute, as nodes' weights follow margins, whose order changes as hours end. Of two looks
			// five minutes apart, seed 10 has a job on other nodes, and two hours more.
			event := w.now.Truncate(time.Minute).Add(time.Minute)
			sooner := func(at time.Time) {
				if at.After(w.now) && at.Before(event) {
					event = at
				}
			}
			if next < len(jobs) {
				sooner(worldStart.Add(jobs[next].Submit))
			}
			for _, in := range w.instances {
				sooner(in.ready)
			}
			for _, j := range w.jobs {
				sooner(j.start.Add(j.run))
			}
			w.advance(event.Sub(w.now))
		}
		for i, j := range w.jobs {
			got := j.start.Sub(worldStart)
			if got != want.Starts[i] {
				t.Errorf("seed %d, %v, %v, limit %v: job %d of %d nodes, submitted at %v, starts at %v, in the simulator at %v",
					seed, o.Expansion, o.Placement, o.WaitLimit, i, j.nodes, jobs[i].Submit, got, want.Starts[i])
				break
			}
			if got > jobs[i].Submit {
				waits++
			}
		}
		bill, err := m.Bill()
		if err != nil || bill.Charged.Hours() != want.ChargedHours || bill.Cost != want.Cost {
			t.Errorf("seed %d, most %d, pause %v: %+v, %v; in the simulator %v hours, %v", seed, o.Most, o.Pause, bill, err, want.ChargedHours, want.Cost)
		}
		w.check(t, m)
	}
	if early < 6 || waits < 30 {
		t.Errorf("only %d jobs started before their turn, and %d waited", early, waits)
	}
}

// The least size is rented without a job, and kept; after a change the next one waits
// for the pause, and comes then without another arrival.
func TestLeastAndPause(t *testing.T) {
	const boot = 3 * time.Minute
	w := newWorld(6, boot)
	o := worldOptions(w)
	o.Least, o.Pause, o.WaitLimit = 2, 20*time.Minute, 0
	m := w.open(t, filepath.Join(memory(t), "journal"), o)
	held := func(until time.Duration) int {
		for w.now.Sub(worldStart) < until {
			w.step(t, m)
			w.advance(time.Minute)
		}
		n := 0
		for _, l := range m.state.leases {
			if l.phase == asking || l.phase == rented || l.phase == up {
				n++
			}
		}
		return n
	}
	if n := held(5 * time.Minute); n != 2 {
		t.Errorf("%d instances at minute 5, want the least, 2", n)
	}
	w.submit(4, 10*time.Minute, 10*time.Minute)
	if n := held(19 * time.Minute); n != 2 {
		t.Errorf("%d instances in the pause, want 2", n)
	}
	if n := held(22 * time.Minute); n != 4 {
		t.Errorf("%d instances after the pause, want 4", n)
	}
	if n := held(3 * time.Hour); n != 2 {
		t.Errorf("%d instances at the end, want 2", n)
	}
	w.check(t, m)
}
