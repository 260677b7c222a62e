package manager

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/examples/internal/provider"
	"github.com/plimsoll/plimsoll/examples/services/slurm/internal/slurmctl"
	"github.com/plimsoll/plimsoll/placement"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule"
	"github.com/plimsoll/plimsoll/schedule/elastic"
	"github.com/plimsoll/plimsoll/schedule/sim/bills"
)

// rent writes into the journal that instances are on nodes, all up; the tokens are those of the
// cluster with the node.
func (w *watched) rent(t *testing.T, m *Manager, nodes ...string) (leases []*lease) {
	t.Helper()
	for _, n := range nodes {
		token := m.state.begin.Cluster + "-1-" + n
		for _, e := range []Entry{{Kind: Asking, Token: token, Node: n}, {Kind: Rented, Token: token, ID: "i-" + token, Created: w.now}, {Kind: Up, Token: token}} {
			if err := m.write(e); err != nil {
				t.Fatal(err)
			}
		}
		leases = append(leases, m.state.byToken[token])
	}
	return leases
}

// An instance that is rented and whose node is up has arrived; one that had arrived and has been
// down for longer than the limit leaves, and so does one that has not come up within it. At the limit
// itself it stays. A node that Slurm does not know, or that an administrator drains, is not lost.
func TestArrivals(t *testing.T) {
	limit := 20 * time.Minute
	now := 3 * time.Hour
	at := func(state string, flags ...string) *slurmctl.Node {
		return &slurmctl.Node{Name: "n1", State: state, Flags: flags}
	}
	for _, c := range []struct {
		name  string
		phase phase
		asked time.Duration
		lost  time.Duration
		node  *slurmctl.Node
		want  phase
		says  string
		list  string // where the sight has it after
		since time.Duration
		look  bool
		pass  bool
	}{
		{name: "comes up", phase: rented, asked: now - limit, node: at("idle"), want: up, list: "idle", pass: true},
		{name: "comes up late", phase: rented, asked: now - 2*limit, node: at("idle"), want: up, list: "idle", pass: true},
		{name: "comes up with a job", phase: rented, asked: now, node: at("allocated"), want: up, list: "booting", pass: true},
		{name: "boots", phase: rented, asked: now - limit, node: at("down"), want: rented, list: "booting"},
		{name: "does not come up", phase: rented, asked: now - limit - 1, node: at("down"), want: leaving,
			says: "its node is not up 20m0s after it was asked for", list: "leaving", look: true},
		{name: "is unknown", phase: rented, asked: now - limit, want: rented, list: "booting"},
		{name: "is asked for", phase: asking, asked: now - 2*limit, node: at("down"), want: asking, list: "booting"},
		{name: "goes down", phase: up, node: at("down"), want: up, list: "booting", since: now},
		{name: "is down", phase: up, lost: now - limit, node: at("down"), want: up, list: "booting", since: now - limit},
		{name: "stays down", phase: up, lost: now - limit - 1, node: at("down"), want: leaving, says: "its node has not been up for 20m0s", list: "leaving",
			since: now - limit - 1, look: true},
		{name: "is drained", phase: up, lost: 1, node: at("down", "DRAIN"), want: up, list: "booting"},
		{name: "ends a job", phase: up, lost: 1, node: at("down", "COMPLETING"), want: up, list: "booting"},
		{name: "is forgotten", phase: up, lost: 1, want: up, list: "booting"},
	} {
		w := watch(newWorld(1, time.Minute))
		m := w.manage(t, &watchedProvider{watched: w}, worldOptions(w.world))
		l := w.rent(t, m, "n1")[0]
		w.now = worldStart.Add(now)
		l.phase, l.asked, l.lost, m.look, m.pass = c.phase, c.asked, c.lost, false, false
		s := &sight{now: now, nodes: map[string]*slurmctl.Node{}, booting: []*lease{l}}
		if c.node != nil {
			s.nodes["n1"] = c.node
		}
		if err := m.arrivals(context.Background(), s); err != nil {
			t.Fatal(err)
		}
		lists := map[string]int{"idle": len(s.idle), "booting": len(s.booting), "leaving": len(s.leaving)}
		if l.phase != c.want || l.lost != c.since || l.why != c.says || lists[c.list] != 1 || len(s.idle)+len(s.booting)+len(s.leaving) != 1 ||
			m.look != c.look || m.pass != c.pass {
			t.Errorf("%s: phase %d, lost since %v, %q, %v, look %v, pass %v", c.name, l.phase, l.lost, l.why, lists, m.look, m.pass)
		}
	}
}

