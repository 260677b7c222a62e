package partition

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/plimsoll/plimsoll/examples/services/slurm/internal/slurmctl"
	"github.com/plimsoll/plimsoll/preempt"
	"github.com/plimsoll/plimsoll/preempt/exchange"
	"github.com/plimsoll/plimsoll/preempt/scaling"
)

// Most tests here are computation that allocates much and keeps little: a collector that waits
// for more garbage saves half of it.
func TestMain(m *testing.M) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(1000)
	}
	os.Exit(m.Run())
}

// A world is a Slurm whose nodes' daemons never end, and a host, on a clock that the
// test moves.
type world struct {
	now   time.Time
	nodes []*worldNode
	jobs  []*worldJob
	fault func() error // of a call, nil for none

	manager *exchange.Manager
	client  *exchange.Client
	dead    bool // the client, which then says nothing
	lose    func() bool
}

type worldNode struct {
	name         string
	drains, down bool
	reason       string
	job          *worldJob
}

type worldJob struct {
	id               int64
	nodes            int
	run, limit       time.Duration
	submit           time.Time
	start, end, next time.Time // next: not to start again before
	on               []*worldNode
	stopped          int
	hit              bool // it had a node that was to be given back
	comment, part    string
	user             int64
	failed           bool
	signals          []string
}

// scalingOptions are those of TestScales.
var scalingOptions = scaling.Options{Wait: 30 * time.Second, Idle: 2 * time.Minute, Hold: time.Minute}

var worldStart = time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)

func (w *world) clock() time.Duration { return w.now.Sub(worldStart) }

// call is around all that the agent asks for: it may fail before it has an effect, or
// after.
func (w *world) call(do func()) error {
	if w.fault == nil {
		do()
		return nil
	}
	err := w.fault()
	if err == nil || !errors.Is(err, errBefore) {
		do()
	}
	return err
}

var (
	errBefore = errors.New("it fails before its effect")
	errAfter  = errors.New("it fails after its effect")
)

func (w *world) Jobs(context.Context) (all []slurmctl.Job, err error) {
	err = w.call(func() {
		for _, j := range w.jobs {
			if !j.end.IsZero() && w.now.Sub(j.end) > 10*time.Minute { // MinJobAge
				continue
			}
			s := slurmctl.Job{ID: j.id, Nodes: j.nodes, State: "PENDING", Submit: j.submit, Eligible: j.next, Limit: j.limit, Restarts: j.stopped,
				Comment: j.comment, Priority: 1, User: j.user, Parts: []string{j.part}}
			switch {
			case len(j.on) > 0:
				s.State, s.Start = "RUNNING", j.start
				for _, n := range j.on {
					s.Names = append(s.Names, n.name)
				}
			case !j.end.IsZero():
				s.State, s.Start, s.End = "COMPLETED", j.start, j.end
				if j.failed {
					s.State, s.Start = "FAILED", j.end
				}
			}
			all = append(all, s)
		}
	})
	return all, err
}

func (w *world) Nodes(context.Context) (all []slurmctl.Node, err error) {
	err = w.call(func() {
		for _, n := range w.nodes {
			s := slurmctl.Node{Name: n.name, State: "idle", Reason: n.reason}
			switch {
			case n.down:
				s.State = "down"
			case n.job != nil:
				s.State, s.Busy = "allocated", 1
			}
			if n.drains {
				s.Flags = []string{"DRAIN"}
			}
			all = append(all, s)
		}
	})
	return all, err
}

func (w *world) node(name string) *worldNode {
	return w.nodes[slices.IndexFunc(w.nodes, func(n *worldNode) bool { return n.name == name })]
}

func (w *world) Drain(_ context.Context, name, reason string) error {
	return w.call(func() { n := w.node(name); n.drains, n.reason = true, reason })
}

func (w *world) Undrain(_ context.Context, name string) error {
	return w.call(func() { w.node(name).drains = false })
}

