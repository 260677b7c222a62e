package main

import (
	"cmp"
	"slices"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/parallel"
	"github.com/plimsoll/plimsoll/federation"
	"github.com/plimsoll/plimsoll/pricing"
)

// An outcome is the plans of all centres, and their costs without and with sharing.
type outcome struct {
	planOptions
	bound float64 // of the error

	plans      []*plan
	cost       pricing.Money // without sharing
	count      int64
	held, used int64
	shared     *sharing
	guarded    *sharing // as shared, but centres keep what was predicted; nil without errors
}

// utilisation is the use of the reservations of all centres, without sharing.
func (x *outcome) utilisation() float64 { return utilisation(x.used, x.held) }

// saved is the share of the cost that sharing saves.
func (x *outcome) saved() float64 { return share(x.cost-x.shared.cost, x.cost) }

// savedOf is the share that sharing saves of the cost of one centre.
func (x *outcome) savedOf(i int) float64 {
	return share(x.plans[i].cost-x.shared.centres[i].Cost(), x.plans[i].cost)
}

// share is part of whole, and 0 of nothing.
func share(part, whole pricing.Money) float64 {
	if whole == 0 {
		return 0
	}
	return part.Float64() / whole.Float64()
}

// A reading is a way to share, [Liu21] Algorithm 3, that can be chosen.
type reading struct {
	name    string
	about   string
	options federation.Options
	open    bool // centres keep nothing for their own later tasks
}

// roaming is the reading in which an instance on demand has the price of the centre where
// it runs.
const roaming = 3

// The first is the paper's.
var readings = []reading{
	{"printed", "Eqs. (20) and (21) as printed, both prices those of the task's home", federation.Options{Price: federation.BorrowerFee, Excess: federation.AtHomePrice}, false},
	{"lender", "a lent instance costs its owner's fee, and the home's price on demand is paid elsewhere, too", federation.Options{Excess: federation.AtHomePrice}, false},
	{"idle", "as lender, but a part is no larger than what is idle in each of its hours", federation.Options{Excess: federation.NoExcess}, false},
	{"roaming", "as lender, but the price on demand is that of where it runs, which moves tasks to where it is low", federation.Options{}, false},
	{"cheapest", "as lender, but the cheapest centre is asked first, and not the nearest", federation.Options{Excess: federation.AtHomePrice, Order: federation.CheapestFirst}, false},
	{"midpoint", "as lender, but half-way to the owner's price on demand", federation.Options{Excess: federation.AtHomePrice, Price: federation.Midpoint}, false},
	{"free", "as lender, but lent instances cost nothing", federation.Options{Excess: federation.AtHomePrice, Price: federation.Unpaid}, false},
	{"open", "as lender, but centres do not know what their own tasks will need, and keep nothing for them", federation.Options{Excess: federation.AtHomePrice}, true},
}

// reading is the way to share that was asked for.
func (o *options) reading() *reading {
	r := readings[o.share]
	r.options.Lending = o.lend
	return &r
}

// results are all results of the program.
type results struct {
	o        *options
	centres  []*centre
	onDemand pricing.Money // all of the demand
	hours    int64         // of it, instance-hours
	optimum  *outcome      // each centre by itself
	plain    [planners]*outcome
	erred    [planners][]*outcome // by o.errors
	sweep    [planners][]*outcome // by lambda, rising
	read     [planners][]*sharing // by readings
	best     [planners]*best
	joint    pricing.Money // see jointBound
	byPrice  []int         // centres, the dearest on demand first

	coalitions *coalitions             // with -coalitions, and then nothing else
	schemes    []scheme                // with -schemes, and then nothing else
	tempted    []federation.Temptation // with -lend
}

