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

// What a tail is. The use of an hour is compared with the least that each kind had at that hour of
// the day on seenDays days before; weekends do not count for an hour of a working day. A tail of all
// kinds together has less than thin of that, in kinds that have mostThin of the use; it is at most
// tailDays long, as clouds report within three days, and longer is a change.
const (
	seenDays = 14
	tailDays = 3
	thin     = .9
	mostThin = .75
)

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
	b.doubles(&q)
	return q
}

// at returns the use of slot t of the demand's own slots from the time of the epoch on.
func (d *Demand) at(t int64) float64 {
	if t -= floor(d.Start.Unix(), int64(d.Slot/time.Second)); t < 0 || t >= int64(len(d.Used)) {
		return 0
	}
	return d.Used[t].Float64()
}

// tail finds the hours at the end of the bill that are not all there.
func (b *Bill) tail(q *Quality) {
	end, start := floor(b.End.Unix()+3599, 3600), floor(b.Start.Unix(), 3600)
	first := end
	lost, usual := 0.0, 0.0
	for at := end - 1; at >= max(end-24*tailDays-1, start); at-- {
		used, least, thinner := 0.0, 0.0, 0.0
		for i := range b.Demand {
			d := &b.Demand[i]
			slot, day := at, int64(24)
			if d.Slot > time.Hour {
				slot, day = floor(at, 24), 1
			}
			x, low, days := d.at(slot), 0.0, 0
			// Days that may be of the tail are no measure.
			from := max(1, floor(at-end+24*tailDays, 24)+1)
			for back := from; back < from+seenDays && slot-back*day >= floor(d.Start.Unix(), int64(d.Slot/time.Second)); back++ {
				if q.missing(at-24*back) || weekend(at-24*back) && !weekend(at) {
					continue
				}
				if y := d.at(slot - back*day); days == 0 || y < low {
					low = y
				}
				days++
			}
			if days < 2 {
				continue
			}
			part := float64(day) / 24 // an hour's part of a slot
			if used, least = used+part*x, least+part*low; x < thin*low {
				thinner += part * low
			}
		}
		switch {
		case least == 0: // nothing was ever used at this hour
			continue
		case used >= thin*least || thinner < mostThin*least:
			at = start - 1
			continue
		}
		first, lost, usual = at, lost+least-used, usual+least
	}
	if first < end && first >= end-24*tailDays {
		q.Tail, q.Present = time.Unix(3600*first, 0).UTC(), 1-lost/usual
	}
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
		k.System, k.Tenancy = "", ""
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
