package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
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
const usage = `Usage: go run ./examples/tools/elastic [flags]

Runs jobs on a local cluster and clouds, under policies that decide every few minutes
what to rent on an hourly budget [Marshall12]. Prints how long jobs take, what they
cost and where they run, as mean ± standard deviation over the runs. The default is
the paper's evaluation: 64 local cores, a free private cloud of at most 512 instances
that refuses requests, and a commercial cloud at $0.085 for each hour begun. There the
program also prints which of the paper's findings come out.

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

Where it runs
  -local N             cores of the local cluster (default 64)
  -clouds FILE         clouds: CSV with a line of titles, plain or gzip, and the columns
                         name    lower-case letters, digits and _; not local or lost
                         limit   the most instances at once, up to 67108864 (empty:
                                 no limit)
                         price   dollars for each hour begun (empty: 0)
                         reject  the share of requests that the cloud refuses (empty: 0)
                         boot    span until an instance takes jobs, such as 50s, or with
                                 its standard deviation, such as 50s±4s
                         stop    span until a terminated instance is gone, likewise
                         release span for which an instance is still charged after it
                                 is given back, likewise (empty: 0)
                         transfer  how much longer a job takes, for its data (empty: 0)
                         transfer_price  dollars for the data of a job, paid when the
                                 job starts, at most 1000 (empty: 0). Policies do not
                                 know of the price of data, and credits do not limit it
                       An instance type of a cloud has a line of its own, with its own
                       price and limit, and the columns
                         type    lower-case letters, digits and _
                         cores   of an instance, which runs one job at a time (empty: 1)
                         speed   of a core, as a multiple of a local core's (empty: 1)
                       A spot cloud has no price, and the columns
                         spot    a file of prices as EC2 gives them, CSV, plain or gzip,
                                 or made-up for prices as EC2 had them in 2013
                         series  an instance type of that file, such as t3.small, or
                                 with its zone, eu-west-3a t3.small; of Linux/UNIX
                                 (empty: the only one)
                         bid     the most that is paid for an instance-hour, in dollars
                       boot and stop are as the paper measured them if empty or absent
                       (default: the paper's private and commercial cloud)
  -spot FILE           add a spot cloud to the paper's clouds: see the column spot
  -series NAME         of -spot: see the column series
  -bid X               of -spot: the bid (default 0.085, the price on demand)
                       When the price rises above the bid, all instances of the cloud
                       end. Their jobs lose their work and go back to their places in
                       the queue. Each run begins at another time of the prices. After
                       the last price that price holds
  -reject X,Y          rejection rates of the paper's private cloud, each from 0 to 1
                       (default 0.1,0.9)
  -transfer SPAN       how much longer a job takes in the paper's clouds than on the
                       local cluster, for its data to come and go (default 0s)
  -transfer-price X    what the data of a job costs in the paper's commercial cloud, in
                       dollars; policies do not know of it, as with transfer_price
                       (default 0)
  -budget X            credits in dollars an hour, at most 1000 (default 5)
  -debt X              how far launches may overdraw the credits (default 0.085, the
                       price of one instance-hour)
  -covered             start a job only if the credits cover it to the end of its
                       estimate; not with spot clouds, data transfer, -overhead or a
                       release
  -every SPAN          time between two decisions, from 1s (default 5m)
  -horizon SPAN        end of the simulated time (default: 1,100,000 s of a sample, and
                       the last job of a log)

What a live manager adds (elasticd of examples/services/slurm prints what it measured)
  -overhead SPAN       how much longer than its run time a job holds its instances, such
                       as 4s, or with a standard deviation, 4s±2s (default: none)
  -lead SPAN           how much earlier than they fall policies see charges, less than
                       1h (default 0s)
  -release SPAN        for how long an instance of the paper's clouds is still charged
                       after it is given back, as 8s or 8s±2s (default: none)

How it decides
  -policy LIST         all, or some of these (default all)
                         sm          sustained maximum: as much as the budget allows
                         od          on demand, for all waiting jobs
                         od++        od that keeps an instance until its hour ends
                         aqtp        holds the queued time near a response
                         mcop-20-80  weighs cost by 20% and queued time by 80%; any
                                     weights that sum to 100
  -launch HOW          of od and od++, what they launch (default printed in the paper's
                       evaluation, whose Fig. 4 it fits, else jobs, with which every
                       job starts that credits can ever pay for)
                         jobs        for each job in one cloud, a part of a job where it
                                     is free; credits are saved for the first job that
                                     lacks them
                         whole       as jobs, without parts
                         pooled      for the cores of all jobs together, as far as there
                                     is enough for a job
                         printed     as the paper prints it: for the cores of all jobs
                                     together, until the credits are gone
  -keep-free           od, od++, aqtp and mcop keep idle instances of free clouds
  -queue ORDER         in which waiting jobs start: fcfs, or easy, where a job may
                       overtake if by the estimates it does not delay the first job
                       (default fcfs)
  -refuse HOW          clouds refuse instances one by one (one) or a request as a whole
                       (whole) (default one)
  -once                sm does not ask again for instances that were refused
  -response SPAN       of aqtp: the queued time r that it aims at (default 2h)
  -threshold SPAN      of aqtp: how far from r it changes nothing, θ (default 45m)
  -least N             of aqtp: the fewest jobs n that it serves (default 1)
  -first N             of aqtp: n at the beginning (default -least)
  -most N              of aqtp: the most jobs n (default: no bound)
  -parts               aqtp launches parts of jobs in free clouds
  -search HOW          of mcop: genetic (the paper's) or exact (the true front of up to
                       20 jobs, else genetic) (default genetic)
  -population N        of the genetic search: individuals for each cloud (default 30)
  -generations N       of the genetic search (default 20)
  -mutation P          of the genetic search, for each bit (default 0.031)
  -crossover P         of the genetic search, for each pair (default 0.8)

What comes out
  -choices             print instead what each choice moves that the paper leaves open:
                       a row for each other value of -launch, -keep-free, -refuse,
                       -once, -parts, -covered (unless a flag or a cloud is there that
                       it cannot be with) and -queue; and the findings with -launch
                       printed and jobs
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
are written whole or not at all. The whole evaluation takes 5 to 20 s on two cores, by
how busy they are, and 1 to 3 s without mcop. If the jobs of a log need more than the
clouds have, the queue grows: aqtp looks at the whole queue and can take minutes, mcop
hours.

Fields of -json: choice (with -choices), workload, arrivals, reject (of the paper's
private cloud), policy, runs, jobs (mean of a run), awrt_s, awqt_s, makespan_s, cost
(means; average weighted response and queued time; dollars; times are null if no job
ended, and leave runs out in which none did), local_core_hours,
private_core_hours, commercial_core_hours (that jobs ran; with -clouds, NAME_core_hours
of each), awrt_sd_s, awqt_sd_s, makespan_sd_s, cost_sd, local_core_hours_sd,
private_core_hours_sd, commercial_core_hours_sd (standard deviations between runs;
null with a single run), lowest_credits (the lowest of any run, in dollars), refused
(requests for an instance, mean), with spot clouds requeued (how often jobs lost their
work, mean) and lost_core_hours (mean), unfinished_jobs (in all runs together, at the
end of the simulated time; the means are over the others).

Fields of -credits: workload, reject, policy, hour (from the start), runs (that took
so long), credits (mean at that time, in dollars), lowest (until the next hour, of any
run). Of -decisions: workload, reject, policy, at_s, round (0, and one more after each
round with a refusal), action (launch or terminate), cloud, instances, refused (of
these), why, waiting_jobs, waiting_cores, credits (afterwards).
`

