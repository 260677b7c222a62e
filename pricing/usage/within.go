package usage

import (
	"slices"
	"time"
)

// Use within a day.
//
// Some bills have rows of days. What a reservation is worth then depends on when within the day
// the machines ran, which such a bill does not say: ten machines of twelve hours are five
// instances for 24 hours, or ten for twelve. For any number of reservations, the hours that they
// serve are fewest if all machines run at once. In symbols, Σ min(k, d_j) over the hours j of a
// day is least, for every k, where the demand d is concentrated most; and a machine that ran h
// hours of a day ran in h different hours. So a plan for demand that is together costs no more
// on the true hours than the plan says.

// rank adds the hours of a row of a day to those of the day's machines, all of which begin at
// once. A row of at most a day's hours is one machine. A row of more is an unknown number of
// machines: its hours count in the first.
func (s *series) rank(day int64, hours Amount) {
	ranks := s.ranks[day]
	if ranks == nil {
		if s.ranks == nil {
			s.ranks = map[int64]*[24]Amount{}
		}
		ranks = new([24]Amount)
		s.ranks[day] = ranks
	}
	size, one := hours, Units(1)
	if hours.Sign() < 0 {
		size, one = hours.Neg(), Units(-1)
	}
	if size.Compare(Units(25)) > 0 {
		ranks[0] = ranks[0].Plus(hours)
		return
	}
	rest := hours
	for j := 0; j < 24 && rest != (Amount{}); j++ {
		part := rest
		if size.Compare(Units(1)) > 0 && j < 23 {
			part = one
		}
		ranks[j] = ranks[j].Plus(part)
		rest, size = rest.Minus(part), size.Minus(Units(1))
	}
}

// together returns the hours of n days from the first if all machines of a day begin at once.
// Rows of hours count with the hours of the most use first.
func (s *series) together(first int64, n int) [][24]Amount {
	days := make([][24]Amount, n)
	for i := range days {
		day := first + int64(i)
		if ranks := s.ranks[day]; ranks != nil {
			days[i] = *ranks
		}
		var known [24]Amount
		for j := range known {
			if at := 24*day + int64(j) - s.hours.base; at >= 0 && at < int64(len(s.hours.slot)) {
				known[j] = s.hours.slot[at].used
			}
		}
		slices.SortFunc(known[:], func(a, b Amount) int { return b.Compare(a) })
		for j, a := range known {
			days[i][j] = days[i][j].Plus(a)
		}
	}
	return days
}

// Hourly returns the demand by the hour, for a demand by the day. Hourly spreads each day's use
// evenly over the hours h of the day, in UTC, with from ≤ h < to. If to is not above from, it
// spreads the use over the hours with h < to or h ≥ from.
//
// If from and to are both 0 and d.Together is not nil, Hourly uses d.Together instead: it packs the
// use of each day as densely as the rows allow, from the first hour of the day on. That is the
// worst case for reservations: they save at least as much on the true hours as on this demand.
//
// If the demand is by the hour already, Hourly returns it unchanged. Hourly panics if from or to is
// not from 0 to 24.
func (d *Demand) Hourly(from, to int) Demand {
	if from < 0 || from > 24 || to < 0 || to > 24 {
		panic("usage: an hour of the day that is not 0 to 24")
	}
	if d.Slot != 24*time.Hour {
		return *d
	}
	h := *d
	h.Slot, h.Together = time.Hour, nil
	h.Used, h.Covered = make([]Amount, 24*len(d.Used)), make([]Amount, 24*len(d.Used))
	n := (to - from + 24) % 24
	if n == 0 {
		n = 24
	}
	for t, used := range d.Used {
		day, covered := h.Used[24*t:24*t+24], d.Covered[t]
		if from == 0 && to == 0 && d.Together != nil {
			copy(day, d.Together[t][:])
		} else {
			part := used.over(int64(n))
			for j := range n {
				if j == n-1 {
					part = used
				}
				day[(from+j)%24] = part
				used = used.Minus(part)
			}
		}
		for j, a := range day { // the first hours are covered
			switch {
			case j == 23 || a.Compare(covered) > 0:
				a = covered
			case a.Sign() < 0:
				a = Amount{}
			}
			h.Covered[24*t+j], covered = a, covered.Minus(a)
		}
	}
	return h
}
