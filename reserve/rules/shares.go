package rules

import (
	"slices"

	"github.com/plimsoll/plimsoll/internal/grow"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
)

// Shares by minimum utilisation, [Niu16] section 5.1 and Table 1.
//
// The minimum utilisation of a class is where the lower envelope of the classes crosses from the
// class before to this class ([pricing.List.AppendEnvelope]). The j-th instance of a demand is used
// in the slots with a demand of at least j, and gets the most discounted class whose minimum
// utilisation its use reaches. That is what could be reserved if use went on like this for the whole
// of each term; [SEC] says when to buy.
//
// Time: O(n + peak·h) for n slots and h classes. Space: O(peak + h).

// Shares say how much of a demand each class of a list could serve. The zero value is ready for Add.
type Shares struct {
	// Slots has the instance-slots that each class serves, and at the end those on demand.
	Slots []int64
	// Instances has the number of instances that qualify for each class.
	Instances []int64
	// Total is the sum of Slots.
	Total int64

	levels []pricing.Level
	used   []int
}

// Add adds to s the instance-slots of a demand that each class of list serves. Each instance of the
// demand goes to the class that is cheapest for the number of slots in which the instance is used.
// slots is the number of slots of the demand's span; the slots that demand lacks have no demand. If
// several demands are planned separately, such as those of several users, call Add for each demand
// with the same list.
//
// The error is that of [pricing.List.Validate], or [reserve.ErrRange] if a demand is negative or
// slots is not positive. Add panics if list has another number of classes than in the first call.
// Add does not modify demand, and allocates nothing once warm.
func (s *Shares) Add(list pricing.List, demand []int, slots int) (err error) {
	n := len(list.Classes)
	if s.Slots == nil {
		s.Slots, s.Instances = make([]int64, n+1), make([]int64, n)
	}
	if len(s.Instances) != n {
		panic("rules: Shares.Add: another number of classes than before")
	}
	if slots <= 0 {
		return badInput("slots", -1, reserve.ErrRange, "%d: want a positive number", slots)
	}
	for t, d := range demand {
		if d < 0 {
			return badInput("demand", t, reserve.ErrRange, "%d: want none negative", d)
		}
	}
	if s.levels, err = list.AppendEnvelope(s.levels[:0], 0); err != nil {
		return err
	}
	s.rank(demand)
	for _, used := range s.used {
		k := n
		for _, l := range s.levels {
			if l.Class >= 0 && float64(used) >= l.From*float64(slots) {
				k = l.Class
			}
		}
		s.Slots[k] += int64(used)
		s.Total += int64(used)
		if k < n {
			s.Instances[k]++
		}
	}
	return nil
}

// rank counts in how many slots each instance is used, the first in all slots that have any.
func (s *Shares) rank(demand []int) {
	s.used = s.used[:0]
	if len(demand) == 0 {
		return
	}
	s.used = grow.Zero(s.used, slices.Max(demand))
	for _, d := range demand {
		if d > 0 {
			s.used[d-1]++
		}
	}
	for k := len(s.used) - 2; k >= 0; k-- {
		s.used[k] += s.used[k+1]
	}
}

// Share returns the part of all instance-slots that class k serves, or with k = the number of classes
// what runs on demand. Share is 0 of no demand.
func (s *Shares) Share(k int) float64 { return float64(s.Slots[k]) / float64(max(1, s.Total)) }
