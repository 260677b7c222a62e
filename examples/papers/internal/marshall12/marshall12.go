// Package marshall12 repeats the evaluation of [Marshall12]: 64 local cores, a private cloud of
// at most 512 instances that refuses requests, and a commercial cloud at $0.085 an hour, under
// six policies, with 30 samples of each of two workloads. It also tries what the paper leaves
// open.
//
// Reference: [Marshall12] Marshall, Tufo, Keahey, Provisioning Policies for Elastic
// Computing Environments, IPDPS Workshops 2012, section V.
package marshall12

import (
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/jsonrows"
	"github.com/plimsoll/plimsoll/examples/internal/renting"
	"github.com/plimsoll/plimsoll/examples/internal/table"
	"github.com/plimsoll/plimsoll/examples/papers/internal/claim"
	"github.com/plimsoll/plimsoll/schedule/elastic"
	"github.com/plimsoll/plimsoll/schedule/trace"
)

const usage = `Usage: go run ./examples/papers marshall12 [flags]

The evaluation of [Marshall12], section V: response times, costs and core-hours of six
policies (its Figs. 2 to 4), and its claims beside ours.

  -workload NAME       feitelson or grid5000 (default: both)
  -arrivals NAME       of feitelson: poisson (evenly spread) or campaigns (in about ten
                       bursts) (default poisson)
  -reject LIST         rates at which the private cloud refuses (default 0.1,0.9)
  -runs N              samples, the same for all policies (default 30)
  -seed N              of the samples, the refusals and the boot times (default 1)
  -local N             cores of the local cluster (default 64)
  -budget AMOUNT       credits in dollars an hour (default 5)
  -debt X              how far launches may overdraw the credits (default 0.085)
  -every D             time between two decisions (default 5m)
  -horizon D           end of the simulated time (default 1,100,000 s)
  -policy LIST         all, or some of sm, od, od++, aqtp and mcop-20-80 (default all)

What the paper leaves open
  -launch NAME         what od and od++ launch for (default printed, which fits Fig. 4)
                         jobs     each job in one cloud, a part of a job where it is
                                  free; credits are saved for the first job
                         printed  the cores of all jobs together, until the credits are
                                  gone
  -keep-free           od, od++, aqtp and mcop keep idle instances of free clouds
  -refuse NAME         clouds refuse instances one by one (one) or a request as a whole
                       (whole) (default one)
  -covered             start a job only if the credits cover its estimate
  -queue NAME          fcfs or easy (default fcfs)
  -response, -threshold, -least, -first, -most
                       of aqtp: r, θ, and the fewest, first and greatest number of jobs
                       n (default 2h, 45m, 1, -least, no bound)
  -search NAME         of mcop: genetic, or exact for up to 20 jobs (default genetic)
  -population, -generations, -mutation, -crossover
                       of the genetic search (default 30, 20, 0.031, 0.8)
  -choices             print instead what each other value of these choices moves, and
                       the claims with -launch printed and jobs

  -json                print the claims as an array of objects
  -results OUT         write an object for each policy, workload, rate and choice; the
                       keys are those of examples/tools/elastic, and reject and choice
  -svg OUT             write a picture of Figs. 2 to 4
  -h                   print this
`

// options are the flags.
type options struct {
	renting.Options
	reject  []float64
	choices bool
}

// results are the cells, those of the choices, and how bursty the samples are.
type results struct {
	*renting.Results
	choices []choice
	bursts  map[*renting.Source]int // samples whose jobs would fill more than SM holds if nobody waited
}

var program = &cli.Program[options, *results]{
	Name: "papers marshall12", Usage: usage, Define: define, Work: evaluate, Text: (*results).text, Rows: (*results).rows,
	Files: []cli.File[*results]{
		{Flag: "svg", Write: func(r *results, w io.Writer) error { return r.WriteSVG(w) }},
		{Flag: "results", Write: (*results).writeResults},
	},
}

// Paper is the subcommand.
var Paper = claim.Paper{Name: "marshall12", About: "policies that rent instances on a budget", Run: program.Run}

var (
	launchNames = []string{"jobs", "printed"}
	refuseNames = []string{"one", "whole"}
)

const maxRates = 100

