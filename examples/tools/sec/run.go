package main

import (
	"io"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/classfile"
	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/parallel"
	"github.com/plimsoll/plimsoll/examples/internal/semielastic"
	"github.com/plimsoll/plimsoll/examples/internal/userbill"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule/sim"
	"github.com/plimsoll/plimsoll/schedule/sim/bills"
)

// modeRuns are the modes that were run.
type modeRuns struct {
	o          *options
	log        *semielastic.Log
	columns    int // of the terminal
	shown      []semielastic.Run
	individual semielastic.Run // whether shown or not
	prices     pricing.List
	users      *bills.Statement // if asked for
}

// pictured returns the mode that the picture and the files are of: the only one, or sec.
func (o *options) pictured() semielastic.Mode {
	if len(o.modes) == 1 {
		return o.modes[0]
	}
	return semielastic.SEC
}

// picked returns the run of that mode.
func (runs *modeRuns) picked() *semielastic.Run {
	i := slices.IndexFunc(runs.shown, func(r semielastic.Run) bool { return r.Mode == runs.o.pictured() })
	return &runs.shown[i]
}

// load reads the log and says what is in it.
func (o *options) load(run *cli.Run) (*semielastic.Log, error) {
	log, err := semielastic.Load(o.trace, o.cores, o.estimate, o.policy.Seed, run)
	if err != nil {
		return nil, err
	}
	log.Note(run)
	if o.portfolio == semielastic.BuyExact && o.shows(semielastic.Multi) {
		run.Sayf("note: -portfolio exact is for hybrid, multi reserves online")
	}
	return log, nil
}

// finish completes the policy of the flags, once the log is read.
func (o *options) finish(log *semielastic.Log) (p semielastic.Policy, err error) {
	p = o.policy
	p.Epoch = log.Epoch
	if largest := log.Jobs[log.Largest]; p.Nodes == 0 {
		p.Nodes = log.Enough()
	} else if p.Nodes < largest.Nodes && o.shows(semielastic.Local) {
		return p, cli.Mistakef("job %d needs %s of %s, but -nodes is only %s",
			largest.ID, decimal.Count(largest.Nodes, "node"), decimal.Count(o.cores, "processor"), decimal.Int(p.Nodes))
	}
	if o.weights != "" {
		p.Queue.Weights, err = o.readWeights(log)
	}
	return p, err
}

// runAll runs the modes that are to be shown, and individual in any case.
func (o *options) runAll(log *semielastic.Log, run *cli.Run) (*modeRuns, error) {
	p, err := o.finish(log)
	if err != nil {
		return nil, err
	}
	runs := &modeRuns{o: o, log: log, columns: run.Columns, prices: pricing.CC28XLarge2013()}
	if o.classes != "" {
		file, err := classfile.Read("-classes", o.classes, nil)
		if err == nil {
			err = file.Fits(time.Hour)
		}
		if err != nil {
			return nil, err
		}
		runs.prices = file.List
	}
	modes := o.modes
	if !o.shows(semielastic.Individual) {
		modes = append([]semielastic.Mode{semielastic.Individual}, modes...)
	}
	runners := make([]semielastic.Runner, parallel.Workers())
	for w := range runners {
		runners[w] = semielastic.Runner{Log: log, Prices: runs.prices, How: o.portfolio, Progress: func(m semielastic.Mode, ended int) {
			run.Showf("simulating %v: %s of %s jobs", m, decimal.Int(ended), decimal.Int(len(log.Jobs)))
		}}
	}
	all := make([]semielastic.Run, len(modes))
	err = parallel.Do(len(modes), func(w, i int) error {
		r, m := &runners[w], modes[i]
		run.Showf("simulating %v: %s jobs", m, decimal.Int(len(log.Jobs)))
		r.Keep = m == o.pictured()
		x, err := r.Run(m, p)
		if err != nil {
			return err
		}
		x.Starts, x.Levels = slices.Clone(x.Starts), slices.Clone(x.Levels)
		all[i] = x
		return nil
	})
	runs.individual, runs.shown = all[0], all[len(modes)-len(o.modes):]
	return runs, err
}

// saving returns the part of individual's pure cost that a mode saves.
func (runs *modeRuns) saving(r *semielastic.Run) float64 {
	if runs.individual.Pure == 0 {
		return 0
	}
	return 1 - r.Pure.Float64()/runs.individual.Pure.Float64()
}

// charged divides the bill of the run that is picked among the users ([Niu16] section 3).
// It is the pure cost: what is left of the terms is nobody's yet. In the mode individual
// nothing is common, and each user pays for the instances of the user's own jobs.
func (runs *modeRuns) charged() (*bills.Statement, error) {
	const stream = 3 // of randomness, from the seed 1
	r := runs.picked()
	u := bills.Usage{
		Jobs: runs.log.Jobs, Starts: r.Starts, Bill: r.Pure, OnDemand: r.Result.Cost,
		Prices: runs.prices, Meter: pricing.EC2Hourly, Boot: sim.MeasuredBoot,
	}
	if runs.o.policy.Overhead {
		u.Boot = sim.MeasuredBootAndConfiguration
	}
	s, err := new(bills.Divider).Divide(u, rand.New(rand.NewPCG(1, stream)))
	if r.Mode == semielastic.Individual {
		for i := range s.Accounts {
			s.Accounts[i].Pays = s.Accounts[i].Alone
		}
	}
	return &s, err
}

func (runs *modeRuns) writeUsers(w io.Writer) error { return userbill.Write(w, runs.users) }
