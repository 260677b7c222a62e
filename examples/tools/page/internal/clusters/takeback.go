package clusters

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/examples/tools/page/internal/ask"
	"github.com/plimsoll/plimsoll/preempt"
	"github.com/plimsoll/plimsoll/schedule/sim"
	"github.com/plimsoll/plimsoll/schedule/trace"
)

// takeQuestion asks what it wastes to take nodes at a moment of a cluster of fixed size.
type takeQuestion struct {
	Jobs      jobList `json:"jobs"`
	Nodes     string  `json:"nodes"`
	At        int     `json:"at"` // seconds from the first submission
	Take      string  `json:"take"`
	Grace     string  `json:"grace"` // minutes
	Saves     string  `json:"saves"` // minutes between saves, "" for none
	Knowledge string  `json:"knowledge"`
}

// knowledges say where the chances of jobs to outlast the grace period come from.
var knowledges = []string{"true", "requested", "none"}

// saveCost is how long a save takes.
const saveCost = time.Minute

// moment is the state of the cluster, and what nobody knows but a simulation.
type moment struct {
	state     preempt.State
	ids       []int // of the jobs in the log
	remaining []time.Duration
	take      int
	grace     time.Duration
	outlast   []float64
}

func (q *takeQuestion) moment() (*moment, error) {
	jobs, err := q.Jobs.jobs()
	if err != nil {
		return nil, err
	}
	nodes, err := ask.Whole("nodes", q.Nodes, 1, 400, "nodes")
	if err != nil {
		return nil, err
	}
	for _, j := range jobs {
		if j.Nodes > nodes {
			return nil, ask.Mistakef("nodes", "%d: job %d needs %d: want at least as many", nodes, j.ID, j.Nodes)
		}
	}
	take, err := ask.Whole("take", q.Take, 0, nodes, "nodes")
	if err != nil {
		return nil, err
	}
	m := &moment{take: take}
	if m.grace, err = minutes("grace", q.Grace); err != nil {
		return nil, err
	}
	var every time.Duration
	if strings.TrimSpace(q.Saves) != "" {
		if every, err = minutes("saves", q.Saves); err != nil {
			return nil, err
		}
		if every <= saveCost {
			return nil, ask.Mistakef("saves", "%s: want more minutes than a save takes, which is 1, or nothing for jobs that do not save", ask.Quote(q.Saves))
		}
	}
	if !slices.Contains(knowledges, q.Knowledge) {
		return nil, ask.Mistakef("knowledge", "%s: want true, requested or none", ask.Quote(q.Knowledge))
	}
	r, err := run(jobs, sim.Options{Mode: sim.Local, Nodes: nodes})
	if err != nil {
		return nil, err
	}
	now := time.Duration(q.At) * time.Second
	m.place(jobs, r.Starts, nodes, now)
	for i := range m.state.Jobs {
		if j := &m.state.Jobs[i]; every > 0 {
			j.Checkpoint = &preempt.Checkpoint{Saved: j.Elapsed - j.Elapsed%every, Every: every, Cost: saveCost}
		}
	}
	switch q.Knowledge {
	case "true":
		m.outlast = make([]float64, len(m.state.Jobs))
		preempt.OutlastTo(m.outlast, m.remaining, m.grace)
	case "requested":
		m.outlast = make([]float64, len(m.state.Jobs))
		preempt.RequestedTo(m.outlast, m.state.Jobs, m.grace)
	}
	return m, nil
}

// place puts the jobs that run now on nodes: each job has taken the lowest free nodes when it
// started.
func (m *moment) place(jobs []trace.Job, starts []time.Duration, nodes int, now time.Duration) {
	order := make([]int, len(jobs))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(starts[a], starts[b]) })
	node, end := make([]int, nodes), make([]time.Duration, nodes)
	for n := range node {
		node[n] = preempt.Idle
	}
	for _, i := range order {
		if starts[i] > now {
			break
		}
		left := jobs[i].Nodes
		for n := 0; n < nodes && left > 0; n++ {
			if node[n] == preempt.Idle || end[n] <= starts[i] {
				node[n], end[n] = i, starts[i]+jobs[i].Run
				left--
			}
		}
	}
	index := map[int]int{}
	for n, i := range node {
		if i == preempt.Idle || end[n] <= now {
			node[n] = preempt.Idle
			continue
		}
		k, ok := index[i]
		if !ok {
			k = len(m.ids)
			index[i] = k
			m.ids = append(m.ids, int(jobs[i].ID))
			priority := 1
			if jobs[i].User == important {
				priority = 10
			}
			m.state.Jobs = append(m.state.Jobs, preempt.Job{Nodes: jobs[i].Nodes, Elapsed: now - starts[i], Requested: jobs[i].Estimate, Priority: priority})
			m.remaining = append(m.remaining, starts[i]+jobs[i].Run-now)
		}
		node[n] = k
	}
	m.state.Node = node
}

// important is the user whose jobs count ten times.
const important = 1

// takeAnswer is the moment, and what each way to choose wastes.
type takeAnswer struct {
	Node []int     `json:"node"` // by node: the job, -1 for none
	Jobs []takeJob `json:"jobs"`
	Ways []takeWay `json:"ways"`
	Idle int       `json:"idle"`
}

type takeJob struct {
	ID        int `json:"id"`
	Nodes     int `json:"nodes"`
	Elapsed   int `json:"elapsed"` // seconds, as the next
	Requested int `json:"requested"`
	Remaining int `json:"remaining"`
	Saved     int `json:"saved"`
	Priority  int `json:"priority"`
}

type takeWay struct {
	Name  string  `json:"name"`
	Taken []int   `json:"taken"` // nodes
	Hit   []int   `json:"hit"`   // jobs
	Waste string  `json:"waste"` // exactly
	Hours float64 `json:"hours"`
}

