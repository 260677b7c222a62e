//go:build unix

package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/examples/internal/programtest"
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
	cmd := programtest.Command("share", "-parttime", parttime, "-nodes", "6", "-span", "15m", "-longest", "12m", "-seed", "5", "-minute", "500ms", "-grace", "13m", "-kill", "3", "-json")
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

// What jobs note is read: job 0 is ended on n1 after 20 s of which 12 are saved, and goes on; job 1
// of the other cluster begins on n1 while job 0 runs there, which is one place too many; job 2 is
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
