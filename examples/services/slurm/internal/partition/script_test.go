package partition

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/examples/services/slurm/internal/slurmctl"
	"github.com/plimsoll/plimsoll/preempt/exchange"
	"github.com/plimsoll/plimsoll/preempt/scaling"
)

// A script is a Slurm and an exchange that say what they are told to, and note what the agent does.
// What the agent does has no effect on them but for drains.
type script struct {
	now      time.Time
	jobs     []slurmctl.Job
	nodes    []slurmctl.Node
	holdings []Holding
	requests []exchange.Request
	broken   string // the call that fails
	calls    []string
	told     []string
}

var errScript = errors.New("exit status 1")

func (s *script) call(name, format string, args ...any) error {
	if format != "" {
		s.calls = append(s.calls, strings.TrimSpace(name+" "+fmt.Sprintf(format, args...)))
	}
	if name == s.broken {
		return errScript
	}
	return nil
}

func (s *script) Jobs(context.Context) ([]slurmctl.Job, error)   { return s.jobs, s.call("jobs", "") }
func (s *script) Nodes(context.Context) ([]slurmctl.Node, error) { return s.nodes, s.call("nodes", "") }
func (s *script) Drain(_ context.Context, node, why string) error {
	for i := range s.nodes {
		if s.nodes[i].Name == node && s.broken != "drain" {
			s.nodes[i].Flags, s.nodes[i].Reason = []string{"DRAIN"}, why
		}
	}
	return s.call("drain", "%s (%s)", node, why)
}
func (s *script) Undrain(_ context.Context, node string) error { return s.call("undrain", "%s", node) }
func (s *script) Down(_ context.Context, node, why string) error {
	return s.call("down", "%s (%s)", node, why)
}
func (s *script) Eligible(_ context.Context, job int64) error { return s.call("eligible", "%d", job) }
func (s *script) Requeue(_ context.Context, job int64) error  { return s.call("requeue", "%d", job) }
func (s *script) Signal(_ context.Context, job int64, signal string) error {
	return s.call("signal", "%d %s", job, signal)
}
func (s *script) Holdings(context.Context) ([]Holding, error) {
	if err := s.call("holdings", ""); err != nil {
		return nil, err
	}
	return s.holdings, nil
}
func (s *script) SetValues(_ context.Context, values []exchange.NodeValue) error {
	return s.call("values", "%v", values)
}
func (s *script) Delete(_ context.Context, nodes []int) error { return s.call("delete", "%v", nodes) }
func (s *script) Requests(context.Context) ([]exchange.Request, error) {
	return s.requests, s.call("requests", "")
}
func (s *script) Add(_ context.Context, count int) error    { return s.call("add", "%d", count) }
func (s *script) Cancel(_ context.Context, id uint64) error { return s.call("cancel", "%d", id) }

// agent returns an agent of the script, whose first look is behind it.
func (s *script) agent(t *testing.T, o Options) *Agent {
	t.Helper()
	if s.now.IsZero() {
		s.now = worldStart.Add(time.Hour)
	}
	if len(o.Names) == 0 {
		for _, n := range s.nodes {
			o.Names = append(o.Names, n.Name)
		}
	}
	o.Poll = time.Second
	o.Now = func() time.Time { return s.now }
	o.Tell = func(node, what string) { s.told = append(s.told, strings.TrimPrefix(node+": "+what, ": ")) }
	a, err := New(s, s, o)
	if err != nil {
		t.Fatal(err)
	}
	a.begun = true
	return a
}

// running is a job that has had nodes for ten minutes of an hour.
func (s *script) running(id int64, names ...string) slurmctl.Job {
	return slurmctl.Job{ID: id, State: "RUNNING", Nodes: len(names), Names: names, Start: worldStart.Add(50 * time.Minute), Limit: time.Hour}
}

const maintenance = "(plimsoll: maintenance)"

