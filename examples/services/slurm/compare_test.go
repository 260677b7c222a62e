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

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/examples/internal/programtest"
	"github.com/plimsoll/plimsoll/examples/internal/provider"
	"github.com/plimsoll/plimsoll/examples/services/slurm/internal/manager"
	"github.com/plimsoll/plimsoll/examples/services/slurm/internal/replay"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule"
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

// By hand: jobs of 1 and 2 nodes, submitted at 0 and at 10 minutes, start 6 and 12 minutes later, and run for 30 minutes
// and an hour: 0.5 and 2 instance-hours. Of three leases the first ends as the second begins, and the second is
// gone 5 minutes after its hour, though it was to leave 3 minutes before.
func byHand(t *testing.T) *comparison {
	const m = time.Minute
	o, err := parseDemo([]string{"-hour", "6s"})
	if err != nil {
		t.Fatal(err)
	}
	out := &outcome{leases: &replay.Leases{}, states: map[string]int{"COMPLETED": 2}, took: 12400 * time.Millisecond, promoted: map[int64]bool{7: true},
		bill: provider.Bill{Leases: 3, Charged: 4 * time.Hour, Cost: 9600 * pricing.Milli}}
	out.runs = []replay.Run{
		{Job: trace.Job{Nodes: 1, Run: 30 * m, Estimate: 30 * m}, Start: 6 * m, End: 36 * m},
		{Job: trace.Job{Nodes: 2, Submit: 10 * m, Run: 60 * m, Estimate: 60 * m}, Start: 22 * m, End: 82 * m},
	}
	out.leases.All = []*replay.Lease{
		{Created: 0, Up: m, Leaves: 55 * m, Left: 5 * m, Ended: 60 * m},
		{Created: 60 * m, Up: 61 * m, Leaves: 117 * m, Left: 3 * m, Ended: 125 * m},
		{Created: 70 * m, Up: 71 * m, Leaves: -1, Left: -1, Ended: 130 * m},
	}
	return &comparison{o: &o, out: out}
}

func TestFiguresOfSlurm(t *testing.T) {
	c := byHand(t)
	if got, want := c.ofSlurm(), (figures{wait: 9 * time.Minute, charged: 4, leases: 3, peak: 2, cost: 9600 * pricing.Milli}); got != want || c.late != 1 {
		t.Errorf("%+v with %d late, want %+v with 1", got, c.late, want)
	}
	c = byHand(t)
	c.out.leases.All[1].Created = 59 * time.Minute // while the first one is there
	if got := c.ofSlurm(); got.peak != 2 {
		t.Errorf("%+v", got)
	}
	for _, l := range []replay.Lease{{Leaves: 0, Left: 5 * time.Minute, Ended: 61 * time.Minute}, {Leaves: 55 * time.Minute, Left: 0, Ended: 61 * time.Minute}} {
		if !c.endedLate(&l) {
			t.Errorf("%+v is not late", l)
		}
	}
	// Half a second is one of rounding: a lease that leaves at 59m59.5s, 0 s before its charge, leaves before the first.
	if got := c.o.due(&replay.Lease{Leaves: 2*time.Hour - time.Second, Left: 0}); got != 2*time.Hour {
		t.Errorf("due at %v", got)
	}
	if got := c.o.due(&replay.Lease{Leaves: 2*time.Hour - 2*time.Second, Left: 0}); got != time.Hour {
		t.Errorf("due at %v", got)
	}
}

