// Package renting runs jobs on a local cluster and clouds under the policies of [Marshall12],
// and tabulates what each Policy does: once for the operator's program and for the paper's.
package renting

import (
	"cmp"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/joblog"
	"github.com/plimsoll/plimsoll/examples/internal/parallel"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule"
	"github.com/plimsoll/plimsoll/schedule/elastic"
	"github.com/plimsoll/plimsoll/schedule/trace"
	"github.com/plimsoll/plimsoll/schedule/workload"
)

// The names of workloads.
const (
	Feitelson = "feitelson"
	Grid5000  = "grid5000"
)

// A Source is where a run has its jobs from.
type Source struct {
	Name     string // Feitelson, Grid5000, or the log's
	Arrivals string // "" of a log
	Log      *joblog.Log
	Horizon  time.Duration
	AppendTo func(dst []trace.Job, rng *rand.Rand) ([]trace.Job, error) // nil of a log
}

// Samples returns the workloads of the paper that are to be run.
func (o *Options) Samples() []*Source {
	horizon := cmp.Or(o.Horizon, elastic.Marshall12Horizon)
	all := []*Source{
		{Name: Feitelson, Arrivals: o.Arrivals.String(), Horizon: horizon,
			AppendTo: func(dst []trace.Job, rng *rand.Rand) ([]trace.Job, error) {
				return workload.AppendFeitelson(dst, rng, workload.FeitelsonJobs, workload.SampleOptions{Arrivals: o.Arrivals})
			}},
		{Name: Grid5000, Arrivals: workload.Poisson.String(), Horizon: horizon,
			AppendTo: func(dst []trace.Job, rng *rand.Rand) ([]trace.Job, error) {
				return workload.AppendGrid5000(dst, rng, workload.Grid5000Jobs, workload.SampleOptions{})
			}},
	}
	return slices.DeleteFunc(all, func(s *Source) bool { return o.Workload != "" && o.Workload != s.Name })
}

// Jobs returns the jobs of a run of a sample.
func (o *Options) Jobs(s *Source, run int) ([]trace.Job, error) {
	return s.AppendTo(nil, o.random(run, streamJobs))
}

// A Setup is the clouds of some runs.
type Setup struct {
	Clouds []elastic.CloudOptions
	Lab    bool    // those of the paper
	Reject float64 // of the paper's private cloud
	File   string  // of the clouds
}

// at returns the clouds as a run sees them: prices begin at another time in each run, Spread
// over the times at which a run of the given length ends within the prices.
func (s *Setup) at(run, runs int, length time.Duration) []elastic.CloudOptions {
	clouds := slices.Clone(s.Clouds)
	for i := range clouds {
		if clouds[i].Spot == nil {
			continue
		}
		spot := *clouds[i].Spot
		from := spot.History.Start()
		room := max(0, spot.History.End-from-length)
		spot.From = from + time.Duration(float64(room)*float64(run)/float64(runs)).Truncate(time.Second)
		clouds[i].Spot = &spot
	}
	return clouds
}

// Spots reports whether there are spot clouds.
func (s *Setup) Spots() bool {
	return slices.ContainsFunc(s.Clouds, func(c elastic.CloudOptions) bool { return c.Spot != nil })
}

// Places returns the names of where jobs run.
func (s *Setup) Places() []string {
	names := []string{"local"}
	for i := range s.Clouds {
		names = append(names, s.Clouds[i].Name)
	}
	return names
}

// Streams of randomness of a run: the jobs are the same for all policies and
// rates, and so is the luck of the clouds.
const (
	streamJobs = iota
	streamClouds
	streamPolicy
	streams
)

// random returns a stream of a run.
func (o *Options) random(run, stream int) *rand.Rand {
	return rand.New(rand.NewPCG(o.Seed, uint64(run*streams+stream)))
}

