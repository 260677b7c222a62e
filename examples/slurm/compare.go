package main

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/jsonrows"
	"github.com/plimsoll/plimsoll/examples/internal/table"
	"github.com/plimsoll/plimsoll/examples/slurm/internal/replay"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule/sim"
	"github.com/plimsoll/plimsoll/schedule/trace"
)

// How a run on Slurm and the simulator's compare. The simulator has the jobs as they
// were submitted, with boots as long as they were. It starts a job when its nodes are
// there; slurmctld looks for jobs to start once a second, and tells submissions in
// whole seconds. On a clock on which an hour lasts some seconds that is minutes, and
// delays add up: a job that starts later ends later, and all that wait for its nodes do,
// or more instances are asked for. There is no bound on what comes of it but that of the
// queue itself [Graham69], so the tolerance is measured:
//
// The delays of the run are known, one for each job that started in its turn
// (replay.Delays). The simulator runs the same jobs again, a few hundred times, each
// job with one of those delays, drawn at random, for which it holds its nodes before it
// starts; and with a wait limit that is less by up to a second, since the manager
// reads submissions in whole seconds. What comes out scatters, and a run on Slurm is to
// be one of them: within four standard deviations of their mean, or at least as near to it
// as the farthest one is.

// A figures has what a run is compared by.
type figures struct {
	wait    time.Duration // mean
	charged float64       // hours
	leases  int
	peak    int
	cost    pricing.Money
	last    time.Duration // the end of the last job
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

// within returns how far a run on Slurm may be from the mean.
func (s spread) within() float64 {
	return max(4*s.deviation, s.mean-s.least, s.most-s.mean)
}

// A comparison is what a demonstration came to.
type comparison struct {
	o             *demoOptions
	out           *outcome
	slurm, plain  figures
	waits, hours  spread // of the simulations with delays: minutes, and hours
	delays        []time.Duration
	boots         replay.Boots
	late          int     // leases that ended just too late for their hour
	used          float64 // instance-hours
	leases, peaks spread
}

// delayed is how many simulations have delays.
const delayed = 400

func compare(o *demoOptions, out *outcome) (*comparison, error) {
	c := &comparison{o: o, out: out}
	c.delays = replay.Delays(out.runs, out.leases.All, func(id int64) bool { return out.promoted[id] })
	c.boots = replay.MeasureBoots(out.leases.All)
	c.slurm = c.ofSlurm()
	jobs := make([]trace.Job, len(out.runs))
	for i := range out.runs {
		jobs[i] = out.runs[i].Job
		c.used += jobs[i].Run.Hours() * float64(jobs[i].Nodes)
	}
	var s sim.Simulator
	var err error
	if c.plain, err = c.simulate(&s, jobs, nil, o.manager.WaitLimit); err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(o.seed, 1))
	second := scaledUp(time.Second, o.manager.Hour)
	add := make([]time.Duration, len(jobs))
	with := make([]trace.Job, len(jobs))
	var waits, hours, leases, peaks []float64
	for range delayed {
		for i, j := range jobs {
			add[i] = 0
			if len(c.delays) > 0 {
				add[i] = c.delays[rng.IntN(len(c.delays))]
			}
			j.Run = out.runs[i].End - out.runs[i].Start + add[i]
			j.Estimate = max(j.Estimate+add[i], j.Run)
			with[i] = j
		}
		limit := o.manager.WaitLimit - time.Duration(rng.Float64()*float64(second))
		f, err := c.simulate(&s, with, add, limit)
		if err != nil {
			return nil, err
		}
		waits, hours = append(waits, f.wait.Minutes()), append(hours, f.charged)
		leases, peaks = append(leases, float64(f.leases)), append(peaks, float64(f.peak))
	}
	c.waits, c.hours, c.leases, c.peaks = newSpread(waits), newSpread(hours), newSpread(leases), newSpread(peaks)
	return c, nil
}

// scaledUp returns how far the clock goes in a real time.
func scaledUp(real, hour time.Duration) time.Duration {
	return time.Duration(float64(real) * (float64(time.Hour) / float64(hour)))
}

