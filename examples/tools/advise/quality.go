package main

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"gonum.org/v1/gonum/stat"

	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/table"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/pricing/offers"
	"github.com/plimsoll/plimsoll/pricing/usage"
)

// What the bill leaves in doubt, and what is done about it. Each doubt is a sentence before the
// order.

// shares say how much of the bill's instances is planned. Money is the cost of instances, on demand
// at the customer's prices and under commitments.
type shares struct {
	all, planned, doubled usage.Amount
	kinds, matched        int
	sound                 float64 // percent
}

// costOf is what the instances of a demand cost.
func costOf(d *usage.Demand) usage.Amount { return d.Paid.Plus(d.Committed.Effective) }

// convert gives an offer the bill's currency, by -exchange.
func (r *results) convert(o *offers.Offer) {
	x, ok := r.o.rates[strings.ToUpper(o.Currency)]
	if !ok {
		return
	}
	o.Currency = "" // the bill's
	o.List.OnDemand = times(o.List.OnDemand, x)
	for i := range o.List.Classes {
		c := &o.List.Classes[i]
		c.Upfront, c.Hourly = times(c.Upfront, x), times(c.Hourly, x)
	}
}

// times returns m·x, rounded to a nano; prices are far below 2⁵³ nanos.
func times(m pricing.Money, x float64) pricing.Money {
	return pricing.Money(math.Round(float64(m) * x))
}

// leaveGaps takes the times without any use out of the series that is forecast: they are missing
// there, and not 0.
func (r *results) leaveGaps(g *group) {
	if len(r.quality.Gaps) == 0 {
		return
	}
	g.float()
	for t := range g.demand {
		at := r.start.Add(time.Duration(t) * g.slot)
		for _, gap := range r.quality.Gaps {
			if at.Before(gap[1]) && at.Add(g.slot).After(gap[0]) {
				g.series[t] = math.NaN()
			}
		}
	}
}

// float makes the series of a group that is forecast, if it has none.
func (g *group) float() {
	if g.series == nil {
		for _, n := range g.demand {
			g.series = append(g.series, float64(n))
		}
	}
}

// leaveTail gives the series that is forecast the length of the bill: late hours are missing.
func (r *results) leaveTail(g *group) {
	n := int(r.bill.End.Sub(r.start) / g.slot)
	if len(g.demand) < n {
		g.float()
	}
	for g.series != nil && len(g.series) < n {
		g.series = append(g.series, math.NaN())
	}
}

// What a disturbance is: less than disturbed of what is usual in leastDisturbed hours or more, with
// usual use on a day after it. Usual is the third least of the same hour on nearDays days before and
// after; weekends do not count for an hour of a working day. What those hours have together is
// farOff standard deviations below that of the other days, the two least of them left out, and more
// where few days are known: use that varies more has low hours and no disturbance. Machines that
// never change have leastNoise.
const (
	disturbed      = .7
	leastDisturbed = 3
	nearDays       = 14
	farOff         = 6
	leastNoise     = .25 // of the square root of the mean, as of counts
)

// near returns the use of a group in slots from to before to, moved by whole days up to nearDays, in
// rising order, and the most of a day after.
func (r *results) near(g *group, from, to int) (sums []float64, after float64) {
	day := int(24 * time.Hour / g.slot)
	atWeekend := func(t int) bool {
		d := r.start.Add(time.Duration(t) * g.slot).Weekday()
		return d == time.Saturday || d == time.Sunday
	}
next:
	for d := -nearDays; d <= nearDays; d++ {
		sum, move := 0.0, d*day
		if d == 0 || from+move < 0 || to+move > len(g.demand) || atWeekend(from+move) && !atWeekend(from) {
			continue
		}
		for t := from + move; t < to+move; t++ {
			if g.series != nil && math.IsNaN(g.series[t]) {
				continue next
			}
			sum += float64(g.demand[t])
		}
		if sums = append(sums, sum); d > 0 {
			after = max(after, sum)
		}
	}
	slices.Sort(sums)
	return sums, after
}

// usual returns what is usual for a group in a slot, 0 where nobody can say.
func (r *results) usual(g *group, t int) float64 {
	sums, after := r.near(g, t, t+1)
	if len(sums) < nearDays/2 || after < disturbed*sums[2] {
		return 0
	}
	return sums[2]
}

