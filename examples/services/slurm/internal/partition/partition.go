// Package partition makes a Slurm cluster a partition of a hosting cluster, after
// [Duplyakin17] 3.2: Slurm knows all nodes of the host, and those that are not the
// partition's are drained for it, as for maintenance.
//
//	the exchange says    in Slurm
//	usable               the node is not drained
//	draining             it drains; when no job has it any more it is given back; when
//	                     the grace period ends it is taken down, which ends its job and
//	                     queues it again, and given back
//	anything else        it is drained, and if the partition had it before, it is taken
//	                     down if a job has it
//
// A job on a node that the partition has not had as far as the agent can tell is left
// alone, since a client that was begun anew, or is the wrong one, has nothing: its node
// only drains. Options.Force ends such jobs, too.
//
// What nodes are worth follows from the jobs that run, by package preempt: by one of its
// policies, or so that a host that takes as many nodes as expected takes those of the jobs
// whose loss wastes least. Jobs may say in their comments how they save their work. A job that
// does loses less, and is asked to save before it is ended: see note.
//
// With Options.Scaling the agent asks for nodes when jobs wait, and gives idle nodes back, by
// package preempt/scaling. An idle node drains first, and goes at the next look; if a job
// was faster, the node is taken up again.
//
// An agent has no state that it cannot do without: what it does follows from what the
// exchange and Slurm say, so that it may be killed and started again at any time. What is lost
// is what it learnt of users, the ages of nodes, and which jobs were asked to save: these
// are asked again. The exchange's
// client has its own state, and repeats what it has to say. While the client does not
// answer, what the agent heard last holds: grace periods end in time. It cannot know of
// a notice that the client read just before it ended, and that it is down until the
// grace period is over. Then the host takes the node from under its job, which Slurm
// queues again when it misses the node.
//
// Reference: [Duplyakin17] D. Duplyakin, D. Johnson, R. Ricci: The Part-Time Cloud:
// Enabling Balanced Elasticity Between Diverse Computing Environments. ScienceCloud
// 2017. Section 3.
package partition

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/examples/services/slurm/internal/slurmctl"
	"github.com/plimsoll/plimsoll/preempt"
	"github.com/plimsoll/plimsoll/preempt/exchange"
	"github.com/plimsoll/plimsoll/preempt/scaling"
)

// An Exchange is the partition's elastic client.
type Exchange interface {
	// Holdings returns what the partition has, by node.
	Holdings(ctx context.Context) ([]Holding, error)
	// SetValues says what nodes are worth; others are worth 0.
	SetValues(ctx context.Context, values []exchange.NodeValue) error
	// Delete gives nodes back.
	Delete(ctx context.Context, nodes []int) error
}

// A Holding is a node that the partition has, or had.
type Holding struct {
	Node  int
	State exchange.NodeState
	Left  time.Duration // real time until the end of a draining node
}

// Slurm is what an agent asks of Slurm. *slurmctl.Client has it.
type Slurm interface {
	Jobs(ctx context.Context) ([]slurmctl.Job, error)
	Nodes(ctx context.Context) ([]slurmctl.Node, error)
	Drain(ctx context.Context, node, reason string) error
	Undrain(ctx context.Context, node string) error
	Down(ctx context.Context, node, reason string) error
	Eligible(ctx context.Context, job int64) error
	Requeue(ctx context.Context, job int64) error
	Signal(ctx context.Context, job int64, signal string) error
}

