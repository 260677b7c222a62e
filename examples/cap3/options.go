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
	"github.com/plimsoll/plimsoll/examples/internal/outfile"
	"github.com/plimsoll/plimsoll/pricing"
)

const program = "cap3"

// usage is what -h prints. A test holds it to the flags.
const usage = `Usage: go run ./examples/cap3 [flags]

Fits models of the run time to a profile of small runs, says on how many processes
to run the large ones so that deadline and budget are met, and whether to do so on
demand or on spot instances [Huang13]. Tries the latter on a history of spot prices.

What runs
  -profile FILE        CSV, a line for each run, with the columns processes, seconds,
                       and perhaps application, case, computation, communication,
                       repetitions, spread and resolution; every other column is a
                       feature. Or single timings with the columns benchmark, class,
                       procs and seconds, and perhaps comp_s, comm_s and clean, whose
                       medians are taken (default: the NAS Parallel Benchmarks,
                       classes S to B, on a machine with two cores)
  -features FILE       CSV with the columns benchmark, class, x1_name, x1, x2_name, x2
                       and so on: the cases that there are (default: classes S to D
                       of the NAS Parallel Benchmarks)
  -task LIST           what to plan: APPLICATION:CASE, or APPLICATION for class C of a
                       benchmark, with -features for its last case there, and for
                       the last in the profile of others (default: so for every
                       application). Class D is far beyond what the default profile
                       tells of, and said to be so
  -deadline SPAN       for each task (default 2h)
  -budget AMOUNT       for each task, 0 for no limit (default 20)
  -latency SPAN        from the request for instances until the task runs (default 5m)

How it is sized
  -model NAME          auto, or one for all (default auto)
                         auto       the least error on runs left out one by one;
                                    of the benchmarks, among three variants of
                         machine    what all benchmarks say of the machine's memory
                         eq2        power law in the features and processes, Eq. (2)
                         work       the same with the work that the features are
                         quadratic  and the square of the logarithm of processes
                         cap3       computation by Eq. (2), communication by (3) or (4)
                         amdahl     Amdahl's law
                         usl        Universal Scalability Law
  -confidence C        of the choice that is to be sure, from 0.5 to below 1
                       (default 0.9)
  -scale X             how far beyond the number of processes profiled a choice may go,
                       as a factor (default 1, not at all)
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

How it is scheduled
  -spot FILE           spot prices as EC2 gives them, CSV, plain or gzip (default: a
                       made-up history of 60 days, for want of one of 2013)
  -zone NAME           of -spot (default: the only one)
  -product NAME        of -spot (default Linux/UNIX)
  -checkpoint SPAN     save progress after so much work, 0s for never (default 0s)
  -checkpoint-cost SPAN
                       to save it, and to read it back (default 1m)
  -starts N            moments of the history at which a task is handed in, one after
                       the other, to see what comes of it (default 50)
  -seed N              of the made-up history (default 1)

What comes out
  -json                print an array of objects instead of tables
  -svg OUT             write a picture: predicted against measured times, cost against
                       time, and the spot price with bids and interruptions
  -h                   print this

Run times are predicted as if a process ran on the instance as fast as it did where
it was profiled. Types of Table III are charged by the hour begun, as in 2013, others
by the second.

Objects of -json have a kind. Of "instance": instance, processes, compute_units,
on_demand, per_unit. Of "model": application, model, error (null: it could not be
fitted), runs, chosen. Of "check", a run that was predicted without it: application,
case, left ("run": from all others; "largest": from all but the largest cases),
processes, measured_s, predicted_s, lower_s, upper_s. Of "front" (no other is better in
time and cost) and "choice": application, case, processes, instances, time_s, upper_s,
cost, outside; a choice has choice and verdict, too. Of "schedule": application, case,
estimate_s, priority_rate, agent, low_bid, medium_bid, planned, planned_bid,
expected_cost. Of "rule": application, case, rule, starts, met, missed, cost,
on_demand_cost, interruptions. Of "lease", one of those at the first start: application,
case, rule, agent, bid, from_s, to_s, end, cost. Of "finding", a decision of the paper:
says, shown, came_out. Amounts are strings or null.

The exit status is 0, 1 if the program fails, 2 for a mistake in the flags or in the
files, and 130 after an interrupt.
`

// A modelName is a value of -model.
type modelName int

const (
	auto modelName = iota
	machine
	eq2
	work
	quadratic
	sumOfTwo
	amdahl
	usl
	models // how many
)

var modelNames = [models]string{"auto", "machine", "eq2", "work", "quadratic", "cap3", "amdahl", "usl"}

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

// A taskName is a part of -task.
type taskName struct{ application, name string }

// options are the flags.
type options struct {
	profile, features string
	tasks             []taskName
	deadline, latency time.Duration
	budget            pricing.Money
	model             modelName
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
	json              bool
	svg               string

	checks bool // runs are left out, to see how they are predicted; not a flag

	ineffective []string // flags that were given and change nothing
}

const (
	maxSpan   = 10 * 8760 * time.Hour
	maxTasks  = 100
	maxStarts = 10_000
	maxPPN    = 10_000
	maxScale  = 1000
	maxAmount = 1_000_000_000 // units of the currency
)