// A kind is a rule by which instances are rented.
type kind int

const (
	sm kind = iota
	od
	odPlus
	aqtp
	mcop
)

var kindNames = [...]string{"sm", "od", "od++", "aqtp", "mcop"}

// A policy is a rule that can be chosen.
type policy struct {
	kind   kind
	weight int // of mcop: per cent of the cost
}

func (p policy) String() string {
	if p.kind == mcop {
		return fmt.Sprintf("mcop-%d-%d", p.weight, 100-p.weight)
	}
	return kindNames[p.kind]
}

// label is the policy's name in tables and pictures, as in the paper.
func (p policy) label() string { return strings.ToUpper(p.String()) }

// The policies of the paper.
var (
	mcop2080    = policy{mcop, 20}
	mcop8020    = policy{mcop, 80}
	allPolicies = []policy{{kind: sm}, {kind: od}, {kind: odPlus}, {kind: aqtp}, mcop2080, mcop8020}
)

// allNames is what the flag -policy has for all.
const allNames = "sm,od,od++,aqtp,mcop-20-80,mcop-80-20"

// A launchRule says what od and od++ launch for.
type launchRule int

const (
	launchJobs    launchRule = iota // each job in one infrastructure, parts where they are free
	launchWhole                     // each job in one infrastructure, no parts
	launchPooled                    // the cores of all jobs together, as far as there is enough
	launchPrinted                   // the cores of all jobs together, until the credits are gone
)

