package centres

import (
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/federation"
	"github.com/plimsoll/plimsoll/pricing"
)

// A Sharing is what a federation costs with the plans of its centres.
type Sharing struct {
	Centres []federation.Statement
	Total   federation.Statement
	Cost    pricing.Money
	Flows   [][]federation.Statement // from the home of tasks to where they ran
	Held    int64                    // instance-hours reserved
}

// Hours are the instance-hours of reservations: those used by any centre, and all.
func (s *Sharing) Hours() (used, held int64) { return int64(s.Total.Own + s.Total.Lent), s.Held }

// HoursOf are the used hours of the reservations of one centre.
func (s *Sharing) HoursOf(i int) int64 { return int64(s.Centres[i].Own + s.Centres[i].Lent) }

// Used is the used share of the reserved hours.
func (s *Sharing) Used() float64 { return Utilisation(s.Hours()) }

// Tasks are the jobs of all centres in the window's hours, cut off at the window's end.
func Tasks(centres []*Centre) []federation.Task {
	var all []federation.Task
	for i, c := range centres {
		for k, j := range c.Jobs {
			end := min(len(c.Demand), int((j.Submit+j.Run+time.Hour-1)/time.Hour))
			all = append(all, federation.Task{
				ID: len(all), Home: i, Start: int(j.Submit / time.Hour), End: end,
				Instances: j.Nodes, Disk: c.Disk[k] * Megabyte,
			})
		}
	}
	return all
}

const (
	Megabyte = 1_000_000
	Gigabyte = 1000 * Megabyte
)

// Members are the centres with their reservations, for package federation. A centre keeps
// the instances that its own tasks are expected to need; the true demand, [Liu21] Eq. (19),
// if expected is nil.
func Members(centres []*Centre, plans []*Plan, expected [][]int) []federation.Centre {
	list := make([]federation.Centre, len(centres))
	for i, c := range centres {
		list[i] = federation.Centre{
			Reserved: plans[i].Active, Demand: c.Demand,
			OnDemand: c.OnDemand, Fee: c.Reservation, Term: Term, Traffic: c.Traffic,
		}
		if expected != nil {
			list[i].Demand = expected[i]
		}
		for _, user := range centres {
			list[i].Delay = append(list[i].Delay, user.delay(&c.Site))
		}
	}
	return list
}

// A Sharer shares one plan after another, in the same memory.
type Sharer struct {
	sharer    federation.Sharer
	ledger    federation.Ledger
	optimizer federation.Optimizer
	bookings  []federation.Booking
}

// Share runs the tasks on the plans by Algorithm 3. Centres keep the expected demand, or
// the true demand if expected is nil.
func (s *Sharer) Share(centres []*Centre, plans []*Plan, expected [][]int, tasks []federation.Task, how *Reading) (*Sharing, error) {
	if how.open {
		expected = make([][]int, len(centres)) // nothing
	}
	err := s.sharer.Reset(Members(centres, plans, expected), how.Options)
	if err == nil {
		s.bookings, err = s.sharer.Share(s.bookings[:0], tasks)
	}
	if err != nil {
		return nil, cli.Mistakef("%w", err)
	}
	s.ledger.Reset(len(centres))
	for i, c := range centres {
		if err := s.ledger.PostFee(i, c.Reservation*pricing.Money(plans[i].Count)); err != nil {
			return nil, cli.Mistakef("%w", err)
		}
	}
	if err := s.ledger.Post(s.bookings...); err != nil {
		return nil, cli.Mistakef("%w", err)
	}
	r := &Sharing{Centres: s.ledger.AppendStatements(nil), Total: s.ledger.Total()}
	r.Cost = r.Total.Cost()
	for i := range centres {
		r.Held += plans[i].Held
		r.Flows = append(r.Flows, make([]federation.Statement, len(centres)))
		for j := range centres {
			if i != j {
				r.Flows[i][j] = s.ledger.Flow(i, j)
			}
		}
	}
	return r, nil
}

// A Reading is a way to share, [Liu21] Algorithm 3, that can be chosen.
type Reading struct {
	Name    string
	Options federation.Options
	open    bool // centres keep nothing for their own later tasks
}

