package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
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
// in that time, with an equal part of the payment ahead for each hour of the term.

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

// An outcome is what came of an order.
type outcome struct {
	record
	order            recordOrder
	days             float64 // of use since
	earned, expected float64 // money in these days; expected is that part of the saving
	forecast, actual float64 // mean use in these days
	bought           int     // units of contracts of the bill that began since, -1 where it is of no bill
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
		at, err := time.Parse(time.DateOnly, p.Date)
		if err != nil {
			return cli.Mistakef("-past %s: record %d: date %q: want a day such as 2026-11-23", r.o.past, i, p.Date)
		}
		if p.Date == r.now.Format(time.DateOnly) {
			continue // decided again
		}
		r.past = append(r.past, *p)
		g := slices.IndexFunc(r.groups, func(g *group) bool { return g.name == p.Kind })
		if g >= 0 {
			r.judgePast(p, at, r.groups[g])
		}
	}
	return nil
}

// judgePast finds what came of the orders of a record.
func (r *results) judgePast(p *record, at time.Time, g *group) {
	slot := r.slotOf(g)
	from := max(0, int(at.Sub(r.start)/slot))
	if at.Before(r.start) || from >= len(g.demand) {
		return
	}
	bought := -1
	if r.o.demand == "" {
		bought = 0
		for i := range r.bill.Held {
			if h := &r.bill.Held[i]; !h.Start.Before(at) && !h.Start.IsZero() {
				bought += int(r.serves(g, h) + .5)
			}
		}
	}
	below := p.Held
	for _, o := range p.Orders {
		until, err := time.Parse(time.DateOnly, o.Until)
		if err != nil || !until.After(at) {
			continue
		}
		x := outcome{record: *p, order: o, bought: bought}
		ahead := o.Upfront.Float64() / until.Sub(at).Hours()
		for t := from; t < len(g.demand) && r.start.Add(time.Duration(t)*slot).Before(until); t++ {
			n := float64(max(0, min(o.Units, g.demand[t]-below)))
			x.earned += slot.Hours() * (n*p.OnDemand.Float64() - float64(o.Units)*o.Hourly.Float64() - ahead)
			x.actual += float64(g.demand[t])
			if week := int(time.Duration(t-from) * slot / (7 * 24 * time.Hour)); week < len(p.Forecast) {
				x.forecast += p.Forecast[week]
			}
			x.days++
		}
		x.actual, x.forecast = x.actual/x.days, x.forecast/x.days
		x.days *= slot.Hours() / 24
		if o.Horizon > 0 {
			x.expected = o.Saving.Float64() * min(1, x.days*86400/o.Horizon)
		}
		r.outcomes = append(r.outcomes, x)
		below += o.Units
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
		if x.bought >= 0 {
			text += fmt.Sprintf(", %d bought since", x.bought)
		}
		lines = append(lines, text+fmt.Sprintf(": earned %s in %s days, %s forecast; use %s on average, %s forecast", decimal.Fixed(x.earned, 2), decimal.Fixed(x.days, 0),
			decimal.Fixed(x.expected, 2), decimal.Fixed(x.actual, 1), decimal.Fixed(x.forecast, 1)))
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
		add("past", x.Date, "kind", x.Kind, "class", x.order.Class, "units", x.order.Units, "bought", x.bought, "days", decimal.Number(x.days, 6), "earned",
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
