// Package group plans one group of a fleet: one account's demand for one kind, hour by
// hour.
//
//	var planner group.Planner
//	answer, failure := planner.Plan(&terms, &g, nil)
//	if failure != nil {
//		// the group is reported, and the fleet goes on
//	}
//
// The plan is exact: package reserve proves that no reservations cost less, and the planner
// checks the proof by [reserve.Verify]. What cannot be planned is a value, a [record.Failure]
// with a reason, so that one account never stops a fleet.
//
// # A group answers a price
//
// One savings plan pays for the usage of all groups, so its hours are shared and have a
// price. [Worth] is that price: ν_t = Worth[t]/[Parts] is what money of the savings plan in
// hour t is worth, in money on demand per money at the rates of the plan. A unit-hour that no
// reservation serves then costs the group
//
//	min(p, q·ν_t)      p on demand, q from the savings plan
//
// instead of p. The best reservations at these prices are the group's answer, and what they
// cost with the rest of the usage at these prices is the group's share of a bound for the
// fleet: see package reserve/savings.
//
// A price that changes with the hour is a chance. Say that the demand of an hour is there
// with the probability k/W, and that an unserved unit costs p. On average the hour costs as
// much as with certain demand, of which an unserved unit costs p·k/W.
// [reserve.Problem].Chances states this, [reserve.Exact] solves it as a
// minimum-cost flow, and reserve.Verify checks it. k is rounded down, so that the price is at
// most the one above, and the bound stays a bound. W is 8,192: rounding lowers a price by
// less than p/8,192.
//
// # Paths
//
// A group may have paths, possible futures of its demand. The orders are then those that cost
// least on average over the paths, and Cost and Bound are means: no orders that are decided
// before a path is seen have a lower mean. [reserve.Problem].Paths has the problem, and the proof is
// checked in the same way. A fleet of such groups has no savings plan: one price of an hour proves a
// bound on the mean, but what a savings plan costs depends on the use of all groups on each path.
//
// # Determinism
//
// An answer depends on the terms, the group and the worths alone. A Planner keeps memory and
// nothing else between calls, so any worker may plan any group, twice if need be.
package group

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/record"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
)

const (
	// Parts is the unit of a [Worth].
	Parts = 1 << 40
	// MostWorth is far more than money of a savings plan is worth.
	MostWorth = 1 << 52
)

// A Worth is the price of each hour of the savings plan, in parts of 1/[Parts]. A nil Worth is
// that of a fleet without a savings plan.
type Worth = []int64

// An Answer is a group's plan at the prices of a worth. It is valid until the next call.
type Answer struct {
	// Orders are sorted by start and class.
	Orders []record.Order
	// Fees is the sum of what the orders cost; see [Terms.Cost].
	Fees pricing.Money
	// Cost is the fees and the rest of the usage at the prices of the worth. No plan of the
	// group costs less than Bound at these prices. Both are rounded once.
	Cost, Bound pricing.Money
	// Left is the usage that neither contracts nor orders serve, in units, by hour. It is nil for
	// a group with paths.
	Left []int
}

// Plan returns the record of an answer to g, in the answer's memory.
func (a *Answer) Plan(g *record.Group) *record.Plan {
	return &record.Plan{Key: g.Key, Currency: g.Currency, Hours: int64(len(g.Demand)), Cost: a.Cost, Bound: a.Bound, Orders: a.Orders}
}

// Reasons begin the sentence of a [record.Failure].
const (
	Overflow  = "overflow"  // amounts do not fit in 64 bits
	Malformed = "malformed" // the group does not belong to this fleet, or is not a demand
	Unproved  = "unproved"  // the certificate does not prove the plan, which is a defect
)

// chances is the W of the package comment. It is a power of two, so that k/W is exact in
// floating point, and at most 10,000, up to which package reserve looks for denominators.
const (
	chanceBits = 13
	chances    = 1 << chanceBits
)

// A Planner plans groups, one at a time. The zero value is ready, and keeps its memory.
type Planner struct {
	// Trust leaves out [reserve.Verify], for a plan that is a step of a search and that
	// nobody orders.
	Trust bool

	exact   reserve.Exact
	chances []reserve.Chance
	slots   [][]reserve.Chance
	change  []int64
	demand  []int
	paths   [][]int
	orders  []record.Order
	left    []int
}

// Plan returns the exact plan of g at the prices of worth, or why there is none. The worth
// is nil or has an element for each hour of the terms, which must be valid.
func (p *Planner) Plan(x *Terms, g *record.Group, worth Worth) (Answer, *record.Failure) {
	answer, err := p.plan(x, g, worth)
	if err == nil {
		return answer, nil
	}
	return Answer{}, failureOf(g, err)
}

// Take returns the plan of g that has the given orders, with the bound that [Planner.Plan]
// proves: a plan that serves a fleet better than the group's own. The orders are sorted by slot
// and class, and the terms have no paths.
func (p *Planner) Take(x *Terms, g *record.Group, worth Worth, given []pricing.Purchase) (Answer, *record.Failure) {
	answer, err := p.plan(x, g, worth)
	if err == nil {
		err = p.take(x, g, worth, given, &answer)
	}
	if err != nil {
		return Answer{}, failureOf(g, err)
	}
	return answer, nil
}

