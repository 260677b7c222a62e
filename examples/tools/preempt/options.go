package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/preempt"
)

// usage is what -h prints.
const usage = `Usage: go run ./examples/tools/preempt [flags]

Takes nodes away from a partition that runs batch jobs, in each state of the
partition, and prints how much work that wastes [Duplyakin17]. If a job loses a node
and does not end within the grace period, the work of all its nodes is wasted, up to
the end of that period.

What runs
  -trace FILE          job log, plain or gzip: Standard Workload Format, or accounting
                       of Slurm, PBS or LSF. A processor counts as a node, and jobs
                       of more than -nodes nodes are left out (default: two made-up
                       logs with the quantiles of the paper's Table 1, htc and
                       peregrine)
  -sample N            draw N jobs of each log at random, by -seed, before others are
                       left out (default all; the paper's samples have 10000)
  -longest SPAN        leave jobs out that run for longer, such as 24h (default none)
  -nodes N             size of the partition (default 20)
  -take N              nodes that are taken away at once (default 10, or all of a
                       smaller partition)
  -grace LIST          grace periods, such as 120s or 20m; 1h..6h stands for 1h, 2h
                       and so on up to 6h (default 60s,120s,20m,30m,1h..6h)
  -policy LIST         all, or some of these (default all)
                       by the values of nodes; the lowest are taken:
                         random     an idle node first, then any
                         fifo       the job that has run longest first
                         lifo       the job that has run shortest first
                         pap        the job with the least run time by nodes first
                         pap+       the same times priority
                         blind      any node: a host that is told nothing
                       by whole jobs, knowing how long each still runs:
                         plain      by waste per node, until there are enough nodes
                         pruned     plain, without the jobs that are not needed
                         greedy     wastes at most twice the least
                         exact      wastes least
                         exact+     wastes least, weighed with priorities
                       the exact choice with the knowledge of a live system:
                         requested  a job ends at the run time that its user asked for
                         survival   a job runs as long as earlier jobs of its user
                         corrected  a job runs for that share of its request that
                                    earlier jobs of its user ran for
  -important WHICH     jobs with priority 10, the others having 1: queue=NAME for a
                       queue, its number in a log, random=1% for that share of the
                       jobs, or top=1% for those that ask for the most node-time,
                       which pap protects as it is (default queue=bigmem in the
                       made-up log peregrine, none in htc, and random=1% for -trace;
                       savings of a few jobs depend on the draw: try several -seed)
  -overrun N           jobs that have run for longer than their users asked for count
                       an N-th with pap+ and exact+ (default 1; in the made-up logs
                       none has)
  -save-every SPAN     each job saves its work each SPAN, and loses only what is not
                       saved when the grace period ends (default never)
  -save-cost SPAN      each job saves when it is asked to, which takes SPAN (default
                       it does not)
  -claims              judge what [Duplyakin17] claims, one claim a line, on these logs
                       and with -nodes and -take, instead of the tables. It also runs
                       sequences of preemptions through the exchange of package
                       preempt/exchange, with jobs that start again and fewer nodes
                       meanwhile
  -seed N              of the made-up logs, of -sample, -important random= and
                       -policy random (default 1)

What comes out
  -json                print an array with an object for each log, policy and grace
                       period, instead of tables
  -svg FILE            write a picture: the waste by policy and grace period, the
                       values of nodes over time with pap and pap+, and what pap+
                       saves and costs
  -h                   print this

The jobs are submitted at once and run first come, first served with EASY
backfilling. States are those at each end of a job and every 30 s between two ends.

Fields of -json: log, policy, grace_s, jobs, states, mean_node_s, p25_node_s,
median_node_s, p75_node_s and max_node_s (wasted node-seconds of a preemption;
quantiles are within 1%), over_exact (mean over that of exact; null where exact
wastes nothing and the policy does), killed_jobs (mean number of jobs that did not
end in time), important_node_s and other_node_s (means by priority), idle_node_s (mean
of the node-seconds that nodes stand idle until the grace period ends). With -claims:
log, claim, paper, measured and holds.
`

// A kind is how nodes are chosen.
type kind int

// The first ones are the policies of package preempt.
const (
	random kind = iota
	fifo
	lifo
	pap
	papPlus
	blind
	plain
	pruned
	greedy
	exact
	exactPlus
	requested
	survival
	corrected
	kinds
)

var kindNames = [kinds]string{"random", "fifo", "lifo", "pap", "pap+", "blind", "plain", "pruned", "greedy", "exact", "exact+", "requested", "survival", "corrected"}

func (k kind) String() string { return kindNames[k] }

// ranks reports whether the kind is a policy that ranks nodes.
func (k kind) ranks() bool { return k <= kind(preempt.Blind) }

// important says which jobs have a high priority.
type important struct {
	given    bool
	queue    string
	share    float64 // of the jobs, where queue is ""
	atRandom bool    // and not those that ask for the most
}

