package main

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
	"github.com/plimsoll/plimsoll/examples/internal/progress"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule"
	"github.com/plimsoll/plimsoll/schedule/elastic"
	"github.com/plimsoll/plimsoll/schedule/trace"
	"github.com/plimsoll/plimsoll/schedule/workload"
)

// A jobSource is where a run has its jobs from.
type jobSource struct {
	name     string // feitelson, grid5000, or the log's
	arrivals string // "" of a log
	log      *joblog.Log
	horizon  time.Duration
	appendTo func(dst []trace.Job, rng *rand.Rand) ([]trace.Job, error) // nil of a log
	bursts   int                                                        // runs whose jobs would fill more than SM holds if nobody waited
}

// workloads returns what is to be run.
func (o *options) workloads(line *progress.Line) ([]*jobSource, error) {
	if o.trace != "" {
		log, err := joblog.Read("-trace", o.trace, trace.Options{PerInstance: 1, Alpha: trace.NewAlpha(1)}, line)
		if err != nil {
			return nil, err
		}
		return []*jobSource{{name: o.trace, log: log, horizon: o.horizon}}, nil
	}
	horizon := cmp.Or(o.horizon, elastic.Marshall12Horizon)
	all := []*jobSource{
		{name: feitelson, arrivals: o.arrivals.String(), horizon: horizon,
			appendTo: func(dst []trace.Job, rng *rand.Rand) ([]trace.Job, error) {
				return workload.AppendFeitelson(dst, rng, workload.FeitelsonJobs, workload.SampleOptions{Arrivals: o.arrivals})
			}},
		{name: grid5000, arrivals: workload.Poisson.String(), horizon: horizon,
			appendTo: func(dst []trace.Job, rng *rand.Rand) ([]trace.Job, error) {
				return workload.AppendGrid5000(dst, rng, workload.Grid5000Jobs, workload.SampleOptions{})
			}},
	}
	return slices.DeleteFunc(all, func(s *jobSource) bool { return o.workload != "" && o.workload != s.name }), nil
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
func (o *options) random(run, stream int) *rand.Rand {
	return rand.New(rand.NewPCG(o.seed, uint64(run*streams+stream)))
}

// sustained is the number of cores that SM always holds under the paper's budget.
const sustained = 64 + 512 + 58

// A oneRun is what is kept of a run.
type oneRun struct {
	jobs                 int
	awrt, awqt, makespan time.Duration
	cost, lowest         pricing.Money
	core                 []float64 // hours, by place
	refused, unfinished  int
	requeued             int
	lost                 float64            // core-hours
	stuck                int                // the index of the first job that did not start, -1 if all did
	levels               []level            // of the credits, by hour, if -credits asks for them
	decisions            []elastic.Decision // of the first run, if -decisions asks for them
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

// A cell is the runs of a policy on a workload in a setup.
type cell struct {
	source *jobSource
	setup  *setup
	policy policy
	runs   []oneRun
}

// results are the cells by workload, then by setup, then by policy.
type results struct {
	opts    *options
	sources []*jobSource
	setups  []*setup
	cells   []cell
	choices []choice

	levels, decisions bool // these are kept
}

// A worker runs simulations, one after another, in its own memory.
type worker struct {
	env  elastic.Simulator
	jobs []trace.Job
}

// evaluate runs everything, on all cores. The results do not depend on their number, since
// every run draws from its own streams.
func (o *options) evaluate(sources []*jobSource, setups []*setup, run *cli.Run) (*results, error) {
	r := &results{opts: o, sources: sources, setups: setups, levels: run.Asked("credits"), decisions: run.Asked("decisions")}
	for _, s := range sources {
		for _, at := range setups {
			for _, p := range o.policies {
				r.cells = append(r.cells, cell{s, at, p, make([]oneRun, o.runs)})
			}
		}
	}
	total := len(r.cells) * o.runs
	workers := make([]worker, parallel.Workers())
	var done atomic.Int64
	err := parallel.Do(total, func(w, i int) (err error) {
		c, k := &r.cells[i%len(r.cells)], i/len(r.cells) // the runs of a slow policy are spread over the time
		c.runs[k], err = r.run(&workers[w], c, k)
		run.Showf("%s of %s runs", decimal.Int(int(done.Add(1))), decimal.Int(total))
		return err
	})
	if err != nil {
		return nil, err
	}
	return r, nil
}

// countBursts counts the samples that would fill more than SM holds.
func (o *options) countBursts(sources []*jobSource) error {
	for _, s := range sources {
		for k := 0; s.log == nil && k < o.runs; k++ {
			jobs, err := s.appendTo(nil, o.random(k, streamJobs))
			if err != nil {
				return err
			}
			demand, err := trace.AppendDemand(nil, jobs, nil, trace.DemandOptions{})
			if err != nil {
				return err
			}
			if slices.Max(demand) > sustained {
				s.bursts++
			}
		}
	}
	return nil
}

// run runs the policy of a cell once.
func (r *results) run(w *worker, c *cell, run int) (one oneRun, err error) {
	o := r.opts
	var jobs []trace.Job
	if c.source.log != nil {
		jobs = c.source.log.Jobs
	} else if w.jobs, err = c.source.appendTo(w.jobs[:0], o.random(run, streamJobs)); err != nil {
		return one, err
	} else {
		jobs = w.jobs
	}
	x, err := w.env.Run(jobs, elastic.Options{
		Local:       o.local,
		Clouds:      c.setup.at(run, o.runs, c.source.horizon),
		Policy:      o.policy(c.policy, o.random(run, streamPolicy)),
		Budget:      o.budget,
		Every:       o.every,
		Horizon:     c.source.horizon,
		Rand:        o.random(run, streamClouds),
		RejectWhole: o.refuse == 1,
		Backfill:    o.queue == 1,
		Overhead:    o.overhead,
		Lead:        o.lead,
		Decisions:   r.decisions && run == 0,
	})
	if err != nil {
		var input *schedule.InputError
		switch {
		case errors.As(err, &input) && strings.HasPrefix(input.Field, "Jobs."):
			return one, cli.Mistakef("%s: job %d cannot be run: %v", c.source.name, jobs[input.Index].ID, input.Err)
		case input != nil && o.clouds != "" && strings.HasPrefix(input.Field, "Clouds.") && input.Index >= 0:
			return one, cli.Mistakef("-clouds %s: the cloud %s: %v", o.clouds, c.setup.clouds[input.Index].Name, input.Err)
		case input != nil, errors.Is(err, pricing.ErrOverflow):
			return one, cli.Mistakef("%s: policy %v: %v", c.source.name, c.policy, err)
		}
		return one, err
	}
	one = oneRun{
		jobs: x.Jobs, awrt: x.AWRT, awqt: x.AWQT, makespan: x.Makespan,
		cost: x.Cost, lowest: x.LowestCredits, unfinished: x.Unfinished,
		stuck:     slices.Index(x.Starts, -1),
		decisions: slices.Clone(x.Decisions),
	}
	if r.levels {
		one.levels = hourly(x.Credits)
	}
	for _, f := range x.Infrastructures {
		one.core = append(one.core, f.CoreHours)
		one.refused += f.Refused
		one.requeued += f.Requeued
		one.lost += f.LostHours
	}
	return one, nil
}

// A spread is a mean and the standard deviation between runs, which is not known
// of a single run. The mean is NaN where no run has the figure.
type spread struct {
	mean, deviation float64
	known           bool
}

// over returns the spread of a figure over the runs that have it: a figure that a run
// does not have is NaN.
func (c *cell) over(figure func(r *oneRun) float64) spread {
	n := 0.
	for i := range c.runs {
		if x := figure(&c.runs[i]); !math.IsNaN(x) {
			n++
		}
	}
	if n == 0 {
		return spread{mean: math.NaN()}
	}
	s := spread{known: n > 1}
	for i := range c.runs {
		if x := figure(&c.runs[i]); !math.IsNaN(x) {
			s.mean += x / n
		}
	}
	if s.known {
		for i := range c.runs {
			if d := figure(&c.runs[i]) - s.mean; !math.IsNaN(d) {
				s.deviation += d * d / (n - 1)
			}
		}
		s.deviation = math.Sqrt(s.deviation)
	}
	return s
}

// seconds returns a time of the jobs that ended, NaN if none did.
func (r *oneRun) seconds(d time.Duration) float64 {
	if r.jobs <= r.unfinished {
		return math.NaN()
	}
	return d.Seconds()
}

func awrt(r *oneRun) float64     { return r.seconds(r.awrt) }
func awqt(r *oneRun) float64     { return r.seconds(r.awqt) }
func makespan(r *oneRun) float64 { return r.seconds(r.makespan) }
func cost(r *oneRun) float64     { return r.cost.Float64() }
func requeued(r *oneRun) float64 { return float64(r.requeued) }
func lost(r *oneRun) float64     { return r.lost }

func coreHours(i int) func(*oneRun) float64 { return func(r *oneRun) float64 { return r.core[i] } }

// lowest returns the lowest credits of any run.
func (c *cell) lowest() pricing.Money {
	m := c.runs[0].lowest
	for i := range c.runs {
		m = min(m, c.runs[i].lowest)
	}
	return m
}

// unfinished returns how many jobs did not end, in all runs.
func (c *cell) unfinished() int {
	n := 0
	for i := range c.runs {
		n += c.runs[i].unfinished
	}
	return n
}

// cell returns the cell of a workload, a setup and a policy, nil if it was not run.
func (r *results) cell(s *jobSource, at *setup, p policy) *cell {
	for i := range r.cells {
		if c := &r.cells[i]; c.source == s && c.setup == at && c.policy == p {
			return c
		}
	}
	return nil
}
