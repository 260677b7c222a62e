//go:build unix

package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/plimsoll/plimsoll/examples/services/slurm/internal/partition"
	"github.com/plimsoll/plimsoll/examples/services/slurm/internal/slurmctl"
	"github.com/plimsoll/plimsoll/preempt/exchange"
	"github.com/plimsoll/plimsoll/preempt/scaling"
)

// A model is a Slurm, a host and a client whose clock is moved: what an agent decides there,
// it decides on the real ones. Times are real times of the run that it stands for. Delays of
// commands and of daemons are not in it.
type model struct {
	o       *shareOptions
	now     time.Time
	nodes   []modelNode
	jobs    []*modelJob // in the order of their submissions
	manager *exchange.Manager
	client  *exchange.Client
	out     *shared
}

type modelNode struct {
	name    string
	drains  bool
	job     *modelJob
	settled time.Time // before that a node is down
}

type modelJob struct {
	*shareJob
	id         int64
	left       time.Duration // real time that is to be run, as saved
	start      time.Time
	next       time.Time     // not to start again before
	busy       time.Time     // saves until then,
	after      time.Duration // and has that left when it has saved
	saved      time.Time
	ended      bool
	restarts   int
	first, end time.Duration
	on         []int
}

// modelStart is when models begin.
var modelStart = time.Unix(2_000_000_000, 0)

// clock is the exchange's time.
func (m *model) clock() time.Duration { return m.o.log(m.now.Sub(modelStart)) }

// requeueDelay is how long Slurm lets a job wait that it has queued again.
const requeueDelay = 2 * time.Minute

// simulate runs the jobs with a policy in a model, as play does on Slurm.
func (s *sharing) simulate(policy partition.Policy) (*shared, error) {
	m := &model{o: s.o, now: modelStart, out: &shared{}}
	agentOptions := partition.Options{Take: s.o.reclaim, Grace: s.o.real(s.o.grace), Margin: shareMargin, Poll: 250 * time.Millisecond, Policy: policy,
		Priorities: map[string]int{"partition:urgent": 10}, Seed: 1, Worth: 1, Now: func() time.Time { return m.now },
		Scaling: &scaling.Options{Wait: -1, Idle: s.o.real(10 * time.Minute), Hold: s.o.real(10 * time.Minute), Move: s.o.real(5 * time.Minute), Least: s.o.nodes}}
	for i := range s.o.nodes {
		m.nodes = append(m.nodes, modelNode{name: "n" + strconv.Itoa(i+1)})
		agentOptions.Names = append(agentOptions.Names, m.nodes[i].name)
	}
	jobs := sortedBy(s.jobs)
	var err error
	if m.manager, err = exchange.NewManager(exchange.ManagerOptions{Grace: s.o.grace}, make([]string, s.o.nodes)); err != nil {
		return nil, err
	}
	if err := m.manager.CreatePartition(shareNames[0], 1, 0); err != nil {
		return nil, err
	}
	if m.client, err = exchange.NewClient(shareNames[0], exchange.ClientOptions{}); err != nil {
		return nil, err
	}
	agent, err := partition.New(m, m, agentOptions)
	if err != nil {
		return nil, err
	}
	// Before the jobs come, the partition gets its nodes.
	var begin time.Time
	reclaimed := 0
	limit := modelStart.Add(10 * (s.o.real(s.o.span) + time.Hour))
	for step := 0; ; step++ {
		if m.now = m.now.Add(50 * time.Millisecond); m.now.After(limit) {
			return nil, fmt.Errorf("the simulation of %v does not come to an end", policy)
		}
		if begin.IsZero() && !slices.ContainsFunc(m.manager.AppendAssignments(nil), func(a exchange.Assignment) bool { return a.Partition == "" }) {
			begin = m.now
		}
		if !begin.IsZero() {
			for len(m.jobs) < len(jobs) && m.now.Sub(begin) >= s.o.real(jobs[len(m.jobs)].Submit) {
				j := &jobs[len(m.jobs)]
				m.jobs = append(m.jobs, &modelJob{shareJob: j, id: int64(len(m.jobs) + 1), left: s.o.real(j.Run)})
			}
			if at := time.Duration(reclaimed+1) * s.o.every; at < s.o.span && m.now.Sub(begin) >= s.o.real(at) {
				reclaimed++
				if msgs, err := m.manager.Reclaim(m.clock(), shareNames[0], s.o.reclaim); err == nil { // there may be fewer
					m.toClient(msgs)
				}
			}
		}
		m.advance(begin)
		m.toHost(m.client.Tick(m.clock()))
		m.toClient(m.manager.Tick(m.clock()))
		if step%5 == 0 {
			if err := agent.Step(context.Background()); err != nil {
				return nil, err
			}
		}
		if len(m.jobs) == len(jobs) && !slices.ContainsFunc(m.jobs, func(j *modelJob) bool { return !j.ended }) {
			break
		}
	}
	for _, j := range m.jobs {
		m.out.jobs = append(m.out.jobs, sharedJob{j.shareJob, j.first, j.end})
		m.out.restarts += j.restarts
	}
	return m.out, nil
}