// Where an instance that leaves is given back, kept, or waits, by its node; and what is told Slurm.
func TestSettle(t *testing.T) {
	for _, c := range []struct {
		name    string
		state   string // of the node at the second look
		busy    bool   // at the first look, too
		drained bool
		other   bool // another instance has the node
		retry   time.Duration
		calling bool
		want    phase
		calls   []string
	}{
		{name: "idle", want: gone, calls: []string{"drain n1 (plimsoll: released)", "delete n1"}},
		{name: "drained before", drained: true, want: gone, calls: []string{"delete n1"}},
		{name: "working", state: "busy", want: up, calls: []string{"drain n1 (plimsoll: released)", "undrain n1"}},
		{name: "called", calling: true, want: leaving},
		{name: "pauses", retry: 1, want: leaving},
		{name: "pause is over", retry: 0, want: gone, calls: []string{"drain n1 (plimsoll: released)", "delete n1"}},
		{name: "another's, idle", other: true, want: gone, calls: []string{"drain n1 (plimsoll: released)", "delete n1"}},
		{name: "another's, working", state: "busy", busy: true, other: true, want: leaving},
		{name: "another's, starts", state: "busy", other: true, want: leaving, calls: []string{"drain n1 (plimsoll: released)"}},
	} {
		w := watch(newWorld(1, time.Minute))
		m := w.manage(t, &watchedProvider{watched: w}, worldOptions(w.world))
		l := w.rent(t, m, "n1")[0]
		in := l.Instance
		w.instances = append(w.instances, &worldInstance{Instance: in})
		w.advance(0)
		if err := m.note(l, Leaving, "idle"); err != nil {
			t.Fatal(err)
		}
		if c.other {
			m.state.leases = append(m.state.leases, &lease{Instance: provider.Instance{Node: "n1"}, phase: rented})
		}
		l.working, l.retry = c.calling, c.retry
		w.nodes[0].drains = c.drained
		if c.state == "busy" {
			w.nodes[0].job = &worldJob{id: 1}
		}
		look, _ := w.world.Nodes(context.Background())
		if !c.busy {
			look[0].State, look[0].Busy = "idle", 0
		}
		s := &sight{nodes: map[string]*slurmctl.Node{"n1": &look[0]}, leaving: []*lease{l}}
		if err := m.settle(context.Background(), s); err != nil {
			t.Fatal(err)
		}
		for ; m.calls > 0; m.calls-- {
			if err := m.came(<-m.results); err != nil {
				t.Fatal(err)
			}
		}
		if diff := gocmp.Diff(c.calls, w.calls); diff != "" || l.phase != c.want {
			t.Errorf("%s: phase %d, want %d; calls (-want +got):\n%s", c.name, l.phase, c.want, diff)
		}
		if c.want == up && w.told[len(w.told)-1].Reason != "a job has the node" {
			t.Errorf("%s: told %+v", c.name, w.told)
		}
	}
}

// What is done with a node whose instance has ended, or stays: by the node and by the instance.
func TestResume(t *testing.T) {
	drain := func(state, reason string) slurmctl.Node {
		return slurmctl.Node{Name: "n1", State: state, Flags: []string{"DRAIN"}, Reason: reason}
	}
	free := []string{"down n1 (plimsoll: released)", "undrain n1"}
	for _, c := range []struct {
		name    string
		node    slurmctl.Node
		phase   phase
		ended   bool
		down    bool
		working bool
		none    bool // there is no instance
		calls   []string
	}{
		{name: "of nobody", node: drain("idle", drained), none: true, calls: free},
		{name: "gone", node: drain("down", drained), phase: gone, calls: free},
		{name: "gone, drained by somebody", node: drain("down", "disk"), phase: gone},
		{name: "leaves", node: drain("idle", drained), phase: leaving},
		{name: "is being ended", node: drain("idle", drained), phase: leaving, working: true},
		{name: "stays", node: drain("idle", drained), phase: up, calls: []string{"undrain n1"}},
		{name: "stays, drained by somebody", node: drain("idle", "disk"), phase: up},
		{name: "boots", node: drain("down", drained), phase: rented, calls: []string{"undrain n1"}},
		{name: "is asked for", node: drain("down", drained), phase: asking, calls: []string{"undrain n1"}},
		{name: "up", node: slurmctl.Node{Name: "n1", State: "idle"}, phase: up},
		{name: "ended by itself", node: slurmctl.Node{Name: "n1", State: "idle"}, phase: gone, ended: true, calls: free[:1]},
		{name: "ended by itself, told", node: slurmctl.Node{Name: "n1", State: "idle"}, phase: gone, ended: true, down: true},
		{name: "ended by itself, down", node: slurmctl.Node{Name: "n1", State: "down"}, phase: gone, ended: true},
		{name: "gone, not sure", node: slurmctl.Node{Name: "n1", State: "idle"}, phase: gone},
	} {
		w := watch(newWorld(1, time.Minute))
		m := w.manage(t, &watchedProvider{watched: w}, worldOptions(w.world))
		if !c.none {
			l := w.rent(t, m, "n1")[0]
			l.phase, l.ended, l.down, l.working = c.phase, c.ended, c.down, c.working
		}
		s := &sight{nodes: map[string]*slurmctl.Node{"n1": &c.node}}
		if err := m.resume(context.Background(), s); err != nil {
			t.Fatal(err)
		}
		if diff := gocmp.Diff(c.calls, w.calls); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
		if after := slices.Equal(c.calls, free); after && (c.node.Has("DRAIN") || c.node.State != "down") {
			t.Errorf("%s: the node counts as %+v", c.name, c.node)
		}
	}
	// Of several instances of a node the one that stays counts, whichever came first.
	for _, order := range [][]phase{{up, gone}, {gone, up}, {up, leaving}, {leaving, up}, {gone, leaving, up}, {gone, up, leaving}} {
		w := watch(newWorld(1, time.Minute))
		m := w.manage(t, &watchedProvider{watched: w}, worldOptions(w.world))
		for _, p := range order {
			m.state.leases = append(m.state.leases, &lease{Instance: provider.Instance{Node: "n1"}, phase: p})
		}
		node := drain("idle", drained)
		if err := m.resume(context.Background(), &sight{nodes: map[string]*slurmctl.Node{"n1": &node}}); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(w.calls, []string{"undrain n1"}) {
			t.Errorf("%v: %q", order, w.calls)
		}
	}
}

