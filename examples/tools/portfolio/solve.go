package main

import (
	"errors"
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/parallel"
	"github.com/plimsoll/plimsoll/forecast"
	"github.com/plimsoll/plimsoll/forecast/smoothing"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
	"github.com/plimsoll/plimsoll/reserve/rules"
)

// An outcome is the plan of an algorithm for a series, and its cost.
type outcome struct {
	cost      pricing.Money
	purchases []pricing.Purchase // classes are those of the list
	ledger    *ledger

	// Of an online portfolio.
	decisions     int
	took, longest time.Duration
	ahead         []float64 // the mean demand planned for in week i, the week before; NaN if there was no plan
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

// Indices of the outcomes of a series: algorithms that know the demand, then the online
// portfolios.
const (
	ofHindsight = iota
	ofEq5
	ofGreedy
	ofNothing
	ofOnline
)

// solve runs all algorithms on all series.
func (o *options) solve(in *input, run *cli.Run) (*results, error) {
	list := portfolios(in.list)
	outcomes := make([][]outcome, len(in.series))
	unsure := make([]float64, len(in.series))
	all := 0
	for i := range in.series {
		outcomes[i] = make([]outcome, ofOnline+len(list))
		all += (in.series[i].weeks - 1) * len(list)
	}
	var done atomic.Int64
	tasks := 1 + len(list)
	err := parallel.Do(len(in.series)*tasks, func(_, i int) (err error) {
		s, k := i/tasks, i%tasks
		if k == 0 {
			run.Showf("hindsight: %s", in.series[s].name)
			unsure[s], err = in.know(&in.series[s], outcomes[s])
			return err
		}
		return o.decide(in, &in.series[s], list[k-1].classes, &outcomes[s][ofOnline+k-1], func() {
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
			g.unsure = append(g.unsure, unsure[last])
		}
		if err := g.fill(list, outcomes[first:last]); err != nil {
			return nil, err
		}
		r.groups = append(r.groups, g)
		first = last
	}
	return r, nil
}

// fill makes the rows of the group, with one of the candidates of a name.
func (g *group) fill(list []portfolio, outcomes [][]outcome) error {
	add := func(x row, k int) (err error) {
		for i := range outcomes {
			x.outcomes = append(x.outcomes, &outcomes[i][k])
			if x.cost, err = x.cost.Add(outcomes[i][k].cost); err != nil {
				return cli.Mistakef("the total cost of %s does not fit in an amount of money", x.algo)
			}
		}
		if last := len(g.rows) - 1; x.class >= 0 && g.rows[last].algo == x.algo {
			if x.cost < g.rows[last].cost {
				g.rows[last] = x
			}
			return nil
		}
		g.rows = append(g.rows, x)
		return nil
	}
	rows := []row{{algo: hindsight, class: -1}, {algo: eq5, class: -1, bound: true}, {algo: greedy, class: -1}, {algo: online, class: -1}, {algo: odOnly, class: -1}}
	kept := []int{ofHindsight, ofEq5, ofGreedy, ofOnline, ofNothing}
	for k, p := range list[1:] {
		x := row{algo: p.algo, class: -1}
		if p.only {
			x.class = p.classes[0]
		}
		rows, kept = append(rows, x), append(kept, ofOnline+1+k)
	}
	for i, x := range rows {
		if err := add(x, kept[i]); err != nil {
			return err
		}
	}
	return nil
}

// know runs the algorithms that know the demand. unsure is the most that hindsight may be
// above the optimum, as a part of it.
func (in *input) know(s *series, x []outcome) (unsure float64, err error) {
	p := in.problem(s)
	plan, err := new(reserve.Exact).Solve(p)
	if err == nil {
		x[ofHindsight].purchases = plan.Purchases
		x[ofEq5].cost, err = new(reserve.Competitive).Bound(p)
	}
	if err == nil {
		x[ofGreedy].purchases, err = new(rules.SEC).AppendPlan(nil, p)
	}
	for _, k := range []int{ofHindsight, ofGreedy, ofNothing} {
		if err == nil {
			x[k].cost, err = reserve.Cost(p, x[k].purchases)
			x[k].ledger = newLedger(in.list, s, x[k].purchases)
		}
	}
	// Where a limit on its work is reached, Eq. (5) may prove more than the solver.
	if bound := max(plan.Bound, x[ofEq5].cost); bound < plan.Cost {
		unsure = plan.Cost.Float64()/bound.Float64() - 1 // infinite if the bound is 0
	}
	return unsure, failed(s, -1, err)
}

// forecaster returns a new one.
func (o *options) forecaster() rules.Forecaster {
	model, _ := forecast.New(o.model) // which the flag takes by its name only
	if m, ok := model.(*smoothing.Simple); ok {
		m.Alpha = o.alpha
	}
	p := forecast.Predictor{Model: model, Limits: forecast.Limits{NonNegative: true, Multiple: mostGrowth}}
	if o.fit == 0 {
		return &p
	}
	return &forecast.Rolling{Predictor: p, Every: o.fit}
}

// mostGrowth bounds a forecast, in multiples of the largest week so far.
const mostGrowth = 2

// portfolio returns a new online portfolio with the caps of some classes of the list, nil
// for all.
func (o *options) portfolio(in *input, classes []int) *rules.Online {
	x := &rules.Online{Forecaster: o.forecaster(), Window: o.window, Quantile: o.quantile, Alarm: o.alarm, Premium: o.premium}
	if o.paths > 0 {
		x.Quantile, x.Paths, x.Seed = 0, o.paths, o.seed
	}
	if o.planner == greedyPlanner {
		x.Planner = new(rules.SEC)
	}
	if x.Caps = in.caps; in.caps != nil && classes != nil {
		x.Caps = nil
		for _, k := range classes {
			x.Caps = append(x.Caps, in.caps[k])
		}
	}
	return x
}

// since is the clock. Tests have their own.
var since = time.Since

// decide replays a series with a portfolio of some classes.
func (o *options) decide(in *input, s *series, classes []int, x *outcome, tick func()) error {
	portfolio := o.portfolio(in, classes)
	p := in.problem(s)
	p.Prices.Classes = nil
	for _, k := range classes {
		p.Prices.Classes = append(p.Prices.Classes, in.list.Classes[k])
	}
	if err := portfolio.Reset(p); err != nil {
		return failed(s, -1, err)
	}
	x.ahead = append(x.ahead, math.NaN())
	for at := 0; at+s.every < len(s.demand); at += s.every {
		start := time.Now()
		var err error
		x.purchases, err = portfolio.Observe(x.purchases, s.demand[at:at+s.every])
		took := since(start)
		if err != nil {
			return failed(s, x.decisions, err)
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
	var err error
	x.cost, err = reserve.Cost(in.problem(s), x.purchases)
	x.ledger = newLedger(in.list, s, x.purchases)
	return failed(s, -1, err)
}

// flagOf names the flag behind a field of package reserve.
var flagOf = map[string]string{
	"Prices": "-classes", "Forecaster": "-model", "Quantile": "-quantile", "Window": "-window",
	"Alarm": "-alarm", "Premium": "-premium", "Caps": "-cap",
}

// failed returns an error of package reserve that the data cause, in a week unless that is
// -1, as the user's mistake.
func failed(s *series, week int, err error) error {
	var in *reserve.InputError
	if !errors.As(err, &in) && !errors.Is(err, pricing.ErrOverflow) {
		return err
	}
	when := ""
	if week >= 0 {
		when = fmt.Sprintf("week %d: ", week)
	}
	return cli.Mistakef("%s: %s%s", s.where(), when, cli.Reason(err, flagOf))
}