// A Run is what is kept of a run.
type Run struct {
	Jobs                 int
	AWRT, AWQT, Makespan time.Duration
	Cost, lowest         pricing.Money
	Core                 []float64 // hours, by place
	refused, Unfinished  int
	requeued             int
	lost                 float64 // core-hours
	Stuck                int     // the index of the first job that did not start, -1 if all did
	levels               []level // of the credits, by hour, if the options ask for them
	decisions            []elastic.Decision
}

// A level is the credits at a full hour, and the lowest until the next.
type level struct{ at, lowest pricing.Money }

// hourly returns the levels at the full hours.
func hourly(credits []elastic.CreditLevel) []level {
	var levels []level
	for i, c := range credits {
		for h := len(levels); time.Duration(h)*time.Hour < c.At; h++ {
			levels = append(levels, level{credits[i-1].Credits, credits[i-1].Credits})
		}
		if h := int(c.At / time.Hour); h == len(levels) {
			levels = append(levels, level{c.Credits, c.Credits})
		} else {
			levels[h].lowest = min(levels[h].lowest, c.Credits)
		}
	}
	return levels
}

// A Cell is the runs of a policy on a workload in a setup.
type Cell struct {
	Source *Source
	Setup  *Setup
	Policy Policy
	Runs   []Run
}

// Results are the cells by workload, then by setup, then by policy.
type Results struct {
	Opts    *Options
	Sources []*Source
	Setups  []*Setup
	Cells   []Cell
}

// A worker runs simulations, one after another, in its own memory.
type worker struct {
	env  elastic.Simulator
	jobs []trace.Job
}

// Evaluate runs everything, on all cores. The results do not depend on their number, since
// every run draws from its own streams.
func (o *Options) Evaluate(sources []*Source, setups []*Setup, run *cli.Run) (*Results, error) {
	r := &Results{Opts: o, Sources: sources, Setups: setups}
	for _, s := range sources {
		for _, at := range setups {
			for _, p := range o.Policies {
				r.Cells = append(r.Cells, Cell{s, at, p, make([]Run, o.Runs)})
			}
		}
	}
	total := len(r.Cells) * o.Runs
	workers := make([]worker, parallel.Workers())
	var done atomic.Int64
	err := parallel.Do(total, func(w, i int) (err error) {
		c, k := &r.Cells[i%len(r.Cells)], i/len(r.Cells) // the runs of a slow policy are spread over the time
		c.Runs[k], err = o.run(&workers[w], c, k)
		run.Showf("%s of %s runs", decimal.Int(int(done.Add(1))), decimal.Int(total))
		return err
	})
	if err != nil {
		return nil, err
	}
	return r, nil
}

// run runs the policy of a cell once.
func (o *Options) run(w *worker, c *Cell, run int) (one Run, err error) {
	var jobs []trace.Job
	if c.Source.Log != nil {
		jobs = c.Source.Log.Jobs
	} else if w.jobs, err = c.Source.AppendTo(w.jobs[:0], o.random(run, streamJobs)); err != nil {
		return one, err
	} else {
		jobs = w.jobs
	}
	x, err := w.env.Run(jobs, elastic.Options{
		Local:       o.Local,
		Clouds:      c.Setup.at(run, o.Runs, c.Source.Horizon),
		Policy:      o.new(c.Policy, o.random(run, streamPolicy)),
		Budget:      o.Budget,
		Every:       o.Every,
		Horizon:     c.Source.Horizon,
		Rand:        o.random(run, streamClouds),
		RejectWhole: o.Refuse == 1,
		Backfill:    o.Queue == 1,
		Overhead:    o.Overhead,
		Lead:        o.Lead,
		Decisions:   o.Decisions && run == 0,
	})
	if err != nil {
		var input *schedule.InputError
		switch {
		case errors.As(err, &input) && strings.HasPrefix(input.Field, "Jobs."):
			return one, cli.Mistakef("%s: job %d cannot be run: %v", c.Source.Name, jobs[input.Index].ID, input.Err)
		case input != nil && c.Setup.File != "" && strings.HasPrefix(input.Field, "Clouds.") && input.Index >= 0:
			return one, cli.Mistakef("-clouds %s: the cloud %s: %v", c.Setup.File, c.Setup.Clouds[input.Index].Name, input.Err)
		case input != nil, errors.Is(err, pricing.ErrOverflow):
			return one, cli.Mistakef("%s: policy %v: %v", c.Source.Name, c.Policy, err)
		}
		return one, err
	}
	one = Run{
		Jobs: x.Jobs, AWRT: x.AWRT, AWQT: x.AWQT, Makespan: x.Makespan,
		Cost: x.Cost, lowest: x.LowestCredits, Unfinished: x.Unfinished,
		Stuck:     slices.Index(x.Starts, -1),
		decisions: slices.Clone(x.Decisions),
	}
	if o.Levels {
		one.levels = hourly(x.Credits)
	}
	for _, f := range x.Infrastructures {
		one.Core = append(one.Core, f.CoreHours)
		one.refused += f.Refused
		one.requeued += f.Requeued
		one.lost += f.LostHours
	}
	return one, nil
}