// highPriority is the priority of important jobs, that of [Duplyakin17] section
// 4.4.
const highPriority = 10

// options are the flags.
type options struct {
	trace     string
	sample    int           // 0 for all jobs
	longest   time.Duration // 0 for any
	overrun   int
	nodes     int
	take      int
	graces    []time.Duration
	shown     [kinds]bool
	important important
	saveEvery time.Duration // 0: never
	saveCost  time.Duration // negative: not on request
	claims    bool
	seed      uint64
}

const (
	maxNodes   = 10_000
	maxGraces  = 100
	maxSample  = 1_000_000_000
	maxOverrun = 1_000_000
)

// define defines the flags.
func define(o *options, f *cli.Flags) {
	*o = options{nodes: 20, take: -1, overrun: 1, saveCost: -1, seed: 1}
	o.setGraces("60s,120s,20m,30m,1h..6h")
	o.setPolicies("all")
	f.File("trace", &o.trace)
	f.Int("sample", &o.sample, 1, maxSample, "")
	f.Span("longest", &o.longest, "a span of time above 0, such as 24h", func(d time.Duration) bool { return d > 0 })
	f.Int("nodes", &o.nodes, 1, maxNodes, "")
	f.Int("take", &o.take, 0, maxNodes, "")
	f.Int("overrun", &o.overrun, 1, maxOverrun, "")
	f.Func("grace", o.setGraces)
	f.Func("policy", o.setPolicies)
	f.Func("important", o.setImportant)
	f.Span("save-every", &o.saveEvery, "a span of time above 0, such as 1h", func(d time.Duration) bool { return d > 0 })
	f.Span("save-cost", &o.saveCost, "a span of time that is not negative, such as 30s", func(d time.Duration) bool { return d >= 0 })
	f.Switch("claims", &o.claims)
	f.Seed(&o.seed)
	f.Check(func() error {
		if o.take < 0 {
			o.take = min(10, o.nodes)
		}
		if o.claims && f.Given("svg") {
			return errors.New("-svg draws what preemptions waste, and not what -claims judges: leave out one of them")
		}
		if o.saveEvery > 0 && o.saveCost > o.saveEvery {
			return fmt.Errorf("-save-cost %v: want no more than -save-every, %v", o.saveCost, o.saveEvery)
		}
		if o.take > o.nodes {
			return fmt.Errorf("-take %d: the partition has only %s (-nodes)", o.take, decimal.Count(o.nodes, "node"))
		}
		return nil
	})
}

func (o *options) setGraces(s string) error {
	o.graces = o.graces[:0]
	for part := range strings.SplitSeq(s, ",") {
		from, to, isRange := strings.Cut(part, "..")
		if !isRange {
			to = from
		}
		a, err := time.ParseDuration(from)
		b, err2 := time.ParseDuration(to)
		switch {
		case err != nil || err2 != nil || a < 0 || b < 0:
			return errors.New("want spans of time that are not negative, such as 60s,20m,1h..6h")
		case isRange && a == 0:
			return fmt.Errorf("%s starts at 0: want a range in steps of its first span, such as 1h..6h", part)
		case b < a:
			return fmt.Errorf("%s ends before it starts: want a range such as 1h..6h", part)
		case isRange && b%a != 0:
			return fmt.Errorf("%s: %s is no multiple of %s: want a range in steps of its first span, such as 1h..6h", part, to, from)
		}
		for d := a; a <= d && d <= b; d += max(a, 1) { // beyond the range of durations d is negative
			if slices.Contains(o.graces, d) {
				return fmt.Errorf("%v comes twice", d)
			}
			if len(o.graces) == maxGraces {
				return fmt.Errorf("want at most %d grace periods", maxGraces)
			}
			o.graces = append(o.graces, d)
		}
	}
	return nil
}

func (o *options) setPolicies(s string) error {
	o.shown = [kinds]bool{}
	for name := range strings.SplitSeq(s, ",") {
		if name == "all" {
			for k := range o.shown {
				o.shown[k] = true
			}
			continue
		}
		k := slices.Index(kindNames[:], name)
		if k < 0 {
			return fmt.Errorf("want all, or some of %s", strings.Join(kindNames[:], ", "))
		}
		o.shown[k] = true
	}
	return nil
}

func (o *options) setImportant(s string) error {
	which, value, _ := strings.Cut(s, "=")
	wrong := errors.New("want queue=NAME, random=1% or top=1%")
	switch which {
	case "queue":
		if value == "" {
			return wrong
		}
		o.important = important{given: true, queue: value}
	case "top", "random":
		percent, ok := strings.CutSuffix(value, "%")
		x, err := strconv.ParseFloat(percent, 64)
		if !ok || err != nil || !(x >= 0 && x <= 100) {
			return fmt.Errorf("want a share from %s=0%% to %[1]s=100%%", which)
		}
		o.important = important{given: true, share: x / 100, atRandom: which == "random"}
	default:
		return wrong
	}
	return nil
}
