package manager

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/examples/internal/provider"
	"github.com/plimsoll/plimsoll/examples/services/slurm/internal/slurmctl"
)

// asked returns for how many instances a manager asks in its first step, where Slurm has
// given jobs, and all nodes are down.
func asked(t *testing.T, nodes int, jobs ...slurmctl.Job) int {
	t.Helper()
	w := newWorld(nodes, time.Hour)
	o := worldOptions(w)
	o.Expansion = 2 // all jobs of the queue at once
	m := w.open(t, filepath.Join(memory(t), "journal"), o)
	defer m.Close()
	m.slurm = jobsOf{w, jobs}
	w.step(t, m)
	return len(w.instances)
}

// jobsOf is a world whose queue is another one.
type jobsOf struct {
	*world
	jobs []slurmctl.Job
}

func (j jobsOf) Jobs(context.Context) ([]slurmctl.Job, error) { return j.jobs, nil }

// Nodes are rented for jobs that they help: not for those that are held, or that
// something else keeps from starting.
func TestHelped(t *testing.T) {
	job := slurmctl.Job{ID: 1, State: "PENDING", Reason: "Resources", Nodes: 2, Submit: worldStart, Priority: 5, Limit: time.Minute}
	with := func(change func(*slurmctl.Job)) slurmctl.Job {
		j := job
		change(&j)
		return j
	}
	for _, reason := range []string{"None", "Resources", "Priority", "ReqNodeNotAvail", "NodeDown", "TimeLimit", "something new"} {
		if got := asked(t, 4, with(func(j *slurmctl.Job) { j.Reason = reason })); got != 2 {
			t.Errorf("%s: %d instances, want 2", reason, got)
		}
	}
	for _, reason := range []string{"Dependency", "DependencyNeverSatisfied", "BeginTime", "JobHeldUser", "JobHeldAdmin", "JobHoldMaxRequeue",
		"PartitionTimeLimit", "AssocGrpCpuLimit", "AssocMaxJobsLimit", "AssociationJobLimit", "QOSGrpNodeLimit", "QOSMaxJobsPerUserLimit", "QOSNotAllowed",
		"Reservation", "ReservationDeleted", "DeadLine", "Prolog", "FedJobLock", "BadConstraints", "Licenses", "JobArrayTaskLimit", "InvalidQOS"} {
		if got := asked(t, 4, with(func(j *slurmctl.Job) { j.Reason = reason })); got != 0 {
			t.Errorf("%s: %d instances, want none", reason, got)
		}
	}
	if got := asked(t, 4, with(func(j *slurmctl.Job) { j.Priority = 0 })); got != 0 {
		t.Errorf("held: %d instances", got)
	}
	if got := asked(t, 4, with(func(j *slurmctl.Job) { j.Eligible = worldStart.Add(time.Minute) })); got != 0 {
		t.Errorf("not eligible: %d instances", got)
	}
}

// The tasks of an array that wait are as many jobs, no more than may run at once.
func TestArray(t *testing.T) {
	array := slurmctl.Job{ID: 9, State: "PENDING", Reason: "Resources", Nodes: 1, Submit: worldStart, Priority: 5, Limit: time.Hour, Array: 7, Tasks: 10}
	limited := array
	limited.AtOnce = 3
	task := slurmctl.Job{ID: 8, State: "COMPLETING", Nodes: 1, Array: 7}
	other := slurmctl.Job{ID: 6, State: "COMPLETING", Nodes: 1, Array: 6}
	two := array
	two.Nodes = 2
	for _, c := range []struct {
		nodes, want int
		jobs        []slurmctl.Job
	}{
		{16, 10, []slurmctl.Job{array}},
		{4, 4, []slurmctl.Job{array}},
		{16, 3, []slurmctl.Job{limited}},
		{16, 2, []slurmctl.Job{task, limited, other}},
		{40, 20, []slurmctl.Job{two}},
	} {
		if got := asked(t, c.nodes, c.jobs...); got != c.want {
			t.Errorf("%d nodes, %+v: %d instances, want %d", c.nodes, c.jobs, got, c.want)
		}
	}
}

