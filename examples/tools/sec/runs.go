package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/parallel"
	"github.com/plimsoll/plimsoll/placement"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
	"github.com/plimsoll/plimsoll/schedule"
	"github.com/plimsoll/plimsoll/schedule/sim"
	"github.com/plimsoll/plimsoll/schedule/sim/bills"
)

// modeRun is the result of a mode.
type modeRun struct {
	mode     mode
	nodes    int           // of the local cluster, else the most instances held
	cost     pricing.Money // all that is paid; of local: of owning it
	pure     pricing.Money // less what unused terms are worth
	saving   float64       // of the pure cost, over individual's
	reserved int           // reservations bought
	left     rest          // of their terms
	hours    []int         // of hybrid: what is charged in each hour of the log
	sim.Result
}

// rate returns the pure cost of a used instance-hour.
func (r *modeRun) rate() float64 { return r.pure.Float64() / r.UsedHours }

// modeRuns are the modes that were run.
type modeRuns struct {
	o          *options
	log        *jobLog
	columns    int // of the terminal
	shown      []modeRun
	individual modeRun // whether shown or not
	prices     pricing.List
	users      *bills.Statement // if asked for
	market     *marketplace     // likewise
}

// picked returns the run that the picture and the files are of: the only one that has
// starts and levels.
func (r *modeRuns) picked() *modeRun {
	for i := range r.shown {
		if r.shown[i].mode == r.o.pictured() {
			return &r.shown[i]
		}
	}
	return &r.shown[0]
}

// pictured returns the mode that the picture and the files are of.
func (o *options) pictured() mode {
	if o.shows(sec) {
		return sec
	}
	return inOrder[slices.IndexFunc(inOrder, func(m mode) bool { return o.shows(m) })]
}

// A runner runs modes of a log, one at a time.
type runner struct {
	log       *jobLog
	prices    pricing.List
	how       buying
	closes    bool // multi knows that nobody submits anything after the last job
	simulator *sim.Simulator
	keep      bool // starts and levels, for a picture or a file
	progress  func(m mode, ended int)
}

// run runs a mode. The slices of the result are the runner's, until the next run.
func (r *runner) run(m mode, p policy) (modeRun, error) {
	run := modeRun{mode: m}
	var portfolio sim.Portfolio
	var ec2 *online
	if m == multi && r.how != buyNothing {
		google, err := p.google(r.prices)
		if err == nil {
			ec2, err = newOnline(r.how, r.prices, google.Hourly, google.Discount, r.end())
		}
		if err != nil {
			return run, r.explain(m, err)
		}
		portfolio = ec2
	}
	cfg, err := p.config(m, r.prices, portfolio)
	if err != nil {
		return run, r.explain(m, err)
	}
	if r.progress != nil {
		cfg.Progress = func(ended int) { r.progress(m, ended) }
	}
	if r.keep {
		run.Result, err = r.simulator.Run(r.log.jobs, cfg)
	} else {
		run.Result, err = r.simulator.Stream(r.log.each, cfg, sim.Sink{})
	}
	if err != nil {
		return run, r.explain(m, err)
	}
	run.nodes, run.cost = run.Peak, run.Cost
	run.pure = run.cost
	switch {
	case m == local:
		run.nodes = p.nodes
		run.cost, err = pricing.Niu16Cluster().Over(p.nodes, run.Makespan)
		if err != nil {
			return run, cli.Mistakef("-nodes %d: owning such a cluster: %v", p.nodes, err)
		}
		run.pure = run.cost
	case m == hybrid:
		bought, e := buy(r.how, r.prices, run.Clouds[0].Hours, reserve.Pure)
		if err = e; err == nil {
			err = run.charge(r.prices, bought, 0)
		}
		run.hours = slices.Clone(run.Clouds[0].Hours)
	case ec2 != nil:
		err = run.charge(r.prices, ec2.bought, run.Clouds[1].Cost)
	}
	if err != nil {
		return run, r.explain(m, err)
	}
	return run, nil
}

// charge bills the first cloud's instances with purchases, and adds what the
// other costs.
func (run *modeRun) charge(list pricing.List, bought []pricing.Purchase, other pricing.Money) error {
	b, err := bill(list, run.Clouds[0].Hours, bought)
	if err == nil {
		run.cost, err = b.Total.Add(other)
	}
	if err == nil {
		run.pure, err = b.Pure.Add(other)
	}
	run.left = rest{b.Residual - b.Committed, b.Committed}
	for _, q := range bought {
		if q.Slot < len(run.Clouds[0].Hours) {
			run.reserved += q.Count
		}
	}
	return err
}

// explain says whose mistake an error is.
func (r *runner) explain(m mode, err error) error {
	var input *sim.InputError
	var planned *reserve.InputError
	switch {
	case errors.As(err, &input) && strings.HasPrefix(input.Field, "Jobs."):
		return cli.Mistakef("%s: job %d cannot be run: %v", r.log.name, r.log.jobs[input.Index].ID, err)
	case input != nil, errors.As(err, &planned), errors.Is(err, pricing.ErrOverflow):
		return cli.Mistakef("%s: mode %v: %v", r.log.name, m, err)
	}
	return err
}

// policy returns what the flags say of how modes are run.
func (o *options) policy(log *jobLog) (policy, error) {
	nodes := o.nodes
	if largest := log.jobs[log.largest]; nodes == 0 {
		nodes = log.enough()
	} else if nodes < largest.Nodes && o.shows(local) {
		return policy{}, cli.Mistakef("job %d needs %s of %s, but -nodes is only %s",
			largest.ID, decimal.Count(largest.Nodes, "node"), decimal.Count(o.cores, "processor"), decimal.Int(nodes))
	}
	queue, err := o.discipline(log)
	if err != nil {
		return policy{}, err
	}
	return policy{
		queue: queue,
		nodes: nodes, waitLimit: o.waitLimit, short: o.short, expand: o.expand, place: o.place,
		seed: o.seed, overhead: o.overhead, ratio: o.ratio, epoch: log.epoch,
	}, nil
}

