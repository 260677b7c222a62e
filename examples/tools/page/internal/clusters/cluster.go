package clusters

import (
	"errors"
	"fmt"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/tools/page/internal/ask"
	"github.com/plimsoll/plimsoll/placement"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule"
	"github.com/plimsoll/plimsoll/schedule/sim"
	"github.com/plimsoll/plimsoll/schedule/trace"
)

// clusterQuestion asks what becomes of jobs on an elastic cluster.
type clusterQuestion struct {
	Jobs      jobList            `json:"jobs"`
	Mode      sim.Mode           `json:"mode"`
	WaitLimit string             `json:"wait_limit"` // minutes
	Expansion schedule.Expansion `json:"expansion"`
	Placement placement.Policy   `json:"placement"`
}

// minutes reads a time in minutes.
func minutes(field, text string) (time.Duration, error) {
	x, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || !(x >= 0 && x <= 10_000) {
		return 0, ask.Mistakef(field, "%s: want a number of minutes from 0 to 10,000", ask.Quote(text))
	}
	return time.Duration(x * float64(time.Minute)).Round(time.Second), nil
}

func (q *clusterQuestion) options() (o sim.Options, err error) {
	if o.WaitLimit, err = minutes("wait_limit", q.WaitLimit); err != nil {
		return o, err
	}
	if o.WaitLimit == 0 {
		o.WaitLimit = schedule.AtOnce
	}
	if q.Placement == placement.Random {
		return o, ask.Mistakef("placement", "random: want a placement that does not depend on chance")
	}
	o.Mode, o.Expansion, o.Placement = q.Mode, q.Expansion, q.Placement
	return o, nil
}

// enough returns how many nodes a cluster of a fixed size has: as examples/tools/sec.
func enough(jobs []trace.Job) int {
	nodes, hours := 0, 0.0
	for _, j := range jobs {
		nodes = max(nodes, j.Nodes)
		hours += float64(j.Nodes) * j.Run.Hours()
	}
	if span := jobs[len(jobs)-1].Submit - jobs[0].Submit; span > 0 {
		n := hours / span.Hours() / .8
		whole := int(n)
		if float64(whole) < n {
			whole++
		}
		nodes = max(nodes, whole)
	}
	return nodes
}

// clusterAnswer is the day.
type clusterAnswer struct {
	Cost      ask.Amount `json:"cost"`
	Rate      ask.Amount `json:"rate"` // of an instance-hour
	Wait      float64    `json:"wait"` // mean, in seconds
	Slowdown  float64    `json:"slowdown"`
	Used      float64    `json:"used"` // of what was charged for
	Hours     float64    `json:"hours"`
	Peak      int        `json:"peak"`
	Jobs      int        `json:"jobs"`
	Starts    ask.Ints   `json:"starts"` // by job, in seconds
	At        ask.Ints   `json:"at"`     // of the levels, in seconds
	Held      ask.Ints   `json:"held"`
	Busy      ask.Ints   `json:"busy"`
	QueueAt   ask.Ints   `json:"queue_at"`
	QueueJobs ask.Ints   `json:"queue_jobs"`
	Queue     ask.Ints   `json:"queue"`   // instances that waiting jobs need
	Charged   ask.Ints   `json:"charged"` // by hour
	Grows     []grow     `json:"grows"`
}

// A grow is a growth of the cluster, and why the autoscaler wanted it.
type grow struct {
	At      int    `json:"at"`
	By      int    `json:"by"`
	Cause   string `json:"cause"`
	Job     int    `json:"job"`  // the first of the queue
	Need    int    `json:"need"` // its instances
	Have    int    `json:"have"` // of the cluster, before
	Wait    int    `json:"wait"` // predicted, in seconds
	Waiting int    `json:"waiting"`
	Wanted  int    `json:"wanted"` // by the autoscaler, asked again at that moment
}

var simulator sim.Simulator

// hourly is what an instance costs for each hour begun: EC2's cc2.8xlarge in 2013.
const hourly = 2400 * pricing.Milli

func run(jobs []trace.Job, o sim.Options) (sim.Result, error) {
	o.Hourly = hourly
	r, err := simulator.Run(jobs, o)
	if err != nil {
		return r, ask.FieldOf(err, map[string]string{"Jobs": "jobs", "WaitLimit": "wait_limit"}, "jobs")
	}
	return r, nil
}

func cluster(q *clusterQuestion) (*clusterAnswer, error) {
	jobs, err := q.Jobs.jobs()
	if err != nil {
		return nil, err
	}
	o, err := q.options()
	if err != nil {
		return nil, err
	}
	if o.Mode == sim.Local {
		o.Nodes = enough(jobs)
	}
	r, err := run(jobs, o)
	if err != nil {
		return nil, err
	}
	a := &clusterAnswer{
		Cost: ask.Money(r.Cost), Rate: ask.Money(hourly), Wait: r.MeanWait.Seconds(), Slowdown: r.MeanSlowdown, Used: r.Utilisation, Hours: r.ChargedHours, Peak: r.Peak, Jobs: r.Jobs,
		Grows: []grow{},
	}
	for _, s := range r.Starts {
		a.Starts = append(a.Starts, int(s/time.Second))
	}
	for _, l := range r.Levels {
		a.At, a.Held, a.Busy = append(a.At, int(l.At/time.Second)), append(a.Held, l.Held), append(a.Busy, l.Busy)
	}
	if len(r.Clouds) > 0 {
		a.Charged = r.Clouds[0].Hours
	}
	a.queue(jobs, r.Starts)
	if o.Mode == sim.SEC {
		a.explain(jobs, &r, &o)
	}
	return a, nil
}