// One task of an array is not let start before its turn, since Slurm would let all.
func TestArrayKeepsItsTurn(t *testing.T) {
	for _, tasks := range []int{1, 3} {
		w := newWorld(2, time.Minute)
		w.instances = []*worldInstance{{Instance: provider.Instance{ID: "i", Node: "fixed"}}}
		w.nodes = append(w.nodes, &worldNode{name: "fixed"})
		o := worldOptions(w)
		o.Nodes = o.Nodes[:2]
		m := w.open(t, filepath.Join(memory(t), "journal"), o)
		w.submit(3, time.Hour, time.Hour)
		w.submit(1, time.Second, time.Second)
		jobs, _ := w.Jobs(context.Background())
		jobs[1].Tasks = tasks
		m.slurm = jobsOf{w, jobs}
		w.advance(0)
		w.jobs[0].on, w.jobs[1].on = nil, nil
		for _, n := range w.nodes {
			n.job = nil
		}
		w.step(t, m)
		if got := w.jobs[1].priority == above; got != (tasks == 1) {
			t.Errorf("%d tasks: starts before its turn: %v", tasks, got)
		}
		m.Close()
	}
}

// Nodes that are there anyway do not count against those that may be rented.
func TestFixedNodes(t *testing.T) {
	w := newWorld(2, time.Minute)
	o := worldOptions(w)
	for _, name := range []string{"f1", "f2"} {
		w.nodes = append(w.nodes, &worldNode{name: name})
		w.instances = append(w.instances, &worldInstance{Instance: provider.Instance{ID: name, Node: name, Created: worldStart}})
	}
	m := w.open(t, filepath.Join(memory(t), "journal"), o)
	defer m.Close()
	w.advance(0)
	w.submit(4, 10*time.Minute, 10*time.Minute)
	for range 40 {
		w.step(t, m)
		w.advance(15 * time.Second)
	}
	if w.jobs[0].begun != 1 || len(w.instances) != 4 {
		t.Errorf("the job began %d times, with %d instances", w.jobs[0].begun, len(w.instances))
	}
}

// An instance that is another journal's, perhaps one that was lost, is named, once, and
// nothing is done to it or its node; nor to a node that is up and nobody's.
func TestForeign(t *testing.T) {
	w := newWorld(4, time.Minute)
	o := worldOptions(w)
	told := map[string][]string{}
	o.Watch = func(e *Entry, _ *Status) {
		if e != nil && e.Kind == Failed {
			told[e.Node] = append(told[e.Node], e.Reason)
		}
	}
	w.instances = []*worldInstance{
		{Instance: provider.Instance{ID: "i-1", Token: "0ld-3-n1", Node: "n1", Created: worldStart}, ready: worldStart.Add(1000 * time.Hour)}, // it boots
		{Instance: provider.Instance{ID: "i-2", Token: "0ld-4-n2", Node: "n2", Created: worldStart}},
		{Instance: provider.Instance{ID: "i-3", Token: "x", Node: "elsewhere", Created: worldStart}},
		{Instance: provider.Instance{ID: "i-4", Token: "0ld-1-n3", Node: "n3", Created: worldStart, Ended: worldStart}, dead: true},
	}
	m := w.open(t, filepath.Join(memory(t), "journal"), o)
	defer m.Close()
	w.step(t, m)
	w.submit(3, 10*time.Minute, 10*time.Minute)
	for range 4 * 200 {
		w.advance(15 * time.Second)
		w.step(t, m)
	}
	if w.jobs[0].end.IsZero() || len(w.instances) != 6 {
		t.Errorf("the job has ended: %v; %d instances, want 2 besides the 4", !w.jobs[0].end.IsZero(), len(w.instances))
	}
	for _, in := range w.instances[:2] {
		if in.dead {
			t.Errorf("%s has been ended", in.ID)
		}
	}
	for _, n := range w.nodes[:2] {
		if n.drains {
			t.Errorf("%s has been drained", n.name)
		}
	}
	if len(told["n1"]) != 1 || !strings.Contains(told["n1"][0], `the instance i-1, whose token "0ld-3-n1" is not this journal's`) {
		t.Errorf("of n1 is told: %q", told["n1"])
	}
	if len(told["n2"]) != 2 || !slices.ContainsFunc(told["n2"], func(s string) bool { return strings.Contains(s, "no instance of the journal has it") }) {
		t.Errorf("of n2 is told: %q", told["n2"])
	}
	if len(told["n3"])+len(told["n4"])+len(told["elsewhere"]) > 0 {
		t.Errorf("told: %q", told)
	}
}

