package main

import (
	"cmp"
	"slices"

	"github.com/plimsoll/plimsoll/federation"
	"github.com/plimsoll/plimsoll/pricing"
)

// Does a lending price tempt centres to reserve what they do not need? [Liu21] says that F/τ does
// not; package federation's TestOverReserving has a counterexample. So a price is checked by trying:
// each centre in turn buys one more reservation for each start, and the tasks are shared again.

// A temptation is a reservation that costs a centre more than it saves the centre alone, and that
// pays off because others rent it.
type temptation struct {
	centre int
	start  int           // slot in which the reservation begins; it lasts a term
	gain   pricing.Money // what the centre gains by it in the federation, above 0
}

// tempt returns the temptations of all centres under the given options: the greatest gain first;
// ties go to the lower centre, then the earlier start. Each reservation is tried by itself; two
// reservations together may tempt although neither tempts alone. The whole fee counts, also of a
// term that outlives the slots.
//
// limit is the work limit: how many reservations are tried, spread evenly over centres and starts.
// Each of them takes the time of one [federation.Share]. The error is that of Share.
func tempt(centres []federation.Centre, tasks []federation.Task, opts federation.Options, limit int) ([]temptation, error) {
	var s federation.Sharer
	var l federation.Ledger
	var bookings []federation.Booking
	costs := func(to []pricing.Money, of []federation.Centre) error {
		err := s.Reset(of, opts)
		if err == nil {
			bookings, err = s.Share(bookings[:0], tasks)
		}
		if err != nil {
			return err
		}
		l.Reset(len(of))
		if err := l.Post(bookings...); err != nil {
			return err
		}
		for i := range of {
			to[i] = l.Statement(i).Cost()
		}
		return nil
	}
	before, after := make([]pricing.Money, len(centres)), make([]pricing.Money, len(centres))
	if err := costs(before, centres); err != nil {
		return nil, err
	}
	slots := len(centres[0].Reserved)
	all := len(centres) * slots
	limit = min(limit, all)
	var list []temptation
	more := slices.Clone(centres)
	need := make([]int, slots)
	of := -1 // whose demand need is
	for try := range limit {
		k := int(int64(try) * int64(all) / int64(limit))
		i, start := k/slots, k%slots
		c := centres[i]
		if i != of {
			of = i
			clear(need)
			if err := federation.AddDemand(need, tasks, i); err != nil {
				return nil, err
			}
		}
		saved := pricing.Money(0) // alone
		u := slices.Clone(c.Reserved)
		for t := start; t < min(start+c.Term, slots); t++ {
			if need[t] > u[t] {
				saved += c.OnDemand
			}
			u[t]++
		}
		if saved > c.Fee {
			continue // worth its fee without the others
		}
		more[i].Reserved = u
		err := costs(after, more)
		more[i].Reserved = c.Reserved
		if err != nil {
			return nil, err
		}
		if gain := before[i] - after[i] - c.Fee; gain > 0 {
			list = append(list, temptation{i, start, gain})
		}
	}
	slices.SortFunc(list, func(a, b temptation) int {
		return cmp.Or(cmp.Compare(b.gain, a.gain), cmp.Compare(a.centre, b.centre), cmp.Compare(a.start, b.start))
	})
	return list, nil
}