// When instances that boot are expected; one that is late, or was up, in a minute. A job is let
// start before its turn once.
func TestGrow(t *testing.T) {
	w := watch(newWorld(4, 3*time.Minute))
	m := w.manage(t, &watchedProvider{watched: w}, worldOptions(w.world))
	l := w.rent(t, m, "n1", "n2", "n3", "n4")
	now := time.Hour
	for i, asked := range []time.Duration{now, now - 2*time.Minute, now - 3*time.Minute, now} {
		l[i].phase, l[i].asked = rented, asked
	}
	l[3].phase = up
	m.look = true
	if err := m.grow(context.Background(), &sight{now: now, booting: l, most: 4, fixed: 2, idle: l[:1]}); err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff([]time.Duration{now + 3*time.Minute, now + time.Minute, now + time.Minute, now + time.Minute}, m.shown.Booting); diff != "" ||
		m.shown.Idle != 3 {
		t.Errorf("%d idle; instances are expected at (-want +got)\n%s", m.shown.Idle, diff)
	}
	m.jobs[7] = slurmctl.Job{ID: 7, Priority: 5}
	w.submit(1, 1, 1)
	for range 7 {
		w.submit(1, 1, 1)
	}
	for range 2 {
		if err := m.promote(context.Background(), 7); err != nil {
			t.Fatal(err)
		}
	}
	last := w.told[len(w.told)-1]
	if !slices.Equal(w.calls, []string{"promote 7 to 4294950000"}) || last.Priority != 5 || last.Reason != "it starts before its turn and delays nobody" ||
		m.state.promoted[7] != 5 {
		t.Errorf("%q, told %+v", w.calls, last)
	}
}

// The least size holds an idle instance that another one's job does not stand in for: with two
// nodes of which one works, one may go; of two at least, none.
func TestLeast(t *testing.T) {
	for least, want := range map[int]int{1: 1, 2: 2} {
		w := newWorld(2, 3*time.Minute)
		o := worldOptions(w)
		o.Least = least
		m := w.open(t, filepath.Join(memory(t), "journal"), o)
		var told []string
		m.o.Watch = func(e *Entry, _ *Status) {
			if e != nil && e.Kind == Asking {
				told = append(told, e.Reason)
			}
		}
		w.submit(1, 10*time.Minute, 20*time.Minute)
		w.submit(1, 100*time.Minute, 120*time.Minute)
		for range 4 * 70 {
			w.step(t, m)
			w.advance(15 * time.Second)
		}
		live := 0
		for _, in := range w.instances {
			if in.Live() {
				live++
			}
		}
		if live != want {
			t.Errorf("a least size of %d: %d instances after an hour", least, live)
		}
		for range 4 * 120 {
			w.step(t, m)
			w.advance(15 * time.Second)
		}
		live = 0
		for _, in := range w.instances {
			if in.Live() {
				live++
			}
		}
		if live != least {
			t.Errorf("a least size of %d: %d instances in the end", least, live)
		}
		w.check(t, m)
	}
	// It is asked for without a job.
	w := newWorld(3, 3*time.Minute)
	o := worldOptions(w)
	o.Least, o.Most = 2, 3
	var told []string
	o.Watch = func(e *Entry, _ *Status) {
		if e != nil && e.Kind == Asking {
			told = append(told, e.Reason)
		}
	}
	m := w.open(t, filepath.Join(memory(t), "journal"), o)
	w.step(t, m)
	if diff := gocmp.Diff(slices.Repeat([]string{"2 more: 0 nodes are fewer than the least, 2"}, 2), told); diff != "" {
		t.Errorf("told: %s", diff)
	}
	w.check(t, m)
}

// A job's estimate: of its comment, of Slurm's limit, or a year.
func TestEstimate(t *testing.T) {
	w := watch(newWorld(1, time.Minute))
	o := worldOptions(w.world)
	o.Hour = time.Minute // 60 times as fast
	m := w.manage(t, &watchedProvider{watched: w}, o)
	for _, c := range []struct {
		comment string
		limit   time.Duration
		want    time.Duration
	}{
		{"", 0, forEver}, {"", -1, forEver}, {"", time.Minute, time.Hour}, {"", 1000 * time.Hour, forEver},
		{"estimate=90m", time.Minute, 90 * time.Minute}, {"a estimate=2h b", 0, 2 * time.Hour}, {"estimate=0s", time.Minute, time.Hour},
		{"estimate=-5m", time.Minute, time.Hour}, {"estimate=soon", time.Minute, time.Hour}, {"estimate=", 0, forEver},
		{"estimate=soon estimate=3m", 0, 3 * time.Minute}, {"estimate=99999h", time.Minute, forEver}, {"myestimate=5m", time.Minute, time.Hour},
	} {
		if got := m.estimate(&slurmctl.Job{Comment: c.comment, Limit: c.limit}); got != c.want {
			t.Errorf("%q, a limit of %v: %v, want %v", c.comment, c.limit, got, c.want)
		}
	}
}

