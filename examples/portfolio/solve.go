package main

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"sync/atomic"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/parallel"
	"github.com/plimsoll/plimsoll/forecast"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
)

// An outcome is what came of an algorithm.
type outcome struct {
	cost      pricing.Money
	purchases []pricing.Purchase // classes are those of the list
	ledger    *ledger

	// Of an online portfolio.
	decisions     int
	took, longest time.Duration
	ahead         []float64 // what was planned for week i, the week before; NaN if nothing was
}

// A row is an algorithm, with its outcome for each series of a group.
type row struct {
	algo     string
	class    int  // of an only, else -1
	bound    bool // no plan
	outcomes []*outcome

	cost pricing.Money // in total
}

// A group is the series of one source. All have the same rows.
type group struct {
	source source
	series []*series
	rows   []row
	unsure []float64 // the most that hindsight may be above the optimum, as a part of it
}

// Rows that have names of their own.
const (
	hindsight = "hindsight"
	eq5       = "eq5"
	greedy    = "greedy"
	online    = "online"
	odOnly    = "online-od-only"
)

// row returns the row of an algorithm that every group has.
func (g *group) row(algo string) *row {
	for i := range g.rows {
		if g.rows[i].algo == algo {
			return &g.rows[i]
		}
	}
	panic("no row " + algo)
}

// results are the groups, in the order of the series.
type results struct {
	o      *options
	in     *input
	groups []group
}

// offline are the outcomes of algorithms that know the demand.
type offline struct {
	hindsight, eq5, greedy, odOnly outcome
	unsure                         float64
}

// solve runs all algorithms on all series.
func (o *options) solve(in *input, run *cli.Run) (*results, error) {
	list := portfolios(in.list)
	known := make([]offline, len(in.series))
	decided := make([][]outcome, len(in.series))
	all := 0
	for i := range in.series {
		decided[i] = make([]outcome, len(list))
		all += (in.series[i].weeks - 1) * len(list)
	}
	var done atomic.Int64
	tasks := 1 + len(list)
	err := parallel.Do(len(in.series)*tasks, func(_, i int) error {
		s, k := i/tasks, i%tasks
		if k == 0 {
			run.Showf("hindsight: %s", in.series[s].name)
			return in.know(&in.series[s], &known[s])
		}
		return o.decide(in, &in.series[s], list[k-1].classes, &decided[s][k-1], func() {
			run.Showf("deciding: %s of %s weeks, %s", decimal.Int(int(done.Add(1))), decimal.Int(all), in.series[s].name)
		})
	})
	if err != nil {
		return nil, err
	}
	r := &results{o: o, in: in}
	for first := 0; first < len(in.series); {
		g := group{source: in.series[first].source}
		last := first
		for ; last < len(in.series) && in.series[last].source == g.source; last++ {
			g.series = append(g.series, &in.series[last])
			g.unsure = append(g.unsure, known[last].unsure)
		}
		if err := g.fill(list, known[first:last], decided[first:last]); err != nil {
			return nil, err
		}
		r.groups = append(r.groups, g)
		first = last
	}
	return r, nil
}

// fill makes the rows of the group.
func (g *group) fill(list []portfolio, known []offline, decided [][]outcome) error {
	of := func(f func(i int) *outcome) []*outcome {
		out := make([]*outcome, len(g.series))
		for i := range out {
			out[i] = f(i)
		}
		return out
	}
	g.rows = []row{
		{algo: hindsight, class: -1, outcomes: of(func(i int) *outcome { return &known[i].hindsight })},
		{algo: eq5, class: -1, bound: true, outcomes: of(func(i int) *outcome { return &known[i].eq5 })},
		{algo: greedy, class: -1, outcomes: of(func(i int) *outcome { return &known[i].greedy })},
		{algo: online, class: -1, outcomes: of(func(i int) *outcome { return &decided[i][0] })},
		{algo: odOnly, class: -1, outcomes: of(func(i int) *outcome { return &known[i].odOnly })},
	}
	for k, p := range list[1:] {
		x := row{algo: p.algo, class: -1, outcomes: of(func(i int) *outcome { return &decided[i][k+1] })}
		if p.only {
			x.class = p.classes[0]
		}
		if err := x.sum(); err != nil {
			return err
		}
		last := &g.rows[len(g.rows)-1]
		switch {
		case !p.only || last.algo != p.algo:
			g.rows = append(g.rows, x)
		case x.cost < last.cost:
			*last = x
		}
	}
	for i := range g.rows {
		if err := g.rows[i].sum(); err != nil {
			return err
		}
	}
	return nil
}

// sum adds up the costs.
func (x *row) sum() (err error) {
	x.cost = 0
	for _, c := range x.outcomes {
		if x.cost, err = x.cost.Add(c.cost); err != nil {
			return cli.Mistakef("the total cost of %s does not fit in an amount of money", x.algo)
		}
	}
	return nil
}

