package main

import (
	"github.com/plimsoll/plimsoll/examples/internal/classfile"
	"github.com/plimsoll/plimsoll/pricing"
)

// An account has the hours and costs of a plan in some weeks. Hours are instance-hours,
// and amounts in currency units. A fee is spread evenly over its term; what a class
// charges used or not counts as a fee.
type account struct {
	demand, reserved, used float64 // hours: needed, reserved, and reserved and used
	rent, fees, use        float64 // amounts: on demand, for reservations, for their use
}

func (a *account) add(b account) {
	a.demand += b.demand
	a.reserved += b.reserved
	a.used += b.used
	a.rent += b.rent
	a.fees += b.fees
	a.use += b.use
}

// cost returns what the weeks cost.
func (a account) cost() float64 { return a.rent + a.fees + a.use }

// idle returns the share of the reserved hours that is not used.
func (a account) idle() float64 { return share(a.reserved-a.used, a.reserved) }

// rented returns the share of the demand that is served on demand.
func (a account) rented() float64 { return share(a.demand-a.used, a.demand) }

func share(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}

// A ledger is the accounts of the weeks. Their costs sum to the pure cost of the plan.
type ledger struct {
	weeks  []account
	active [][]float64 // reservations on average, by class of the list and week
}

// sum returns the account of the weeks from one to before another.
func (l *ledger) sum(from, to int) (a account) {
	for _, w := range l.weeks[from:to] {
		a.add(w)
	}
	return a
}

// total returns the account of all weeks.
func (l *ledger) total() account { return l.sum(0, len(l.weeks)) }

// newLedger makes the ledger of a plan. Reservations serve by use price, the lowest
// first, as providers apply them.
func newLedger(list pricing.List, s *series, purchases []pricing.Purchase) *ledger {
	n := len(s.demand)
	l := &ledger{make([]account, s.weeks), make([][]float64, len(list.Classes))}
	for k := range l.active {
		l.active[k] = make([]float64, s.weeks)
	}
	opened := make([][]int, len(list.Classes)) // by class and slot; nil if never
	for _, q := range purchases {
		if opened[q.Class] == nil {
			opened[q.Class] = make([]int, n+1)
		}
		opened[q.Class][q.Slot] += q.Count
		opened[q.Class][min(n, q.Slot+int(list.Classes[q.Class].Term/s.slot))] -= q.Count
	}
	hours := s.slot.Hours()
	type held struct {
		opened   []int
		fee, use float64 // of a slot
		count    int
		active   []float64
	}
	var classes []held
	for _, k := range classfile.ByUsePrice(list) {
		c := list.Classes[k]
		if opened[k] == nil {
			continue
		}
		h := held{opened: opened[k], active: l.active[k], fee: c.Upfront.Float64() * float64(s.slot) / float64(c.Term)}
		if c.Billed == pricing.Always {
			h.fee += c.Hourly.Float64() * hours
		} else {
			h.use = c.Hourly.Float64() * hours
		}
		classes = append(classes, h)
	}
	price := list.OnDemand.Float64() * hours
	for t, d := range s.demand {
		w := &l.weeks[t/s.every]
		w.demand += float64(d) * hours
		left := d
		for i := range classes {
			c := &classes[i]
			c.count += c.opened[t]
			used := min(left, c.count)
			left -= used
			c.active[t/s.every] += float64(c.count) / float64(s.every)
			w.reserved += float64(c.count) * hours
			w.used += float64(used) * hours
			w.fees += float64(c.count) * c.fee
			w.use += float64(used) * c.use
		}
		w.rent += float64(left) * price
	}
	return l
}

// A loss is why one plan costs more than another for a series.
type loss struct {
	from, to     int     // the weeks that cost the most more, to excluded
	more         float64 // by so much
	mine, theirs account // of these weeks
	best         account // of hindsight
	cause        string
}

// Causes of a loss.
const (
	overBought   = "over-bought"
	underBought  = "under-bought"
	late         = "late"
	otherClasses = "other classes"
)

// alike is how far the reservations of two plans are from each other at most, by the
// larger, to be called alike.
const alike = .1

// explain finds the run of weeks in which a plan loses most to another plan, and the cause.
// Compared with hindsight, the plan had more reservations, or fewer, or as many of other
// classes. A plan with fewer was late if it had as many at the end of the run.
func explain(mine, theirs, best *ledger) loss {
	var x loss
	run, start := 0., 0
	for w := range mine.weeks {
		if run <= 0 {
			run, start = 0, w
		}
		if run += mine.weeks[w].cost() - theirs.weeks[w].cost(); run > x.more {
			x.more, x.from, x.to = run, start, w+1
		}
	}
	x.mine, x.theirs, x.best = mine.sum(x.from, x.to), theirs.sum(x.from, x.to), best.sum(x.from, x.to)
	if x.to == 0 {
		return x
	}
	last := x.to - 1
	switch {
	case x.best.reserved < (1-alike)*x.mine.reserved:
		x.cause = overBought
	case x.mine.reserved >= (1-alike)*x.best.reserved:
		x.cause = otherClasses
	case mine.weeks[last].reserved >= (1-alike)*best.weeks[last].reserved:
		x.cause = late
	default:
		x.cause = underBought
	}
	return x
}

// mean returns the reservations of a class active in the weeks from one to before
// another.
func (l *ledger) mean(class, from, to int) float64 {
	sum := 0.
	for _, n := range l.active[class][from:to] {
		sum += n
	}
	return sum / float64(to-from)
}