// A name is free when its node is down and not drained, and a list has confirmed that
// its last instance has ended: until then its daemon may come back.
func TestFree(t *testing.T) {
	w := newWorld(6, time.Minute)
	m := w.open(t, filepath.Join(memory(t), "journal"), worldOptions(w))
	defer m.Close()
	m.state.leases = []*lease{
		{Instance: provider.Instance{Node: "n1"}, phase: gone},
		{Instance: provider.Instance{Node: "n2"}, phase: gone, ended: true},
	}
	m.foreign = map[string]string{"n6": "i-6"}
	s := &sight{nodes: map[string]*slurmctl.Node{
		"n1": {State: "down"}, "n2": {State: "down"}, "n3": {State: "down", Flags: []string{"DRAIN"}}, "n4": {State: "idle"}, "n6": {State: "down"},
	}}
	if diff := gocmp.Diff([]string{"n2"}, m.free(s)); diff != "" {
		t.Error(diff)
	}
}

// With a lead an instance is gone before its next charge, also if giving it back takes a
// while, and one that becomes idle when it is too late for that stays for the hour.
func TestLead(t *testing.T) {
	for _, c := range []struct {
		run, want time.Duration // until the job's end; until the instance is gone
	}{
		{50 * time.Minute, 58*time.Minute + 50*time.Second},
		{58 * time.Minute, 58*time.Minute + 50*time.Second},
		{58*time.Minute + 30*time.Second, 118*time.Minute + 50*time.Second}, // 40 s are not enough
	} {
		w := newWorld(1, time.Minute)
		o := worldOptions(w)
		o.Lead = time.Minute
		m := w.open(t, filepath.Join(memory(t), "journal"), o)
		w.faults = func(call string) fault {
			if call == "delete" {
				w.advance(30 * time.Second)
			}
			return noFault
		}
		w.advance(40 * time.Second) // checks come when it has been rented for 20 s, 1 min 20 s, ...
		w.submit(1, c.run-time.Minute, time.Hour)
		for range 4 * 60 * 6 {
			w.step(t, m)
			w.advance(10 * time.Second)
		}
		in := w.instances[0]
		if len(w.instances) != 1 || in.Live() {
			t.Fatalf("%d instances", len(w.instances))
		}
		if got := in.Ended.Sub(in.Created); got != c.want {
			t.Errorf("a job of %v: gone after %v, want %v", c.run, got, c.want)
		}
		w.check(t, m)
	}
	o := worldOptions(newWorld(1, time.Minute))
	o.Lead = time.Hour
	if err := o.Check(); !errors.Is(err, ErrOptions) || !strings.Contains(err.Error(), "or none ever leaves") {
		t.Errorf("a lead of an hour: %v", err)
	}
}

// A journal is read only with the hour that it began with.
func TestOtherHour(t *testing.T) {
	w := newWorld(1, time.Minute)
	name := filepath.Join(memory(t), "journal")
	o := worldOptions(w)
	w.open(t, name, o).Close()
	o.Hour = time.Minute
	if _, err := Open(name, w, worldProvider{w}, o); !errors.Is(err, ErrOptions) {
		t.Errorf("another hour: %v", err)
	}
}
