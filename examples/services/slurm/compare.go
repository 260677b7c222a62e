//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/jsonrows"
	"github.com/plimsoll/plimsoll/examples/internal/table"
	"github.com/plimsoll/plimsoll/examples/internal/userbill"
	"github.com/plimsoll/plimsoll/examples/services/slurm/internal/manager"
	"github.com/plimsoll/plimsoll/examples/services/slurm/internal/replay"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule"
	"github.com/plimsoll/plimsoll/schedule/sim"
	"github.com/plimsoll/plimsoll/schedule/sim/bills"
	"github.com/plimsoll/plimsoll/schedule/trace"
)

// How a run on Slurm and the simulator's compare. The simulator has the jobs as they
// were submitted, with boots as long as they were. It starts a job when its nodes are
// there; slurmctld looks for jobs to start once a second, and tells submissions in
// whole seconds. On a clock on which an hour lasts some seconds that is minutes, and
// delays add up: a job that starts later ends later, and all that wait for its nodes do,
// or more instances are asked for. No simple bound says what comes of it, since a delay of one
// job may as well let another one start sooner; so the tolerance is measured:
//
// The delays of the run are known, one for each job that started in its turn
// (replay.Delays). The simulator runs the same jobs again, a few hundred times, each
// job with one of those delays, for which it holds its nodes before it starts. They are
// drawn at random, those of ten jobs in a row together, since delays come together: jobs start
// in one pass, and the machine is busy for a while. The wait limit is less by up to a second, since the manager reads
// submissions in whole seconds, and instances leave as much before their hour ends
// as on Slurm (manager.Options.Lead). What comes out scatters, and a run on Slurm is to
// be one of them: within four standard deviations of their mean, or at least as near to it
// as the farthest one is.

// A figures has what a run is compared by.
type figures struct {
	wait    time.Duration // mean
	charged float64       // hours
	leases  int
	peak    int
	cost    pricing.Money
}

// A spread is how a figure of several simulations scatters.
type spread struct{ mean, deviation, least, most float64 }

func newSpread(x []float64) spread {
	s := spread{least: slices.Min(x), most: slices.Max(x)}
	for _, v := range x {
		s.mean += v / float64(len(x))
	}
	for _, v := range x {
		s.deviation += (v - s.mean) * (v - s.mean) / float64(len(x))
	}
	s.deviation = math.Sqrt(s.deviation)
	return s
}

// tolerance returns how far from the mean a run on Slurm may be: four standard deviations,
// or as far as any of the simulations.
func (s spread) tolerance() float64 {
	return max(4*s.deviation, s.mean-s.least, s.most-s.mean)
}

// A comparison is what a demonstration came to.
type comparison struct {
	o            *demoOptions
	out          *outcome
	used         float64 // instance-hours of the jobs
	slurm, plain figures
	delays       []time.Duration // on Slurm, in the order of the jobs
	boots        replay.Boots
	late         int // leases that ended just after their hour

	waits, hours, leases, peaks spread // of the simulations with delays; waits in minutes

	bought []pricing.Purchase
	bill   pricing.Bill    // with what was bought
	users  bills.Statement // of the log: all jobs are one user's here
}

const (
	delayed = 400 // how many simulations have delays
	block   = 10  // jobs whose delays are drawn together
)

func compare(o *demoOptions, out *outcome) (*comparison, error) {
	c := &comparison{o: o, out: out}
	c.delays = replay.Delays(out.runs, out.leases.All, func(id int64) bool { return out.promoted[id] })
	c.boots = replay.MeasureBoots(out.leases.All)
	c.slurm = c.ofSlurm()
	if err := c.charge(); err != nil {
		return nil, err
	}
	jobs := make([]trace.Job, len(out.runs))
	for i := range out.runs {
		jobs[i] = out.runs[i].Job
		c.used += jobs[i].Run.Hours() * float64(jobs[i].Nodes)
	}
	var s sim.Simulator
	var err error
	if c.plain, err = c.simulate(&s, jobs, o.manager.WaitLimit, 0); err != nil {
		return nil, err
	}
	if c.users, err = c.divide(); err != nil {
		return nil, err
	}
	return c, c.simulateDelayed(&s, jobs)
}