// advance ends and starts jobs.
func (m *model) advance(begin time.Time) {
	for _, j := range m.jobs {
		if len(j.on) == 0 {
			continue
		}
		if !j.busy.IsZero() && !m.now.Before(j.busy) {
			j.saved, j.busy, j.left = j.busy, time.Time{}, j.after
			m.out.saves++
		}
		from := j.start
		if j.saved.After(from) {
			from = j.saved
		}
		if j.busy.IsZero() && m.now.Sub(from) >= j.left {
			j.ended, j.end = true, m.o.log(m.now.Sub(begin))
			m.leave(j)
		}
	}
	blocked := map[bool]bool{} // Slurm's partitions in which a job waits for nodes
	for _, j := range m.jobs {
		if j.ended || len(j.on) > 0 || m.now.Before(j.next) || blocked[j.urgent] {
			continue
		}
		var free []int
		for i := range m.nodes {
			if n := &m.nodes[i]; n.job == nil && !n.drains && !m.now.Before(n.settled) {
				free = append(free, i)
			}
		}
		if len(free) < j.Nodes {
			blocked[j.urgent] = true
			continue
		}
		j.on, j.start, j.saved = free[:j.Nodes], m.now, time.Time{}
		if j.restarts == 0 {
			j.first = m.o.log(m.now.Sub(begin))
		}
		for _, i := range j.on {
			m.nodes[i].job = j
		}
	}
}

func (m *model) leave(j *modelJob) {
	for _, i := range j.on {
		m.nodes[i].job = nil
	}
	j.on = nil
}

func (m *model) node(name string) *modelNode {
	return &m.nodes[slices.IndexFunc(m.nodes, func(n modelNode) bool { return n.name == name })]
}

// Jobs is Slurm's list.
func (m *model) Jobs(context.Context) (all []slurmctl.Job, err error) {
	for _, j := range m.jobs {
		s := slurmctl.Job{ID: j.id, State: "PENDING", Nodes: j.Nodes, Submit: modelStart, Eligible: j.next, Priority: 1, Restarts: j.restarts, Tasks: 1, Parts: []string{"main"},
			Comment: "estimate=" + m.o.real(max(j.Estimate, time.Second)).String()}
		if j.urgent {
			s.Parts = []string{"urgent"}
		}
		if j.saves {
			s.Comment += fmt.Sprintf(" checkpoint=B:USR1 cost=%v saved=%d", m.o.real(saveCost)+100*time.Millisecond, max(0, j.saved.Unix()))
		}
		switch {
		case len(j.on) > 0:
			s.State, s.Start = "RUNNING", j.start
			for _, i := range j.on {
				s.Names = append(s.Names, m.nodes[i].name)
			}
		case j.ended:
			s.State, s.Start = "COMPLETED", j.start
			s.End = j.start.Add(m.o.real(j.Run))
		}
		all = append(all, s)
	}
	return all, nil
}