// What the manager sees of jobs that have nodes, by hand, ten minutes into the day. A job within its
// estimate ends with its estimate. A job beyond its estimate, or completing, ends in a minute. A node
// that two jobs share counts for the job that ends last. A node that works for no job of the list
// counts for a minute. A job whose nodes are not the cluster's does not count.
func TestSeeRunning(t *testing.T) {
	w := watch(newWorld(4, time.Minute))
	m := w.manage(t, &watchedProvider{watched: w}, worldOptions(w.world))
	w.rent(t, m, "n1", "n2", "n3", "n4")
	w.now = worldStart.Add(10 * time.Minute)
	job := func(id int64, state string, start, estimate time.Duration, names ...string) slurmctl.Job {
		return slurmctl.Job{ID: id, State: state, Nodes: len(names), Names: names, Start: worldStart.Add(start), Comment: estimateMark + estimate.String()}
	}
	var nodes []slurmctl.Node
	for _, n := range []string{"n1", "n2", "n3", "n4", "f1"} {
		nodes = append(nodes, slurmctl.Node{Name: n, State: "allocated"})
	}
	nodes[4].State = "down"
	s := m.see([]slurmctl.Job{
		job(1, "RUNNING", 5*time.Minute, 20*time.Minute, "n1", "n2"),
		job(2, "RUNNING", 8*time.Minute, 30*time.Minute, "n2"),
		job(3, "RUNNING", time.Minute, 9*time.Minute, "n3"),
		job(4, "RUNNING", 2*time.Minute, 50*time.Minute, "f1"),
		job(5, "COMPLETING", 3*time.Minute, 50*time.Minute, "n3"),
	}, nodes)
	// Slurm says in which second a job started.
	want := []schedule.Allocation{
		{Job: schedule.Job{ID: 1, Estimate: 15*time.Minute + time.Second, Nodes: 1}, Start: 10 * time.Minute},
		{Job: schedule.Job{ID: 2, Estimate: 28*time.Minute + time.Second, Nodes: 1}, Start: 10 * time.Minute},
		{Job: schedule.Job{ID: 3, Estimate: time.Minute, Nodes: 1}, Start: 10 * time.Minute},
		{Job: schedule.Job{ID: -1, Estimate: time.Minute, Nodes: 1}, Start: 10 * time.Minute},
	}
	want[2].Job.Estimate = time.Second // 1 + 9 minutes, and the second of its start
	want[2].Job.ID, want[2].Job.Estimate = 5, time.Minute
	if diff := gocmp.Diff(want, s.runners); diff != "" {
		t.Errorf("runners (-want +got):\n%s", diff)
	}
	ends := map[string]time.Duration{"n1": 25*time.Minute + time.Second, "n2": 38*time.Minute + time.Second, "n3": 11 * time.Minute,
		"f1": 52*time.Minute + time.Second}
	if diff := gocmp.Diff(ends, s.ends); diff != "" {
		t.Errorf("ends (-want +got):\n%s", diff)
	}
	if len(s.busy) != 4 || len(s.runs) != 5 || s.fixed != 0 || s.most != 4 {
		t.Errorf("%d busy, %d jobs, %d fixed, %d at most", len(s.busy), len(s.runs), s.fixed, s.most)
	}
	// It was seen running at that time, whatever it says later; and its estimate is over.
	w.now = worldStart.Add(26 * time.Minute)
	s = m.see([]slurmctl.Job{job(1, "RUNNING", 5*time.Minute, 20*time.Minute, "n1", "n2")}, nodes[:1])
	if s.runners[0].Estimate != time.Minute || s.ends["n1"] != 27*time.Minute {
		t.Errorf("beyond its estimate: %+v, %v", s.runners, s.ends)
	}
	if len(m.started) != 1 {
		t.Errorf("jobs that have ended are known as started: %v", m.started)
	}
	if !errors.Is(s.unknown, slurmctl.ErrUnknownNode) || !strings.HasSuffix(s.unknown.Error(), ": n2, n3, n4") {
		t.Errorf("unknown: %v", s.unknown)
	}
}

// A job that has ended is charged for until the end that Slurm says, or until it was missed; once
// for each time that it ran, in the order of the jobs.
func TestAccount(t *testing.T) {
	w := watch(newWorld(2, time.Minute))
	m := w.manage(t, &watchedProvider{watched: w}, worldOptions(w.world))
	at := func(minute int) time.Time { return worldStart.Add(time.Duration(minute) * time.Minute) }
	look := func(minute int, jobs ...slurmctl.Job) {
		t.Helper()
		w.now = at(minute)
		nodes, _ := w.world.Nodes(context.Background())
		if err := m.account(context.Background(), m.see(jobs, nodes)); err != nil {
			t.Fatal(err)
		}
	}
	on := func(id int64, state string, start, end int, names ...string) slurmctl.Job {
		j := slurmctl.Job{ID: id, User: 10 + id, State: state, Nodes: len(names), Names: names, Start: at(start)}
		if end > 0 {
			j.End = at(end)
		}
		return j
	}
	look(10, on(4, "RUNNING", 1, 0, "n1"), on(3, "RUNNING", 2, 0, "n2"), on(2, "RUNNING", 3, 0, "n1"), on(1, "RUNNING", 4, 0, "f1"),
		on(9, "COMPLETED", 1, 5, "n1", "n2"))
	// 4 is missed; 3 has ended; 2 was queued again, and runs again; 1 is not on nodes of ours.
	look(20, on(3, "COMPLETED", 2, 12, "n2"), on(2, "RUNNING", 15, 0, "n1"), on(9, "COMPLETED", 1, 5, "n1", "n2"), on(8, "CANCELLED", 0, 7),
		slurmctl.Job{ID: 7, State: "PENDING", End: at(3)})
	// 2 has ended a third run that nobody saw: its second is over at the latest now.
	look(30, on(2, "COMPLETED", 25, 28, "n1"), on(3, "COMPLETED", 2, 12, "n2"))
	minute := func(n int) time.Duration { return time.Duration(n) * time.Minute }
	type use struct {
		Job int64
		Use
	}
	var got []use
	for _, e := range w.told {
		if e.Kind == Ran {
			got = append(got, use{e.Job, *e.Use})
		}
	}
	if diff := gocmp.Diff([]use{
		{9, Use{User: 19, Nodes: 2, Start: minute(1), End: minute(5)}},
		{2, Use{User: 12, Nodes: 1, Start: minute(3), End: minute(20)}},
		{3, Use{User: 13, Nodes: 1, Start: minute(2), End: minute(12)}},
		{4, Use{User: 14, Nodes: 1, Start: minute(1), End: minute(20)}},
		{2, Use{User: 12, Nodes: 1, Start: minute(15), End: minute(30)}},
	}, got); diff != "" {
		t.Errorf("uses (-want +got):\n%s", diff)
	}
	// One that starts and ends in a second takes it; the nodes of others do not count.
	if u, ok := m.used(&slurmctl.Job{User: 5, Names: []string{"n1", "f1"}, Start: at(3)}, minute(3)); !ok || u != (Use{5, 1, minute(3), minute(3) + time.Second}) {
		t.Errorf("%+v, %v", u, ok)
	}
	if _, ok := m.used(&slurmctl.Job{Names: []string{"n1"}}, minute(3)); ok {
		t.Error("a job that has not begun has used something")
	}
	// A user whom Slurm does not name is charged, too.
	if err := m.state.apply(&Entry{Kind: Ran, Job: 77, Use: &Use{User: bills.Unknown, Nodes: 1, End: 1}}); err != nil {
		t.Error(err)
	}
}

