package main

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule/spot"
)

// usage is what -h prints.
const usage = `Usage: go run ./examples/tools/cap3 [flags]
       go run ./examples/tools/cap3 record -out FILE [flags] -- mpirun -n {P} ./app
       go run ./examples/tools/cap3 profile -out FILE [flags] PATH...
       go run ./examples/tools/cap3 run -tasks FILE [flags]      (-h of each explains)

Fits models of the run time to a profile of small runs, and sizes the large runs so
that they meet deadline and budget: how many processes, on demand or on spot instances
[Huang13]. Tries spot instances on a history of spot prices.

What runs
  -profile FILE        CSV, a line for each run, with the columns processes, seconds,
                       and perhaps application, case, computation, communication,
                       repetitions, spread and resolution; columns such as MPI_Send
                       have the seconds in that function; every other column is a
                       feature. cap3 record and cap3 profile write such files. Or
                       single timings with the columns benchmark, class, procs and
                       seconds, and perhaps comp_s, comm_s and clean, whose medians
                       are taken
                       (default: the NAS Parallel Benchmarks, classes S to B, on a
                       machine with two cores)
  -features FILE       CSV with the columns benchmark, class, x1_name, x1, x2_name, x2
                       and so on: the cases that there are (default: classes S to D
                       of the NAS Parallel Benchmarks)
  -task LIST           what to plan: APPLICATION:CASE, or APPLICATION for class C of a
                       benchmark, the last case of -features, or else the last case
                       in the profile (default: each application). Class D is far
                       beyond the default profile, and the output says so
  -deadline SPAN       for each task (default 2h; 16m without -profile and -task, so
                       that some of these tasks are urgent, and some are not)
  -budget AMOUNT       for each task, 0 for no limit (default 20; 2 without -profile and
                       -task)
  -latency SPAN        from the request for instances until the task runs (default 5m)

How it is sized
  -model NAME          auto, or one for all (default auto)
                         auto       the least error on runs left out one by one;
                                    of the benchmarks, among three variants of
                         machine    one machine with a memory, from all benchmarks
                         eq1        sum of the features and processes, Eq. (1)
                         eq2        power law in the features and processes, Eq. (2)
                         work       power law in the amount of work and processes
                         quadratic  work, and the square of the logarithm of processes
                         cap3       computation by Eq. (2), communication by (3) or (4)
                         functions  computation by Eq. (2), each MPI function by (3)
                                    or (4); for profiles with columns such as MPI_Send
                         amdahl     Amdahl's law
                         usl        Universal Scalability Law
  -by NAME             what describes an input (default auto)
                         auto      the features for eq1 and eq2; the amount of work
                                   for the other models of benchmarks
                         features  the features of the profile, Table I
                         work      one number, the amount of work: that of the
                                   benchmark, else the product of the features
  -dependent NAME      columns that the profile cannot tell apart: error, or drop them
                       (default error)
  -oversubscribed NAME runs on more processes than make any case faster, which seem
                       to take turns on too few cores: drop or keep (default drop)
  -network NAME        how T_N of cap3 grows with processes (default auto)
                         auto          fitted where the runs suffice
                         fitted        with the exponent of Eqs. (3) and (4)
                         proportional  with the exponent 1, as section II.B says
  -confidence C        of the choice sure, from 0.5 to below 1 (default 0.9)
  -scale X             how far beyond the number of processes profiled a choice may go,
                       as a factor (default 1, not at all). Above 1, auto takes
                       the model that best predicts the runs on the most processes
                       from the others
  -choose NAME         which choice is scheduled (default time)
                         time  least time within deadline and budget: the paper's
                         cost  least cost within the deadline
                         sure  least cost within both, with -confidence
  -instance NAME       type of instance (default: that of the paper's Table III with
                       the least price per compute unit, cc1.4xlarge); with -spot,
                       one of those in the file
  -on-demand AMOUNT    its price per hour on demand (default: that of Table III; of
                       other types 10/3 of the lowest spot price in the file)
  -ppn N               processes that run on one (default: that of Table III; of other
                       types 1 for large, 2 for xlarge, 4 for 2xlarge and so on)

  -across              plan each task on each type of Table III, and say which is
                       cheapest
  -customer LIST       what a customer takes without cap3, APPLICATION:PROCESSES; the
                       tables compare (default: Table IV, for the benchmarks)

  -customers LIST      several customers whose tasks share clusters on demand, each as
                       NAME:BUDGET:TASK+TASK, such as ann:2.60:cg+ep; 0 for no limit.
                       TASK is APPLICATION:CASE, or APPLICATION for each of its tasks

How it is scheduled
  -spot FILE           spot prices as EC2 gives them, CSV, plain or gzip (default: a
                       made-up history of 60 days, for want of one of 2013)
  -zone NAME           of -spot (default: the only one)
  -product NAME        of -spot (default Linux/UNIX)
  -checkpoint SPAN     save progress after so much work, 0s for never (default 0s)
  -checkpoint-cost SPAN
                       to save it, and to read it back (default 1m)
  -th1 X               a task of less PR goes on demand, Table II (default 1)
  -th2 X               a task of more PR goes on spot with a low bid (default 2)
  -rules LIST          rules that are tried, of paper, safe, no-return, hedged and
                       planned (default paper,planned). The names are those of
                       package schedule/spot; planned bids for the least expected cost
  -starts N            moments of the history at which each task is tried (default 50)
  -seed N              of the made-up history (default 1)

What comes out
  -json                print an array of objects instead of tables
  -svg OUT             write a picture: predicted against measured times, cost against
                       time, and the spot price with bids and interruptions
  -h                   print this

SIZES, what to buy, stays within the numbers of processes profiled (-scale). Tables IV
and V and Figs. 3 to 5 repeat the paper's choice, which goes up to 128 processes without
a run there. So by default a task has 2 or 4 processes in SIZES, and 16 in Table IV,
which fill the one instance that the budget pays.

Predictions assume that a process runs as fast on the instance as on the profiled
machine. Types of Table III are charged by the hour begun, as in 2013, others by the
second.

Objects of -json have a kind. Of "instance": instance, processes, compute_units,
on_demand, per_unit. Of "model": application, model, error (null: it could not be
fitted), runs, chosen. Of "check", a run that was predicted without it: application,
case, left ("run": from all others; "largest": from all but the largest cases),
processes, measured_s, predicted_s, lower_s, upper_s. Of "front" (no other is better in
time and cost) and "choice": application, case, processes, instances, time_s, upper_s
(with -confidence), cost, outside; a choice has choice and verdict, too. Of "schedule":
application, case, estimate_s, priority_rate, agent, low_bid, medium_bid, planned,
planned_bid, expected_cost. Of "rule": application, case, rule, starts, met, missed,
cost, on_demand_cost, interruptions. Of "lease", one of those at the first start:
application, case, rule, agent, bid, from_s, to_s, end, cost. Of "figure", a row of
Tables IV and V: application, case, cap3_processes, customer_processes, agent,
cap3_in_time, cap3_in_budget, customer_in_time, customer_in_budget, cap3_cost,
customer_cost, spot_share. Of "type", a task on a type (Fig. 3, and -across):
application, case, instance, processes, cost, time_s, figure. Of "shared", a task of
-customers: customer, application, case, cluster (0: given up), instances, time_s and
alone_cost (all null: no size lies within the profile), cost, given_up (null, or why).
Of "nobodys", a task that none of -customers has: application, case. Of "finding", a
decision or a figure of the paper: verdict, says, shown, why. Amounts are strings or
null.
`

