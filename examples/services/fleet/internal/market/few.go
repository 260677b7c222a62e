package market

import (
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/group"
	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/record"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve/savings"
)

// A fleet of few groups.
//
// The best plan of a fleet is an average of the groups' answers at a price. Where groups
// are many and differ, a single answer of each is near that average: what one orders too much
// another orders too little. Of a few groups none makes up for another, and the bound is weak, too:
// half a reservation is in the bound. So if all groups of a fleet are at hand and are few, branch and
// bound looks for their orders and for a better bound: [savings.Branch]. The orders are the given
// orders of the price.

const (
	// With at most so many columns, which is 12 groups of weekly dates in a year, branch and bound
	// takes a second or so, and begins after quickRounds rounds of the search. With more it takes up to
	// a minute. So it is left out if the gap is small enough after all rounds, and ends when the gap is.
	quickColumns = 700
	quickRounds  = 3
	mostMembers  = 2200 // of which each has a column
	// It ends after so many operations, half a minute or so. What is proved by then holds.
	fewWork = 30_000_000_000
)

// A few is a fleet of few groups, sorted by key, and the market of its branch and bound.
type few struct {
	x       *group.Terms
	groups  []*record.Group
	problem savings.Problem
	first   []int // of the classes of the problem, by group
	branch  savings.Branch
	left    []int
}

// few returns the fleet that the members are, or nil if they are too many for branch and bound or do
// not stand for themselves.
func (w *walker) few() *few {
	var groups []*record.Group
	for i := range w.members {
		m := &w.members[i]
		if m.Times != Whole || i >= mostMembers {
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
	return newFew(w.x, groups)
}

// newFew returns the groups as a problem of branch and bound, or nil if they are too many.
func newFew(x *group.Terms, groups []*record.Group) *few {
	f := &few{x: x, groups: groups, problem: *savingsPlan(x), left: make([]int, x.Hours)}
	for i, g := range groups {
		rates := ratesOf(g)
		f.problem.Types = append(f.problem.Types, savings.Type{Demand: x.AppendUnheld(nil, g), OnDemand: rates.OnDemand, Plan: rates.Plan})
		f.first = append(f.first, len(f.problem.Classes))
		for _, c := range g.List.Classes {
			f.problem.Classes = append(f.problem.Classes, savings.TypeClass{Type: i, Class: c})
		}
	}
	if !f.branch.Load(&f.problem, f) {
		return nil
	}
	return f
}

// Fee implements [savings.Market].
func (f *few) Fee(class, slot int) (int64, bool) {
	k := &f.problem.Classes[class].Class
	fee, err := f.x.Cost(&record.Order{Class: k.Name, Units: 1, Start: f.x.At(slot), Term: k.Term, Upfront: k.Upfront, Hourly: k.Hourly})
	return int64(fee), err == nil
}

// Cost implements [savings.Market]: with the best commitments.
func (f *few) Cost(list []pricing.Purchase) (savings.Total, bool, error) {
	var sum Sum
	for i, g := range f.groups {
		change := make([]int, f.x.Hours+1)
		for _, q := range list {
			c := &f.problem.Classes[q.Class]
			if c.Type != i {
				continue
			}
			change[q.Slot] += q.Count
			change[min(f.x.Hours, q.Slot+int(c.Class.Term/time.Hour))] -= q.Count
			fee, _ := f.Fee(q.Class, q.Slot)
			cost, err := pricing.Money(fee).Mul(int64(q.Count))
			if err != nil {
				return savings.Total{}, false, nil
			}
			sum.Fees = sum.Fees.Plus(savings.TotalOf(cost))
		}
		active := 0
		for t, d := range f.problem.Types[i].Demand {
			active += change[t]
			f.left[t] = max(0, d-active)
		}
		sum.Sum.Add(ratesOf(g), 0, 1, f.left, 1)
	}
	plan, _, err := commit(f.x, &sum, nil)
	return plan.Cost, plan.Failed == "", err
}

// given returns the purchases of each group.
func (f *few) given(list []pricing.Purchase) map[record.Key][]pricing.Purchase {
	given := map[record.Key][]pricing.Purchase{}
	for _, g := range f.groups {
		given[g.Key] = nil
	}
	for _, q := range list {
		i := f.problem.Classes[q.Class].Type
		k := f.groups[i].Key
		given[k] = append(given[k], pricing.Purchase{Slot: q.Slot, Class: q.Class - f.first[i], Count: q.Count})
	}
	return given
}

// quick reports whether a few, or nil, takes less time than a search of prices.
func (f *few) quick() bool { return f != nil && f.branch.Columns() <= quickColumns }

// search returns a price with given orders that cost less than the plan of a price, or with a
// better bound.
func (f *few) search(at Price, cost savings.Total, goal float64) (Price, error) {
	if err := f.branch.Search(cost, goal, fewWork); err != nil {
		return Price{}, err
	}
	if list, found := f.branch.Best(); found {
		at.Given, at.Other, at.Share = f.given(list), nil, 0
		if worth := f.branch.Worth(); savings.Unfair(&f.problem, worth) < 0 {
			at.Worth = slices.Clone(worth)
		}
	}
	at.Groups, at.Least = int64(len(f.groups)), f.branch.Bound()
	return at, nil
}
