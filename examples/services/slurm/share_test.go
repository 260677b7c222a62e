//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/examples/internal/clock"
	"github.com/plimsoll/plimsoll/examples/internal/programtest"
	"github.com/plimsoll/plimsoll/examples/services/slurm/internal/partition"
	"github.com/plimsoll/plimsoll/examples/services/slurm/internal/slurmctl"
	"github.com/plimsoll/plimsoll/examples/services/slurm/internal/slurmtest"
	"github.com/plimsoll/plimsoll/schedule/trace"
)

// In the simulation all jobs run to their ends, whatever the policy; the exact victims waste
// less than a host that is told nothing; and the same seed gives the same result.
func TestShareSimulation(t *testing.T) {
	o, err := parseShare([]string{"-reclaim", "4", "-every", "10m", "-span", "3h"})
	if err != nil {
		t.Fatal(err)
	}
	jobs, err := o.jobs(io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	s := &sharing{o: &o, jobs: jobs, w: io.Discard}
	wasted := map[string]time.Duration{}
	for _, policy := range o.policies {
		r, err := s.simulate(policy)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.jobs) != len(jobs) {
			t.Errorf("%v: %d jobs of %d", policy, len(r.jobs), len(jobs))
		}
		for i := range r.jobs {
			if j := &r.jobs[i]; j.start < j.Submit || j.end < j.start+j.Run {
				t.Errorf("%v: job %d starts at %v and ends at %v: %+v", policy, i, j.start, j.end, *j.shareJob)
			}
		}
		if policy == o.policies[0] {
			again, err := s.simulate(policy)
			if err != nil || again.wasted != r.wasted || again.restarts != r.restarts {
				t.Errorf("%v: %v and then %v, %v", policy, r.wasted, again.wasted, err)
			}
		}
		wasted[policy.String()] = r.wasted
		t.Logf("%-9v %6.2f node-hours wasted, %5.2f of urgent jobs; %d starts again, %d saves", policy, r.wasted.Hours(), r.urgent.Hours(), r.restarts, r.saves)
	}
	if wasted["exact"] >= wasted["blind"] {
		t.Errorf("exact wastes %v, and blind %v", wasted["exact"], wasted["blind"])
	}
}

// A quarter of an hour on two real Slurm clusters whose nodes move by themselves, while processes
// are killed: no node is in two places, none is lost, and all jobs run, as on a static split.
func sharePlays(t *testing.T, parttime string) {
	t.Helper()
	args := strings.Fields("share -nodes 6 -minute 500ms -grace 13m -kill 3 -seed 5 -json -parttime " + parttime)
	if slurmtest.Played() { // four short jobs
		args = append(args, "-span", "4m", "-trace", writeLog(t, [][4]int{{0, 60, 1, 2}, {30, 120, 2, 3}, {60, 60, 3, 2}, {90, 60, 1, 3}}))
	} else {
		args = append(args, "-span", "15m", "-longest", "12m")
	}
	cmd := programtest.Command(args...)
	var said lines
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, said.String())
	}
	rows := programtest.Rows[map[string]any](t, string(out))
	if len(rows) != 2 || rows[0]["killed"] != 3. || rows[0]["in_two_places"] != 0. || rows[0]["lost"] != 0. || rows[0]["jobs"].(float64) < 3 || rows[0]["jobs"] != rows[1]["jobs"] {
		t.Errorf("%v\n%s", rows, said.String())
	}
}

// The host takes a node from the only partition at 2 and at 4 minutes of 5. What that wastes is told beside what it
// wastes in a simulation of the same jobs, for each policy.
func shareReclaims(t *testing.T, parttime string) {
	t.Helper()
	args := strings.Fields("share -nodes 4 -span 5m -minute 500ms -grace 12m -reclaim 1 -every 2m -policies fifo -json -parttime " + parttime + " -trace " + writeLog(t, [][4]int{{0, 200, 2, 2}, {30, 200, 2, 3}}))
	cmd := programtest.Command(args...)
	var said lines
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, said.String())
	}
	rows := programtest.Rows[map[string]any](t, string(out))
	if len(rows) != 1 || rows[0]["run"] != "fifo" || rows[0]["in_two_places"] != 0. || rows[0]["lost"] != 0. || rows[0]["jobs"].(float64) < 2 {
		t.Errorf("%v\n%s", rows, said.String())
	}
}