// leaveDisturbed takes the times in which the use of a group broke down for a day or two out of the
// series that is forecast: what was usual before and after is to come, and a forecast that follows
// the last days would order nothing.
func (r *results) leaveDisturbed(g *group) {
	first, hours, lost, all := -1, 0.0, 0.0, 0.0
	for t := 0; t < len(g.demand); {
		end, used := t, 0.0
		for ; end < len(g.demand) && !(g.series != nil && math.IsNaN(g.series[end])); end++ {
			x := float64(g.demand[end])
			if x >= disturbed*r.usual(g, end) {
				break
			}
			used += x
		}
		n := time.Duration(end-t) * g.slot
		if n >= leastDisturbed*time.Hour && n <= 3*24*time.Hour && end < len(g.demand) {
			sums, _ := r.near(g, t, end)
			if len(sums) > 4 {
				mean, deviation := stat.MeanStdDev(sums[2:], nil)
				if mean-used > farOff*(1+nearDays/float64(len(sums)))*max(deviation, leastNoise*math.Sqrt(mean)) {
					g.float()
					for i := t; i < end; i++ {
						g.series[i] = math.NaN()
					}
					if hours, lost, all = hours+n.Hours(), lost+(mean-used)*g.slot.Hours(), all+mean*g.slot.Hours(); first < 0 {
						first = t
					}
				}
			}
		}
		t = end + 1
	}
	if first >= 0 {
		r.doubts = append(r.doubts, fmt.Sprintf("%s: %s hours, from %s on, have %s%% of what is usual before and after, and use of about %s lacks: they count as missing, and not as what is to come", g.name,
			decimal.Fixed(hours, 0), r.start.Add(time.Duration(first)*g.slot).Format("2006-01-02 15:04"), decimal.Fixed(100*(1-lost/all), 0), r.about(lost*g.list.OnDemand.Float64())))
	}
}

// leastDiscount is the discount, in parts of the price, from which on it counts. Less is rounding.
const leastDiscount = .001

// discount gives a group the prices that the customer pays: on demand that of -discount, or else
// what its rows cost in parts of what they cost by the list; reserved what its reservations cost in
// parts of their price, where the bill says.
func (r *results) discount(g *group, f *usage.Family, demands []usage.Demand) {
	var paid, list, hours, reserved, reservedPaid usage.Amount
	for k, i := range f.Demands {
		d := &demands[i]
		used, covered := d.Hours()
		paid, list = paid.Plus(d.Paid), list.Plus(d.OnDemand.List)
		hours = hours.Plus(used.Minus(covered).Scale(int64(f.Units[k]), 1))
		reserved, reservedPaid = reserved.Plus(d.Reserved), reservedPaid.Plus(d.ReservedPaid)
	}
	less := func(paid, list float64) (part float64, ok bool) {
		part = paid / list
		return part, list > 0 && part > 0 && part < 1-leastDiscount
	}
	whole := list.Float64()
	if whole <= 0 {
		whole = hours.Float64() * g.list.OnDemand.Float64()
	}
	part, ok := less(paid.Float64(), whole)
	said := "as the bill was charged"
	if r.o.discount >= 0 {
		part, ok, said = 1-r.o.discount/100, r.o.discount > 0, "as -discount says"
	}
	fees := "reservations count at the list's prices"
	feesPart, feesOK := less(reservedPaid.Float64(), reserved.Float64())
	if feesOK {
		fees = fmt.Sprintf("reservations count %s%% below the list, as those of the bill were charged", decimal.Fixed(100*(1-feesPart), 1))
		g.list.Classes = slices.Clone(g.list.Classes)
		for i := range g.list.Classes {
			c := &g.list.Classes[i]
			c.Upfront, c.Hourly = times(c.Upfront, feesPart), times(c.Hourly, feesPart)
		}
	}
	if ok {
		g.list.OnDemand = times(g.list.OnDemand, part)
		fees = fmt.Sprintf("on demand counts at %s an hour, %s%% below the list, %s; ", money4(g.list.OnDemand), decimal.Fixed(100*(1-part), 1), said) + fees
		if r.o.discount < 0 {
			fees += ". Another discount: -discount"
		}
	}
	if ok || feesOK {
		r.doubts = append(r.doubts, g.name+": "+fees)
	}
}

// money4 writes a price of an hour.
func money4(m pricing.Money) string { return m.Fixed(4) }

