package usage

import (
	"math"
	"slices"
	"time"
)

// The end of a bill.
//
// Clouds report late, each account and each service at its own time, and files of several accounts
// end on different days. Hours that are not reported yet look like a fall of the demand. To tell
// the two apart, the use of an hour is compared with the use of the same hour on seenDays days
// before. For an hour of a working day, weekends do not count. If measuredDays of these days are
// known, the usual use is the second least of them, so that one disturbed day hides nothing. If
// fewer are known, it is the least.
//
// The end of a bill, its tail, is late if less than the share thin of the usual use is there, in
// kinds that have the share mostThin of all use. The tail of a single kind or owner is late on
// three conditions. Its use is that thin in loneHours hours. The use that is missing costs
// leastLate of the bill's use in that time. And the share of the usual use that is there is less
// than rare of the shares on the days before: otherwise the use varies too much to tell. A tail is
// at most tailDays long, since clouds report within three days. A longer fall is a change.
const (
	seenDays     = 14
	measuredDays = 6
	tailDays     = 3
	thin         = .9
	mostThin     = .75
	loneHours    = 6
	leastLate    = .02
	rare         = .85
)

// A Late is use that is not all there from an hour on to the end of the bill, though that of others
// is: of a file that ends before the others, of an owner, or of a kind.
type Late struct {
	What    string    // "file", "owner" or "kind"
	Name    string    // of the file or the owner, "" for a kind
	From    time.Time // the first hour
	Present float64   // the share of what is usual that these hours have
	Demands []int     // indices of the demands that lack it
	Hours   float64   // instance-hours that lack
	Cost    float64   // what they cost, at the mean of these demands
}

// at returns the use of slot t of the demand's own slots from the time of the epoch on.
func (d *Demand) at(t int64) float64 {
	if t -= floor(d.Start.Unix(), int64(d.Slot/time.Second)); t < 0 || t >= int64(len(d.Used)) {
		return 0
	}
	return d.Used[t].Float64()
}

// A lane is the use, hour by hour, of what may be late.
type lane struct {
	use   func(hour int64) float64
	start int64 // the first hour that is known
}

// lane returns that of a demand, whose days are spread over their hours.
func (d *Demand) lane() lane {
	l := lane{d.at, floor(d.Start.Unix(), 3600)}
	if d.Slot > time.Hour {
		l.use = func(hour int64) float64 { return d.at(floor(hour, 24)) / 24 }
	}
	return l
}

// usual returns the use of a lane in an hour, what is usual then, and whether that is known. End is
// the last hour of the bill: days that may be of the tail are no measure.
func (q *Quality) usual(l *lane, at, end int64) (use, usual float64, known bool) {
	least, second, days := math.Inf(1), math.Inf(1), 0
	from := max(1, floor(at-end+24*tailDays, 24)+1)
	for back := from; back < from+seenDays && at-24*back >= l.start; back++ {
		if q.missing(at-24*back) || weekend(at-24*back) && !weekend(at) {
			continue
		}
		switch y := l.use(at - 24*back); {
		case y < least:
			least, second = y, least
		case y < second:
			second = y
		}
		days++
	}
	if days >= measuredDays {
		least = second
	}
	return l.use(at), least, days > 1
}

// ends returns the first hour and the hour after the last of the bill.
func (b *Bill) ends() (start, end int64) {
	return floor(b.Start.Unix(), 3600), floor(b.End.Unix()+3599, 3600)
}

// tail finds the hours at the end of the bill that are not all there.
func (b *Bill) tail(q *Quality) {
	start, end := b.ends()
	first := end
	lost, all := 0.0, 0.0
	var lanes []lane
	for i := range b.Demand {
		lanes = append(lanes, b.Demand[i].lane())
	}
	for at := end - 1; at >= max(end-24*tailDays-1, start); at-- {
		used, least, thinner := 0.0, 0.0, 0.0
		for i := range lanes {
			x, low, known := q.usual(&lanes[i], at, end)
			if !known {
				continue
			}
			if used, least = used+x, least+low; x < thin*low {
				thinner += low
			}
		}
		if least == 0 { // nothing was ever used at this hour
			continue
		}
		if used >= thin*least || thinner < mostThin*least {
			break
		}
		first, lost, all = at, lost+least-used, all+least
	}
	if first < end && first >= end-24*tailDays {
		q.Tail, q.Present = time.Unix(3600*first, 0).UTC(), 1-lost/all
	}
}