// define defines the flags.
func define(o *options, f *cli.Flags) {
	o.Define(f)
	o.reject, o.Launch = []float64{.1, .9}, renting.LaunchPrinted
	f.Text("arrivals", &o.Arrivals, "poisson or campaigns")
	cli.List(f, "reject", &o.reject, maxRates, func(part string) (float64, error) {
		x, err := strconv.ParseFloat(part, 64)
		if err != nil || !(x >= 0 && x <= 1) {
			return 0, fmt.Errorf("%q is no rejection rate: want numbers from 0 to 1, such as 0.1,0.9", part)
		}
		return x, nil
	})
	cli.Choice(f, "launch", &o.Launch, launchNames...)
	cli.Choice(f, "refuse", &o.Refuse, refuseNames...)
	f.Switch("keep-free", &o.KeepFree)
	f.Int("first", &o.AQTP.Start, 1, 100_000, " of jobs")
	f.Int("population", &o.MCOP.Population, 3, 10_000, "")
	f.Int("generations", &o.MCOP.Generations, 1, 10_000, "")
	for name, to := range map[string]*float64{"mutation": &o.MCOP.Mutation, "crossover": &o.MCOP.Crossover} {
		f.Float(name, to, "a probability above 0, up to 1", func(x float64) bool { return x > 0 && x <= 1 })
	}
	f.Switch("choices", &o.choices)
	f.Idle(func(name string) bool {
		switch name {
		case "arrivals":
			return o.Workload == renting.Grid5000
		case "launch":
			return !o.Has(renting.OD, renting.ODPlus)
		case "keep-free":
			return !o.Has(renting.OD, renting.ODPlus, renting.AQTP, renting.MCOP)
		case "first":
			return !o.Has(renting.AQTP)
		case "population", "generations", "mutation", "crossover":
			return !o.Has(renting.MCOP)
		}
		return o.Idle(name)
	})
}

// evaluate runs the policies on both workloads at each rate.
func evaluate(o *options, run *cli.Run) (*results, error) {
	var setups []*renting.Setup
	for _, x := range o.reject {
		setups = append(setups, &renting.Setup{Clouds: elastic.Marshall12Clouds(x), Lab: true, Reject: x})
	}
	all, err := o.Evaluate(o.Samples(), setups, run)
	if err != nil {
		return nil, err
	}
	r := &results{Results: all, bursts: map[*renting.Source]int{}}
	if err := r.countBursts(); err != nil {
		return nil, err
	}
	if o.choices {
		err = r.evaluateChoices(run)
	}
	return r, err
}

// sustained is the number of cores that SM always holds under the paper's budget.
const sustained = 64 + 512 + 58

// countBursts counts the samples that would fill more than SM holds.
func (r *results) countBursts() error {
	for _, s := range r.Sources {
		for k := range r.Opts.Runs {
			jobs, err := r.Opts.Jobs(s, k)
			if err != nil {
				return err
			}
			demand, err := trace.AppendDemand(nil, jobs, nil, trace.DemandOptions{})
			if err != nil {
				return err
			}
			if slices.Max(demand) > sustained {
				r.bursts[s]++
			}
		}
	}
	return nil
}

// rows are the claims.
func (r *results) rows() any { return r.claims() }

// writeResults writes an object for each cell, and for each of a choice.
func (r *results) writeResults(w io.Writer) error {
	var rows []jsonrows.Row
	for i := range r.Cells {
		rows = append(rows, r.Cells[i].Row())
	}
	for _, c := range r.choices {
		for i := range c.moved.Cells {
			rows = append(rows, append(jsonrows.Row{"choice", c.flag}, c.moved.Cells[i].Row()...))
		}
	}
	return jsonrows.Write(w, rows)
}

// text writes tables for each workload and rate, and the claims.
func (r *results) text(w *table.Page) error {
	for _, s := range r.Sources {
		for _, at := range r.Setups {
			w.Printf("%s; %v\n\n", s.Title(), at)
			if r.choices != nil {
				r.tabulateChoices(w, s, at)
				continue
			}
			r.Tables(w, s, at)
		}
	}
	r.Notes(w)
	w.Sayf("The rules that the paper leaves open: %s.", rules(r.Opts))
	if list := r.claims(); list != nil {
		w.Printf("\n")
		claim.Write(w, list)
	}
	for _, c := range r.choices {
		if c.flag == asPrinted || c.flag == asJobs {
			w.Printf("\nWith %s:\n\n", c.flag)
			claim.Write(w, r.with(c).claims())
		}
	}
	return nil
}