// Roaming is the reading in which an instance on demand has the price of the centre where
// it runs.
const Roaming = 3

// Readings are the ways to share. The first is the paper's.
var Readings = []Reading{
	// Eqs. (20) and (21), both prices those of the task's home.
	{"printed", federation.Options{Price: federation.BorrowerFee, Excess: federation.AtHomePrice}, false},
	// A lent instance costs its owner's fee; elsewhere, too, the home's price on demand is paid.
	{"lender", federation.Options{Excess: federation.AtHomePrice}, false},
	{"idle", federation.Options{Excess: federation.NoExcess}, false},
	// This moves tasks to where the price on demand is low.
	{"roaming", federation.Options{}, false},
	{"cheapest", federation.Options{Excess: federation.AtHomePrice, Order: federation.CheapestFirst}, false},
	{"midpoint", federation.Options{Excess: federation.AtHomePrice, Price: federation.Midpoint}, false},
	{"free", federation.Options{Excess: federation.AtHomePrice, Price: federation.Unpaid}, false},
	// Centres do not know what their own tasks will need.
	{"open", federation.Options{Excess: federation.AtHomePrice}, true},
}

// An Outcome is the plans of all centres, and their costs without and with sharing.
type Outcome struct {
	PlanOptions
	Error float64 // bound of the error

	Plans      []*Plan
	Cost       pricing.Money // without sharing
	Count      int64
	Held, Used int64
	Shared     *Sharing
	Guarded    *Sharing // as shared, but centres keep what was predicted; nil without errors
}

// Utilisation is the use of the reservations of all centres, without sharing.
func (x *Outcome) Utilisation() float64 { return Utilisation(x.Used, x.Held) }

// Saved is the share of the cost that sharing saves.
func (x *Outcome) Saved() float64 { return Share(x.Cost-x.Shared.Cost, x.Cost) }

// SavedOf is the share that sharing saves of the cost of one centre.
func (x *Outcome) SavedOf(i int) float64 {
	return Share(x.Plans[i].Cost-x.Shared.Centres[i].Cost(), x.Plans[i].Cost)
}

// Share is part of whole, and 0 of nothing.
func Share(part, whole pricing.Money) float64 {
	if whole == 0 {
		return 0
	}
	return part.Float64() / whole.Float64()
}

// Outcome plans and shares: by the planner, with errors of the prediction up to a bound.
func (s *Sharer) Outcome(centres []*Centre, predicted [][]int, tasks []federation.Task, how *Reading, p Planner, lambda int, bound float64) (*Outcome, error) {
	x := &Outcome{PlanOptions: PlanOptions{Planner: p, Lambda: lambda}, Error: bound}
	for i, c := range centres {
		o := x.PlanOptions
		o.Predicted = predicted[i]
		plan, err := c.Plan(o)
		if err != nil {
			return nil, err
		}
		x.Plans = append(x.Plans, plan)
		x.Cost += plan.Cost
		x.Count += plan.Count
		x.Held += plan.Held
		x.Used += plan.Used
	}
	var err error
	if x.Shared, err = s.Share(centres, x.Plans, nil, tasks, how); err == nil && bound > 0 {
		x.Guarded, err = s.Share(centres, x.Plans, predicted, tasks, how)
	}
	return x, err
}

// Dollars writes an amount in whole dollars, and a small one with cents.
func Dollars(m pricing.Money) string {
	if m > -100*pricing.Unit && m < 100*pricing.Unit {
		return m.Fixed(2)
	}
	return decimal.Grouped(m.Fixed(0))
}

// Percent writes a share.
func Percent(x float64) string { return decimal.Fixed(100*x, 1) + "%" }

// Use writes the used share of the reserved hours, if anything is reserved.
func Use(used, held int64) string {
	if held == 0 {
		return "-"
	}
	return Percent(Utilisation(used, held))
}

// Gigabytes writes bytes, in GB.
func Gigabytes(n int64, decimals int) string {
	return decimal.Grouped(decimal.Fixed(float64(n)/Gigabyte, decimals))
}