func (w *world) Down(_ context.Context, name, reason string) error {
	return w.call(func() {
		n := w.node(name)
		n.down, n.reason = true, reason
		if j := n.job; j != nil {
			for _, n := range j.on {
				n.job = nil
			}
			j.on, j.next = nil, w.now.Add(2*time.Minute)
			j.stopped++
		}
	})
}

func (w *world) Eligible(_ context.Context, id int64) error {
	return w.call(func() { w.jobs[id-1].next = w.now })
}

func (w *world) Requeue(_ context.Context, id int64) error {
	return w.call(func() {
		j := w.jobs[id-1]
		j.failed, j.end, j.next = false, time.Time{}, w.now.Add(2*time.Minute)
		j.stopped++
	})
}

func (w *world) Signal(_ context.Context, id int64, signal string) error {
	return w.call(func() { w.jobs[id-1].signals = append(w.jobs[id-1].signals, signal) })
}

func (w *world) submit(nodes int, run, limit time.Duration) *worldJob {
	j := &worldJob{id: int64(len(w.jobs) + 1), submit: w.now, nodes: nodes, run: run, limit: limit}
	w.jobs = append(w.jobs, j)
	return j
}

// advance lets time pass in Slurm.
func (w *world) advance(d time.Duration) {
	w.now = w.now.Add(d)
	for _, n := range w.nodes {
		n.down = false // its daemon registers
	}
	for _, j := range w.jobs {
		if len(j.on) > 0 && !w.now.Before(j.start.Add(j.run)) {
			j.end = w.now
			for _, n := range j.on {
				n.job = nil
			}
			j.on = nil
		}
	}
	for _, j := range w.jobs {
		if len(j.on) > 0 || !j.end.IsZero() || w.now.Before(j.next) {
			continue
		}
		var free []*worldNode
		for _, n := range w.nodes {
			if !n.drains && !n.down && n.job == nil {
				free = append(free, n)
			}
		}
		if len(free) < j.nodes {
			continue
		}
		j.on, j.start = free[:j.nodes], w.now
		for _, n := range j.on {
			n.job = j
		}
	}
}

// exchange lets the host and the client tick, and delivers what they say.
func (w *world) exchange(t *testing.T) {
	t.Helper()
	if !w.dead {
		w.toHost(t, w.client.Tick(w.clock()))
	}
	w.toClient(t, w.manager.Tick(w.clock()))
}

func (w *world) toHost(t *testing.T, msgs []exchange.Message) {
	t.Helper()
	for _, m := range clones(msgs) {
		if w.lose != nil && w.lose() {
			continue
		}
		out, err := w.manager.Handle(w.clock(), m)
		if err != nil {
			t.Fatal(err)
		}
		w.toClient(t, out)
	}
}

func (w *world) toClient(t *testing.T, msgs []exchange.Message) {
	t.Helper()
	for _, m := range clones(msgs) {
		if w.dead || w.lose != nil && w.lose() {
			continue
		}
		out, err := w.client.Handle(w.clock(), m)
		if err != nil {
			t.Fatal(err)
		}
		w.toHost(t, out)
	}
}

func clones(msgs []exchange.Message) []exchange.Message {
	out := make([]exchange.Message, len(msgs))
	for i, m := range msgs {
		out[i] = m.Clone()
	}
	return out
}

// worldExchange is the world's client as the agent has it.
type worldExchange struct {
	*world
	t *testing.T
}

func (x worldExchange) Holdings(context.Context) (all []Holding, err error) {
	if x.dead {
		return nil, errors.New("nobody answers")
	}
	err = x.call(func() {
		all = []Holding{}
		for _, h := range x.client.AppendNodes(nil, x.clock()) {
			all = append(all, Holding{Node: h.Node, State: h.State, Left: h.End - x.clock()})
		}
	})
	return all, err
}

func (x worldExchange) SetValues(_ context.Context, values []exchange.NodeValue) (err error) {
	if x.dead {
		return errors.New("nobody answers")
	}
	var msgs []exchange.Message
	if e := x.call(func() { msgs, err = x.client.SetResourceValues(x.clock(), values) }); e != nil {
		err = e
	}
	x.toHost(x.t, msgs)
	return err
}