var (
	launchNames = []string{"jobs", "whole", "pooled", "printed"}
	refuseNames = []string{"one", "whole"}
	queueNames  = []string{"fcfs", "easy"}
	searchNames = []string{"genetic", "exact"}
)

// The names of workloads.
const (
	feitelson = "feitelson"
	grid5000  = "grid5000"
)

// options are the flags.
type options struct {
	trace       string
	workload    string // "" is both
	arrivals    workload.Arrivals
	policies    []policy
	clouds      string // a file; "" for the paper's
	local       int
	transfer    time.Duration
	data        pricing.Money // what the data of a job costs
	spot        string        // a file, madeUp, or "" for no spot cloud
	series      string
	bid         pricing.Money
	overhead    elastic.Delay
	lead        time.Duration
	release     elastic.Delay
	reject      []float64
	budget      elastic.Budget
	every       time.Duration
	horizon     time.Duration // 0: 1,100,000 s of samples, the end of a log
	runs        int
	seed        uint64
	showChoices bool

	launch   launchRule
	queue    int // 1: EASY
	refuse   int // 1: a request for several instances as a whole
	keepFree bool
	parts    bool // of aqtp
	once     bool // of sm
	aqtp     elastic.AQTP
	mcop     elastic.MCOP
	search   int // of mcop; 1: exact
}

// maxRuns bounds the memory of the results, maxBudget and maxLocal that of a run, and
// maxRates and maxPolicies the work.
const (
	maxRuns     = 100_000
	maxBudget   = 1000 * pricing.Unit
	maxLocal    = 1_000_000
	maxRates    = 100
	maxPolicies = 100
	maxSpan     = 50 * 8760 * time.Hour
)

