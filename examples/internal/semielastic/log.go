// Package semielastic runs a log of jobs on the semi-elastic cluster of [Niu16] and on the
// clusters of the paper's comparison, at the prices of 2013.
//
// [Niu16] Niu, Zhai, Ma, Tang, Chen, Zheng, Building Semi-Elastic Virtual Clusters for
// Cost-Effective HPC Cloud Resource Provisioning, IEEE TPDS 27(7), 2016.
package semielastic

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
	"github.com/plimsoll/plimsoll/examples/internal/table"
	"github.com/plimsoll/plimsoll/schedule"
	"github.com/plimsoll/plimsoll/schedule/trace"
	"github.com/plimsoll/plimsoll/schedule/workload"
)

// A Log is the jobs that are run.
type Log struct {
	Name    string
	Jobs    []trace.Job
	Largest int       // index of the first of the largest jobs
	Epoch   time.Time // of time 0; zero where that is not known

	read  *joblog.Log
	about string // of a log that is made up
}

// each yields the jobs one by one.
func (log *Log) each(yield func(trace.Job, error) bool) {
	for i := range log.Jobs {
		if !yield(log.Jobs[i], nil) {
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
	streamLog       = 1
	streamPlacement = 2
	streamOwners    = 4
)

// Load reads the log of -trace, or makes one up, and converts it to jobs that hold instances
// of so many processors. Users overestimate run times by estimate times what the log says.
func Load(path string, processors int, estimate float64, seed uint64, run *cli.Run) (*Log, error) {
	log := &Log{Name: path}
	options := trace.Options{PerInstance: processors, Alpha: &estimate}
	var err error
	if path == "" {
		log.Name = "made-up log"
		log.about = fmt.Sprintf("no -trace, so a made-up log of the Lublin-Feitelson model, seed %d:\n"+
			"  %s jobs on a machine of %s processors", seed, decimal.Int(madeUpJobs), decimal.Int(madeUpProcessors))
		records, e := madeUp(seed)
		if e != nil {
			return nil, e
		}
		log.read, err = joblog.Convert(log.Name, records, options)
	} else {
		log.read, err = joblog.Read("-trace", path, options, run.Line)
	}
	var input *schedule.InputError
	switch {
	case errors.As(err, &input) && input.Field == "Records.Estimate":
		return nil, cli.Mistakef("-estimate %v is too much: %w", estimate, err)
	case err != nil:
		return nil, err
	}
	log.Jobs, log.Epoch = log.read.Jobs, log.read.Start
	for i, j := range log.Jobs {
		if j.Nodes > log.Jobs[log.Largest].Nodes {
			log.Largest = i
		}
	}
	if j := log.Jobs[log.Largest]; j.Nodes > maxInstances {
		return nil, cli.Mistakef("%s: job %d needs %s instances of %s: want at most %s", log.Name, j.ID, decimal.Int(j.Nodes), decimal.Count(processors,
			"processor"), decimal.Int(maxInstances))
	}
	return log, nil
}

// maxInstances is how many instances a job may need: the program takes some 120 bytes of
// memory for each, 1 GB.
const maxInstances = 1 << 23

// busyShare is how much of its time a cluster of enough nodes is busy at most:
// above it the queue of a batch cluster grows long.
const busyShare = 0.8

// Enough returns how many nodes a local cluster has by default: as many as the
// largest job needs, and no fewer than keep up with the load of the time in
// which jobs were submitted.
func (log *Log) Enough() int {
	nodes := log.Jobs[log.Largest].Nodes
	hours := 0.0
	for _, j := range log.Jobs {
		hours += float64(j.Nodes) * j.Run.Hours()
	}
	if span := log.Jobs[len(log.Jobs)-1].Submit - log.Jobs[0].Submit; span > 0 {
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

// Note prints what the jobs are, and which records were left out.
func (log *Log) Note(run *cli.Run) {
	days := (log.Jobs[len(log.Jobs)-1].Submit - log.Jobs[0].Submit).Hours() / 24
	over := 0.0
	for _, j := range log.Jobs {
		over += j.Run.Seconds() / j.Estimate.Seconds()
	}
	about := log.about
	if about == "" {
		about = log.read.About(log.Name)
	}
	j := log.Jobs[log.Largest]
	run.Sayf("%s\n  %s days of submissions; run times are %s%% of their estimates on average\n  the largest job, number %d, needs %s", about,
		decimal.Fixed(days, 1), decimal.Fixed(100*over/float64(len(log.Jobs)), 0), j.ID, decimal.Count(j.Nodes, "instance"))
}

// Title is the name of the log without its folder, fit for one line of a picture.
func (log *Log) Title() string { return table.Title(log.Name) }