func (x worldExchange) Delete(_ context.Context, nodes []int) (err error) {
	if x.dead {
		return errors.New("nobody answers")
	}
	var msgs []exchange.Message
	if e := x.call(func() { msgs, err = x.client.DeleteNodes(x.clock(), nodes...) }); e != nil {
		err = e
	}
	x.toHost(x.t, msgs)
	return err
}

func (x worldExchange) Requests(context.Context) (all []exchange.Request, err error) {
	if x.dead {
		return nil, errors.New("nobody answers")
	}
	err = x.call(func() { all = x.client.AppendRequests(nil) })
	return all, err
}

func (x worldExchange) Add(_ context.Context, count int) (err error) {
	if x.dead {
		return errors.New("nobody answers")
	}
	var msgs []exchange.Message
	if e := x.call(func() { _, msgs, err = x.client.AddNodes(x.clock(), "", count) }); e != nil {
		err = e
	}
	x.toHost(x.t, msgs)
	return err
}

func (x worldExchange) Cancel(_ context.Context, id uint64) (err error) {
	if x.dead {
		return errors.New("nobody answers")
	}
	var msgs []exchange.Message
	if e := x.call(func() { msgs, err = x.client.Cancel(x.clock(), id) }); e != nil {
		err = e
	}
	x.toHost(x.t, msgs)
	return err
}

func newWorld(t *testing.T, nodes int, o Options) (*world, *Agent) {
	t.Helper()
	w := &world{now: worldStart}
	for i := range nodes {
		w.nodes = append(w.nodes, &worldNode{name: fmt.Sprintf("n%d", i), down: true})
		o.Names = append(o.Names, w.nodes[i].name)
	}
	var err error
	if w.manager, err = exchange.NewManager(exchange.ManagerOptions{}, make([]string, nodes)); err != nil {
		t.Fatal(err)
	}
	if err := w.manager.CreatePartition("hpc", 1, 0); err != nil {
		t.Fatal(err)
	}
	if w.client, err = exchange.NewClient("hpc", exchange.ClientOptions{}); err != nil {
		t.Fatal(err)
	}
	o.Now = func() time.Time { return w.now }
	a, err := New(worldExchange{w, t}, w, o)
	if err != nil {
		t.Fatal(err)
	}
	return w, a
}

// add asks the host for nodes, and waits for the agent to take them up.
func (w *world) add(t *testing.T, count int) {
	t.Helper()
	_, msgs, err := w.client.AddNodes(w.clock(), "", count)
	if err != nil {
		t.Fatal(err)
	}
	w.toHost(t, msgs)
}

// usable returns how many nodes the partition may use for new jobs.
func (w *world) usable() (n int) {
	for _, h := range w.client.AppendNodes(nil, w.clock()) {
		if h.State == exchange.Usable {
			n++
		}
	}
	return n
}

