package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/forecast"
	"github.com/plimsoll/plimsoll/forecast/smoothing"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve/advice"
)

// advise forecasts and plans each group.
func (r *results) advise(run *cli.Run) error {
	for _, g := range r.groups {
		r.shorten(g)
	}
	if r.horizon = r.o.horizon; r.horizon == 0 {
		r.horizon = r.term()
	}
	for i, g := range r.groups {
		run.Showf("planning %s: %d of %d", g.name, i+1, len(r.groups))
		paths, signal, err := r.futures(g)
		if err != nil {
			return err
		}
		if err := r.remember(g); err != nil {
			return err
		}
		if spread(paths) {
			r.spread = true
		} else {
			paths = paths[:1] // one says as much, and nothing of the odds
		}
		g.request = &advice.Request{Kind: g.name, Unit: g.unit, Currency: r.bill.Currency, Now: r.now, Slot: r.slotOf(g), Paths: paths, OnDemand: g.list.OnDemand,
			Offers: g.offers, Held: g.held, Every: r.o.every, FullHorizon: r.o.needEnds}
		if g.advice, err = advice.Advise(g.request); err != nil {
			return planMistake(g, err)
		}
		if order, limited := r.limit(g, signal); limited {
			if g.advice, err = advice.Explain(g.request, order); err != nil {
				return planMistake(g, err)
			}
		}
	}
	if len(r.prices.Rates) > 0 {
		if r.o.ladder > 0 || r.o.alarm > 0 || len(r.o.most) > 0 || r.o.leastUse > 0 || r.o.mostShare > 0 {
			r.notes = append(r.notes, "savings plans are not weighed beside -ladder, -cap, -alarm, -least-use and -most-share, which limit reservations")
		} else if err := r.spend(run); err != nil {
			return err
		}
	}
	for _, g := range r.groups {
		if err := r.add(g.advice); err != nil {
			return err
		}
	}
	if s := r.spending; s != nil { // the groups of the plan cost what the plan's groups cost together
		for _, g := range s.groups {
			r.cost, r.bound = r.cost-g.advice.Cost, r.bound-g.advice.Bound
		}
		r.today, r.commitment = r.today+s.today, r.commitment+s.commitment
		r.cost, r.bound = r.cost+s.cost, r.bound+s.bound
	}
	for _, h := range r.own {
		if r.o.demand == "" && !r.matched[h.ID] {
			r.notes = append(r.notes, fmt.Sprintf("-held: %s (%s in %s) is of no kind that is planned", h.ID, h.Type, h.Region))
		}
	}
	return nil
}

// limit returns the order of a group under -ladder, -cap, -alarm, -least-use and -most-share, and whether one of them
// changes it.
func (r *results) limit(g *group, signal float64) (order []advice.Count, limited bool) {
	held, before := map[string]int{}, 0
	for _, c := range g.held {
		held[c.Class] += c.Units
		before += c.Units
	}
	holding := before
	for _, o := range g.advice.Orders {
		n := r.most(g, &o, holding, before)
		if r.o.ladder > 0 {
			n = min(n, r.o.ladder)
		}
		if most, ok := r.o.most[o.Class]; ok {
			n = min(n, max(0, most-held[o.Class]))
		}
		if r.o.alarm > 0 && math.Abs(signal) > r.o.alarm {
			n = 0
		}
		if n != o.Units {
			limited = true
			r.notes = append(r.notes, fmt.Sprintf("%s: %d of %s instead of %d, as the limits say", g.name, n, o.Class, o.Units))
		}
		if before += n; n > 0 {
			order = append(order, advice.Count{Class: o.Class, Units: n})
		}
	}
	return order, limited
}

// add sums up.
func (r *results) add(a *advice.Advice) (err error) {
	for _, s := range []struct {
		to *pricing.Money
		m  pricing.Money
	}{{&r.today, a.Today}, {&r.commitment, a.Commitment}, {&r.cost, a.Cost}, {&r.bound, a.Bound}, {&r.onDemand, a.OnDemand}} {
		if *s.to, err = s.to.Add(s.m); err != nil {
			return err
		}
	}
	return nil
}