// takeSeed is the seed of the policies that draw.
const takeSeed = 1

func takeBack(q *takeQuestion) (*takeAnswer, error) {
	m, err := q.moment()
	if err != nil {
		return nil, err
	}
	a := &takeAnswer{Node: m.state.Node, Jobs: []takeJob{}}
	for i, j := range m.state.Jobs {
		x := takeJob{m.ids[i], j.Nodes, seconds(j.Elapsed), seconds(j.Requested), seconds(m.remaining[i]), 0, j.Priority}
		if j.Checkpoint != nil {
			x.Saved = seconds(j.Checkpoint.Saved)
		}
		a.Jobs = append(a.Jobs, x)
	}
	for _, j := range m.state.Node {
		if j == preempt.Idle {
			a.Idle++
		}
	}
	var solver preempt.Solver
	var scorer preempt.Scorer
	values := make([]float64, len(m.state.Node))
	p := preempt.Preemption{Take: m.take, Grace: m.grace, Outlast: m.outlast}
	way := func(name string, err error) error {
		var taken, hit []int
		if err == nil {
			taken, err = scorer.AppendLowest([]int{}, values, m.take)
		}
		if err == nil {
			hit, err = scorer.AppendHit([]int{}, m.state, taken)
		}
		if err != nil {
			return ask.FieldOf(err, map[string]string{"Take": "take", "Grace": "grace"}, "take")
		}
		waste := preempt.SumWasted(m.state.Jobs, m.remaining, hit, m.grace)
		a.Ways = append(a.Ways, takeWay{name, taken, hit, waste.String(), waste.Hours()})
		return nil
	}
	victims, err := solver.AppendVictims(nil, m.state, p)
	if err == nil {
		err = scorer.VectorTo(values, m.state, victims, 0)
	}
	if err := way("exact", err); err != nil {
		return nil, err
	}
	victims, err = solver.AppendGreedy(nil, m.state, p)
	if err == nil {
		err = scorer.VectorTo(values, m.state, victims, 0)
	}
	if err := way("greedy", err); err != nil {
		return nil, err
	}
	for _, policy := range []preempt.Policy{preempt.LIFO, preempt.PAP, preempt.PAPPlus, preempt.FIFO, preempt.Random, preempt.Blind} {
		err := scorer.ValuesTo(values, m.state, policy, preempt.ValueOptions{Rand: rand.New(rand.NewPCG(takeSeed, 1)), Grace: m.grace})
		if err := way(policy.String(), err); err != nil {
			return nil, err
		}
	}
	return a, nil
}

func seconds(d time.Duration) int { return int(d / time.Second) }

// takeExport is a program with the same state: what examples/tools/preempt prints are means over
// many states of a log.
func takeExport(q *takeQuestion) (*ask.Export, error) {
	m, err := q.moment()
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	fmt.Fprintf(&b, `// Takes %d nodes of a partition, and prints what that wastes by the least waste and by PAP.
package main

import (
	"fmt"
	"log"
	"time"

	"github.com/plimsoll/plimsoll/preempt"
)

func main() {
	state := preempt.State{Node: %#v, Jobs: []preempt.Job{
`, m.take, m.state.Node)
	for _, j := range m.state.Jobs {
		save := ""
		if c := j.Checkpoint; c != nil {
			save = fmt.Sprintf(", Checkpoint: &preempt.Checkpoint{Saved: %d * time.Second, Every: %d * time.Second, Cost: %d * time.Second}", seconds(c.Saved), seconds(c.Every), seconds(c.Cost))
		}
		fmt.Fprintf(&b, "\t\t{Nodes: %d, Elapsed: %d * time.Second, Requested: %d * time.Second, Priority: %d%s},\n", j.Nodes, seconds(j.Elapsed), seconds(j.Requested), j.Priority, save)
	}
	fmt.Fprintf(&b, "\t}}\n\tremaining := []time.Duration{")
	for i, r := range m.remaining {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%d * time.Second", seconds(r))
	}
	fmt.Fprintf(&b, "}\n\tp := preempt.Preemption{Take: %d, Grace: %d * time.Second}\n", m.take, seconds(m.grace))
	if m.outlast != nil {
		call := "OutlastTo(p.Outlast, remaining, p.Grace)"
		if q.Knowledge == "requested" {
			call = "RequestedTo(p.Outlast, state.Jobs, p.Grace)"
		}
		fmt.Fprintf(&b, "\tp.Outlast = make([]float64, len(state.Jobs))\n\tpreempt.%s\n", call)
	}
	b.WriteString(`	var solver preempt.Solver
	var scorer preempt.Scorer
	values := make([]float64, len(state.Node))
	show := func(name string) {
		taken, err := scorer.AppendLowest(nil, values, p.Take)
		if err != nil {
			log.Fatal(err)
		}
		hit, err := scorer.AppendHit(nil, state, taken)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(name, preempt.SumWasted(state.Jobs, remaining, hit, p.Grace))
	}
	victims, err := solver.AppendVictims(nil, state, p)
	if err != nil {
		log.Fatal(err)
	}
	if err := scorer.VectorTo(values, state, victims, 0); err != nil {
		log.Fatal(err)
	}
	show("exact")
	for _, policy := range []preempt.Policy{preempt.LIFO, preempt.PAP, preempt.PAPPlus, preempt.FIFO} {
		if err := scorer.ValuesTo(values, state, policy, preempt.ValueOptions{Grace: p.Grace}); err != nil {
			log.Fatal(err)
		}
		show(policy.String())
	}
}
`)
	return &ask.Export{Command: "go mod init take && go get github.com/plimsoll/plimsoll@latest && go run .", Files: []ask.File{{Name: "main.go", Text: b.String()}}}, nil
}