// The policy's actions outside of the clouds end the manager; a snapshot that makes no sense is
// told; and credits that do not fit are an error.
func TestEvaluateFails(t *testing.T) {
	for _, cloud := range []int{0, 3, -1} {
		s := newStage(t, policyFunc(func(dst []elastic.Action, _ *elastic.Snapshot) []elastic.Action {
			return append(dst, elastic.Action{Launch: true, Cloud: cloud, Count: 1})
		}), nil)
		err := s.m.step(context.Background())
		if want := fmt.Sprintf("acts on the infrastructure %d, where nothing can be rented", cloud); !errors.Is(err, ErrOptions) ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	s := newStage(t, &elastic.OD{}, nil)
	s.m.o.Budget.Hourly = math.MaxInt64
	if err := s.m.accrue(time.Hour); !errors.Is(err, pricing.ErrOverflow) || len(s.told) > 0 {
		t.Errorf("credits of two hours: %v, told %v", err, s.told)
	}
	s.m.o.Budget.Hourly = pricing.Unit
	for _, at := range []time.Duration{0, time.Minute, 3*time.Hour - 1, 3 * time.Hour, 3 * time.Hour} {
		if err := s.m.accrue(at); err != nil {
			t.Fatal(err)
		}
	}
	if got := s.reasons(Accrued, ""); !slices.Equal(got, []string{"$1 of credits", "$2 of credits", "$1 of credits"}) || s.m.state.accruals != 4 ||
		s.m.state.accrued != 4*pricing.Unit {
		t.Errorf("told %q; %d hours", got, s.m.state.accruals)
	}
}

// The cheaper cloud's instances get jobs first, in their order; what is of no cloud comes last.
func TestPreferred(t *testing.T) {
	o := &Options{Clouds: []Cloud{{Name: "a", Nodes: []string{"a1", "a2"}, Price: 5}, {Name: "b", Nodes: []string{"b1"}, Price: 3},
		{Name: "c", Nodes: []string{"c1"}, Price: 5}}}
	var list []*lease
	for _, n := range []string{"x", "c1", "a2", "b1", "a1"} {
		list = append(list, &lease{Instance: provider.Instance{Node: n}})
	}
	order := []int{0, 1, 2, 3, 4}
	if err := o.preferred(order, list); err != nil || !slices.Equal(order, []int{3, 2, 4, 1, 0}) {
		t.Errorf("%v, %v", order, err)
	}
}

// Idle instances whose next hour the credits do not pay leave when the charge is within the lead,
// the dearest cloud's first of equal ones.
func TestRenew(t *testing.T) {
	idle := policyFunc(func(dst []elastic.Action, _ *elastic.Snapshot) []elastic.Action { return dst })
	for _, c := range []struct {
		credits pricing.Money // beside what is spent
		debt    pricing.Money
		lead    time.Duration
		due     time.Duration // until the charge
		fresh   bool          // a refusal that no round has seen
		leave   string
	}{
		{credits: 170, lead: 10 * time.Minute, due: 10 * time.Minute, leave: ""},
		{credits: 169, lead: 10 * time.Minute, due: 10 * time.Minute, leave: "n7"},
		{credits: 84, lead: 10 * time.Minute, due: 10 * time.Minute, leave: "n6 n7"},
		{credits: 85, lead: 10 * time.Minute, due: 10 * time.Minute, leave: "n7"},
		{credits: 0, debt: 85, lead: 10 * time.Minute, due: 10 * time.Minute, leave: "n7"},
		{credits: 84, lead: 10 * time.Minute, due: 11 * time.Minute, leave: ""},
		{credits: 84, lead: 10 * time.Minute, due: 5 * time.Minute, fresh: true, leave: ""},
		{credits: 84, lead: 10 * time.Minute, due: 4 * time.Minute, fresh: true, leave: "n6 n7"},
	} {
		s := newStage(t, idle, nil)
		s.m.o.Lead, s.m.o.Budget.Debt = c.lead, c.debt*pricing.Milli
		w := watch(s.world)
		leases := w.rent(t, s.m, "n6", "n7")
		for _, l := range leases {
			l.price, l.cloud = 85*pricing.Milli, "commercial"
		}
		s.m.state.accrued = 170*pricing.Milli + c.credits*pricing.Milli // the first hours are paid
		s.now = worldStart.Add(time.Hour - c.due)
		s.m.round.fresh = c.fresh
		if err := s.m.renew(context.Background(), &sight{now: time.Hour - c.due, idle: leases, nodes: map[string]*slurmctl.Node{}}); err != nil {
			t.Fatal(err)
		}
		var left []string
		for _, e := range s.told {
			if e.Kind == Leaving {
				left = append(left, e.Node)
				if e.Reason != "the credits do not pay its next hour" {
					t.Errorf("told %q", e.Reason)
				}
			}
		}
		if got := strings.Join(left, " "); got != c.leave {
			t.Errorf("%+v: %q leave", c, got)
		}
		s.m.Close()
	}
}

// Run looks at Slurm again and again, notes what comes of calls, and when its context ends waits
// for those that are under way, whose results are in the journal then.
func TestRun(t *testing.T) {
	w := newWorld(1, time.Minute)
	o := worldOptions(w)
	o.now, o.Poll = nil, time.Millisecond
	p := &slowProvider{asked: make(chan struct{}), goOn: make(chan struct{})}
	name := filepath.Join(memory(t), "journal")
	m, err := Open(name, w, p, o)
	if err != nil {
		t.Fatal(err)
	}
	w.submit(1, time.Minute, time.Minute)
	w.jobs[0].submit, w.now = time.Now(), time.Now()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- m.Run(ctx) }()
	<-p.asked
	cancel()
	time.Sleep(5 * time.Millisecond)
	close(p.goOn)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if l := m.state.leases; len(l) != 1 || l[0].phase != rented || l[0].ID != "i-1" {
		t.Errorf("the instance is not in the journal: %+v", l)
	}
	if m.calls != 0 || m.Clock() == nil {
		t.Errorf("%d calls are left", m.calls)
	}
	m.Close()
	// A journal that fails ends it with an error.
	if m, err = Open(name, w, p, o); err != nil {
		t.Fatal(err)
	}
	m.Close()
	if err := m.Run(context.Background()); err == nil {
		t.Error("a closed journal does not end it")
	}
}

