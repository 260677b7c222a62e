// Package duplyakin17 puts the claims of [Duplyakin17] on the preemption of nodes beside the
// results of a log of jobs: single preemptions in each state of a batch, by policy and by grace
// period, with stale values, with ten times the nodes, and in sequences through the exchange of
// package preempt/exchange, with jobs that start again and fewer nodes meanwhile.
//
// [Duplyakin17] Duplyakin, Johnson, Ricci, The Part-Time Cloud: Enabling Balanced Elasticity
// Between Diverse Computing Environments, ScienceCloud 2017.
package duplyakin17

import (
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/preemptions"
	"github.com/plimsoll/plimsoll/examples/internal/table"
	"github.com/plimsoll/plimsoll/examples/papers/internal/claim"
)

// Paper is the subcommand.
var Paper = claim.Paper{Name: "duplyakin17", About: "nodes that a cluster takes from running jobs", Run: program.Run}

var program = &cli.Program[options, *results]{
	Name: "papers duplyakin17", Usage: usage, Define: define, Work: work, Text: (*results).text,
	Rows:  func(r *results) any { return r.claims },
	Files: []cli.File[*results]{{Flag: "svg", Write: (*results).writeSVG}},
}

const usage = `Usage: go run ./examples/papers duplyakin17 [flags]

The claims of [Duplyakin17] beside ours: what it wastes to take nodes from running jobs,
by policy, grace period and age of the values, and in sequences. A number comes out if
it is within 10% of the paper's, where no other bound is given, and in part if it has
the same sign; an order comes out if it holds.

  -trace FILE          job log: Standard Workload Format, or accounting of Slurm, PBS or
                       LSF, plain or gzip (default: two made-up logs with the quantiles
                       of the paper's Table 1, htc and peregrine)
  -sample N            draw N jobs of each log at random, by -seed, before others are
                       left out (default all; the paper's samples have 10000)
  -longest D           leave jobs out that run for longer, such as 24h (default none)
  -nodes N             size of the partition (default 20)
  -take N              nodes that are taken away at once (default 10, or all of a
                       smaller partition)
  -important WHICH     jobs with priority 10, the others having 1: queue=NAME,
                       random=1% or top=1% (default queue=bigmem in the made-up log
                       peregrine, none in htc, and random=1% for -trace)
  -overrun N           jobs beyond the run time that they asked for count an N-th with
                       pap+ (default 1)
  -save-every D        each job saves its work each D (default never)
  -save-cost D         each job saves when it is asked to, which takes D (default it
                       does not)
  -step D              time between two states while no job ends (default 5m; the
                       paper's is 30s)
  -grace LIST          grace periods of the pictures (default 60s,120s,20m,30m,1h..6h)
  -policy LIST         policies of the pictures, as of go run ./examples/tools/preempt
                       (default random,fifo,lifo,pap,pap+)
  -seed N              of the made-up logs, of draws and of sequences (default 1)
  -json                print an array with an object for each claim: on, place, claim,
                       paper, ours, came_out (yes, in part or no) and why
  -svg OUT             draw Figs. 3 to 6: the waste by policy and grace period, the
                       values of nodes over time, and what priorities save and cost
  -h                   print this
`

// options are the flags.
type options struct{ preemptions.Options }

// define defines the flags.
func define(o *options, f *cli.Flags) {
	o.Define(f, "60s,120s,20m,30m,1h..6h", "random,fifo,lifo,pap,pap+", 5*time.Minute)
}

// results are the claims on all logs.
type results struct {
	*options
	run    *cli.Run
	logs   []*preemptions.Result // for pictures
	claims []claim.Claim
	beyond []string // the paper
}

// work judges each log.
func work(o *options, run *cli.Run) (*results, error) {
	logs, err := o.Load(run)
	if err != nil {
		return nil, err
	}
	o.Note(run, logs)
	o.Draw = run.Asked("svg")
	r := &results{options: o, run: run}
	for _, log := range logs {
		list, beyond, err := o.judge(log, run)
		if err != nil {
			return nil, cli.Mistakef("%s: %w", log.Name, err)
		}
		for i := range list {
			list[i].On = table.Title(log.Name)
		}
		r.claims = append(r.claims, list...)
		for _, x := range beyond {
			r.beyond = append(r.beyond, table.Title(log.Name)+": "+x)
		}
		if !o.Draw {
			continue
		}
		x, err := o.Score(log, run)
		if err != nil {
			return nil, err
		}
		r.logs = append(r.logs, x)
	}
	return r, nil
}

func (r *results) text(w *table.Page) error {
	claim.Write(w, r.claims)
	w.Printf("\nNot in the paper:\n")
	for _, x := range r.beyond {
		w.Sayf("- %s", x)
	}
	return nil
}