// PlanAs returns the plan of g that has the orders of its plan at another worth, with the bound
// that [Planner.Plan] proves at worth.
func (p *Planner) PlanAs(x *Terms, g *record.Group, worth, other Worth) (Answer, *record.Failure) {
	plan, err := p.solve(x, g, other)
	if err != nil {
		return Answer{}, failureOf(g, err)
	}
	return p.Take(x, g, worth, slices.Clone(plan.Purchases))
}

func failureOf(g *record.Group, err error) *record.Failure {
	reason := Malformed
	switch {
	case errors.Is(err, reserve.ErrForged):
		reason = Unproved
	case errors.Is(err, reserve.ErrOverflow), errors.Is(err, pricing.ErrOverflow):
		reason = Overflow
	}
	return &record.Failure{Key: g.Key, Reason: fmt.Sprintf("%s: %v", reason, err)}
}

func (p *Planner) plan(x *Terms, g *record.Group, worth Worth) (Answer, error) {
	plan, err := p.solve(x, g, worth)
	if err != nil {
		return Answer{}, err
	}
	answer := Answer{Cost: plan.Cost, Bound: plan.Bound}
	err = p.buy(x, g, plan.Purchases, &answer)
	return answer, err
}

// solve returns the plan of g, which is proved and valid until the next one.
func (p *Planner) solve(x *Terms, g *record.Group, worth Worth) (reserve.Plan, error) {
	if worth != nil && len(worth) != x.Hours {
		panic("group: the worth and the terms differ in hours")
	}
	if err := x.Check(g); err != nil {
		return reserve.Plan{}, err
	}
	problem := reserve.Problem{Slot: time.Hour, Prices: g.List, Every: x.Every, Horizon: x.Horizon}
	p.demand = x.AppendUnheld(p.demand[:0], g)
	if x.Paths > 0 {
		for len(p.paths) < x.Paths {
			p.paths = append(p.paths, nil)
		}
		problem.Paths = p.paths[:x.Paths]
		for i, path := range g.Paths {
			problem.Paths[i] = x.unheld(problem.Paths[i][:0], g, path)
		}
	} else if worth == nil || !Covered(g) {
		problem.Demand = p.demand
	} else {
		problem.Chances = p.priced(g, worth)
	}
	plan, err := p.exact.Solve(&problem)
	if err == nil && !p.Trust {
		err = reserve.Verify(&problem, &plan)
	}
	return plan, err
}

// buy sets the orders of the answer, their fees and what they leave.
func (p *Planner) buy(x *Terms, g *record.Group, bought []pricing.Purchase, answer *Answer) error {
	answer.Fees, p.orders = 0, p.orders[:0]
	for _, q := range bought {
		c := &g.List.Classes[q.Class]
		o := record.Order{Class: c.Name, Units: q.Count, Start: x.At(q.Slot), Term: c.Term, Upfront: c.Upfront, Hourly: c.Hourly}
		cost, err := x.Cost(&o)
		if err == nil {
			answer.Fees, err = answer.Fees.Add(cost)
		}
		if err != nil {
			return err
		}
		p.orders = append(p.orders, o)
	}
	answer.Orders = p.orders
	if x.Paths == 0 {
		p.serve(x, g, bought)
		answer.Left = p.left
	}
	return nil
}

// take sets the answer, all but its bound, to the given orders.
func (p *Planner) take(x *Terms, g *record.Group, worth Worth, given []pricing.Purchase, answer *Answer) error {
	for _, q := range given {
		if q.Slot < 0 || q.Slot >= x.Hours || !x.Open(q.Slot) || q.Class < 0 || q.Class >= len(g.List.Classes) || q.Count < 1 || q.Count > math.MaxInt32 {
			return fmt.Errorf("%d units of class %d are given at hour %d: want a class of its price list, at an hour of purchase", q.Count, q.Class, q.Slot)
		}
	}
	if err := p.buy(x, g, given, answer); err != nil {
		return err
	}
	parts := uint64(0) // of the price of a unit-hour; at most 2³¹ units of 2¹³ parts in 2¹⁷ hours
	for t, d := range answer.Left {
		share := chances
		if worth != nil && Covered(g) {
			share = shareOf(g, worth[t])
		}
		parts += uint64(d) * uint64(share)
	}
	hi, lo := bits.Mul64(parts, uint64(g.List.OnDemand))
	lo, carry := bits.Add64(lo, chances-1, 0) // rounded up
	if hi += carry; hi >= 1<<(chanceBits-1) {
		return fmt.Errorf("%w: the rest of its usage costs too much", pricing.ErrOverflow)
	}
	var err error
	answer.Cost, err = answer.Fees.Add(pricing.Money(hi<<(64-chanceBits) | lo>>chanceBits))
	return err
}

