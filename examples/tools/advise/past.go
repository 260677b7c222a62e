package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/infile"
	"github.com/plimsoll/plimsoll/examples/internal/table"
	"github.com/plimsoll/plimsoll/pricing"
)

// What was advised before, and what came of it.
//
// -past keeps a record of each answer: the forecast of each kind and what was ordered for it. A
// later run has the use since then, and says of each order what was bought and what it has earned:
// units serve the use beyond what was held before, at the price on demand, less what they cost
// in that time, with an equal part of the payment ahead for each hour of the term. Money of a
// savings plan pays for the use beyond the reservations of that day.

// A record is what was advised for a kind on a day.
type record struct {
	Date     string        `json:"date"`
	Kind     string        `json:"kind"`
	Unit     string        `json:"unit"`
	Held     int           `json:"held"` // units before the orders
	OnDemand pricing.Money `json:"on_demand"`
	// Forecast is the mean use, in units, in each week from the date on.
	Forecast []float64     `json:"forecast"`
	Orders   []recordOrder `json:"orders"`
	Plan     *recordPlan   `json:"plan,omitempty"`
}

// A recordOrder is one of the orders, the first to serve first.
type recordOrder struct {
	Class   string        `json:"class"`
	Units   int           `json:"units"`
	Upfront pricing.Money `json:"upfront"` // for all units
	Hourly  pricing.Money `json:"hourly"`  // of one unit
	Until   string        `json:"until"`
	Saving  pricing.Money `json:"saving"` // by the end of the horizon
	Horizon float64       `json:"horizon_seconds"`
}

// A recordPlan is a savings plan that was advised.
type recordPlan struct {
	Name    string        `json:"name"`
	Hourly  pricing.Money `json:"hourly"`
	Until   string        `json:"until"`
	Saving  pricing.Money `json:"saving"` // by the end of the horizon
	Horizon float64       `json:"horizon_seconds"`
	Kinds   []recordRate  `json:"kinds"` // that it pays for, the highest discount first
}

// A recordRate is a kind that a savings plan pays for, beyond Below units.
type recordRate struct {
	Kind     string        `json:"kind"`
	Unit     string        `json:"unit"`
	Below    int           `json:"below"`
	OnDemand pricing.Money `json:"on_demand"`
	Rate     pricing.Money `json:"rate"`
}

// An outcome is what came of an order.
type outcome struct {
	record
	order            recordOrder
	days             float64 // of use since
	earned, expected float64 // money in these days; expected is that part of the saving
	forecast, actual float64 // mean use in these days
	bought           int     // units of contracts that began before the next advice, -1 where nobody says
	again            string  // the day on which what was not bought was advised again
}

// readPast reads -past, and finds what came of its orders.
func (r *results) readPast() error {
	if _, err := os.Stat(r.o.past); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	list, err := infile.Read("-past", r.o.past, func(in io.Reader) (list []record, err error) {
		d := json.NewDecoder(in)
		d.DisallowUnknownFields()
		if err = d.Decode(&list); err != nil {
			return nil, fmt.Errorf("want the array that -past has written: %w", err)
		}
		return list, nil
	})
	if err != nil {
		return err
	}
	for i := range list {
		p := &list[i]
		if _, err := time.Parse(time.DateOnly, p.Date); err != nil {
			return cli.Mistakef("-past %s: record %d: date %q: want a day such as 2026-11-23", r.o.past, i, p.Date)
		}
		if p.Date != r.now.Format(time.DateOnly) { // else it is decided again
			r.past = append(r.past, *p)
		}
	}
	for i := range r.past {
		r.judgePast(&r.past[i])
	}
	return nil
}

// pastGroup returns the group whose use a record is about, and how many of its units are one of the
// record's: the smallest size of a family in use may change, and a kind may become a family.
func (r *results) pastGroup(kind, unit string) (*group, float64) {
	for _, g := range r.groups {
		if g.name == kind && g.unit == unit {
			return g, 1
		}
		if g.name != kind && !slices.Contains(g.also, kind) {
			continue
		}
		for j, k := range g.kinds {
			if same(k.Type, unit) || place(k) == kind && unit == "instance" {
				return g, float64(g.factor[j])
			}
		}
		for i := range r.prices.Offers {
			if o := &r.prices.Offers[i]; same(o.Kind, unit) && same(o.Region, g.kinds[0].Region) && g.size > 0 && o.Factor > 0 {
				return g, float64(o.Factor) / float64(g.size)
			}
		}
	}
	return nil, 0
}

// next returns the next record about the kind of one.
func (r *results) next(p *record) *record {
	var next *record
	for i := range r.past {
		if q := &r.past[i]; q.Kind == p.Kind && q.Date > p.Date && (next == nil || q.Date < next.Date) {
			next = q
		}
	}
	return next
}