// What one look does with a node and its job, by what the exchange says, and what is told.
func TestFollow(t *testing.T) {
	for _, c := range []struct {
		name    string
		state   exchange.NodeState // 0: the exchange does not name it
		left    time.Duration
		drained string // why
		busy    bool
		had     bool
		force   bool
		calls   []string
		told    []string
	}{
		{name: "usable", state: exchange.Usable, calls: []string{"values [{0 0}]"}},
		{name: "usable again", state: exchange.Usable, drained: reason, calls: []string{"undrain n1", "values [{0 0}]"}, told: []string{"n1: is the partition's"}},
		{name: "drained by somebody", state: exchange.Usable, drained: "disk", calls: []string{"values [{0 0}]"}},
		{name: "drains", state: exchange.Draining, left: 90 * time.Second, busy: true, calls: []string{"drain n1 " + maintenance, "values []"},
			told: []string{"n1: drains, for 1m30s at most"}},
		{name: "drains on", state: exchange.Draining, left: 10*time.Second + 1, drained: reason, busy: true, calls: []string{"values []"}},
		{name: "its time is over", state: exchange.Draining, left: 10 * time.Second, drained: reason, busy: true,
			calls: []string{"down n1 " + maintenance, "delete [0]", "values []"},
			told:  []string{"n1: the grace period is over: ends job 7, which loses 600 node-seconds", "n1: is given back"}},
		{name: "is free", state: exchange.Draining, left: time.Hour, drained: reason, calls: []string{"delete [0]", "values []"},
			told: []string{"n1: is given back"}},
		{name: "is free at once", state: exchange.Draining, left: time.Hour, calls: []string{"drain n1 " + maintenance, "delete [0]", "values []"},
			told: []string{"n1: drains, for 1h0m0s at most", "n1: is given back"}},
		{name: "not named", calls: []string{"drain n1 " + maintenance, "values []"}, told: []string{"n1: is not the partition's"}},
		{name: "not named, with a job", busy: true, calls: []string{"drain n1 " + maintenance, "values []"},
			told: []string{"n1: is not the partition's: its jobs are left to end"}},
		{name: "not named, with a job, forced", busy: true, force: true, calls: []string{"drain n1 " + maintenance, "down n1 " + maintenance, "values []"},
			told: []string{"n1: is not the partition's", "n1: the grace period is over: ends job 7, which loses 600 node-seconds"}},
		{name: "had, with a job", busy: true, had: true, calls: []string{"drain n1 " + maintenance, "down n1 " + maintenance, "values []"},
			told: []string{"n1: is not the partition's", "n1: the grace period is over: ends job 7, which loses 600 node-seconds"}},
		{name: "gone", drained: reason, had: true, calls: []string{"values []"}},
		{name: "offered", state: exchange.Offered, drained: reason, calls: []string{"values []"}},
	} {
		s := &script{nodes: []slurmctl.Node{{Name: "n1", State: "idle"}}}
		if c.drained != "" {
			s.nodes[0].Flags, s.nodes[0].Reason = []string{"DRAIN"}, c.drained
		}
		if c.busy {
			s.nodes[0].State, s.jobs = "allocated", []slurmctl.Job{s.running(7, "n1"), s.running(8, "elsewhere")}
		}
		if c.name != "" && (c.state != 0 || c.name == "offered") {
			s.holdings = []Holding{{Node: 0, State: c.state, Left: c.left}}
		}
		a := s.agent(t, Options{Margin: 10 * time.Second, Force: c.force})
		a.had[0] = c.had
		if err := a.Step(t.Context()); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if diff := cmp.Diff(c.calls, s.calls); diff != "" {
			t.Errorf("%s: calls (-want +got)\n%s", c.name, diff)
		}
		if diff := cmp.Diff(c.told, s.told); diff != "" {
			t.Errorf("%s: told (-want +got)\n%s", c.name, diff)
		}
	}
}

// A call that fails is the error of the look, and what comes after it in the look is not done, or is
// done where it does not follow from it.
func TestFollowFails(t *testing.T) {
	free := []slurmctl.Node{{Name: "n1", State: "idle", Flags: []string{"DRAIN"}, Reason: reason},
		{Name: "n2", State: "idle", Flags: []string{"DRAIN"}, Reason: reason}, {Name: "n3", State: "allocated"}}
	for _, c := range []struct {
		broken string
		calls  []string
	}{
		{"holdings", nil},
		{"jobs", []string{"undrain n1", "drain n3 " + maintenance}},
		{"nodes", nil},
		{"undrain", []string{"undrain n1"}},
		{"drain", []string{"undrain n1", "drain n3 " + maintenance}},
		{"down", []string{"undrain n1", "drain n3 " + maintenance, "down n3 " + maintenance, "eligible 5", "values [{0 0}]"}},
		{"delete", []string{"undrain n1", "drain n3 " + maintenance, "down n3 " + maintenance, "delete [1 2]", "eligible 5", "values [{0 0}]"}},
		{"eligible", []string{"undrain n1", "drain n3 " + maintenance, "down n3 " + maintenance, "delete [1 2]", "eligible 5", "values [{0 0}]"}},
		{"values", []string{"undrain n1", "drain n3 " + maintenance, "down n3 " + maintenance, "delete [1 2]", "eligible 5", "values [{0 0}]"}},
	} {
		s := &script{nodes: append([]slurmctl.Node(nil), free...), broken: c.broken,
			holdings: []Holding{{Node: 0, State: exchange.Usable}, {Node: 1, State: exchange.Draining, Left: time.Hour}, {Node: 2, State: exchange.Draining}}}
		s.jobs = []slurmctl.Job{s.running(4, "n3"), {ID: 5, State: "PENDING", Reason: "BeginTime"}}
		a := s.agent(t, Options{})
		a.requeued[5] = s.now.Add(-time.Minute)
		if err := a.Step(t.Context()); !errors.Is(err, errScript) {
			t.Errorf("%s: %v", c.broken, err)
		}
		if diff := cmp.Diff(c.calls, s.calls); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.broken, diff)
		}
	}
	s := &script{nodes: free[:1], holdings: []Holding{{Node: 1}}}
	if err := s.agent(t, Options{}).Step(t.Context()); err == nil || err.Error() != "the host gives node 1, and 1 have names in Slurm" {
		t.Errorf("%v", err)
	}
	s.holdings = []Holding{{Node: -1}}
	if err := s.agent(t, Options{}).Step(t.Context()); err == nil || err.Error() != "the host gives node -1, and 1 have names in Slurm" {
		t.Errorf("%v", err)
	}
	s.holdings = nil
	if err := s.agent(t, Options{Names: []string{"n1", "n9"}}).Step(t.Context()); !errors.Is(err, slurmctl.ErrUnknownNode) ||
		!strings.HasSuffix(err.Error(), ": n9") {
		t.Errorf("%v", err)
	}
	// The first look fails, too, and comes again.
	s.broken = "nodes"
	a := s.agent(t, Options{})
	for _, call := range []string{"nodes", "jobs"} {
		a.begun, s.broken = false, call
		if err := a.Step(t.Context()); !errors.Is(err, errScript) || a.begun {
			t.Errorf("%s: %v, begun: %v", call, err, a.begun)
		}
	}
}