// parse reads the flags. Its error is flag.ErrHelp or the user's mistake.
func parse(args []string) (options, error) {
	o := options{
		deadline: 2 * time.Hour, budget: 20 * pricing.Unit, latency: 5 * time.Minute, confidence: .9, scale: 1,
		checks: true, product: "Linux/UNIX", checkpointCost: time.Minute, starts: 50, seed: 1,
	}
	flags := flag.NewFlagSet(program, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	for name, p := range map[string]*string{"profile": &o.profile, "features": &o.features, "spot": &o.spot, "svg": &o.svg} {
		flags.Func(name, "", func(s string) error {
			if s == "" {
				return errors.New("want the name of a file")
			}
			*p = s
			return nil
		})
	}
	for name, p := range map[string]*string{"instance": &o.instance, "zone": &o.zone, "product": &o.product} {
		flags.Func(name, "", func(s string) error {
			if s == "" {
				return errors.New("want a name")
			}
			*p = s
			return nil
		})
	}
	for name, p := range map[string]*time.Duration{"latency": &o.latency, "checkpoint": &o.checkpoint, "checkpoint-cost": &o.checkpointCost} {
		flags.Func(name, "", func(s string) error {
			d, err := time.ParseDuration(s)
			if err != nil || d < 0 || d > maxSpan {
				return errors.New("want a span of time that is not negative, such as 5m")
			}
			*p = d
			return nil
		})
	}
	flags.Func("deadline", "", func(s string) error {
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
	for name, p := range map[string]*pricing.Money{"budget": &o.budget, "on-demand": &o.onDemand} {
		flags.Func(name, "", func(s string) error {
			m, err := pricing.ParseMoney(s)
			switch {
			case err != nil || m < 0 || m > maxAmount*pricing.Unit:
				return errors.New("want an amount of money that is not negative, such as 1.30")
			case m == 0 && name == "on-demand":
				return errors.New("want a price above 0")
			}
			*p = m
			return nil
		})
	}
	for name, x := range map[string]struct {
		p    *int
		most int
	}{"ppn": {&o.ppn, maxPPN}, "starts": {&o.starts, maxStarts}} {
		flags.Func(name, "", func(s string) error {
			n, err := strconv.Atoi(s)
			if err != nil || n < 1 || n > x.most {
				return fmt.Errorf("want a whole number from 1 to %d", x.most)
			}
			*x.p = n
			return nil
		})
	}
	flags.Func("confidence", "", func(s string) error {
		x, err := strconv.ParseFloat(s, 64)
		if err != nil || !(x >= .5 && x < 1) {
			return errors.New("want a probability from 0.5 to below 1")
		}
		o.confidence = x
		return nil
	})
	flags.Func("scale", "", func(s string) error {
		x, err := strconv.ParseFloat(s, 64)
		if err != nil || !(x >= 1 && x <= maxScale) {
			return fmt.Errorf("want a factor from 1 to %d", maxScale)
		}
		o.scale = x
		return nil
	})
	flags.Func("model", "", func(s string) error {
		if o.model = modelName(slices.Index(modelNames[:], s)); o.model < 0 {
			return errors.New("want one of " + strings.Join(modelNames[:], ", "))
		}
		return nil
	})
	flags.Func("choose", "", func(s string) error {
		if o.choose = choiceName(slices.Index(choiceNames[:], s)); o.choose < 0 {
			return errors.New("want one of " + strings.Join(choiceNames[:], ", "))
		}
		return nil
	})
	flags.Func("task", "", o.setTasks)
	cli.Seed(flags, &o.seed)
	cli.Switch(flags, "json", &o.json)
	if err := cli.Parse(flags, args); err != nil {
		return o, err
	}
	if o.latency >= o.deadline {
		return o, cli.Mistakef("-deadline %v: nothing is left of it after -latency %v, so that the task would have to begin in the past", o.deadline, o.latency)
	}
	flags.Visit(func(f *flag.Flag) {
		if (f.Name == "zone" || f.Name == "product") && o.spot == "" || f.Name == "seed" && o.spot != "" || f.Name == "checkpoint-cost" && o.checkpoint == 0 {
			o.ineffective = append(o.ineffective, "-"+f.Name)
		}
	})
	return o, nil
}

func (o *options) setTasks(s string) error {
	o.tasks = nil
	for part := range strings.SplitSeq(s, ",") {
		app, name, given := strings.Cut(part, ":")
		switch t := (taskName{app, name}); {
		case app == "" || given && name == "":
			return errors.New("want APPLICATION or APPLICATION:CASE, such as lu:D, with commas between them")
		case slices.Contains(o.tasks, t):
			return fmt.Errorf("%s comes twice", part)
		case len(o.tasks) == maxTasks:
			return fmt.Errorf("want at most %d tasks", maxTasks)
		default:
			o.tasks = append(o.tasks, t)
		}
	}
	return nil
}

// create begins the picture if it is asked for.
func (o *options) create(files *outfile.Set) (*outfile.File, error) {
	for _, path := range []string{o.profile, o.features, o.spot} {
		if path != "" {
			files.Keep(path)
		}
	}
	if o.svg == "" {
		return nil, nil
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