// judgePast finds what came of the orders of a record. What was not bought by the time of the next
// advice for the kind counts until then: that advice takes its place. Times without any use are
// missing, and not 0.
func (r *results) judgePast(p *record) {
	at, _ := time.Parse(time.DateOnly, p.Date)
	next := r.next(p)
	if p.Plan != nil {
		r.judgePlan(p, at, next)
		return
	}
	if len(p.Orders) == 0 {
		return
	}
	g, scale := r.pastGroup(p.Kind, p.Unit)
	if g == nil {
		r.notes = append(r.notes, fmt.Sprintf("the advice of %s for %s in units of %s is not judged: no kind of today is the same", p.Date, p.Kind, p.Unit))
		return
	}
	slot := r.slotOf(g)
	from := max(0, int(at.Sub(r.start)/slot))
	if at.Before(r.start) || from >= len(g.demand) {
		return
	}
	again := r.now.AddDate(1000, 0, 0)
	if next != nil {
		again, _ = time.Parse(time.DateOnly, next.Date)
	}
	bought := -1
	switch {
	case r.o.demand == "":
		sum := 0.0
		for i := range r.bill.Held {
			if h := &r.bill.Held[i]; !h.Start.Before(at) && !h.Start.IsZero() && h.Start.Before(again) {
				sum += r.serves(g, h) / scale
			}
		}
		bought = int(sum + .5)
	case next != nil:
		bought = max(0, next.Held-p.Held)
	}
	first, firstAfter, left := p.Held, p.Held, bought // units that serve before, and after the next advice
	for _, o := range p.Orders {
		until, err := time.Parse(time.DateOnly, o.Until)
		if err != nil || !until.After(at) || o.Units <= 0 {
			continue
		}
		kept := min(o.Units, max(0, left))
		left -= kept
		x := outcome{record: *p, order: o, bought: bought}
		if next != nil && kept < o.Units {
			x.again = next.Date
		}
		ahead, expected, slots := o.Upfront.Float64()/until.Sub(at).Hours()/float64(o.Units), 0.0, 0.0
		for t := from; t < len(g.demand) && r.start.Add(time.Duration(t)*slot).Before(until); t++ {
			units, below := o.Units, first
			if !r.start.Add(time.Duration(t) * slot).Before(again) {
				units, below = kept, firstAfter
			}
			if units == 0 || g.series != nil && math.IsNaN(g.series[t]) {
				continue
			}
			n := max(0, min(float64(units), float64(g.demand[t])/scale-float64(below)))
			x.earned += slot.Hours() * (n*p.OnDemand.Float64() - float64(units)*(o.Hourly.Float64()+ahead))
			x.actual += float64(g.demand[t]) / scale
			if week := int(time.Duration(t-from) * slot / (7 * 24 * time.Hour)); week < len(p.Forecast) {
				x.forecast += p.Forecast[week]
			}
			expected += float64(units) / float64(o.Units)
			slots++
		}
		if slots > 0 {
			x.actual, x.forecast = x.actual/slots, x.forecast/slots
		}
		x.days = slots * slot.Hours() / 24
		if o.Horizon > 0 {
			x.expected = o.Saving.Float64() * min(1, expected*slot.Seconds()/o.Horizon)
		}
		r.outcomes = append(r.outcomes, x)
		first, firstAfter = first+o.Units, firstAfter+kept
	}
}

// judgePlan finds what came of a savings plan: what it pays for, at the price on demand, less its
// money.
func (r *results) judgePlan(p *record, at time.Time, next *record) {
	end, _ := time.Parse(time.DateOnly, p.Plan.Until)
	x := outcome{record: *p, order: recordOrder{Class: p.Plan.Name, Hourly: p.Plan.Hourly}}
	for i := range r.bill.Held {
		if h := &r.bill.Held[i]; h.Spend && !h.Start.IsZero() && !h.Start.Before(at) {
			x.bought = 1
		}
	}
	if again := next; again != nil && x.bought == 0 {
		x.again = again.Date
		end, _ = time.Parse(time.DateOnly, again.Date)
	}
	type paid struct {
		recordRate
		g     *group
		scale float64
	}
	var kinds []paid
	for _, k := range p.Plan.Kinds {
		g, scale := r.pastGroup(k.Kind, k.Unit)
		if g == nil || r.slotOf(g) != r.slot {
			r.notes = append(r.notes, fmt.Sprintf("the savings plan that was advised on %s is not judged: no kind of today is %s", p.Date, k.Kind))
			return
		}
		kinds = append(kinds, paid{k, g, scale})
	}
	hours := 0.0
	for t := max(0, int(at.Sub(r.start)/r.slot)); !at.Before(r.start) && len(kinds) > 0 && r.start.Add(time.Duration(t)*r.slot).Before(end); t++ {
		money, known := p.Plan.Hourly.Float64(), true
		for _, k := range kinds {
			known = known && t < len(k.g.demand) && !(k.g.series != nil && math.IsNaN(k.g.series[t]))
		}
		if t >= len(kinds[0].g.demand) {
			break
		}
		if !known {
			continue
		}
		x.earned -= r.slot.Hours() * money
		for _, k := range kinds {
			n := min(max(0, float64(k.g.demand[t])/k.scale-float64(k.Below)), money/k.Rate.Float64())
			money -= n * k.Rate.Float64()
			x.earned += r.slot.Hours() * n * k.OnDemand.Float64()
		}
		hours += r.slot.Hours()
	}
	if x.days = hours / 24; hours > 0 {
		x.expected = p.Plan.Saving.Float64() * min(1, 3600*hours/p.Plan.Horizon)
		r.outcomes = append(r.outcomes, x)
	}
}

