package main

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
)

// result is the plan of an algorithm, and its cost.
type result struct {
	algo      *algorithm
	class     int // -1 unless it is for one class, and buys
	purchases []pricing.Purchase
	cost      pricing.Money
	onDemand  int64   // instance-slots that no reservation serves
	gap       float64 // NaN where it has no meaning
	saving    float64
	took      time.Duration
}

// refusal is an algorithm that does not solve the problem, and why.
type refusal struct {
	algo *algorithm
	why  error
}

// results are the algorithms that were run.
type results struct {
	o        *options
	in       *input
	shown    []result
	refused  []refusal
	bound    pricing.Money
	boundBy  string
	onDemand pricing.Money
}

// picked returns the result that the picture is of: the first of the cheapest
// plans. There is one, unless a bound alone was asked for.
func (r *results) picked() *result {
	var best *result
	for i := range r.shown {
		if x := &r.shown[i]; best == nil || best.algo.bound || !x.algo.bound && x.cost < best.cost {
			best = x
		}
	}
	return best
}

// bench is where algorithms are run.
type bench struct {
	p      *reserve.Problem
	runs   int
	biller pricing.Biller
	times  []time.Duration
}

// solve runs the algorithms that are to be shown, and what the bound and the
// saving need in any case.
func (o *options) solve(in *input, run *cli.Run) (*results, error) {
	b := &bench{p: &in.problem, runs: o.runs}
	r := &results{o: o, in: in}
	fail := func(a *algorithm, err error) error {
		var input *reserve.InputError
		switch {
		case errors.Is(err, reserve.ErrUnsupported):
			return cli.Mistakef("-algo %s is not for this problem: %s", a.name, reason(err))
		case errors.As(err, &input):
			return cli.Mistakef("-algo %s: %s", a.name, reason(err))
		case errors.Is(err, pricing.ErrOverflow):
			return cli.Mistakef("-algo %s: %s", a.name, reason(err))
		}
		return err
	}
	for i := range algorithms {
		a := &algorithms[i]
		asked := o.algo == nil || o.algo == a
		switch {
		case asked, a.bound, a.name == "ondemand":
		case a.planner == nil && !o.algo.bound:
		default:
			continue
		}
		run.Showf("planning: %s", a.name)
		var x result
		var err error
		runs := b.runs
		if !asked {
			b.runs = 1
		}
		switch {
		case a.bound:
			var eq5 pricing.Money
			if eq5, err = b.eq5(&x); err == nil && r.boundBy == "" {
				r.bound, r.boundBy = eq5, a.name
			}
		case a.planner == nil:
			var bound pricing.Money
			var by string
			if bound, by, err = b.exact(&x); err == nil {
				r.bound, r.boundBy = bound, by
			}
		default:
			err = b.plan(a, o.seed, &x)
		}
		b.runs = runs
		x.algo = a
		switch {
		case err != nil && (o.algo == nil || !asked) && a.canBeMissing(err):
			if asked {
				r.refused = append(r.refused, refusal{a, err})
			}
			continue
		case err != nil:
			return nil, fail(a, err)
		}
		if a.name == "ondemand" {
			r.onDemand = x.cost
		}
		if asked {
			r.shown = append(r.shown, x)
		}
	}
	for i := range r.shown {
		x := &r.shown[i]
		if r.onDemand > 0 {
			x.saving = 1 - x.cost.Float64()/r.onDemand.Float64()
		}
		switch {
		case x.algo.bound || x.cost == r.bound:
			x.gap = 0
		case r.boundBy == "" || r.bound == 0:
			x.gap = math.NaN()
		default:
			x.gap = x.cost.Float64()/r.bound.Float64() - 1
		}
	}
	return r, nil
}

// Where a bound comes from: an optimal plan, its linear program, or eq5.
const (
	boundExact = "exact"
	boundLP    = "lp"
)

// canBeMissing reports whether an error says that the algorithm, rather than the
// problem, is out of place.
func (a *algorithm) canBeMissing(err error) bool {
	if errors.Is(err, reserve.ErrOverflow) || errors.Is(err, pricing.ErrOverflow) {
		return a.name != "ondemand" // such as the peak for a high fee
	}
	return errors.Is(err, reserve.ErrUnsupported)
}