// judge says what the bill leaves in doubt, and orders nothing if the bill is not as sound as
// -sound asks.
func (r *results) judge() {
	if r.o.demand != "" {
		return
	}
	q, s := &r.quality, &r.shares
	doubt := func(format string, args ...any) { r.doubts = append(r.doubts, fmt.Sprintf(format, args...)) }
	r.judgeTail(doubt)
	missing := 0.0
	for _, gap := range q.Gaps {
		missing += gap[1].Sub(gap[0]).Hours()
		doubt("no kind is used from %s to %s: these hours count as missing, and not as 0; give the bill of that time with -bill", gap[0].Format("2006-01-02 15:04"),
			gap[1].Format("2006-01-02 15:04"))
	}
	r.judgeDays(doubt)
	r.judgeDiscounts(doubt)
	for _, d := range q.Doubles {
		one, other := &r.bill.Demand[d[0]], &r.bill.Demand[d[1]]
		cost := costOf(other)
		if costOf(one).Compare(cost) < 0 {
			cost = costOf(one)
		}
		s.doubled = s.doubled.Plus(cost)
		doubt("%s and %s have the same use in every hour: if one is a fee beside the other, each instance counts twice", place(one.Kind), place(other.Kind))
	}
	planned := map[usage.Kind]bool{}
	for _, g := range r.groups {
		for _, k := range g.kinds {
			planned[k] = true
		}
	}
	for i := range r.bill.Demand {
		d := &r.bill.Demand[i]
		s.kinds++
		if s.all = s.all.Plus(costOf(d)); planned[d.Kind] {
			s.matched++
			s.planned = s.planned.Plus(costOf(d))
		}
	}
	late := 0.0
	for i := range q.Late {
		late += q.Late[i].Cost
	}
	if all := s.all.Float64(); all > 0 {
		s.sound = 100 * (s.planned.Minus(s.doubled)).Float64() / (all + late) * (1 - missing/max(1, r.bill.End.Sub(r.bill.Start).Hours()))
	} else if s.kinds == s.matched {
		s.sound = 100
	}
	if s.matched < s.kinds && s.matched > 0 {
		doubt("%s of %s kinds are planned, with %s of the %s that instances cost; the others are named below", decimal.Int(s.matched), decimal.Int(s.kinds),
			r.exact(s.planned), r.exact(s.all))
	}
	if r.o.sound > 0 && s.sound < r.o.sound {
		r.refused = fmt.Sprintf("Order nothing: %s%% of the instances' cost is planned and beyond doubt, and -sound asks for %s%%. The doubts are named above.",
			decimal.Fixed(max(0, s.sound), 1), decimal.Fixed(r.o.sound, 1))
		r.groups = nil
	}
}

// endOf returns until when the use of demands counts: before what is late.
func (r *results) endOf(demands []int) time.Time {
	if r.o.keepTail {
		return r.bill.End
	}
	end := r.quality.Tail
	for i := range r.quality.Late {
		if x := &r.quality.Late[i]; x.From.Before(end) && !r.ended(x) && slices.ContainsFunc(demands, func(d int) bool { return slices.Contains(x.Demands, d) }) {
			end = x.From
		}
	}
	return end
}

// longestLate is how late the rest of a file may be. Bills are of a month: who has had none for longer
// has ended.
const longestLate = 32 * 24 * time.Hour

// ended reports whether what is late has ended: it counts as 0.
func (r *results) ended(x *usage.Late) bool { return r.bill.End.Sub(x.From) > longestLate }

// judgeTail says what is late at the end of the bill.
func (r *results) judgeTail(doubt func(format string, args ...any)) {
	q := &r.quality
	const at = "2006-01-02 15:04"
	done := "clouds report late, and these hours are left out; -keep-tail counts them"
	if r.o.keepTail {
		done = "clouds report late, but these hours count, as -keep-tail says"
	}
	if q.Tail.Before(r.bill.End) {
		doubt("the last %s hours of the bill, from %s on, have %s%% of the least use that is usual then: %s",
			decimal.Int(int(r.bill.End.Sub(q.Tail).Hours())), q.Tail.Format(at), decimal.Fixed(100*q.Present, 0), done)
	}
	for i := range q.Late {
		x := &q.Late[i]
		lacks := "use of about " + r.about(x.Cost) + " lacks"
		switch {
		case x.What == "file" && (r.ended(x) || r.o.keepTail):
			doubt("%s ends on %s, and the bill on %s: %s, which counts as 0; give the rest with -bill if there is one", x.Name, x.From.Format(at), r.bill.End.Format(at), lacks)
		case x.What == "file":
			doubt("%s ends on %s, and the bill on %s: %s. Until then count the %s of the file; give the rest with -bill, or count 0 with -keep-tail", x.Name, x.From.Format(at),
				r.bill.End.Format(at), lacks, decimal.Count(len(x.Demands), "kind"))
		default:
			name := x.Name
			if x.What == "kind" {
				name = place(r.bill.Demand[x.Demands[0]].Kind)
			}
			doubt("%s alone: the last %s hours, from %s on, have %s%% of what is usual then, and %s: %s", name, decimal.Int(int(r.bill.End.Sub(x.From).Hours())), x.From.Format(at),
				decimal.Fixed(100*x.Present, 0), lacks, done)
		}
	}
}

// about writes money that is a guess.
func (r *results) about(x float64) string {
	return strings.TrimSpace(r.bill.Currency + " " + decimal.Grouped(decimal.Fixed(x, 0)))
}

