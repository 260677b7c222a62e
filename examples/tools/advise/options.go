package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/forecast"
)

const usageText = `Usage: go run ./examples/tools/advise [flags]

Says what to order today, what that costs and saves, and what if the forecast
is wrong, by a bill or a demand. Forms of files: go doc ./examples/tools/advise

What is known
  -bill FILE      a bill: FOCUS and its contracts, or an export of AWS, Azure,
                  Google or Oracle; may be given often (default: a made-up year)
  -prices FILE    a price list for -bill (AWS, plan rates, Azure, GCP), or more
  -demand FILE    instead of a bill: a CSV that plan and forecast read, too
  -backtest FILE  a demand, or many: how often what is said of orders came true,
                  and what other rules would have saved
  -classes FILE   JSON: prices for -demand (default: about an m5.xlarge on AWS)
  -slot D         length of a slot of -demand (default: of the file, else 1h)
  -held FILE      JSON: contracts held, reservations and savings plans
  -state FILE     contracts that this program ordered, for -demand: read, and
                  replaced with today's order in it; -held begins it anew
  -past FILE      advice of before: read, judged by the use since, and added to
  -date DAY       of the order, such as 2026-11-23 (default: the end of the bill
                  or of the dates of -demand, else today)
  -keep-repeats   count lines that are in the bills twice; else a mistake
  -keep-tail      count the last hours though they look late: the fall is real
  -owner COLUMN   says who used it: a tag, or TAGS:KEY (default: the account)
  -alone LIST     owners that share no reservations with the others
  -daily NAME     hours of a bill of days: any (default), spread, or as 8-20
  -discount X     percent paid below the list on demand (default: by the bill)
  -exchange CUR=X what a unit of a price list's currency is in the bill's
  -sound X        order nothing if less than X percent are sound (-show quality)

What is to come
  -model NAME     that forecasts the demand (default ` + forecast.Default + `)
  -horizon D      how far the forecast reaches (default: the longest term sold)
  -ends X         percent a year that a need ends or halves (default 1)
  -little-history order even if use is known for under 2 weeks or 1/16 of a term
  -futures N      possible futures that the plan weighs (default 20)
  -every D        how often an order can be placed (default 168h)
  -need-ends      the need ends with the horizon (default: the need goes on)
  -demand-up N    percent by which demand will be higher, or lower if negative
  -seed N         of the futures and of the made-up year (default 1)

Limits of an order
  -ladder N       order at most N of a class (default: no limit)
  -cap CLASS=N    hold at most N of the class; may be given for several
  -terms LIST     terms that are permitted, such as 1y,3y (default: all)
  -payments LIST  payments ahead that are permitted: none, partial, all
  -least-use P    order units whose last is needed that share of its term
  -most-share P   reserve that share of the mean need at most
  -alarm X        order nothing while the tracking signal is above X, 0 to 1

What comes out
  -show NAME      order, why (reasons and what if), inputs (rows of each file),
                  quality (doubts), demand, held or owners (default order)
  -svg OUT        write the picture of -backtest
  -json           print an array with an object for each line of -show
  -html OUT       write a page: spend, demand, the order, expiries, the proof
  -focus OUT      write the order as FOCUS rows of commitment purchases
  -h              print this
`

// What -show prints.
const (
	showOrder = iota
	showWhy
	showQuality
	showInputs
	showDemand
	showHeld
	showOwners
)

// defaultEnds is the default of -ends. Tests of plans have a need that does not end.
var defaultEnds = 100 * forecast.DefaultEnds

// options are the flags.
type options struct {
	bills, prices   []string
	demand, classes string
	slot            time.Duration // 0: what the file says
	held, state     string
	past            string
	date            time.Time
	keepRepeats     bool
	keepTail        bool
	owner           string
	alone           []string
	daily           [2]int  // hours of a day: from, to; both 0 are any
	discount        float64 // percent; below 0: what the bill shows
	rates           map[string]float64
	sound           float64 // percent
	model           string
	horizon         time.Duration // 0: the longest term on offer
	ends            float64       // percent a year
	short           bool
	backtest        []string
	given           bool // -futures is
	futures         int
	every           time.Duration
	needEnds        bool
	up              int
	seed            uint64
	ladder          int // 0: no limit
	most            map[string]int
	alarm           float64  // 0: none
	terms, payments []string // none are all
	leastUse        float64
	mostShare       float64 // 0: no limit
	show            int
}

// setDaily reads -daily.
func (o *options) setDaily(s string) error {
	switch s {
	case "any":
		o.daily = [2]int{}
	case "spread":
		o.daily = [2]int{0, 24}
	default:
		a, b, _ := strings.Cut(s, "-")
		from, err := strconv.Atoi(a)
		to, err2 := strconv.Atoi(b)
		if err != nil || err2 != nil || from < 0 || from > 24 || to < 0 || to > 24 || from == to {
			return errors.New("want any, spread, or hours of the day in UTC such as 8-20")
		}
		o.daily = [2]int{from, to}
	}
	return nil
}

// reads reports whether the program stops after reading.
func (o *options) reads() bool { return o.show >= showQuality }

