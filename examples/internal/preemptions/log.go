package preemptions

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

// A Log is the jobs of one batch.
type Log struct {
	Name      string
	Jobs      []trace.Job
	Requested []time.Duration // by job: what its user asked for, 0 where that is unknown
	Priority  []int
	Important int    // jobs with a high priority
	Which     string // which these are
	Top       bool   // they are those that ask for the most node-time
	all       int    // jobs before any were left out
	tooLarge  int    // jobs that were left out for their nodes
	tooLong   int    // jobs that were left out for their run times
	read      *joblog.Log
}

// Load reads the log, or makes logs up, and gives the jobs their priorities.
func (o *Options) Load(run *cli.Run) ([]*Log, error) {
	var logs []*Log
	if o.Trace != "" {
		read, err := joblog.Read("-trace", o.Trace, trace.Options{}, run.Line)
		if err != nil {
			return nil, err
		}
		logs = append(logs, &Log{Name: o.Trace, Jobs: read.Jobs, Requested: read.Requested, read: read})
	} else {
		for k := range shapes {
			if o.Made != nil && !slices.Contains(o.Made, shapes[k].name) {
				continue
			}
			random := rand.New(rand.NewPCG(o.Seed, uint64(k)))
			log := &Log{Name: shapes[k].name, Jobs: shapes[k].make(random)}
			for _, j := range log.Jobs { // whose manager ends them when that is over
				log.Requested = append(log.Requested, j.Estimate)
			}
			logs = append(logs, log)
		}
	}
	found := false
	for _, log := range logs {
		if log.choose(o); len(log.Jobs) == 0 {
			limits := fmt.Sprintf("-nodes %d", o.Nodes)
			if o.longest > 0 {
				limits += ", -longest " + decimal.Span(o.longest)
			}
			return nil, cli.Mistakef("%s: of %s none is within %s", log.Name, decimal.Count(min(log.all, o.sampleOr(log.all)), "job"), limits)
		}
		log.setPriorities(o.important, o.Seed)
		found = found || log.Important > 0
	}
	if o.important.queue != "" && !found {
		return nil, cli.Mistakef("-important queue=%s: no job is in that queue", o.important.queue)
	}
	return logs, nil
}

func (o *Options) sampleOr(all int) int {
	if o.sample == 0 {
		return all
	}
	return o.sample
}

// choose draws the sample, in the log's order, and leaves out jobs beyond the
// limits.
func (log *Log) choose(o *Options) {
	log.all = len(log.Jobs)
	chosen := rand.New(rand.NewPCG(o.Seed, 7)).Perm(log.all)[:min(log.all, o.sampleOr(log.all))]
	slices.Sort(chosen)
	jobs, requested := log.Jobs, log.Requested
	log.Jobs, log.Requested = nil, nil
	for _, i := range chosen {
		switch j := jobs[i]; {
		case j.Nodes > o.Nodes:
			log.tooLarge++
		case o.longest > 0 && j.Run > o.longest:
			log.tooLong++
		default:
			log.Jobs = append(log.Jobs, j)
			log.Requested = append(log.Requested, max(0, requested[i]))
		}
	}
}

// setPriorities marks the important jobs.
func (log *Log) setPriorities(want important, seed uint64) {
	madeUp := log.read == nil
	if !want.given {
		if want = (important{atRandom: true, share: .01}); madeUp {
			want = important{queue: queueNames[bigmem]}
		}
	}
	log.Priority = make([]int, len(log.Jobs))
	for i := range log.Priority {
		log.Priority[i] = 1
	}
	if want.queue != "" {
		log.Which = "queue " + want.queue
		for i, j := range log.Jobs {
			name := strconv.Itoa(j.Queue)
			if madeUp && j.Queue < len(queueNames) {
				name = queueNames[j.Queue]
			}
			if name == want.queue {
				log.Priority[i] = HighPriority
				log.Important++
			}
		}
		return
	}
	order := rand.New(rand.NewPCG(seed, 8)).Perm(len(log.Jobs))
	log.Which = "at random"
	if !want.atRandom {
		log.Which = "those that ask for the most node-time"
		log.Top = true
		slices.Sort(order)
		asked := func(i int) float64 { return log.Jobs[i].Estimate.Seconds() * float64(log.Jobs[i].Nodes) }
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(asked(b), asked(a)) })
	}
	log.Important = int(math.Round(want.share * float64(len(order))))
	for _, i := range order[:log.Important] {
		log.Priority[i] = HighPriority
	}
}

// Note says what the jobs are, and which were left out.
func (o *Options) Note(run *cli.Run, logs []*Log) {
	if o.Trace == "" {
		run.Sayf("no -trace, so %s, seed %d: run times and nodes have the\n"+
			"  quantiles and means of Table 1 of [Duplyakin17]", decimal.Count(len(logs), "made-up log"), o.Seed)
	}
	for _, log := range logs {
		if log.read != nil {
			log.read.Note(run, log.Name)
		}
		hours := 0.
		for _, j := range log.Jobs {
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
		run.Sayf("%s: %s on %s, %s node-hours%s\n  %s of priority %d (%s)", log.Name, decimal.Count(len(log.Jobs), "job"), decimal.Count(o.Nodes, "node"),
			decimal.Grouped(decimal.Fixed(hours, 0)), text, decimal.Count(log.Important, "job"), HighPriority, log.Which)
	}
}
