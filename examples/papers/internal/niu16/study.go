package niu16

import (
	"math"
	"slices"
	"sync/atomic"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/parallel"
	"github.com/plimsoll/plimsoll/examples/internal/semielastic"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule"
)

// A study is the results of all simulations of a log.
type study struct {
	log      *semielastic.Log
	prices   pricing.List
	modes    [semielastic.Local]result
	hours    []int // of sec: instances charged for in each hour
	used     float64
	nodes    []int // of the local clusters
	local    []result
	hybrid   *semielastic.Run // its cost, hours and what is left
	sweep    []result         // by waitLimits, shorts, places
	queues   []result         // by disciplines without EASY, waitLimits, shorts, margins
	estimate []result         // by alphas, expands
	ratio    []struct{ gce, multi result }
	ec2      result
	overhead []struct{ without, with result } // by waitLimits, expands

	table1, fig2, fig7 figure
	drawn              []result           // of Fig. 2
	rates              map[string]float64 // of Fig. 7
}

// emptyStudy is a study with room for all results.
func emptyStudy() *study {
	return &study{
		prices: pricing.CC28XLarge2013(),
		nodes:  make([]int, len(sizes)), local: make([]result, len(sizes)),
		sweep:    make([]result, len(waitLimits)*len(shorts)*len(places)),
		queues:   make([]result, (len(semielastic.Disciplines)-1)*len(waitLimits)*len(shorts)*margins),
		estimate: make([]result, len(alphas)*len(expands)),
		ratio:    make([]struct{ gce, multi result }, len(ratios)),
		overhead: make([]struct{ without, with result }, len(waitLimits)*len(expands)),
	}
}

// A task is a simulation whose result goes to a place of its own.
type task struct {
	mode   semielastic.Mode
	policy semielastic.Policy
	alpha  int // of alphas, -1: the log's estimates
	to     *result
}

// standard is the paper's policy ([Niu16] section 8.2).
func standard(log *semielastic.Log) semielastic.Policy {
	return semielastic.Policy{Nodes: log.Enough(), WaitLimit: 5 * time.Minute, Short: time.Hour, Ratio: 1, Seed: 1, Epoch: log.Epoch}
}

// run runs the simulations, on all cores: those that the claims are of or, for the whole
// study, those of the figures too.
func (s *study) run(log *semielastic.Log, whole bool, run *cli.Run) error {
	s.log = log
	runners := make([]semielastic.Runner, parallel.Workers())
	for i := range runners {
		runners[i] = semielastic.Runner{Log: log, Prices: s.prices, Closes: true}
	}
	plain, err := runners[0].Run(semielastic.SEC, standard(log))
	if err != nil {
		return err
	}
	s.modes[semielastic.SEC] = resultOf(&plain)
	s.hours, s.used = slices.Clone(plain.Clouds[0].Hours), plain.UsedHours
	tasks := s.tasks(whole)
	var done atomic.Int64
	err = parallel.Do(len(tasks), func(w, i int) error {
		t, r := tasks[i], &runners[w]
		r.Log = log
		if t.alpha >= 0 {
			r.Log = estimated(log, alphas[t.alpha].num, alphas[t.alpha].den)
		}
		x, err := r.Run(t.mode, t.policy)
		if err != nil {
			return err
		}
		*t.to = resultOf(&x)
		if t.mode == semielastic.Hybrid { // once
			s.hybrid = &x
		}
		run.Showf("%s: %d of %d simulations", log.Name, done.Add(1), len(tasks))
		return nil
	})
	if err == nil {
		err = s.buy()
	}
	return err
}

// buy compares ways to buy reservations for the demand of the cluster.
func (s *study) buy() (err error) {
	name := s.log.Title()
	if s.table1, err = s.shares(name); err != nil {
		return err
	}
	if s.fig2, s.drawn, err = fig2(s.prices); err != nil {
		return err
	}
	s.fig7, s.rates, err = s.ways(name)
	return err
}

// tasks lists the simulations.
func (s *study) tasks(whole bool) (tasks []task) {
	base := standard(s.log)
	add := func(m semielastic.Mode, p semielastic.Policy, to *result) {
		tasks = append(tasks, task{m, p, -1, to})
	}
	for m := range semielastic.Local {
		if m != semielastic.SEC {
			add(m, base, &s.modes[m])
		}
	}
	for i, x := range sizes {
		p := base
		p.Nodes = int(math.Ceil(x * float64(s.log.Jobs[s.log.Largest].Nodes)))
		s.nodes[i] = p.Nodes
		add(semielastic.Local, p, &s.local[i])
	}
	for i := range alphas {
		for j, e := range expands {
			p := base
			p.Expansion = e
			tasks = append(tasks, task{semielastic.SEC, p, i, &s.estimate[i*len(expands)+j]})
		}
	}
	for i, r := range ratios {
		p := base
		p.Ratio = r
		add(semielastic.GCE, p, &s.ratio[i].gce)
		add(semielastic.Multi, p, &s.ratio[i].multi)
	}
	for i, w := range waitLimits {
		for j, e := range expands {
			p := base
			p.WaitLimit, p.Expansion = w, e
			at := &s.overhead[i*len(expands)+j]
			add(semielastic.SEC, p, &at.without)
			p.Overhead = true
			add(semielastic.SEC, p, &at.with)
		}
	}
	// EC2 alone, bought as for several clouds: a Google that is never cheaper.
	alone := base
	alone.Ratio = semielastic.MaxRatio
	add(semielastic.Multi, alone, &s.ec2)
	return append(tasks, s.sweeps(base, whole)...)
}

// sweeps lists the simulations over T_waitlmt, T_short, the placement and the discipline. The
// claims are of the choices that differ from the standard in one of the first three.
func (s *study) sweeps(base semielastic.Policy, whole bool) (tasks []task) {
	for d, discipline := range semielastic.Disciplines {
		for w, limit := range waitLimits {
			for k, short := range shorts {
				for p, place := range places {
					differs := 0
					for _, other := range []bool{d != 0, w != 1, k != 2, p != 0} {
						if other {
							differs++
						}
					}
					if d > 0 && (p >= margins || !whole) || !whole && differs > 1 {
						continue
					}
					x := base
					x.WaitLimit, x.Short, x.Placement, x.Expansion, x.Queue = limit, short, place, schedule.BestSize, discipline
					tasks = append(tasks, task{semielastic.SEC, x, -1, s.queued(d, w, k, p)})
				}
			}
		}
	}
	return tasks
}

// estimated returns a log whose jobs' run times are overestimated by a multiple of what
// they are in this one ([Niu16] section 8.4).
func estimated(log *semielastic.Log, num, den int64) *semielastic.Log {
	other := *log
	other.Jobs = slices.Clone(log.Jobs)
	for i := range other.Jobs {
		j := &other.Jobs[i]
		j.Estimate = j.Run + (j.Estimate-j.Run)/time.Duration(den)*time.Duration(num)
	}
	return &other
}