// While the exchange does not answer, what it said last holds, and time goes on: a node whose grace
// period ends is given back once, as far as the agent knows.
func TestSilence(t *testing.T) {
	s := &script{nodes: []slurmctl.Node{{Name: "n1", State: "allocated", Flags: []string{"DRAIN"}, Reason: reason}},
		holdings: []Holding{{Node: 0, State: exchange.Draining, Left: time.Minute}}}
	s.jobs = []slurmctl.Job{s.running(7, "n1")}
	a := s.agent(t, Options{})
	if err := a.Step(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.broken = "holdings"
	for _, c := range []struct {
		after time.Duration
		calls []string
	}{{59 * time.Second, []string{"values []"}}, {time.Second, []string{"down n1 " + maintenance, "delete [0]", "values []"}},
		{time.Second, []string{"down n1 " + maintenance, "values []"}}} {
		s.now, s.calls = s.now.Add(c.after), nil
		if err := a.Step(t.Context()); !errors.Is(err, errScript) {
			t.Errorf("the failure is not told: %v", err)
		}
		if diff := cmp.Diff(c.calls, s.calls); diff != "" {
			t.Errorf("after %v (-want +got):\n%s", c.after, diff)
		}
	}
}

// A job that was ended for the host's sake may start again after three seconds, if Slurm lets it
// wait; one that failed at its start within nine seconds is queued again; others are left alone.
func TestRequeueTable(t *testing.T) {
	now := worldStart.Add(time.Hour)
	for _, c := range []struct {
		name  string
		since time.Duration // that it was ended
		job   slurmctl.Job
		calls []string
		told  []string
		kept  time.Duration // how long ago it counts as ended then; -1: it is forgotten
	}{
		{name: "waits", since: 3 * time.Second, job: slurmctl.Job{State: "PENDING", Eligible: now.Add(time.Minute)}, calls: []string{"eligible 5"},
			kept: 3 * time.Second},
		{name: "by its reason", since: 3 * time.Second, job: slurmctl.Job{State: "PENDING", Reason: "BeginTime"}, calls: []string{"eligible 5"},
			kept: 3 * time.Second},
		{name: "too early", since: 3*time.Second - 1, job: slurmctl.Job{State: "PENDING", Eligible: now.Add(time.Minute)}, kept: 3*time.Second - 1},
		{name: "may start", since: time.Minute, job: slurmctl.Job{State: "PENDING", Eligible: now, Reason: "Resources"}, kept: time.Minute},
		{name: "runs", since: time.Minute, job: slurmctl.Job{State: "RUNNING"}, kept: 0},
		{name: "has ended", since: time.Minute, job: slurmctl.Job{State: "COMPLETED"}, kept: -1},
		{name: "failed at its start", since: 10 * time.Second,
			job:   slurmctl.Job{State: "FAILED", Restarts: 1, Start: now.Add(-3 * time.Second), End: now.Add(-2 * time.Second)},
			calls: []string{"requeue 5"}, told: []string{"job 5 started where it was ended just before, and failed: queues it again"}, kept: 0},
		{name: "failed late", since: 11 * time.Second, job: slurmctl.Job{State: "FAILED", Restarts: 1, Start: now.Add(-3 * time.Second),
			End: now.Add(-2 * time.Second)}, kept: -1},
		{name: "ran first", since: 10 * time.Second, job: slurmctl.Job{State: "FAILED", Restarts: 1, Start: now.Add(-4 * time.Second),
			End: now.Add(-2 * time.Second)}, kept: -1},
		{name: "its first start", since: 10 * time.Second, job: slurmctl.Job{State: "FAILED", Start: now.Add(-3 * time.Second), End: now.Add(-2 * time.Second)},
			kept: -1},
		{name: "no end", since: 10 * time.Second, job: slurmctl.Job{State: "FAILED", Restarts: 1}, kept: -1},
	} {
		s := &script{nodes: []slurmctl.Node{{Name: "n1"}}}
		a := s.agent(t, Options{})
		a.requeued[5] = now.Add(-c.since)
		c.job.ID = 5
		if err := a.requeue(t.Context(), []slurmctl.Job{{ID: 6, State: "PENDING", Eligible: now.Add(time.Minute)}, c.job}); err != nil {
			t.Fatal(err)
		}
		last, ok := a.requeued[5]
		if cmp.Diff(c.calls, s.calls) != "" || cmp.Diff(c.told, s.told) != "" || ok != (c.kept >= 0) || ok && now.Sub(last) != c.kept || len(a.requeued) > 1 {
			t.Errorf("%s: calls %q, told %q, kept %v of %v", c.name, s.calls, s.told, a.requeued, last)
		}
		s.broken = "requeue"
		a.requeued[5] = now.Add(-c.since)
		if err := a.requeue(t.Context(), []slurmctl.Job{c.job}); (err != nil) != (c.name == "failed at its start") {
			t.Errorf("%s, and it cannot be queued: %v", c.name, err)
		}
	}
}

// What an agent finds that comes after another one.
func TestBegin(t *testing.T) {
	s := &script{nodes: []slurmctl.Node{{Name: "n1", Flags: []string{"DRAIN"}, Reason: reason}, {Name: "n2", Flags: []string{"DRAIN"}, Reason: "disk"},
		{Name: "n3", Reason: reason}}}
	s.now = worldStart.Add(time.Hour)
	wait := func(d time.Duration, restarts int, state string) slurmctl.Job {
		return slurmctl.Job{ID: int64(len(s.jobs)), State: state, Restarts: restarts, Eligible: s.now.Add(d)}
	}
	s.jobs = append(s.jobs, wait(125*time.Second, 1, "PENDING"))
	s.jobs = append(s.jobs, wait(125*time.Second+1, 1, "PENDING"))
	s.jobs = append(s.jobs, wait(0, 1, "PENDING"))
	s.jobs = append(s.jobs, wait(time.Second, 0, "PENDING"))
	s.jobs = append(s.jobs, wait(time.Second, 1, "RUNNING"))
	failed := slurmctl.Job{ID: 5, State: "FAILED", Restarts: 1, Start: s.now.Add(-125*time.Second + 1), End: s.now.Add(-125*time.Second + 1)}
	late := slurmctl.Job{ID: 6, State: "FAILED", Restarts: 1, Start: s.now.Add(-125 * time.Second), End: s.now.Add(-125 * time.Second)}
	s.jobs = append(s.jobs, failed, late)
	a := s.agent(t, Options{})
	a.begun = false
	if err := a.begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[int64]time.Time{0: s.now, 5: failed.End}, a.requeued); diff != "" || cmp.Diff([]bool{true, false, false}, a.had) != "" || !a.begun {
		t.Errorf("had %v, and (-want +got)\n%s", a.had, diff)
	}
}