// queue counts what waits.
func (a *clusterAnswer) queue(jobs []trace.Job, starts []time.Duration) {
	type change struct {
		at         time.Duration
		jobs, need int
	}
	var list []change
	for i, j := range jobs {
		if starts[i] > j.Submit {
			list = append(list, change{j.Submit, 1, j.Nodes}, change{starts[i], -1, -j.Nodes})
		}
	}
	sort.SliceStable(list, func(i, k int) bool { return list[i].at < list[k].at })
	n, need := 0, 0
	for i, c := range list {
		n, need = n+c.jobs, need+c.need
		if i+1 == len(list) || list[i+1].at > c.at {
			a.QueueAt, a.QueueJobs, a.Queue = append(a.QueueAt, int(c.at/time.Second)), append(a.QueueJobs, n), append(a.Queue, need)
		}
	}
}

// explain asks the autoscaler again at each growth of the cluster: with the jobs that ran and
// waited at that moment, and the instances that were up.
func (a *clusterAnswer) explain(jobs []trace.Job, r *sim.Result, o *sim.Options) {
	scaler := schedule.Autoscaler{WaitLimit: o.WaitLimit, Expansion: o.Expansion}
	type boot struct {
		ready time.Duration
		n     int
	}
	var boots []boot
	before := 0
	for _, l := range r.Levels {
		by := l.Held - before
		have := before
		before = l.Held
		if by <= 0 {
			continue
		}
		now := l.At
		s := schedule.Snapshot{Now: now}
		busy := 0
		for i, j := range jobs {
			if j.Submit > now {
				break
			}
			job := schedule.Job{ID: j.ID, User: j.User, Submit: j.Submit, Estimate: j.Estimate, Nodes: j.Nodes}
			switch start := r.Starts[i]; {
			case start > now:
				s.Waiting = append(s.Waiting, job)
			case start+j.Run > now:
				s.Running = append(s.Running, schedule.Allocation{Job: job, Start: start})
				busy += j.Nodes
			}
		}
		for _, b := range boots {
			if b.ready > now {
				for range b.n {
					s.Booting = append(s.Booting, b.ready)
				}
			}
		}
		s.Idle = max(0, have-busy-len(s.Booting))
		boots = append(boots, boot{now + sim.MeasuredBoot(by), by})
		_, view := scaler.Predict(&s)
		verdict := scaler.Decide(nil, &view)
		a.Grows = append(a.Grows, grow{
			At: int(now / time.Second), By: by, Cause: verdict.Cause, Job: int(view.Top.ID), Need: view.Top.Nodes, Have: have,
			Wait: int(min(view.Start-view.Top.Submit, 1000*time.Hour) / time.Second), Waiting: len(s.Waiting), Wanted: verdict.Grow,
		})
	}
}

// compareAnswer has the same jobs run in other ways.
type compareAnswer struct {
	Modes      []compared `json:"modes"`
	Placements []compared `json:"placements"`
}

type compared struct {
	Name string     `json:"name"`
	Cost ask.Amount `json:"cost"`
	Wait float64    `json:"wait"`
	Used float64    `json:"used"`
	Not  string     `json:"not"`
}

func clusterCompare(q *clusterQuestion) (*compareAnswer, error) {
	jobs, err := q.Jobs.jobs()
	if err != nil {
		return nil, err
	}
	o, err := q.options()
	if err != nil {
		return nil, err
	}
	a := new(compareAnswer)
	one := func(name string, o sim.Options) (compared, error) {
		r, err := run(jobs, o)
		var m *ask.Mistake
		if errors.As(err, &m) {
			return compared{Name: name, Not: m.Text}, nil
		} else if err != nil {
			return compared{}, err
		}
		return compared{Name: name, Cost: ask.Money(r.Cost), Wait: r.MeanWait.Seconds(), Used: r.Utilisation}, nil
	}
	for _, m := range []sim.Mode{sim.Individual, sim.NoWait, sim.SEC} {
		p := o
		p.Mode = m
		x, err := one(m.String(), p)
		if err != nil {
			return nil, err
		}
		a.Modes = append(a.Modes, x)
	}
	for _, w := range []placement.Policy{placement.MaxMarginFirst, placement.MinMarginFirst, placement.MaxIdleFirst, placement.MinIdleFirst} {
		p := o
		p.Mode, p.Placement = sim.SEC, w
		x, err := one(w.String(), p)
		if err != nil {
			return nil, err
		}
		a.Placements = append(a.Placements, x)
	}
	return a, nil
}

// clusterExport is the command line of examples/tools/sec with the same jobs.
func clusterExport(q *clusterQuestion) (*ask.Export, error) {
	jobs, err := q.Jobs.jobs()
	if err != nil {
		return nil, err
	}
	o, err := q.options()
	if err != nil {
		return nil, err
	}
	text, err := swf(jobs)
	if err != nil {
		return nil, err
	}
	command := fmt.Sprintf("go run github.com/plimsoll/plimsoll/examples/tools/sec@latest -trace jobs.swf -cores-per-node 1 -mode %v", q.Mode)
	switch q.Mode {
	case sim.SEC:
		command += fmt.Sprintf(" -wait-limit %s -expansion %v -placement %v", decimal.Span(max(0, o.WaitLimit)), q.Expansion, q.Placement)
	case sim.Local:
		command += fmt.Sprintf(" -nodes %d", enough(jobs))
	default:
		command += fmt.Sprintf(" -placement %v", q.Placement)
	}
	return &ask.Export{Command: command, Files: []ask.File{{Name: "jobs.swf", Text: text}}}, nil
}
