package manager

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/examples/internal/chain"
	"github.com/plimsoll/plimsoll/examples/internal/journal"
	"github.com/plimsoll/plimsoll/examples/internal/provider"
	"github.com/plimsoll/plimsoll/examples/services/slurm/internal/slurmctl"
	"github.com/plimsoll/plimsoll/pricing"
)

// Most tests here are computation that allocates much and keeps little: a collector that waits
// for more garbage saves a third of it. TestReal waits for Slurm meanwhile.
func TestMain(m *testing.M) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(1000)
	}
	if err := flag.Set("test.parallel", strconv.Itoa(2+runtime.GOMAXPROCS(0))); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// A world is a Slurm and a provider on a clock that a test moves. It does what the real
// ones were seen to do, and it checks that nobody hurts a job.
type world struct {
	now       time.Time
	nodes     []*worldNode
	jobs      []*worldJob
	instances []*worldInstance
	boot      time.Duration
	wrong     []string // what should not have happened

	left    int  // effects until a crash, negative: none
	before  bool // it comes before the effect, not after it
	crashed bool
	effects int
	faults  func(call string) fault // of the provider, nil for none
	naive   bool                    // it creates what its list, which may lie, does not have
	lag     time.Duration           // its list does not have what was created since
	drain   func(node string)       // called before a node is drained

	ignored   string // a node whose next drain has no effect
	unnoticed bool   // Slurm does not notice by itself that a daemon has ended
}

// A fault is what goes wrong with a call: an error, before or after it had its effect,
// or a lie.
type fault uint8

const (
	noFault fault = iota
	failBefore
	failAfter
	refuse
	lie
)

type worldNode struct {
	name                     string
	group                    int  // no job has nodes of two groups
	fixed                    bool // its daemon always runs
	registered, down, drains bool
	reason                   string
	weight                   int
	job                      *worldJob
	heard                    time.Time // of its daemon
}

type worldJob struct {
	id             int64
	nodes          int
	submit, start  time.Time
	run, estimate  time.Duration
	end            time.Time
	priority       uint32
	on             []*worldNode
	begun, stopped int
	names          []string // of its nodes, which Slurm tells for some time after its end
}

type worldInstance struct {
	provider.Instance
	ready time.Time
	dead  bool // it was ended in fact, whatever was said
}

var worldStart = time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)

func newWorld(nodes int, boot time.Duration) *world {
	w := &world{now: worldStart, boot: boot, left: -1}
	for i := range nodes {
		w.nodes = append(w.nodes, &worldNode{name: fmt.Sprintf("n%d", i+1), down: true, weight: 1})
	}
	return w
}

// errCrash is what a manager is killed with.
var errCrash = errors.New("killed")