// Jobs count for the queue that wait for nodes and nothing else, as often as their tasks may run.
func TestQueue(t *testing.T) {
	s := &script{nodes: []slurmctl.Node{{Name: "n1"}, {Name: "n2"}, {Name: "n3"}}}
	a := s.agent(t, Options{})
	ago := func(d time.Duration) time.Time { return s.now.Add(-d) }
	base := slurmctl.Job{State: "PENDING", Priority: 1, Nodes: 2, Submit: ago(time.Minute), Limit: time.Hour}
	w := scaling.Waiting{Nodes: 2, Waited: time.Minute}
	for _, c := range []struct {
		name   string
		change func(*slurmctl.Job)
		want   []scaling.Waiting
	}{
		{"waits", func(*slurmctl.Job) {}, []scaling.Waiting{w}},
		{"runs", func(j *slurmctl.Job) { j.State = "RUNNING" }, nil},
		{"is held", func(j *slurmctl.Job) { j.Priority = 0 }, nil},
		{"is for later", func(j *slurmctl.Job) { j.Eligible = s.now.Add(1) }, nil},
		{"may start now", func(j *slurmctl.Job) { j.Eligible = s.now }, []scaling.Waiting{{Nodes: 2}}},
		{"could start before", func(j *slurmctl.Job) { j.Eligible = ago(time.Hour) }, []scaling.Waiting{w}},
		{"depends", func(j *slurmctl.Job) { j.Reason = "DependencyNeverSatisfied" }, nil},
		{"needs nodes", func(j *slurmctl.Job) { j.Reason = "Resources" }, []scaling.Waiting{w}},
		{"comes from the future", func(j *slurmctl.Job) { j.Submit = s.now.Add(time.Hour) }, []scaling.Waiting{{Nodes: 2}}},
		{"two tasks", func(j *slurmctl.Job) { j.Tasks = 2 }, []scaling.Waiting{w, w}},
		{"more tasks than nodes", func(j *slurmctl.Job) { j.Tasks = 9 }, []scaling.Waiting{w, w, w}},
		{"two of nine tasks", func(j *slurmctl.Job) { j.Tasks, j.AtOnce = 9, 2 }, []scaling.Waiting{w, w}},
	} {
		j := base
		c.change(&j)
		if diff := cmp.Diff(c.want, a.queue([]slurmctl.Job{j})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
	if diff := cmp.Diff(map[string]time.Time{"n1": worldStart.Add(110 * time.Minute), "n2": worldStart.Add(110 * time.Minute)},
		a.ends([]slurmctl.Job{s.running(1, "n1", "n2"), {State: "RUNNING", Names: []string{"n3"}},
			{State: "PENDING", Limit: time.Hour, Names: []string{"n3"}}})); diff != "" {
		t.Errorf("ends (-want +got):\n%s", diff)
	}
}

// By hand: jobs that wait for 30 s make the agent ask, for as many nodes as they need beside those
// that are asked for. Where eight requests are open the last one is replaced. A node that was idle
// for two minutes drains. What is asked for too much is withdrawn, the last request first.
func TestScale(t *testing.T) {
	waiting := func(nodes int) slurmctl.Job {
		return slurmctl.Job{ID: 9, State: "PENDING", Priority: 1, Nodes: nodes, Submit: worldStart, Limit: time.Hour}
	}
	request := func(id uint64, count, granted int) exchange.Request {
		return exchange.Request{ID: id, Count: count, Granted: granted}
	}
	var eight []exchange.Request // each lacks a node
	for id := range uint64(8) {
		eight = append(eight, request(id+1, 2, 1))
	}
	refused := append(append([]exchange.Request(nil), eight[:7]...), exchange.Request{ID: 8, Count: 2, Refused: "no"})
	for _, c := range []struct {
		name     string
		jobs     []slurmctl.Job
		holdings []Holding
		requests []exchange.Request
		idle     time.Duration // of the first node
		broken   string
		calls    []string
		told     []string
	}{
		{name: "asks", jobs: []slurmctl.Job{waiting(2)}, calls: []string{"add 2"}, told: []string{"1 jobs wait: asks for 2 nodes"}},
		{name: "asks for the rest", jobs: []slurmctl.Job{waiting(3)}, requests: []exchange.Request{request(1, 3, 1)}, calls: []string{"add 1"},
			told: []string{"1 jobs wait: asks for 1 nodes"}},
		{name: "was refused", jobs: []slurmctl.Job{waiting(2)}, requests: []exchange.Request{{ID: 1, Count: 2, Refused: "no"}}, calls: []string{"add 2"},
			told: []string{"1 jobs wait: asks for 2 nodes"}},
		{name: "is offered one", jobs: []slurmctl.Job{waiting(2)}, holdings: []Holding{{Node: 0, State: exchange.Offered}}, calls: []string{"add 1"},
			told: []string{"1 jobs wait: asks for 1 nodes"}},
		{name: "eight requests", jobs: []slurmctl.Job{waiting(10)}, requests: eight, calls: []string{"cancel 8", "add 3"},
			told: []string{"1 jobs wait: asks for 3 nodes"}},
		{name: "eight requests, the last refused", jobs: []slurmctl.Job{waiting(10)}, requests: refused, calls: []string{"cancel 8", "add 3"},
			told: []string{"1 jobs wait: asks for 3 nodes"}},
		{name: "seven requests", jobs: []slurmctl.Job{waiting(10)}, requests: eight[:7], calls: []string{"add 3"}, told: []string{"1 jobs wait: asks for 3 nodes"}},
		{name: "all is granted", jobs: []slurmctl.Job{waiting(2)}, requests: []exchange.Request{request(1, 1, 1)}, calls: []string{"add 2"},
			told: []string{"1 jobs wait: asks for 2 nodes"}},
		{name: "needs nothing", requests: []exchange.Request{request(1, 1, 0), request(2, 3, 1)}, calls: []string{"cancel 2", "cancel 1"},
			told: []string{"asks no more for 2 nodes", "asks no more for 1 nodes"}},
		{name: "gives back", holdings: []Holding{{Node: 0, State: exchange.Usable}}, idle: 2 * time.Minute, calls: []string{"drain n1 " + maintenance},
			told: []string{"n1: is idle, and drains to be given back"}},
		{name: "not yet", holdings: []Holding{{Node: 0, State: exchange.Usable}}, idle: 2*time.Minute - 1},
		{name: "cannot drain", holdings: []Holding{{Node: 0, State: exchange.Usable}}, idle: 2 * time.Minute, broken: "drain",
			calls: []string{"drain n1 " + maintenance}},
		{name: "cannot ask", jobs: []slurmctl.Job{waiting(2)}, broken: "add", calls: []string{"add 2"}},
		{name: "cannot withdraw", jobs: []slurmctl.Job{waiting(10)}, requests: eight, broken: "cancel", calls: []string{"cancel 8"}},
		{name: "cannot withdraw what is too much", requests: []exchange.Request{request(1, 1, 0), request(2, 1, 0)}, broken: "cancel", calls: []string{"cancel 2"}},
		{name: "does not know", jobs: []slurmctl.Job{waiting(2)}, broken: "requests"},
	} {
		s := &script{broken: c.broken, requests: c.requests}
		for i := range 20 {
			s.nodes = append(s.nodes, slurmctl.Node{Name: fmt.Sprintf("n%d", i+1), State: "idle"})
		}
		o := scalingOptions
		a := s.agent(t, Options{Scaling: &o})
		state := make([]Holding, 20)
		for i := range state {
			state[i] = Holding{Node: i, State: exchange.Returned}
		}
		for _, h := range c.holdings {
			state[h.Node] = h
			a.scaler.nodes[h.Node] = age{since: s.now.Add(-time.Hour), idle: s.now.Add(-c.idle)}
		}
		err := a.scale(t.Context(), state, s.nodes, c.jobs)
		if (err != nil) != (c.broken != "") || err != nil && !errors.Is(err, errScript) {
			t.Errorf("%s: %v", c.name, err)
		}
		if diff := cmp.Diff(c.calls, s.calls); diff != "" {
			t.Errorf("%s: calls (-want +got)\n%s", c.name, diff)
		}
		if diff := cmp.Diff(c.told, s.told); diff != "" {
			t.Errorf("%s: told (-want +got)\n%s", c.name, diff)
		}
	}
	// Without options nothing is asked.
	s := &script{nodes: []slurmctl.Node{{Name: "n1"}}, broken: "requests"}
	if err := s.agent(t, Options{}).scale(t.Context(), make([]Holding, 1), s.nodes, nil); err != nil {
		t.Error(err)
	}
}

// A node that drains to be given back goes at the next look, or is taken up again if a job was
// faster; its age begins anew when the partition has it again, and idle time when it has worked.
func TestLeaves(t *testing.T) {
	s := &script{nodes: []slurmctl.Node{{Name: "n1", State: "idle"}}, holdings: []Holding{{Node: 0, State: exchange.Usable}}}
	o := scalingOptions
	a := s.agent(t, Options{Scaling: &o})
	look := func(after time.Duration) {
		t.Helper()
		s.now, s.calls, s.told = s.now.Add(after), nil, nil
		if err := a.Step(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	look(0)
	if n := a.scaler.nodes[0]; !n.since.Equal(s.now) || !n.idle.Equal(s.now) || n.leaves {
		t.Errorf("new: %+v", n)
	}
	look(2*time.Minute - 1)
	if len(s.told) > 0 {
		t.Errorf("told %q", s.told)
	}
	look(1)
	if !a.scaler.nodes[0].leaves || !s.nodes[0].Has("DRAIN") {
		t.Errorf("after two minutes: %+v", a.scaler.nodes[0])
	}
	s.nodes[0].State = "allocated" // a job was faster
	look(time.Second)
	if n := a.scaler.nodes[0]; n.leaves || !n.idle.Equal(s.now) || len(s.told) > 0 {
		t.Errorf("faster: %+v, told %q", n, s.told)
	}
	s.nodes[0] = slurmctl.Node{Name: "n1", State: "down"} // it is not idle
	look(time.Minute)
	if n := a.scaler.nodes[0]; !n.idle.Equal(s.now) {
		t.Errorf("down: %+v", n)
	}
	s.nodes[0].State = "idle"
	look(2 * time.Minute)
	look(time.Second)
	if diff := cmp.Diff([]string{"n1: is given back"}, s.told); diff != "" || a.scaler.nodes[0] != (age{}) {
		t.Errorf("%+v, told %s", a.scaler.nodes[0], diff)
	}
	s.holdings[0].State = exchange.Offered
	a.scaler.nodes[0].since = s.now
	look(0)
	if a.scaler.nodes[0] != (age{}) {
		t.Errorf("a node that is not the partition's has an age: %+v", a.scaler.nodes[0])
	}
}

// An agent's mistakes, each with its sentence.
func TestNew(t *testing.T) {
	s := &script{}
	for _, c := range []struct {
		o    Options
		says string
	}{
		{Options{}, "no nodes"},
		{Options{Names: []string{"a"}, Poll: 1, Take: -1}, "-1 nodes taken, a grace period of 0s, a margin of 0s: want none negative"},
		{Options{Names: []string{"a"}, Poll: 1, Grace: -1}, "0 nodes taken, a grace period of -1ns, a margin of 0s: want none negative"},
		{Options{Names: []string{"a"}, Poll: 1, Margin: -1}, "0 nodes taken, a grace period of 0s, a margin of -1ns: want none negative"},
		{Options{Names: []string{"a"}}, "looks each 0s: want a positive time"},
		{Options{Names: []string{"a", "a"}, Poll: 1}, `the node "a": want names, each once`},
		{Options{Names: []string{"a", ""}, Poll: 1}, `the node "": want names, each once`},
		{Options{Names: []string{"a"}, Poll: 1, Priorities: map[string]int{"qos:x": 0}}, "the priority 0 of qos:x: want 1 or more"},
		{Options{Names: []string{"a"}, Poll: 1, Scaling: &scaling.Options{}, Worth: -1}, "nodes are worth -1 to others: want a number that is not negative"},
		{Options{Names: []string{"a"}, Poll: 1, Scaling: &scaling.Options{}, Worth: math.Inf(1)},
			"nodes are worth +Inf to others: want a number that is not negative"},
		{Options{Names: []string{"a"}, Poll: 1, Priorities: map[string]int{"qos:x": 1}, Scaling: &scaling.Options{}}, ""},
	} {
		a, err := New(s, s, c.o)
		if c.says == "" {
			if err != nil || a.o.Scaling.Most != 1 || c.o.Scaling.Most != 0 {
				t.Errorf("%v, at most %d nodes", err, a.o.Scaling.Most)
			}
			a.o.Tell("", "nobody hears it")
			if d := time.Since(a.o.Now()); d < 0 || d > time.Minute {
				t.Errorf("the time is %v off", d)
			}
		} else if !errors.Is(err, ErrOptions) || err.Error() != "partition: "+c.says {
			t.Errorf("%v, want %q", err, c.says)
		}
	}
	if _, err := New(s, s, Options{Names: []string{"a"}, Poll: 1, Scaling: &scaling.Options{Most: -1}}); !errors.Is(err, ErrOptions) {
		t.Errorf("bad scaling: %v", err)
	}
	if _, err := New(struct{ Exchange }{s}, s, Options{Names: []string{"a"}, Poll: 1, Scaling: &scaling.Options{}}); err == nil ||
		err.Error() != "partition: this exchange cannot be asked for nodes" {
		t.Errorf("not scaled: %v", err)
	}
	for name, says := range map[string]string{"qos:a": "", "partition:b": "", "qos:": `"qos:": want qos:NAME or partition:NAME`,
		"user:x": `"user:x": want qos:NAME or partition:NAME`, "qos": `"qos": want qos:NAME or partition:NAME`} {
		if err := CheckPriority(name); says == "" && err != nil || says != "" && (err == nil || err.Error() != says) {
			t.Errorf("%q: %v, want %q", name, err, says)
		}
	}
	for _, name := range []string{"exact", "exact+", "survival", "random", "blind", "fifo", "lifo", "pap", "pap+"} {
		if p, err := ParsePolicy(name); err != nil || p.String() != name {
			t.Errorf("%q: %v, %v", name, p, err)
		}
	}
	if _, err := ParsePolicy("best"); err == nil || err.Error() != `"best": want exact, exact+, survival, random, blind, fifo, lifo, pap or pap+` {
		t.Errorf("%v", err)
	}
	a := &Agent{o: Options{Priorities: map[string]int{"qos:high": 5, "partition:urgent": 9, "partition:low": 2}}}
	for want, j := range map[int]slurmctl.Job{1: {}, 5: {QOS: "high", Parts: []string{"low"}}, 9: {QOS: "high", Parts: []string{"low", "urgent", "x"}},
		2: {QOS: "none", Parts: []string{"low"}}} {
		if got := a.priority(&j); got != want {
			t.Errorf("%+v: a priority of %d, want %d", j, got, want)
		}
	}
}

// Run tells a failure once for as long as it repeats itself, and again after it has worked.
func TestRunTells(t *testing.T) {
	s := &script{nodes: []slurmctl.Node{{Name: "n1", State: "idle"}}, broken: "holdings"}
	a := s.agent(t, Options{})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	looks := 0
	a.o.Poll = time.Millisecond
	a.o.Now = func() time.Time { return s.now }
	a.exchange = counted{s, func() {
		switch looks++; looks {
		case 3:
			s.broken = ""
		case 5:
			s.broken = "holdings"
		case 8:
			cancel()
		}
	}}
	a.Run(ctx)
	failures := 0
	for _, what := range s.told {
		if what == errScript.Error() {
			failures++
		}
	}
	if looks != 8 || failures != 2 {
		t.Errorf("%d looks, told %q", looks, s.told)
	}
}

type counted struct {
	*script
	look func()
}

func (c counted) Holdings(ctx context.Context) ([]Holding, error) {
	c.look()
	if err := c.call("holdings", ""); err != nil {
		return nil, err
	}
	return []Holding{{Node: 0, State: exchange.Usable}}, nil
}

// What Slurm shows of jobs that have ended is learnt once, killed jobs as killed; what is known of
// jobs that it no longer shows is forgotten.
func TestLearn(t *testing.T) {
	a := &Agent{o: Options{Now: time.Now, Tell: func(string, string) {}}, odd: map[int64]bool{1: true, 3: true}, asked: map[int64]request{1: {}, 3: {}}}
	a.judge.random = rand.New(rand.NewPCG(1, 1))
	at := func(m int) time.Time { return worldStart.Add(time.Duration(m) * time.Minute) }
	a.learn([]slurmctl.Job{
		{ID: 1, User: 7, State: "COMPLETED", Start: at(0), End: at(10), Limit: time.Hour},
		{ID: 2, User: 8, State: "RUNNING", Start: at(0)}, {ID: 4, User: 8, State: "CANCELLED", End: at(3)},
		{ID: 5, User: 8, State: "FAILED", Start: at(5), End: at(4)},
		{ID: 6, User: 8, State: "NODE_FAIL", Start: at(5), End: at(9), Limit: time.Hour},
	})
	if diff := cmp.Diff(map[int64]time.Time{1: at(0), 6: at(5)}, a.judge.learnt); diff != "" {
		t.Errorf("learnt (-want +got):\n%s", diff)
	}
	if len(a.odd) != 1 || len(a.asked) != 1 || !a.odd[1] {
		t.Errorf("known: %v, %v", a.odd, a.asked)
	}
	// Twice as often is not learnt twice: the chance stays.
	chance := a.judge.survival.Chance(7, 5*time.Minute, 10*time.Minute)
	a.learn([]slurmctl.Job{{ID: 1, User: 7, State: "COMPLETED", Start: at(0), End: at(10), Limit: time.Hour}})
	if again := a.judge.survival.Chance(7, 5*time.Minute, 10*time.Minute); again != chance {
		t.Errorf("a chance of %v, and then %v", chance, again)
	}
	a.learn([]slurmctl.Job{{ID: 1, User: 7, State: "COMPLETED", Start: at(20), End: at(50), Limit: time.Hour}})
	if again := a.judge.survival.Chance(7, 5*time.Minute, 10*time.Minute); again == chance {
		t.Errorf("its second run is not learnt: a chance of %v", again)
	}
}

// The calls to a client that fail name the call and the client; what it says that no client says
// is named.
func TestFrameworkFails(t *testing.T) {
	text := ""
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if text == "" {
			http.Error(w, "no", http.StatusTeapot)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, text)
	}))
	defer server.Close()
	f := &Framework{URL: server.URL, Minute: time.Second, Client: server.Client()}
	for name, call := range map[string]func() error{
		"Nodes":             func() error { _, err := f.Holdings(t.Context()); return err },
		"SetResourceValues": func() error { return f.SetValues(t.Context(), nil) },
		"DeleteNodes":       func() error { return f.Delete(t.Context(), []int{1}) },
		"AddNodes":          func() error { return f.Add(t.Context(), 1) },
		"Cancel":            func() error { return f.Cancel(t.Context(), 1) },
	} {
		if err := call(); err == nil || !strings.HasPrefix(err.Error(), name+" at "+server.URL+": ") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := f.Requests(t.Context()); err == nil {
		t.Error("requests of a client that fails")
	}
	text = `{"time_s":60,"nodes":[{"node":3,"state":"draining","ends_s":180},{"node":4,"state":"usable"},{"node":5,"state":"offered"},{"node":6,"state":"returned"}]}`
	got, err := f.Holdings(t.Context())
	want := []Holding{{3, exchange.Draining, 2 * time.Second}, {4, exchange.Usable, 0}, {5, exchange.Offered, 0}, {6, exchange.Returned, 0}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	text = `{"nodes":[{"node":3,"state":"lost"}]}`
	if _, err := f.Holdings(t.Context()); err == nil || err.Error() != "the client at "+server.URL+` says that node 3 is "lost"` {
		t.Errorf("%v", err)
	}
}
