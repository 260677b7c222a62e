package main

import (
	"fmt"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/forecast"
)

const usageText = `Usage: go run ./examples/tools/advise [flags]

Reads a bill, forecasts the demand of each kind of instance on it, and says what to
order today: how much of which reservation, what that costs and saves, when the money
is back, and what if the forecast is wrong.

What is known
  -bill FILE           a bill, plain or gzip, of a form that its content tells: FOCUS
                       1.0 to 1.4 (CSV, Parquet) and its contract commitments, cost
                       exports of Azure, Google Cloud and Oracle Cloud; may be given
                       several times for several files (default: a made-up year)
  -prices FILE         a price list, plain or gzip: AWS offer file or savings plan
                       rates (JSON or CSV), Azure retail prices, GCP SKUs; may be given
                       several times (default, without -bill: that of the made-up year)
  -held FILE           JSON: contracts that the bill does not show, or that it shows
                       under the same id without their end
                         [{"id": "ri-17", "region": "eu-west-1", "type": "m5.large",
                           "system": "linux", "units": 12, "expires": "2027-03-01"}]
  -date D              the day of the order, such as 2026-11-23 (default: the day on
                       which the bill ends)
  -keep-repeats        count lines that are in the bills twice; else they are mistakes

What is to come
  -model NAME          that forecasts the demand (default ` + forecast.Default + `)
  -horizon D           how far the forecast reaches (default 8760h, a year)
  -paths N             possible futures that the plan weighs (default 20)
  -every D             how often an order can be placed (default 168h)
  -need-ends           the need ends with the horizon, so that a contract that outlives
                       it is worth nothing then (default: the need goes on)
  -demand-up N         percent by which demand will be higher than forecast, or lower
                       if negative (default 0)
  -seed N              of the futures and of the made-up year (default 1)

What comes out
  -inputs              stop after reading, and print what became of each file's rows
  -json                print one object
  -html FILE           write a page: spend, demand under its commitments, the order,
                       expiries, and the proof; everything is in the one file
  -focus FILE          write the order as FOCUS rows of commitment purchases
  -h                   print this

Rows are money: the amount billed in each file is the amount classified plus the
amounts left out, by reason, to the last digit. Classified are hours of instances at
the price on demand or covered by commitments, what commitments left unused, and
their fees. What is left out (storage, traffic, taxes, credits and so on) is no
subject of reservations.

A kind is a type of instance in a region with its system. Where the price list's
reservations serve all sizes of a family and prices are in proportion to the sizes,
the family is planned as one, in units of its smallest size in use. A contract that
is held serves until it expires; a savings plan that is held counts as the hours of
each kind that it has covered.

The exit status is 0, 1 if the program fails, 2 for a mistake in the flags or in
the files, and 130 after an interrupt.
`

// options are the flags.
type options struct {
	bills, prices []string
	held          string
	date          time.Time
	keepRepeats   bool
	model         string
	horizon       time.Duration
	paths         int
	every         time.Duration
	needEnds      bool
	up            int
	seed          uint64
	inputs        bool
}

// define defines the flags.
func define(o *options, f *cli.Flags) {
	*o = options{model: forecast.Default, horizon: 8760 * time.Hour, paths: 20, every: 168 * time.Hour, seed: 1}
	f.Files("bill", &o.bills)
	f.Files("prices", &o.prices)
	f.File("held", &o.held)
	f.Func("date", func(s string) error {
		t, err := time.Parse("2006-01-02", s)
		if err != nil || t.Year() < 1971 {
			return fmt.Errorf("want a day such as 2026-11-23")
		}
		o.date = t
		return nil
	})
	f.Switch("keep-repeats", &o.keepRepeats)
	f.Name("model", &o.model, "one of "+cli.Series(forecast.Names(), "or"))
	whole := func(d time.Duration) bool { return d > 0 && d%(24*time.Hour) == 0 && d <= 5*8760*time.Hour }
	f.Span("horizon", &o.horizon, "a number of whole days up to 43800h, such as 8760h", whole)
	f.Span("every", &o.every, "a number of whole days, such as 168h", whole)
	f.Int("paths", &o.paths, 1, 1000, "")
	f.Switch("need-ends", &o.needEnds)
	f.Int("demand-up", &o.up, -100, 10_000, " of percent")
	f.Seed(&o.seed)
	f.Switch("inputs", &o.inputs)
	f.Check(func() error {
		if _, err := forecast.New(o.model); err != nil {
			return fmt.Errorf("-model %s: want one of %s", o.model, cli.Series(forecast.Names(), "or"))
		}
		if len(o.bills) == 0 && len(o.prices) > 0 {
			return fmt.Errorf("-prices without -bill: want both, or neither for the made-up year")
		}
		return nil
	})
}