// What a comparison says, whole, with numbers by hand: $2 an hour, so 4.25 ± 1.5 hours are $8.50 ± 3.00; an
// hour takes 6 s, so 1.2 minutes are 0.12 s.
func TestComparisonText(t *testing.T) {
	const m = time.Minute
	c := byHand(t)
	c.o.manager.Prices = pricing.List{OnDemand: 2 * pricing.Unit, Classes: []pricing.Class{{Name: "1d-heavy", Upfront: pricing.Unit, Hourly: pricing.Unit, Term: 24 * time.Hour}}}
	c.used, c.late = 2.5, 1
	c.slurm = figures{wait: 9 * m, charged: 4, leases: 3, peak: 2, cost: 8 * pricing.Unit}
	c.plain = figures{wait: 7*m + 30*time.Second, charged: 3, leases: 3, peak: 1, cost: 6 * pricing.Unit}
	c.waits, c.hours = spread{mean: 8, deviation: .5, least: 7, most: 9}, spread{mean: 4.25, deviation: .25, least: 2.75, most: 5}
	c.leases, c.peaks = spread{mean: 3, deviation: .25, least: 2, most: 4}, spread{mean: 2, least: 2, most: 2}
	c.delays = []time.Duration{3 * m, 72 * time.Second, 0}
	c.boots = replay.Boots{{Instances: 1, Requests: 2, Mean: 3 * m}, {Instances: 2, Requests: 1, Mean: 90 * time.Second}}
	c.bought = []pricing.Purchase{{Slot: 1, Class: 0, Count: 2}}
	c.bill = pricing.Bill{Pure: 7 * pricing.Unit}
	c.out.hours = []int{1, 2, 1}
	var err error
	if c.users, err = c.divide(); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := c.write(&b); err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(b.String()), " ")
	for _, want := range []string{
		"mean wait, min 9.0 7.5 8.0 ± 2.0 ", "hours charged 4 3 4 ± 2 ", "cost on demand, $ 8.00 6.00 8.50 ± 3.00 ", "instances rented 3 3 3 ± 1 ", "most at once 2 1 2 ± 0 ",
		"2 of 2 jobs completed, with 2.5 instance-hours of work. An hour took 6s; minutes and hours are those. It took 12 s in all.",
		"did so 1.2 minutes later in the middle and 3.0 at most, in fact 0.12 and 0.30 s. ", "the mean of 400 simulations;",
		"Slurm's waits and hours are within the tolerance.", "Boots took 3.0 minutes for 1, 1.5 minutes for 2 at once. The simulator has the same.",
		"1 instances were gone just after their next hour had begun, which is charged.",
		"Reserved at the end of periods of 2 hours: 2 of 1d-heavy. Had their unused terms been returned, the bill would be $7.00 instead of $8.00.",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("want %q:\n%s", want, b.String())
		}
	}
	b.Reset()
	if err := c.writeJSON(&b); err != nil {
		t.Fatal(err)
	}
	rows := programtest.Rows[map[string]any](t, b.String())
	want := []map[string]any{
		{"run": "slurm", "jobs": 2., "completed": 2., "mean_wait_s": 540., "charged_hours": 4., "used_hours": 2.5, "cost": 8., "cost_with_reservations": 7., "leases": 3., "peak": 2.,
			"waits_agree": true, "hours_agree": true, "late_leases": 1., "started_early": 1., "median_start_delay_s": 72., "max_start_delay_s": 180., "hour_s": 6.},
		{"run": "simulator", "jobs": 2., "mean_wait_s": 450., "charged_hours": 3., "used_hours": 2.5, "cost": 6., "leases": 3., "peak": 1., "hour_s": 6.},
		{"run": "delayed", "jobs": 2., "mean_wait_s": 480., "mean_wait_tolerance_s": 120., "charged_hours": 4.25, "charged_tolerance_hours": 1.5, "used_hours": 2.5, "cost": 8.5,
			"leases": 3., "peak": 2., "simulations": 400., "hour_s": 6.},
	}
	if diff := cmp.Diff(want, rows); diff != "" {
		t.Error(diff)
	}
	// Nothing is said of what there was not.
	c.delays, c.boots, c.late, c.bought = nil, nil, 0, nil
	b.Reset()
	if err := c.write(&b); err != nil {
		t.Fatal(err)
	}
	for _, not := range []string{"once a second", "Boots took", "gone just after", "Reserved"} {
		if strings.Contains(b.String(), not) {
			t.Errorf("it says %q:\n%s", not, b.String())
		}
	}
	b.Reset()
	if err := c.writeJSON(&b); err != nil || strings.Contains(b.String(), "start_delay") {
		t.Errorf("%v: %s", err, b.String())
	}
	// Waits are 9 and may be 8 ± 2; hours are 4, and may be 1.5 off, and one more for the one that was late.
	for _, x := range []struct {
		wait    time.Duration
		charged float64
		late    int
		want    string
	}{
		{6 * m, 2.75, 0, "Slurm's waits and hours are within the tolerance."},
		{6*m - 1, 5.75, 0, "Slurm's hours are within the tolerance, and its waits are not."},
		{10 * m, 6.75, 1, "Slurm's waits and hours are within the tolerance."},
		{10 * m, 6.76, 1, "Slurm's waits are within the tolerance, and its hours are not."},
		{10*m + 1, 2.74, 0, "Slurm's waits and hours are not within the tolerance."},
	} {
		c.slurm.wait, c.slurm.charged, c.late = x.wait, x.charged, x.late
		if got := c.verdict(); got != x.want {
			t.Errorf("%+v: %s", x, got)
		}
	}
}

