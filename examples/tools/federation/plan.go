package main

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
	"github.com/plimsoll/plimsoll/reserve/rules"
)

// A plan is the reservations of a centre, and their cost without sharing.
type plan struct {
	active  []int         // reservations by hour
	count   int64         // reservations bought
	held    int64         // instance-hours of these within the window
	used    int64         // of these
	missing int64         // instance-hours on demand
	cost    pricing.Money // fees and on demand
}

// utilisation is the used share of the reserved hours; 1 where nothing is reserved.
func utilisation(used, held int64) float64 {
	if held == 0 {
		return 1
	}
	return float64(used) / float64(held)
}

// planOptions are what a plan depends on beside the centre.
type planOptions struct {
	planner plannerName
	lambda  int // of a rolling horizon
	// predicted is the demand that the planner sees; nil is the true demand. A rolling
	// horizon sees the true demand of the current hour.
	predicted []int
}

// reserver returns the planner of package reserve.
func (o planOptions) reserver() reserve.Planner {
	switch o.planner {
	case periodic:
		return &rules.Periodic{}
	case hgr:
		return &reserve.HGR{}
	case exact:
		return &reserve.Exact{}
	case wang:
		return &rules.Wang{}
	case history:
		return &rules.History{}
	}
	rule := map[plannerName]rules.RHO{
		rhoPrinted:  {},
		rhoFull:     {Rule: rules.Mended},
		rhoLast:     {Rule: rules.Mended, AnyStart: true, LastOfEqual: true},
		rhoFirst:    {Rule: rules.Mended, FirstSlot: true},
		rhoDeferred: {Rule: rules.Deferred},
	}[o.planner]
	rule.Window, rule.Forecast = o.lambda, o.predicted
	return &rule
}

// plan plans for the centre.
func (c *centre) plan(o planOptions) (*plan, error) {
	problem := reserve.Problem{
		Demand: c.demand,
		Slot:   time.Hour,
		Prices: pricing.List{OnDemand: c.OnDemand, Classes: []pricing.Class{{Name: "day", Term: term * time.Hour, Upfront: c.Reservation}}},
	}
	if o.planner.predicts() && !o.planner.rolls() && o.predicted != nil {
		problem.Demand = o.predicted
	}
	purchases, err := o.reserver().AppendPlan(nil, &problem)
	if err != nil {
		return nil, cli.Mistakef("%s: %w", c.Name, err)
	}
	return c.price(purchases)
}

// price says what purchases cost the centre without sharing.
func (c *centre) price(purchases []pricing.Purchase) (*plan, error) {
	p := &plan{active: make([]int, len(c.demand))}
	for _, b := range purchases {
		p.count += int64(b.Count)
		for t := b.Slot; t < min(b.Slot+term, len(p.active)); t++ {
			p.active[t] += b.Count
		}
	}
	for t, n := range p.active {
		p.held += int64(n)
		p.used += int64(min(n, c.demand[t]))
	}
	p.missing = c.total - p.used
	var err error
	p.cost, err = c.costs(p.count, p.missing)
	return p, err
}

// costs is what reservations and instance-hours on demand cost.
func (c *centre) costs(reservations, hours int64) (pricing.Money, error) {
	fees, err := c.Reservation.Mul(reservations)
	if err == nil {
		var rest pricing.Money
		if rest, err = c.OnDemand.Mul(hours); err == nil {
			fees, err = fees.Add(rest)
		}
	}
	if err != nil || fees > maxCost {
		return 0, cli.Mistakef("%s: costs more than %s, which is too much to add up", c.Name, decimal.Grouped(maxCost.Fixed(0)))
	}
	return fees, nil
}

// maxCost is the most that a centre may cost, so that sums over all fit.
const maxCost = math.MaxInt64 / (4 * maxCentres) * pricing.Nano

// predict draws a predicted demand with errors up to the bound: for each hour evenly from
// (1 ± bound)·demand, in whole instances. The draws depend on the seed and not on the bound.
func (o *options) predict(centres []*centre, bound float64) [][]int {
	if bound == 0 {
		return make([][]int, len(centres)) // nil: the true one
	}
	all := make([][]int, len(centres))
	for i, c := range centres {
		random := rand.New(rand.NewPCG(o.seed, streamError+uint64(i)))
		for _, n := range c.demand {
			all[i] = append(all[i], int(math.Round(float64(n)*(1+bound*(2*random.Float64()-1)))))
		}
	}
	return all
}

// fluctuation is the standard deviation of the demand over its mean.
func (c *centre) fluctuation() float64 {
	mean, squares := float64(c.total)/float64(len(c.demand)), 0.
	for _, n := range c.demand {
		squares += (float64(n) - mean) * (float64(n) - mean)
	}
	return math.Sqrt(squares/float64(len(c.demand))) / mean
}