// Whatever a host takes and gives, no job runs on a node that the host has taken. No job is
// ended that was not on a node that was to be given back. In the end all jobs have run. That
// holds whatever fails in between: a sixth of all calls to Slurm and to the client, a fifth
// of the messages, and the client itself for up to 70 s.
func TestAgentAnywhere(t *testing.T) {
	t.Parallel()
	ends, returned := 0, 0
	for seed := range uint64(24) {
		rng := rand.New(rand.NewPCG(12, seed))
		o := Options{Grace: 2 * time.Minute, Margin: 40 * time.Second, Poll: 2 * time.Second, Take: rng.IntN(3), Policy: Policy(seed % 9), Seed: seed}
		scaled, every := seed%3 == 2, 120
		if scaled {
			every = 500
			o.Scaling = &scaling.Options{Wait: 10 * time.Second, Idle: 2 * time.Minute, Hold: time.Minute}
		}
		w, a := newWorld(t, 4, o)
		if seed%2 == 1 {
			w.lose = func() bool { return rng.IntN(5) == 0 }
			w.fault = func() error {
				switch rng.IntN(12) {
				case 0:
					return errBefore
				case 1:
					return errAfter
				}
				return nil
			}
		}
		if !scaled {
			w.add(t, 4)
		}
		var revive time.Time
		const busy = 2 * time.Hour
		for w.clock() < 12*time.Hour {
			w.advance(time.Second)
			if w.dead && !w.now.Before(revive) {
				w.dead = false
			}
			w.exchange(t)
			if w.clock()%(2*time.Second) == 0 {
				if err := a.Step(t.Context()); err != nil && w.fault == nil && !w.dead {
					t.Fatalf("seed %d: %v", seed, err)
				}
			}
			taken := map[int]bool{}
			free := 0
			for _, as := range w.manager.AppendAssignments(nil) {
				if taken[as.Node] = as.Partition == ""; taken[as.Node] {
					free++
				}
				if j := w.nodes[as.Node].job; j != nil && as.Preemption > 0 {
					j.hit = true
				}
			}
			for i, n := range w.nodes {
				if n.job != nil && taken[i] && w.clock() > time.Minute {
					t.Fatalf("seed %d, %v: job %d runs on %s, which the host has taken", seed, w.clock(), n.job.id, n.name)
				}
			}
			switch {
			case w.clock() > busy:
				if !scaled && free > 0 && w.usable() == 4-free && !w.dead && len(w.client.AppendRequests(nil)) == 0 {
					w.add(t, free)
				}
			case rng.IntN(every) == 0 && w.clock() > time.Minute: // nodes that are not the partition's are drained
				j := w.submit(1+rng.IntN(3), time.Duration(10+rng.IntN(600))*time.Second, 10*time.Minute)
				if j.user = int64(rng.IntN(3)); rng.IntN(3) == 0 {
					j.comment = "checkpoint=USR1 cost=20s every=3m"
				}
			case rng.IntN(300) == 0 && free < 3:
				msgs, err := w.manager.Reclaim(w.clock(), "hpc", 1+rng.IntN(2))
				if err == nil { // there may be fewer
					w.toClient(t, msgs)
				}
			case !scaled && rng.IntN(200) == 0 && free > 0 && !w.dead:
				w.add(t, 1)
			case seed%4 == 3 && rng.IntN(500) == 0 && !w.dead:
				// For longer, and it may have read a notice that nobody hears of.
				w.dead, revive = true, w.now.Add(time.Duration(rng.IntN(70))*time.Second)
			}
			if w.clock() > busy && !slices.ContainsFunc(w.jobs, func(j *worldJob) bool { return j.end.IsZero() }) {
				break
			}
		}
		for _, j := range w.jobs {
			if j.end.IsZero() {
				t.Errorf("seed %d: job %d has not run", seed, j.id)
			}
			if j.stopped > 0 && !j.hit {
				t.Errorf("seed %d: job %d was ended, and had no node that was to be given back", seed, j.id)
			}
			ends += j.stopped
		}
		if scaled {
			returned += w.manager.Stats().Returned
		}
		if t.Failed() {
			for _, as := range w.manager.AppendAssignments(nil) {
				t.Logf("%+v %+v", as, *w.nodes[as.Node])
			}
			t.Logf("%v requests %+v holdings %+v", w.clock(), w.client.AppendRequests(nil), w.client.AppendNodes(nil, w.clock()))
			break
		}
	}
	if ends < 10 {
		t.Errorf("only %d jobs were ended for the host's sake", ends)
	}
	if returned < 10 {
		t.Errorf("only %d idle nodes were given back", returned)
	}
}

