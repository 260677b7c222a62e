//go:build unix

package main

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/programtest"
	"github.com/plimsoll/plimsoll/examples/internal/provider"
	"github.com/plimsoll/plimsoll/examples/slurm/internal/replay"
	"github.com/plimsoll/plimsoll/schedule/sim"
	"github.com/plimsoll/plimsoll/schedule/trace"
)

// imagined is a run on a Slurm that delays each start as the test says: the simulator,
// with jobs that hold their nodes for so long before they start.
func imagined(t *testing.T, o *demoOptions, jobs []trace.Job, boot time.Duration, delay func() time.Duration) *outcome {
	t.Helper()
	with := slices.Clone(jobs)
	before := make([]time.Duration, len(jobs))
	for i := range with {
		before[i] = delay()
		with[i].Run += before[i]
		with[i].Estimate += before[i]
	}
	var s sim.Simulator
	m := &o.manager
	r, err := s.Run(with, sim.Options{
		Clouds: []sim.Cloud{{Quota: o.nodes, Boot: func(int) time.Duration { return boot }}},
		Hourly: m.Prices.OnDemand, WaitLimit: m.WaitLimit, Short: m.Short, ReleaseEvery: m.ReleaseEvery,
	})
	if err != nil {
		t.Fatal(err)
	}
	out := &outcome{leases: &replay.Leases{}, promoted: map[int64]bool{}, states: map[string]int{"COMPLETED": len(jobs)}}
	out.bill = provider.Bill{Leases: r.Clouds[0].Leases, Charged: time.Duration(r.ChargedHours * float64(time.Hour)), Cost: r.Cost}
	latest := time.Duration(-1)
	for i, j := range jobs {
		start := r.Starts[i]
		out.runs = append(out.runs, replay.Run{Job: j, Slurm: int64(i), Start: start + before[i], End: start + with[i].Run})
		if start < latest {
			out.promoted[int64(i)] = true
		}
		latest = max(latest, start)
	}
	held := 0
	for set, l := range r.Levels {
		for ; held < l.Held; held++ {
			out.leases.All = append(out.leases.All, &replay.Lease{Set: set, Asked: l.At, Created: l.At, Up: l.At + boot, Leaves: -1, Ended: -1, Left: -1})
		}
		for ; held > l.Held; held-- { // the one whose hour ends next
			var next *replay.Lease
			left := func(x *replay.Lease) time.Duration { return m.Meter.NextCharge(l.At-x.Created) - (l.At - x.Created) }
			for _, x := range out.leases.All {
				if x.Ended < 0 && x.Created < l.At && (next == nil || left(x) < left(next)) {
					next = x
				}
			}
			next.Leaves, next.Ended = l.At, l.At
		}
	}
	return out
}

// The comparison finds the delays that there were, and its tolerance holds for them; it
// does not for runs that wait as much longer again, or are charged for more.
func TestCompare(t *testing.T) {
	const hour = 6 * time.Second
	for seed := range uint64(20) {
		o, err := parseDemo([]string{"-hour", hour.String()})
		if err != nil {
			t.Fatal(err)
		}
		o.seed, o.manager.Lead = seed, 0
		jobs, err := o.makeJobs()
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(seed, 2))
		second := scaledUp(time.Second, hour)
		var given []time.Duration
		out := imagined(t, &o, jobs, 4*time.Minute, func() time.Duration {
			given = append(given, time.Duration(rng.Int64N(int64(second))))
			return given[len(given)-1]
		})
		c, err := compare(&o, out)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.boots.Of(1); got != 4*time.Minute {
			t.Errorf("seed %d: boots of %v", seed, got)
		}
		found, want := mean(c.delays), mean(given)
		if len(c.delays) < 25 || math.Abs(found-want) > .25*want {
			t.Errorf("seed %d: %d delays of %.1f minutes, and there were some of %.1f", seed, len(c.delays), found, want)
		}
		if waits, hours := c.agrees(); !waits || !hours {
			t.Errorf("seed %d: waits %v ± %v, hours %v ± %v, and in a run %v and %v", seed, c.waits.mean, c.waits.tolerance(),
				c.hours.mean, c.hours.tolerance(), c.slurm.wait.Minutes(), c.slurm.charged)
		}
		c.slurm.wait += time.Duration(1.01 * c.waits.tolerance() * 2 * float64(time.Minute))
		if waits, hours := c.agrees(); waits || !hours || c.verdict() != "Slurm's hours are within the tolerance, and its waits are not." {
			t.Errorf("seed %d: %s", seed, c.verdict())
		}
		c.slurm.charged += 2*c.hours.tolerance() + float64(c.late) + 1
		if waits, hours := c.agrees(); waits || hours {
			t.Errorf("seed %d: %s", seed, c.verdict())
		}
		var rows bytes.Buffer
		if err := c.writeJSON(&rows); err != nil || strings.Count(rows.String(), `"waits_agree":false`) != 1 || strings.Count(rows.String(), `"hours_agree":false`) != 1 {
			t.Errorf("%v: %s", err, rows.String())
		}
		if err := c.write(programtest.Broken{}); err == nil {
			t.Error("a writer that fails is no error")
		}
		var text bytes.Buffer
		if err := c.write(&text); err != nil || !strings.Contains(text.String(), "simulator with") {
			t.Errorf("%v: %s", err, text.String())
		}
	}
}