// A slowProvider creates an instance when it is told to go on.
type slowProvider struct{ asked, goOn chan struct{} }

func (p *slowProvider) Create(_ context.Context, token, node string) (provider.Instance, error) {
	close(p.asked)
	<-p.goOn
	return provider.Instance{ID: "i-1", Token: token, Node: node, Created: time.Now()}, nil
}

func (p *slowProvider) Delete(context.Context, string) (provider.Instance, error) {
	return provider.Instance{}, errBroken
}

func (p *slowProvider) List(context.Context) ([]provider.Instance, error) { return nil, nil }

// A manager that Slurm ends with its context returns that, and notes no failure.
func TestStepEnds(t *testing.T) {
	w := watch(newWorld(1, time.Minute))
	m := w.manage(t, &watchedProvider{watched: w}, worldOptions(w.world))
	w.broken["jobs"] = -1
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := m.step(ctx); !errors.Is(err, context.Canceled) || len(w.told) > 0 {
		t.Errorf("%v, told %v", err, w.told)
	}
}

// The options that a purchase stands on are those of the journal.
func TestPortfolioOfJournal(t *testing.T) {
	o := &Options{Period: 6, Prices: pricing.List{OnDemand: pricing.Unit,
		Classes: []pricing.Class{{Name: "half", Term: 12 * time.Hour, Upfront: 3 * pricing.Unit}}}}
	if _, err := newPortfolio(o, []week{{demand: make([]int, 5)}}); !errors.Is(err, ErrOptions) ||
		!strings.HasSuffix(err.Error(), "purchases every 6 hours, and the journal has a period of 5") {
		t.Errorf("%v", err)
	}
	bad := *o
	bad.Prices.Classes = []pricing.Class{{Name: "half", Term: -1}}
	if _, err := newPortfolio(&bad, nil); !errors.Is(err, ErrOptions) {
		t.Errorf("bad prices: %v", err)
	}
	for _, none := range []*Options{{Prices: o.Prices}, {Period: 6, Prices: pricing.List{OnDemand: pricing.Unit}}} {
		if p, err := newPortfolio(none, nil); err != nil || p.every != 0 {
			t.Errorf("nothing is to be bought: %+v, %v", p, err)
		}
	}
	// Golden: the quantile of 0.4 of the simple forecast. What is bought lasts for two periods.
	p, err := newPortfolio(o, nil)
	if err != nil {
		t.Fatal(err)
	}
	var counts []int
	for _, d := range []int{6, 9, 2, 9, 9} {
		bought, err := p.see(slices.Repeat([]int{d}, 6))
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, b := range bought {
			n += b.Count
		}
		counts = append(counts, n)
	}
	if diff := gocmp.Diff([]int{6, 0, 8, 0, 7}, counts); diff != "" || p.period != 5 {
		t.Errorf("%d periods, bought (-want +got)\n%s", p.period, diff)
	}
	if _, err := p.see([]int{-1, 0, 0, 0, 0, 0}); err == nil || p.period != 5 {
		t.Errorf("a demand below 0 is taken, as period %d", p.period)
	}
}

// The placement policy's order of idle instances, by hand: the one that is charged last has the
// greatest margin.
func TestRank(t *testing.T) {
	idle := []placement.Instance{{ID: 1, Due: 30}, {ID: 2, Due: 50}, {ID: 3, Due: 10}}
	for p, want := range map[placement.Policy][]int{placement.MaxMarginFirst: {1, 0, 2}, placement.MinMarginFirst: {2, 0, 1}} {
		if got := rank(new(placement.Selector), idle, p); !slices.Equal(got, want) {
			t.Errorf("%v: %v, want %v", p, got, want)
		}
	}
}