// memory returns a folder for a journal, in memory where there is such a one: there are
// thousands of entries, and each is to be on the disk before a manager goes on.
func memory(t *testing.T) string {
	dir, err := os.MkdirTemp("/dev/shm", "plimsoll-manager-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// effect counts an effect, and crashes the manager before or after it.
func (w *world) effect(do func()) {
	w.effects++
	if w.left >= 0 {
		if w.left--; w.left < 0 {
			w.crashed = true
			if !w.before {
				do()
			}
			return
		}
	}
	do()
}

// slurm has an effect on Slurm.
func (w *world) slurm(do func()) error {
	if w.crashed {
		panic(errCrash)
	}
	w.effect(do)
	if w.crashed {
		panic(errCrash)
	}
	return nil
}

func (w *world) node(name string) *worldNode {
	i := slices.IndexFunc(w.nodes, func(n *worldNode) bool { return n.name == name })
	if i < 0 {
		return nil
	}
	return w.nodes[i]
}

// live returns the instance whose daemon runs on a node, nil if none does.
func (w *world) live(name string) *worldInstance {
	for _, in := range w.instances {
		if !in.dead && in.Node == name && !w.now.Before(in.ready) {
			return in
		}
	}
	return nil
}

func (w *world) submit(nodes int, run, estimate time.Duration) {
	id := int64(len(w.jobs) + 1)
	w.jobs = append(w.jobs, &worldJob{id: id, nodes: nodes, submit: w.now, run: run, estimate: estimate, priority: 4294901760 - uint32(id)})
}

// advance lets time pass.
func (w *world) advance(d time.Duration) {
	w.now = w.now.Add(d)
	for _, n := range w.nodes {
		alive := n.fixed || w.live(n.name) != nil
		if alive && (!n.registered || n.down) {
			n.down = false // ReturnToService=2
		}
		n.registered = alive
		if alive {
			n.heard = w.now
		} else if w.now.Sub(n.heard) > 5*time.Minute { // SlurmdTimeout
			n.down = true
			if n.job != nil {
				w.stop(n.job)
			}
		}
		if !alive && n.job != nil && !w.unnoticed {
			w.wrong = append(w.wrong, fmt.Sprintf("job %d lost node %s", n.job.id, n.name))
			w.stop(n.job)
		}
	}
	for _, j := range w.jobs {
		lost := slices.ContainsFunc(j.on, func(n *worldNode) bool { return !n.registered })
		if len(j.on) > 0 && !lost && !w.now.Before(j.start.Add(j.run)) {
			j.end = j.start.Add(j.run)
			j.names = nil
			for _, n := range j.on {
				n.job = nil
				j.names = append(j.names, n.name)
			}
			j.on = nil
		}
	}
	queue := slices.Clone(w.jobs)
	queue = slices.DeleteFunc(queue, func(j *worldJob) bool { return len(j.on) > 0 || !j.end.IsZero() })
	slices.SortStableFunc(queue, func(a, b *worldJob) int { return -cmp.Compare(a.priority, b.priority) })
	for _, j := range queue {
		var free []*worldNode
		for _, n := range w.nodes {
			if n.registered && !n.down && !n.drains && n.job == nil {
				free = append(free, n)
			}
		}
		slices.SortStableFunc(free, func(a, b *worldNode) int {
			return cmp.Or(cmp.Compare(a.group, b.group), cmp.Compare(a.weight, b.weight))
		})
		if free = together(free, j.nodes); free == nil {
			break
		}
		j.on, j.start = free[:j.nodes], w.now
		j.begun++
		for _, n := range j.on {
			n.job = j
		}
	}
}

// together returns the nodes of the first group that has enough of them, nil for none.
func together(free []*worldNode, n int) []*worldNode {
	for len(free) > 0 {
		k := 1
		for k < len(free) && free[k].group == free[0].group {
			k++
		}
		if k >= n {
			return free[:n]
		}
		free = free[k:]
	}
	return nil
}

// stop ends a job before its time, and queues it again.
func (w *world) stop(j *worldJob) {
	for _, n := range j.on {
		n.job = nil
	}
	j.on, j.stopped = nil, j.stopped+1
}

func (w *world) Jobs(context.Context) ([]slurmctl.Job, error) {
	var all []slurmctl.Job
	for _, j := range w.jobs {
		s := slurmctl.Job{ID: j.id, User: 1000 + j.id%3, Nodes: j.nodes, Submit: j.submit.Truncate(time.Second), Priority: j.priority,
			Comment: estimateMark + j.estimate.String(), State: "PENDING", Reason: "Resources", Restarts: j.stopped}
		switch {
		case len(j.on) > 0:
			s.State, s.Start = "RUNNING", j.start.Truncate(time.Second)
			for _, n := range j.on {
				s.Names = append(s.Names, n.name)
			}
		case !j.end.IsZero():
			s.State, s.Start, s.End, s.Names = "COMPLETED", j.start.Truncate(time.Second), j.end.Truncate(time.Second), j.names
		}
		all = append(all, s)
	}
	return all, nil
}

func (w *world) Nodes(context.Context) ([]slurmctl.Node, error) {
	var all []slurmctl.Node
	for _, n := range w.nodes {
		s := slurmctl.Node{Name: n.name, State: "idle", CPUs: 1, Weight: n.weight, Reason: n.reason}
		if n.down {
			s.State = "down"
		} else if n.job != nil {
			s.State, s.Busy = "allocated", 1
		}
		if n.drains {
			s.Flags = append(s.Flags, "DRAIN")
		}
		if w.now.Sub(n.heard) > time.Minute {
			s.Flags = append(s.Flags, "NOT_RESPONDING")
		}
		all = append(all, s)
	}
	return all, nil
}

func (w *world) Drain(_ context.Context, name, reason string) error {
	if w.drain != nil {
		w.drain(name)
	}
	if name == w.ignored {
		w.ignored = ""
		return nil
	}
	return w.slurm(func() { n := w.node(name); n.drains, n.reason = true, reason })
}

func (w *world) Undrain(_ context.Context, name string) error {
	return w.slurm(func() { w.node(name).drains = false })
}

func (w *world) Down(_ context.Context, name, reason string) error {
	return w.slurm(func() {
		n := w.node(name)
		if n.job != nil {
			if w.live(name) != nil {
				w.wrong = append(w.wrong, fmt.Sprintf("%s is taken down under job %d", name, n.job.id))
			}
			w.stop(n.job)
		}
		n.down, n.reason = true, reason
	})
}

func (w *world) Weigh(_ context.Context, weights []slurmctl.Weight) error {
	return w.slurm(func() {
		for _, x := range weights {
			w.node(x.Node).weight = x.Weight
		}
	})
}

func (w *world) Promote(_ context.Context, job int64, priority uint32) error {
	return w.slurm(func() { w.jobs[job-1].priority = priority })
}

// A worldProvider is the world's other side.
type worldProvider struct{ *world }

func (w worldProvider) fault(call string) fault {
	if w.faults == nil || w.crashed {
		return noFault
	}
	return w.faults(call)
}

func (w worldProvider) Create(_ context.Context, token, node string) (provider.Instance, error) {
	if w.crashed {
		return provider.Instance{}, errCrash
	}
	f := w.fault("create")
	switch f {
	case refuse:
		return provider.Instance{}, fmt.Errorf("%w: no capacity", provider.ErrRefused)
	case failBefore:
		return provider.Instance{}, errors.New("the connection broke")
	}
	var in *worldInstance
	id := "i-" + token
	for k, i := range w.instances {
		if i.Token != token {
			continue
		}
		if w.naive && (f == lie && k%2 == 0 || w.now.Before(i.Created.Add(w.lag))) {
			id += "x"
			continue
		}
		in = i
	}
	if in == nil {
		w.effect(func() {
			for _, other := range w.instances {
				if !other.dead && other.Node == node && !w.naive { // else a list may have lacked it three times
					w.wrong = append(w.wrong, fmt.Sprintf("%s is rented a second time", node))
				}
			}
			in = &worldInstance{Instance: provider.Instance{ID: id, Token: token, Node: node, Created: w.now}, ready: w.now.Add(w.boot)}
			if f == lie { // it never comes up
				in.ready = w.now.Add(1000 * time.Hour)
			}
			w.instances = append(w.instances, in)
		})
	}
	if w.crashed || f == failAfter {
		return provider.Instance{}, errors.New("time-out")
	}
	return in.Instance, nil
}

func (w worldProvider) Delete(_ context.Context, id string) (provider.Instance, error) {
	if w.crashed {
		return provider.Instance{}, errCrash
	}
	f := w.fault("delete")
	if f == failBefore || f == refuse {
		return provider.Instance{}, errors.New("the connection broke")
	}
	for _, in := range w.instances {
		if in.ID != id {
			continue
		}
		if f == lie {
			said := in.Instance
			said.Ended = w.now
			return said, nil
		}
		if in.Live() {
			w.effect(func() {
				if n := w.node(in.Node); n.job != nil {
					w.wrong = append(w.wrong, fmt.Sprintf("%s is given back under job %d", n.name, n.job.id))
				}
				in.Ended, in.dead = w.now, true
			})
		}
		if w.crashed || f == failAfter {
			return provider.Instance{}, errors.New("time-out")
		}
		return in.Instance, nil
	}
	return provider.Instance{}, errors.New("no such instance")
}

func (w worldProvider) List(context.Context) ([]provider.Instance, error) {
	f := w.fault("list")
	if f == failBefore || f == failAfter || f == refuse {
		return nil, errors.New("the connection broke")
	}
	var all []provider.Instance
	for i, in := range w.instances {
		if f == lie && i%2 == 0 || w.now.Before(in.Created.Add(w.lag)) {
			continue
		}
		all = append(all, in.Instance)
	}
	return all, nil
}

// worldOptions are those of the tests on a world: an hour lasts one.
func worldOptions(w *world) Options {
	var names []string
	for _, n := range w.nodes {
		names = append(names, n.name)
	}
	return Options{
		Nodes: names, WaitLimit: 5 * time.Minute, Short: time.Hour,
		ReleaseEvery: time.Minute, RetryEvery: time.Minute, Boot: w.boot, BootLimit: 20 * time.Minute, AuditEvery: 10 * time.Minute,
		Meter: pricing.EC2Hourly, Prices: pricing.CC28XLarge2013(),
		Hour: time.Hour, Poll: time.Second, Timeout: time.Minute,
		now: func() time.Time { return w.now },
	}
}

// open opens a manager whose calls to the provider are made one after the other.
func (w *world) open(t *testing.T, name string, o Options) *Manager {
	t.Helper()
	m, err := reopen(name, w, worldProvider{w}, o)
	if err != nil {
		t.Fatal(err)
	}
	m.results = make(chan result, 1000)
	m.spawn = func(f func()) { f() }
	return m
}

// reopen opens a journal that this process may have just closed. Tests beside this one start commands, and
// such a command holds the lock of each file open then, until it is what it is to be. So reopen tries for a while.
func reopen(name string, s Slurm, p provider.Provider, o Options) (m *Manager, err error) {
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		if m, err = Open(name, s, p, o); !errors.Is(err, journal.ErrHeld) || time.Now().After(end) {
			return m, err
		}
	}
}

// step lets a manager see the world and act, and waits for what it has called. It
// reports whether the manager was killed.
func (w *world) step(t *testing.T, m *Manager) (killed bool) {
	t.Helper()
	defer func() {
		if r := recover(); r != nil {
			if r != any(errCrash) {
				panic(r)
			}
			killed = true
		}
		for m.calls > 0 { // nobody waits for them if it was killed
			r := <-m.results
			m.calls--
			if w.crashed {
				killed = true
			} else if err := m.came(r); err != nil {
				t.Fatal(err)
			}
		}
	}()
	if err := m.step(context.Background()); err != nil {
		t.Fatal(err)
	}
	has := map[string]string{}
	for _, l := range m.state.leases {
		if l.phase == up {
			if other := has[l.Node]; other != "" {
				w.wrong = append(w.wrong, fmt.Sprintf("%s counts twice, for %s and %s", l.Node, other, l.Token))
			}
			has[l.Node] = l.Token
		}
	}
	return false
}

// A plan is jobs to submit, each a while after the one before.
type planned struct {
	after         time.Duration
	nodes         int
	run, estimate time.Duration
}

var worldPlan = []planned{
	{0, 1, 10 * time.Minute, 20 * time.Minute},
	{time.Minute, 2, 30 * time.Minute, time.Hour},
	{time.Minute, 3, 10 * time.Minute, 10 * time.Minute},
	{time.Minute, 1, 5 * time.Minute, 5 * time.Minute},
	{40 * time.Minute, 1, 70 * time.Minute, 2 * time.Hour},
	{10 * time.Minute, 4, 5 * time.Minute, 10 * time.Minute},
}

// play lets a manager run a plan until all jobs have ended and nothing is rented, and
// a new one go on where one was killed. It returns the journal's name.
func (w *world) play(t *testing.T, plan []planned, limit time.Duration) (m *Manager) {
	t.Helper()
	name := filepath.Join(memory(t), "journal")
	open := func() *Manager { return w.open(t, name, worldOptions(w)) }
	m = open()
	const tick = 15 * time.Second
	next, at := 0, worldStart
	for end := w.now.Add(limit); ; w.advance(tick) {
		for next < len(plan) && !w.now.Before(at.Add(plan[next].after)) {
			at = at.Add(plan[next].after)
			w.submit(plan[next].nodes, plan[next].run, plan[next].estimate)
			next++
		}
		if w.step(t, m) {
			m.Close()
			w.crashed, w.left = false, -1
			m = open()
		}
		if next == len(plan) && w.done() {
			w.faults = nil
			if !slices.ContainsFunc(m.state.leases, func(l *lease) bool { return !l.ended }) {
				return m // and the provider has confirmed it
			}
		}
		if w.now.After(end) {
			m.Close()
			t.Fatalf("it does not come to an end; %d instances", len(w.instances))
		}
	}
}

// done reports whether all jobs have ended and nothing is rented.
func (w *world) done() bool {
	for _, j := range w.jobs {
		if j.end.IsZero() {
			return false
		}
	}
	for _, in := range w.instances {
		if !in.dead {
			return false
		}
	}
	return true
}

// check checks the end of a play.
func (w *world) check(t *testing.T, m *Manager) {
	t.Helper()
	for _, s := range w.wrong {
		t.Error(s)
	}
	for _, j := range w.jobs {
		if j.begun != 1 || j.stopped != 0 {
			t.Errorf("job %d began %d times, and was stopped %d times", j.id, j.begun, j.stopped)
		}
	}
	var real []provider.Instance
	for _, in := range w.instances {
		real = append(real, in.Instance)
	}
	want, err := provider.Charge(real, w.now, m.Clock(), m.o.Meter, m.o.Prices.OnDemand)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := m.Bill(); err != nil || got != want {
		t.Errorf("the bill is %+v, the provider's %+v, %v", got, want, err)
	}
	m.Close()
}

// However it goes, instances leave within the last check before the end of their paid
// time.
func TestWorld(t *testing.T) {
	w := newWorld(4, 3*time.Minute)
	m := w.play(t, worldPlan, 24*time.Hour)
	w.check(t, m)
	for _, in := range w.instances {
		length := in.Ended.Sub(in.Created)
		if rest := length % time.Hour; rest != 0 && rest < time.Hour-2*time.Minute {
			t.Errorf("%s was given back after %v", in.Token, length)
		}
	}
	if len(w.instances) < 4 {
		t.Errorf("%d instances: jobs of up to 4 nodes need as many", len(w.instances))
	}
}

// race lets a job start on a node just before it is drained, the first two times.
func (w *world) race() {
	raced := 0
	w.drain = func(name string) {
		if raced++; raced <= 2 {
			w.node(name).weight = -1 // it is the one that the job gets
			w.submit(1, 5*time.Minute, 10*time.Minute)
			w.advance(0)
		}
	}
}

// A manager is killed before and after each effect that it has in a run, on Slurm or
// at the provider, and the next one brings it to the same end.
func TestKilledAnywhere(t *testing.T) {
	t.Parallel()
	w := newWorld(4, 3*time.Minute)
	w.race()
	m := w.play(t, worldPlan, 24*time.Hour)
	m.Close()
	all := w.effects
	if all < 20 {
		t.Fatalf("only %d effects", all)
	}
	for k := range all {
		for _, before := range []bool{true, false} {
			w := newWorld(4, 3*time.Minute)
			w.race()
			w.left, w.before = k, before
			m := w.play(t, worldPlan, 48*time.Hour)
			w.check(t, m)
			for _, n := range w.nodes {
				if n.drains {
					t.Errorf("%s stays drained", n.name)
				}
			}
			if t.Failed() {
				t.Fatalf("killed at effect %d of %d, before it: %v", k, all, before)
			}
		}
	}
}

// A manager whose journal is cut off anywhere, as when it is killed while it writes,
// comes to the same end, also where the entry about what it has done is lost.
func TestTornAnywhere(t *testing.T) {
	t.Parallel()
	name := filepath.Join(memory(t), "journal")
	rng := rand.New(rand.NewPCG(10, 3))
	for range 40 {
		os.Remove(name)
		w := newWorld(4, 3*time.Minute)
		open := func() *Manager { return w.open(t, name, worldOptions(w)) }
		m := open()
		tornAt := rng.IntN(60) + 1
		steps, torn := 0, false
		for _, p := range worldPlan {
			for end := w.now.Add(p.after); w.now.Before(end); w.advance(15 * time.Second) {
				before := m.state.entries
				w.step(t, m)
				if steps++; !torn && steps >= tornAt && m.state.entries > before {
					// The last entry is lost, or some bytes of it.
					m.Close()
					tear(t, name, 1+rng.IntN(20))
					torn = true
					m = open()
				}
			}
			w.submit(p.nodes, p.run, p.estimate)
		}
		for end := w.now.Add(24 * time.Hour); !w.done(); w.advance(15 * time.Second) {
			w.step(t, m)
			if w.now.After(end) {
				t.Fatal("it does not come to an end")
			}
		}
		w.check(t, m)
		if t.Failed() {
			t.Fatalf("torn at step %d", tornAt)
		}
	}
}

// tear takes bytes of the last entry away, which is then none that Append has returned for.
func tear(t *testing.T, name string, bytes int) {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	s, err := chain.Scan(data)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w, err := chain.Begin(f, s.Head)
	for i, record := range s.Records {
		end, sum := w.End()
		if i == len(s.Records)-1 {
			err = errors.Join(err, w.Mark(end, sum, 0))
		}
		bad, _ := w.Append(record)
		err = errors.Join(err, bad)
	}
	end, _ := w.End()
	if err = errors.Join(err, f.Truncate(end-int64(bytes))); err != nil {
		t.Fatal(err)
	}
}

// An instance whose node goes down by itself, and stays down, is given back, and another
// one takes its place.
func TestNodeLost(t *testing.T) {
	w := newWorld(2, 3*time.Minute)
	m := w.open(t, filepath.Join(memory(t), "journal"), worldOptions(w))
	var reason string
	m.o.Watch = func(e *Entry, _ *Status) {
		if e != nil && e.Kind == Leaving && reason == "" {
			reason = e.Reason
		}
	}
	w.submit(1, 5*time.Minute, 10*time.Minute)
	for minute := range 24 * 60 {
		switch minute {
		case 12: // the job has ended
			w.instances[0].ready = w.now.Add(1000 * time.Hour)
		case 20:
			w.submit(1, 5*time.Minute, 10*time.Minute)
		}
		for range 4 {
			w.step(t, m)
			w.advance(15 * time.Second)
		}
		if minute == 60 && w.instances[0].Live() {
			t.Error("after 48 minutes without its node it is still rented")
		}
	}
	if !w.done() || len(w.instances) < 2 {
		t.Errorf("done: %v, %d instances", w.done(), len(w.instances))
	}
	if reason != "its node has not been up for 20m0s" {
		t.Errorf("it left because %q", reason)
	}
	w.check(t, m)
}

// A job that starts on a node just before it is drained runs to its end there, and its
// instance stays for as long as it is paid for then.
func TestStartBeforeDrain(t *testing.T) {
	w := newWorld(2, 3*time.Minute)
	raced := 0
	w.drain = func(string) {
		if raced++; raced%2 == 1 {
			w.submit(1, 5*time.Minute, 10*time.Minute)
			w.advance(0)
		}
	}
	stays := 0
	name := filepath.Join(memory(t), "journal")
	o := worldOptions(w)
	o.Watch = func(e *Entry, _ *Status) {
		if e != nil && e.Kind == Staying {
			stays++
		}
	}
	m := w.open(t, name, o)
	w.submit(2, 10*time.Minute, 10*time.Minute)
	for range 24 * 60 * 4 {
		w.step(t, m)
		w.advance(15 * time.Second)
	}
	if !w.done() || stays < 2 {
		t.Errorf("done: %v; %d instances stayed for a job, want 2 or more", w.done(), stays)
	}
	w.check(t, m)
}

// An instance that leaves because its node has not come up gives no job to Slurm, also if
// it comes up at that very moment; neither does one whose node is undrained by somebody else.
func TestUpWhileLeaving(t *testing.T) {
	w := newWorld(2, 20*time.Minute+20*time.Second)
	m := w.open(t, filepath.Join(memory(t), "journal"), worldOptions(w))
	deletes := 0
	w.faults = func(call string) fault {
		if call == "delete" {
			if deletes++; deletes == 1 { // which takes a while
				w.advance(20 * time.Second)
			}
		}
		return noFault
	}
	undrained := 0
	w.drain = func(name string) {
		if undrained++; undrained == 1 {
			w.ignored = name
		}
	}
	w.submit(1, 10*time.Minute, 10*time.Minute)
	for range 24 * 60 * 4 {
		w.step(t, m)
		w.advance(15 * time.Second)
		if deletes > 0 { // those that come later are in time
			w.boot = 3 * time.Minute
		}
	}
	if !w.done() || deletes < 2 || undrained < 2 {
		t.Errorf("done: %v, after %d deletions and %d drains", w.done(), deletes, undrained)
	}
	for _, n := range w.nodes {
		if n.drains {
			t.Errorf("%s stays drained", n.name)
		}
	}
	w.check(t, m)
}

// A provider that fails, refuses, answers late or lies in a third of all calls: all jobs
// run, once, and nothing is left rented.
func TestFaultyProvider(t *testing.T) {
	t.Parallel()
	for seed := range uint64(40) {
		w := newWorld(4, 3*time.Minute)
		rng := rand.New(rand.NewPCG(10, seed))
		failed := 0
		w.faults = func(string) fault {
			if rng.IntN(3) > 0 {
				return noFault
			}
			failed++
			return fault(1 + rng.IntN(4))
		}
		m := w.play(t, worldPlan, 30*24*time.Hour)
		w.check(t, m)
		if t.Failed() || failed == 0 {
			t.Fatalf("seed %d, %d faults", seed, failed)
		}
	}
}

// A provider that does not know tokens, and whose list lags behind or lies, creates a
// second instance for one whose creation was not answered. All jobs run, once, and
// nothing is left rented: what is too many is found, ended and charged for.
func TestNaiveProvider(t *testing.T) {
	t.Parallel()
	spares := 0
	for seed := range uint64(25) {
		if seed == 24 {
			seed = 131 // two tokens have the same node: lists lacked the first one three times
		}
		w := newWorld(4, 3*time.Minute)
		w.naive = true
		w.race()
		rng := rand.New(rand.NewPCG(11, seed))
		w.lag = time.Duration(rng.IntN(4)) * time.Minute
		w.faults = func(call string) fault {
			if call == "create" && rng.IntN(2) == 0 {
				return failAfter
			}
			if rng.IntN(3) > 0 {
				return noFault
			}
			return fault(1 + rng.IntN(4))
		}
		if seed%4 == 0 { // it is killed, too
			w.left, w.before = rng.IntN(40), seed%8 == 0
		}
		m := w.play(t, worldPlan, 30*24*time.Hour)
		for _, l := range m.state.leases {
			if l.spare() {
				spares++
			}
		}
		w.check(t, m)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	t.Logf("%d instances too many", spares)
	if spares < 10 {
		t.Errorf("only %d instances too many", spares)
	}
}

// A call that fails again and again is made less often, up to a limit, and at the usual
// pace after one that did not.
func TestRetries(t *testing.T) {
	w := newWorld(1, 3*time.Minute)
	o := worldOptions(w)
	o.AuditEvery, o.BootLimit = 100*time.Hour, 100*time.Hour
	m := w.open(t, filepath.Join(memory(t), "journal"), o)
	broken := true
	var at []int
	w.faults = func(call string) fault {
		if call == "list" || !broken {
			return noFault
		}
		at = append(at, int(w.now.Sub(worldStart)/time.Minute))
		return failBefore
	}
	w.submit(1, 5*time.Minute, 10*time.Minute)
	for range 40 * 4 {
		w.step(t, m)
		w.advance(15 * time.Second)
	}
	if diff := gocmp.Diff([]int{0, 1, 3, 7, 15, 23, 31, 39}, at); diff != "" {
		t.Errorf("minutes of the calls for an instance: %s", diff)
	}
	broken = false
	for range 30 * 4 {
		w.step(t, m)
		w.advance(15 * time.Second)
	}
	broken, at = true, nil
	for len(at) < 4 && w.now.Before(worldStart.Add(24*time.Hour)) {
		w.step(t, m)
		w.advance(15 * time.Second)
	}
	for i := range at {
		at[i] -= at[0] * min(i, 1)
	}
	if diff := gocmp.Diff([]int{1, 3, 7}, at[1:]); diff != "" {
		t.Errorf("minutes of the calls to give it back, from the first: %s", diff)
	}
	broken = false
	for !w.done() {
		w.step(t, m)
		w.advance(15 * time.Second)
	}
	w.check(t, m)
}

// A job that needs more nodes than there can be is told of once, and holds nobody up.
func TestTooLarge(t *testing.T) {
	w := newWorld(3, 3*time.Minute)
	o := worldOptions(w)
	var told []Entry
	o.Watch = func(e *Entry, _ *Status) {
		if e != nil && e.Kind == Excluded {
			told = append(told, *e)
		}
	}
	m := w.open(t, filepath.Join(memory(t), "journal"), o)
	w.submit(4, time.Minute, time.Minute)
	w.jobs[0].priority = 0 // Slurm does not start it either
	w.submit(2, time.Minute, time.Minute)
	for range 60 {
		w.step(t, m)
		w.advance(15 * time.Second)
	}
	if len(told) != 1 || told[0].Job != 1 || told[0].Reason != "it needs 4 nodes, and the cluster can have 3: it waits for ever unless it is changed or cancelled" {
		t.Errorf("told: %+v", told)
	}
	if w.jobs[1].end.IsZero() {
		t.Error("the job behind it has not run")
	}
	m.Close()
}

// Reservations are bought at the end of each period for the hours that were charged,
// and a manager that comes back knows what it has bought.
func TestPurchases(t *testing.T) {
	t.Parallel()
	w := newWorld(4, 3*time.Minute)
	o := worldOptions(w)
	o.Period = 12
	o.Prices = pricing.List{OnDemand: 1_000_000_000, Classes: []pricing.Class{
		{Name: "day", Term: 24 * time.Hour, Upfront: 6_000_000_000, Hourly: 100_000_000}}}
	name := filepath.Join(memory(t), "journal")
	m := w.open(t, name, o)
	for hour := range 60 {
		// Two nodes are always busy, a third one now and then.
		w.submit(2, 58*time.Minute, 58*time.Minute)
		if hour%6 == 0 {
			w.submit(1, 20*time.Minute, 30*time.Minute)
		}
		for range 60 {
			w.step(t, m)
			w.advance(time.Minute)
		}
	}
	w.step(t, m) // the end of the fifth period
	before := m.state
	if len(before.weeks) != 5 || len(before.bought) == 0 {
		t.Fatalf("%d periods, bought %v", len(before.weeks), before.bought)
	}
	for i, p := range before.bought {
		if p.Slot%12 != 0 || p.Count < 1 || p.Count > 3 {
			t.Errorf("purchase %d: %+v", i, p)
		}
	}
	// The demand is what the leases were charged for, hour by hour.
	want := 0
	for _, in := range w.instances {
		end := w.now
		if in.dead {
			end = in.Ended
		}
		for at := in.Created; at.Before(end) && at.Before(worldStart.Add(60*time.Hour)); at = at.Add(time.Hour) {
			want++
		}
	}
	got := 0
	for _, d := range before.weeks {
		for _, n := range d.demand {
			got += n
		}
	}
	if got != want {
		t.Errorf("%d instance-hours in the demand, %d were charged", got, want)
	}
	got = 0
	for _, n := range m.Hours() {
		got += n
	}
	if bill, err := m.Bill(); err != nil || got != int(bill.Charged/time.Hour) {
		t.Errorf("%d instance-hours, and the bill is %+v, %v", got, bill, err)
	}
	// What was bought is in the invoice; with it, all hours are.
	invoice, err := m.Invoice()
	if err != nil {
		t.Fatal(err)
	}
	hours, fees := invoice.OnDemandSlots, pricing.Money(0)
	for _, c := range invoice.Classes {
		hours += c.UsedSlots
	}
	for _, p := range before.bought {
		fees += pricing.Money(p.Count) * 6_000_000_000
	}
	if int(hours) != got || invoice.Upfront != fees {
		t.Errorf("the invoice has %d hours and fees of %v, want %d and %v", hours, invoice.Upfront, got, fees)
	}
	reserved := m.book.online.Active(nil)
	m.Close()
	dear := o
	dear.Prices.Classes = []pricing.Class{{Name: "day", Term: 24 * time.Hour, Upfront: 30_000_000_000, Hourly: 100_000_000}}
	if _, err := Open(name, w, worldProvider{w}, dear); !errors.Is(err, ErrOptions) ||
		!strings.Contains(err.Error(), "want the prices that the journal began with") {
		t.Errorf("with other prices: %v", err)
	}
	m = w.open(t, name, o)
	if len(m.Unbought()) > 0 {
		t.Errorf("it orders %v, and has no buyer", m.Unbought())
	}
	if !slices.Equal(m.state.bought, before.bought) || !slices.Equal(m.book.online.Active(nil), reserved) || len(reserved) == 0 {
		t.Errorf("it comes back with %v and %v, and had %v and %v", m.state.bought, m.book.online.Active(nil), before.bought, reserved)
	}
	m.Close()
}

// A worldBuyer sells reservations, and knows tokens.
type worldBuyer struct {
	*world
	sold  map[string]provider.Reservation
	calls int
}

func (b *worldBuyer) Buy(_ context.Context, r provider.Reservation) (string, error) {
	if b.crashed {
		return "", errCrash
	}
	b.calls++
	switch b.calls % 4 {
	case 1:
		return "", errors.New("the connection broke")
	case 2:
		return "", fmt.Errorf("%w: not before noon", provider.ErrRefused)
	}
	b.effect(func() {
		if was, ok := b.sold[r.Token]; ok && was != r {
			b.wrong = append(b.wrong, fmt.Sprintf("%s is %v, and was %v", r.Token, r, was))
		}
		b.sold[r.Token] = r
	})
	if b.crashed || b.calls%4 == 3 {
		return "", errors.New("time-out")
	}
	return "r-" + r.Token, nil
}

// A buyer that fails, refuses and answers late is called until it has bought what is in the
// journal, once, also by managers that come after one that was killed at any effect.
func TestBuyer(t *testing.T) {
	t.Parallel()
	run := func(left int, before bool) (effects int) {
		w := newWorld(3, 3*time.Minute)
		w.left, w.before = left, before
		b := &worldBuyer{world: w, sold: map[string]provider.Reservation{}}
		o := worldOptions(w)
		o.Period, o.Buyer = 6, b
		o.Prices = pricing.List{OnDemand: 1_000_000_000, Classes: []pricing.Class{
			{Name: "half", Term: 12 * time.Hour, Upfront: 3_000_000_000, Hourly: 100_000_000}}}
		name := filepath.Join(memory(t), "journal")
		m := w.open(t, name, o)
		for range 20 {
			w.submit(2, 58*time.Minute, 58*time.Minute)
			for range 30 {
				if w.step(t, m) {
					m.Close()
					w.crashed, w.left = false, -1
					m = w.open(t, name, o)
				}
				w.advance(2 * time.Minute)
			}
		}
		for len(m.Unbought()) > 0 && w.now.Before(worldStart.Add(30*time.Hour)) {
			w.step(t, m)
			w.advance(time.Minute)
		}
		want := 0
		for _, p := range m.Bought() {
			want += p.Count
		}
		got := 0
		for token, r := range b.sold {
			got += r.Count
			if r.Token != token || r.Class != "half" || r.Term != 12*time.Hour {
				t.Errorf("%s: %+v", token, r)
			}
		}
		if got != want || want == 0 || len(m.Unbought()) > 0 || len(b.sold) != len(m.Bought()) {
			t.Errorf("%d are bought, %d were to be; %v is not", got, want, m.Unbought())
		}
		for _, s := range w.wrong {
			t.Error(s)
		}
		m.Close()
		o.Buyer = nil // it has nothing left to do
		m = w.open(t, name, o)
		w.step(t, m)
		if len(m.Unbought()) > 0 || m.state.failures == 0 {
			t.Errorf("%v is to be bought, after %d failures", m.Unbought(), m.state.failures)
		}
		m.Close()
		return w.effects
	}
	all := run(-1, false)
	for k := range all {
		if run(k, k%2 == 0); t.Failed() {
			t.Fatalf("killed at effect %d", k)
		}
	}
}

// An instance that ends by itself, as one on the spot market does, takes its job along:
// its node is taken down, by the manager or when Slurm has noticed, so that Slurm queues
// the job again, and it runs on another.
func TestEndsByItself(t *testing.T) {
	for _, every := range []time.Duration{time.Minute, 10 * time.Minute} {
		w := newWorld(2, 3*time.Minute)
		w.unnoticed = true
		o := worldOptions(w)
		o.AuditEvery = every
		m := w.open(t, filepath.Join(memory(t), "journal"), o)
		w.submit(1, 30*time.Minute, 30*time.Minute)
		var stopped time.Time
		for range 24 * 60 {
			w.step(t, m)
			w.advance(time.Minute)
			if in := w.instances[0]; !in.dead && w.now.After(worldStart.Add(10*time.Minute)) {
				in.Ended, in.dead = w.now, true
			}
			if w.jobs[0].stopped > 0 && stopped.IsZero() {
				stopped = w.now
			}
		}
		if j := w.jobs[0]; !w.done() || j.begun != 2 || j.stopped != 1 || len(w.instances) != 2 {
			t.Errorf("done: %v; the job began %d times and was stopped %d times; %d instances", w.done(), j.begun, j.stopped, len(w.instances))
		}
		if after := stopped.Sub(w.instances[0].Ended); every == time.Minute && after > 4*time.Minute {
			t.Errorf("the job was queued again after %v", after)
		}
		for _, s := range w.wrong {
			t.Error(s)
		}
		m.Close()
	}
}