// futures draws what the demand of a group may become after the day of the order.
// The tracking signal of the model is the second result.
func (r *results) futures(g *group) ([][]int, float64, error) {
	series, slot := g.values(), r.slotOf(g)
	model, err := forecast.New(r.o.model)
	if err != nil {
		return nil, 0, err
	}
	f := newFutures(r.o, model, slot)
	var fitter smoothing.Fitter
	if err := f.Fit(&fitter, series); err != nil {
		r.notes = append(r.notes, fmt.Sprintf("%s: too short for -model %s, so the demand is taken to stay as it was last", g.name, r.o.model))
		if f.Model, err = forecast.New("naive"); err == nil {
			err = f.Fit(&fitter, series)
		}
		if err != nil {
			return nil, 0, cli.Mistakef("%s: %w", g.name, err)
		}
	}
	r.tell(g, f)
	p := &f.Predictor
	if p.Alarm() {
		way := "low"
		if p.TrackingSignal() < 0 {
			way = "high"
		}
		r.notes = append(r.notes, fmt.Sprintf("%s: the forecasts of late were too %s by more than chance: find out what has changed before you order, "+
			"or give -alarm", g.name, way))
	}
	n := int(r.horizon / slot)
	skip := int(r.now.Sub(r.start)/slot) - len(series) // slots between the bill's end and the order
	rows := make([][]float64, r.o.futures)
	for i := range rows {
		rows[i] = make([]float64, max(0, skip)+n)
	}
	f.Paths(rows, rand.New(rand.NewPCG(r.o.seed, hash(g.name))))
	up := 1 + float64(r.o.up)/100
	out := make([][]int, len(rows))
	for i, row := range rows {
		row = row[max(0, skip):]
		for t := range row {
			row[t] *= up
		}
		out[i] = make([]int, n)
		forecast.Whole(out[i], row)
	}
	return out, p.TrackingSignal(), nil
}

// newFutures returns what draws futures of a demand with slots of a length.
func newFutures(o *options, model smoothing.Model, slot time.Duration) *forecast.Futures {
	f := &forecast.Futures{Year: float64(365*24*time.Hour) / float64(slot), Model: model, Limits: forecast.Limits{NonNegative: true, Multiple: 4}, Ends: o.ends / 100}
	if o.ends == 0 {
		f.Ends = -1
	}
	return f
}

// tell says what has changed in the history of a group.
func (r *results) tell(g *group, f *forecast.Futures) {
	list := f.Changes()
	if len(list) == 0 {
		return
	}
	c := list[len(list)-1]
	at := r.start.Add(time.Duration(c.At) * r.slotOf(g))
	r.doubts = append(r.doubts, fmt.Sprintf("%s: since %s the %s; what was before does not count", g.name, at.Format("2 January 2006"), changeText(&c, r.slotOf(g))))
}

// changeText says what a change changes.
func changeText(c *forecast.Change, slot time.Duration) string {
	way := func(x float64) string {
		if x < 0 {
			return "lower"
		}
		return "higher"
	}
	year := c.Slope * float64(365*24*time.Hour) / float64(slot)
	level := fmt.Sprintf("level is %s %s", decimal.Fixed(math.Abs(c.Level), 1), way(c.Level))
	if math.Abs(year) < .01*math.Abs(c.Level) {
		return level
	}
	return fmt.Sprintf("%s, and its slope %s a year %s", level, decimal.Fixed(math.Abs(year), 1), way(year))
}

// hash makes a seed of a name, so that a group's futures do not depend on which other
// groups there are.
func hash(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return h
}

// dayOf is the beginning of a day in UTC.
func dayOf(t time.Time) time.Time { return t.UTC().Truncate(24 * time.Hour) }