// textPast says what came of past advice.
func (r *results) textPast(w *table.Page) {
	if len(r.outcomes) == 0 {
		return
	}
	var lines []string
	earned, expected := 0.0, 0.0
	for _, x := range r.outcomes {
		text := fmt.Sprintf("%s: %d of %s for %s", x.Date, x.order.Units, x.order.Class, x.Kind)
		if x.Plan != nil {
			text = fmt.Sprintf("%s: %s an hour of %s", x.Date, x.order.Hourly.Fixed(3), x.order.Class)
		}
		if x.bought >= 0 {
			text += fmt.Sprintf(", %d bought since", x.bought)
		}
		if x.again != "" {
			text += ", advised again on " + x.again
		}
		text += fmt.Sprintf(": earned %s in %s days, %s forecast", decimal.Fixed(x.earned, 2), decimal.Fixed(x.days, 0), decimal.Fixed(x.expected, 2))
		if x.Plan == nil {
			text += fmt.Sprintf("; use %s on average, %s forecast", decimal.Fixed(x.actual, 1), decimal.Fixed(x.forecast, 1))
		}
		lines = append(lines, text)
		earned, expected = earned+x.earned, expected+x.expected
	}
	lines = append(lines, fmt.Sprintf("all past orders, if bought as advised: earned %s, %s forecast", decimal.Fixed(earned, 2), decimal.Fixed(expected, 2)))
	w.Printf("\n")
	slices.Reverse(lines) // the sum first, then the latest
	r.some(w, lines)
}

// pastRows are the objects of -json about past orders, beside those of orders.
func (r *results) pastRows(add func(row ...any)) {
	for _, x := range r.outcomes {
		add("past", x.Date, "kind", x.Kind, "class", x.order.Class, "units", x.order.Units, "bought", x.bought, "again", x.again, "days", decimal.Number(x.days, 6), "earned",
			decimal.Number(x.earned, 6), "expected", decimal.Number(x.expected, 6), "actual", decimal.Number(x.actual, 6), "forecast", decimal.Number(x.forecast, 6))
	}
}

// writePast adds today's advice to -past.
func (r *results) writePast(run *cli.Run) error {
	today := r.now.Format(time.DateOnly)
	for _, g := range r.groups {
		p := record{Date: today, Kind: g.name, Unit: g.unit, OnDemand: g.list.OnDemand, Orders: []recordOrder{}}
		for _, h := range g.held {
			p.Held += h.Units
		}
		week := int(7 * 24 * time.Hour / r.slotOf(g))
		paths := g.request.Paths
		for from := 0; week > 0 && from < len(paths[0]); from += week {
			sum, n := 0.0, 0
			for _, path := range paths {
				for _, d := range path[from:min(from+week, len(path))] {
					sum, n = sum+float64(d), n+1
				}
			}
			p.Forecast = append(p.Forecast, sum/float64(n))
		}
		for _, o := range g.advice.Orders {
			p.Orders = append(p.Orders, recordOrder{o.Class, o.Units, o.Upfront, o.Hourly, o.Until.Format(time.DateOnly), o.Saving, r.horizon.Seconds()})
		}
		r.past = append(r.past, p)
	}
	if s := r.spending; s != nil {
		r.past = append(r.past, record{Date: today, Kind: "savings plan", Unit: "money", Orders: []recordOrder{}, Plan: s.record(r)})
	}
	out, err := run.Create("past", r.o.past)
	if err != nil {
		return err
	}
	data, err := json.MarshalIndent(r.past, "", " ")
	if err == nil {
		_, err = out.Write(append(data, '\n'))
	}
	return err
}
