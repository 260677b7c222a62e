// Federation says which idle reserved capacity data centres should lend each other, on their
// own logs of jobs.
//
//	go run ./examples/tools/federation -trace east.swf -trace west.swf.gz -prices prices.json
//
// plans reservations of a day for each centre by itself, lends what is idle to the tasks of the
// other centres by Algorithm 3 of [Liu21], and prints what that saves and who lends
// to whom. Without logs the centres are made up. -h lists
// the choices.
//
// A task is a job from the hour of its submission to the hour of its end, or to the end of the
// window. The disk space of its instances is the data that it sends when it runs elsewhere: a
// log does not say it, so that it is drawn from 5 MB to 65 GB by the power law P(more than x) ~
// 1/x. Planners are told a demand with errors (-error); sharing knows what tasks will need,
// except with -share open. A cost is for the whole term of a reservation, used or not.
//
// The file of -prices has the prices and places of the centres, in the order of -trace: on
// demand per hour, a reservation for 24 hours, outgoing traffic per GB, and degrees.
//
//	[{"name": "east", "on_demand": 0.075, "reservation": 0.80, "traffic": 0.02,
//	  "latitude": 49.5, "longitude": 5.95}, ...]
//
// Fields of -json, for each plan and centre and for "all": plan, centre, instance_hours,
// on_demand_cost (without reservations), reservations, cost and utilisation (without sharing;
// null where nothing is reserved), shared_cost, shared_utilisation, lent_hours, paid and
// received (to and from other centres), sent_gb.
//
// What [Liu21] says of these methods is judged by go run ./examples/papers liu21. How
// departments share one account is go run ./examples/start/share, and how to divide a bill
// that nobody leaves is go run ./examples/start/divide.
package main

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll/examples/internal/centres"
	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/federation"
	"github.com/plimsoll/plimsoll/pricing"
)

var program = &cli.Program[options, *results]{
	Name: "federation", Usage: usage, Define: define, Work: federate, Text: (*results).text, Rows: (*results).rows,
}

func main() { program.Main() }

const usage = `Usage: go run ./examples/tools/federation [flags]

Plans reservations of a day for data centres, each for its own demand, and says which
idle reservations to lend to the tasks of the other centres.

  -trace FILE          log of a centre, plain or gzip: Standard Workload Format, or
                       accounting of Slurm, PBS or LSF; once for each centre (default:
                       three made-up centres)
  -centres N           how many centres to make up, 1 to 16 (default 3)
  -from LIST           hour of each log at which the window begins, one for all or one
                       for each (default: the hour of its first job)
  -hours N             length of the window, 24 to 26280 (default 600)
  -prices FILE         prices and places of the centres, JSON: see go doc
                       ./examples/tools/federation (default: those of [Liu21])
  -reserve LIST        all, or some of: periodic (once a day for the day), hgr (greedy),
                       exact (the optimum of each centre by itself), wang and history
                       (online, without a prediction), rho (rolling horizon, in five
                       readings: rho-printed, rho-full, rho-last, rho-first,
                       rho-deferred) (default periodic,hgr,exact,wang,history)
  -lambda N            hours that rho sees, the current one included (default 13)
  -error N             the demand that planners are told is wrong by up to this part of
                       it, 0 to 1 (default 0.2)
  -share NAME          the price of a lent instance and of one on demand elsewhere, with
                       the nearest centre asked first (default roaming)
                         roaming   the owner's fee; on demand the price where it runs
                         lender    the owner's fee; on demand the home's price
                         printed   both the home's, as [Liu21] prints
                         idle      as lender; no part moves that would run on demand
                         cheapest  as lender, and the cheapest centre first
                         midpoint  as lender, half-way to the price on demand
                         free      as lender, at no charge
                         open      as lender, and nobody keeps anything for later
  -lend LIST           what a lent instance costs, as a multiple of its owner's
                       reservation per hour, by the share of the owner's reservations
                       that is idle: 0:1.5,0.5:1,1:0.25. It must not rise
  -seed N              of made-up centres, errors and disk space (default 1)
  -json                print an array with an object for each plan and centre
  -h                   print this
`

// options are the flags.
type options struct {
	centres.Options
	reserve centres.Choice
	lambda  int
	err     float64
	share   int // of centres.Readings
	lend    []federation.PricePoint
}

