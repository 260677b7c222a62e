package main

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/semielastic"
	"github.com/plimsoll/plimsoll/placement"
	"github.com/plimsoll/plimsoll/schedule"
)

// usage is what -h prints.
const usage = `Usage: go run ./examples/tools/sec [flags]

Runs a log of batch jobs on a cluster of cloud instances that grows and shrinks with
its queue, and on the alternatives. Prints waits, costs and the mode to choose.
An instance costs its hourly price for every hour begun.

  -trace FILE          log of jobs: Standard Workload Format, or accounting of Slurm,
                       PBS or LSF, plain or gzip (default: a made-up log)
  -classes FILE        prices and classes of reservations, as for examples/tools/plan
                       (default: EC2's cc2.8xlarge of 2013, $2.40 an hour)
  -cores-per-node N    processors of an instance (default 16); a job gets whole ones
  -estimate X          how far users overestimate run times: 1 as in the log, 0 not
                       at all, 2 twice as far (default 1)
  -seed N              of the made-up log and of -placement random (default 1)

  -mode NAME           all, or one of these (default all)
                         individual  each job on instances of its own
                         nowait      a cluster that grows for each job that cannot start
                         sec         a cluster that grows when the queue waits too long
                         hybrid      sec with instances reserved at EC2
                         gce, multi  sec at Google; sec at both
                         local       a cluster of fixed size, owned
  -portfolio NAME      how hybrid reserves, week by week: online (by a forecast), exact
                       (knowing all) or none; multi never knows (default online)
  -ratio R             price of an instance at Google over that at EC2 (default 1)
  -setup               count the time to configure instances, and to format them
                       when another user's job follows
  -nodes N             size of the local cluster (default: enough for the
                       largest job, and to be busy 80% of the time at most)
  -wait-limit D        sec grows when the first job would wait for longer (default 5m)
  -expansion NAME      for which waiting jobs sec grows: first, sum (all) or best (the
                       long ones and one short one) (default best)
  -short D             up to which estimate a job is short, for best (default 1h)
  -backfill NAME       which waiting job may overtake: easy (one that does not delay the
                       first), conservative (one that delays nobody) or none
                       (default easy)
  -reservations N      easy: how many jobs at the top must not be delayed (default 1)
  -weights FILE        priorities, which order the queue: lines hour,W and node,W and
                       user,NUMBER,W (default: first come, first served)
  -placement NAME      which idle instances a job gets: max-margin or min-margin (paid
                       time left), max-idle or min-idle, or random (default max-margin)

  -json                print an array with an object for each mode
  -svg OUT             write the picture of capacity against use, of one mode: the only
                       one or sec; so are -jobs, -users and -demand
  -jobs OUT            write a line for each job, CSV
  -users OUT           write what each user pays, CSV, and say who pays more than alone
  -demand OUT          write the most instances held in each hour, one number a line
  -h                   print this; go doc ./examples/tools/sec has the forms of files
`

// options are the flags.
type options struct {
	trace    string
	classes  string // "": those of 2013
	cores    int
	estimate float64
	modes    []semielastic.Mode // that are shown
	weights  string

	portfolio semielastic.Buying
	policy    semielastic.Policy // Nodes 0: enough
}

// define defines the flags.
func define(o *options, f *cli.Flags) {
	*o = options{
		cores: instanceProcessors, modes: semielastic.Modes, estimate: 1,
		policy: semielastic.Policy{WaitLimit: 5 * time.Minute, Short: time.Hour, Seed: 1, Ratio: 1, Queue: semielastic.Discipline{Reservations: 1}},
	}
	p := &o.policy
	f.File("trace", &o.trace)
	f.File("classes", &o.classes)
	f.Int("cores-per-node", &o.cores, 1, maxCount, "")
	f.Int("nodes", &p.Nodes, 1, maxCount, "")
	const span = "a span of time that is not negative, such as 90s, 5m or 1h30m"
	notNegative := func(d time.Duration) bool { return d >= 0 }
	f.Span("wait-limit", &p.WaitLimit, span, notNegative)
	f.Span("short", &p.Short, span, notNegative)
	f.Func("mode", o.setMode)
	cli.Choice(f, "portfolio", &o.portfolio, semielastic.BuyNames[:semielastic.BuyNothing+1]...)
	f.Float("ratio", &p.Ratio, fmt.Sprintf("a number from %v to %v, such as 0.8", semielastic.MinRatio, semielastic.MaxRatio),
		func(x float64) bool { return x >= semielastic.MinRatio && x <= semielastic.MaxRatio })
	f.Switch("setup", &p.Overhead)
	f.Text("expansion", &p.Expansion, "first, sum or best")
	f.Text("placement", &p.Placement, "max-margin, min-margin, max-idle, min-idle or random")
	cli.Choice(f, "backfill", &p.Queue.Backfill, semielastic.BackfillNames...)
	f.Int("reservations", &p.Queue.Reservations, 1, maxCount, " of jobs")
	f.File("weights", &o.weights)
	f.Float("estimate", &o.estimate, "a number that is not negative, such as 0.5", func(x float64) bool { return x >= 0 && !math.IsInf(x, 1) })
	f.Seed(&p.Seed)
	f.Idle(o.ignores)
}

// instanceProcessors is how many processors the instance has whose prices are
// used, cc2.8xlarge.
const instanceProcessors = 16

// maxCount bounds numbers of nodes and processors. A product of such a number and
// the seconds of a log fits in an int64.
const maxCount = 1_000_000_000

func (o *options) setMode(s string) error {
	if s == "all" {
		o.modes = semielastic.Modes
		return nil
	}
	if i := slices.Index(semielastic.ModeNames[:], s); i >= 0 {
		o.modes = []semielastic.Mode{semielastic.Mode(i)}
		return nil
	}
	return errors.New("want all, " + cli.Series(semielastic.ModeNames[:], "or"))
}

// shows reports whether one of the modes is shown.
func (o *options) shows(modes ...semielastic.Mode) bool {
	return slices.ContainsFunc(o.modes, func(m semielastic.Mode) bool { return slices.Contains(modes, m) })
}

// ignores reports whether a flag changes nothing, given the others. -overhead always changes
// something: the saving is over individual.
func (o *options) ignores(name string) bool {
	elastic := o.shows(semielastic.SEC, semielastic.Hybrid, semielastic.GCE, semielastic.Multi)
	owned := o.shows(semielastic.Local)
	switch name {
	case "nodes":
		return !owned
	case "wait-limit", "expansion":
		return !elastic
	case "short":
		return !elastic || o.policy.Expansion != schedule.BestSize
	case "placement":
		return !elastic && !o.shows(semielastic.NoWait)
	case "backfill", "weights":
		return !elastic && !owned
	case "reservations":
		return o.policy.Queue.Backfill != semielastic.EASY || o.ignores("backfill")
	case "portfolio":
		return !o.shows(semielastic.Hybrid, semielastic.Multi)
	case "ratio":
		return !o.shows(semielastic.GCE, semielastic.Multi)
	case "estimate":
		return len(o.modes) == 1 && o.shows(semielastic.Individual)
	case "seed":
		return o.trace != "" && (o.policy.Placement != placement.Random || o.ignores("placement"))
	}
	return false
}
