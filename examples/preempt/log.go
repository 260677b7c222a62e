package main

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/joblog"
	"github.com/plimsoll/plimsoll/examples/internal/progress"
	"github.com/plimsoll/plimsoll/schedule/trace"
)

// A jobLog is the jobs of one batch.
type jobLog struct {
	name      string
	jobs      []trace.Job
	tooLarge  int // jobs that were left out for their nodes
	priority  []int
	important int    // jobs with a high priority
	which     string // which these are
	read      *joblog.Log
}

// load reads the log, or makes two up, and gives the jobs their priorities.
func (o *options) load(line *progress.Line) ([]*jobLog, error) {
	var logs []*jobLog
	if o.trace != "" {
		read, err := joblog.Read("-trace", o.trace, trace.Options{}, line)
		if err != nil {
			return nil, err
		}
		logs = append(logs, &jobLog{name: o.trace, jobs: read.Jobs, read: read})
	} else {
		for k := range shapes {
			random := rand.New(rand.NewPCG(o.seed, uint64(k)))
			logs = append(logs, &jobLog{name: shapes[k].name, jobs: shapes[k].make(random)})
		}
	}
	found := false
	for _, log := range logs {
		all := len(log.jobs)
		log.jobs = slices.DeleteFunc(log.jobs, func(j trace.Job) bool { return j.Nodes > o.nodes })
		if log.tooLarge = all - len(log.jobs); len(log.jobs) == 0 {
			return nil, cli.Mistakef("%s: all its %s jobs need more than -nodes %d", log.name, decimal.Int(all), o.nodes)
		}
		log.setPriorities(o.important)
		found = found || log.important > 0
	}
	if o.important.queue != "" && !found {
		return nil, cli.Mistakef("-important queue=%s: no job is in that queue", o.important.queue)
	}
	return logs, nil
}

// setPriorities marks the important jobs.
func (log *jobLog) setPriorities(want important) {
	madeUp := log.read == nil
	if !want.given {
		if want = (important{share: .01}); madeUp {
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
	log.which = "those that ask for the most node-time"
	order := make([]int, len(log.jobs))
	for i := range order {
		order[i] = i
	}
	asked := func(i int) float64 { return log.jobs[i].Estimate.Seconds() * float64(log.jobs[i].Nodes) }
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(asked(b), asked(a)) })
	log.important = int(math.Round(want.share * float64(len(order))))
	for _, i := range order[:log.important] {
		log.priority[i] = highPriority
	}
}

// note says on stderr what the jobs are, and what was left out.
func (o *options) note(stderr io.Writer, logs []*jobLog) {
	if o.trace == "" {
		fmt.Fprintf(stderr, "%s: no -trace, so two made-up logs, seed %d: their run times and nodes have the\n"+
			"  quantiles and means of the paper's Table 1, and nothing else of the logs there\n", program, o.seed)
	}
	for _, log := range logs {
		if log.read != nil {
			fmt.Fprintf(stderr, "%s: %s: %v\n", program, log.name, &log.read.Report)
			for _, s := range []struct {
				n    int
				what string
			}{
				{log.read.Stats.Short, "lines of fewer than 18 fields, the rest taken as unknown"},
				{log.read.Stats.Extra, "lines of more than 18 fields, the rest not read"},
				{log.read.Stats.Rounded, "lines with times finer than a nanosecond, rounded"},
			} {
				if s.n > 0 {
					fmt.Fprintf(stderr, "  read: %s: %d\n", s.what, s.n)
				}
			}
		}
		hours := 0.
		for _, j := range log.jobs {
			hours += j.Run.Hours() * float64(j.Nodes)
		}
		fmt.Fprintf(stderr, "%s: %s: %s on %s, %s node-hours", program, log.name,
			decimal.Count(len(log.jobs), "job"), decimal.Count(o.nodes, "node"), decimal.Grouped(decimal.Fixed(hours, 0)))
		if log.tooLarge > 0 {
			fmt.Fprintf(stderr, "; %s too large, left out", decimal.Count(log.tooLarge, "job"))
		}
		fmt.Fprintf(stderr, "\n  %s of priority %d (%s)\n", decimal.Count(log.important, "job"), highPriority, log.which)
	}
}