// simulateDelayed runs the simulations with delays.
func (c *comparison) simulateDelayed(s *sim.Simulator, jobs []trace.Job) error {
	rng := rand.New(rand.NewPCG(c.o.seed, 1))
	second := scaledUp(time.Second, c.o.manager.Hour)
	with := make([]trace.Job, len(jobs))
	var waits, hours, leases, peaks []float64
	for range delayed {
		var sum time.Duration
		from := 0
		for i, j := range jobs {
			var delay time.Duration
			if n := len(c.delays); n > 0 {
				if i%block == 0 {
					from = rng.IntN(n)
				}
				delay = c.delays[(from+i)%n]
			}
			sum += delay
			j.Run = delay + c.out.runs[i].End - c.out.runs[i].Start
			j.Estimate = max(delay+j.Estimate, j.Run)
			with[i] = j
		}
		f, err := c.simulate(s, with, c.o.manager.WaitLimit-time.Duration(rng.Float64()*float64(second)), c.o.manager.Lead)
		if err != nil {
			return err
		}
		waits = append(waits, (f.wait + sum/time.Duration(len(jobs))).Minutes())
		hours = append(hours, f.charged)
		leases, peaks = append(leases, float64(f.leases)), append(peaks, float64(f.peak))
	}
	c.waits, c.hours, c.leases, c.peaks = newSpread(waits), newSpread(hours), newSpread(leases), newSpread(peaks)
	return nil
}

// simulate runs jobs in the simulator, where instances leave some time before they are
// charged. That is a first hour which is so much shorter, and charged in full.
func (c *comparison) simulate(s *sim.Simulator, jobs []trace.Job, limit, lead time.Duration) (figures, error) {
	m := &c.o.manager
	meter := m.Meter
	meter.Minimum -= lead
	r, err := s.Run(jobs, sim.Options{
		Clouds: []sim.Cloud{{Meter: meter, Hourly: m.Prices.OnDemand, Quota: len(m.Nodes), Boot: c.boots.Of}},
		Meter:  meter, WaitLimit: limitOf(limit), Short: limitOf(m.Short), Expansion: m.Expansion,
		Placement: m.Placement, ReleaseEvery: m.ReleaseEvery,
	})
	if err != nil {
		return figures{}, err
	}
	leases := r.Clouds[0].Leases
	return figures{wait: r.MeanWait, charged: r.ChargedHours + float64(leases)*lead.Hours(), leases: leases, peak: r.Peak, cost: r.Cost}, nil
}

// limitOf returns a limit as sim.Options has it.
func limitOf(d time.Duration) time.Duration {
	if d <= 0 {
		return schedule.AtOnce
	}
	return d
}

// ofSlurm returns the figures of the run on Slurm.
func (c *comparison) ofSlurm() figures {
	f := figures{charged: c.out.bill.Charged.Hours(), leases: c.out.bill.Leases, cost: c.out.bill.Cost}
	for i := range c.out.runs {
		f.wait += c.out.runs[i].Start - c.out.runs[i].Submit
	}
	f.wait /= time.Duration(len(c.out.runs))
	for _, x := range c.out.leases.All {
		n := 0
		for _, y := range c.out.leases.All {
			if y.Created <= x.Created && x.Created < y.Ended {
				n++
			}
		}
		f.peak = max(f.peak, n)
		if c.endedLate(x) {
			c.late++
		}
	}
	return f
}

// endedLate reports whether an instance was to leave before its next charge, and was gone
// after.
func (c *comparison) endedLate(l *replay.Lease) bool {
	return l.Leaves >= 0 && l.Left >= 0 && l.Ended > c.o.due(l)
}