// Options are an agent's parameters.
type Options struct {
	Names []string      // of the host's nodes in Slurm, by their numbers
	Take  int           // how many nodes a preemption is expected to take, 0 is half of what there is
	Grace time.Duration // real time that a preemption gives, for what jobs would waste in it
	// Margin is how long before the end of a grace period jobs are ended, in real
	// time, so that the node is given back in time.
	Margin time.Duration
	Poll   time.Duration // between two looks
	Force  bool          // end also jobs on nodes that the partition never had
	// Policy says how nodes get their values; the zero Policy is Exact.
	Policy Policy
	// Raw takes users' estimates as they are; else they are corrected by what the users'
	// earlier estimates were worth.
	Raw bool
	// Priorities are what the waste of jobs counts, by "qos:NAME" or "partition:NAME"; 1 for
	// others. The greatest that fits a job counts.
	Priorities map[string]int
	// Scaling, if not nil, lets the agent ask the host for nodes and give idle ones back by
	// itself. The Exchange must be a Scaled.
	Scaling *scaling.Options
	// Worth is what an hour of an idle node is worth to others: see scaling.View.
	Worth float64
	// Seed is of Random and Blind.
	Seed uint64
	// Tell, if not nil, is called with what is done, by the goroutine of Run.
	Tell func(node, what string)
	// Now is the calendar's time, nil for time.Now.
	Now func() time.Time
}

// An Agent keeps Slurm to what the exchange says. Step it, or Run it, in one goroutine.
type Agent struct {
	o        Options
	exchange Exchange
	slurm    Slurm
	solver   preempt.Solver
	scorer   preempt.Scorer
	requeued map[int64]time.Time // jobs that were ended for the host's sake, until they have run; when they had nodes last
	had      []bool              // nodes that the partition has, or had
	begun    bool                // it has looked at Slurm
	told     string              // the last failure
	holdings []Holding           // that the exchange told last,
	at       time.Time           // and when
	looked   time.Time           // the last look
	gap      time.Duration       // from one look to the next, at least Poll: see look

	odd    map[int64]bool    // jobs whose comments make no sense
	asked  map[int64]request // jobs that were asked to save
	judge  judge
	scaler scaler
}

// reason is what nodes are drained with.
const reason = "plimsoll: maintenance"

// ErrOptions: the options make no sense.
var ErrOptions = errors.New("partition")

// New returns an agent.
func New(e Exchange, s Slurm, o Options) (*Agent, error) {
	switch {
	case len(o.Names) == 0:
		return nil, fmt.Errorf("%w: no nodes", ErrOptions)
	case o.Take < 0 || o.Grace < 0 || o.Margin < 0:
		return nil, fmt.Errorf("%w: %d nodes taken, a grace period of %v, a margin of %v: want none negative", ErrOptions, o.Take, o.Grace, o.Margin)
	case o.Poll <= 0:
		return nil, fmt.Errorf("%w: looks each %v: want a positive time", ErrOptions, o.Poll)
	}
	seen := map[string]bool{}
	for _, n := range o.Names {
		if n == "" || seen[n] {
			return nil, fmt.Errorf("%w: the node %q: want names, each once", ErrOptions, n)
		}
		seen[n] = true
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Tell == nil {
		o.Tell = func(string, string) {}
	}
	for name, p := range o.Priorities {
		if p < 1 {
			return nil, fmt.Errorf("%w: the priority %d of %s: want 1 or more", ErrOptions, p, name)
		}
	}
	if o.Scaling != nil {
		scaled := *o.Scaling
		if scaled.Most == 0 {
			scaled.Most = len(o.Names)
		}
		o.Scaling = &scaled
		if err := scaled.Validate(); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrOptions, err)
		}
		if !(o.Worth >= 0 && o.Worth < math.Inf(1)) {
			return nil, fmt.Errorf("%w: nodes are worth %v to others: want a number that is not negative", ErrOptions, o.Worth)
		}
		if _, ok := e.(Scaled); !ok {
			return nil, fmt.Errorf("%w: this exchange cannot be asked for nodes", ErrOptions)
		}
	}
	a := &Agent{o: o, exchange: e, slurm: s, requeued: map[int64]time.Time{}, had: make([]bool, len(o.Names)), odd: map[int64]bool{}, asked: map[int64]request{}}
	a.judge.random = rand.New(rand.NewPCG(o.Seed, 20))
	a.scaler.nodes = make([]age, len(o.Names))
	return a, nil
}

