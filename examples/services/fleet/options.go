package main

import (
	"flag"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/engine"
	"github.com/plimsoll/plimsoll/forecast"
)

const usageText = `Usage: fleet [flags]      plan a fleet on an engine
       fleet shard I/N    plan a part of a fleet, as a task of a batch system
       fleet merge        put the parts together

Plans the purchases of all accounts, regions and kinds of a company: exact
reservations for each demand curve, with a certificate, and one savings plan for all
of them, with a bound for the whole. README.md has the forms of files and says what
the cost counts.

What is known
  -bill FILE        a bill, or a pattern such as 'bills/*.parquet'; may be given several
                    times (default: a made-up fleet)
  -start DAY        the first day of the bills, such as 2025-11-01
  -hours N          hours of the bills; as many are planned after them (default 8760)
  -prices FILE      a price list; may be given several times
  -plan NAME        the savings plan of a price list, such as 1y-compute-no-upfront
                    (default: none)
  -held FILE        savings plans that are held (default: those of the bills), as
                    [{"id": "sp-3", "spend": 5.2, "until": "2027-03-01"}]
  -held-until DAY   when commitments end whose end the bills do not show
  -model NAME       that forecasts each curve (default: the hours of the bills again)
  -futures N        plan each curve over N futures of -model; without -plan
  -currency NAME    of the fleet (default USD)
  -curves N         curves of the made-up fleet, a year of hours each (default 60)
  -poison N         one curve of so many cannot be planned (default 0: none)
  -seed N           of the made-up fleet, of the sample and of the paths (default 1)
  -sample N         curves on which the price of the savings plan is found (default 1000)
  -rounds N         rounds of the search for the price (default 12)
The engine
  -runner NAME      of Beam: prism, flink, spark, dataflow, universal (default prism)
  -endpoint ADDR    job service of the runner (default: Prism in this program)
  -branches N       copies of each step side by side
  -beam NAME=VALUE  any other flag of Beam; may be given several times
What comes out
  -out DIR          folder for plans, orders and failures; the workers write there
  -format LIST      of orders: csv, parquet, focus, with commas between (default csv)
  -parts N          files of each kind (default 8)
  -counters         print what the engine counted
  -strict           an account, kind or file that is not planned makes the status 1
  -json             print one object
  -h                print this

Failures do not stop the others: the first are on standard error, and all in -out.
A bill that is not read whole makes the status 1.
`

// runners are the runners of Beam that this program has.
var runners = []string{"prism", "flink", "spark", "dataflow", "universal"}

// input are the flags that say what to plan.
type input struct {
	bills, prices  []string
	start          time.Time
	hours          int
	plan, model    string
	held           string
	heldUntil      time.Time
	paths          int
	currency       string
	curves, poison int
	seed           uint64
	sample, rounds int
}

// options are the flags.
type options struct {
	input

	output
	engine   engine.Engine
	branches int
	counters bool
}

// output are the flags that say what to write.
type output struct {
	out     string
	formats []string
	parts   int
	strict  bool
}

// define defines the flags of the output.
func (o *output) define(f *cli.Flags) {
	*o = output{formats: []string{"csv"}, parts: 8}
	f.Name("out", &o.out, "the name of a folder")
	cli.List(f, "format", &o.formats, len(engine.Formats), func(s string) (string, error) {
		if !slices.Contains(engine.Formats, s) {
			return "", fmt.Errorf("%q: want csv, parquet or focus", s)
		}
		return s, nil
	})
	f.Int("parts", &o.parts, 1, 100_000, " of files")
	f.Switch("strict", &o.strict)
}