// due returns when the next charge of an instance was when it was decided that it leaves,
// which was l.Left before, to the second, and was written down some time after that.
func (o *demoOptions) due(l *replay.Lease) time.Duration {
	next := func(at time.Duration) time.Duration { return l.Created + o.manager.Meter.NextCharge(at-l.Created) }
	due := next(l.Created)
	for {
		later := next(due + 1)
		if later > l.Leaves+l.Left+time.Second {
			return due
		}
		due = later
	}
}

// charge bills the hours with what was bought.
func (c *comparison) charge() error {
	for _, e := range c.out.weeks {
		for _, b := range e.Bought {
			if b.Slot < len(c.out.hours) { // else it serves nothing any more
				c.bought = append(c.bought, b)
			}
		}
	}
	var b pricing.Biller
	var err error
	c.bill, err = b.Bill(c.o.manager.Prices, c.out.hours, time.Hour, c.bought)
	return err
}

// divide divides the bill among the users that the jobs have in the model: on this
// machine all jobs are those of one user.
func (c *comparison) divide() (bills.Statement, error) {
	uses := make([]manager.Use, len(c.out.runs))
	for i := range uses {
		r := &c.out.runs[i]
		uses[i] = manager.Use{User: int64(r.User), Nodes: r.Nodes, Start: r.Start, End: r.End}
	}
	return manager.Divide(uses, c.out.hours, c.bill.Pure, &c.o.manager)
}

// write writes the comparison for people.
func (c *comparison) write(w io.Writer) error {
	m := &c.o.manager
	fixed := decimal.Fixed
	around := func(s spread, decimals int) string {
		return fixed(s.mean, decimals) + " ± " + fixed(s.tolerance(), decimals)
	}
	cost := func(hours float64) string { return fixed(hours*m.Prices.OnDemand.Float64(), 2) }
	rows := [][]string{
		{"mean wait, min", fixed(c.slurm.wait.Minutes(), 1), fixed(c.plain.wait.Minutes(), 1), around(c.waits, 1)},
		{"hours charged", fixed(c.slurm.charged, 0), fixed(c.plain.charged, 0), around(c.hours, 0)},
		{"cost on demand, $", c.slurm.cost.Fixed(2), c.plain.cost.Fixed(2), cost(c.hours.mean) + " ± " + cost(c.hours.tolerance())},
		{"instances rented", strconv.Itoa(c.slurm.leases), strconv.Itoa(c.plain.leases), around(c.leases, 0)},
		{"most at once", strconv.Itoa(c.slurm.peak), strconv.Itoa(c.plain.peak), around(c.peaks, 0)},
	}
	var b table.Page
	b.Printf("\n")
	b.Table("<|Slurm|simulator|simulator with\nSlurm's delays", rows)
	say := func(format string, args ...any) {
		b.Printf("\n")
		b.Sayf(format, args...)
	}
	say("%d of %d jobs completed, with %s instance-hours of work. An hour took %v; minutes and hours are those. It took %.0f s in all.",
		c.out.states["COMPLETED"], len(c.out.runs), fixed(c.used, 1), m.Hour, c.out.took.Seconds())
	if n := len(c.delays); n > 0 {
		sorted := slices.Sorted(slices.Values(c.delays))
		middle, most := sorted[n/2], sorted[n-1]
		say("Slurm starts jobs once a second. Jobs that could start did so %s minutes later in the middle and %s at most, in fact %.2f and %.2f s. "+
			"The last column is what the simulator makes of such delays, the mean of %d simulations; ± is the tolerance, four standard deviations or the farthest.",
			fixed(middle.Minutes(), 1), fixed(most.Minutes(), 1), scaled(middle, m.Hour).Seconds(), scaled(most, m.Hour).Seconds(), delayed)
	}
	say("%s", c.verdict())
	if len(c.boots) > 0 {
		text := "Boots took"
		for i, x := range c.boots {
			if i > 0 {
				text += ","
			}
			text += fmt.Sprintf(" %s minutes for %d", fixed(x.Mean.Minutes(), 1), x.Instances)
		}
		say("%s at once. The simulator has the same.", text)
	}
	if c.late > 0 {
		say("%d instances were gone just after their next hour had begun, which is charged.", c.late)
	}
	if len(c.bought) > 0 {
		say("Reserved at the end of periods of %d hours: %s. Had their unused terms been returned, the bill would be $%s instead of $%s.",
			m.Period, manager.Purchases(m.Prices, c.bought), c.bill.Pure.Fixed(2), c.slurm.cost.Fixed(2))
	}
	b.Printf("\n")
	userbill.Say(&b, "the cluster, as the jobs' model has them", &c.users)
	_, err := b.WriteTo(w)
	return err
}