// Run looks again and again until the context ends. What fails is told and tried again.
func (a *Agent) Run(ctx context.Context) {
	tick := time.NewTicker(a.o.Poll)
	defer tick.Stop()
	for ctx.Err() == nil {
		if err := a.Step(ctx); err != nil && ctx.Err() == nil && err.Error() != a.told {
			a.told = err.Error()
			a.o.Tell("", a.told)
		} else if err == nil {
			a.told = ""
		}
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
	}
}

// Step looks once, and does what follows.
func (a *Agent) Step(ctx context.Context) error {
	a.look()
	holdings, failed := a.exchange.Holdings(ctx)
	if failed == nil {
		a.holdings, a.at = holdings, a.o.Now()
	} else if a.holdings == nil {
		return failed
	} else { // what drains ends in time, though there may be nobody to give it back to
		holdings = slices.Clone(a.holdings)
		for i := range holdings {
			holdings[i].Left -= a.o.Now().Sub(a.at)
		}
	}
	return errors.Join(failed, a.follow(ctx, holdings))
}

// look notes how long it takes from one look to the next. Where Slurm answers late that is longer
// than Poll, and what must not wait for the look after the next one comes sooner. A gap that was
// long is forgotten slowly.
func (a *Agent) look() {
	now := a.o.Now()
	if a.looked.IsZero() {
		a.looked = now
	}
	a.gap = max(a.o.Poll, now.Sub(a.looked), a.gap-a.gap/8)
	a.looked = now
}

// follow does what follows from what the partition has.
func (a *Agent) follow(ctx context.Context, holdings []Holding) error {
	told := a.o.Now()
	state := make([]Holding, len(a.o.Names)) // of others: Returned, which is not to be used
	for i := range state {
		state[i] = Holding{Node: i, State: exchange.Returned}
	}
	for _, h := range holdings {
		if h.Node < 0 || h.Node >= len(state) {
			return fmt.Errorf("the host gives node %d, and %d have names in Slurm", h.Node, len(state))
		}
		state[h.Node] = h
		if h.State == exchange.Usable || h.State == exchange.Draining {
			a.had[h.Node] = true
		}
	}
	if err := a.begin(ctx); err != nil {
		return err
	}
	a.forget(state)
	nodes, changed, err := a.drain(ctx, state)
	if err != nil {
		return err
	}
	jobs, err := a.slurm.Jobs(ctx)
	if err != nil {
		return err
	}
	if changed { // a job may have started just before
		if nodes, err = a.nodes(ctx); err != nil {
			return err
		}
	}
	a.learn(jobs)
	late := a.o.Now().Sub(told) // Slurm takes its time
	for i := range state {
		state[i].Left -= late
	}
	return errors.Join(a.giveBack(ctx, state, nodes, jobs), a.requeue(ctx, jobs), a.value(ctx, state, jobs), a.scale(ctx, state, nodes, jobs))
}

// begin finds, at the first look, what an agent before this one has left: nodes that it
// drained, and jobs that it ended and did not yet let start again.
func (a *Agent) begin(ctx context.Context) error {
	if a.begun {
		return nil
	}
	nodes, err := a.nodes(ctx)
	if err != nil {
		return err
	}
	jobs, err := a.slurm.Jobs(ctx)
	if err != nil {
		return err
	}
	for i, n := range nodes {
		a.had[i] = a.had[i] || n.Has("DRAIN") && n.Reason == reason
	}
	for _, j := range jobs {
		if wait := j.Eligible.Sub(a.o.Now()); j.Waits() && j.Restarts > 0 && wait > 0 && wait <= requeueWait {
			a.requeued[j.ID] = a.o.Now()
		}
		if unstarted(&j) && a.o.Now().Sub(j.End) < requeueWait {
			a.requeued[j.ID] = j.End
		}
	}
	a.begun = true
	return nil
}

// requeueWait is how long Slurm lets a job wait at most that it has queued again: as long
// as its credentials are good, which is two minutes, and a second.
const requeueWait = 125 * time.Second