// define defines the flags of the input.
func (o *input) define(f *cli.Flags) {
	*o = input{hours: 8760, currency: "USD", curves: 60, seed: 1, sample: 1000, rounds: 12}
	f.Func("bill", func(s string) error {
		paths, err := filepath.Glob(s)
		if err != nil || len(paths) == 0 {
			paths = []string{s}
		}
		o.bills = append(o.bills, paths...)
		return nil
	})
	day := func(name string, to *time.Time) {
		f.Func(name, func(s string) (err error) {
			if *to, err = time.Parse(time.DateOnly, s); err != nil || to.Year() < 1971 {
				return fmt.Errorf("want a day such as 2025-11-01")
			}
			return nil
		})
	}
	day("start", &o.start)
	f.Int("hours", &o.hours, 24, 5*8784, "")
	f.Files("prices", &o.prices)
	f.Name("plan", &o.plan, "the name of a savings plan")
	f.File("held", &o.held)
	day("held-until", &o.heldUntil)
	f.Name("model", &o.model, "one of "+cli.Series(forecast.Names(), "or"))
	f.Int("futures", &o.paths, 1, 1000, "")
	f.Name("currency", &o.currency, "a currency such as USD")
	f.Int("curves", &o.curves, 1, 20_000_000, "")
	f.Int("poison", &o.poison, 0, 20_000_000, " of curves")
	f.Seed(&o.seed)
	f.Int("sample", &o.sample, 1, 100_000, " of curves")
	f.Int("rounds", &o.rounds, 1, 1000, "")
	f.Check(func() error {
		switch {
		case len(o.bills) == 0 && (len(o.prices) > 0 || !o.start.IsZero() || o.plan != "" || o.model != "" || o.held != "" || !o.heldUntil.IsZero()):
			return fmt.Errorf("-prices, -start, -plan, -held, -held-until and -model are for bills: want -bill, too")
		case len(o.bills) > 0 && o.start.IsZero():
			return fmt.Errorf("-bill without -start: want the first day of the bills, such as 2025-11-01")
		case len(o.bills) > 0 && len(o.prices) == 0:
			return fmt.Errorf("-bill without -prices: want the price list of the cloud, too")
		case o.paths > 0 && o.model == "":
			return fmt.Errorf("-futures without -model: want the model that draws them, such as auto, for bills")
		case o.paths > 0 && o.plan != "":
			return fmt.Errorf("-futures with -plan: the hours of one savings plan have a price for each path of all accounts together, which is not searched here: want one of the two")
		case o.held != "" && o.plan == "":
			return fmt.Errorf("-held without -plan: want the name of the rates at which the savings plans pay")
		}
		if o.model != "" {
			if _, err := forecast.New(o.model); err != nil {
				return fmt.Errorf("-model %s: want one of %s", o.model, cli.Series(forecast.Names(), "or"))
			}
		}
		slices.Sort(o.bills)
		for i := range o.bills[min(1, len(o.bills)):] {
			if o.bills[i] == o.bills[i+1] {
				return fmt.Errorf("-bill %s is there twice: want each file once", o.bills[i])
			}
		}
		return nil
	})
}

// define defines the flags.
func define(o *options, f *cli.Flags) {
	*o = options{engine: engine.Engine{Runner: "prism"}}
	o.input.define(f)
	o.output.define(f)
	f.Func("runner", func(s string) error {
		if !slices.Contains(runners, s) {
			return fmt.Errorf("want %s", cli.Series(runners, "or"))
		}
		o.engine.Runner = s
		return nil
	})
	f.Name("endpoint", &o.engine.Endpoint, "an address such as localhost:8073")
	f.Int("branches", &o.branches, 1, 1000, "")
	f.Func("beam", func(s string) error {
		name, value, ok := strings.Cut(s, "=")
		switch {
		case ok && (name == "runner" || name == "endpoint"):
			return fmt.Errorf("want -%s %s instead", name, value)
		case !ok || flag.Lookup(name) == nil:
			return fmt.Errorf("want NAME=VALUE with the name of a flag of Beam, such as environment_type=DOCKER")
		}
		return flag.Set(name, value)
	})
	f.Switch("counters", &o.counters)
	f.Check(func() error {
		if o.engine.Endpoint == "" && slices.Contains([]string{"flink", "spark", "universal"}, o.engine.Runner) {
			return fmt.Errorf("-runner %s without -endpoint: want the address of its job service, such as localhost:8099", o.engine.Runner)
		}
		if o.branches == 0 {
			o.branches = 1
			if o.engine.Runner == "prism" {
				o.branches = runtime.GOMAXPROCS(0)
			}
		}
		return nil
	})
}