// evaluate plans and shares in all ways that were asked for.
func (o *options) evaluate(centres []*centre, run *cli.Run) (*results, error) {
	r := &results{o: o, centres: centres}
	for _, c := range centres {
		cost, err := c.costs(0, c.total)
		if err != nil {
			return nil, err
		}
		r.onDemand += cost
		r.hours += c.total
	}
	for i := range centres {
		r.byPrice = append(r.byPrice, i)
	}
	slices.SortStableFunc(r.byPrice, func(a, b int) int { return cmp.Compare(centres[b].OnDemand, centres[a].OnDemand) })
	all := tasks(centres)
	predicted := map[float64][][]int{}
	var work []func(s *sharer) error
	plan := func(put **outcome, p plannerName, lambda int, bound float64) {
		if predicted[bound] == nil {
			predicted[bound] = o.predict(centres, bound)
		}
		told := predicted[bound]
		work = append(work, func(s *sharer) (err error) {
			*put, err = o.outcome(s, centres, told, all, p, lambda, bound)
			return err
		})
	}
	plan(&r.optimum, exact, 0, 0)
	for p := range planners {
		if !o.reserve[p] {
			continue
		}
		plan(&r.plain[p], p, o.lambda, 0)
		r.erred[p] = make([]*outcome, len(o.errors))
		for i, bound := range o.errors {
			plan(&r.erred[p][i], p, o.lambda, bound)
		}
		if p.rolls() {
			list := o.lambdas()
			r.sweep[p] = make([]*outcome, len(list))
			for i, lambda := range list {
				plan(&r.sweep[p][i], p, lambda, 0)
			}
		}
	}
	// The longest first, so that no core is left with one at the end: a sweep rises.
	slices.Reverse(work)
	if err := each(work, "planning and sharing", run); err != nil {
		return nil, err
	}
	var err error
	if r.joint, err = o.jointBound(centres, all); err != nil || len(centres) == 1 {
		return r, err
	}
	work = work[:0]
	for p, x := range r.plain {
		if x == nil {
			continue
		}
		work = append(work, func(s *sharer) (err error) {
			r.best[p], err = s.best(centres, x, all)
			return err
		})
		r.read[p] = make([]*sharing, len(readings))
		for i := range readings {
			work = append(work, func(s *sharer) (err error) {
				r.read[p][i], err = s.share(centres, x.plans, nil, all, &readings[i])
				return err
			})
		}
	}
	if o.lend != nil {
		x := r.plain[o.planOf()]
		if r.tempted, err = federation.AppendTemptations(nil, members(centres, x.plans, nil), all, o.reading().options, temptations); err != nil {
			return nil, cli.Mistakef("%w", err)
		}
	}
	return r, each(work, "sharing in other ways", run)
}

// temptations is how many needless reservations are tried with -lend.
const temptations = 60

// each does the work on all cores.
func each(work []func(s *sharer) error, what string, run *cli.Run) error {
	sharers := make([]sharer, parallel.Workers())
	return parallel.Do(len(work), func(w, i int) error {
		run.Showf("%s: %d%%", what, 100*i/len(work))
		return work[i](&sharers[w])
	})
}

// outcome plans and shares.
func (o *options) outcome(s *sharer, centres []*centre, predicted [][]int, tasks []federation.Task, p plannerName, lambda int, bound float64) (*outcome, error) {
	x := &outcome{planOptions: planOptions{planner: p, lambda: lambda}, bound: bound}
	for i, c := range centres {
		how := x.planOptions
		how.predicted = predicted[i]
		plan, err := c.plan(how)
		if err != nil {
			return nil, err
		}
		x.plans = append(x.plans, plan)
		x.cost += plan.cost
		x.count += plan.count
		x.held += plan.held
		x.used += plan.used
	}
	var err error
	if x.shared, err = s.share(centres, x.plans, nil, tasks, o.reading()); err == nil && bound > 0 {
		x.guarded, err = s.share(centres, x.plans, predicted, tasks, o.reading())
	}
	return x, err
}

const (
	maxLambda  = 600 // of the sweep, as in the paper's Fig. 10
	denseUntil = 2 * term
	sparseStep = term
)

// notable are the windows in the table of the sweep.
var notable = []int{1, 10, 11, 12, 13, 18, 23, 24, 25, 36, 48, 72, 100, 144, 300, 600}

// lambdas are the windows of the sweep: each of the first two terms, and then whole
// terms, for those are slow and hardly differ.
func (o *options) lambdas() []int {
	list := []int{o.lambda}
	last := min(maxLambda, o.hours)
	for l := 1; l <= last; l++ {
		if !o.sparse && (l <= denseUntil || l%sparseStep == 0) || l == last || slices.Contains(notable, l) {
			list = append(list, l)
		}
	}
	slices.SortFunc(list, cmp.Compare[int])
	return slices.Compact(list)
}

// at is the outcome of the sweep at a lambda; nil if the sweep does not have it.
func (r *results) at(p plannerName, lambda int) *outcome {
	for _, x := range r.sweep[p] {
		if x.lambda == lambda {
			return x
		}
	}
	return nil
}