// By hand: a job of 50 minutes on an instance that boots for 6 is charged for one hour, and for two if instances
// leave 5 minutes before their charge. A delay of 3 minutes makes it wait for 9, and does the same.
func TestSimulations(t *testing.T) {
	const m = time.Minute
	o, err := parseDemo([]string{"-hour", "10s", "-wait-limit", "0s", "-release-every", "1m20s"})
	if err != nil {
		t.Fatal(err)
	}
	jobs := []trace.Job{{ID: 1, Nodes: 1, Run: 50 * m, Estimate: 50 * m}}
	c := &comparison{o: &o, boots: replay.Boots{{Instances: 1, Requests: 1, Mean: 6 * m}}, delays: []time.Duration{3 * m},
		out: &outcome{runs: []replay.Run{{Job: jobs[0], Start: 9 * m, End: 59 * m}}}}
	var s sim.Simulator
	for lead, hours := range map[time.Duration]float64{0: 1, 5 * m: 2} {
		f, err := c.simulate(&s, jobs, 0, lead)
		if err != nil || math.Abs(f.charged-hours) > 1e-9 || f.wait != 6*m || f.leases != 1 || f.peak != 1 {
			t.Errorf("with a lead of %v: %+v, %v, want %v hours", lead, f, err, hours)
		}
	}
	o.manager.Lead = 0
	if err := c.simulateDelayed(&s, jobs); err != nil {
		t.Fatal(err)
	}
	near := func(x spread, want float64) bool { return math.Abs(x.mean-want) < 1e-9 }
	if !near(c.waits, 9) || !near(c.hours, 1) || !near(c.leases, 1) || !near(c.peaks, 1) {
		t.Errorf("waits %+v, hours %+v, leases %+v, peaks %+v", c.waits, c.hours, c.leases, c.peaks)
	}
	if c.waits.most-c.waits.least > 1e-9 { // the instance is asked for at once, whatever the limit
		t.Errorf("waits %+v", c.waits)
	}
	for _, d := range []time.Duration{-m, 0, 1} {
		if got, want := limitOf(d), map[bool]time.Duration{true: schedule.AtOnce, false: d}[d <= 0]; got != want {
			t.Errorf("a limit of %v is %v", d, got)
		}
	}
}

// What a run bought and cannot be is an error, as is a job that the simulator refuses; what was bought for after the
// end serves nothing, and is not billed.
func TestCompareErrors(t *testing.T) {
	for name, spoil := range map[string]func(c *comparison){
		"a class": func(c *comparison) {
			c.out.weeks = []manager.Entry{{Bought: []pricing.Purchase{{Slot: 0, Class: 99, Count: 1}}}}
		},
		"no nodes":  func(c *comparison) { c.out.runs[0].Nodes = 0 },
		"backwards": func(c *comparison) { c.out.runs[0].Start, c.out.runs[0].End = 10*time.Hour, time.Hour },
		"hours":     func(c *comparison) { c.out.hours = []int{-1} },
	} {
		c := byHand(t)
		c.out.hours = []int{1, 2}
		c.o.manager.Prices.OnDemand = pricing.Unit
		spoil(c)
		if got, err := compare(c.o, c.out); err == nil {
			t.Errorf("%s: %+v", name, got)
		}
	}
	c := byHand(t)
	c.out.hours = []int{1, 2}
	c.out.weeks = []manager.Entry{{Bought: []pricing.Purchase{{Slot: 1, Class: 0, Count: 1}, {Slot: 2, Class: 0, Count: 5}}}, {Bought: []pricing.Purchase{{Slot: 0, Class: 1, Count: 1}}}}
	got, err := compare(c.o, c.out)
	if err != nil {
		t.Fatal(err)
	}
	if want := []pricing.Purchase{{Slot: 1, Class: 0, Count: 1}, {Slot: 0, Class: 1, Count: 1}}; !slices.Equal(got.bought, want) || got.used != 2.5 || got.bill.Total == 0 {
		t.Errorf("%+v", got)
	}
	if u := got.users.Accounts; len(u) != 1 || u[0].Jobs != 2 || u[0].Hours != 2.5 {
		t.Errorf("%+v", u)
	}
}
