package main

import (
	"fmt"
	"math"
	"strings"
	"time"

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
	g.series = make([]float64, len(g.demand))
	for t, n := range g.demand {
		g.series[t] = float64(n)
		at := r.start.Add(time.Duration(t) * g.slot)
		for _, gap := range r.quality.Gaps {
			if at.Before(gap[1]) && at.Add(g.slot).After(gap[0]) {
				g.series[t] = math.NaN()
			}
		}
	}
}

// leastDiscount is the discount, in parts of the price, from which on it counts. Less is rounding.
const leastDiscount = .001

// discount gives a group the price on demand that the customer pays: that of -discount, or else
// what its rows on demand cost in parts of what they cost by the list.
func (r *results) discount(g *group, f *usage.Family, demands []usage.Demand) {
	if r.o.discount >= 0 {
		if g.list.OnDemand = times(g.list.OnDemand, 1-r.o.discount/100); r.o.discount > 0 {
			r.doubts = append(r.doubts, fmt.Sprintf("%s: on demand counts at %s an hour, %s%% below the list, as -discount says; reservations count at the list's prices",
				g.name, money4(g.list.OnDemand), decimal.Fixed(r.o.discount, 1)))
		}
		return
	}
	var paid, list, hours usage.Amount
	for k, i := range f.Demands {
		d := &demands[i]
		used, covered := d.Hours()
		paid, list = paid.Plus(d.Paid), list.Plus(d.OnDemand.List)
		hours = hours.Plus(used.Minus(covered).Scale(int64(f.Units[k]), 1))
	}
	whole := list.Float64()
	if whole <= 0 {
		whole = hours.Float64() * g.list.OnDemand.Float64()
	}
	part := paid.Float64() / whole
	if !(whole > 0 && part > 0 && part < 1-leastDiscount) {
		return
	}
	g.list.OnDemand = times(g.list.OnDemand, part)
	r.doubts = append(r.doubts, fmt.Sprintf("%s: on demand counts at %s an hour, %s%% below the list, as the bill was charged; reservations count at the list's prices. "+
		"Another discount: -discount", g.name, money4(g.list.OnDemand), decimal.Fixed(100*(1-part), 1)))
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
	if q.Tail.Before(r.bill.End) {
		doubt("the last %s hours of the bill, from %s on, have %s%% of the least use that is usual then: clouds report late, and these hours are left out",
			decimal.Int(int(r.bill.End.Sub(q.Tail).Hours())), q.Tail.Format("2006-01-02 15:04"), decimal.Fixed(100*q.Present, 0))
	}
	missing := 0.0
	for _, gap := range q.Gaps {
		missing += gap[1].Sub(gap[0]).Hours()
		doubt("no kind is used from %s to %s: these hours count as missing, and not as 0; give the bill of that time with -bill", gap[0].Format("2006-01-02 15:04"),
			gap[1].Format("2006-01-02 15:04"))
	}
	r.judgeDays(doubt)
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
	if all := s.all.Float64(); all > 0 {
		s.sound = 100 * (s.planned.Minus(s.doubled)).Float64() / all * (1 - missing/max(1, r.bill.End.Sub(r.bill.Start).Hours()))
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
