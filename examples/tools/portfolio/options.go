package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/forecast"
)

// usage is what -h prints.
func usage() string {
	const indent = "                         "
	list := indent
	for i, name := range forecast.Names() {
		if i > 0 {
			list += ", "
		}
		if column := len(list) - strings.LastIndexByte(list, '\n') - 1 - len(indent); column+len(name) > 60 {
			list = strings.TrimSuffix(list, " ") + "\n" + indent
		}
		list += name
	}
	return strings.Replace(usageText, "MODELS\n", list+"\n", 1)
}

const usageText = `Usage: go run ./examples/tools/portfolio [flags]

Replays a demand week by week. At the end of each week the online portfolio forecasts
the weeks to come, plans for the forecast, and buys what the plan buys at once. The
table shows its cost beside the cost of hindsight and the costs of portfolios of fewer
classes, which forecast and buy in the same way.

What is needed
  -demand FILE         CSV: a header line, then the instances needed in each slot,
                       one whole number a line; plain or gzip
  -trace FILE          log of jobs in the Standard Workload Format, plain or gzip: what
                       its semi-elastic cluster holds, at most, in each hour
  -series FILE         CSV: a header line, then a line for each series, its name first:
                       a number a week, scaled to instances; plain or gzip
                       Each may be given several times (default: three made-up years)
  -slot D              length of a slot of -demand, of which a week has a whole number
                       (default 1h)
  -cores-per-node N    processors of an instance, for -trace (default 16)
  -longest N           only the N longest of each -series file (default: all)
  -scale N             instances that the largest value of a series stands for
                       (default 300)

What it costs
  -classes FILE        JSON: prices and classes of reservations (default: EC2's
                       cc2.8xlarge in 2013 as [Niu16] computes with it, four classes)
                         {"on_demand": 2.4, "classes": [{"name": "1y", "term": "8736h",
                          "upfront": 5000, "hourly": 0.361, "billed": "always"}]}
                       billed is "always" or "when-used"; prices have 9 decimals at most
  -total               count all that is spent (default: pure cost, of a reservation
                       that outlives the demand only the share before its end)

How the online portfolio decides
  -planner NAME        greedy, as in [Niu16] 5.1.2, or exact (default exact)
  -model NAME          of the mean demand of a week (default simple), one of
MODELS
  -alpha X             smoothing factor of the model simple, 0 to 1 (default 0.05)
  -fit N               fit the factors to the last four years every N weeks, from half
                       a year on, and forecast by simple smoothing before that; 0 is
                       never (default: 0 for simple, 13 for the others)
  -quantile Q          plan for what a week's mean exceeds with probability 1-Q, as the
                       model sees it; 0.5 is the forecast itself (default 0.4)
  -paths N             plan for N futures that the model draws of each week's mean, in
                       the place of -quantile (default: none)
  -seed N              of these futures (default 1)
  -window N            weeks whose load-duration curve the demand of a week is made to
                       have (default 52)

Its risk controls
  -ladder N            buy at most N reservations of each class a week (default: no
                       limit)
  -cap CLASS=N         have at most N reservations of the class active at once; may be
                       given for several classes
  -premium X           plan as if the fees of long terms were higher: by X times the fee
                       for each further length of the shortest term (default 0)
  -alarm X             buy nothing while the tracking signal of the forecast has a
                       magnitude above X, 0 to 1 (default: buy all the same; -state
                       says if the signal is more than chance explains)

What to buy now
  -state FILE          do not replay, but decide at the end of the last whole week of
                       one -demand, and keep the portfolio in FILE, made if need be
  -held FILE           begin FILE anew, with these reservations active at that time
                         [{"class": "3y-heavy", "count": 12, "until": "2000h"}]
                       until is for how long they still are: slots, or a duration
  -date D              the day of the order, for the answer's dates, such as 2026-11-23
                       (default: today)

What comes out
  -each                print the table of each series, where there are several
  -json                print an array with an object for each series and algorithm
  -svg FILE            write the picture of demand, forecast and active reservations
  -h                   print this

With -state run the program once a week, with the whole demand from its start. The first
run learns from all weeks and buys for the week after the last one. Later runs go on
from the weeks that the state has seen. The program assumes that what it prints is
bought; if something else was bought, begin anew with -held. A run before another week
has ended prints the same again, and leaves the state as it is. Once the model is ready
the order is explained over twenty futures of the next year: what the order costs and
saves, its risk, and how far it is from the cheapest plan.

Rows of the table
  hindsight            the optimum for a known demand; where the plan is not proved
                       optimal, the report says how far above the optimum it is at most
  eq5                  the bound of [Niu16] Eq. (5), no plan: below the optimum
  greedy               the offline algorithm of [Niu16] 5.1.2, the demand known
  online               the online portfolio of [Niu16] 5.2.2
  online-od-only       nothing reserved
  online-1y-only       the online portfolio with one class of that term, the one that
                       costs least in total; so for each term of the list
  online-1y-classes    the same with all classes of the term, if there are several

A week is 168 hours from the start of a demand; weeks count from 0. The first decision
takes effect in week 1. The replay of a -trace begins with the first hour in which an
instance is held. A pure cost is that of whole weeks: slots without demand are added at
the end. Forecasts stay between 0 and twice the largest week so far. Several kinds of
demand, -demand, -trace and -series, have a total each. Milliseconds are those of a
weekly decision with its forecast; several decisions run at once.

Where online costs more than a portfolio of fewer classes, the report says why: in which
weeks online loses most, and what was wrong then. Online over-bought or under-bought if
its reservations differ from those of hindsight by more than a tenth; online was late if
it under-bought at first and had as many in the end; otherwise online had other classes.

Fields of -json: series, source (made-up, demand, trace or series), weeks, algo, class
(the one of an only), cost, ratio (cost over that of hindsight; null if hindsight costs
nothing), saving (over on demand, as a fraction; null if on demand costs nothing), gap
(of hindsight: over the optimum at most, less 1), bought (reservations), reserved_hours
(within the demand), idle (their share that is not used), on_demand (share of the
demand that is not reserved), first_week (of purchases), decisions, mean_s and max_s
(seconds a decision), purchases (week, class, count). With -state an object for each
class: week (that begins), class, buy, active (then), planned (mean demand of the
week; null if nothing is), signal (tracking signal of the forecast); once the model is
ready date, and for a class that is bought upfront, commitment, saving, loss (its
probability), last_use, break_even, waiting (what a week later costs more).
`