// A modelName is a value of -model.
type modelName int

const (
	auto modelName = iota
	machine
	eq1
	eq2
	workOnly
	quadratic
	sumOfTwo
	functions
	amdahl
	usl
	models // how many
)

var modelNames = [models]string{"auto", "machine", "eq1", "eq2", "work", "quadratic", "cap3", "functions", "amdahl", "usl"}

func (m modelName) String() string { return modelNames[m] }

// A choiceName is a value of -choose.
type choiceName int

const (
	fast choiceName = iota
	cheap
	sure
	choices // how many
)

var choiceNames = [choices]string{"time", "cost", "sure"}

func (c choiceName) String() string { return choiceNames[c] }

// A byName is a value of -by.
type byName int

const (
	byAuto byName = iota
	byFeatures
	byWork
)

// A networkName is a value of -network.
type networkName int

const (
	networkAuto networkName = iota
	networkFitted
	networkProportional
)

// A choice of two: what a flag does by default, and the other way.
const (
	dropped = 0 // of -oversubscribed
	kept    = 1
)

// A taskName is a part of -task.
type taskName struct{ application, name string }

// A word is the index of a flag's word.
type word int

// options are the flags.
type options struct {
	profile, features string
	tasks             []taskName
	deadline, latency time.Duration
	budget            pricing.Money
	model             modelName
	by                byName
	drop              word // of -dependent: 1 to drop
	oversubscribed    word
	network           networkName
	thresholds        spot.Thresholds
	ways              []int // indices of ways
	across            bool
	customer          []customerSize
	customerGiven     bool
	customers         []customerOf
	confidence, scale float64
	choose            choiceName
	instance          string
	onDemand          pricing.Money // 0: not given
	ppn               int           // 0: not given
	spot              string
	zone, product     string
	checkpoint        time.Duration
	checkpointCost    time.Duration
	starts            int
	seed              uint64

	checks bool // runs are left out, to see how they are predicted; not a flag
}

const (
	maxSpan      = 10 * 8760 * time.Hour
	maxTasks     = 100
	maxStarts    = 10_000
	maxPPN       = 10_000
	maxScale     = 1000
	maxThreshold = 1e6
	maxAmount    = 1_000_000_000 // units of the currency
)

