package usage

import (
	"cmp"
	"slices"
	"time"
)

// A Quality says how far a bill can be believed: what is found in its hours without a price.
type Quality struct {
	// Tail is the first hour from which on to the end of the bill its use is not all there: clouds
	// report late. It is the end of the bill if all use is there. Present is the share of the least
	// that these hours had on the days before.
	Tail    time.Time
	Present float64
	// Late is use that is not all there though that of others is, before Tail.
	Late []Late
	// Gaps are times of a day or more in which no kind is used, within the bill, though at six hours
	// of them or more there is use in most other weeks: from when, and until when. A weekend without
	// use is no gap if most are.
	Gaps [][2]time.Time
	// Doubles are pairs of demands, by their index, that are suspected of charging for the same
	// instances: one type in one region under two systems, with the same use in every hour.
	Doubles [][2]int
	// Daily is how many instance-hours of demand are of days, Hourly of hours.
	Daily, Hourly Amount
}

// Quality examines the hours of a bill. Time is linear in the slots.
func (b *Bill) Quality() Quality {
	q := Quality{Tail: b.End, Present: 1}
	for i := range b.Demand {
		used, _ := b.Demand[i].Hours()
		if b.Demand[i].Slot > time.Hour {
			q.Daily = q.Daily.Plus(used)
		} else {
			q.Hourly = q.Hourly.Plus(used)
		}
	}
	b.gaps(&q)
	b.tail(&q)
	b.late(&q)
	b.doubles(&q)
	return q
}

// weekend reports whether an hour is of a Saturday or a Sunday in UTC. The first day of the epoch
// was a Thursday.
func weekend(hour int64) bool {
	day := (floor(hour, 24) + 4) % 7
	return day == 0 || day == 6
}

// missing reports whether an hour is in a gap.
func (q *Quality) missing(hour int64) bool {
	t := time.Unix(3600*hour, 0)
	return slices.ContainsFunc(q.Gaps, func(s [2]time.Time) bool { return !t.Before(s[0]) && t.Before(s[1]) })
}

// gaps finds the times without any use.
func (b *Bill) gaps(q *Quality) {
	var used hourSet
	for i := range b.Demand {
		d := &b.Demand[i]
		n, first := int64(d.Slot/time.Hour), floor(d.Start.Unix(), 3600)
		for t, a := range d.Used {
			if a != (Amount{}) {
				used.mark(first+n*int64(t), first+n*int64(t+1))
			}
		}
	}
	last := int64(0)
	for w, bits := range used.bits {
		for h := range int64(64) {
			if bits>>uint(h)&1 == 0 {
				continue
			}
			at := 64*(used.base+int64(w)) + h
			if last != 0 && at-last >= 24 && used.usual(last, at) {
				q.Gaps = append(q.Gaps, [2]time.Time{time.Unix(3600*last, 0).UTC(), time.Unix(3600*at, 0).UTC()})
			}
			last = at + 1
		}
	}
}

// usualHours is at how many hours of a gap there is use in most other weeks. nearWeeks is how many
// weeks before the gap, and after it, are looked at.
const (
	usualHours = 6
	nearWeeks  = 4
)

// usual reports whether hours without a mark are marked in most of the weeks around them. Where no
// other week is known, an hour counts as usual.
func (s *hourSet) usual(from, to int64) bool {
	const week = 7 * 24
	hours := 0
	for h := from; h < to && hours < usualHours; h++ {
		marked, seen := 0, 0
		see := func(at int64) {
			if w := floor(at, 64) - s.base; w >= 0 && w < int64(len(s.bits)) {
				seen++
				marked += int(s.bits[w] >> uint(at-64*floor(at, 64)) & 1)
			}
		}
		before, after := (h-from)/week+1, (to-1-h)/week+1
		for k := range int64(nearWeeks) {
			see(h - week*(before+k))
			see(h + week*(after+k))
		}
		if seen == 0 || 2*marked > seen {
			hours++
		}
	}
	return hours >= usualHours
}

// doubles finds kinds with the same use in every slot, at least a day's.
func (b *Bill) doubles(q *Quality) {
	groups := map[Kind][]int{}
	for i := range b.Demand {
		k := b.Demand[i].Kind.Plain()
		k.System, k.Tenancy, k.Owner = "", "", b.Demand[i].Kind.Owner
		groups[k] = append(groups[k], i)
	}
	for _, g := range groups {
		for n, i := range g {
			for _, j := range g[:n] {
				one, other := &b.Demand[j], &b.Demand[i]
				if one.Slot == other.Slot && one.Start.Equal(other.Start) && time.Duration(len(one.Used))*one.Slot >= 24*time.Hour && slices.Equal(one.Used, other.Used) {
					q.Doubles = append(q.Doubles, [2]int{j, i})
				}
			}
		}
	}
	slices.SortFunc(q.Doubles, func(x, y [2]int) int { return cmp.Or(cmp.Compare(x[0], y[0]), cmp.Compare(x[1], y[1])) })
}