// agrees reports whether the waits and the charged hours are within the tolerance. An
// instance that was gone too late may have cost an hour more.
func (c *comparison) agrees() (waits, hours bool) {
	return math.Abs(c.slurm.wait.Minutes()-c.waits.mean) <= c.waits.tolerance(),
		math.Abs(c.slurm.charged-c.hours.mean) <= c.hours.tolerance()+float64(c.late)
}

// verdict says so.
func (c *comparison) verdict() string {
	switch waits, hours := c.agrees(); {
	case waits && hours:
		return "Slurm's waits and hours are within the tolerance."
	case hours:
		return "Slurm's hours are within the tolerance, and its waits are not."
	case waits:
		return "Slurm's waits are within the tolerance, and its hours are not."
	}
	return "Slurm's waits and hours are not within the tolerance."
}

// writeJSON writes a row for Slurm, for the simulator, and for the simulator with delays.
// Times are of the clock on which an hour takes hour_s, but for that one.
func (c *comparison) writeJSON(w io.Writer) error {
	number := func(x float64, decimals int) json.Number { return json.Number(decimal.Fixed(x, decimals)) }
	exact := func(x float64) float64 { return math.Round(x*1e4) / 1e4 }
	hour := decimal.Seconds(c.o.manager.Hour)
	waits, hours := c.agrees()
	slurm := jsonrows.Row{"run", "slurm", "jobs", len(c.out.runs), "completed", c.out.states["COMPLETED"], "mean_wait_s", number(c.slurm.wait.Seconds(), 3),
		"charged_hours", c.slurm.charged, "used_hours", exact(c.used), "cost", json.Number(c.slurm.cost.String()), "cost_with_reservations", json.Number(c.bill.Pure.String()),
		"leases", c.slurm.leases, "peak", c.slurm.peak, "waits_agree", waits, "hours_agree", hours, "late_leases", c.late, "started_early", len(c.out.promoted)}
	if k := len(c.delays); k > 0 {
		sorted := slices.Sorted(slices.Values(c.delays))
		slurm = append(slurm, "median_start_delay_s", number(sorted[k/2].Seconds(), 3), "max_start_delay_s", number(sorted[k-1].Seconds(), 3))
	}
	return jsonrows.Write(w, []jsonrows.Row{
		append(slurm, "hour_s", hour),
		{"run", "simulator", "jobs", len(c.out.runs), "mean_wait_s", number(c.plain.wait.Seconds(), 3), "charged_hours", c.plain.charged, "used_hours", exact(c.used),
			"cost", json.Number(c.plain.cost.String()), "leases", c.plain.leases, "peak", c.plain.peak, "hour_s", hour},
		{"run", "delayed", "jobs", len(c.out.runs), "mean_wait_s", number(c.waits.mean*60, 3), "mean_wait_tolerance_s", number(c.waits.tolerance()*60, 3),
			"charged_hours", exact(c.hours.mean), "charged_tolerance_hours", exact(c.hours.tolerance()), "used_hours", exact(c.used),
			"cost", number(c.hours.mean*c.o.manager.Prices.OnDemand.Float64(), 4), "leases", exact(c.leases.mean), "peak", exact(c.peaks.mean), "simulations", delayed, "hour_s", hour},
	})
}
