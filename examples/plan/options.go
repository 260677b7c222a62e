package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/outfile"
)

const program = "plan"

// usage is what -h prints. A test holds it to the flags.
func usage() string {
	var list strings.Builder
	for _, a := range algorithms {
		fmt.Fprintf(&list, "                         %-13s%s\n", a.name, strings.ReplaceAll(a.about, "\n", "\n"+strings.Repeat(" ", 38)))
	}
	return strings.Replace(usageText, "ALGORITHMS\n", list.String(), 1)
}

const usageText = `Usage: go run ./examples/plan [flags]

Decides what to reserve for a demand, and when to buy it: exactly, and by each
published rule beside. Says what it costs, what it saves over on demand, and how
far from the optimum it can be at most.

What to plan for
  -demand FILE         CSV: a header line, then the instances needed in each slot,
                       one whole number a line; plain or gzip (default: a made-up year)
  -classes FILE        JSON: prices and classes of reservations (default: made-up ones
                       for 7, 30 and 90 days)
                         {"on_demand": 2.4, "classes": [{"name": "1y", "term": "8760h",
                          "upfront": 5000, "hourly": 0.361, "billed": "always"}]}
                       billed is "always" or "when-used"; prices have 9 decimals at most
  -held FILE           JSON: reservations bought before, whose fees are spent
                         [{"class": "1y", "count": 12, "until": "2000h"}]
                       until is for how long they are still active from the start of the
                       demand on: a number of slots, or a duration such as "2000h"
  -slot D              length of a slot of the demand (default 1h)
  -interval D          buy at the start of every such interval only, 168h is weekly
                       (default: the slot, so at any)
  -pure                count pure cost: of a reservation that outlives the demand only
                       the share before its end (default: its full fee)

How
  -algo NAME           all, or one of (default all)
ALGORITHMS
  -seed N              of wang-random (default 1)
  -runs N              solve N times and give the median time (default 1)

What comes out
  -json                print an array with an object for each algorithm, not a table
  -svg FILE            write the picture of demand, what serves it, and purchases
  -h                   print this

Rules for one class are run for every class of the list, and the cheapest plan is
shown with its class; their time is that of all classes. Rolling horizons and robust
look one term ahead and are told the true demand. Times are those of deciding what
to buy, exact's also of its bill and proof; reading and printing are not in them.
With -runs the first finds no memory, as with 1, and the others do.

The lower bound is what no plan costs less than: the optimum where exact proves
its plan optimal ("exact" in the field "bound"), which is always so if the use of
all classes costs the same; else the bound of its linear program ("lp"); Eq. (5) of
[Niu16] where exact is not for the problem ("eq5"). The gap is how far a plan is
above it. eq5 is a bound itself, and no plan: it rents reservations by the
interval.

With -pure and an -interval of several slots, slots without demand are added at
the end to make whole intervals, since a bound by the interval counts whole ones.
That changes what a reservation is worth at the end, and so pure costs, a little;
the full cost of a plan stays as it is.

With -algo NAME the table is followed by what the plan buys, by class and purchase
by purchase: the slots of demand served, their share of all (used), when the
purchase has saved its fee (paid back), and what it saves over on demand. The
picture is of that plan, with -algo all of the cheapest one.

Fields of -json: algo, class (of a rule for one class), cost, lower_bound, bound
(where that comes from), gap (cost over lower_bound, less 1; null where that is 0
and the cost is not), saving (over on demand, as a fraction), seconds, purchases
(slot, class, count; slots count from 0). Costs do not have the fees and standing
charges of what is held in them, which are spent whatever the plan.

Amounts of the table have no cents where on demand costs ten million or more.

The exit status is 0, 1 if the program fails, 2 for a mistake in the flags or in
the files, and 130 after an interrupt.
`

// options are the flags.
type options struct {
	demand, classes, held string
	slot, interval        time.Duration
	pure                  bool
	algo                  *algorithm // nil: all
	seed                  uint64
	runs                  int
	svg                   string
	json                  bool

	ineffective []string // flags that were given and change nothing
}

// maxRuns bounds -runs: the times are kept.
const maxRuns = 1_000_000

// parse reads the flags. Its error is flag.ErrHelp or the user's mistake.
func parse(args []string) (options, error) {
	o := options{slot: time.Hour, seed: 1, runs: 1}
	flags := flag.NewFlagSet(program, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	for name, p := range map[string]*string{"demand": &o.demand, "classes": &o.classes, "held": &o.held, "svg": &o.svg} {
		flags.Func(name, "", func(s string) error {
			if s == "" {
				return errors.New("want the name of a file")
			}
			*p = s
			return nil
		})
	}
	for name, p := range map[string]*time.Duration{"slot": &o.slot, "interval": &o.interval} {
		flags.Func(name, "", func(s string) error {
			d, err := time.ParseDuration(s)
			if err != nil || d <= 0 {
				return errors.New("want a span of time above 0, such as 1h, 15m or 168h")
			}
			*p = d
			return nil
		})
	}
	for name, p := range map[string]*bool{"pure": &o.pure, "json": &o.json} {
		cli.Switch(flags, name, p)
	}
	flags.Func("algo", "", func(s string) error {
		o.algo = nil
		if s == "all" {
			return nil
		}
		names := "all"
		for i := range algorithms {
			if algorithms[i].name == s {
				o.algo = &algorithms[i]
				return nil
			}
			names += ", " + algorithms[i].name
		}
		return errors.New("want one of " + names)
	})
	cli.Seed(flags, &o.seed)
	flags.Func("runs", "", func(s string) error {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 || n > maxRuns {
			return fmt.Errorf("want a whole number from 1 to %d", maxRuns)
		}
		o.runs = n
		return nil
	})
	if err := cli.Parse(flags, args); err != nil {
		return o, err
	}
	switch {
	case o.interval == 0:
		o.interval = o.slot
	case o.interval%o.slot != 0:
		return o, cli.Mistakef("-interval %s is not a whole number of slots of %s", decimal.Span(o.interval), decimal.Span(o.slot))
	}
	flags.Visit(func(f *flag.Flag) {
		if f.Name == "seed" && o.algo != nil && !o.algo.random {
			o.ineffective = append(o.ineffective, "-"+f.Name)
		}
	})
	return o, nil
}

// create begins the file that is asked for, if there is one, so that what stands
// in its way is known before the work.
func (o *options) create(files *outfile.Set) (*outfile.File, error) {
	if o.svg == "" {
		return nil, nil
	}
	for _, path := range []string{o.demand, o.classes, o.held} {
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