// exact fills in x with the plan of the exact solver, and returns the bound that
// it proves and what that is called.
func (b *bench) exact(x *result) (bound pricing.Money, by string, err error) {
	x.class = -1
	var exact reserve.Exact
	var plan reserve.Plan
	x.took, err = b.median(func() (err error) {
		plan, err = exact.Solve(b.p)
		return err
	})
	if err != nil {
		return 0, "", err
	}
	x.purchases, x.cost = slices.Clone(plan.Purchases), plan.Cost
	x.onDemand = plan.Bill.OnDemandSlots
	if plan.Optimal() {
		return plan.Bound, boundExact, nil
	}
	return plan.Bound, boundLP, nil
}

// eq5 fills in x with the bound of Eq. (5), as if it were a cost.
func (b *bench) eq5(x *result) (bound pricing.Money, err error) {
	x.class = -1
	var c reserve.Competitive
	x.took, err = b.median(func() (err error) {
		x.cost, err = c.Bound(b.p)
		return err
	})
	return x.cost, err
}

// plan fills in x with the plan of a planner, for one class the cheapest over all
// classes, the first of equals.
func (b *bench) plan(a *algorithm, seed uint64, x *result) error {
	x.class = -1
	classes := 1
	if a.oneClass {
		classes = len(b.p.Prices.Classes)
	}
	var refused error
	found := false
	for k := range classes {
		planner := a.planner(k, seed)
		var purchases []pricing.Purchase
		took, err := b.median(func() (err error) {
			purchases, err = planner.AppendPlan(purchases[:0], b.p)
			return err
		})
		if errors.Is(err, reserve.ErrUnsupported) {
			if refused == nil {
				refused = err
			}
			continue
		}
		if err != nil {
			return err
		}
		cost, onDemand, err := b.cost(purchases)
		if err != nil {
			return err
		}
		x.took += took
		if !found || cost < x.cost {
			found = true
			x.purchases, x.cost, x.onDemand, x.class = purchases, cost, onDemand, -1
			if a.oneClass && len(purchases) > 0 {
				x.class = k
			}
		}
	}
	if found {
		return nil
	}
	if refused == nil { // no class in the list: nothing is bought
		var err error
		x.cost, x.onDemand, err = b.cost(nil)
		return err
	}
	return refused
}

// now is the clock. Tests have their own.
var now = time.Now

// median runs f and returns the median of its times, the lower of two.
func (b *bench) median(f func() error) (time.Duration, error) {
	b.times = b.times[:0]
	for range b.runs {
		start := now()
		if err := f(); err != nil {
			return 0, err
		}
		b.times = append(b.times, now().Sub(start))
	}
	slices.Sort(b.times)
	return b.times[(len(b.times)-1)/2], nil
}

// cost returns what the demand costs with the purchases, by the problem's
// horizon, and the instance-slots on demand.
func (b *bench) cost(purchases []pricing.Purchase) (cost pricing.Money, onDemand int64, err error) {
	p := b.p
	if p.Paths != nil {
		cost, err = reserve.Cost(p, purchases)
		return cost, 0, err
	}
	bill, err := b.biller.BillHeld(p.Prices, p.Demand, p.Slot, purchases, p.Held)
	if err != nil {
		return 0, 0, err
	}
	cost, err = reserve.Cost(p, purchases)
	return cost, bill.OnDemandSlots, err
}

// flagOf names the flag behind a field of reserve.Problem.
var flagOf = map[string]string{
	"Demand": "-demand", "Paths": "-paths", "Slot": "-slot", "Prices": "-classes", "Every": "-interval", "Held": "-held", "Horizon": "-pure",
}

// reason is an error of the library in the user's terms.
func reason(err error) string { return cli.Reason(err, flagOf) }

// missing returns a sentence for each reason why algorithms are missing.
func (r *results) missing() []string {
	var list []string
	for i, x := range r.refused {
		why := reason(x.why)
		same := func(y refusal) bool { return reason(y.why) == why }
		if slices.IndexFunc(r.refused, same) < i {
			continue
		}
		var names []string
		for _, y := range r.refused[i:] {
			if same(y) {
				names = append(names, y.algo.name)
			}
		}
		list = append(list, fmt.Sprintf("Not for %s: %s.", cli.Series(names, "and"), why))
	}
	return list
}

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
