package semielastic

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/placement"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
	"github.com/plimsoll/plimsoll/schedule"
	"github.com/plimsoll/plimsoll/schedule/sim"
)

// A Run is the result of a mode.
type Run struct {
	Mode     Mode
	Nodes    int           // of the local cluster, else the most instances held
	Paid     pricing.Money // all that is paid; of local: of owning it
	Pure     pricing.Money // less what unused terms are worth
	Reserved int           // reservations bought
	Left     Rest          // of their terms
	Hours    []int         // of hybrid: what is charged in each hour of the log
	sim.Result
}

// A Rest is what is left of terms when a log ends.
type Rest struct {
	Upfront pricing.Money // prorated
	Hours   pricing.Money // that are owed
}

// Rate returns the pure cost of a used instance-hour.
func (r *Run) Rate() float64 { return r.Pure.Float64() / r.UsedHours }

// A Runner runs modes of a log, one at a time.
type Runner struct {
	Log      *Log
	Prices   pricing.List
	How      Buying
	Closes   bool // multi knows that nobody submits anything after the last job
	Keep     bool // starts and levels, for a picture or a file
	Progress func(m Mode, ended int)

	simulator sim.Simulator
}

// Run runs a mode. The slices of the result are the runner's, until the next run.
func (r *Runner) Run(m Mode, p Policy) (Run, error) {
	run := Run{Mode: m}
	var portfolio func([]placement.Reservation, []int) ([]placement.Reservation, error)
	var ec2 *online
	if m == Multi && r.How != BuyNothing {
		google, err := p.google(r.Prices)
		if err == nil {
			ec2, err = newOnline(r.How, r.Prices, google.Hourly, google.Discount, r.end())
		}
		if err != nil {
			return run, r.explain(m, err)
		}
		portfolio = ec2.Observe
	}
	cfg, err := p.config(m, r.Prices, portfolio)
	if err != nil {
		return run, r.explain(m, err)
	}
	if r.Progress != nil {
		cfg.Progress = func(ended int) { r.Progress(m, ended) }
	}
	if r.Keep {
		run.Result, err = r.simulator.Run(r.Log.Jobs, cfg)
	} else {
		run.Result, err = r.simulator.Stream(r.Log.each, cfg, nil, nil)
	}
	if err != nil {
		return run, r.explain(m, err)
	}
	run.Nodes, run.Paid = run.Peak, run.Cost
	run.Pure = run.Paid
	switch {
	case m == Local:
		run.Nodes = p.Nodes
		run.Paid, err = pricing.Niu16Cluster(p.Nodes, run.Makespan)
		if err != nil {
			return run, cli.Mistakef("-nodes %d: owning such a cluster: %v", p.Nodes, err)
		}
		run.Pure = run.Paid
	case m == Hybrid:
		bought, e := Buy(r.How, r.Prices, run.Clouds[0].Hours, reserve.Pure)
		if err = e; err == nil {
			err = run.charge(r.Prices, bought, 0)
		}
		run.Hours = slices.Clone(run.Clouds[0].Hours)
	case ec2 != nil:
		err = run.charge(r.Prices, ec2.bought, run.Clouds[1].Cost)
	}
	if err != nil {
		return run, r.explain(m, err)
	}
	return run, nil
}

// charge bills the first cloud's instances with purchases, and adds what the
// other costs.
func (run *Run) charge(list pricing.List, bought []pricing.Purchase, other pricing.Money) error {
	b, err := Bill(list, run.Clouds[0].Hours, bought)
	if err == nil {
		run.Paid, err = b.Total.Add(other)
	}
	if err == nil {
		run.Pure, err = b.Pure.Add(other)
	}
	run.Left = Rest{b.Residual - b.Committed, b.Committed}
	for _, q := range bought {
		if q.Slot < len(run.Clouds[0].Hours) {
			run.Reserved += q.Count
		}
	}
	return err
}

// explain says whose mistake an error is.
func (r *Runner) explain(m Mode, err error) error {
	var input *schedule.InputError
	var planned *reserve.InputError
	switch {
	case errors.As(err, &input) && strings.HasPrefix(input.Field, "Jobs."):
		return cli.Mistakef("%s: job %d cannot be run: %v", r.Log.Name, r.Log.Jobs[input.Index].ID, err)
	case input != nil, errors.As(err, &planned), errors.Is(err, pricing.ErrOverflow):
		return cli.Mistakef("%s: mode %v: %v", r.Log.Name, m, err)
	}
	return err
}

