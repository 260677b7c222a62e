package main

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/plimsoll/plimsoll/placement"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule"
	"github.com/plimsoll/plimsoll/schedule/sim"
)

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