// judgeDays says how use of days is planned.
func (r *results) judgeDays(doubt func(format string, args ...any)) {
	daily, of := 0, 0
	for i := range r.bill.Demand {
		if of++; r.bill.Demand[i].Slot > time.Hour {
			daily++
		}
	}
	if daily == 0 {
		return
	}
	how := "as if all machines of a day ran at once, so that what an order saves it saves whatever the hours were; -daily spread or -daily 8-20 states them"
	switch {
	case r.o.daily == [2]int{0, 24}:
		how = "as if spread evenly over the day, as -daily says; if machines ran together, an order saves less"
	case r.o.daily != [2]int{}:
		how = fmt.Sprintf("as if within %d to %d hours UTC, as -daily says", r.o.daily[0], r.o.daily[1])
	}
	doubt("%s of %s kinds have rows of days, which do not say the hours: they are planned %s", decimal.Int(daily), decimal.Int(of), how)
}

// judgeDiscounts names the discounts that are in no price.
func (r *results) judgeDiscounts(doubt func(format string, args ...any)) {
	var rest, all usage.Amount
	for i := range r.bill.Files {
		for _, l := range r.bill.Files[i].Left {
			if l.Reason == usage.Discount {
				rest = rest.Plus(l.Sum.Billed)
			}
		}
	}
	for i := range r.bill.Demand {
		rest, all = rest.Minus(r.bill.Demand[i].Discounts), all.Plus(costOf(&r.bill.Demand[i]))
	}
	if r.o.discount < 0 && math.Abs(rest.Float64()) > leastDiscount*all.Float64() {
		doubt("discounts of %s are of no kind on demand, and in no price: if instances cost less with them, reservations save less than is said; -discount states the price", r.exact(rest))
	}
}

// mostDoubts is how many doubts are written without -show why or quality.
const mostDoubts = 4

// textDoubts writes the doubts.
func (r *results) textDoubts(w *table.Page) {
	if len(r.doubts) > 0 {
		w.Printf("\n")
	}
	for i, d := range r.doubts {
		if i == mostDoubts && r.o.show == showOrder {
			w.Printf("and %d more doubts, with -show quality\n", len(r.doubts)-i)
			break
		}
		w.Sayf("doubt: %s.", d)
	}
}

// textQuality writes what -show quality says.
func (r *results) textQuality(w *table.Page) {
	hours := func(a usage.Amount) string { return decimal.Fixed(a.Float64(), 0) }
	s := &r.shares
	w.Printf("instances cost %s; planned %s of it, in %d of %d kinds\n", r.exact(s.all), r.exact(s.planned), s.matched, s.kinds)
	w.Printf("instance-hours by the hour %s, by the day %s\n", hours(r.quality.Hourly), hours(r.quality.Daily))
	w.Printf("use is all there until %s; %d gaps, %d suspected doubles\n", r.quality.Tail.Format("2006-01-02 15:04"), len(r.quality.Gaps), len(r.quality.Doubles))
	w.Printf("planned and beyond doubt: %s%%\n", decimal.Fixed(max(0, s.sound), 1))
	r.textDoubts(w)
}

// qualityRows adds an object for each number of -show quality, and for each doubt.
func (r *results) qualityRows(add func(row ...any)) {
	q, s := &r.quality, &r.shares
	add("what", "planned", "percent", decimal.Number(max(0, s.sound), 6), "cost", s.all.String(), "planned", s.planned.String(), "doubled", s.doubled.String(),
		"kinds", s.kinds, "matched", s.matched)
	add("what", "granularity", "hourly_hours", q.Hourly.String(), "daily_hours", q.Daily.String())
	add("what", "tail", "from", q.Tail.Format(time.RFC3339), "to", r.bill.End.Format(time.RFC3339), "present", decimal.Number(q.Present, 6))
	for _, gap := range q.Gaps {
		add("what", "gap", "from", gap[0].Format(time.RFC3339), "to", gap[1].Format(time.RFC3339))
	}
	for i := range q.Late {
		x := &q.Late[i]
		add("what", "late", "of", x.What, "name", x.Name, "from", x.From.Format(time.RFC3339), "present", decimal.Number(x.Present, 6), "hours", decimal.Number(x.Hours, 6), "cost", decimal.Number(x.Cost, 6),
			"kinds", len(x.Demands))
	}
	for _, d := range q.Doubles {
		add("what", "double", "one", r.bill.Demand[d[0]].Kind.String(), "other", r.bill.Demand[d[1]].Kind.String())
	}
	for _, d := range r.doubts {
		add("what", "doubt", "text", d)
	}
}

// slotOf returns the length of a slot of a group.
func (r *results) slotOf(g *group) time.Duration {
	if g.slot > 0 {
		return g.slot
	}
	return r.slot
}
