package main

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/joblog"
	"github.com/plimsoll/plimsoll/schedule/trace"
	"github.com/plimsoll/plimsoll/schedule/workload"
)

// jobLog is the jobs that are run.
type jobLog struct {
	name    string
	jobs    []trace.Job
	largest int       // index of the first of the largest jobs
	epoch   time.Time // of time 0; zero where that is not known
	read    *joblog.Log
}

// each yields the jobs one by one.
func (log *jobLog) each(yield func(trace.Job, error) bool) {
	for i := range log.jobs {
		if !yield(log.jobs[i], nil) {
			return
		}
	}
}

// The made-up log: eight weeks or so of a machine with 1,024 processors, on which
// small and short jobs are frequent enough to share instances.
const (
	madeUpJobs       = 8000
	madeUpProcessors = 1024
	madeUpUsers      = 40
)

// Streams of randomness from one seed.
const (
	streamLog = 1 + iota
	streamPlacement
	streamUsers // whose seed is always 1
	streamOwners
)

// load reads the log, or makes one up, and converts it to jobs that hold
// instances.
func (o *options) load(run *cli.Run) (*jobLog, error) {
	log := &jobLog{name: "made-up log"}
	options := trace.Options{PerInstance: o.cores, Alpha: trace.NewAlpha(o.estimate)}
	var err error
	if o.trace == "" {
		records, e := madeUp(o.seed)
		if e != nil {
			return nil, e
		}
		log.read, err = joblog.Convert(log.name, records, options)
	} else {
		log.name = o.trace
		log.read, err = joblog.Read("-trace", o.trace, options, run.Line)
	}
	var input *trace.InputError
	switch {
	case errors.As(err, &input) && input.Field == "Records.Estimate":
		return nil, cli.Mistakef("-estimate %v is too much: %w", o.estimate, err)
	case err != nil:
		return nil, err
	}
	log.jobs, log.epoch = log.read.Jobs, log.read.Start
	for i, j := range log.jobs {
		if j.Nodes > log.jobs[log.largest].Nodes {
			log.largest = i
		}
	}
	if j := log.jobs[log.largest]; j.Nodes > maxInstances {
		return nil, cli.Mistakef("%s: job %d needs %s instances of %s: want at most %s", log.name, j.ID, decimal.Int(j.Nodes), decimal.Count(o.cores, "processor"), decimal.Int(maxInstances))
	}
	return log, nil
}

// maxInstances is how many instances a job may need: the program takes some 120 bytes of
// memory for each, 1 GB.
const maxInstances = 1 << 23

// busyShare is how much of its time a cluster of enough nodes is busy at most:
// above it the queue of a batch cluster grows long.
const busyShare = 0.8

// enough returns how many nodes a local cluster has by default: as many as the
// largest job needs, and no fewer than keep up with the load of the time in
// which jobs were submitted.
func (log *jobLog) enough() int {
	nodes := log.jobs[log.largest].Nodes
	hours := 0.0
	for _, j := range log.jobs {
		hours += float64(j.Nodes) * j.Run.Hours()
	}
	if span := log.jobs[len(log.jobs)-1].Submit - log.jobs[0].Submit; span > 0 {
		if n := math.Ceil(hours / span.Hours() / busyShare); n > float64(nodes) && n <= maxInstances {
			nodes = int(n)
		}
	}
	return nodes
}

// madeUp returns records as a log of the Lublin-Feitelson model would have
// them, with estimates of users who ask for round times and too much of them.
func madeUp(seed uint64) (iter.Seq2[trace.Record, error], error) {
	random := rand.New(rand.NewPCG(seed, streamLog))
	jobs, err := workload.AppendLublin(nil, random, madeUpJobs, workload.Options{Nodes: madeUpProcessors})
	if err == nil {
		err = workload.EstimatesTo(jobs, jobs, random, workload.DefaultFactor)
	}
	if err != nil {
		return nil, err
	}
	workload.UsersTo(jobs, jobs, rand.New(rand.NewPCG(seed, streamOwners)), madeUpUsers)
	return func(yield func(trace.Record, error) bool) {
		for _, j := range jobs {
			r := trace.Record{
				ID:            j.ID,
				Submit:        j.Submit,
				Run:           j.Run,
				Processors:    j.Nodes,
				ReqProcessors: j.Nodes,
				ReqTime:       j.Estimate,
				Status:        trace.StatusCompleted,
				User:          j.User,
				Queue:         j.Queue,
			}
			if !yield(r, nil) {
				return
			}
		}
	}, nil
}

// note prints what the jobs are, and which records were left out.
func (o *options) note(run *cli.Run, log *jobLog) {
	days := decimal.Fixed((log.jobs[len(log.jobs)-1].Submit-log.jobs[0].Submit).Hours()/24, 1)
	over := 0.0
	for _, j := range log.jobs {
		over += j.Run.Seconds() / j.Estimate.Seconds()
	}
	accuracy := fmt.Sprintf("run times are %s%% of their estimates on average", decimal.Fixed(100*over/float64(len(log.jobs)), 0))
	text := fmt.Sprintf("no -trace, so a made-up log: %s jobs in %s days\n"+
		"  on a machine of %s processors, Lublin-Feitelson model, batch and interactive jobs,\n"+
		"  seed %d; %s", decimal.Int(len(log.jobs)), days, decimal.Int(madeUpProcessors), o.seed, accuracy)
	if o.trace != "" {
		text = fmt.Sprintf("%s\n  %s days of submissions; %s", log.read.About(log.name), days, accuracy)
	}
	j := log.jobs[log.largest]
	run.Sayf("%s\n  the largest job, number %d, needs %s of %s", text, j.ID, decimal.Count(j.Nodes, "instance"), decimal.Count(o.cores, "processor"))
	if (o.portfolio == buyOffline || o.portfolio == buyExact) && (o.shows(multi) || o.figures != "") {
		run.Sayf("note: -portfolio %v is for hybrid, multi reserves online", o.portfolio)
	}
}