// A Spread is a mean and the standard deviation between runs, which is not known
// of a single run. The mean is NaN where no run has the figure.
type Spread struct {
	Mean, Deviation float64
	known           bool
}

// Over returns the spread of a figure over the runs that have it: a figure that a run
// does not have is NaN.
func (c *Cell) Over(figure func(r *Run) float64) Spread {
	n := 0.
	for i := range c.Runs {
		if x := figure(&c.Runs[i]); !math.IsNaN(x) {
			n++
		}
	}
	if n == 0 {
		return Spread{Mean: math.NaN()}
	}
	s := Spread{known: n > 1}
	for i := range c.Runs {
		if x := figure(&c.Runs[i]); !math.IsNaN(x) {
			s.Mean += x / n
		}
	}
	if s.known {
		for i := range c.Runs {
			if d := figure(&c.Runs[i]) - s.Mean; !math.IsNaN(d) {
				s.Deviation += d * d / (n - 1)
			}
		}
		s.Deviation = math.Sqrt(s.Deviation)
	}
	return s
}

// Mean returns the mean of a figure.
func (c *Cell) Mean(figure func(*Run) float64) float64 { return c.Over(figure).Mean }

// Wins counts the runs in which the figure of c is below that of the other cell.
func (c *Cell) Wins(other *Cell, figure func(*Run) float64) (n int) {
	for i := range c.Runs {
		if figure(&c.Runs[i]) < figure(&other.Runs[i]) {
			n++
		}
	}
	return n
}

// hours returns a time of the jobs that ended, NaN if none did.
func (r *Run) hours(d time.Duration) float64 {
	if r.Jobs <= r.Unfinished {
		return math.NaN()
	}
	return d.Seconds() / 3600
}

// The figures of a run. Times are in hours, costs in dollars.
func Response(r *Run) float64 { return r.hours(r.AWRT) }
func Queued(r *Run) float64   { return r.hours(r.AWQT) }
func Makespan(r *Run) float64 { return r.hours(r.Makespan) }
func Cost(r *Run) float64     { return r.Cost.Float64() }

// CoreHours returns the core-hours in a place.
func CoreHours(i int) func(*Run) float64 { return func(r *Run) float64 { return r.Core[i] } }

// lowest returns the lowest credits of any run.
func (c *Cell) lowest() pricing.Money {
	m := c.Runs[0].lowest
	for i := range c.Runs {
		m = min(m, c.Runs[i].lowest)
	}
	return m
}

// Unfinished returns how many jobs did not end, in all runs.
func (c *Cell) Unfinished() (n int) {
	for i := range c.Runs {
		n += c.Runs[i].Unfinished
	}
	return n
}

// Cell returns the cell of a workload, a setup and a policy, nil if it was not run.
func (r *Results) Cell(s *Source, at *Setup, p Policy) *Cell {
	for i := range r.Cells {
		if c := &r.Cells[i]; c.Source == s && c.Setup == at && c.Policy == p {
			return c
		}
	}
	return nil
}
