package main

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/placement"
	"github.com/plimsoll/plimsoll/schedule"
)

// usage is what -h prints.
const usage = `Usage: go run ./examples/tools/sec [flags]

Runs a log of batch jobs on a semi-elastic cluster of cloud instances [Niu16]
and on the clusters of the comparison. Prints how long jobs wait and what they cost.
Instances are EC2's cc2.8xlarge at the prices of 2013: $2.40 for every hour begun.

What runs
  -trace FILE          log in the Standard Workload Format, plain or gzip, of jobs that
                       need up to 8388608 instances each
                       (default: a made-up log, the Lublin-Feitelson model)
  -cores-per-node N    processors of an instance (default 16); a job gets whole
                       instances
  -estimate X          how far users overestimate run times: 1 as in the log, 0 not
                       at all, 2 twice as far (default 1)
  -seed N              of the made-up log and of -place random (default 1)

How it runs
  -mode MODE           all, or one of these (default all)
                         individual  each job on instances of its own
                         nowait      one cluster, which grows for every job that
                                     cannot start
                         sec         one cluster, which grows when the first job of
                                     the queue would wait for too long
                         hybrid      sec with instances reserved at EC2
                         gce         sec at Google instead: ten minutes at least,
                                     then minutes, less for use throughout a month
                         multi       sec at both: each job where its instances cost
                                     less at that moment, by what is reserved, too
                         local       a cluster of fixed size
  -portfolio HOW       how hybrid reserves, week by week: online (by a forecast of what
                       it has seen so far), offline (knowing all, [Niu16]'s greedy
                       rule), exact (knowing all, at the least pure cost), none, or
                       online-paper (online by [Niu16]'s own forecast, Eq. (7) with
                       factors of Trigg and Leach, and its greedy rule); multi
                       reserves as hybrid does, but never with knowledge of the
                       future, and knows Google's discounts (default online)
  -ratio R             price of an instance at Google over that at EC2 (default 1)
  -resale SHARE        say what a marketplace for the rest of reserved terms is worth to
                       hybrid, where a sale brings SHARE (0 to 1) of the prorated
                       upfront price: .704 after a discount of 20% and a fee of 12%
  -overhead            count the time to configure instances, and to format them
                       when another user's job follows ([Niu16] section 8.7)
  -nodes N             size of the local cluster (default: enough for the
                       largest job, and to be busy 80% of the time at most)
  -waitlimit D         sec grows when the first job would wait for longer (default 5m)
  -expand HOW          for which waiting jobs sec grows: first, sum (all) or best (the
                       long ones and one short one) (default best)
  -short D             up to which estimate a job is short, for best (default 1h)
  -backfill HOW        which waiting job may overtake: easy (one that does not delay the
                       first job of the queue), conservative (one that delays nobody:
                       on six logs sec then waits 25 to 45% less, for up to 0.4% more
                       money) or none (default easy)
  -reservations N      easy: how many jobs at the top of the queue must not be delayed
                       (default 1)
  -weights FILE        priorities, which order the queue: lines hour,W (for each hour of
                       waiting), node,W (for each instance of the job) and user,NUMBER,W
                       (which a job without a user does not have)
                       (default: first come, first served)
  -place HOW           which idle instances a job gets: max-margin or min-margin
                       (the most or the least paid time left), max-idle or min-idle
                       (idle for the longest or shortest), random
                       (default max-margin)

What comes out
  -json                print an array with an object for each mode, instead of a table
  -svg FILE            write the picture of capacity against use
  -jobs FILE           write a line for each job: id,submit_s,start_s,wait_s,nodes,user
                       (-1: the log does not say)
  -figures DIR         write Table 1 and Figs. 1, 2, 4a, 4b and 5 to 9 of [Niu16] for
                       this log, what -waitlimit, -short, -place, -backfill,
                       -reservations and priorities can do, and what a marketplace is
                       worth, as CSV and SVG, and claims.csv, which says which findings
                       of [Niu16] came out; DIR is made if it does not exist. The
                       figures need some 610 simulations, on all cores
  -users FILE          write what each user pays, a line each, and say in the text who
                       pays more than alone: user,jobs,instance_hours,pays,alone,
                       saved_by_use,saved_by_shapley,standard_error,pays_by_shapley
  -demand FILE         write the most instances held in each hour, one number a line
  -h                   print this

The picture, -svg, -jobs, -users and -demand are of the mode chosen, and of sec
where -mode is all. Files are written whole or not at all. Times of jobs count from the
log's time 0, or from the first submission where the log has calendar times.

-users divides the pure cost by use (instance-hours in which jobs run), to the nano.
Alone is what the jobs cost each on instances of its own (mode individual). What
reservations save (hybrid, multi) is divided by use, too, and by the Shapley value of
what each group of users could save by reserving for itself (package
schedule/sim/bills). For more than 12 users that is sampled, with a standard error.
Jobs without a user (-1 in the log) are the jobs of the user "unknown". With -mode
individual nothing is divided: each user pays for the instances of the user's own jobs.

Fields of -json: mode, nodes (the size of local; of the others the most instances
held at once), jobs, mean_wait_s, mean_bounded_slowdown (runs of less than 10 s
count as 10 s), utilisation (used over charged hours, 0 to 1), used_hours and
charged_hours (of instances), reserved (instances), cost (in dollars), pure_cost (cost
less what is left of the terms at the end of the log), saving (of pure cost over
individual, as a fraction: 0.25 is 25% cheaper). With -resale, hybrid has cost_sold
(what is left is sold when the log ends), hindsight_cost and hindsight_cost_sold (of the
cheapest plan that knows the demand, without and with sales every four weeks). A local
cluster is charged for all its nodes from the first submission to the last end. Its cost
is that part of the cost of owning the cluster for three years ([Niu16] Table 3, in
proportion to the nodes).
`