// While an instance was refused a short while ago nothing is asked for, also if jobs may start
// before their turn; what would have grown is looked at later.
func TestClosedForNow(t *testing.T) {
	w := watch(newWorld(2, time.Minute))
	m := w.manage(t, &watchedProvider{watched: w}, worldOptions(w.world))
	m.look, m.pass, m.closed = true, true, time.Minute
	s := &sight{most: 2, nodes: map[string]*slurmctl.Node{"n1": {Name: "n1", State: "down"}},
		waiting: []*queued{{job: schedule.Job{ID: 1, Nodes: 1, Estimate: time.Hour}}}}
	for _, c := range []struct {
		now   time.Duration
		asked int
	}{{0, 0}, {time.Minute - 1, 0}, {time.Minute, 1}} {
		s.now = c.now
		if err := m.grow(context.Background(), s); err != nil {
			t.Fatal(err)
		}
		if got := len(w.reasons(Asking)); got != c.asked || m.look != (c.asked == 0) || m.pass {
			t.Errorf("at %v: %d instances are asked for, look %v, pass %v", c.now, got, m.look, m.pass)
		}
	}
}

// Nodes that were drained although their instances stay are all taken up at one look.
func TestResumeAll(t *testing.T) {
	w := watch(newWorld(3, time.Minute))
	m := w.manage(t, &watchedProvider{watched: w}, worldOptions(w.world))
	w.rent(t, m, "n1", "n2", "n3")
	s := &sight{nodes: map[string]*slurmctl.Node{}}
	for _, n := range []string{"n1", "n2", "n3"} {
		s.nodes[n] = &slurmctl.Node{Name: n, State: "idle", Flags: []string{"DRAIN"}, Reason: drained}
	}
	if err := m.resume(context.Background(), s); err != nil || !slices.Equal(w.calls, []string{"undrain n1", "undrain n2", "undrain n3"}) {
		t.Errorf("%q, %v", w.calls, err)
	}
}

// A listless provider lists nothing, and perhaps says that what it created has ended.
type listless struct {
	*watchedProvider
	ended bool
}

func (p listless) List(context.Context) ([]provider.Instance, error) {
	return nil, p.call("list", "")
}

func (p listless) Create(ctx context.Context, token, node string) (provider.Instance, error) {
	in, err := p.watchedProvider.Create(ctx, token, node)
	if p.ended {
		in.Ended = in.Created.Add(time.Second)
	}
	return in, err
}

// A provider that lists nothing: an instance that was given back counts as ended after three such
// lists, and its node can be rented again.
func TestNeverListed(t *testing.T) {
	w := watch(newWorld(1, time.Minute))
	o := worldOptions(w.world)
	o.AuditEvery = 100 * time.Hour
	m := w.manage(t, listless{&watchedProvider{watched: w}, false}, o)
	for range 2 {
		w.submit(1, 10*time.Minute, 10*time.Minute)
		for range 4 * 70 {
			w.step(t, m)
			w.advance(15 * time.Second)
		}
	}
	if !w.done() || len(w.instances) != 2 || len(w.reasons(Gone)) != 2 {
		t.Errorf("done: %v, %d instances, gone %q", w.done(), len(w.instances), w.reasons(Gone))
	}
	if got := w.reasons(Failed); len(got) > 2 || len(got) > 0 && got[0] != "listing instances: the provider does not list it" {
		t.Errorf("told: %q", got)
	}
}

// An instance that has ended before its creation is answered is gone at once.
func TestEndedAtOnce(t *testing.T) {
	w := watch(newWorld(1, time.Minute))
	m := w.manage(t, listless{&watchedProvider{watched: w}, true}, worldOptions(w.world))
	w.submit(1, 10*time.Minute, 10*time.Minute)
	w.step(t, m)
	if l := m.state.leases; len(l) != 1 || l[0].phase != gone || !l[0].Ended.Equal(w.now.Add(time.Second)) ||
		!slices.Equal(w.reasons(Gone), []string{"the provider has ended it"}) {
		t.Errorf("%+v, told %q", l[0], w.reasons(Gone))
	}
}

