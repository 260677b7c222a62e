package main

import (
	"errors"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/progress"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule/sim"
)

// modeRun is what came of a mode.
type modeRun struct {
	mode   sim.Mode
	nodes  int           // of the local cluster, else the most instances held
	cost   pricing.Money // of local: of owning it
	saving float64       // over individual, as a fraction of its cost
	sim.Result
}

// modeRuns are the modes that were run.
type modeRuns struct {
	shown      []modeRun
	individual modeRun // whether shown or not
	prices     pricing.List
}

// picked returns the run that the picture and the files are of.
func (r *modeRuns) picked() *modeRun {
	for i := range r.shown {
		if r.shown[i].mode == sim.SEC {
			return &r.shown[i]
		}
	}
	return &r.shown[0]
}

// runAll runs the modes that are to be shown, and individual in any case.
func (o *options) runAll(log *jobLog, line *progress.Line) (*modeRuns, error) {
	nodes := o.nodes
	if largest := log.jobs[log.largest]; nodes == 0 {
		nodes = log.enough()
	} else if nodes < largest.Nodes && o.shows(sim.Local) {
		return nil, cli.Mistakef("job %d needs %s of %s, but -nodes is only %s",
			largest.ID, decimal.Count(largest.Nodes, "node"), decimal.Count(o.cores, "processor"), decimal.Int(nodes))
	}
	runs := &modeRuns{prices: pricing.CC28XLarge2013()}
	var simulator sim.Simulator
	for _, mode := range inOrder { // individual is the first
		if !o.shows(mode) && mode != sim.Individual {
			continue
		}
		line.Showf("simulating %v: %s jobs", mode, decimal.Int(len(log.jobs)))
		cfg := sim.Config{
			Mode:      mode,
			Nodes:     nodes,
			Hourly:    runs.prices.OnDemand,
			WaitLimit: limit(o.waitLimit),
			Short:     limit(o.short),
			Expansion: o.expand,
			Placement: o.place,
			Rand:      rand.New(rand.NewPCG(o.seed, streamPlacement)),
			Progress: func(ended int) {
				line.Showf("simulating %v: %s of %s jobs", mode, decimal.Int(ended), decimal.Int(len(log.jobs)))
			},
		}
		result, err := simulator.Run(log.jobs, cfg)
		if err != nil {
			var input *sim.InputError
			switch {
			case errors.As(err, &input) && input.Index >= 0:
				return nil, cli.Mistakef("%s: job %d cannot be run: %v", log.name, log.jobs[input.Index].ID, err)
			case input != nil, errors.Is(err, pricing.ErrOverflow):
				return nil, cli.Mistakef("%s: mode %v: %v", log.name, mode, err)
			}
			return nil, err
		}
		run := modeRun{mode: mode, nodes: result.Peak, cost: result.Cost, Result: result}
		if mode == sim.Local {
			run.nodes = nodes
			if run.cost, err = pricing.Niu16Cluster().Over(nodes, result.Makespan); err != nil {
				return nil, cli.Mistakef("-nodes %d: owning such a cluster: %v", nodes, err)
			}
		}
		if mode == sim.Individual {
			runs.individual = run
		}
		if base := runs.individual.cost; base > 0 {
			run.saving = 1 - float64(run.cost)/float64(base)
		}
		if o.shows(mode) {
			run.Starts = slices.Clone(run.Starts)
			run.Levels = slices.Clone(run.Levels)
			runs.shown = append(runs.shown, run)
		}
	}
	return runs, nil
}

// limit is a flag's span of time as package sim takes it, where 0 is the default.
func limit(d time.Duration) time.Duration {
	if d == 0 {
		return sim.AtOnce
	}
	return d
}