// nodes returns Slurm's nodes by the exchange's numbers.
func (a *Agent) nodes(ctx context.Context) ([]slurmctl.Node, error) {
	all, err := a.slurm.Nodes(ctx)
	if err != nil {
		return nil, err
	}
	list := make([]slurmctl.Node, len(a.o.Names))
	for i, name := range a.o.Names {
		k := slices.IndexFunc(all, func(n slurmctl.Node) bool { return n.Name == name })
		if k < 0 {
			return nil, fmt.Errorf("%w: %s", slurmctl.ErrUnknownNode, name)
		}
		list[i] = all[k]
	}
	return list, nil
}

// drain drains what is not to be used for new jobs, and takes up what is. It returns the nodes as
// they were before.
func (a *Agent) drain(ctx context.Context, state []Holding) (nodes []slurmctl.Node, changed bool, err error) {
	if nodes, err = a.nodes(ctx); err != nil {
		return nil, false, err
	}
	for i, n := range nodes {
		drained := n.Has("DRAIN")
		switch use := state[i].State == exchange.Usable && !a.scaler.nodes[i].leaves; {
		case use && drained && n.Reason == reason:
			if err := a.slurm.Undrain(ctx, n.Name); err != nil {
				return nil, false, err
			}
			changed = true
			a.o.Tell(n.Name, "is the partition's")
		case !use && !drained:
			if err := a.slurm.Drain(ctx, n.Name, reason); err != nil {
				return nil, false, err
			}
			changed = true
			if state[i].State == exchange.Usable {
				a.o.Tell(n.Name, "is idle, and drains to be given back")
			} else if state[i].State == exchange.Draining {
				a.o.Tell(n.Name, fmt.Sprintf("drains, for %v at most", state[i].Left.Round(time.Millisecond)))
			} else if what := "is not the partition's"; n.Working() && !a.had[i] && !a.o.Force {
				a.o.Tell(n.Name, what+": its jobs are left to end")
			} else {
				a.o.Tell(n.Name, what)
			}
		}
	}
	return nodes, changed, nil
}

// giveBack gives back nodes that are free, and those whose time is over, after ending
// what runs there.
func (a *Agent) giveBack(ctx context.Context, state []Holding, nodes []slurmctl.Node, jobs []slurmctl.Job) error {
	var free []int
	for i, n := range nodes {
		h := state[i]
		if !n.Has("DRAIN") {
			continue
		}
		if h.State == exchange.Usable {
			switch leaves := &a.scaler.nodes[i].leaves; {
			case *leaves && n.Working(): // a job was faster; the node is taken up again
				*leaves = false
			case *leaves:
				free = append(free, i)
			}
			continue
		}
		if n.Working() {
			if h.State == exchange.Draining && h.Left > a.o.Margin {
				safe, err := a.saves(ctx, jobs, n.Name, h.Left-a.o.Margin)
				if err != nil {
					return err
				}
				if !safe {
					continue // its job may end by itself
				}
			}
			if !a.had[i] && !a.o.Force {
				continue // it ends by itself
			}
			for _, j := range jobs {
				if j.Holds() && slices.Contains(j.Names, n.Name) {
					a.requeued[j.ID] = a.o.Now()
					why := "the grace period is over"
					if h.Left > a.o.Margin {
						why = "all is saved"
					}
					a.o.Tell(n.Name, fmt.Sprintf("%s: ends job %d, which loses %v", why, j.ID, a.loss(&j)))
				}
			}
			if err := a.slurm.Down(ctx, n.Name, reason); err != nil {
				return err
			}
		}
		if h.State == exchange.Draining {
			free = append(free, i)
		}
	}
	if len(free) == 0 {
		return nil
	}
	if err := a.exchange.Delete(ctx, free); err != nil {
		return err
	}
	a.scaler.gone(free)
	for k := range a.holdings { // also if the client falls silent now
		if slices.Contains(free, a.holdings[k].Node) {
			a.holdings[k].State = exchange.Returned
		}
	}
	for _, i := range free {
		state[i].State = exchange.Returned
		a.o.Tell(nodes[i].Name, "is given back")
	}
	return nil
}