// define defines the flags. AQTP holds the queued time near the example of [Marshall12]
// section III.B, since the evaluation does not say.
func define(o *options, f *cli.Flags) {
	*o = options{
		policies: allPolicies, local: elastic.Marshall12Local, reject: []float64{.1, .9}, budget: elastic.Marshall12Budget(), every: elastic.DefaultEvery, runs: 30, seed: 1, launch: -1, bid: 85 * pricing.Milli,
		aqtp: elastic.AQTP{Response: 2 * time.Hour, Threshold: 45 * time.Minute},
	}
	f.File("trace", &o.trace)
	f.Func("workload", func(s string) error {
		if o.workload = s; s != feitelson && s != grid5000 {
			return errors.New("want feitelson or grid5000")
		}
		return nil
	})
	f.Text("arrivals", &o.arrivals, "poisson or campaigns")
	f.Int("runs", &o.runs, 1, maxRuns, "")
	f.Seed(&o.seed)

	f.File("clouds", &o.clouds)
	f.Int("local", &o.local, 0, maxLocal, " of cores")
	cli.List(f, "reject", &o.reject, maxRates, func(part string) (float64, error) {
		x, err := strconv.ParseFloat(part, 64)
		if err != nil || !(x >= 0 && x <= 1) {
			return 0, fmt.Errorf("%q is no rejection rate: want numbers from 0 to 1, such as 0.1,0.9", part)
		}
		return x, nil
	})
	for name, to := range map[string]*pricing.Money{"budget": &o.budget.Hourly, "debt": &o.budget.Debt} {
		f.Money(name, to, fmt.Sprintf("an amount from 0 to %v dollars, such as 5 or 2.50", maxBudget),
			func(m pricing.Money) bool { return m >= 0 && m <= maxBudget })
	}
	f.Span("transfer", &o.transfer, "a span of time that is not negative, such as 10m", func(d time.Duration) bool { return d >= 0 && d <= maxSpan })
	f.Money("transfer-price", &o.data, "an amount from 0 to 1000 dollars, such as 0.09", func(m pricing.Money) bool { return m >= 0 && m <= maxBudget })
	f.Func("spot", func(s string) error {
		if o.spot = s; s == "" {
			return errors.New("want the name of a file, or made-up")
		}
		if s != madeUp {
			f.Reads(s)
		}
		return nil
	})
	f.Name("series", &o.series, "an instance type of -spot, such as t3.small")
	f.Money("bid", &o.bid, "an amount above 0 and up to 1000 dollars, such as 0.05", func(m pricing.Money) bool { return m > 0 && m <= maxBudget })
	f.Span("lead", &o.lead, "a span of time from 0s and below 1h, such as 2m", func(d time.Duration) bool { return d >= 0 && d < time.Hour })
	for name, to := range map[string]*elastic.Delay{"overhead": &o.overhead, "release": &o.release} {
		f.Func(name, func(s string) (err error) {
			*to, err = parseDelay(s)
			return err
		})
	}
	f.Switch("covered", &o.budget.Covered)
	f.Span("every", &o.every, "a span of time from 1s, such as 5m", func(d time.Duration) bool { return d >= time.Second && d <= maxSpan })
	positive := func(name string, to *time.Duration) {
		f.Span(name, to, "a span of time above 0, such as 300h", func(d time.Duration) bool { return d > 0 && d <= maxSpan })
	}
	positive("horizon", &o.horizon)

	f.Func("policy", func(s string) error {
		o.policies = nil
		for name := range strings.SplitSeq(strings.Replace(s, "all", allNames, 1), ",") {
			p, err := parsePolicy(strings.TrimSpace(name))
			switch {
			case err != nil:
				return err
			case slices.Contains(o.policies, p):
				return fmt.Errorf("%s is there twice", name)
			case len(o.policies) == maxPolicies:
				return fmt.Errorf("want at most %d policies", maxPolicies)
			}
			o.policies = append(o.policies, p)
		}
		return nil
	})
	cli.Choice(f, "launch", &o.launch, launchNames...)
	cli.Choice(f, "queue", &o.queue, queueNames...)
	cli.Choice(f, "refuse", &o.refuse, refuseNames...)
	f.Switch("keep-free", &o.keepFree)
	f.Switch("once", &o.once)
	positive("response", &o.aqtp.Response)
	f.Span("threshold", &o.aqtp.Threshold, "a span of time that is not negative, such as 45m", func(d time.Duration) bool { return d >= 0 && d <= maxSpan })
	f.Int("first", &o.aqtp.Start, 1, maxRuns, " of jobs")
	f.Int("least", &o.aqtp.Min, 1, maxRuns, " of jobs")
	f.Int("most", &o.aqtp.Max, 1, maxRuns, " of jobs")
	f.Switch("parts", &o.parts)
	cli.Choice(f, "search", &o.search, searchNames...)
	f.Int("population", &o.mcop.Population, 3, 10_000, "")
	f.Int("generations", &o.mcop.Generations, 1, 10_000, "")
	for name, to := range map[string]*float64{"mutation": &o.mcop.Mutation, "crossover": &o.mcop.Crossover} {
		f.Float(name, to, "a probability above 0, up to 1", func(x float64) bool { return x > 0 && x <= 1 })
	}
	f.Switch("choices", &o.showChoices)
	f.Check(func() error {
		for _, name := range []string{"transfer", "transfer-price", "spot", "overhead", "release"} {
			if f.Given(name) && o.budget.Covered {
				return fmt.Errorf("-%s with -covered: want one of them", name)
			}
		}
		if o.launch < 0 { // see the usage
			if o.launch = launchJobs; o.trace == "" && o.clouds == "" {
				o.launch = launchPrinted
			}
		}
		if err := o.aqtp.Validate(); err != nil {
			return fmt.Errorf("%s", cli.Reason(err, map[string]string{"AQTP": "-least, -first and -most"}))
		}
		return nil
	})
	f.Idle(func(name string) bool {
		has := func(of ...kind) bool {
			return slices.ContainsFunc(o.policies, func(p policy) bool { return slices.Contains(of, p.kind) })
		}
		switch name {
		case "workload":
			return o.trace != ""
		case "arrivals":
			return o.trace != "" || o.workload == grid5000
		case "reject", "transfer", "transfer-price", "spot", "release":
			return o.clouds != ""
		case "series", "bid":
			return o.spot == ""
		case "launch":
			return !has(od, odPlus)
		case "keep-free":
			return !has(od, odPlus, aqtp, mcop)
		case "once":
			return !has(sm)
		case "response", "threshold", "first", "least", "most", "parts":
			return !has(aqtp)
		case "search", "population", "generations", "mutation", "crossover":
			return !has(mcop)
		}
		return false
	})
}