// Nodes is Slurm's list.
func (m *model) Nodes(context.Context) (all []slurmctl.Node, err error) {
	for i := range m.nodes {
		n := &m.nodes[i]
		s := slurmctl.Node{Name: n.name, State: "idle", Reason: "plimsoll: maintenance"}
		switch {
		case n.job != nil:
			s.State, s.Busy = "allocated", 1
		case m.now.Before(n.settled):
			s.State = "down"
		}
		if n.drains {
			s.Flags = []string{"DRAIN"}
		}
		all = append(all, s)
	}
	return all, nil
}

// Drain lets a node start no more jobs.
func (m *model) Drain(_ context.Context, node, _ string) error {
	m.node(node).drains = true
	return nil
}

// Undrain takes Drain back.
func (m *model) Undrain(_ context.Context, node string) error {
	m.node(node).drains = false
	return nil
}

// Down ends the job of a node, and queues it again.
func (m *model) Down(_ context.Context, node, _ string) error {
	n := m.node(node)
	n.settled = m.now.Add(200 * time.Millisecond)
	j := n.job
	if j == nil {
		return nil
	}
	from, lost := j.start, time.Duration(0)
	if j.saved.After(from) {
		from, lost = j.saved, saveCost
	}
	lost = (lost + m.o.log(m.now.Sub(from))) * time.Duration(j.Nodes)
	m.out.wasted += lost
	if j.urgent {
		m.out.urgent += lost
	}
	m.leave(j)
	j.next, j.busy, j.restarts = m.now.Add(requeueDelay), time.Time{}, j.restarts+1
	return nil
}

// Eligible lets a job start again.
func (m *model) Eligible(_ context.Context, id int64) error {
	m.jobs[id-1].next = m.now
	return nil
}

// Requeue is not needed: in the model no start fails.
func (m *model) Requeue(context.Context, int64) error { return nil }

// Signal lets a job save what it has done until now.
func (m *model) Signal(_ context.Context, id int64, _ string) error {
	if j := m.jobs[id-1]; len(j.on) > 0 && j.busy.IsZero() {
		from := j.start
		if j.saved.After(from) {
			from = j.saved
		}
		j.after = j.left - m.now.Sub(from)
		j.busy = m.now.Add(m.o.real(saveCost))
	}
	return nil
}

// Holdings is what the client knows.
func (m *model) Holdings(context.Context) ([]partition.Holding, error) {
	all := []partition.Holding{}
	for _, h := range m.client.AppendNodes(nil, m.clock()) {
		all = append(all, partition.Holding{Node: h.Node, State: h.State, Left: m.o.real(h.End - m.clock())})
	}
	return all, nil
}

// SetValues tells the client what nodes are worth.
func (m *model) SetValues(_ context.Context, values []exchange.NodeValue) error {
	msgs, err := m.client.SetResourceValues(m.clock(), values)
	m.toHost(msgs)
	return err
}

// Delete gives nodes back.
func (m *model) Delete(_ context.Context, nodes []int) error {
	msgs, err := m.client.DeleteNodes(m.clock(), nodes...)
	m.toHost(msgs)
	return err
}

// Requests is what the client has asked for.
func (m *model) Requests(context.Context) ([]exchange.Request, error) {
	return m.client.AppendRequests(nil), nil
}

// Add asks for nodes.
func (m *model) Add(_ context.Context, count int) error {
	_, msgs, err := m.client.AddNodes(m.clock(), "", count)
	m.toHost(msgs)
	return err
}

// Cancel withdraws a request.
func (m *model) Cancel(_ context.Context, id uint64) error {
	msgs, err := m.client.Cancel(m.clock(), id)
	m.toHost(msgs)
	return err
}

func (m *model) toHost(msgs []exchange.Message) {
	for _, msg := range cloned(msgs) {
		if out, err := m.manager.Handle(m.clock(), msg); err == nil {
			m.toClient(out)
		}
	}
}

func (m *model) toClient(msgs []exchange.Message) {
	for _, msg := range cloned(msgs) {
		if out, err := m.client.Handle(m.clock(), msg); err == nil {
			m.toHost(out)
		}
	}
}

// cloned returns copies, since messages are good until the next call.
func cloned(msgs []exchange.Message) []exchange.Message {
	out := make([]exchange.Message, len(msgs))
	for i, m := range msgs {
		out[i] = m.Clone()
	}
	return out
}