// A client that dies after its notice is no reason to keep a node for longer.
func TestAgentClientDies(t *testing.T) {
	w, a := newWorld(t, 2, Options{Grace: 2 * time.Minute, Margin: 10 * time.Second, Poll: 2 * time.Second})
	step := func(seconds int) {
		for range seconds {
			w.advance(time.Second)
			w.exchange(t)
			if err := a.Step(t.Context()); err != nil && !w.dead {
				t.Fatal(err)
			}
		}
	}
	w.add(t, 2)
	step(10)
	j := w.submit(2, time.Hour, 0)
	step(60)
	msgs, err := w.manager.Reclaim(w.clock(), "hpc", 1)
	if err != nil {
		t.Fatal(err)
	}
	w.toClient(t, msgs)
	step(5)
	if !w.nodes[0].drains || len(j.on) != 2 {
		t.Fatalf("the node does not drain, or job 1 does not run on: %+v", w.nodes[0])
	}
	w.dead = true
	step(100)
	if j.stopped != 0 {
		t.Error("job 1 is ended before the grace period is over")
	}
	step(20)
	if j.stopped != 1 || w.nodes[0].job != nil {
		t.Errorf("after the grace period job 1 has been ended %d times", j.stopped)
	}
	step(14)
	if w.now.Before(j.next) {
		t.Errorf("job 1 waits for Slurm to let it start, until %v", j.next.Sub(w.now))
	}
	w.dead = false
	step(60)
	var got []string
	for _, as := range w.manager.AppendAssignments(nil) {
		got = append(got, as.Partition)
	}
	if diff := cmp.Diff([]string{"", "hpc"}, got); diff != "" {
		t.Errorf("the host has: %s", diff)
	}
}