// runAll runs the modes that are to be shown, and individual in any case.
func (o *options) runAll(log *jobLog, run *cli.Run) (*modeRuns, error) {
	p, err := o.policy(log)
	if err != nil {
		return nil, err
	}
	runs := &modeRuns{o: o, log: log, columns: run.Columns, prices: pricing.CC28XLarge2013()}
	var modes []mode
	for _, m := range inOrder { // individual is the first
		if o.shows(m) || m == individual {
			modes = append(modes, m)
		}
	}
	runners := make([]*runner, parallel.Workers())
	for w := range runners {
		runners[w] = &runner{log: log, prices: runs.prices, how: o.portfolio, simulator: new(sim.Simulator), progress: func(m mode, ended int) {
			run.Showf("simulating %v: %s of %s jobs", m, decimal.Int(ended), decimal.Int(len(log.jobs)))
		}}
	}
	all := make([]modeRun, len(modes))
	err = parallel.Do(len(modes), func(w, i int) error {
		r, m := runners[w], modes[i]
		run.Showf("simulating %v: %s jobs", m, decimal.Int(len(log.jobs)))
		r.keep = m == o.pictured()
		x, err := r.run(m, p)
		if err != nil {
			return err
		}
		x.Starts, x.Levels = slices.Clone(x.Starts), slices.Clone(x.Levels)
		all[i] = x
		return nil
	})
	if err != nil {
		return nil, err
	}
	runs.individual = all[0]
	for i, m := range modes {
		x := &all[i]
		if base := runs.individual.pure; base > 0 {
			x.saving = 1 - float64(x.pure)/float64(base)
		}
		if o.shows(m) {
			runs.shown = append(runs.shown, *x)
		}
	}
	return runs, nil
}

// end returns the hour of the log's time from which on multi expects no demand: none where
// it compares with hybrid, in pure cost, and the last submission where totals are compared
// ([Niu16] section 8.6).
func (r *runner) end() int {
	if !r.closes {
		return forever
	}
	return int((r.log.jobs[len(r.log.jobs)-1].Submit + time.Hour - 1) / time.Hour)
}

// A mode is a way of running the log ([Niu16] section 8.2).
type mode uint8

const (
	individual mode = iota
	nowait
	sec
	hybrid
	gce
	multi
	local
)

var modeNames = [...]string{"individual", "nowait", "sec", "hybrid", "gce", "multi", "local"}

func (m mode) String() string               { return modeNames[m] }
func (m mode) MarshalText() ([]byte, error) { return []byte(modeNames[m]), nil }

// inOrder is the order of the modes in tables, from the dearest on demand to the owned
// cluster.
var inOrder = []mode{individual, nowait, sec, hybrid, gce, multi, local}

// policy is what a run goes by, beside its mode.
type policy struct {
	nodes     int // of local
	waitLimit time.Duration
	short     time.Duration
	expand    schedule.Expansion
	place     placement.Policy
	seed      uint64
	overhead  bool
	queue     discipline
	ratio     float64   // GCE's price over EC2's
	epoch     time.Time // of the log's time 0
}

// reformatting is how long it takes to format the instances of another user
// ([Niu16] section 8.7).
const reformatting = 3400 * time.Millisecond

// config returns how a mode is simulated. Hybrid and sec are one schedule: with
// one cloud it does not depend on what is reserved. The portfolio is for multi.
func (p policy) config(m mode, list pricing.List, portfolio sim.Portfolio) (sim.Options, error) {
	cfg := sim.Options{
		Nodes:     p.nodes,
		Hourly:    list.OnDemand,
		WaitLimit: limit(p.waitLimit),
		Short:     limit(p.short),
		Expansion: p.expand,
		Placement: p.place,
		Epoch:     p.epoch,
		Rand:      rand.New(rand.NewPCG(p.seed, streamPlacement)),
	}
	if p.overhead {
		cfg.Boot, cfg.Reformat = sim.MeasuredBootAndConfiguration, reformatting
	}
	google, err := p.google(list)
	if err != nil {
		return cfg, err
	}
	if m != multi {
		cfg.Scheduler = p.queue.scheduler()
	}
	switch m {
	case individual:
		cfg.Mode = sim.Individual
	case nowait:
		cfg.Mode = sim.NoWait
	case local:
		cfg.Mode = sim.Local
	case gce:
		cfg.Clouds = []sim.Cloud{google}
	case multi:
		cfg.Clouds = []sim.Cloud{{Name: "EC2", Portfolio: portfolio}, google}
		for i := range cfg.Clouds { // each cloud has a queue of its own
			cfg.Clouds[i].Scheduler = p.queue.scheduler()
		}
	}
	return cfg, nil
}

// google is Google's cloud with instances like EC2's at a ratio of their price.
func (p policy) google(list pricing.List) (sim.Cloud, error) {
	const fine = 1_000_000_000
	hourly, err := list.OnDemand.Prorate(time.Duration(p.ratio*fine+.5), fine, pricing.HalfEven)
	if err == nil && hourly <= 0 {
		err = fmt.Errorf("a price of %v an hour", hourly)
	}
	return sim.Cloud{Name: "GCE", Meter: pricing.GCE2014, Hourly: hourly, Discount: pricing.GCE2014SustainedUse}, err
}

// limit is a flag's span of time as package sim takes it, where 0 is the default.
func limit(d time.Duration) time.Duration {
	if d == 0 {
		return schedule.AtOnce
	}
	return d
}