// week is the interval of decisions.
const week = 168 * time.Hour

// options are the flags.
type options struct {
	demands, traces, series []string
	slot                    time.Duration
	cores                   int
	longest                 int // 0: all
	scale                   int

	classes string
	total   bool

	planner  int // exactPlanner or greedyPlanner
	model    string
	alpha    float64
	fit      int // weeks, 0: never
	quantile float64
	paths    int
	seed     uint64
	window   int

	ladder  int // 0: no limit
	caps    []capFlag
	premium float64
	alarm   float64 // 0: none

	state, held string
	date        time.Time

	each bool
}

// A capFlag is a -cap.
type capFlag struct {
	class string
	count int
}

// What flags that are not given stand for.
const (
	defaultModel    = "simple"
	defaultAlpha    = .05
	defaultQuantile = .4
	defaultScale    = 300
	defaultCores    = 16 // of cc2.8xlarge, as the paper has it
)

// Values of -planner.
const (
	exactPlanner = iota
	greedyPlanner
)

// maxCount bounds numbers of weeks, instances and processors.
const maxCount = 1_000_000

// today is the day of an order. Tests have their own.
var today = func() time.Time { return time.Now().UTC().Truncate(24 * time.Hour) }

// define defines the flags.
func define(o *options, f *cli.Flags) {
	*o = options{
		slot: time.Hour, cores: defaultCores, scale: defaultScale,
		seed: 1, model: defaultModel, alpha: defaultAlpha, fit: -1, quantile: defaultQuantile, window: 52,
	}
	f.Files("demand", &o.demands)
	f.Files("trace", &o.traces)
	f.Files("series", &o.series)
	f.File("classes", &o.classes)
	f.File("held", &o.held)
	f.Name("state", &o.state, "the name of a file")
	o.date = today()
	f.Func("date", func(s string) error {
		t, err := time.Parse(time.DateOnly, s)
		if err != nil || t.Year() < 1971 {
			return errors.New("want a day such as 2026-11-23")
		}
		o.date = t
		return nil
	})
	f.Switch("total", &o.total)
	f.Switch("each", &o.each)
	f.Int("cores-per-node", &o.cores, 1, maxCount, "")
	f.Int("longest", &o.longest, 1, maxCount, "")
	f.Int("scale", &o.scale, 1, maxCount, "")
	f.Int("window", &o.window, 1, maxCount, "")
	f.Int("ladder", &o.ladder, 1, maxCount, "")
	f.Int("fit", &o.fit, 0, maxCount, "")
	f.Span("slot", &o.slot, "a span of time of which a week has a whole number, such as 1h, 15m or 24h",
		func(d time.Duration) bool { return d > 0 && week%d == 0 })
	f.Float("alpha", &o.alpha, "a number above 0, 1 at most", func(x float64) bool { return x > 0 && x <= 1 })
	f.Float("alarm", &o.alarm, "a number above 0, 1 at most", func(x float64) bool { return x > 0 && x <= 1 })
	f.Int("paths", &o.paths, 0, 10_000, "")
	f.Seed(&o.seed)
	f.Float("quantile", &o.quantile, "a number between 0 and 1, such as 0.4", func(x float64) bool { return x > 0 && x < 1 })
	f.Float("premium", &o.premium, "a number from 0 to 1000", func(x float64) bool { return x >= 0 && x <= 1000 })
	cli.Choice(f, "planner", &o.planner, "exact", "greedy")
	f.Func("model", func(s string) error {
		if !slices.Contains(forecast.Names(), s) {
			return errors.New("want one of " + strings.Join(forecast.Names(), ", "))
		}
		o.model = s
		return nil
	})
	f.Func("cap", func(s string) error {
		i := strings.LastIndexByte(s, '=')
		n, err := strconv.Atoi(s[i+1:])
		if i < 1 || err != nil || n < 1 || n > maxCount {
			return fmt.Errorf("want the name of a class and a whole number from 1 to %s, such as 3y-heavy=40", decimal.Int(maxCount))
		}
		o.caps = append(o.caps, capFlag{s[:i], n})
		return nil
	})
	f.Check(func() error {
		if o.fit < 0 {
			o.fit = forecast.DefaultEvery
			if o.model == defaultModel {
				o.fit = 0
			}
		}
		switch {
		case o.state == "" && o.held != "":
			return errors.New("-held needs -state: a replay begins with nothing")
		case o.state != "" && (len(o.demands) != 1 || len(o.traces)+len(o.series) > 0):
			return errors.New("-state needs one -demand, and no -trace or -series")
		case o.state != "" && f.Given("svg"):
			return errors.New("-svg is the picture of a replay, and not for -state")
		}
		return nil
	})
	f.Idle(func(name string) bool {
		switch name {
		case "slot":
			return len(o.demands) == 0
		case "cores-per-node":
			return len(o.traces) == 0
		case "longest", "scale":
			return len(o.series) == 0
		case "alpha":
			return o.model != "simple"
		case "each":
			return f.JSON || o.state != ""
		case "date":
			return o.state == ""
		case "total":
			return o.state != ""
		}
		return false
	})
}