// simulate runs jobs in the simulator. A job waits for as long again as it is said to hold
// its nodes before it starts.
func (c *comparison) simulate(s *sim.Simulator, jobs []trace.Job, before []time.Duration, limit time.Duration) (figures, error) {
	m := &c.o.manager
	r, err := s.Run(jobs, sim.Config{
		Clouds: []sim.Cloud{{Meter: m.Meter, Hourly: m.Prices.OnDemand, Quota: len(m.Nodes),
			Boot: func(n int) time.Duration { return c.boots.Of(n) }}},
		Meter: m.Meter, WaitLimit: limitOf(limit), Short: limitOf(m.Short), Expansion: m.Expansion,
		Placement: m.Placement, ReleaseEvery: m.ReleaseEvery,
	})
	if err != nil {
		return figures{}, err
	}
	f := figures{wait: r.MeanWait, charged: r.ChargedHours, leases: r.Clouds[0].Leases, peak: r.Peak, cost: r.Cost}
	var sum time.Duration
	for i := range before {
		sum += before[i]
	}
	f.wait += sum / time.Duration(len(jobs))
	for i := range jobs {
		f.last = max(f.last, r.Starts[i]+jobs[i].Run)
	}
	return f, nil
}

// limitOf returns a limit as sim.Config has it.
func limitOf(d time.Duration) time.Duration {
	if d <= 0 {
		return sim.AtOnce
	}
	return d
}

// ofSlurm returns the figures of the run on Slurm.
func (c *comparison) ofSlurm() figures {
	f := figures{charged: c.out.bill.Charged.Hours(), leases: c.out.bill.Leases, cost: c.out.bill.Cost}
	for i := range c.out.runs {
		r := &c.out.runs[i]
		f.wait += r.Start - r.Submit
		f.last = max(f.last, r.End)
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

// endedLate reports whether an instance was to be given back before its next charge,
// and was so after: the release check came just before the charge.
func (c *comparison) endedLate(l *replay.Lease) bool {
	m := c.o.manager.Meter
	check := l.Leaves / c.o.manager.ReleaseEvery * c.o.manager.ReleaseEvery
	return m.NextCharge(max(0, check-l.Created)) < l.Ended-l.Created
}

func minutes(d time.Duration) string { return strconv.FormatFloat(d.Minutes(), 'f', 1, 64) }

func (s spread) String() string {
	return fmt.Sprintf("%.1f (%.1f to %.1f, ± %.1f)", s.mean, s.least, s.most, s.deviation)
}

func (c *comparison) write(w io.Writer) error {
	columns := []table.Column{{Title: "", Left: true}, {Title: "Slurm"}, {Title: "simulator"}, {Title: "with Slurm's delays", Left: true}}
	rows := [][]string{
		{"mean wait, min", minutes(c.slurm.wait), minutes(c.plain.wait), c.waits.String()},
		{"hours charged", strconv.FormatFloat(c.slurm.charged, 'f', 0, 64), strconv.FormatFloat(c.plain.charged, 'f', 0, 64), c.hours.String()},
		{"leases", strconv.Itoa(c.slurm.leases), strconv.Itoa(c.plain.leases), c.leases.String()},
		{"most at once", strconv.Itoa(c.slurm.peak), strconv.Itoa(c.plain.peak), c.peaks.String()},
	}
	if err := table.Write(w, columns, rows); err != nil {
		return err
	}
	d := slices.Sorted(slices.Values(c.delays))
	_, err := fmt.Fprintf(w, "late %d, used %.1f, delays %d: %v median %v max %v, boots %v, took %v, bills %v %v failures %d\n", c.late, c.used, len(d), d[0], d[len(d)/2], d[len(d)-1], c.boots, c.out.took, c.out.bill, c.out.provider, c.out.failures)
	return err
}

func (c *comparison) writeJSON(w io.Writer) error {
	return jsonrows.Write(w, []int{1})
}
