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
	"github.com/plimsoll/plimsoll/schedule/elastic"
	"github.com/plimsoll/plimsoll/schedule/workload"
)

const program = "elastic"

// usage is what -h prints. A test holds it to the flags.
const usage = `Usage: go run ./examples/elastic [flags]

Runs jobs on 64 local cores, a free private cloud of at most 512 instances that
refuses requests, and a commercial cloud at $0.085 for every hour begun, under
policies that decide every 300 s what to rent on an hourly budget [Marshall12].
Says how long jobs take, what it costs and where they ran, as mean ± standard
deviation over the runs, and which of the paper's findings come out.

What runs
  -trace FILE          log in the Standard Workload Format, plain or gzip: every run
                       has its jobs, until the last of them ends, or until none
                       starts for 60 days although nothing runs
  -workload NAME       feitelson or grid5000: every run has a sample of its own, for
                       1,100,000 s as in the paper (default: both)
  -arrivals HOW        of feitelson: poisson (evenly spread) or campaigns (in about ten
                       bursts) (default poisson)
  -runs N              runs of each policy (default 30)
  -seed N              of the samples, the refusals and the boot times (default 1)

How it runs
  -policy NAME         all, or one of (default all)
                         sm          sustained maximum: all that the budget allows
                         od          on demand, for all that waits
                         od++        the same, and keeps what is paid for
                         aqtp        holds the queued time near 2 h (threshold 45 min)
                         mcop-20-80  weighs cost by 20% and queued time by 80%
                         mcop-80-20  the other way round
  -search HOW          of mcop: genetic (the paper's), evolved (NSGA-II) or exact (the
                       true front of up to 20 jobs, else evolved) (default genetic)
  -reject X,Y          rejection rates of the private cloud, each from 0 to 1
                       (default 0.1,0.9)
  -budget X            credits in dollars an hour, at most 1000 (default 5); launches
                       may overdraw them by the price of one instance-hour

What comes out
  -json                print an array with an object for each policy, workload and
                       rate, instead of tables
  -svg OUT             write a picture: response times, core-hours and cost (the
                       paper's Figs. 2 to 4)
  -credits OUT         write the credits over time: an array with an object for each
                       policy, workload, rate and hour
  -decisions OUT       write what was decided in the first run, and why: an array with
                       an object for each decision
  -h                   print this

All policies run the same samples. Times of jobs are weighted by their cores. Files
are written whole or not at all. The whole evaluation takes about 20 s on two cores;
without mcop a few seconds. A log whose jobs need more than there is has a queue that
grows: aqtp, which looks at all of it, can take minutes on it, and mcop hours.

Fields of -json: workload, arrivals, reject, policy, runs, jobs (mean of a run),
awrt_s, awqt_s, makespan_s, cost (means; average weighted response and queued time;
dollars), local_core_hours, private_core_hours, commercial_core_hours (that jobs ran),
awrt_sd_s, awqt_sd_s, makespan_sd_s, cost_sd, local_core_hours_sd,
private_core_hours_sd, commercial_core_hours_sd (standard deviations between runs;
null with a single run), lowest_credits (the lowest of any run, in dollars), refused
(requests for an instance, mean), unfinished_jobs (in all runs together, at the end of
the simulated time; the means are over the others).

Fields of -credits: workload, reject, policy, hour (from the start), runs (that took
so long), credits (mean at that time, in dollars), lowest (until the next hour, of any
run). Of -decisions: workload, reject, policy, at_s, round (0, and one more after each
round with a refusal), action (launch or terminate), cloud, instances, refused (of
these), why, waiting_jobs, waiting_cores, credits (afterwards).

The exit status is 0, 1 if the program fails, 2 for a mistake in the flags or in the
log, and 130 after an interrupt.
`

// A policyName is a policy that can be chosen.
type policyName int

const (
	sm policyName = iota
	od
	odPlus
	aqtp
	mcop2080
	mcop8020
	policies // how many
)

var policyNames = [policies]string{"sm", "od", "od++", "aqtp", "mcop-20-80", "mcop-80-20"}

func (p policyName) String() string { return policyNames[p] }

// label is how tables and pictures call it, as the paper does.
func (p policyName) label() string { return strings.ToUpper(p.String()) }

// The names of workloads, and of the arrivals of a log.
const (
	feitelson = "feitelson"
	grid5000  = "grid5000"
)

// options are the flags.
type options struct {
	trace    string
	workload string // "" is both
	arrivals workload.Arrivals
	policies []policyName
	reject   []float64
	budget   elastic.Budget
	runs     int
	seed     uint64
	search   elastic.Search
	json     bool
	svg      string

	credits, decisions string // files

	ineffective []string // flags that were given and change nothing
}

// maxRuns bounds the memory of the results, and maxBudget that of what SM holds.
const (
	maxRuns   = 100_000
	maxBudget = 1000 * pricing.Unit
)