// Slurm lets a job that was ended wait for two minutes, and tells so late, or lets it
// wait again when its start has failed; and the agent may have been killed in between.
func TestRequeue(t *testing.T) {
	w, a := newWorld(t, 1, Options{Poll: 2 * time.Second})
	j := w.submit(1, time.Hour, 0)
	step := func(a *Agent) {
		t.Helper()
		if err := a.Step(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	late := func(d time.Duration) { j.stopped, j.next = 1, w.now.Add(d) }
	step(a)
	a.requeued[j.id] = w.now
	for range 3 { // it waits, Slurm has not yet said until when; then it says so, twice
		step(a)
		a.requeued[j.id] = w.now // as if it had started
		late(2 * time.Minute)
		step(a)
		w.now = w.now.Add(2900 * time.Millisecond)
		step(a)
		if !w.now.Before(j.next) {
			t.Fatal("it may start where it was ended just before, which fails")
		}
		w.now = w.now.Add(200 * time.Millisecond)
		step(a)
		if w.now.Before(j.next) {
			t.Fatalf("it waits until %v", j.next.Sub(w.now))
		}
	}
	j.end = w.now
	step(a)
	if len(a.requeued) != 0 {
		t.Errorf("a job that has ended is looked after: %v", a.requeued)
	}
	// The next agent finds it, and none that is to begin later, or that was never ended.
	j.end = time.Time{}
	for _, c := range []struct {
		stopped int
		wait    time.Duration
		started bool
	}{{1, 121 * time.Second, true}, {0, 121 * time.Second, false}, {1, time.Hour, false}} {
		late(c.wait)
		j.stopped = c.stopped
		next, err := New(worldExchange{w, t}, w, a.o)
		if err != nil {
			t.Fatal(err)
		}
		step(next)
		w.now = w.now.Add(3 * time.Second)
		step(next)
		if got := !w.now.Before(j.next); got != c.started {
			t.Errorf("%+v: it may start: %v", c, got)
		}
		late(c.wait) // later it does not
		j.stopped = c.stopped
		if step(next); !c.started && !w.now.Before(j.next) {
			t.Errorf("%+v: it may start", c)
		}
	}
}

// A job that Slurm starts again at once, on a node that turns it down, is queued again, by this
// agent or the next one; a job that fails by itself is not.
func TestStartFails(t *testing.T) {
	for _, c := range []struct {
		what           string
		next           bool // another agent
		stopped        int
		late           time.Duration
		requeued, runs bool
	}{
		{"at once", false, 1, time.Second, true, true},
		{"at once, for the next agent", true, 1, time.Second, true, true},
		{"later", false, 1, 10 * time.Second, false, false},
		{"at its first start", false, 0, time.Second, false, false},
	} {
		w, a := newWorld(t, 1, Options{Poll: 2 * time.Second})
		j := w.submit(1, time.Hour, 0)
		if err := a.Step(t.Context()); err != nil {
			t.Fatal(err)
		}
		a.requeued[j.id] = w.now
		w.now = w.now.Add(c.late)
		j.stopped, j.failed, j.end = c.stopped, true, w.now
		w.now = w.now.Add(time.Second)
		if c.next {
			var err error
			if a, err = New(worldExchange{w, t}, w, a.o); err != nil {
				t.Fatal(err)
			}
		}
		if err := a.Step(t.Context()); err != nil {
			t.Fatal(err)
		}
		if j.failed == c.requeued {
			t.Errorf("%s: it is queued again: %v", c.what, !j.failed)
		}
		w.now = w.now.Add(4 * time.Second)
		if err := a.Step(t.Context()); err != nil {
			t.Fatal(err)
		}
		if c.runs && w.now.Before(j.next) {
			t.Errorf("%s: it waits for %v", c.what, j.next.Sub(w.now))
		}
	}
}

// Jobs on nodes that the client does not hold are left alone, unless the node was drained
// for it before, or force is asked for.
func TestForeignJobs(t *testing.T) {
	for _, c := range []struct {
		force, before bool
		ended         int
	}{{false, false, 0}, {true, false, 1}, {false, true, 1}} {
		w, a := newWorld(t, 2, Options{Poll: 2 * time.Second, Force: c.force})
		j := w.submit(1, time.Hour, 0)
		w.advance(time.Second)
		if len(j.on) != 1 {
			t.Fatal("the job does not run")
		}
		if c.before {
			j.on[0].drains, j.on[0].reason = true, reason
		}
		for range 3 {
			if err := a.Step(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if j.stopped != c.ended || !w.nodes[0].drains || !w.nodes[1].drains {
			t.Errorf("%+v: the job was ended %d times, %+v", c, j.stopped, w.nodes[0])
		}
	}
}

// What is left of a job that loses a node is worth no more than an idle node, unless it
// ends in time.
func TestLostJobs(t *testing.T) {
	now := worldStart.Add(time.Hour)
	a := &Agent{o: Options{Names: []string{"a", "b", "c", "d", "e"}, Now: func() time.Time { return now }}}
	holdings := []Holding{{State: exchange.Draining, Left: 10 * time.Minute}, {State: exchange.Usable}, {State: exchange.Usable}, {State: exchange.Usable},
		{State: exchange.Returned}}
	job := func(limit time.Duration, names ...string) slurmctl.Job {
		return slurmctl.Job{ID: 1, State: "RUNNING", Start: worldStart, Limit: limit, Names: names}
	}
	for _, c := range []struct {
		what string
		jobs []slurmctl.Job
		want []int
	}{
		{"it ends in time", []slurmctl.Job{job(69*time.Minute, "a", "b"), job(0, "d")}, []int{0, preempt.Idle, 1}},
		{"it does not", []slurmctl.Job{job(70*time.Minute, "a", "b"), job(0, "d")}, []int{preempt.Idle, preempt.Idle, 0}},
		{"it has no limit", []slurmctl.Job{job(0, "a", "b", "c"), job(0, "d")}, []int{preempt.Idle, preempt.Idle, 0}},
		{"it is over its limit", []slurmctl.Job{job(30*time.Minute, "a", "b")}, []int{preempt.Idle, preempt.Idle, preempt.Idle}},
	} {
		st, held, _ := a.state(holdings, c.jobs)
		if diff := cmp.Diff(c.want, st.Node); diff != "" || !slices.Equal(held, []int{1, 2, 3}) {
			t.Errorf("%s: nodes %v: %s", c.what, held, diff)
		}
	}
}