// know runs what knows the demand.
func (in *input) know(s *series, x *offline) error {
	p := in.problem(s)
	var exact reserve.Exact
	plan, err := exact.Solve(p)
	if err != nil {
		return failed(s, err)
	}
	x.hindsight.cost, x.hindsight.purchases = plan.Cost, plan.Purchases
	if x.eq5.cost, err = new(reserve.Competitive).Bound(p); err != nil {
		return failed(s, err)
	}
	// Where a limit on its work is reached, Eq. (5) may prove more than the solver.
	if bound := max(plan.Bound, x.eq5.cost); bound < plan.Cost && bound > 0 {
		x.unsure = plan.Cost.Float64()/bound.Float64() - 1
	} else if bound < plan.Cost {
		x.unsure = math.Inf(1)
	}
	if x.greedy.purchases, err = new(reserve.SEC).AppendPlan(nil, p); err != nil {
		return failed(s, err)
	}
	for _, c := range []*outcome{&x.hindsight, &x.greedy, &x.odOnly} {
		if c.cost, err = reserve.Cost(p, c.purchases); err != nil {
			return failed(s, err)
		}
		c.ledger = newLedger(in.list, s, c.purchases)
	}
	return nil
}

// forecaster returns a new one.
func (o *options) forecaster() (reserve.Forecaster, error) {
	model, err := forecast.New(o.model)
	if err != nil {
		return nil, err
	}
	if m, ok := model.(*forecast.Simple); ok {
		m.Alpha = o.alpha
	}
	p := forecast.Predictor{Model: model, Limits: forecast.Limits{NonNegative: true, Multiple: mostGrowth}}
	if o.fit == 0 {
		return &p, p.Validate()
	}
	r := &forecast.Rolling{Predictor: p, Every: o.fit}
	return r, r.Validate()
}

// mostGrowth bounds a forecast, in multiples of the largest week so far.
const mostGrowth = 2

// portfolio returns a new online portfolio with the caps of some classes of the list, nil
// for all.
func (o *options) portfolio(in *input, classes []int) (*reserve.Online, error) {
	f, err := o.forecaster()
	x := &reserve.Online{Forecaster: f, Window: o.window, Quantile: o.quantile, Alarm: o.alarm, Premium: o.premium}
	if o.planner == greedyPlanner {
		x.Planner = new(reserve.SEC)
	}
	if x.Caps = in.caps; in.caps != nil && classes != nil {
		x.Caps = nil
		for _, k := range classes {
			x.Caps = append(x.Caps, in.caps[k])
		}
	}
	return x, err
}

// since is the clock. Tests have their own.
var since = time.Since

// decide replays a series with a portfolio of some classes.
func (o *options) decide(in *input, s *series, classes []int, x *outcome, tick func()) error {
	portfolio, err := o.portfolio(in, classes)
	if err != nil {
		return err
	}
	p := in.problem(s)
	p.Prices.Classes = nil
	for _, k := range classes {
		p.Prices.Classes = append(p.Prices.Classes, in.list.Classes[k])
	}
	if err := portfolio.Reset(p); err != nil {
		return failed(s, err)
	}
	x.ahead = append(x.ahead, math.NaN())
	for at := 0; at+s.every < len(s.demand); at += s.every {
		start := time.Now()
		x.purchases, err = portfolio.Observe(x.purchases, s.demand[at:at+s.every])
		took := since(start)
		if err != nil {
			return failed(s, fmt.Errorf("week %d: %w", x.decisions, err))
		}
		x.decisions++
		x.took += took
		x.longest = max(x.longest, took)
		x.ahead = append(x.ahead, portfolio.Next())
		tick()
	}
	for i := range x.purchases {
		x.purchases[i].Class = classes[x.purchases[i].Class]
	}
	if x.cost, err = reserve.Cost(in.problem(s), x.purchases); err != nil {
		return failed(s, err)
	}
	x.ledger = newLedger(in.list, s, x.purchases)
	return nil
}

// flagOf names the flag behind a field of package reserve.
var flagOf = map[string]string{
	"Prices": "-classes", "Forecaster": "-model", "Quantile": "-quantile", "Window": "-window",
	"Alarm": "-alarm", "Premium": "-premium", "Caps": "-cap",
}

// failed returns an error of package reserve, caused by the data, as the user's
// mistake.
func failed(s *series, err error) error {
	var in *reserve.InputError
	if !errors.As(err, &in) && !errors.Is(err, pricing.ErrOverflow) {
		return err
	}
	when := ""
	if before, _, ok := strings.Cut(err.Error(), ": "); ok && strings.HasPrefix(before, "week ") {
		when = before + ": "
	}
	return cli.Mistakef("%s: %s%s", s.where(), when, cli.Reason(err, flagOf))
}