// define defines the flags.
func define(o *options, f *cli.Flags) {
	*o = options{
		deadline: 2 * time.Hour, budget: 20 * pricing.Unit, latency: 5 * time.Minute, confidence: .9, scale: 1,
		thresholds: spot.Thresholds{Medium: 1, Low: 2}, ways: []int{0, len(allWays) - 1},
		checks: true, product: "Linux/UNIX", checkpointCost: time.Minute, starts: 50, seed: 1,
	}
	f.File("profile", &o.profile)
	f.File("features", &o.features)
	f.File("spot", &o.spot)
	f.Name("instance", &o.instance, "a name")
	f.Name("zone", &o.zone, "a name")
	f.Name("product", &o.product, "a name")
	span := func(name string, to *time.Duration) {
		f.Span(name, to, "a span of time that is not negative, such as 5m", func(d time.Duration) bool { return d >= 0 && d <= maxSpan })
	}
	span("latency", &o.latency)
	span("checkpoint", &o.checkpoint)
	span("checkpoint-cost", &o.checkpointCost)
	f.Func("deadline", func(s string) error {
		d, err := time.ParseDuration(s)
		switch {
		case err != nil || d > maxSpan:
			return errors.New("want a span of time such as 2h")
		case d <= 0:
			return errors.New("that is in the past: want a span of time above 0, such as 2h")
		}
		o.deadline = d
		return nil
	})
	f.Money("budget", &o.budget, "an amount of money that is not negative, such as 1.30", func(m pricing.Money) bool { return m >= 0 && m <= maxAmount*pricing.Unit })
	f.Money("on-demand", &o.onDemand, "a price above 0, such as 1.30", func(m pricing.Money) bool { return m > 0 && m <= maxAmount*pricing.Unit })
	f.Int("ppn", &o.ppn, 1, maxPPN, "")
	f.Int("starts", &o.starts, 1, maxStarts, "")
	f.Float("confidence", &o.confidence, "a probability from 0.5 to below 1", func(x float64) bool { return x >= .5 && x < 1 })
	f.Float("scale", &o.scale, fmt.Sprintf("a factor from 1 to %d", maxScale), func(x float64) bool { return x >= 1 && x <= maxScale })
	cli.Choice(f, "model", &o.model, modelNames[:]...)
	cli.Choice(f, "choose", &o.choose, choiceNames[:]...)
	f.Switch("across", &o.across)
	cli.List(f, "customer", &o.customer, maxTasks, parseCustomer)
	cli.List(f, "customers", &o.customers, maxTasks, parseCustomerOf)
	cli.Choice(f, "by", &o.by, "auto", "features", "work")
	cli.Choice(f, "dependent", &o.drop, "error", "drop")
	cli.Choice(f, "oversubscribed", &o.oversubscribed, "drop", "keep")
	cli.Choice(f, "network", &o.network, "auto", "fitted", "proportional")
	threshold := func(x float64) bool { return math.Abs(x) <= maxThreshold }
	f.Float("th1", &o.thresholds.Medium, "a number, such as 1", threshold)
	f.Float("th2", &o.thresholds.Low, "a number, such as 2", threshold)
	cli.List(f, "rules", &o.ways, len(allWays), func(part string) (int, error) {
		for k, w := range allWays {
			if w.flag == part {
				return k, nil
			}
		}
		return 0, errors.New("want some of paper, safe, no-return, hedged and planned, with commas between them")
	})
	cli.List(f, "task", &o.tasks, maxTasks, func(part string) (t taskName, err error) {
		app, name, given := strings.Cut(part, ":")
		if app == "" || given && name == "" {
			return t, errors.New("want APPLICATION or APPLICATION:CASE, such as lu:D, with commas between them")
		}
		return taskName{app, name}, nil
	})
	f.Seed(&o.seed)
	f.Check(func() error {
		for i, c := range o.customer {
			if slices.ContainsFunc(o.customer[:i], func(x customerSize) bool { return x.application == c.application }) {
				return fmt.Errorf("-customer: %s is there twice: want one number of processes for each", c.application)
			}
		}
		for i, c := range o.customers {
			if slices.ContainsFunc(o.customers[:i], func(x customerOf) bool { return x.name == c.name }) {
				return fmt.Errorf("-customers: there are two of the name %s: want all tasks of a customer in one, such as ann:2.60:cg+ep", c.name)
			}
		}
		o.customerGiven = o.customer != nil
		if o.customer == nil && o.profile == "" {
			o.customer = table4Customer
		}
		if o.profile == "" && o.tasks == nil {
			if !f.Given("deadline") {
				o.deadline = 16 * time.Minute
			}
			if !f.Given("budget") {
				o.budget = 2 * pricing.Unit
			}
		}
		if o.latency >= o.deadline {
			return fmt.Errorf("-deadline %v: nothing is left of it after -latency %v, so that the task would have to begin in the past", o.deadline, o.latency)
		}
		return nil
	})
	f.Check(func() error {
		if o.thresholds.Medium > o.thresholds.Low {
			return fmt.Errorf("-th1 %v: want at most -th2, %v", o.thresholds.Medium, o.thresholds.Low)
		}
		if o.thresholds == (spot.Thresholds{}) { // which stands for the paper's
			o.thresholds.Low = math.SmallestNonzeroFloat64
		}
		return nil
	})
	f.Idle(func(name string) bool {
		return (name == "zone" || name == "product") && o.spot == "" || name == "seed" && o.spot != "" || name == "checkpoint-cost" && o.checkpoint == 0
	})
}