// define defines the flags.
func define(o *options, f *cli.Flags) {
	*o = options{model: forecast.Default, ends: defaultEnds, futures: 20, every: 168 * time.Hour, seed: 1, most: map[string]int{},
		discount: -1, rates: map[string]float64{}}
	f.Files("bill", &o.bills)
	f.Files("prices", &o.prices)
	f.File("demand", &o.demand)
	f.Files("backtest", &o.backtest)
	f.File("classes", &o.classes)
	f.Span("slot", &o.slot, "a span of time above 0, such as 1h, 15m or 168h", func(d time.Duration) bool { return d > 0 })
	f.File("held", &o.held)
	f.Name("state", &o.state, "the name of a file")
	f.Name("past", &o.past, "the name of a file")
	f.Day("date", &o.date)
	f.Switch("keep-repeats", &o.keepRepeats)
	f.Switch("keep-tail", &o.keepTail)
	f.Name("owner", &o.owner, "the name of a column of the bill, or COLUMN:KEY")
	cli.List(f, "alone", &o.alone, 1000, func(s string) (string, error) { return s, nil })
	f.Func("daily", o.setDaily)
	percent := func(x float64) bool { return x >= 0 && x <= 100 }
	f.Float("discount", &o.discount, "a percentage from 0 to 100", percent)
	f.Float("sound", &o.sound, "a percentage from 0 to 100", percent)
	f.Func("exchange", func(s string) error {
		currency, text, _ := strings.Cut(s, "=")
		x, err := strconv.ParseFloat(text, 64)
		if len(currency) != 3 || err != nil || !(x > 0 && x < 1e6) {
			return errors.New("want a currency and a number above 0, such as USD=0.92")
		}
		o.rates[strings.ToUpper(currency)] = x
		return nil
	})
	f.Name("model", &o.model, "one of "+cli.Series(forecast.Names(), "or"))
	whole := func(d time.Duration) bool { return d > 0 && d%(24*time.Hour) == 0 && d <= 5*8760*time.Hour }
	f.Span("horizon", &o.horizon, "a number of whole days up to 43800h, such as 8760h", whole)
	f.Span("every", &o.every, "a number of whole days, such as 168h", whole)
	f.Float("ends", &o.ends, "a percentage from 0 to 100", percent)
	f.Switch("little-history", &o.short)
	f.Int("futures", &o.futures, 1, 1000, "")
	f.Switch("need-ends", &o.needEnds)
	f.Int("demand-up", &o.up, -100, 10_000, " of percent")
	f.Seed(&o.seed)
	f.Int("ladder", &o.ladder, 1, 1_000_000_000, "")
	f.Func("cap", func(s string) error {
		i := strings.LastIndexByte(s, '=')
		n, err := strconv.Atoi(s[i+1:])
		if i < 1 || err != nil || n < 0 {
			return errors.New("want a class and a whole number, such as 1y=40")
		}
		o.most[s[:i]] = n
		return nil
	})
	part := func(x float64) bool { return x > 0 && x <= 1 }
	f.Float("least-use", &o.leastUse, "a share above 0, up to 1", part)
	f.Float("most-share", &o.mostShare, "a share above 0, up to 1", part)
	word := func(words ...string) func(s string) (string, error) {
		return func(s string) (string, error) {
			if slices.Contains(words, s) {
				return s, nil
			}
			return "", fmt.Errorf("want %s", cli.Series(words, "or"))
		}
	}
	cli.List(f, "terms", &o.terms, 5, word("1y", "3y", "5y"))
	cli.List(f, "payments", &o.payments, 3, word("none", "partial", "all"))
	f.Float("alarm", &o.alarm, "a number above 0, up to 1", func(x float64) bool { return x > 0 && x <= 1 })
	cli.Choice(f, "show", &o.show, "order", "why", "quality", "inputs", "demand", "held", "owners")
	f.Check(func() error { return o.check(f) })
}

func (o *options) check(f *cli.Flags) error {
	if _, err := forecast.New(o.model); err != nil {
		return fmt.Errorf("-model %s: want one of %s", o.model, cli.Series(forecast.Names(), "or"))
	}
	o.given = f.Given("futures")
	switch {
	case len(o.backtest) > 0 && (o.demand != "" || len(o.bills) > 0 || len(o.prices) > 0 || o.held != "" || o.state != "" || o.past != "" || f.Given("show")):
		return errors.New("-backtest with -demand, -bill, -prices, -held, -state, -past or -show: want the demand alone, with -classes, -slot, -model or -futures")
	case len(o.backtest) > 0 && (f.Given("html") || f.Given("focus")):
		return errors.New("-html and -focus write an order: want -svg for the picture of -backtest")
	case len(o.backtest) == 0 && f.Given("svg"):
		return errors.New("-svg without -backtest: the picture of an order is in -html")
	case o.demand != "" && (len(o.bills) > 0 || len(o.prices) > 0):
		return errors.New("-demand with -bill or -prices: want a demand with -classes, or a bill with -prices")
	case o.demand != "" && (o.sound > 0 || o.discount >= 0 || len(o.rates) > 0 || f.Given("daily") || o.keepTail || o.owner != "" || len(o.alone) > 0):
		return errors.New("-daily, -discount, -exchange, -sound, -keep-tail, -owner and -alone are of a bill: want -bill, or -demand without them")
	case o.demand == "" && len(o.backtest) == 0 && o.classes != "":
		return errors.New("-classes without -demand: the prices of a bill come from -prices")
	case o.demand == "" && o.state != "":
		return errors.New("-state without -demand: a bill shows what is held itself")
	case o.demand == "" && len(o.backtest) == 0 && o.slot != 0:
		return errors.New("-slot without -demand: a bill has hours")
	case len(o.bills) == 0 && len(o.prices) > 0:
		return errors.New("-prices without -bill: want both, or neither for the made-up year")
	case o.past != "" && o.reads():
		return errors.New("-past with -show: the advice is kept with an order")
	case o.state != "" && o.reads():
		return errors.New("-state with -show: the state is kept with an order")
	case o.reads() && f.Given("html"), o.reads() && f.Given("focus"):
		return errors.New("-html and -focus write the order: want -show order or why")
	}
	return nil
}
