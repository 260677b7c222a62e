package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/pricing"
)

// usage is what -h prints.
const usage = `Usage: go run ./examples/tools/cap3 [flags]
       go run ./examples/tools/cap3 record -out OUT [flags] -- mpirun -n {P} ./app
       go run ./examples/tools/cap3 profile -out OUT [flags] PATH...
       go run ./examples/tools/cap3 run -tasks FILE [flags]      (-h of each explains)

Sizes a run for a deadline and a budget from a few small runs: how many processes, on
how many instances, on demand or on spot. go doc ./examples/tools/cap3 has the columns
of -profile and the objects of -json.

  -profile FILE        small runs, a line each (default: NPB LU, measured on two cores)
  -input NAME:F=X,...  an input to plan, and its features; may be given several times
                       (default: the inputs of -task; of the default profile, class C)
  -task LIST           what to plan of the profile: APPLICATION or APPLICATION:CASE
                       (default: the last case of each application)
  -deadline D          for each task (default 2h)
  -budget AMOUNT       for each task, 0 for no limit (default 20)
  -latency D           from the request for instances until the task runs (default 5m)

  -model NAME          auto, the least error on runs left out one by one, or one of eq1,
                       eq2, work, quadratic, cap3, functions, amdahl and usl (default
                       auto); see go doc
  -confidence P        of the choice sure, from 0.5 to below 1 (default 0.9)
  -scale X             how far beyond the number of processes profiled a choice may go,
                       as a factor (default 1, not at all). Above 1, auto takes
                       the model that best predicts the runs on the most processes
  -choose NAME         the choice that is taken (default time)
                         time  least time within deadline and budget
                         cost  least cost within the deadline
                         sure  least cost within both, with -confidence

  -instance NAME       type of instance (default c7a.4xlarge, 16 cores at $0.8211 an
                       hour); with -spot, one of those in the file
  -on-demand AMOUNT    its price per hour on demand (default: of types of [Huang13]
                       theirs; of others 10/3 of the lowest price of -spot)
  -ppn N               processes that run on one (default: the cores of the type)
  -spot FILE           spot prices as EC2 gives them, CSV, plain or gzip (default: a
                       made-up history of 60 days)
  -zone NAME           of -spot (default: the only one)
  -product NAME        of -spot (default Linux/UNIX)
  -checkpoint D        save progress after so much work, 0s for never (default 0s)
  -checkpoint-cost D   to save it, and to read it back (default 1m)
  -starts N            moments of the history at which each task is tried (default 50)
  -seed N              of the made-up history (default 1)

  -why                 print the models, the choices that were not taken and the leases
  -json                print an array of objects
  -svg OUT             write a picture: predicted against measured times, cost against
                       time, and the spot price with bids and interruptions
  -h                   print this
`

// A modelName is a value of -model.
type modelName int

const (
	auto modelName = iota
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

var modelNames = [models]string{"auto", "eq1", "eq2", "work", "quadratic", "cap3", "functions", "amdahl", "usl"}

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
	profile           string
	tasks             []taskName
	inputs            []recordInput
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
	why               bool

	unchecked bool // no run is left out, to see how it is predicted; not a flag
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
		product: "Linux/UNIX", checkpointCost: time.Minute, starts: 50, seed: 1,
	}
	f.File("profile", &o.profile)
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
	f.Span("deadline", &o.deadline, "a span of time above 0, such as 2h", func(d time.Duration) bool { return d > 0 && d <= maxSpan })
	f.Money("budget", &o.budget, "an amount of money that is not negative, such as 1.30",
		func(m pricing.Money) bool { return m >= 0 && m <= maxAmount*pricing.Unit })
	f.Money("on-demand", &o.onDemand, "a price above 0, such as 1.30", func(m pricing.Money) bool { return m > 0 && m <= maxAmount*pricing.Unit })
	f.Int("ppn", &o.ppn, 1, maxPPN, "")
	f.Int("starts", &o.starts, 1, maxStarts, "")
	f.Float("confidence", &o.confidence, "a probability from 0.5 to below 1", func(x float64) bool { return x >= .5 && x < 1 })
	f.Float("scale", &o.scale, fmt.Sprintf("a factor from 1 to %d", maxScale), func(x float64) bool { return x >= 1 && x <= maxScale })
	cli.Choice(f, "model", &o.model, modelNames[:]...)
	cli.Choice(f, "choose", &o.choose, choiceNames[:]...)
	cli.List(f, "task", &o.tasks, maxTasks, parseTask)
	f.Func("input", func(s string) error {
		in, err := parseInput(s)
		if err == nil && len(o.inputs) == maxTasks {
			err = fmt.Errorf("want at most %d", maxTasks)
		}
		o.inputs = append(o.inputs, in)
		return err
	})
	f.Seed(&o.seed)
	f.Switch("why", &o.why)
	f.Check(func() error {
		if o.latency >= o.deadline {
			return fmt.Errorf("-deadline %v: nothing is left of it after -latency %v, so that the task would have to begin in the past", o.deadline, o.latency)
		}
		if o.profile == "" && o.inputs == nil && o.tasks == nil {
			o.inputs = []recordInput{defaultInput}
			if !f.Given("deadline") {
				o.deadline = 16 * time.Minute
			}
		}
		return nil
	})
	f.Idle(func(name string) bool {
		return (name == "zone" || name == "product") && o.spot == "" || name == "seed" && o.spot != "" || name == "checkpoint-cost" && o.checkpoint == 0
	})
}

func parseTask(part string) (t taskName, err error) {
	app, name, given := strings.Cut(part, ":")
	if app == "" || given && name == "" {
		return t, errors.New("want APPLICATION or APPLICATION:CASE, such as lu:A, with commas between them")
	}
	return taskName{app, name}, nil
}
