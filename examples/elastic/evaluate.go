package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/joblog"
	"github.com/plimsoll/plimsoll/examples/internal/progress"
	"github.com/plimsoll/plimsoll/pricing"
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
	bursts   int                                                        // runs in which the jobs would, if nobody waited, fill more than SM holds
}

// workloads returns what is to be run.
func (o *options) workloads(line *progress.Line) ([]*jobSource, error) {
	if o.trace != "" {
		log, err := joblog.Read("-trace", o.trace, trace.Options{PerInstance: 1, Alpha: trace.NewAlpha(1)}, line)
		if err != nil {
			return nil, err
		}
		return []*jobSource{{name: o.trace, log: log}}, nil
	}
	var sources []*jobSource
	if o.workload != grid5000 {
		sources = append(sources, &jobSource{
			name: feitelson, arrivals: o.arrivals.String(), horizon: elastic.Marshall12Horizon,
			appendTo: func(dst []trace.Job, rng *rand.Rand) ([]trace.Job, error) {
				return workload.AppendFeitelson(dst, rng, workload.FeitelsonJobs, workload.SampleOptions{Arrivals: o.arrivals})
			},
		})
	}
	if o.workload != feitelson {
		sources = append(sources, &jobSource{
			name: grid5000, arrivals: workload.Poisson.String(), horizon: elastic.Marshall12Horizon,
			appendTo: func(dst []trace.Job, rng *rand.Rand) ([]trace.Job, error) {
				return workload.AppendGrid5000(dst, rng, workload.Grid5000Jobs, workload.SampleOptions{})
			},
		})
	}
	return sources, nil
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

// What SM holds: the cores that are always there under the paper's budget.
const sustained = 64 + 512 + 58

// note says on stderr what is run, and what was left out.
func (o *options) note(stderr io.Writer, sources []*jobSource) {
	for _, s := range sources {
		if s.log == nil {
			continue
		}
		fmt.Fprintf(stderr, "%s: %s: %v\n", program, s.name, &s.log.Report)
		for _, x := range []struct {
			n    int
			what string
		}{
			{s.log.Stats.Short, "lines of fewer than 18 fields, the rest taken as unknown"},
			{s.log.Stats.Extra, "lines of more than 18 fields, the rest not read"},
			{s.log.Stats.Rounded, "lines with times finer than a nanosecond, rounded"},
		} {
			if x.n > 0 {
				fmt.Fprintf(stderr, "  read: %s: %d\n", x.what, x.n)
			}
		}
	}
	if n := len(o.ineffective); n > 0 {
		verb := "changes"
		if n > 1 {
			verb = "change"
		}
		fmt.Fprintf(stderr, "%s: note: %s %s nothing here\n", program, strings.Join(o.ineffective, " and "), verb)
	}
}

// A oneRun is what is kept of a run.
type oneRun struct {
	jobs                 int
	awrt, awqt, makespan time.Duration
	cost, lowest         pricing.Money
	core                 [3]float64 // hours: local, private, commercial
	refused, unfinished  int
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

// A cell is the runs of a policy on a workload at a rejection rate.
type cell struct {
	source *jobSource
	reject float64
	policy policyName
	runs   []oneRun
}

// results are the cells: by workload, then by rate, then by policy.
type results struct {
	opts    *options
	sources []*jobSource
	cells   []cell
}

// A worker runs simulations, one after another, in its own memory.
type worker struct {
	opts *options
	env  elastic.Simulator
	jobs []trace.Job
}

// evaluate runs everything, on as many goroutines as there are workers. The
// results do not depend on their number: every run draws from streams of its own.
func (o *options) evaluate(sources []*jobSource, workers int, line *progress.Line) (*results, error) {
	r := &results{opts: o, sources: sources}
	for _, s := range sources {
		for _, reject := range o.reject {
			for _, p := range o.policies {
				r.cells = append(r.cells, cell{s, reject, p, make([]oneRun, o.runs)})
			}
		}
	}
	total := len(r.cells) * o.runs
	failed := make([]error, total)
	var next, done atomic.Int64
	var stopped atomic.Bool
	var group sync.WaitGroup
	for range min(workers, total) {
		group.Go(func() {
			w := worker{opts: o}
			for !stopped.Load() {
				i := int(next.Add(1)) - 1
				if i >= total {
					return
				}
				// A policy's runs are spread over the time, the slow ones too.
				c, run := &r.cells[i%len(r.cells)], i/len(r.cells)
				if c.runs[run], failed[i] = w.run(c, run); failed[i] != nil {
					stopped.Store(true)
				}
				line.Showf("%s of %s runs", decimal.Int(int(done.Add(1))), decimal.Int(total))
			}
		})
	}
	group.Wait()
	for _, err := range failed { // the first, if several have failed
		if err != nil {
			return nil, err
		}
	}
	for _, s := range sources {
		if s.log == nil {
			for run := range o.runs {
				jobs, err := s.appendTo(nil, o.random(run, streamJobs))
				if err != nil {
					return nil, err
				}
				if peak(jobs) > sustained {
					s.bursts++
				}
			}
		}
	}
	return r, nil
}

// run runs the policy of a cell once.
func (w *worker) run(c *cell, run int) (oneRun, error) {
	o := w.opts
	jobs := []trace.Job(nil)
	if c.source.log != nil {
		jobs = c.source.log.Jobs
	} else {
		var err error
		if w.jobs, err = c.source.appendTo(w.jobs[:0], o.random(run, streamJobs)); err != nil {
			return oneRun{}, err
		}
		jobs = w.jobs
	}
	r, err := w.env.Run(jobs, elastic.Options{
		Local:     elastic.Marshall12Local,
		Clouds:    elastic.Marshall12Clouds(c.reject),
		Policy:    c.policy.policy(o.random(run, streamPolicy), o.search),
		Budget:    o.budget,
		Horizon:   c.source.horizon,
		Rand:      o.random(run, streamClouds),
		Decisions: o.decisions != "" && run == 0,
	})
	if err != nil {
		var input *elastic.InputError
		switch {
		case errors.As(err, &input) && input.Index >= 0:
			return oneRun{}, cli.Mistakef("%s: job %d cannot be run: %v", c.source.name, jobs[input.Index].ID, input.Err)
		case input != nil, errors.Is(err, pricing.ErrOverflow):
			return oneRun{}, cli.Mistakef("%s: policy %v: %v", c.source.name, c.policy, err)
		}
		return oneRun{}, err
	}
	one := oneRun{
		jobs: r.Jobs, awrt: r.AWRT, awqt: r.AWQT, makespan: r.Makespan,
		cost: r.Cost, lowest: r.LowestCredits, unfinished: r.Unfinished,
		stuck:     slices.Index(r.Starts, -1),
		decisions: slices.Clone(r.Decisions),
	}
	if o.credits != "" {
		one.levels = hourly(r.Credits)
	}
	for i, x := range r.Infrastructures {
		one.core[i] = x.CoreHours
		one.refused += x.Refused
	}
	return one, nil
}

// policy returns a new policy.
func (p policyName) policy(rng *rand.Rand, search elastic.Search) elastic.Policy {
	switch p {
	case sm:
		return new(elastic.SM)
	case od:
		return new(elastic.OD)
	case odPlus:
		return new(elastic.ODPlus)
	case aqtp:
		return &elastic.AQTP{Response: response, Threshold: threshold}
	case mcop2080:
		return &elastic.MCOP{CostWeight: .2, Rand: rng, Search: search}
	default:
		return &elastic.MCOP{CostWeight: .8, Rand: rng, Search: search}
	}
}

// peak returns the most cores that the jobs would fill at once if nobody waited.
func peak(jobs []trace.Job) int {
	type change struct {
		at    time.Duration
		cores int
	}
	var changes []change
	for _, j := range jobs {
		changes = append(changes, change{j.Submit, j.Nodes}, change{j.Submit + j.Run, -j.Nodes})
	}
	slices.SortFunc(changes, func(a, b change) int {
		if a.at != b.at {
			return int(min(max(a.at-b.at, -1), 1))
		}
		return a.cores - b.cores // those that end come first; equal ones are alike
	})
	now, most := 0, 0
	for _, c := range changes {
		now += c.cores
		most = max(most, now)
	}
	return most
}

// A spread is a mean and the standard deviation between runs, which is not known
// of a single run.
type spread struct {
	mean, deviation float64
	known           bool
}

// over returns the spread of a figure of the runs.
func (c *cell) over(figure func(r *oneRun) float64) spread {
	n := float64(len(c.runs))
	s := spread{known: n > 1}
	for i := range c.runs {
		s.mean += figure(&c.runs[i]) / n
	}
	if s.known {
		for i := range c.runs {
			d := figure(&c.runs[i]) - s.mean
			s.deviation += d * d / (n - 1)
		}
		s.deviation = math.Sqrt(s.deviation)
	}
	return s
}

func awrt(r *oneRun) float64     { return r.awrt.Seconds() }
func awqt(r *oneRun) float64     { return r.awqt.Seconds() }
func makespan(r *oneRun) float64 { return r.makespan.Seconds() }
func cost(r *oneRun) float64     { return r.cost.Float64() }

func coreHours(i int) func(*oneRun) float64 { return func(r *oneRun) float64 { return r.core[i] } }

// lowest returns the lowest credits of any run.
func (c *cell) lowest() pricing.Money {
	m := c.runs[0].lowest
	for i := range c.runs {
		m = min(m, c.runs[i].lowest)
	}
	return m
}

// stuck returns the run and the index of the first job that did not start in one,
// -1 if all did.
func (c *cell) stuck() (run, job int) {
	for i := range c.runs {
		if job := c.runs[i].stuck; job >= 0 {
			return i, job
		}
	}
	return 0, -1
}

// unfinished returns how many jobs did not end, in all runs.
func (c *cell) unfinished() int {
	n := 0
	for i := range c.runs {
		n += c.runs[i].unfinished
	}
	return n
}

// cell returns the cell of a workload, a rate and a policy, nil if it was not run.
func (r *results) cell(s *jobSource, reject float64, p policyName) *cell {
	for i := range r.cells {
		if c := &r.cells[i]; c.source == s && c.reject == reject && c.policy == p {
			return c
		}
	}
	return nil
}