// instanceProcessors is how many processors the instance has whose prices are
// used, cc2.8xlarge.
const instanceProcessors = 16

// options are the flags.
type options struct {
	trace     string
	cores     int
	modes     []mode // that are shown
	nodes     int    // 0: the largest job's
	waitLimit time.Duration
	expand    schedule.Expansion
	short     time.Duration
	place     placement.Policy

	backfill     backfill
	reservations int
	weights      string

	estimate float64
	seed     uint64

	portfolio buying
	ratio     float64
	overhead  bool

	resale float64 // negative: none

	figures string
}

// define defines the flags.
func define(o *options, f *cli.Flags) {
	*o = options{
		cores: instanceProcessors, modes: inOrder, waitLimit: 5 * time.Minute, short: time.Hour,
		estimate: 1, seed: 1, portfolio: buyOnline, ratio: 1, reservations: 1, resale: -1,
	}
	f.File("trace", &o.trace)
	f.Int("cores-per-node", &o.cores, 1, maxCount, "")
	f.Int("nodes", &o.nodes, 1, maxCount, "")
	const span = "a span of time that is not negative, such as 90s, 5m or 1h30m"
	notNegative := func(d time.Duration) bool { return d >= 0 }
	f.Span("waitlimit", &o.waitLimit, span, notNegative)
	f.Span("short", &o.short, span, notNegative)
	f.Func("mode", o.setMode)
	f.Name("figures", &o.figures, "the name of a folder")
	cli.Choice(f, "portfolio", &o.portfolio, buyNames[:]...)
	f.Float("ratio", &o.ratio, fmt.Sprintf("a number from %v to %v, such as 0.8", minRatio, maxRatio), func(x float64) bool { return x >= minRatio && x <= maxRatio })
	f.Switch("overhead", &o.overhead)
	f.Float("resale", &o.resale, "a number from 0 to 1, such as 0.7", func(x float64) bool { return x >= 0 && x <= 1 })
	f.Text("expand", &o.expand, "first, sum or best")
	f.Text("place", &o.place, "max-margin, min-margin, max-idle, min-idle or random")
	cli.Choice(f, "backfill", &o.backfill, backfillNames...)
	f.Int("reservations", &o.reservations, 1, maxCount, " of jobs")
	f.File("weights", &o.weights)
	f.Float("estimate", &o.estimate, "a number that is not negative, such as 0.5", func(x float64) bool { return x >= 0 && !math.IsInf(x, 1) })
	f.Seed(&o.seed)
	f.Idle(o.ignores)
}

// maxCount bounds numbers of nodes and processors. A product of such a number and
// the seconds of a log fits in an int64.
const maxCount = 1_000_000_000

// Ratios of prices that are taken.
const (
	minRatio = .001
	maxRatio = 1000
)

func (o *options) setMode(s string) error {
	if s == "all" {
		o.modes = inOrder
		return nil
	}
	if i := slices.Index(modeNames[:], s); i >= 0 {
		o.modes = []mode{mode(i)}
		return nil
	}
	return errors.New("want all, " + cli.Series(modeNames[:], "or"))
}

// shows reports whether one of the modes is shown.
func (o *options) shows(modes ...mode) bool {
	return slices.ContainsFunc(o.modes, func(m mode) bool { return slices.Contains(modes, m) })
}

// ignores reports whether a flag changes nothing, given the others. Figures are of all
// modes. -overhead always changes something: the saving is over individual.
func (o *options) ignores(name string) bool {
	elastic := o.shows(sec, hybrid, gce, multi) || o.figures != ""
	switch name {
	case "nodes":
		return !o.shows(local)
	case "waitlimit", "expand":
		return !elastic
	case "short":
		return !elastic || o.expand != schedule.BestSize && o.figures == ""
	case "place":
		return !elastic && !o.shows(nowait)
	case "backfill", "weights":
		return !elastic && !o.shows(local)
	case "reservations":
		return o.backfill != easy || o.ignores("backfill")
	case "resale":
		return !o.shows(hybrid)
	case "portfolio": // of multi alone, see note
		return !o.shows(hybrid, multi) && o.figures == ""
	case "ratio":
		return !o.shows(gce, multi) && o.figures == ""
	case "estimate":
		return len(o.modes) == 1 && o.shows(individual) && o.figures == ""
	case "seed":
		return o.trace != "" && (o.place != placement.Random || o.ignores("place"))
	}
	return false
}