// mean returns the mean in minutes.
func mean(x []time.Duration) float64 {
	sum := 0.
	for _, v := range x {
		sum += v.Minutes()
	}
	return sum / float64(len(x))
}

// A run without delays is the simulator's own.
func TestCompareWithoutDelays(t *testing.T) {
	o, err := parseDemo(nil)
	if err != nil {
		t.Fatal(err)
	}
	jobs, err := o.makeJobs()
	if err != nil {
		t.Fatal(err)
	}
	c, err := compare(&o, imagined(t, &o, jobs, 4*time.Minute, func() time.Duration { return 0 }))
	if err != nil {
		t.Fatal(err)
	}
	if c.slurm != c.plain || c.slurm.peak < 10 {
		t.Errorf("%+v, and in the simulator %+v", c.slurm, c.plain)
	}
	for _, d := range c.delays {
		if d != 0 {
			t.Errorf("delays %v", c.delays)
			break
		}
	}
}

// The next charge of an instance is told by how long it had left when it was decided that it
// leaves, however late that was written down.
func TestDue(t *testing.T) {
	o, err := parseDemo(nil)
	if err != nil {
		t.Fatal(err)
	}
	const created = 10 * time.Minute
	for _, c := range []struct{ leaves, left, want time.Duration }{
		{created + 57*time.Minute, 3 * time.Minute, created + time.Hour},
		{created + 65*time.Minute, 3 * time.Minute, created + time.Hour}, // written 8 minutes later
		{created + 117*time.Minute, 3 * time.Minute, created + 2*time.Hour},
		{created + 57*time.Minute, 3*time.Minute - 500*time.Millisecond, created + time.Hour}, // rounded
		{created + 2*time.Minute, 58 * time.Minute, created + time.Hour},
	} {
		l := &replay.Lease{Created: created, Leaves: c.leaves, Left: c.left, Ended: c.want + 1}
		if got := o.due(l); got != c.want {
			t.Errorf("%v, %v: %v, want %v", c.leaves, c.left, got, c.want)
		}
		if k := (&comparison{o: &o}); !k.endedLate(l) {
			t.Error("it is not late")
		} else if l.Ended = c.want; k.endedLate(l) {
			t.Error("it is late")
		}
	}
}

// By hand: the mean of 1, 2, 3 and 6 is 3, the variance (4 + 1 + 0 + 9)/4.
func TestSpread(t *testing.T) {
	s := newSpread([]float64{1, 2, 3, 6})
	if s.mean != 3 || math.Abs(s.deviation-math.Sqrt(3.5)) > 1e-12 || s.least != 1 || s.most != 6 {
		t.Errorf("%+v", s)
	}
	if got := s.tolerance(); got != 4*s.deviation {
		t.Errorf("a tolerance of %v", got)
	}
	if got := (spread{mean: 5, deviation: 1, least: 0, most: 6}).tolerance(); got != 5 {
		t.Errorf("a tolerance of %v", got)
	}
}