// shareOf returns the price min(p, q·ν) of a unit-hour in parts of p/chances, rounded down.
func shareOf(g *record.Group, worth int64) int {
	if hi, lo := bits.Mul64(uint64(g.Savings), uint64(worth)); hi < uint64(g.List.OnDemand) {
		ratio, _ := bits.Div64(hi, lo, uint64(g.List.OnDemand)) // in parts of a worth
		return int(min(chances, ratio/(Parts/chances)))
	}
	return chances
}

// Covered reports whether a savings plan pays for the group's usage. Where its rate is not below
// that on demand, only money that would else pay for nothing does so with profit.
func Covered(g *record.Group) bool { return g.Savings > 0 && g.List.OnDemand > 0 }

// Check returns why g does not belong to a fleet with these terms, nil if it does.
func (x *Terms) Check(g *record.Group) error {
	switch {
	case g.Currency != x.Currency:
		return fmt.Errorf("its prices are in %q: want %q, as the fleet", g.Currency, x.Currency)
	case !g.Start.Equal(x.Start) || len(g.Demand) != x.Hours:
		return fmt.Errorf("its demand is of %d hours from %s: want %d hours from %s", len(g.Demand), g.Start.UTC().Format(time.RFC3339), x.Hours,
			x.Start.UTC().Format(time.RFC3339))
	case g.Savings < 0:
		return fmt.Errorf("the savings plan costs %v an hour: want none negative", g.Savings)
	}
	for _, c := range g.List.Classes {
		if c.Billed != pricing.Always && c.Hourly > 0 {
			return fmt.Errorf("%s has a use price: want classes that are billed always", c.Name)
		}
	}
	if len(g.Paths) != x.Paths {
		return fmt.Errorf("it has %d paths: want %d", len(g.Paths), x.Paths)
	}
	for i, path := range append(g.Paths[:len(g.Paths):len(g.Paths)], g.Demand) {
		if len(path) != x.Hours {
			return fmt.Errorf("its path %d has %d hours: want %d", i+1, len(path), x.Hours)
		}
		for t, d := range path {
			if d < 0 || d > math.MaxInt32 {
				return fmt.Errorf("it needs %d units in hour %d: want 0 to %d", d, t, math.MaxInt32)
			}
		}
	}
	for _, h := range g.Held {
		if h.Units < 0 || h.Units > math.MaxInt32 {
			return fmt.Errorf("the contract %q is for %d units: want 0 to %d", h.ID, h.Units, math.MaxInt32)
		}
	}
	return nil
}

// AppendUnheld appends to dst the demand of g that its contracts do not serve. A contract
// serves without further cost, so it serves first.
func (x *Terms) AppendUnheld(dst []int, g *record.Group) []int { return x.unheld(dst, g, g.Demand) }

// unheld is AppendUnheld of another demand, such as a path.
func (x *Terms) unheld(dst []int, g *record.Group, demand []int) []int {
	if len(g.Held) == 0 {
		return append(dst, demand...)
	}
	ends := make([]int64, len(demand)+1)
	active := int64(0)
	for _, h := range g.Held {
		ends[min(x.Index(h.Until), len(demand))] += int64(h.Units)
		active += int64(h.Units)
	}
	for t, d := range demand {
		active -= ends[t]
		dst = append(dst, int(max(0, int64(d)-active)))
	}
	return dst
}

// priced states p.demand at the prices of the worth; see the package comment.
func (p *Planner) priced(g *record.Group, worth Worth) [][]reserve.Chance {
	p.chances, p.slots = p.chances[:0], p.slots[:0]
	for t, d := range p.demand {
		share := shareOf(g, worth[t])
		switch share {
		case chances:
			p.chances = append(p.chances, reserve.Chance{Demand: d, Probability: 1})
		case 0:
			p.chances = append(p.chances, reserve.Chance{Probability: 1})
		default:
			p.chances = append(p.chances,
				reserve.Chance{Demand: d, Probability: float64(share) / chances},
				reserve.Chance{Probability: float64(chances-share) / chances})
		}
	}
	from := 0
	for range p.demand { // the chances do not move any more
		to := from + 1
		if p.chances[from].Probability < 1 {
			to++
		}
		p.slots = append(p.slots, p.chances[from:to])
		from = to
	}
	return p.slots
}

// serve sets p.left to the part of p.demand that the purchases do not serve.
func (p *Planner) serve(x *Terms, g *record.Group, bought []pricing.Purchase) {
	n := x.Hours
	if cap(p.change) <= n {
		p.change = make([]int64, n+1)
	}
	change := p.change[:n+1]
	clear(change)
	for _, q := range bought {
		change[q.Slot] += int64(q.Count)
		change[min(n, q.Slot+int(g.List.Classes[q.Class].Term/time.Hour))] -= int64(q.Count)
	}
	p.left = p.left[:0]
	active := int64(0)
	for t, d := range p.demand {
		active += change[t]
		p.left = append(p.left, int(max(0, int64(d)-active)))
	}
}