// parse reads the flags. Its error is flag.ErrHelp or the user's mistake.
func parse(args []string) (options, error) {
	o := options{reject: []float64{.1, .9}, budget: elastic.Marshall12Budget(), runs: 30, seed: 1}
	for p := range policies {
		o.policies = append(o.policies, p)
	}
	flags := flag.NewFlagSet(program, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	file := func(name string, p *string) {
		flags.Func(name, "", func(s string) error {
			if s == "" {
				return errors.New("want the name of a file")
			}
			*p = s
			return nil
		})
	}
	file("trace", &o.trace)
	file("svg", &o.svg)
	file("credits", &o.credits)
	file("decisions", &o.decisions)
	flags.Func("search", "", func(s string) error {
		if o.search.UnmarshalText([]byte(s)) != nil {
			return errors.New("want genetic, evolved or exact")
		}
		return nil
	})
	flags.Func("workload", "", func(s string) error {
		if s != feitelson && s != grid5000 {
			return errors.New("want feitelson or grid5000")
		}
		o.workload = s
		return nil
	})
	flags.Func("arrivals", "", func(s string) error {
		if o.arrivals.UnmarshalText([]byte(s)) != nil {
			return errors.New("want poisson or campaigns")
		}
		return nil
	})
	flags.Func("policy", "", o.setPolicy)
	flags.Func("reject", "", o.setReject)
	flags.Func("budget", "", func(s string) error {
		m, err := pricing.ParseMoney(s)
		if err != nil {
			return errors.New("want an amount in dollars, such as 5 or 2.50")
		}
		if m < 0 {
			return errors.New("a negative budget: want 0 or more dollars an hour")
		}
		if m > maxBudget {
			return fmt.Errorf("want at most %v dollars an hour", maxBudget)
		}
		o.budget.Hourly = m
		return nil
	})
	flags.Func("runs", "", func(s string) error {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 || n > maxRuns {
			return fmt.Errorf("want a whole number from 1 to %d", maxRuns)
		}
		o.runs = n
		return nil
	})
	cli.Seed(flags, &o.seed)
	cli.Switch(flags, "json", &o.json)
	if err := cli.Parse(flags, args); err != nil {
		return o, err
	}
	flags.Visit(func(f *flag.Flag) {
		if o.ignores(f.Name) {
			o.ineffective = append(o.ineffective, "-"+f.Name)
		}
	})
	return o, nil
}

func (o *options) setPolicy(s string) error {
	o.policies = o.policies[:0]
	for p := range policies {
		if s == "all" || s == p.String() {
			o.policies = append(o.policies, p)
		}
	}
	if len(o.policies) == 0 {
		return errors.New("want all, sm, od, od++, aqtp, mcop-20-80 or mcop-80-20")
	}
	return nil
}

func (o *options) setReject(s string) error {
	o.reject = o.reject[:0]
	for _, part := range strings.Split(s, ",") {
		x, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
		if err != nil || !(x >= 0 && x <= 1) {
			return fmt.Errorf("%q is no rejection rate: want numbers from 0 to 1, such as 0.1,0.9", part)
		}
		for _, y := range o.reject {
			if x == y {
				return fmt.Errorf("%q is there twice", part)
			}
		}
		o.reject = append(o.reject, x)
	}
	return nil
}

// ignores reports whether a flag changes nothing, given the others.
func (o *options) ignores(name string) bool {
	switch name {
	case "workload":
		return o.trace != ""
	case "arrivals":
		return o.trace != "" || o.workload == grid5000
	case "search":
		return !slices.Contains(o.policies, mcop2080) && !slices.Contains(o.policies, mcop8020)
	}
	return false
}

// An output is a file that is asked for, and what fills it.
type output struct {
	file  *outfile.File
	write func(r *results, w io.Writer) error
}

// create begins the files that are asked for, so that what stands in their way is
// known before the work.
func (o *options) create(files *outfile.Set) ([]output, error) {
	if o.trace != "" {
		files.Keep(o.trace)
	}
	var all []output
	for _, x := range []struct {
		name, path string
		write      func(r *results, w io.Writer) error
	}{
		{"-svg", o.svg, (*results).writeSVG},
		{"-credits", o.credits, (*results).writeCredits},
		{"-decisions", o.decisions, (*results).writeDecisions},
	} {
		if x.path == "" {
			continue
		}
		f, err := files.Create(x.path)
		switch {
		case errors.Is(err, outfile.ErrSame):
			return nil, cli.Mistakef("%s %s: the file is that of another flag as well", x.name, x.path)
		case err != nil:
			return nil, cli.Mistakef("cannot write %s %v", x.name, err)
		}
		all = append(all, output{f, x.write})
	}
	return all, nil
}

// What AQTP holds the queued time near: the example of [Marshall12] section III.B,
// since the evaluation does not say.
const (
	response  = 2 * time.Hour
	threshold = 45 * time.Minute
)
