package main

import (
	"errors"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/joblog"
	"github.com/plimsoll/plimsoll/examples/internal/progress"
	"github.com/plimsoll/plimsoll/examples/internal/renting"
	"github.com/plimsoll/plimsoll/schedule/trace"
)

// usage is what -h prints.
const usage = `Usage: go run ./examples/tools/elastic [flags]

Which policy rents instances best: runs jobs on a local cluster and clouds, under
policies that decide every few minutes what to rent on an hourly budget [Marshall12].
go doc ./examples/tools/elastic has the columns of -clouds and the keys of -json.

  -trace FILE          job log, plain or gzip: SWF, Slurm, PBS or LSF (default: samples)
  -workload NAME       samples: feitelson or grid5000 (default feitelson)
  -runs N              runs of each policy (default 5)
  -seed N              of the samples, the refusals and the boot times (default 1)

  -local N             cores of the local cluster (default 64)
  -clouds FILE         clouds, a line each (default: private, 128 free instances, which
                       refuses 10%; and commercial, without a limit, at $0.0513 an hour,
                       a core of c7a.medium)
  -budget AMOUNT       credits in dollars an hour, at most 1000 (default 5)
  -debt X              how far launches may overdraw the credits (default 0.085)
  -covered             start a job only if the credits cover it to the end of its
                       estimate; not with spot clouds, data transfer, -overhead or a
                       release
  -every D             time between two decisions, from 1s (default 5m)
  -horizon D           end of the simulated time (default: 1,100,000 s of a sample, and
                       the last job of a log)
  -overhead D          how much longer than its run time a job holds its instances, such
                       as 4s or 4s±2s; elasticd of examples/services/slurm measures it
                       and -lead (default: none)
  -lead D              how much earlier than they fall policies see charges, less than
                       1h (default 0s)

  -policy LIST         all, or some of these (default all)
                         sm          sustained maximum: as much as the budget allows
                         od          on demand, for all waiting jobs
                         od++        od that keeps an instance until its hour ends
                         aqtp        holds the queued time near a response
                         mcop-20-80  weighs cost by 20% and queued time by 80%; any
                                     weights that sum to 100
  -queue NAME          fcfs, or easy, where a job may overtake if by the estimates it
                       does not delay the first job (default fcfs)
  -response D          of aqtp: the queued time that it aims at (default 2h)
  -threshold D         of aqtp: how far from it aqtp changes nothing (default 45m)
  -least N             of aqtp: the fewest jobs that it serves (default 1)
  -most N              of aqtp: the most jobs (default: no bound)
  -search NAME         of mcop: genetic (the paper's) or exact (the true front of up to
                       20 jobs, else genetic) (default genetic)
  -tolerance X         the decision is for the cheapest policy whose response time is
                       at most this share above the lowest (default 0.1)

  -json                print an array with an object for each policy
  -svg OUT             write a picture: response times, core-hours and cost
  -credits OUT         write the credits over time
  -decisions OUT       write the decisions of the first run and their reasons
  -h                   print this
`

// options are the flags.
type options struct {
	renting.Options
	trace     string
	clouds    string // a file; "" for the default
	tolerance float64
}

// define defines the flags.
func define(o *options, f *cli.Flags) {
	o.Define(f)
	o.Runs, o.Workload, o.tolerance = 5, renting.Feitelson, .1
	f.File("trace", &o.trace)
	f.File("clouds", &o.clouds)
	f.Span("lead", &o.Lead, "a span of time from 0s and below 1h, such as 2m", func(d time.Duration) bool { return d >= 0 && d < time.Hour })
	f.Func("overhead", func(s string) (err error) {
		o.Overhead, err = renting.ParseDelay(s)
		return err
	})
	f.Float("tolerance", &o.tolerance, "a share that is not negative, such as 0.1", func(x float64) bool { return x >= 0 && x <= 1000 })
	f.Check(func() error {
		if f.Given("overhead") && o.Budget.Covered {
			return errors.New("-overhead with -covered: want one of them")
		}
		return nil
	})
	f.Idle(func(name string) bool { return name == "workload" && o.trace != "" || o.Idle(name) })
}

// jobs returns what is to be run.
func (o *options) jobs(line *progress.Line) (*renting.Source, error) {
	if o.trace == "" {
		return o.Samples()[0], nil
	}
	log, err := joblog.Read("-trace", o.trace, trace.Options{PerInstance: 1}, line)
	if err != nil {
		return nil, err
	}
	return &renting.Source{Name: o.trace, Log: log, Horizon: o.Horizon}, nil
}
