// Portfolio says what to reserve this Monday: an online portfolio that learns from week to week.
//
//	go run ./examples/tools/portfolio -demand FILE -state FILE
//
// takes the weeks of the demand that have ended, says what to buy for the week after them, and
// keeps what it has learned in the state. Run it once a week, with the whole demand from its
// start. The first run learns from all weeks; later runs go on from the weeks that the state
// has seen. The program assumes that what it prints is bought; if something else was bought,
// begin anew with -held. A run before another week has ended prints the same again, and leaves
// the state as it is. Once the model is ready the order is explained over twenty futures of the
// next year: what the order costs and saves, its risk, and how far it is from the cheapest plan.
//
// How such a portfolio does beside hindsight on years of a demand is a question for
// "go run ./examples/papers niu16 -replay".
//
// A -held file is JSON: [{"class": "3y-heavy", "count": 12, "until": "2000h"}], where until is
// for how long the reservations still are active: slots, or a duration.
//
// -json has an object for each class: week (that begins), class, buy, active (then), planned
// (mean demand of the week; null if nothing is), signal (tracking signal of the forecast),
// alarm; once the model is ready date, and for a class that is bought upfront, commitment,
// saving, loss (its probability), last_use, break_even, waiting (what a week later costs more).
//
// Reference: [Niu16] Niu, Zhai, Ma, Tang, Chen, Zheng, Building Semi-Elastic Virtual
// Clusters for Cost-Effective HPC Cloud Resource Provisioning, IEEE TPDS 27(7), 2016,
// section 5.2.
package main

import (
	"cmp"
	"errors"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/demandfile"
	"github.com/plimsoll/plimsoll/examples/internal/onlineportfolio"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
)

var program = &cli.Program[options, *decision]{
	Name: "portfolio", Usage: usage + onlineportfolio.Usage() + usageEnd, Define: define, Work: (*options).act, Text: (*decision).text, Rows: (*decision).rows,
}

func main() { program.Main() }

const usage = `Usage: go run ./examples/tools/portfolio -demand FILE -state FILE [flags]

Says what to reserve at the end of the last whole week of a demand. Run it once a week.

  -demand FILE         instances needed in each slot from the start on, as for
                       examples/tools/plan
  -slot D              length of a slot, of which a week has a whole number
                       (default: as the file says, or 1h)
  -state FILE          keeps the portfolio from week to week; made if need be
  -held FILE           begin the state anew, with these reservations active
  -date DAY            the day of the order, such as 2026-11-23 (default: today)
`

const usageEnd = `
  -json                print an array with an object for each class
  -h                   print this; go doc ./examples/tools/portfolio has the forms
`

// options are the flags.
type options struct {
	onlineportfolio.Flags
	demand      string
	slot        time.Duration
	state, held string
	date        time.Time
}

// today is the day of an order. Tests have their own.
var today = func() time.Time { return time.Now().UTC().Truncate(24 * time.Hour) }

// define defines the flags.
func define(o *options, f *cli.Flags) {
	*o = options{date: today()}
	o.Flags.Define(f)
	f.Seed(&o.Seed)
	f.File("demand", &o.demand)
	f.File("held", &o.held)
	f.Name("state", &o.state, "the name of a file")
	f.Func("date", func(s string) error {
		t, err := time.Parse(time.DateOnly, s)
		if err != nil || t.Year() < 1971 {
			return errors.New("want a day such as 2026-11-23")
		}
		o.date = t
		return nil
	})
	f.Span("slot", &o.slot, "a span of time of which a week has a whole number, such as 1h, 15m or 24h",
		func(d time.Duration) bool { return d > 0 && onlineportfolio.Week%d == 0 })
	f.Check(func() error {
		if o.demand == "" || o.state == "" {
			return errors.New("want -demand and -state; go run ./examples/papers niu16 -replay replays years of a demand")
		}
		return nil
	})
	f.Idle(func(name string) bool { return name == "alpha" && o.Model != "simple" })
}

// input is what to decide on.
type input struct {
	onlineportfolio.Prices
	held []pricing.Holding // until counts from the start of the demand
}

// A series is the whole weeks of a demand.
type series struct {
	path   string
	demand []int
	slot   time.Duration
	every  int // slots of a week
	weeks  int
	cut    int // slots at the end, of a week that has not ended
}

// where names the demand in an error.
func (s *series) where() string { return "-demand " + s.path }

// problem returns the problem of a series.
func (in *input) problem(s *series) *reserve.Problem {
	return &reserve.Problem{Demand: s.demand, Slot: s.slot, Every: s.every, Prices: in.List, Horizon: reserve.Pure}
}

// read reads the prices, and the whole weeks of the demand.
func (o *options) read() (*input, *series, error) {
	prices, err := o.Read()
	if err != nil {
		return nil, nil, err
	}
	d, err := demandfile.Read("-demand", o.demand)
	if err != nil {
		return nil, nil, err
	}
	s := &series{path: o.demand, demand: d.Slots, slot: cmp.Or(o.slot, d.Slot, time.Hour)}
	if err := prices.Fits(s.slot); err != nil {
		return nil, nil, err
	}
	if s.every = int(onlineportfolio.Week / s.slot); onlineportfolio.Week%s.slot != 0 {
		return nil, nil, cli.Mistakef("%s: slots of %s: want slots of which a week has a whole number", s.where(), decimal.Span(s.slot))
	}
	if s.weeks = len(s.demand) / s.every; s.weeks == 0 {
		return nil, nil, cli.Mistakef("%s: %s of %s are less than a week: want a week to learn from at least",
			s.where(), decimal.Count(len(s.demand), "slot"), decimal.Span(s.slot))
	}
	s.cut = len(s.demand) - s.weeks*s.every
	s.demand = s.demand[:s.weeks*s.every]
	return &input{Prices: prices}, s, nil
}
