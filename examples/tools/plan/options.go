package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/decimal"
)

// usage is what -h prints.
func usage() string {
	var list strings.Builder
	for _, a := range algorithms {
		fmt.Fprintf(&list, "                         %-13s%s\n", a.name, strings.ReplaceAll(a.about, "\n", "\n"+strings.Repeat(" ", 38)))
	}
	return strings.Replace(usageText, "ALGORITHMS\n", list.String(), 1)
}

const usageText = `Usage: go run ./examples/tools/plan [flags]

Decides what to reserve for a demand and when to buy it, exactly and by each published
rule. Prints what each plan costs, what the plan saves over on demand, and how far from
the optimum the plan is at most.

What to plan for
  -demand FILE         CSV: a header line, then the instances needed in each slot,
                       one whole number a line; or a forecast's file, as -forecast of
                       examples/tools/forecast writes; or lines of week,value; plain or gzip
                       (default: a made-up year)
  -paths FILE          CSV: futures that the demand may take, all equally likely: a
                       header line with a name for each path, then a line for each slot
                       with a number for each path; instead of -demand
  -classes FILE        JSON: prices and classes of reservations (default: made-up ones
                       for 7, 30 and 90 days)
                         {"on_demand": 2.4, "classes": [{"name": "1y", "term": "8760h",
                          "upfront": 5000, "hourly": 0.361, "billed": "always"}]}
                       billed is "always" or "when-used"; prices have 9 decimals at most
  -held FILE           JSON: reservations bought before, whose fees are spent
                         [{"class": "1y", "count": 12, "until": "2000h"}]
                       until is for how long they are still active from the start of the
                       demand on: a number of slots, or a duration such as "2000h"
  -slot D              length of a slot of the demand (default 1h); a term that is no
                       whole number of slots counts as the whole slots in it
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

A rule for one class runs for every class of the list. The table shows its cheapest plan
with the class; its time is that of all classes. Rolling horizons and robust look one
term ahead and know the true demand. Times are those of deciding what to buy, for exact
also of the bill and the proof; reading and printing are not timed. With -runs the first
run allocates memory, as with 1, and the others reuse that memory.

With -paths purchases are decided before any path is seen. What a path needs beyond the
purchases runs on demand. Costs and bounds are means over the paths. Only exact and
ondemand take paths; the published rules want one demand. With -algo exact the table is
followed by what not knowing the path costs: what a perfect forecast would save, what
planning for the mean path costs, and for each purchase the probability that the
purchase loses money. The picture is of the median demand of each slot.

No plan costs less than the lower bound. Where exact proves its plan optimal, the lower
bound is the optimum ("exact" in the field "bound"); that is so whenever the use of all
classes costs the same. Otherwise the lower bound is that of exact's linear program
("lp"), or Eq. (5) of [Niu16] where exact does not take the problem ("eq5"). The gap is
how far a plan is above the lower bound. eq5 is a bound and not a plan: eq5 rents
reservations by the interval.

With -pure and an -interval of several slots, slots without demand are added at the end
to make whole intervals, because a bound by the interval counts whole intervals. The
added slots change what a reservation is worth at the end, and so change pure costs a
little. Full costs stay the same.

With -algo NAME the table is followed by what the plan buys, by class and by purchase:
the slots of demand served, their share of all slots of the purchase (used), when the
purchase has saved its fee (paid back), and what the purchase saves over on demand. The
picture is of that plan; with -algo all the picture is of the cheapest plan.

Fields of -json: algo, class (of a rule for one class), cost, lower_bound, bound (where
lower_bound comes from), gap (cost over lower_bound, less 1; null where lower_bound is 0
and the cost is not), saving (over on demand, as a fraction), seconds, purchases (slot,
class, count; slots count from 0). Costs leave out the fees and standing charges of held
reservations, which are spent whatever the plan.

Amounts in the table have no cents where on demand costs ten million or more.
`

// options are the flags.
type options struct {
	demand, classes, held string
	paths                 string
	slot, interval        time.Duration
	pure                  bool
	algo                  *algorithm // nil: all
	seed                  uint64
	runs                  int
}

// maxRuns bounds -runs: the times are kept.
const maxRuns = 1_000_000

// define defines the flags.
func define(o *options, f *cli.Flags) {
	*o = options{slot: time.Hour, seed: 1, runs: 1}
	f.File("demand", &o.demand)
	f.File("paths", &o.paths)
	f.File("classes", &o.classes)
	f.File("held", &o.held)
	positive := func(d time.Duration) bool { return d > 0 }
	f.Span("slot", &o.slot, "a span of time above 0, such as 1h, 15m or 168h", positive)
	f.Span("interval", &o.interval, "a span of time above 0, such as 1h, 15m or 168h", positive)
	f.Switch("pure", &o.pure)
	f.Func("algo", func(s string) error {
		o.algo = nil
		names := "all"
		for i := range algorithms {
			if algorithms[i].name == s {
				o.algo = &algorithms[i]
				return nil
			}
			names += ", " + algorithms[i].name
		}
		if s != "all" {
			return errors.New("want one of " + names)
		}
		return nil
	})
	f.Seed(&o.seed)
	f.Int("runs", &o.runs, 1, maxRuns, "")
	f.Check(func() error {
		if o.paths != "" && o.demand != "" {
			return errors.New("-paths and -demand are both there: want one of them")
		}
		if o.interval == 0 {
			o.interval = o.slot
		}
		if o.interval%o.slot != 0 {
			return fmt.Errorf("-interval %s is not a whole number of slots of %s", decimal.Span(o.interval), decimal.Span(o.slot))
		}
		return nil
	})
	f.Idle(func(name string) bool { return name == "seed" && o.algo != nil && !o.algo.random })
}
