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
	"github.com/plimsoll/plimsoll/reserve/rules"
)

// result is the plan of an algorithm, and its cost.
type result struct {
	algo      *algorithm
	class     int // -1 unless the algorithm is for one class, and buys
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
	boundBy  string // boundExact, boundLP, "eq5", or "" where there is no bound
	onDemand pricing.Money
	budgeted reserve.Budgeted // with -budget
	biller   pricing.Biller
}

// Where a bound comes from, beside eq5: an optimal plan, or its linear program.
const (
	boundExact = "exact"
	boundLP    = "lp"
)

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

// solve runs the algorithms that are to be shown, and the algorithms that the bound and
// the saving need.
func (o *options) solve(in *input, run *cli.Run) (*results, error) {
	r := &results{o: o, in: in}
	for i := range algorithms {
		a := &algorithms[i]
		asked := o.algo == nil || o.algo == a
		runs := 1
		if asked {
			runs = o.runs
		} else if !a.bound && a.name != "ondemand" && (a.planner != nil || o.algo.bound) {
			continue
		}
		run.Showf("planning: %s", a.name)
		x, err := r.plan(a, runs)
		switch {
		case err != nil && (o.algo == nil || !asked) && a.canBeMissing(err):
			if asked {
				r.refused = append(r.refused, refusal{a, err})
			}
			continue
		case errors.Is(err, reserve.ErrUnsupported):
			return nil, cli.Mistakef("-algo %s is not for this problem: %s", a.name, reason(err))
		case errors.As(err, new(*reserve.InputError)), errors.Is(err, pricing.ErrOverflow):
			return nil, cli.Mistakef("-algo %s: %s", a.name, reason(err))
		case err != nil:
			return nil, err
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

// canBeMissing reports whether an error says that the algorithm, rather than the
// problem, is out of place.
func (a *algorithm) canBeMissing(err error) bool {
	if errors.Is(err, reserve.ErrOverflow) || errors.Is(err, pricing.ErrOverflow) {
		return a.name != "ondemand" // such as the peak for a high fee
	}
	return errors.Is(err, reserve.ErrUnsupported)
}

// plan runs an algorithm so many times; an algorithm for one class for each class, of which
// the cheapest counts, the first of equals.
func (r *results) plan(a *algorithm, runs int) (x result, err error) {
	p := &r.in.problem
	x.algo, x.class = a, -1
	switch {
	case a.bound:
		var c reserve.Competitive
		x.took, err = median(runs, func() (err error) {
			x.cost, err = c.Bound(p)
			return err
		})
		if err == nil && r.boundBy == "" {
			r.bound, r.boundBy = x.cost, a.name
		}
		return x, err
	case a.planner == nil && r.o.budget >= 0:
		return r.within(x, runs)
	case a.planner == nil:
		var exact reserve.Exact
		var plan reserve.Plan
		x.took, err = median(runs, func() (err error) {
			plan, err = exact.Solve(p)
			return err
		})
		if err == nil {
			x.purchases, x.cost, x.onDemand = slices.Clone(plan.Purchases), plan.Cost, plan.Bill.OnDemandSlots
			if r.bound, r.boundBy = plan.Bound, boundLP; plan.Optimal() {
				r.boundBy = boundExact
			}
		}
		return x, err
	}
	classes := 1
	if a.oneClass {
		classes = len(p.Prices.Classes)
	}
	var refused error
	found := false
	for k := range classes {
		planner := a.planner(k, r.o.seed)
		y := result{algo: a, class: -1}
		y.took, err = median(runs, func() (err error) {
			y.purchases, err = planner.AppendPlan(y.purchases[:0], p)
			return err
		})
		if err == nil {
			y.cost, y.onDemand, err = r.cost(y.purchases)
		}
		switch {
		case errors.Is(err, reserve.ErrUnsupported):
			if refused == nil {
				refused = err
			}
			continue
		case err != nil:
			return x, err
		}
		if a.oneClass && len(y.purchases) > 0 {
			y.class = k
		}
		y.took += x.took // of all classes
		if found && x.cost <= y.cost {
			x.took = y.took
			continue
		}
		x, found = y, true
	}
	if !found && refused == nil { // no class in the list: nothing is bought
		x.cost, x.onDemand, refused = r.cost(nil)
	} else if found {
		refused = nil
	}
	return x, refused
}

// within plans with a budget.
func (r *results) within(x result, runs int) (result, error) {
	var exact reserve.Exact
	var err error
	x.took, err = median(runs, func() (err error) {
		r.budgeted, err = exact.Within(&r.in.problem, r.o.budget)
		return err
	})
	if err != nil {
		return x, err
	}
	if err := reserve.VerifyWithin(&r.in.problem, r.o.budget, &r.budgeted); err != nil {
		return x, err
	}
	x.purchases = r.budgeted.Purchases
	if x.cost, x.onDemand, err = r.cost(x.purchases); err != nil {
		return x, err
	}
	if r.bound, r.boundBy = r.budgeted.Bound, boundLP; x.cost == r.bound {
		r.boundBy = boundExact
	}
	return x, nil
}

// now is the clock. Tests have their own.
var now = time.Now

// median runs f so many times and returns the median of its times, the lower of two.
func median(runs int, f func() error) (time.Duration, error) {
	var times []time.Duration
	for range runs {
		start := now()
		err := f()
		times = append(times, now().Sub(start))
		if err != nil {
			return 0, err
		}
	}
	slices.Sort(times)
	return times[(len(times)-1)/2], nil
}

// cost returns what the demand costs with the purchases, by the problem's
// horizon, and the instance-slots on demand.
func (r *results) cost(purchases []pricing.Purchase) (cost pricing.Money, onDemand int64, err error) {
	p := &r.in.problem
	if p.Demand != nil {
		bill, err := r.biller.BillHeld(p.Prices, p.Demand, p.Slot, purchases, p.Held)
		if err != nil {
			return 0, 0, err
		}
		onDemand = bill.OnDemandSlots
	}
	cost, err = reserve.Cost(p, purchases)
	return cost, onDemand, err
}

// flagOf names the flag behind a field of reserve.Problem.
var flagOf = map[string]string{
	"Demand": "-demand", "Paths": "-paths", "Tree": "-tree", "Slot": "-slot", "Prices": "-classes", "Every": "-every", "Held": "-held", "Horizon": "-pure",
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
	name string
	// planner returns a new planner, for the class with the given index where
	// the algorithm is for one class. nil: the exact solver, or a bound.
	planner  func(class int, seed uint64) reserve.Planner
	oneClass bool
	random   bool // the plan depends on the seed
	bound    bool // it is a bound and no plan
}

// forOne is an algorithm for one class.
func forOne(name string, planner func(class int) reserve.Planner) algorithm {
	return algorithm{name: name, oneClass: true, planner: func(class int, _ uint64) reserve.Planner { return planner(class) }}
}

// forAll is an algorithm for all classes together.
func forAll(name string, planner func() reserve.Planner) algorithm {
	return algorithm{name: name, planner: func(int, uint64) reserve.Planner { return planner() }}
}

// noPurchases plans everything on demand.
type noPurchases struct{}

func (noPurchases) AppendPlan(dst []pricing.Purchase, p *reserve.Problem) ([]pricing.Purchase, error) {
	return dst, p.Validate()
}

// algorithms are listed in the order in which they are shown.
var algorithms = []algorithm{
	{name: "exact"},
	forAll("sec", func() reserve.Planner { return new(rules.SEC) }),
	forOne("hgr", func(k int) reserve.Planner { return &reserve.HGR{Class: k} }),
	forOne("rho", func(k int) reserve.Planner { return &rules.RHO{Class: k, Rule: rules.Printed} }),
	forOne("rho-mended", func(k int) reserve.Planner { return &rules.RHO{Class: k, Rule: rules.Mended} }),
	forOne("rho-deferred", func(k int) reserve.Planner { return &rules.RHO{Class: k, Rule: rules.Deferred} }),
	forOne("robust", func(k int) reserve.Planner { return &rules.Robust{Class: k} }),
	forOne("periodic", func(k int) reserve.Planner { return &rules.Periodic{Class: k} }),
	forOne("wang", func(k int) reserve.Planner { return &rules.Wang{Class: k} }),
	{name: "wang-random", oneClass: true, random: true, planner: wangRandom},
	forOne("history", func(k int) reserve.Planner { return &rules.History{Class: k} }),
	{name: "eq5", bound: true},
	forAll("ondemand", func() reserve.Planner { return noPurchases{} }),
	forOne("peak", func(k int) reserve.Planner { return &rules.Constant{Class: k, Peak: true} }),
	forOne("constant", func(k int) reserve.Planner { return &rules.Constant{Class: k} }),
}

// seeded is a random rule that gives the same plan each time.
type seeded struct {
	rules.WangRandom
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
