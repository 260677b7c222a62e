// Preempt says which jobs of a partition should lose their nodes, and how much work that
// wastes, by policy and by grace period, on a log of jobs.
//
//	go run ./examples/tools/preempt -trace log.swf -nodes 64 -take 16
//
// The log runs as one batch: its jobs are submitted at once and run first come, first served
// with EASY backfilling. States are those at each end of a job and each -step between two ends.
// In each state some nodes are taken away. If a job loses a node and does not end within the
// grace period, the work of all its nodes is wasted, up to the end of that period. Without a log
// the jobs are made up; -h lists the choices.
//
// Fields of -json: log, policy, grace_s, jobs, states, mean_node_s, p25_node_s, median_node_s,
// p75_node_s and max_node_s (wasted node-seconds of a preemption; quantiles are within 1%),
// over_exact (mean over that of exact; null where exact wastes nothing and the policy does),
// killed_jobs (mean number of jobs that did not end in time), important_node_s and other_node_s
// (means by priority), idle_node_s (mean of the node-seconds that nodes stand idle until the
// grace period ends).
//
// What [Duplyakin17] says of these policies is judged by go run ./examples/papers duplyakin17,
// which also draws the waste by policy and grace period.
package main

import (
	"fmt"
	"math"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/preemptions"
)

var program = &cli.Program[options, *results]{
	Name: "preempt", Usage: usage, Define: define, Work: preemptAll, Text: (*results).text, Rows: (*results).rows,
}

func main() { program.Main() }

const usage = `Usage: go run ./examples/tools/preempt [flags]

Takes nodes away from a partition that runs batch jobs, in each state of the
partition, and says how much work that wastes, and by which policy least.

  -trace FILE          job log, plain or gzip: Standard Workload Format, or accounting
                       of Slurm, PBS or LSF. A processor counts as a node, and jobs
                       of more than -nodes nodes are left out (default: a made-up log)
  -sample N            draw N jobs of the log at random, by -seed, before others are
                       left out (default all)
  -longest D           leave jobs out that run for longer, such as 24h (default none)
  -nodes N             size of the partition (default 20)
  -take N              nodes that are taken away at once (default 10, or all of a
                       smaller partition)
  -grace LIST          grace periods, such as 120s or 20m; 1h..6h stands for 1h, 2h
                       and so on up to 6h (default 120s,30m,1h,6h)
  -policy LIST         all, or some of these (default all)
                       by the values of nodes; the lowest are taken:
                         random     an idle node first, then any
                         fifo       the job that has run longest first
                         lifo       the job that has run shortest first
                         pap        the job with the least run time by nodes first
                         pap+       the same times priority
                         blind      any node: a host that is told nothing
                       by whole jobs, with the knowledge of a live system:
                         requested  a job ends at the run time that its user asked for
                         survival   a job runs as long as earlier jobs of its user
                         corrected  a job runs for that share of its request that
                                    earlier jobs of its user ran for
                       by whole jobs, if each job's end were known:
                         greedy     wastes at most twice the least
                         exact      wastes least
                         exact+     wastes least, weighed with priorities
  -important WHICH     jobs with priority 10, the others having 1: queue=NAME for a
                       queue, its number in a log, random=1% for that share of the
                       jobs, or top=1% for those that ask for the most node-time
                       (default queue=bigmem if made up, random=1% for -trace)
  -overrun N           jobs that have run for longer than their users asked for count
                       an N-th with pap+ and exact+ (default 1)
  -save-every D        each job saves its work each D, and loses only what is not
                       saved when the grace period ends (default never)
  -save-cost D         each job saves when it is asked to, which takes D (default
                       it does not)
  -step D              time between two states while no job ends (default 10m)
  -seed N              of the made-up log, of -sample, -important random= and -policy
                       random (default 1)
  -json                print an array with an object for each policy and grace period
  -h                   print this
`

// options are the flags.
type options struct{ preemptions.Options }

// define defines the flags.
func define(o *options, f *cli.Flags) {
	o.Define(f, "120s,30m,1h,6h", "all", 10*time.Minute)
	o.Made = []string{"peregrine"}
}

// results are those of a log.
type results struct {
	*options
	*preemptions.Result
}

// preemptAll reads the log and scores its states.
func preemptAll(o *options, run *cli.Run) (*results, error) {
	logs, err := o.Load(run)
	if err != nil {
		return nil, err
	}
	o.Note(run, logs)
	r, err := o.Score(logs[0], run)
	if err == nil && r.States == 0 {
		err = fmt.Errorf("%s: all jobs end at once, so that there is no state to preempt in", r.Log.Name)
	}
	return &results{o, r}, err
}

// mean is the mean waste of a preemption, in node-hours.
func (r *results) mean(k preemptions.Kind, grace int) float64 {
	return r.PerState(r.Series[k][grace].Tally.Total().Hours())
}

// killed is the mean number of jobs that do not end in time.
func (r *results) killed(k preemptions.Kind, grace int) float64 {
	return r.PerState(float64(r.Series[k][grace].Tally.Killed()))
}

// idle is how long nodes stand idle until the grace period ends, in node-hours in the mean.
func (r *results) idle(k preemptions.Kind, grace int) float64 {
	return r.PerState(r.Series[k][grace].Idle.Hours())
}

// live reports whether a live system can choose so: it does not know when jobs end.
func live(k preemptions.Kind) bool {
	return k != preemptions.Greedy && k != preemptions.Exact && k != preemptions.ExactPlus
}

// best is the shown policy of a live system that wastes least; -1 if none is shown.
func (r *results) best(grace int) preemptions.Kind {
	best, least := preemptions.Kind(-1), math.Inf(1)
	for k := range preemptions.Kinds {
		if r.Shown[k] && live(k) && r.mean(k, grace) < least {
			best, least = k, r.mean(k, grace)
		}
	}
	return best
}
