package partition

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/examples/services/slurm/internal/slurmctl"
	"github.com/plimsoll/plimsoll/preempt/exchange"
	"github.com/plimsoll/plimsoll/preempt/scaling"
)

// A Scaled is an Exchange that can be asked for nodes.
type Scaled interface {
	Exchange
	// Requests returns what has been asked for and is open.
	Requests(ctx context.Context) ([]exchange.Request, error)
	// Add asks for nodes.
	Add(ctx context.Context, count int) error
	// Cancel withdraws a request.
	Cancel(ctx context.Context, id uint64) error
}

// A scaler remembers the ages of nodes. After a restart nodes are as old as the agent, so
// that they stay for a while longer.
type scaler struct {
	back  []int
	nodes []age
}

// An age is that of a node.
type age struct {
	since  time.Time // that the partition has it, zero if it has not
	idle   time.Time // since it was last busy
	leaves bool      // it drains, to be given back
}

// gone notes that nodes are given back.
func (s *scaler) gone(nodes []int) {
	for _, i := range nodes {
		s.nodes[i] = age{}
	}
}

// fewRequests is how many requests an agent has open at most: a host takes some tens.
const fewRequests = 8

// forget forgets the ages of nodes that the partition has no more.
func (a *Agent) forget(state []Holding) {
	for i := range state {
		if state[i].State != exchange.Usable {
			a.scaler.nodes[i] = age{}
		}
	}
}

// scale asks for nodes when the queue needs them, and lets idle nodes drain which are to be
// given back. giveBack gives them back at the next look, unless a job was faster.
func (a *Agent) scale(ctx context.Context, state []Holding, nodes []slurmctl.Node, jobs []slurmctl.Job) error {
	if a.o.Scaling == nil {
		return nil
	}
	x := a.exchange.(Scaled)
	requests, err := x.Requests(ctx)
	if err != nil {
		return err
	}
	now := a.o.Now()
	view := scaling.View{Queue: a.queue(jobs), Worth: a.o.Worth}
	for _, r := range requests {
		if r.Refused == "" {
			view.Asked += r.Count - r.Granted
		}
	}
	ends := a.ends(jobs)
	var at []int // the nodes of the view
	for i := range nodes {
		n, h, age := &nodes[i], &state[i], &a.scaler.nodes[i]
		switch h.State {
		case exchange.Offered:
			view.Asked++
			continue
		case exchange.Usable:
		default:
			continue
		}
		if age.since.IsZero() {
			age.since, age.idle = now, now
		}
		if n.Working() || !n.Up() || age.leaves {
			age.idle = now
		}
		v := scaling.Node{Busy: n.Working() || !n.Up(), Held: now.Sub(age.since), Idle: now.Sub(age.idle)}
		if end, ok := ends[n.Name]; ok {
			v.Free = max(1, end.Sub(now))
		}
		at, view.Nodes = append(at, i), append(view.Nodes, v)
	}
	ask, cancel, back, err := scaling.Decide(a.scaler.back[:0], view, *a.o.Scaling)
	a.scaler.back = back
	if err != nil {
		return err
	}
	if n := len(requests); ask > 0 && n >= fewRequests { // one request for what the last one asked, and for more
		last := &requests[n-1]
		if err := x.Cancel(ctx, last.ID); err != nil {
			return err
		}
		if last.Refused == "" {
			ask += last.Count - last.Granted
		}
	}
	if ask > 0 {
		if err := x.Add(ctx, ask); err != nil {
			return err
		}
		a.o.Tell("", fmt.Sprintf("%d jobs wait: asks for %d nodes", len(view.Queue), ask))
	}
	for _, k := range back {
		i := at[k]
		a.scaler.nodes[i].leaves = true
		if err := a.slurm.Drain(ctx, a.o.Names[i], reason); err != nil {
			return err
		}
		a.o.Tell(a.o.Names[i], "is idle, and drains to be given back")
	}
	for i := len(requests) - 1; i >= 0; i-- { // whole requests only, the last first
		r := &requests[i]
		if open := r.Count - r.Granted; r.Refused == "" && open > 0 && open <= cancel {
			if err := x.Cancel(ctx, r.ID); err != nil {
				return err
			}
			cancel -= open
			a.o.Tell("", fmt.Sprintf("asks no more for %d nodes", open))
		}
	}
	return nil
}

// queue returns the jobs that wait for nodes, and for nothing else.
func (a *Agent) queue(jobs []slurmctl.Job) (queue []scaling.Waiting) {
	now := a.o.Now()
	for i := range jobs {
		j := &jobs[i]
		if !j.Waits() || j.Priority == 0 || j.Eligible.After(now) || slices.ContainsFunc(blocking, func(b string) bool { return strings.HasPrefix(j.Reason, b) }) {
			continue
		}
		since := j.Submit
		if j.Eligible.After(since) {
			since = j.Eligible
		}
		w := scaling.Waiting{Nodes: j.Nodes, Waited: max(0, now.Sub(since))}
		tasks := max(1, j.Tasks)
		if j.AtOnce > 0 {
			tasks = min(tasks, j.AtOnce)
		}
		for range min(tasks, len(a.o.Names)) { // more of them cannot run at once
			queue = append(queue, w)
		}
	}
	return queue
}

// blocking has how the reasons of Slurm begin for which a job waits that more nodes would not
// help.
var blocking = []string{"Dependency", "JobHeld", "JobHold", "Assoc", "QOS", "Reservation", "BadConstraints", "Invalid", "Account", "JobArrayTaskLimit",
	"Licenses", "DeadLine", "BurstBuffer", "BeginTime", "MaxRequeue"}

// ends returns when the jobs on nodes are expected to end, by node.
func (a *Agent) ends(jobs []slurmctl.Job) map[string]time.Time {
	ends := map[string]time.Time{}
	for i := range jobs {
		j := &jobs[i]
		if n := a.note(j); j.Holds() && n.estimate > 0 {
			for _, name := range j.Names {
				ends[name] = j.Start.Add(n.estimate)
			}
		}
	}
	return ends
}