// requeue lets jobs that were ended for the host's sake start again as soon as there is
// room: Slurm would let them wait for two minutes. It says so some time after it has
// queued a job again, so a job is looked after until it has run.
//
// Slurm has a reason to wait. A node remembers in which second a job was ended on it, and
// turns down what was not sent later: a job that starts again there in the same second
// fails for good, with "Job credential revoked". So it waits for revoked.
func (a *Agent) requeue(ctx context.Context, jobs []slurmctl.Job) error {
	there := map[int64]time.Time{}
	now := a.o.Now()
	for _, j := range jobs {
		last, ok := a.requeued[j.ID]
		switch {
		case !ok:
		case j.Holds():
			there[j.ID] = now
		case unstarted(&j) && j.End.Sub(last) < 3*revoked:
			if err := a.slurm.Requeue(ctx, j.ID); err != nil {
				return err
			}
			there[j.ID] = now
			a.o.Tell("", fmt.Sprintf("job %d started where it was ended just before, and failed: queues it again", j.ID))
		case j.Waits():
			there[j.ID] = last
			if now.Sub(last) < revoked || !j.Eligible.After(now) && j.Reason != "BeginTime" {
				continue
			}
			if err := a.slurm.Eligible(ctx, j.ID); err != nil {
				return err
			}
		}
	}
	a.requeued = there
	return nil
}

// unstarted reports whether a job failed at a start after its first one, before it ran: Slurm
// sometimes starts a job again at once, in spite of what requeue says.
func unstarted(j *slurmctl.Job) bool {
	return j.State == "FAILED" && j.Restarts > 0 && !j.End.IsZero() && j.End.Sub(j.Start) <= time.Second
}

// revoked is longer than the seconds in which nodes count, and than their clocks differ.
const revoked = 3 * time.Second

// value tells what the usable nodes are worth.
func (a *Agent) value(ctx context.Context, state []Holding, jobs []slurmctl.Job) error {
	st, held, users := a.state(state, jobs)
	a.judge.users = users
	if len(held) == 0 {
		return a.exchange.SetValues(ctx, nil)
	}
	vector := make([]float64, len(held))
	if err := a.judgeTo(vector, st); err != nil {
		return err
	}
	values := make([]exchange.NodeValue, len(held))
	for k, i := range held {
		values[k] = exchange.NodeValue{Node: i, Value: vector[k]}
	}
	return a.exchange.SetValues(ctx, values)
}

// state returns which jobs run on the usable nodes, and which those are. A job that is
// also on a node that drains is lost with that, unless it ends in time: its other nodes
// then count as idle, since nothing more is lost with them.
func (a *Agent) state(state []Holding, jobs []slurmctl.Job) (st preempt.State, held, users []int) {
	at := map[string]int{}
	left := map[string]time.Duration{} // of nodes that drain
	for i, h := range state {
		if h.State == exchange.Draining {
			left[a.o.Names[i]] = h.Left
		}
		if h.State == exchange.Usable {
			at[a.o.Names[i]] = len(held)
			held = append(held, i)
			st.Node = append(st.Node, preempt.Idle)
		}
	}
	now := a.o.Now()
	for _, j := range jobs {
		if !j.Holds() {
			continue
		}
		elapsed := max(0, now.Sub(j.Start))
		lost := slices.ContainsFunc(j.Names, func(name string) bool {
			l, drains := left[name]
			return drains && (j.Limit <= elapsed || preempt.Outlasts(j.Limit-elapsed, max(0, l)))
		})
		if lost {
			continue
		}
		n := 0
		for _, name := range j.Names {
			// Where jobs share a node the first one counts.
			if k, ok := at[name]; ok && st.Node[k] == preempt.Idle {
				st.Node[k] = len(st.Jobs)
				n++
			}
		}
		if n > 0 {
			st.Jobs = append(st.Jobs, a.job(&j, n))
			users = append(users, int(j.User))
		}
	}
	return st, held, users
}