// parsePolicy reads the name of a policy.
func parsePolicy(name string) (p policy, err error) {
	for _, x := range allPolicies {
		if name == x.String() {
			return x, nil
		}
	}
	var rest int
	if n, _ := fmt.Sscanf(name, "mcop-%d-%d", &p.weight, &rest); n == 2 && p.weight >= 0 && rest >= 0 && p.weight+rest == 100 {
		if p.kind = mcop; p.String() == name {
			return p, nil
		}
	}
	return p, errors.New("want all, or some of sm, od, od++, aqtp and mcop-20-80, whose weights sum to 100")
}

// policy returns a new policy with the options.
func (o *options) policy(p policy, rng *rand.Rand) elastic.Policy {
	printed, pooled, whole := o.launch == launchPrinted, o.launch == launchPooled, o.launch == launchWhole
	switch p.kind {
	case sm:
		return &elastic.SM{Once: o.once}
	case od:
		return &elastic.OD{Printed: printed, Pooled: pooled, WholeJobs: whole, KeepFree: o.keepFree}
	case odPlus:
		return &elastic.ODPlus{Printed: printed, Pooled: pooled, WholeJobs: whole, KeepFree: o.keepFree}
	case aqtp:
		return &elastic.AQTP{Response: o.aqtp.Response, Threshold: o.aqtp.Threshold, Start: o.aqtp.Start, Min: o.aqtp.Min, Max: o.aqtp.Max, Fragments: o.parts, KeepFree: o.keepFree}
	}
	return &elastic.MCOP{CostWeight: float64(p.weight) / 100, Rand: rng, Exact: o.search == 1, KeepFree: o.keepFree,
		Population: o.mcop.Population, Generations: o.mcop.Generations, Mutation: o.mcop.Mutation, Crossover: o.mcop.Crossover}
}