// late finds what is late alone: files, then owners, then kinds of which no owner is.
func (b *Bill) late(q *Quality) {
	b.lateFiles(q)
	lateKind := make([]bool, len(b.Demand))
	add := func(what, name string, l *lane, demands []int) {
		if first, lost, all := q.lone(b, l); first < math.MaxInt64 {
			x := Late{What: what, Name: name, From: time.Unix(3600*first, 0).UTC(), Present: 1 - lost/all, Demands: demands, Hours: lost}
			if x.Cost = lost * b.costOf(demands...); x.Cost < leastLate*b.spent(q.Tail.Sub(x.From)) {
				return
			}
			q.Late = append(q.Late, x)
			for _, i := range demands {
				lateKind[i] = true
			}
		}
	}
	for _, x := range q.Late {
		for _, i := range x.Demands {
			lateKind[i] = true
		}
	}
	for i := range b.owners {
		o := &b.owners[i]
		if len(b.owners) > 1 {
			add("owner", o.name, &lane{o.at, o.base}, b.demandsOf(o))
		}
	}
	for i := range b.Demand {
		if !lateKind[i] {
			l := b.Demand[i].lane()
			add("kind", "", &l, []int{i})
		}
	}
}

// lone returns the first hour of the tail of a lane, what lacks in it and what is usual; the first
// hour is math.MaxInt64 if there is none.
func (q *Quality) lone(b *Bill, l *lane) (first int64, lost, all float64) {
	start, end := b.ends()
	first = math.MaxInt64
	hours := 0
	for at := floor(q.Tail.Unix(), 3600) - 1; at >= max(end-24*(tailDays+3), start); at-- {
		x, low, known := q.usual(l, at, end)
		if known && low == 0 {
			continue
		}
		if !known || x >= thin*low {
			break
		}
		first, lost, all, hours = at, lost+low-x, all+low, hours+1
	}
	if hours < loneHours || first < end-24*tailDays || 1-lost/all > rare*q.before(l, first, floor(q.Tail.Unix(), 3600), start, end) {
		return math.MaxInt64, 0, 0
	}
	return first, lost, all
}

// before returns how low the use of a lane was, in parts of what is usual, at the same hours of the
// week before: the second least of the days, since one may have been disturbed.
func (q *Quality) before(l *lane, from, to, start, end int64) float64 {
	var shares []float64
	for day := int64(tailDays + 1); day <= tailDays+7 && from-24*day >= start; day++ {
		used, all := 0.0, 0.0
		for at := from - 24*day; at < to-24*day; at++ {
			if x, low, known := q.usual(l, at, end-24*day); known {
				used, all = used+x, all+low
			}
		}
		if all > 0 {
			shares = append(shares, min(1, used/all))
		}
	}
	if slices.Sort(shares); len(shares) < 2 {
		return 1
	}
	return shares[1]
}

// lateFiles finds files that end more than tailDays before the bill, with all of their owners: the
// rest of those bills is somewhere else.
func (b *Bill) lateFiles(q *Quality) {
	_, end := b.ends()
	for file := range b.Files {
		last := int64(math.MinInt64)
		var of []*owner
		ended := true
		for i := range b.owners {
			o := &b.owners[i]
			if at := slices.IndexFunc(o.ends, func(e fileEnd) bool { return e.file == file }); at >= 0 {
				last, of = max(last, o.ends[at].end), append(of, o)
			}
		}
		for _, o := range of {
			ended = ended && !slices.ContainsFunc(o.ends, func(e fileEnd) bool { return e.end > last })
		}
		if len(of) == 0 || !ended || last >= end-24*tailDays {
			continue
		}
		x := Late{What: "file", Name: b.Files[file].Name, From: time.Unix(3600*last, 0).UTC()}
		for _, o := range of {
			for h := last - 7*24; h < last; h++ { // a week's mean
				x.Hours += o.at(h) / (7 * 24) * float64(end-last)
			}
			for _, i := range b.demandsOf(o) {
				if !slices.Contains(x.Demands, i) {
					x.Demands = append(x.Demands, i)
				}
			}
		}
		if x.Cost = x.Hours * b.costOf(x.Demands...); x.Hours > 0 {
			q.Late = append(q.Late, x)
		}
	}
}

// demandsOf returns the demands that have use of an owner.
func (b *Bill) demandsOf(o *owner) (list []int) {
	for i := range b.Demand {
		if o.has(i) {
			list = append(list, i)
		}
	}
	return list
}

// costOf returns what an instance-hour of demands costs on average.
func (b *Bill) costOf(demands ...int) float64 {
	hours, cost := 0.0, 0.0
	for _, i := range demands {
		d := &b.Demand[i]
		used, _ := d.Hours()
		hours, cost = hours+used.Float64(), cost+d.Paid.Plus(d.Committed.Effective).Float64()
	}
	if hours <= 0 {
		return 0
	}
	return cost / hours
}

// spent returns what instances cost in so much time, on average over the bill.
func (b *Bill) spent(in time.Duration) float64 {
	cost := 0.0
	for i := range b.Demand {
		cost += b.Demand[i].Paid.Plus(b.Demand[i].Committed.Effective).Float64()
	}
	return cost * in.Hours() / max(1, b.End.Sub(b.Start).Hours())
}
