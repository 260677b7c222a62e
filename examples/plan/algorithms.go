package main

import (
	"math/rand/v2"

	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
)

// An algorithm is one that -algo names.
type algorithm struct {
	name, about string
	// planner returns a new planner, for the class with the given index where
	// the algorithm is for one class. nil: the exact solver, or a bound.
	planner  func(class int, seed uint64) reserve.Planner
	oneClass bool
	random   bool // the plan depends on the seed
	bound    bool // it is a bound and no plan
}

// algorithms are listed in the order in which they are shown.
var algorithms = []algorithm{
	{name: "exact", about: "the optimum, with its proof; with several use\nprices a plan with a proved gap"},
	{name: "sec", about: "greedy by minimum utilisation, [Niu16] 5.1.2",
		planner: func(int, uint64) reserve.Planner { return new(reserve.SEC) }},
	{name: "hgr", about: "greedy by the busiest window, [Liu21] Alg. 1", oneClass: true,
		planner: func(k int, _ uint64) reserve.Planner { return &reserve.HGR{Class: k} }},
	{name: "rho", about: "rolling horizon as printed, [Liu21] Alg. 2", oneClass: true, planner: rho(reserve.Printed)},
	{name: "rho-mended", about: "the same, which remembers what it bought", oneClass: true, planner: rho(reserve.Mended)},
	{name: "rho-deferred", about: "the same, which buys only what is needed now", oneClass: true, planner: rho(reserve.Deferred)},
	{name: "robust", about: "rho-deferred, insured against its forecast", oneClass: true,
		planner: func(k int, _ uint64) reserve.Planner { return &reserve.Robust{Class: k} }},
	{name: "periodic", about: "each term by itself, [Wang15]", oneClass: true,
		planner: func(k int, _ uint64) reserve.Planner { return &reserve.Periodic{Class: k} }},
	{name: "level", about: "level by level from the top, [Wang15]", oneClass: true,
		planner: func(k int, _ uint64) reserve.Planner { return &reserve.Levels{Class: k} }},
	{name: "wang", about: "knows the past only, [Wang13]", oneClass: true,
		planner: func(k int, _ uint64) reserve.Planner { return &reserve.Wang{Class: k} }},
	{name: "wang-random", about: "the same with a threshold drawn once", oneClass: true, random: true, planner: wangRandom},
	{name: "history", about: "knows the past only, [Wang15]", oneClass: true,
		planner: func(k int, _ uint64) reserve.Planner { return &reserve.History{Class: k} }},
	{name: "eq5", about: "the bound of [Niu16] Eq. (5), no plan", bound: true},
	{name: "ondemand", about: "nothing reserved",
		planner: func(int, uint64) reserve.Planner { return new(reserve.OnDemand) }},
	{name: "peak", about: "the peak reserved throughout", oneClass: true,
		planner: func(k int, _ uint64) reserve.Planner { return &reserve.Peak{Class: k} }},
	{name: "constant", about: "the best constant number, which the\nclouds' own advisers recommend", oneClass: true,
		planner: func(k int, _ uint64) reserve.Planner { return &reserve.Constant{Class: k} }},
}

// rho returns a rolling horizon with a window of a term and an exact forecast.
func rho(rule reserve.RHORule) func(int, uint64) reserve.Planner {
	return func(class int, _ uint64) reserve.Planner { return &reserve.RHO{Class: class, Rule: rule} }
}

// seeded is a random rule that gives the same plan each time.
type seeded struct {
	reserve.WangRandom
	source *rand.PCG
	seed   uint64
}

// streamThreshold is the stream of randomness that the threshold is drawn from.
const streamThreshold = 2

func wangRandom(class int, seed uint64) reserve.Planner {
	s := &seeded{source: rand.NewPCG(seed, streamThreshold), seed: seed}
	s.Class, s.Rand = class, rand.New(s.source)
	return s
}

func (s *seeded) AppendPlan(dst []pricing.Purchase, p *reserve.Problem) ([]pricing.Purchase, error) {
	s.source.Seed(s.seed, streamThreshold)
	return s.WangRandom.AppendPlan(dst, p)
}
