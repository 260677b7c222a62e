package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule/elastic"
	"github.com/plimsoll/plimsoll/schedule/workload"
)

// usage is what -h prints.
const usage = `Usage: go run ./examples/elastic [flags]

Runs jobs on 64 local cores, a free private cloud of at most 512 instances that
refuses requests, and a commercial cloud at $0.085 for each hour begun. Policies
decide every 300 s what to rent on an hourly budget [Marshall12]. Prints how long
jobs take, what they cost and where they run, as mean ± standard deviation over the
runs, and which of the paper's findings come out.

What runs
  -trace FILE          job log, plain or gzip: Standard Workload Format, or accounting
                       of Slurm, PBS or LSF. Each run has its jobs, and ends with the
                       last job, or when no job starts for 60 days while none runs
  -workload NAME       feitelson or grid5000: each run draws a sample, and takes
                       1,100,000 s as in the paper (default: both)
  -arrivals HOW        of feitelson: poisson (evenly spread) or campaigns (in about ten
                       bursts) (default poisson)
  -runs N              runs of each policy (default 30)
  -seed N              of the samples, the refusals and the boot times (default 1)

How it runs
  -policy NAME         all, or one of (default all)
                         sm          sustained maximum: as much as the budget allows
                         od          on demand, for all waiting jobs
                         od++        od that keeps an instance until its hour ends
                         aqtp        holds the queued time near 2 h (threshold 45 min)
                         mcop-20-80  weighs cost by 20% and queued time by 80%
                         mcop-80-20  weighs cost by 80% and queued time by 20%
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
  -decisions OUT       write the decisions of the first run and their reasons: an array
                       with an object for each decision
  -h                   print this

All policies run the same samples. Times of jobs are weighted by their cores. Files
are written whole or not at all. The whole evaluation takes about 20 s on two cores,
and a few seconds without mcop. If the jobs of a log need more than the clouds have,
the queue grows: aqtp looks at the whole queue and can take minutes, mcop hours.

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

// label is the policy's name in tables and pictures, as in the paper.
func (p policyName) label() string { return strings.ToUpper(p.String()) }

// The names of workloads.
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
}

// maxRuns bounds the memory of the results, and maxBudget the instances that SM holds.
const (
	maxRuns   = 100_000
	maxBudget = 1000 * pricing.Unit
)

// define defines the flags.
func define(o *options, f *cli.Flags) {
	*o = options{reject: []float64{.1, .9}, budget: elastic.Marshall12Budget(), runs: 30, seed: 1}
	pick := func(s string) error {
		o.policies = nil
		for p := range policies {
			if s == "all" || s == p.String() {
				o.policies = append(o.policies, p)
			}
		}
		if o.policies == nil {
			return errors.New("want all, " + cli.Series(policyNames[:], "or"))
		}
		return nil
	}
	pick("all")
	f.File("trace", &o.trace)
	f.Text("search", &o.search, "genetic, evolved or exact")
	f.Func("workload", func(s string) error {
		if o.workload = s; s != feitelson && s != grid5000 {
			return errors.New("want feitelson or grid5000")
		}
		return nil
	})
	f.Text("arrivals", &o.arrivals, "poisson or campaigns")
	f.Func("policy", pick)
	cli.List(f, "reject", &o.reject, maxRates, func(part string) (float64, error) {
		x, err := strconv.ParseFloat(part, 64)
		if err != nil || !(x >= 0 && x <= 1) {
			return 0, fmt.Errorf("%q is no rejection rate: want numbers from 0 to 1, such as 0.1,0.9", part)
		}
		return x, nil
	})
	f.Money("budget", &o.budget.Hourly, fmt.Sprintf("an amount from 0 to %v dollars an hour, such as 5 or 2.50", maxBudget),
		func(m pricing.Money) bool { return m >= 0 && m <= maxBudget })
	f.Int("runs", &o.runs, 1, maxRuns, "")
	f.Seed(&o.seed)
	f.Idle(func(name string) bool {
		switch name {
		case "workload":
			return o.trace != ""
		case "arrivals":
			return o.trace != "" || o.workload == grid5000
		case "search":
			return !slices.Contains(o.policies, mcop2080) && !slices.Contains(o.policies, mcop8020)
		}
		return false
	})
}

// maxRates bounds the work.
const maxRates = 100

// AQTP holds the queued time near the example of [Marshall12] section III.B, since the
// evaluation does not say.
const (
	response  = 2 * time.Hour
	threshold = 45 * time.Minute
)
