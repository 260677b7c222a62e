package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/outfile"
	"github.com/plimsoll/plimsoll/forecast"
)

const program = "portfolio"

// usage is what -h prints. A test holds it to the flags.
func usage() string {
	var list strings.Builder
	column := 0
	for i, name := range forecast.Names() {
		switch {
		case column == 0:
		case column+len(", ")+len(name) > 60:
			list.WriteString(",\n")
			column = 0
		default:
			list.WriteString(", ")
			column += 2
		}
		if column == 0 {
			list.WriteString(strings.Repeat(" ", 25))
		}
		list.WriteString(name)
		column += len(name)
		if i == len(forecast.Names())-1 {
			list.WriteString("\n")
		}
	}
	return strings.Replace(usageText, "MODELS\n", list.String(), 1)
}

const usageText = `Usage: go run ./examples/portfolio [flags]

Replays a demand week by week. At the end of each week the online portfolio forecasts
the weeks to come, plans for the forecast, and buys what the plan buys at once. What
that costs stands beside what hindsight would have paid, and beside portfolios of
fewer classes, which forecast and buy in the same way.

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
                       magnitude of X or more, 0 to 1 (default: no alarm)

What to buy now
  -state FILE          do not replay, but decide at the end of the last whole week of
                       one -demand, and keep the portfolio in FILE, made if need be
  -held FILE           begin FILE anew, with these reservations active at that time
                         [{"class": "3y-heavy", "count": 12, "until": "2000h"}]
                       until is for how long they still are: slots, or a duration

What comes out
  -each                print the table of each series, where there are several
  -json                print an array with an object for each series and algorithm
  -svg FILE            write the picture of demand, forecast and active reservations
  -h                   print this

With -state run the program once a week, with the whole demand from its start on. The
first time it learns from all weeks that there are and buys nothing before the last
one ends; later it goes on from the weeks that it has seen. What it says is taken to be
bought; where that is not so, -held begins anew with what is. Run again before another
week has ended it says the same, and changes nothing.

Rows of the table
  hindsight            the optimum for a demand that is known; where it is not proved to
                       be that, the report says how far above it may be at most
  eq5                  the bound of [Niu16] Eq. (5), no plan: below the optimum
  greedy               the offline algorithm of [Niu16] 5.1.2, the demand known
  online               the online portfolio of [Niu16] 5.2.2
  online-od-only       nothing reserved
  online-1y-only       the online portfolio with one class of that term, the one that
                       costs least in total; so for each term of the list
  online-1y-classes    the same with all classes of the term, if there are several

A week is 168 hours from the start of a demand; weeks count from 0. The first decision
takes effect in week 1. Of a -trace the hours before anything is held are left out. A
pure cost is that of whole weeks: slots without demand are added at the end. Forecasts
stay within 0 and twice the largest week so far. Several kinds of demand, -demand,
-trace and -series, have a total each. Milliseconds are those of a weekly decision with
its forecast, several being made at once.

Where online costs more than a portfolio of fewer classes, the report says why: in which
weeks most is lost, and whether it then had over-bought or under-bought, by a tenth of
the reservations of hindsight at least, was late (under-bought, until it had as many),
or had others than hindsight.

Fields of -json: series, source (made-up, demand, trace or series), weeks, algo, class
(the one of an only), cost, ratio (cost over that of hindsight; null where that is 0),
saving (over on demand, as a fraction; null where that costs nothing), gap (of
hindsight: over the optimum at most, less 1), bought (reservations), reserved_hours
(within the demand), idle (their share that is not used), on_demand (share of the
demand that is not reserved), first_week (of purchases), decisions, mean_s and max_s
(seconds a decision), purchases (week, class, count). With -state an object for each
class: week (that begins), class, buy, active (then), planned (mean demand of the
week; null if nothing is), signal (tracking signal of the forecast).

The exit status is 0, 1 if the program fails, 2 for a mistake in the flags or in the
files, and 130 after an interrupt.
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

	greedy   bool
	model    string
	alpha    float64
	fit      int // weeks, 0: never
	quantile float64
	window   int

	ladder  int // 0: no limit
	caps    []capFlag
	premium float64
	alarm   float64 // 0: none

	state, held string

	each, json bool
	svg        string

	ineffective []string // flags that were given and change nothing
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

// maxCount bounds numbers of weeks, instances and processors.
const maxCount = 1_000_000

// parse reads the flags. Its error is flag.ErrHelp or the user's mistake.
func parse(args []string) (options, error) {
	o := options{
		slot: time.Hour, cores: defaultCores, scale: defaultScale,
		model: defaultModel, alpha: defaultAlpha, fit: -1, quantile: defaultQuantile, window: 52,
	}
	flags := flag.NewFlagSet(program, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	for name, p := range map[string]*[]string{"demand": &o.demands, "trace": &o.traces, "series": &o.series} {
		flags.Func(name, "", func(s string) error {
			if s == "" {
				return errors.New("want the name of a file")
			}
			if slices.Contains(*p, s) {
				return errors.New("the file was given before")
			}
			*p = append(*p, s)
			return nil
		})
	}
	for name, p := range map[string]*string{"classes": &o.classes, "svg": &o.svg, "state": &o.state, "held": &o.held} {
		flags.Func(name, "", func(s string) error {
			if s == "" {
				return errors.New("want the name of a file")
			}
			*p = s
			return nil
		})
	}
	for name, p := range map[string]*bool{"total": &o.total, "each": &o.each, "json": &o.json} {
		cli.Switch(flags, name, p)
	}
	for name, p := range map[string]*int{
		"cores-per-node": &o.cores, "longest": &o.longest, "scale": &o.scale, "window": &o.window, "ladder": &o.ladder,
	} {
		flags.Func(name, "", func(s string) (err error) {
			*p, err = whole(s, 1)
			return err
		})
	}
	flags.Func("fit", "", func(s string) (err error) {
		o.fit, err = whole(s, 0)
		return err
	})
	flags.Func("slot", "", func(s string) error {
		d, err := time.ParseDuration(s)
		if err != nil || d <= 0 || week%d != 0 {
			return errors.New("want a span of time of which a week has a whole number, such as 1h, 15m or 24h")
		}
		o.slot = d
		return nil
	})
	for name, f := range map[string]struct {
		p    *float64
		want string
		ok   func(x float64) bool
	}{
		"alpha":    {&o.alpha, "a number above 0, 1 at most", func(x float64) bool { return x > 0 && x <= 1 }},
		"quantile": {&o.quantile, "a number between 0 and 1, such as 0.4", func(x float64) bool { return x > 0 && x < 1 }},
		"premium":  {&o.premium, "a number from 0 to 1000", func(x float64) bool { return x >= 0 && x <= 1000 }},
		"alarm":    {&o.alarm, "a number above 0, 1 at most", func(x float64) bool { return x > 0 && x <= 1 }},
	} {
		flags.Func(name, "", func(s string) error {
			x, err := strconv.ParseFloat(s, 64)
			if err != nil || !f.ok(x) {
				return errors.New("want " + f.want)
			}
			*f.p = x
			return nil
		})
	}
	flags.Func("planner", "", func(s string) error {
		if s != "greedy" && s != "exact" {
			return errors.New("want greedy or exact")
		}
		o.greedy = s == "greedy"
		return nil
	})
	flags.Func("model", "", func(s string) error {
		if !slices.Contains(forecast.Names(), s) {
			return errors.New("want one of " + strings.Join(forecast.Names(), ", "))
		}
		o.model = s
		return nil
	})
	flags.Func("cap", "", func(s string) error {
		i := strings.LastIndexByte(s, '=')
		if i < 1 {
			return errors.New("want the name of a class and a number, such as 3y-heavy=40")
		}
		n, err := whole(s[i+1:], 1)
		if err != nil {
			return err
		}
		o.caps = append(o.caps, capFlag{s[:i], n})
		return nil
	})
	if err := cli.Parse(flags, args); err != nil {
		return o, err
	}
	switch {
	case o.state == "" && o.held != "":
		return o, cli.Mistakef("-held needs -state: a replay begins with nothing")
	case o.state != "" && (len(o.demands) != 1 || len(o.traces)+len(o.series) > 0):
		return o, cli.Mistakef("-state needs one -demand, and no -trace or -series")
	case o.state != "" && o.svg != "":
		return o, cli.Mistakef("-svg is the picture of a replay, and not for -state")
	}
	flags.Visit(func(f *flag.Flag) {
		if o.ignores(f.Name) {
			o.ineffective = append(o.ineffective, "-"+f.Name)
		}
	})
	if o.fit < 0 {
		o.fit = forecast.DefaultEvery
		if o.model == defaultModel {
			o.fit = 0
		}
	}
	return o, nil
}

// whole reads a number.
func whole(s string, least int) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil || n < least || n > maxCount {
		return 0, fmt.Errorf("want a whole number from %d to %s", least, decimal.Int(maxCount))
	}
	return n, nil
}

// ignores reports whether a flag changes nothing, given the others.
func (o *options) ignores(name string) bool {
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
		return o.json || o.state != ""
	case "total":
		return o.state != ""
	}
	return false
}

// create begins the file that is asked for, if there is one, so that what stands
// in its way is known before the work.
func (o *options) create(files *outfile.Set) (*outfile.File, error) {
	if o.svg == "" {
		return nil, nil
	}
	for _, path := range slices.Concat(o.demands, o.traces, o.series, []string{o.classes}) {
		if path != "" {
			files.Keep(path)
		}
	}
	f, err := files.Create(o.svg)
	switch {
	case errors.Is(err, outfile.ErrSame):
		return nil, cli.Mistakef("-svg %s: the file is that of another flag as well", o.svg)
	case err != nil:
		return nil, cli.Mistakef("cannot write -svg %v", err)
	}
	return f, nil
}
