package joint

import (
	"slices"

	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/record"
)

// A fleet of few groups.
//
// The best plan of a fleet is an average of the groups' answers at a price. Where groups
// are many and differ, a single answer of each is near that average: what one orders too much
// another orders too little. Of a few groups none makes up for another, and the bound is weak, too:
// half a reservation is in the bound. So if all groups of a fleet are at hand and are few, branch and
// bound looks for their orders and for a better bound: see branch.go. The orders are the given orders
// of the price.

const (
	// A fleet is planned in this way if its linear program has so many columns at most: a date
	// of purchase is a column for each group, so that 40 groups of weekly dates in a year fit.
	mostColumns = 2200
	// With at most so many columns, which is 12 such groups, it takes a second or so, and begins
	// after quickRounds rounds of the search. With more it takes up to a minute. So it is left
	// out if the gap is small enough after all rounds, and ends when the gap is.
	quickColumns = 700
	quickRounds  = 3
	// It ends after so many operations, half a minute or so. What is proved by then holds.
	fewWork = 30_000_000_000
)

// few returns the program of the fleet that the members are, or nil if they are too many for one
// or do not stand for themselves.
func (w *walker) few() *program {
	var groups []*record.Group
	for i := range w.members {
		m := &w.members[i]
		if m.Times != Whole || i >= mostColumns {
			return nil
		}
		if !w.failed[i] {
			groups = append(groups, &m.Group)
		}
	}
	if len(groups) == 0 {
		return nil
	}
	slices.SortFunc(groups, func(a, b *record.Group) int { return a.Key.Compare(b.Key) })
	return newProgram(w.x, groups)
}

// quick reports whether a program, or nil, takes less time than a search of prices.
func (p *program) quick() bool { return p != nil && p.lp.n <= quickColumns }

// branch returns a price with given orders that cost less than the plan of a price, or with a
// better bound.
func (p *program) branch(at Price, cost Total, goal float64) (Price, error) {
	t := newTree(p, cost, goal, fewWork)
	if err := t.search(); err != nil {
		return Price{}, err
	}
	if t.best != nil {
		at.Given, at.Other, at.Share = t.best, nil, 0
		if t.worth != nil && unfair(p.x, t.worth) < 0 {
			at.Worth = t.worth
		}
	}
	at.Groups, at.Least = int64(len(p.groups)), Total{t.closed}
	return at, nil
}
