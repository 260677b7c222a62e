package centres

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
	"github.com/plimsoll/plimsoll/reserve/rules"
)

// A Planner is a way to reserve.
type Planner int

const (
	Periodic Planner = iota // the paper's 2AH
	HGR
	Exact
	Wang
	History
	RHOPrinted // rolling horizons, in five readings
	RHOFull
	RHOLast
	RHOFirst
	RHODeferred
	Planners // how many
)

var plannerNames = [Planners]string{"periodic", "hgr", "exact", "wang", "history", "rho-printed", "rho-full", "rho-last", "rho-first", "rho-deferred"}

func (p Planner) String() string { return plannerNames[p] }

// Rolls reports whether the planner is a rolling horizon.
func (p Planner) Rolls() bool { return p >= RHOPrinted }

// predicts reports whether the planner uses a predicted demand. Wang and history know the
// past and the present hour only.
func (p Planner) predicts() bool { return p != Wang && p != History }

// A Choice is some of the planners.
type Choice [Planners]bool

// Set reads a list of names: all, or some of rho and the planners.
func (c *Choice) Set(s string) error {
	*c = Choice{}
	for name := range strings.SplitSeq(s, ",") {
		k := Planner(slices.Index(plannerNames[:], name))
		for p := range Planners {
			c[p] = c[p] || name == "all" || name == "rho" && p.Rolls() || p == k
		}
		if k < 0 && name != "all" && name != "rho" {
			return fmt.Errorf("want all, or some of rho, %s", strings.Join(plannerNames[:], ", "))
		}
	}
	return nil
}

// A Plan is the reservations of a centre, and their cost without sharing.
type Plan struct {
	Active []int         // reservations by hour
	Count  int64         // reservations bought
	Held   int64         // instance-hours of these within the window
	Used   int64         // of these
	Cost   pricing.Money // fees and on demand
}

// Utilisation is the used share of the reserved hours; 1 where nothing is reserved.
func Utilisation(used, held int64) float64 {
	if held == 0 {
		return 1
	}
	return float64(used) / float64(held)
}

// PlanOptions are what a plan depends on beside the centre.
type PlanOptions struct {
	Planner Planner
	Lambda  int // of a rolling horizon
	// Predicted is the demand that the planner sees; nil is the true demand. A rolling
	// horizon sees the true demand of the current hour.
	Predicted []int
}

// reserver returns the planner of package reserve.
func (o PlanOptions) reserver() reserve.Planner {
	switch o.Planner {
	case Periodic:
		return &rules.Periodic{}
	case HGR:
		return &reserve.HGR{}
	case Exact:
		return &reserve.Exact{}
	case Wang:
		return &rules.Wang{}
	case History:
		return &rules.History{}
	}
	rule := map[Planner]rules.RHO{
		RHOPrinted:  {},
		RHOFull:     {Rule: rules.Mended},
		RHOLast:     {Rule: rules.Mended, AnyStart: true, LastOfEqual: true},
		RHOFirst:    {Rule: rules.Mended, FirstSlot: true},
		RHODeferred: {Rule: rules.Deferred},
	}[o.Planner]
	rule.Window, rule.Forecast = o.Lambda, o.Predicted
	return &rule
}

// Plan plans for the centre.
func (c *Centre) Plan(o PlanOptions) (*Plan, error) {
	problem := reserve.Problem{
		Demand: c.Demand,
		Slot:   time.Hour,
		Prices: pricing.List{OnDemand: c.OnDemand, Classes: []pricing.Class{{Name: "day", Term: Term * time.Hour, Upfront: c.Reservation}}},
	}
	if o.Planner.predicts() && !o.Planner.Rolls() && o.Predicted != nil {
		problem.Demand = o.Predicted
	}
	purchases, err := o.reserver().AppendPlan(nil, &problem)
	if err != nil {
		return nil, cli.Mistakef("%s: %w", c.Name, err)
	}
	return c.price(purchases)
}

// price says what purchases cost the centre without sharing.
func (c *Centre) price(purchases []pricing.Purchase) (*Plan, error) {
	p := &Plan{Active: make([]int, len(c.Demand))}
	for _, b := range purchases {
		p.Count += int64(b.Count)
		for t := b.Slot; t < min(b.Slot+Term, len(p.Active)); t++ {
			p.Active[t] += b.Count
		}
	}
	for t, n := range p.Active {
		p.Held += int64(n)
		p.Used += int64(min(n, c.Demand[t]))
	}
	var err error
	p.Cost, err = c.Costs(p.Count, c.Total-p.Used)
	return p, err
}

// Costs is what reservations and instance-hours on demand cost.
func (c *Centre) Costs(reservations, hours int64) (pricing.Money, error) {
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

// Predict draws a predicted demand with errors up to the bound: for each hour evenly from
// (1 ± bound)·demand, in whole instances. The draws depend on the seed and not on the bound.
func (o *Options) Predict(centres []*Centre, bound float64) [][]int {
	if bound == 0 {
		return make([][]int, len(centres)) // nil: the true one
	}
	all := make([][]int, len(centres))
	for i, c := range centres {
		random := rand.New(rand.NewPCG(o.Seed, streamError+uint64(i)))
		for _, n := range c.Demand {
			all[i] = append(all[i], int(math.Round(float64(n)*(1+bound*(2*random.Float64()-1)))))
		}
	}
	return all
}

// Fluctuation is the standard deviation of the demand over its mean.
func (c *Centre) Fluctuation() float64 {
	mean, squares := float64(c.Total)/float64(len(c.Demand)), 0.
	for _, n := range c.Demand {
		squares += (float64(n) - mean) * (float64(n) - mean)
	}
	return math.Sqrt(squares/float64(len(c.Demand))) / mean
}