// end returns the hour of the log's time from which on multi expects no demand: none where
// it compares with hybrid, in pure cost, and the last submission where totals are compared
// ([Niu16] section 8.6).
func (r *Runner) end() int {
	if !r.Closes {
		return forever
	}
	return int((r.Log.Jobs[len(r.Log.Jobs)-1].Submit + time.Hour - 1) / time.Hour)
}

// A Mode is a way of running the log ([Niu16] section 8.2).
type Mode uint8

const (
	Individual Mode = iota // each job has instances of its own
	NoWait                 // one cluster, which grows for every job that cannot start
	SEC                    // one cluster, which grows when the queue would wait for too long
	Hybrid                 // SEC with reservations
	GCE                    // SEC at Google
	Multi                  // SEC at both
	Local                  // a cluster of fixed size
)

// ModeNames are the names of the modes.
var ModeNames = [...]string{"individual", "nowait", "sec", "hybrid", "gce", "multi", "local"}

func (m Mode) String() string               { return ModeNames[m] }
func (m Mode) MarshalText() ([]byte, error) { return []byte(ModeNames[m]), nil }

// Modes is the order of the modes in tables, from the dearest on demand to the owned
// cluster.
var Modes = []Mode{Individual, NoWait, SEC, Hybrid, GCE, Multi, Local}

// MinRatio and MaxRatio bound GCE's price over EC2's.
const (
	MinRatio = .001
	MaxRatio = 1000
)

// A Policy is what a run goes by, beside its mode.
type Policy struct {
	Nodes     int // of local
	WaitLimit time.Duration
	Short     time.Duration
	Expansion schedule.Expansion
	Placement placement.Policy
	Seed      uint64
	Overhead  bool // of configuring and formatting instances
	Queue     Discipline
	Ratio     float64   // GCE's price over EC2's
	Epoch     time.Time // of the log's time 0
}

// reformatting is how long it takes to format the instances of another user
// ([Niu16] section 8.7).
const reformatting = 3400 * time.Millisecond

// config returns how a mode is simulated. Hybrid and sec are one schedule: with
// one cloud it does not depend on what is reserved. The portfolio is for multi.
func (p Policy) config(m Mode, list pricing.List, portfolio func([]placement.Reservation, []int) ([]placement.Reservation, error)) (sim.Options, error) {
	cfg := sim.Options{
		Nodes:     p.Nodes,
		Hourly:    list.OnDemand,
		WaitLimit: limit(p.WaitLimit),
		Short:     limit(p.Short),
		Expansion: p.Expansion,
		Placement: p.Placement,
		Epoch:     p.Epoch,
		Rand:      rand.New(rand.NewPCG(p.Seed, streamPlacement)),
	}
	if p.Overhead {
		cfg.Boot, cfg.Reformat = sim.MeasuredBootAndConfiguration, reformatting
	}
	google, err := p.google(list)
	if err != nil {
		return cfg, err
	}
	if m != Multi {
		cfg.Scheduler = p.Queue.scheduler()
	}
	switch m {
	case Individual:
		cfg.Mode = sim.Individual
	case NoWait:
		cfg.Mode = sim.NoWait
	case Local:
		cfg.Mode = sim.Local
	case GCE:
		cfg.Clouds = []sim.Cloud{google}
	case Multi:
		cfg.Clouds = []sim.Cloud{{Name: "EC2", Portfolio: portfolio}, google}
		for i := range cfg.Clouds { // each cloud has a queue of its own
			cfg.Clouds[i].Scheduler = p.Queue.scheduler()
		}
	}
	return cfg, nil
}

// google is Google's cloud with instances like EC2's at a ratio of their price.
func (p Policy) google(list pricing.List) (sim.Cloud, error) {
	const fine = 1_000_000_000
	hourly, err := list.OnDemand.Prorate(time.Duration(p.Ratio*fine+.5), fine, pricing.HalfEven)
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
