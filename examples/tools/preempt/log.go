package main

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/joblog"
	"github.com/plimsoll/plimsoll/schedule/trace"
)

// A jobLog is the jobs of one batch.
type jobLog struct {
	name      string
	jobs      []trace.Job
	requested []time.Duration // by job: what its user asked for, 0 where that is unknown
	all       int             // jobs before any were left out
	tooLarge  int             // jobs that were left out for their nodes
	tooLong   int             // jobs that were left out for their run times
	priority  []int
	important int    // jobs with a high priority
	which     string // which these are
	top       bool   // they are those that ask for the most node-time
	read      *joblog.Log
}

// load reads the log, or makes two up, and gives the jobs their priorities.
func (o *options) load(run *cli.Run) ([]*jobLog, error) {
	var logs []*jobLog
	if o.trace != "" {
		read, err := joblog.Read("-trace", o.trace, trace.Options{}, run.Line)
		if err != nil {
			return nil, err
		}
		logs = append(logs, &jobLog{name: o.trace, jobs: read.Jobs, requested: read.Requested, read: read})
	} else {
		for k := range shapes {
			random := rand.New(rand.NewPCG(o.seed, uint64(k)))
			log := &jobLog{name: shapes[k].name, jobs: shapes[k].make(random)}
			for _, j := range log.jobs { // whose manager ends them when that is over
				log.requested = append(log.requested, j.Estimate)
			}
			logs = append(logs, log)
		}
	}
	found := false
	for _, log := range logs {
		if log.choose(o); len(log.jobs) == 0 {
			limits := fmt.Sprintf("-nodes %d", o.nodes)
			if o.longest > 0 {
				limits += ", -longest " + decimal.Span(o.longest)
			}
			return nil, cli.Mistakef("%s: of %s none is within %s", log.name, decimal.Count(min(log.all, o.sampleOr(log.all)), "job"), limits)
		}
		log.setPriorities(o.important, o.seed)
		found = found || log.important > 0
	}
	if o.important.queue != "" && !found {
		return nil, cli.Mistakef("-important queue=%s: no job is in that queue", o.important.queue)
	}
	return logs, nil
}

func (o *options) sampleOr(all int) int {
	if o.sample == 0 {
		return all
	}
	return o.sample
}

// choose draws the sample, in the log's order, and leaves out jobs beyond the
// limits.
func (log *jobLog) choose(o *options) {
	log.all = len(log.jobs)
	chosen := rand.New(rand.NewPCG(o.seed, 7)).Perm(log.all)[:min(log.all, o.sampleOr(log.all))]
	slices.Sort(chosen)
	jobs, requested := log.jobs, log.requested
	log.jobs, log.requested = nil, nil
	for _, i := range chosen {
		switch j := jobs[i]; {
		case j.Nodes > o.nodes:
			log.tooLarge++
		case o.longest > 0 && j.Run > o.longest:
			log.tooLong++
		default:
			log.jobs = append(log.jobs, j)
			log.requested = append(log.requested, max(0, requested[i]))
		}
	}
}

// setPriorities marks the important jobs.
func (log *jobLog) setPriorities(want important, seed uint64) {
	madeUp := log.read == nil
	if !want.given {
		if want = (important{atRandom: true, share: .01}); madeUp {
			want = important{queue: queueNames[bigmem]}
		}
	}
	log.priority = make([]int, len(log.jobs))
	for i := range log.priority {
		log.priority[i] = 1
	}
	if want.queue != "" {
		log.which = "queue " + want.queue
		for i, j := range log.jobs {
			name := strconv.Itoa(j.Queue)
			if madeUp && j.Queue < len(queueNames) {
				name = queueNames[j.Queue]
			}
			if name == want.queue {
				log.priority[i] = highPriority
				log.important++
			}
		}
		return
	}
	order := rand.New(rand.NewPCG(seed, 8)).Perm(len(log.jobs))
	log.which = "at random"
	if !want.atRandom {
		log.which = "those that ask for the most node-time"
		log.top = true
		slices.Sort(order)
		asked := func(i int) float64 { return log.jobs[i].Estimate.Seconds() * float64(log.jobs[i].Nodes) }
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(asked(b), asked(a)) })
	}
	log.important = int(math.Round(want.share * float64(len(order))))
	for _, i := range order[:log.important] {
		log.priority[i] = highPriority
	}
}

// note says what the jobs are, and which were left out.
func (o *options) note(run *cli.Run, logs []*jobLog) {
	if o.trace == "" {
		run.Sayf("no -trace, so two made-up logs, seed %d: their run times and nodes have the\n"+
			"  quantiles and means of the paper's Table 1, and nothing else of the logs there", o.seed)
	}
	for _, log := range logs {
		if log.read != nil {
			log.read.Note(run, log.name)
		}
		hours := 0.
		for _, j := range log.jobs {
			hours += j.Run.Hours() * float64(j.Nodes)
		}
		text := ""
		if o.sample > 0 {
			text += fmt.Sprintf("; a sample of %s of %s", decimal.Count(min(o.sample, log.all), "job"), decimal.Int(log.all))
		}
		if log.tooLarge > 0 {
			text += fmt.Sprintf("; %s too large, left out", decimal.Count(log.tooLarge, "job"))
		}
		if log.tooLong > 0 {
			text += fmt.Sprintf("; %s too long, left out", decimal.Count(log.tooLong, "job"))
		}
		run.Sayf("%s: %s on %s, %s node-hours%s\n  %s of priority %d (%s)", log.name, decimal.Count(len(log.jobs), "job"), decimal.Count(o.nodes, "node"),
			decimal.Grouped(decimal.Fixed(hours, 0)), text, decimal.Count(log.important, "job"), highPriority, log.which)
	}
}