// define defines the flags.
func define(o *options, f *cli.Flags) {
	*o = options{lambda: 13, err: .2, share: centres.Roaming}
	o.Define(f)
	if err := o.reserve.Set("periodic,hgr,exact,wang,history"); err != nil {
		panic(err) // the default
	}
	f.Func("reserve", o.reserve.Set)
	f.Int("lambda", &o.lambda, 1, centres.MaxHours, " of hours")
	f.Float("error", &o.err, "a number from 0 to 1", func(x float64) bool { return x >= 0 && x <= 1 })
	var names []string
	for _, x := range centres.Readings {
		names = append(names, x.Name)
	}
	cli.Choice(f, "share", &o.share, names...)
	f.Func("lend", o.setLend)
	f.Check(func() error {
		if o.lambda > o.Hours {
			return fmt.Errorf("-lambda %d: the window has only %d hours (-hours)", o.lambda, o.Hours)
		}
		return o.Check()
	})
	f.Idle(func(name string) bool {
		rolls := false
		for p, on := range o.reserve {
			rolls = rolls || on && centres.Planner(p).Rolls()
		}
		return o.Idle(name) || name == "lambda" && !rolls
	})
}

// setLend reads the price of lent instances.
func (o *options) setLend(s string) error {
	var points []federation.PricePoint
	for part := range strings.SplitSeq(s, ",") {
		idle, factor, ok := strings.Cut(part, ":")
		x, err1 := strconv.ParseFloat(idle, 64)
		y, err2 := strconv.ParseFloat(factor, 64)
		if !ok || err1 != nil || err2 != nil {
			return fmt.Errorf("%q: want pairs SHARE:FACTOR, such as 0:1.5,0.5:1,1:0.25", part)
		}
		points = append(points, federation.PricePoint{Idle: x, Factor: y})
	}
	if err := federation.CheckLending(points); err != nil {
		return errors.New(cli.Detail(err))
	}
	o.lend = points
	return nil
}

// results are what the plans cost.
type results struct {
	o        *options
	centres  []*centres.Centre
	onDemand pricing.Money // all of the demand
	hours    int64         // of it, instance-hours
	plans    []*centres.Outcome
	chosen   *centres.Outcome // the cheapest with sharing
	erred    *centres.Outcome // the same planner, told a demand with errors; nil without
	best     *centres.Best    // of the reservations chosen; nil for one centre
	tempted  []temptation
}

// temptations is how many needless reservations are tried with -lend.
const temptations = 60

// federate reads or makes the centres, plans and shares.
func federate(o *options, run *cli.Run) (*results, error) {
	list, err := o.Load(run)
	if err != nil {
		return nil, err
	}
	o.Note(run, list)
	r := &results{o: o, centres: list}
	for _, c := range list {
		cost, err := c.Costs(0, c.Total)
		if err != nil {
			return nil, err
		}
		r.onDemand += cost
		r.hours += c.Total
	}
	how := centres.Readings[o.share]
	how.Options.Lending = o.lend
	tasks, told := centres.Tasks(list), make([][]int, len(list))
	least := pricing.Money(math.MaxInt64)
	var s centres.Sharer
	for p, on := range o.reserve {
		if !on {
			continue
		}
		run.Showf("planning and sharing: %v", centres.Planner(p))
		x, err := s.Outcome(list, told, tasks, &how, centres.Planner(p), o.lambda, 0)
		if err != nil {
			return nil, err
		}
		r.plans = append(r.plans, x)
		if x.Shared.Cost < least {
			r.chosen, least = x, x.Shared.Cost
		}
	}
	if o.err > 0 {
		if r.erred, err = s.Outcome(list, o.Predict(list, o.err), tasks, &how, r.chosen.Planner, o.lambda, o.err); err != nil {
			return nil, err
		}
	}
	if len(list) == 1 {
		return r, nil
	}
	if o.lend != nil {
		if r.tempted, err = tempt(centres.Members(list, r.chosen.Plans, nil), tasks, how.Options, temptations); err != nil {
			return nil, cli.Mistakef("%w", err)
		}
	}
	run.Showf("looking for the best sharing")
	r.best, err = s.Best(list, r.chosen, tasks)
	return r, err
}