// By hand: three jobs on two sides, one of which waits for six minutes.
func TestShared(t *testing.T) {
	const m = time.Minute
	job := func(side int, submit, start, end time.Duration) sharedJob {
		return sharedJob{shareJob: &shareJob{Job: trace.Job{Submit: submit}, side: side}, start: start, end: end}
	}
	moving := &shared{jobs: []sharedJob{job(0, 0, 0, 10*m), job(0, m, 7*m, 11*m), job(1, 2*m, 5*m, 6*m)}, restarts: 2, wasted: 90 * m, urgent: 30 * m, saves: 3, moved: [2]int{4, 5}, killed: 6}
	still := &shared{jobs: []sharedJob{job(0, 0, 0, 10*m), job(0, m, 10*m, 15*m), job(1, 2*m, 2*m, 3*m)}}
	s := &sharing{o: &shareOptions{nodes: 6, span: 15 * m}, jobs: make([]shareJob, 3)}
	var text strings.Builder
	if err := s.write(&text, moving, still); err != nil {
		t.Fatal(err)
	}
	var got []string
	for line := range strings.Lines(text.String()) {
		got = append(got, strings.Join(strings.Fields(line), " "))
	}
	want := []string{"3 jobs on 6 nodes, 15m0s of a log, policy exact", "",
		"nodes move static split", "",
		"mean wait, hpc 3.0 min 4.5 min", "longest wait, hpc 6.0 min 9.0 min", "mean wait, htc 3.0 min 0.0 min", "longest wait, htc 3.0 min 0.0 min",
		"mean wait, all 3.0 min 3.0 min", "mean time from submission to end 8.0 min 8.3 min", "jobs that were ended and started again 2 0",
		"wasted node-hours 1.50 0.00", "saves that were asked for 3 0", "nodes that moved to hpc, to htc 4, 5 0, 0",
		"processes killed and started again 6 0", "times that a node was in two places 0 0", "nodes that were lost 0 0"}
	got[3] = "" // a line of dashes
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	s.o.json = true
	text.Reset()
	if err := s.write(&text, moving, still); err != nil || !strings.Contains(text.String(), `"mean_wait_s":180,"mean_wait_hpc_s":180,"mean_wait_htc_s":180,"mean_response_s":480,`) {
		t.Errorf("%v: %s", err, &text)
	}
	if (&shared{}).wait(-1) != 0 || (&shared{}).response() != 0 {
		t.Error("no jobs wait")
	}
	if err := s.write(programtest.Broken{}, moving, still); err == nil {
		t.Error("a writer that fails is no error")
	}
	s.o.reclaim, s.o.every, s.o.json = 2, 5*m, false
	text.Reset()
	all := []judged{{partition.Policy(0), moving, &shared{wasted: 108 * m, urgent: 6 * m, restarts: 4}}, {partition.Policy(0), &shared{lost: 1}, still}}
	if err := s.writePolicies(&text, all); err == nil || err.Error() != "0 times a node was in two places, and 1 nodes were lost: []" {
		t.Errorf("%v", err)
	}
	for _, want := range []string{"3 jobs on 6 nodes, of which the host takes 2 each 5m0s ", " exact 1.50 1.80 0.50 0.10 2 4 exact 0.00 0.00 0.00 0.00 0 0"} {
		if got := strings.Join(strings.Fields(text.String()), " "); !strings.Contains(got, want) {
			t.Errorf("%s, want %q", got, want)
		}
	}
	s.o.json = true
	text.Reset()
	if err := s.writePolicies(&text, all[:1]); err != nil || !strings.Contains(text.String(), `"run":"exact","jobs":3,`) || !strings.Contains(text.String(), `"wasted_node_s":5400,"wasted_urgent_node_s":1800,`) ||
		!strings.Contains(text.String(), `"simulated_wasted_node_s":6480,"simulated_restarts":4}`) {
		t.Errorf("%v: %s", err, &text)
	}
	if err := s.writePolicies(programtest.Broken{}, all[:1]); err == nil {
		t.Error("a writer that fails is no error")
	}
	for _, c := range []struct {
		r    shared
		want string
	}{
		{shared{}, "<nil>"},
		{shared{lost: 2}, "0 times a node was in two places, and 2 nodes were lost: []"},
		{shared{twice: strings.Fields("a b c d e f")}, `6 times a node was in two places, and 0 nodes were lost: ["a" "b" "c" "d" "e"]`},
	} {
		if got := fmt.Sprint(c.r.fault()); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
	jobs := sortedBy([]shareJob{{Job: trace.Job{ID: 1, Submit: 3}}, {Job: trace.Job{ID: 2, Submit: 1}}, {Job: trace.Job{ID: 3, Submit: 3}}})
	if jobs[0].ID != 2 || jobs[1].ID != 1 || jobs[2].ID != 3 {
		t.Errorf("%+v", jobs)
	}
	if got := nodeHours([]shareJob{{Job: trace.Job{Nodes: 3, Run: 30 * m}}, {Job: trace.Job{Nodes: 1, Run: 2 * time.Hour}}}); got != 3.5 {
		t.Errorf("%v node-hours", got)
	}
}

// What jobs note is read. Job 0 is ended on n1 after 20 s of which 12 are saved, and goes on. Job 1
// of the other cluster begins on n1 while job 0 runs there, which is one place too many. Job 2 is
// urgent, saves nothing and is ended after 5 s by its last beat. A minute takes a second here.
func TestShareNotes(t *testing.T) {
	const s = time.Second
	dir, began, up := t.TempDir(), time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC), 1000*s
	play := &theatre{sharing: &sharing{o: &shareOptions{minute: s}}, dir: dir, out: &shared{}}
	jobs := []shareJob{{Job: trace.Job{Nodes: 2, Submit: s}}, {Job: trace.Job{Nodes: 1}, side: 1}, {Job: trace.Job{Nodes: 1}, urgent: true}}
	for i, text := range []string{
		"start 100100 0 n[1-2]\nsaved 101300 0 n[1-2]\nstart 104000 1 n[2-3]\nend 104500 1 n[2-3]\n",
		"start 101500 0 n1\nend 101600 0 n1\n",
		"start 102000 0 n4\nstart 103000 1 n4\nend 103100 1 n4\n",
	} {
		if err := os.WriteFile(play.path(i, "notes"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, at := range map[string]time.Duration{play.path(0, "0.beat"): 21 * s, play.path(2, "0.beat"): 25 * s} {
		if err := errors.Join(os.WriteFile(name, nil, 0o600), os.Chtimes(name, began.Add(at), began.Add(at))); err != nil {
			t.Fatal(err)
		}
	}
	if err := play.read(jobs, began, up); err != nil {
		t.Fatal(err)
	}
	out := play.out
	// Lost: 8 s after the save, and the save's minute, of two nodes each; and 5 s of one.
	if want := 2*(8*time.Minute+time.Minute) + 5*time.Minute; out.wasted != want || out.urgent != 5*time.Minute || out.restarts != 2 || out.saves != 1 {
		t.Errorf("%v wasted, %v urgent, %d restarts, %d saves: want %v, 5m, 2, 1", out.wasted, out.urgent, out.restarts, out.saves, want)
	}
	for i, want := range [][2]time.Duration{{time.Minute, 45 * time.Minute}, {15 * time.Minute, 16 * time.Minute}, {20 * time.Minute, 31 * time.Minute}} {
		if j := out.jobs[i]; j.start != want[0] || j.end != want[1] || j.shareJob != &jobs[i] {
			t.Errorf("job %d from %v to %v, want %v", i, j.start, j.end, want)
		}
	}
	if want := []string{"job 1 of htc runs on n1 14s after the start of job 0 of hpc, which runs until 6s later"}; !slices.Equal(out.twice, want) {
		t.Errorf("%q, want %q", out.twice, want)
	}
	for _, bad := range []string{"start 100 0\n", "start x 0 n1\n", "start 100 0 n[1\n"} {
		if err := os.WriteFile(play.path(0, "notes"), []byte(bad), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := play.read(jobs[:1], began, up); err == nil {
			t.Errorf("%q is read", bad)
		}
	}
	if err := play.read(make([]shareJob, 9), began, up); err == nil {
		t.Error("a job without notes")
	}
}

// newModel returns a model of three nodes on which a minute takes a second, and a job for each of the given.
func newModel(jobs ...shareJob) *model {
	m := &model{o: &shareOptions{minute: time.Second, nodes: 3}, now: modelStart, out: &shared{}}
	for i := range 3 {
		m.nodes = append(m.nodes, modelNode{name: fmt.Sprintf("n%d", i+1)})
	}
	for i := range jobs {
		m.jobs = append(m.jobs, &modelJob{shareJob: &jobs[i], id: int64(i + 1), left: m.o.real(jobs[i].Run)})
	}
	return m
}

// Of three nodes two go to the first job. The second waits for two, and the third waits behind it, but not the fourth,
// which is of the other partition of Slurm. By hand, a minute of the log is a second.
func TestModelStarts(t *testing.T) {
	const min = time.Minute
	job := func(nodes int, run time.Duration, urgent bool) shareJob {
		return shareJob{Job: trace.Job{Nodes: nodes, Run: run, Estimate: 2 * run}, urgent: urgent, saves: urgent}
	}
	m := newModel(job(2, 10*min, false), job(2, 5*min, false), job(1, 5*min, false), job(1, 5*min, true))
	state := func() (text string) {
		all, err := m.Jobs(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, j := range all {
			text += fmt.Sprintf("%s%v ", j.State[:1], j.Names)
		}
		nodes, err := m.Nodes(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range nodes {
			text += fmt.Sprintf("%s%d%v ", n.State[:1], n.Busy, n.Flags)
		}
		return strings.TrimSpace(text)
	}
	for _, c := range []struct {
		after time.Duration
		want  string
	}{
		{0, "R[n1 n2] P[] P[] R[n3] a1[] a1[] a1[]"},
		{5*time.Second - 1, "R[n1 n2] P[] P[] R[n3] a1[] a1[] a1[]"},
		{5 * time.Second, "R[n1 n2] P[] P[] C[] a1[] a1[] i0[]"},
		{10 * time.Second, "C[] R[n1 n2] R[n3] C[] a1[] a1[] a1[]"},
		{15 * time.Second, "C[] C[] C[] C[] i0[] i0[] i0[]"},
	} {
		m.now = modelStart.Add(c.after)
		m.advance(modelStart)
		if got := state(); got != c.want {
			t.Errorf("after %v: %s, want %s", c.after, got, c.want)
		}
	}
	for i, want := range [][2]time.Duration{{0, 10 * min}, {10 * min, 15 * min}, {10 * min, 15 * min}, {0, 5 * min}} {
		if j := m.jobs[i]; j.first != want[0] || j.end != want[1] {
			t.Errorf("job %d from %v to %v, want %v", i, j.first, j.end, want)
		}
	}
	all, _ := m.Jobs(t.Context())
	// A save takes a minute, which is a second here, and 0.1 s are for what is around it.
	if all[0].Comment != "estimate=20s" || all[3].Comment != "estimate=10s checkpoint=B:USR1 cost=1.1s saved=0" || all[0].Parts[0] != "main" || all[3].Parts[0] != "urgent" ||
		!all[1].Start.Equal(modelStart.Add(10*time.Second)) || !all[1].End.Equal(modelStart.Add(15*time.Second)) {
		t.Errorf("%+v", all)
	}
	if err := errors.Join(m.Drain(t.Context(), "n2", ""), m.Requeue(t.Context(), 1)); err != nil || state() != "C[] C[] C[] C[] i0[] i0[DRAIN] i0[]" {
		t.Errorf("%s, %v", state(), err)
	}
	if err := m.Undrain(t.Context(), "n2"); err != nil || m.nodes[1].drains {
		t.Errorf("it drains: %v", err)
	}
}

// A job of two nodes that loses one after 10 s, of which 4 are saved: 6 s since the save and the save's minute are lost, on two
// nodes each. It starts again after two minutes, or when it may, and runs what was not saved.
func TestModelSaves(t *testing.T) {
	const s, min = time.Second, time.Minute
	m := newModel(shareJob{Job: trace.Job{Nodes: 2, Run: 20 * min}, urgent: true, saves: true})
	at := func(after time.Duration) {
		m.now = modelStart.Add(after)
		m.advance(modelStart)
	}
	at(0)
	at(3 * s)
	for range 2 { // the second signal comes while it saves
		if err := m.Signal(t.Context(), 1, "B:USR1"); err != nil {
			t.Fatal(err)
		}
	}
	at(4*s - 1)
	if m.out.saves != 0 {
		t.Error("saved too soon")
	}
	at(4 * s)
	j := m.jobs[0]
	if m.out.saves != 1 || j.left != 17*s || !j.saved.Equal(modelStart.Add(4*s)) {
		t.Errorf("%d saves, %+v", m.out.saves, *j)
	}
	if all, _ := m.Jobs(t.Context()); !strings.HasSuffix(all[0].Comment, fmt.Sprintf(" saved=%d", modelStart.Unix()+4)) {
		t.Errorf("%+v", all)
	}
	at(10 * s)
	if err := m.Down(t.Context(), "n1", ""); err != nil {
		t.Fatal(err)
	}
	if want := 2 * (6*min + min); m.out.wasted != want || m.out.urgent != want || j.restarts != 1 || len(j.on) > 0 || m.nodes[1].job != nil {
		t.Errorf("%+v, %+v, want %v", m.out, *j, want)
	}
	if err := errors.Join(m.Down(t.Context(), "n3", ""), m.Signal(t.Context(), 1, "B:USR1")); err != nil || j.restarts != 1 || !j.busy.IsZero() {
		t.Errorf("without a job: %+v, %v", *j, err)
	}
	nodes, _ := m.Nodes(t.Context())
	if nodes[0].State != "down" || nodes[1].State != "idle" {
		t.Errorf("%+v", nodes)
	}
	m.now = m.now.Add(200 * time.Millisecond)
	if nodes, _ = m.Nodes(t.Context()); nodes[0].State != "idle" {
		t.Errorf("%+v", nodes)
	}
	at(10*s + 2*min - 1)
	if len(j.on) > 0 {
		t.Error("it starts too soon")
	}
	at(10*s + 2*min)
	if len(j.on) != 2 || j.first != 0 {
		t.Errorf("%+v", *j)
	}
	// Saved 3 of its 20 s, and then 5 more: after the second save 12 are left.
	at(15*s + 2*min)
	m.Signal(t.Context(), 1, "B:USR1")
	at(16*s + 2*min)
	m.now = m.now.Add(2 * s)
	m.Signal(t.Context(), 1, "B:USR1")
	if j.left != 12*s || j.after != 10*s {
		t.Errorf("%v and %v are left", j.left, j.after)
	}
	at(19*s + 2*min)
	at(29*s + 2*min - 1)
	if j.ended {
		t.Error("it ends too soon")
	}
	at(29*s + 2*min)
	if !j.ended || j.end != 60*(29*s+2*min) || m.out.saves != 3 {
		t.Errorf("%+v, %d saves", *j, m.out.saves)
	}
	// Without a save all is lost; a job that is not urgent is none of the urgent.
	m = newModel(shareJob{Job: trace.Job{Nodes: 1, Run: 20 * min}})
	at(0)
	at(5 * s)
	if err := m.Down(t.Context(), "n1", ""); err != nil || m.out.wasted != 5*min || m.out.urgent != 0 {
		t.Errorf("%+v, %v", m.out, err)
	}
	if err := m.Eligible(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	at(5 * s)
	if len(m.jobs[0].on) != 1 || m.jobs[0].on[0] != 1 {
		t.Errorf("%+v", *m.jobs[0])
	}
}

// A job that is larger than the host never runs, and the simulation says so.
func TestSimulationEnds(t *testing.T) {
	o, err := parseShare(strings.Fields("-reclaim 1 -nodes 2 -span 1s -minute 500ms -grace 13m -every 1s"))
	if err != nil {
		t.Fatal(err)
	}
	s := &sharing{o: &o, jobs: []shareJob{{Job: trace.Job{Nodes: 3, Run: time.Minute}}}, w: io.Discard}
	if _, err := s.simulate(o.policy); fmt.Sprint(err) != "the simulation of exact does not come to an end" {
		t.Errorf("%v", err)
	}
}

// writeLog writes a log of jobs, each with its submission, run time, nodes and user, in the Standard Workload Format.
func writeLog(t *testing.T, jobs [][4]int) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "log.swf")
	var text strings.Builder
	for i, j := range jobs {
		fmt.Fprintf(&text, "%d %d 0 %d %d -1 -1 %[4]d %[5]d -1 1 %[6]d -1 -1 -1 -1 -1 -1\n", i+1, j[0], j[1], j[2], j[1]*3/2, j[3])
	}
	if err := os.WriteFile(name, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// Of a log's jobs those in the span count, from its begin on, up to half of the nodes and the longest run; with -reclaim all are one
// partition's.
func TestShareJobs(t *testing.T) {
	log := writeLog(t, [][4]int{{59, 60, 1, 3}, {60, 60, 1, 3}, {100, 61, 1, 2}, {100, 60, 5, 2}, {119, 60, 4, 2}, {120, 60, 1, 2}})
	for more, sides := range map[string][]int{"": {1, 0}, " -reclaim 1": {0, 0}} {
		o, err := parseShare(strings.Fields("-from 60s -span 60s -longest 60s -saves 100 -trace " + log + more))
		if err != nil {
			t.Fatal(err)
		}
		jobs, err := o.jobs(io.Discard)
		if err != nil || len(jobs) != 2 {
			t.Fatalf("%+v, %v", jobs, err)
		}
		for i, submit := range []time.Duration{0, 59 * time.Second} {
			if j := jobs[i]; j.Submit != submit || j.side != sides[i] || j.Nodes != []int{1, 4}[i] || j.Estimate != 90*time.Second || !j.saves {
				t.Errorf("%q, job %d: %+v", more, i, j)
			}
		}
	}
	o, err := parseShare(strings.Fields("-saves 0 -span 100h"))
	if err != nil {
		t.Fatal(err)
	}
	jobs, err := o.jobs(io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	urgent := 0
	for _, j := range jobs {
		if j.saves {
			t.Fatalf("%+v saves", j)
		}
		if j.urgent {
			urgent++
		}
	}
	if n := len(jobs); n < 500 || urgent < n/20 || urgent > n/6 { // a tenth
		t.Errorf("%d of %d jobs are urgent", urgent, n)
	}
}

// A host of two nodes: its ledger, how it is waited for, and what it is told to take.
func TestLedger(t *testing.T) {
	var mu sync.Mutex
	var taken []string
	looks := 0
	text := `{"nodes":[{"node":0,"partition":"hpc"},{"node":1,"partition":""},{"node":2,"partition":"htc"}]}`
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		if looks++; r.Method == http.MethodPost {
			body, _ := io.ReadAll(r.Body)
			if taken = append(taken, r.URL.Path+" "+string(body)); len(taken) == 1 {
				w.WriteHeader(http.StatusConflict)
			}
		}
		io.WriteString(w, text)
	}))
	defer host.Close()
	said := new(lines)
	p := &theatre{sharing: &sharing{o: &shareOptions{nodes: 2, minute: time.Second, reclaim: 1, every: 2 * time.Second, span: 6 * time.Second}, w: said}, out: &shared{},
		host: &process{name: "host", url: host.URL, log: new(lines)}, clock: clock.New(time.Now(), time.Minute)}
	p.host.log.Write([]byte("one\ntwo\n"))
	owner, err := p.ledger(t.Context())
	if err != nil || !slices.Equal(owner, []string{"hpc", ""}) {
		t.Errorf("%q, %v", owner, err)
	}
	if err := p.wait(t.Context(), time.Minute, func(owner []string) bool { return owner[0] == "hpc" }); err != nil || p.owner != nil {
		t.Errorf("%q, %v", p.owner, err)
	}
	asked := 0
	err = p.wait(t.Context(), 300*time.Millisecond, func([]string) bool { asked++; return false })
	if err == nil || !strings.HasPrefix(err.Error(), `the nodes are ["hpc" ""] after 300ms, not as they should be: `) || !strings.HasSuffix(err.Error(), "\nhost: two") || asked < 1 || !slices.Equal(p.owner, owner) {
		t.Errorf("%v, asked %d times, %q", err, asked, p.owner)
	}
	ended, stop := context.WithCancel(t.Context())
	stop()
	if err := p.wait(ended, time.Minute, func([]string) bool { return false }); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	p.reclaims(ended)
	if len(taken) > 0 {
		t.Errorf("%q", taken)
	}
	// At 2 and 4 s of the log, not at its end. What the host refuses is noted.
	p.clock = clock.New(time.Now(), time.Minute)
	p.reclaims(t.Context())
	if now := p.clock.Now(); !slices.Equal(taken, slices.Repeat([]string{`/Reclaim {"count":1,"partition":"hpc"}`}, 2)) || now < 4*time.Second || strings.Count(said.String(), "the host does not take 1 nodes: ") != 1 {
		t.Errorf("%q at %v, %s", taken, now, said)
	}
	// A node that goes from one partition to the other has moved; one that comes from nobody has not.
	slurm, dir := slurmSays(t, `{"jobs":[]}`, `{"nodes":[{"name":"n1","state":"idle"},{"name":"n2","state":"down"},{"name":"n3","state":"idle","state_flags":["DRAIN"]}]}`)
	p.slurm = []*slurmctl.Client{slurm, slurm} // both have n1
	watching, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { p.watch(watching); close(done) }()
	// seen waits until the host was asked twice more, so that what it says was seen.
	seen := func(next string) {
		mu.Lock()
		text, looks = next, 0
		mu.Unlock()
		for n := 0; n < 3; time.Sleep(5 * time.Millisecond) {
			mu.Lock()
			n = looks
			mu.Unlock()
		}
	}
	seen(text)
	seen(`{"nodes":[{"node":0,"partition":""},{"node":1,"partition":"htc"}]}`)
	seen(`{"nodes":[{"node":0,"partition":"htc"},{"node":1,"partition":"htc"}]}`)
	stop()
	<-done
	if p.out.moved != [2]int{0, 1} || len(p.out.twice) < 2 || !strings.HasPrefix(p.out.twice[0], "n1 is up in both clusters at ") {
		t.Errorf("%+v", p.out)
	}
	for _, twice := range p.out.twice {
		if !strings.HasPrefix(twice, "n1 ") {
			t.Error(twice)
		}
	}
	// Agents have drained all nodes when none is up.
	if err := os.WriteFile(filepath.Join(dir, "nodes"), []byte(`{"nodes":[{"name":"n2","state":"down"}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := p.drained(t.Context()); err != nil {
		t.Error(err)
	}
	os.Remove(filepath.Join(dir, "nodes"))
	if err := p.drained(t.Context()); err == nil || !strings.Contains(err.Error(), "sinfo") {
		t.Errorf("%v", err)
	}
	host.Close()
	if _, err := p.ledger(t.Context()); err == nil {
		t.Error("a host that is gone has a ledger")
	}
}

// A process that is to listen says where. One that does not is an error with its last words; one that is killed may
// start again.
func TestProcess(t *testing.T) {
	shell := func(text string) *process {
		return &process{name: "host", path: "/bin/sh", args: []string{"-c", text}, env: []string{"WORD=word"}, log: new(lines)}
	}
	p := shell("echo listening on http://$WORD; sleep 100")
	for range 2 {
		if err := p.start(true); err != nil || p.url != "http://word" || p.cmd == nil {
			t.Fatalf("%+v, %v", p, err)
		}
		own := p.cmd
		if p.kill(); p.cmd != nil || own.ProcessState == nil || own.ProcessState.Success() {
			t.Errorf("%+v", p)
		}
		p.kill() // once more
	}
	p = shell("echo one >&2; echo $WORD >&2; echo hello")
	if err := p.start(true); err == nil || !strings.HasPrefix(err.Error(), `host says "hello\n": want where it listens: `) {
		t.Errorf("%v", err)
	}
	if p.kill(); p.log.last() != "word" || p.log.String() != "one\nword\n" {
		t.Errorf("%q", p.log)
	}
	if err := shell("printf 'listening on x'").start(true); err == nil || !strings.Contains(err.Error(), "EOF") {
		t.Errorf("%v", err)
	}
	p = shell("exit 0")
	if err := p.start(false); err != nil || p.url != "" {
		t.Errorf("%v", err)
	}
	p.kill()
	p.path = "/no/such"
	for _, listens := range []bool{false, true} {
		if err := p.start(listens); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%v", err)
		}
	}
}

// By hand: a job of 2 nodes and 30 minutes, which loses a node. The host takes one at 10 minutes, with a grace period of 5;
// jobs are ended 3 s before its end, which is a minute and a half: after 13.5 minutes, on two nodes each. A job that
// saves is asked 1.1 s earlier still, and loses the save's minute and the rest, of some seconds. It looks each 7.5 s.
// The node comes again at once, and the job goes on.
func TestSimulatedLoss(t *testing.T) {
	const m = time.Minute
	for saves, want := range map[bool][2]time.Duration{false: {2*13*m + 40*time.Second, 2*13*m + 80*time.Second}, true: {2 * m, 2*m + 30*time.Second}} {
		o, err := parseShare(strings.Fields("-reclaim 1 -nodes 2 -every 10m -span 11m"))
		if err != nil {
			t.Fatal(err)
		}
		job := shareJob{Job: trace.Job{Nodes: 2, Run: 30 * m, Estimate: 30 * m}, saves: saves, urgent: saves}
		later := shareJob{Job: trace.Job{Nodes: 1, Run: m, Estimate: m, Submit: 2 * m}}
		s := &sharing{o: &o, jobs: []shareJob{later, job}, w: io.Discard}
		r, err := s.simulate(o.policy)
		if err != nil {
			t.Fatal(err)
		}
		if first, other := r.jobs[0], r.jobs[1]; first.start > 15*time.Second || first.end < 30*m || first.end > 46*m || other.start < 13*m || other.start > 14*m || other.end < other.start+m || other.end > other.start+m+10*time.Second {
			t.Errorf("%v to %v, and %v to %v", first.start, first.end, other.start, other.end)
		}
		if r.restarts != 1 || r.wasted < want[0] || r.wasted > want[1] || r.urgent != map[bool]time.Duration{true: r.wasted}[saves] || r.saves != map[bool]int{true: 1}[saves] {
			t.Errorf("saves %v: %+v, want %v wasted", saves, *r, want)
		}
	}
}

// What share tells others, by hand: where a minute takes 2 s, a grace period of 5 is 10 s, and 10 minutes are 20.
func TestShareOrders(t *testing.T) {
	o, err := parseShare(nil)
	if err != nil {
		t.Fatal(err)
	}
	want := "-minute 2s -policy exact -priority partition:urgent=10 -grace 10s -margin 3s -poll 250ms -scale -wait 2s -idle 20s -hold 20s -move 10s"
	if got := strings.Join(o.agentFlags(o.policy), " "); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	o.reclaim = 3
	if got := strings.Join(o.agentFlags(o.policy), " "); got != want+" -take 3 -least 8 -wait 0s" {
		t.Errorf("%s", got)
	}
	// Twice 3 hours are 12 minutes, 4 hours are 8; 5 jobs take 20 s, and all 2 minutes.
	if got := o.limit(5); got != 22*time.Minute+20*time.Second {
		t.Errorf("a limit of %v", got)
	}
	for _, c := range [][4]int{{8, 0, 0, 4}, {8, 1, 4, 8}, {5, 0, 0, 2}, {5, 1, 2, 5}} {
		if from, to := half(c[0], c[1]); from != c[2] || to != c[3] {
			t.Errorf("%v: nodes %d to %d", c, from, to)
		}
	}
	p := &theatre{sharing: &sharing{o: &o}, dir: "/d"}
	job := shareJob{Job: trace.Job{Run: 10 * time.Minute, Estimate: 15 * time.Minute}, saves: true, urgent: true}
	script, args := p.order(7, &job)
	if want := []string{"--comment=estimate=30s checkpoint=B:USR1 cost=2.1s savefile=/d/job.7.saved", "--partition=urgent", "--job-name=job7", "--requeue"}; !slices.Equal(args, want) {
		t.Errorf("%q, want %q", args, want)
	}
	for _, want := range []string{"base='/d/job.7'\n", "\nleft=2000\n", "\t\tsleep 2.00\n"} {
		if !strings.Contains(script, want) {
			t.Errorf("no %q in\n%s", want, script)
		}
	}
	job.saves, job.urgent, job.Estimate = false, false, 0
	if _, args = p.order(8, &job); args[0] != "--comment=estimate=33.333333ms" || args[1] != "--partition=main" {
		t.Errorf("%q", args)
	}
}

// A cluster is there when as many nodes are idle as it is to have.
func TestNodesComeUp(t *testing.T) {
	slurm, dir := slurmSays(t, "", `{"nodes":[{"name":"n1","state":"idle"},{"name":"n2","state":"down"}]}`)
	p := &theatre{slurm: []*slurmctl.Client{nil, slurm}}
	if err := p.up(t.Context(), 1, 1); err != nil {
		t.Error(err)
	}
	late, stop := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer stop()
	if err := p.up(late, 1, 2); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
	os.Remove(filepath.Join(dir, "nodes"))
	if err := p.up(t.Context(), 1, 1); err == nil {
		t.Error("a Slurm that does not answer is up")
	}
}

// As many processes are killed as -kill says, and all run in the end. One that does not start again is an error.
func TestKiller(t *testing.T) {
	said := new(lines)
	sleeper := func(name string) *process {
		p := &process{name: name, path: "/bin/sleep", args: []string{"100"}, log: new(lines)}
		if err := p.start(false); err != nil {
			t.Fatal(err)
		}
		return p
	}
	p := &theatre{sharing: &sharing{o: &shareOptions{minute: time.Second, kill: 4, span: 12 * time.Second, seed: 1}, w: said}, out: &shared{}, clock: clock.New(time.Now(), time.Minute),
		host: sleeper("host"), clients: []*process{sleeper("client hpc")}, agents: []*process{sleeper("agent hpc")}}
	all := []*process{p.host, p.clients[0], p.agents[0]}
	before := map[int]bool{}
	for _, x := range all {
		before[x.cmd.Process.Pid] = true
		defer x.kill()
	}
	failed := make(chan error, 1)
	p.killer(t.Context(), failed)
	if p.out.killed != 4 || len(failed) > 0 {
		t.Errorf("%d were killed, %d failed", p.out.killed, len(failed))
	}
	others := 0
	for _, x := range all {
		if x.cmd == nil || x.cmd.Process.Signal(syscall.Signal(0)) != nil {
			t.Errorf("%s does not run", x.name)
		} else if !before[x.cmd.Process.Pid] {
			others++
		}
	}
	// Each is away for at most twice a quarter of them.
	downs := regexp.MustCompile(`kills the (host|client hpc|agent hpc) for ([0-6])s\n`).FindAllString(said.String(), -1)
	if len(downs) != 4 || others == 0 || p.clock.Now() > time.Hour {
		t.Errorf("after %v: %s", p.clock.Now(), said)
	}
	p.o.kill, p.o.span = 1, time.Second
	for _, x := range all {
		x.path = "/no/such"
	}
	p.killer(t.Context(), failed)
	if err := <-failed; !errors.Is(err, os.ErrNotExist) || p.out.killed != 5 {
		t.Errorf("%v", err)
	}
	ended, stop := context.WithCancel(t.Context())
	stop()
	p.o.span = time.Hour
	if p.killer(ended, failed); p.out.killed != 5 {
		t.Error("it kills after the end")
	}
}