// The queue is in the order of priorities, a promoted job at the one that it had; then by number,
// and the tasks of a job together.
func TestQueueOrder(t *testing.T) {
	w := watch(newWorld(9, time.Minute))
	m := w.manage(t, &watchedProvider{watched: w}, worldOptions(w.world))
	m.state.promoted[4] = 7
	job := func(id int64, priority uint32, tasks int) slurmctl.Job {
		return slurmctl.Job{ID: id, State: "PENDING", Nodes: 1, Priority: priority, Tasks: tasks, Reason: "Resources"}
	}
	s := m.see([]slurmctl.Job{job(1, 5, 1), job(2, 9, 2), job(3, 9, 2), job(4, above, 1), job(5, 8, 1), job(6, 0, 1)}, nil)
	var got []int64
	for _, q := range s.waiting {
		got = append(got, q.job.ID)
	}
	if want := []int64{2, 2 + taskUnit, 3, 3 + taskUnit, 5, 4, 1}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// A policy that remembers a number.
type rememberer struct {
	policyFunc
	name   string
	memory int
}

func (r *rememberer) Memory() int    { return r.memory }
func (r *rememberer) Recall(n int)   { r.memory = n }
func (r *rememberer) String() string { return r.name }

// What a policy remembers is written when it changes, and the next manager's policy of that name
// goes on from there; another one does not.
func TestRemember(t *testing.T) {
	nothing := func(dst []elastic.Action, _ *elastic.Snapshot) []elastic.Action { return dst }
	p := &rememberer{nothing, "first", 3}
	s := newStage(t, p, nil)
	s.pass(1)
	s.pass(10)
	p.memory = 5
	s.pass(10)
	if got := s.reasons(Remembered, ""); !slices.Equal(got, []string{"first goes on from 3", "first goes on from 5"}) {
		t.Errorf("told %q", got)
	}
	for name, want := range map[string]int{"first": 5, "second": 0} {
		next := &rememberer{nothing, name, 0}
		s.o.Policy = next
		s.open()
		if next.memory != want {
			t.Errorf("%s goes on from %d, want %d", name, next.memory, want)
		}
		if now := s.m.clock.Now(); s.m.check <= now || s.m.check > now+s.o.Every || s.m.check%s.o.Every != 0 {
			t.Errorf("the next evaluation is at %v, now %v", s.m.check, now)
		}
	}
}

// What a policy sees of instances: where they are between being asked for and having ended.
func TestSnapshotStates(t *testing.T) {
	s := newStage(t, &elastic.OD{}, nil)
	w := watch(s.world)
	l := w.rent(t, s.m, "n3", "n6", "n7", "n8", "n9", "n10")
	s.now = worldStart.Add(10 * time.Minute)
	l[0].phase, l[1].phase, l[3].phase = gone, leaving, rented
	l[5].phase, l[5].denied, l[5].Created = asking, true, time.Time{}
	s.m.round.refused = []int{0, 2}
	s.m.shuts[1] = 11 * time.Minute
	snap, leases, err := s.m.snapshot(&sight{now: 10 * time.Minute, busy: l[2:3], idle: l[4:5], ends: map[string]time.Duration{"n7": time.Hour},
		closed: map[string]string{"n11": "drained"}})
	if err != nil {
		t.Fatal(err)
	}
	due := time.Hour
	want := []elastic.Instance{
		{ID: 1, State: elastic.Stopping, Due: schedule.Never}, {ID: 2, State: elastic.Busy, Ready: time.Hour, Due: due},
		{ID: 3, State: elastic.Booting, Ready: time.Minute, Due: due}, {ID: 4, State: elastic.Idle, Due: due}, {ID: 5, State: elastic.Stopping, Due: schedule.Never},
	}
	if diff := gocmp.Diff(want, snap.Clouds[2].Instances); diff != "" {
		t.Errorf("commercial (-want +got):\n%s", diff)
	}
	if diff := gocmp.Diff([]elastic.Instance{{State: elastic.Stopping, Due: schedule.Never}}, snap.Clouds[1].Instances); diff != "" {
		t.Errorf("private (-want +got):\n%s", diff)
	}
	if c := snap.Clouds[2]; c.Limit != 5 || c.Refused != 2 || !c.Closed || snap.Clouds[1].Closed || len(leases[2]) != 5 || leases[1][0] != l[0] || snap.Again {
		t.Errorf("%+v", snap)
	}
}

// The bill by cloud adds up to the whole one, in the order in which clouds were first used.
func TestCloudBills(t *testing.T) {
	s := newStage(t, &elastic.OD{}, nil)
	w := watch(s.world)
	l := w.rent(t, s.m, "n6", "n3", "n7")
	for i, c := range []int{1, 0, 1} {
		l[i].cloud, l[i].price = s.o.Clouds[c].Name, s.o.Clouds[c].Price
	}
	s.now = worldStart.Add(90 * time.Minute)
	got, err := s.m.CloudBills()
	want := []CloudBill{{"commercial", provider.Bill{Leases: 2, Charged: 4 * time.Hour, Cost: 340 * pricing.Milli}},
		{"private", provider.Bill{Leases: 1, Charged: 2 * time.Hour, Cost: 2 * pricing.Milli}}}
	if diff := gocmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if sum, err := s.m.Bill(); err != nil || sum.Leases != 3 || sum.Charged != 6*time.Hour || sum.Cost != 342*pricing.Milli {
		t.Errorf("%+v, %v", sum, err)
	}
	if got, err := Divide(nil, []int{1, 2}, 5, &s.o); err != nil || len(got.Accounts) > 0 {
		t.Errorf("without uses: %+v, %v", got, err)
	}
}

// A view of the cluster is told when it differs from the one before, not at each look.
func TestViews(t *testing.T) {
	w := newWorld(1, time.Minute)
	o := worldOptions(w)
	var views []Status
	o.Watch = func(e *Entry, s *Status) {
		if e == nil {
			views = append(views, *s)
		}
	}
	m := w.open(t, filepath.Join(memory(t), "journal"), o)
	w.submit(1, 10*time.Minute, 10*time.Minute)
	for range 4 * 30 {
		w.step(t, m)
		w.advance(15 * time.Second)
	}
	var got []Status
	for i := range views {
		if views[i].Spent <= 0 {
			t.Errorf("view %d has taken no time: %+v", i, views[i])
		}
		views[i].Spent = 0
		got = append(got, views[i])
	}
	if diff := gocmp.Diff([]Status{
		{Waiting: 1, WaitingNodes: 1}, {Now: 15 * time.Second, Waiting: 1, WaitingNodes: 1, Booting: 1}, {Now: time.Minute, Running: 1, Booting: 1},
		{Now: 75 * time.Second, Running: 1, Busy: 1}, {Now: 11 * time.Minute, Idle: 1},
	}, got); diff != "" {
		t.Errorf("views (-want +got):\n%s", diff)
	}
}

// A policyFunc is a function as a Policy.
type policyFunc func(dst []elastic.Action, s *elastic.Snapshot) []elastic.Action

func (f policyFunc) AppendActions(dst []elastic.Action, s *elastic.Snapshot) []elastic.Action {
	return f(dst, s)
}
