//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/examples/internal/programtest"
	"github.com/plimsoll/plimsoll/examples/internal/progress"
	"github.com/plimsoll/plimsoll/examples/internal/provider"
	"github.com/plimsoll/plimsoll/examples/services/slurm/internal/manager"
	"github.com/plimsoll/plimsoll/examples/services/slurm/internal/replay"
	"github.com/plimsoll/plimsoll/examples/services/slurm/internal/slurmctl"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule/trace"
)

// What is compared with the simulator runs before the other tests with Slurm, whose load is a delay,
// too: the demonstration, and beside it jobs under a policy.
func TestSimulated(t *testing.T) {
	long(t)
	for name, test := range map[string]func(*testing.T){"demo": demoAgrees, "policy": func(t *testing.T) { playPolicy(t, "od++", 12) }} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t)
		})
	}
}

// On a real Slurm every job of the demonstration completes, and capacity follows the queue.
// Instances go at the end of a paid hour and not before. Waits and charged hours are the
// simulator's within the tolerance that compare derives, for 50 jobs: of fewer, delays that come together
// are too much of the whole.
//
// The tolerance is a statement about a run whose delays are random. Say that the delays of
// the 400 simulations are like those of the run. Then a figure of the run is farther from
// the mean than all 400 simulated figures in 1 of 401 cases. One of the two figures is so in
// at most 1 of 200 cases. A test that fails so often is of no use. So another run is made,
// and only two in a row fail: at most 1 in 40 000. A run in which slurmd removes a job's
// script is made again, too (lostScript). All else holds for each run, or the test fails at
// once.
func demoAgrees(t *testing.T) {
	real(t)
	// Checks are 0.8 s apart: a busy machine misses none.
	args := []string{"-hour", "6s", "-release-every", "8m"}
	o, err := parseDemo(args)
	if err != nil {
		t.Fatal(err)
	}
	jobs, err := o.makeJobs()
	if err != nil {
		t.Fatal(err)
	}
	differ := false
	for try := 1; ; try++ {
		waits, hours, err := checkDemo(t, &o, jobs)
		switch {
		case errors.Is(err, errScript) && try < 3:
			t.Log(err)
			continue
		case err != nil:
			t.Fatal(err)
		case t.Failed() || waits && hours:
			return
		case differ:
			t.Errorf("two runs in a row differ from the simulator; waits within the tolerance: %v; hours: %v", waits, hours)
			return
		}
		differ = true
		t.Logf("another run: waits within the tolerance: %v; hours: %v", waits, hours)
	}
}

// checkDemo plays the demonstration, checks all that holds for each run, and returns
// whether its waits and hours agree with the simulator's.
func checkDemo(t *testing.T, o *demoOptions, jobs []trace.Job) (waits, hours bool, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), stageLimit)
	defer cancel()
	var told strings.Builder
	out, err := play(ctx, o, jobs, &screen{w: &told, line: progress.New(io.Discard), prices: o.manager.Prices})
	if errors.Is(err, slurmctl.ErrAbsent) || errors.Is(err, slurmctl.ErrVersion) {
		t.Skip(err)
	}
	if err != nil {
		return false, false, fmt.Errorf("%w\n%s", err, told.String())
	}
	defer func() {
		if t.Failed() {
			t.Log(told.String())
		}
	}()
	c, err := compare(o, out)
	if err != nil {
		t.Fatal(err)
	}
	var text, rows bytes.Buffer
	if err := errors.Join(c.write(&text), c.writeJSON(&rows)); err != nil {
		t.Fatal(err)
	}
	t.Log(text.String())
	t.Logf("the manager's longest look took %v", out.look)

	// Every job has run once (Read would have failed otherwise), for as long as it was to.
	if out.states["COMPLETED"] != o.jobs || len(out.runs) != o.jobs {
		t.Errorf("jobs ended as %v", out.states)
	}
	for i := range out.runs {
		if r := &out.runs[i]; r.End-r.Start < r.Run || r.Start < r.Submit || len(r.Names) != r.Nodes {
			t.Errorf("job %d ran from %v to %v on %v; it was to take %v on %d nodes from %v on", i, r.Start, r.End, r.Names, r.Run, r.Nodes, r.Submit)
		}
	}
	if out.bill != out.provider || out.bill.Leases == 0 {
		t.Errorf("the journal's bill is %+v, the provider's %+v", out.bill, out.provider)
	}
	sum := 0
	for _, n := range out.hours {
		sum += n
	}
	if time.Duration(sum)*time.Hour != out.bill.Charged {
		t.Errorf("%d hours one by one, and the bill is %+v", sum, out.bill)
	}
	// What follows is about a manager that misses no check, and about delays that do not come together.
	if every := scaled(o.manager.ReleaseEvery, o.manager.Hour); out.look > every/2 {
		t.Skipf("this machine is too busy to compare: a look at Slurm took %v, and release checks are %v apart", out.look, every)
	}
	// The journal has each job as Slurm has it: one user, whose use is that of the jobs to the
	// second in which Slurm counts, and who pays all.
	if u := out.users.Accounts; len(u) != 1 || u[0].User != os.Getuid() || u[0].Jobs != o.jobs || u[0].Pays <= 0 || u[0].Pays > out.bill.Cost {
		t.Errorf("users %+v", u)
	} else if second := scaledUp(time.Second, o.manager.Hour).Hours(); math.Abs(u[0].Hours-c.used) > 2*float64(o.jobs)*2*second {
		t.Errorf("the journal has %.1f used hours, and the jobs %.1f", u[0].Hours, c.used)
	}
	checkFollows(t, o, out)
	checkReleases(t, o, out)

	waits, hours = c.agrees()
	// The tolerance says something: jobs that each rent their own would be charged for
	// more.
	var alone float64
	for i := range out.runs {
		alone += float64(out.runs[i].Nodes) * o.manager.Meter.Charged(c.boots.Of(out.runs[i].Nodes)+out.runs[i].Run).Hours()
	}
	if most := c.hours.mean + c.hours.tolerance(); most >= alone {
		t.Errorf("up to %.0f hours are in the tolerance, and %.0f are charged without sharing", most, alone)
	}
	bought := 0
	for _, e := range out.weeks {
		for _, b := range e.Bought {
			bought += b.Count
		}
	}
	if bought == 0 || len(out.weeks) < 2 || !strings.Contains(told.String(), " h  bought   ") {
		t.Errorf("%d periods ended, and %d reservations were bought", len(out.weeks), bought)
	}
	var machine []map[string]any
	if err := json.Unmarshal(rows.Bytes(), &machine); err != nil || len(machine) != 3 || machine[0]["completed"] != float64(o.jobs) ||
		machine[0]["charged_hours"] != out.bill.Charged.Hours() || machine[0]["waits_agree"] != waits || machine[0]["hours_agree"] != hours {
		t.Errorf("%v: %s", err, rows.String())
	}
	return waits, hours, nil
}

// checkFollows checks that capacity follows the queue: instances are asked for while jobs
// wait, those that leave have no job, and between two waves of jobs the cluster shrinks and
// grows again.
func checkFollows(t *testing.T, o *demoOptions, out *outcome) {
	t.Helper()
	look := scaledUp(out.look, o.manager.Hour) // a job may start while what it needs is written down
	for _, l := range out.leases.All {
		if !slices.ContainsFunc(out.runs, func(r replay.Run) bool { return r.Submit <= l.Asked && l.Asked <= r.Start+look }) {
			t.Errorf("%s was asked for at %v, when no job waited", l.Node, l.Asked)
		}
		for i := range out.runs {
			if r := &out.runs[i]; slices.Contains(r.Names, l.Node) && r.Start < l.Ended && r.End > l.Leaves && l.Leaves >= 0 && r.End > l.Created {
				t.Errorf("job %d ran on %s from %v to %v, which was given back at %v", i, l.Node, r.Start, r.End, l.Leaves)
			}
		}
	}
	last := out.runs[len(out.runs)-1].Submit
	shrinks, grows := false, false
	for _, l := range out.leases.All {
		if l.Ended < last {
			shrinks = true
			for _, x := range out.leases.All {
				grows = grows || x.Asked > l.Ended
			}
		}
		if l.Ended < 0 {
			t.Errorf("%s is rented still", l.Node)
		}
	}
	if !shrinks || !grows {
		t.Errorf("it shrinks between jobs: %v; and grows again: %v", shrinks, grows)
	}
}

// checkReleases checks that each instance leaves at the last release check before its
// next charge: that of time t takes those that are charged before t + ReleaseEvery + Lead,
// and not before t + Lead. It is gone before the charge unless giving it back took longer
// than Lead.
func checkReleases(t *testing.T, o *demoOptions, out *outcome) {
	t.Helper()
	m := &o.manager
	late := 0
	var took []time.Duration
	for _, l := range out.leases.All {
		if l.Leaves < 0 || l.Left < 0 {
			t.Errorf("%s left at %v, not since its hour ended", l.Node, l.Leaves)
			continue
		}
		due := o.due(l)
		decided := due - l.Left
		if l.Left > m.ReleaseEvery+m.Lead+time.Second || l.Left < m.Lead-time.Second || l.Leaves < decided-time.Second {
			t.Errorf("%s left at %v, %v before its hour ended, decided at %v: want %v to %v", l.Node, l.Leaves, l.Left, decided, m.Lead, m.ReleaseEvery+m.Lead)
		}
		took = append(took, l.Ended-decided)
		if l.Ended > due {
			late++
			if l.Ended-decided <= m.Lead {
				t.Errorf("%s was gone too late, at %v, although giving back took no more than %v", l.Node, l.Ended, m.Lead)
			}
		}
	}
	slices.Sort(took)
	t.Logf("giving back took %v in the middle, %v at most; %d of %d were too late", scaled(took[len(took)/2], m.Hour), scaled(took[len(took)-1], m.Hour), late, len(took))
}

// A demonstration that is interrupted or killed leaves nothing: no process, and no file. TestUnknownNode
// sends the third signal, SIGTERM.
func TestDemoInterrupted(t *testing.T) {
	t.Parallel()
	demoInterrupted(t)
}

func demoInterrupted(t *testing.T) {
	real(t)
	for _, c := range []struct {
		signal syscall.Signal
		status int
	}{{syscall.SIGINT, 130}, {syscall.SIGKILL, -1}} {
		t.Run(c.signal.String(), func(t *testing.T) {
			t.Parallel()
			dir, err := os.MkdirTemp("", "plimsoll-demo-")
			if err != nil {
				t.Fatal(err)
			}
			defer os.RemoveAll(dir)
			if err := os.Chmod(dir, 0o755); err != nil { // munged has a user of its own
				t.Fatal(err)
			}
			cmd := programtest.Command("demo", "-hour", "4s")
			cmd.Env = append(cmd.Env, "TMPDIR="+dir)
			said, err := os.Create(filepath.Join(t.TempDir(), "said"))
			if err != nil {
				t.Fatal(err)
			}
			defer said.Close()
			cmd.Stderr = said
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			ended := make(chan error, 1)
			go func() { ended <- cmd.Wait() }()
			text := func() string {
				b, _ := os.ReadFile(said.Name())
				return string(b)
			}
			// Jobs have come, instances boot, and the first job runs.
			for deadline := time.Now().Add(stageLimit); !strings.Contains(text(), " n5 "); {
				select {
				case <-ended:
					if strings.Contains(text(), slurmctl.ErrAbsent.Error()) || strings.Contains(text(), slurmctl.ErrVersion.Error()) {
						t.Skip(text())
					}
					t.Fatal(text())
				case <-time.After(20 * time.Millisecond):
				}
				if time.Now().After(deadline) {
					cmd.Process.Kill()
					t.Fatal(text())
				}
			}
			if n := marked(dir); n < 3 {
				t.Errorf("%d processes of the cluster: want slurmctld, munged and instances", n)
			}
			if err := cmd.Process.Signal(c.signal); err != nil {
				t.Fatal(err)
			}
			<-ended
			if got := cmd.ProcessState.ExitCode(); got != c.status {
				t.Errorf("exit status %d, want %d: %s", got, c.status, text())
			}
			if c.status >= 0 && !strings.HasSuffix(text(), "slurm: interrupted; nothing is left behind\n") {
				t.Errorf("it said %s", text())
			}
			// What a guard does comes after the end, and so may the end of a process that was killed.
			var files []os.DirEntry
			for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
				files, _ = os.ReadDir(dir)
				if len(files) == 0 && marked(dir) == 0 {
					return
				}
			}
			t.Errorf("%d files and %d processes are left", len(files), marked(dir))
		})
	}
}

// marked returns how many processes there are of a cluster in a folder: by their environment, or
// by what they have open, since slurmstepd writes over its environment.
func marked(dir string) int {
	n := 0
	all, _ := filepath.Glob("/proc/[0-9]*")
	for _, p := range all {
		if text, err := os.ReadFile(filepath.Join(p, "environ")); err == nil && strings.Contains(string(text), "SLURM_CONF="+dir+"/") {
			n++
			continue
		}
		files, _ := filepath.Glob(filepath.Join(p, "fd", "*"))
		if slices.ContainsFunc(files, func(f string) bool {
			to, err := os.Readlink(f)
			return err == nil && strings.HasPrefix(to, dir+"/")
		}) {
			n++
		}
	}
	return n
}

// A job whose script slurmd has removed is told from one that has failed.
func TestLostScript(t *testing.T) {
	dir := t.TempDir()
	log := "[2026-11-20T20:52:50.654] _handle_stray_script: Purging vestigial job script /x/spool/n2/job00017/slurm_script\n"
	if err := errors.Join(os.WriteFile(filepath.Join(dir, "slurmd.n1.log"), nil, 0o600), os.WriteFile(filepath.Join(dir, "slurmd.n2.log"), []byte(log), 0o600)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		job  slurmctl.Job
		lost bool
	}{
		{slurmctl.Job{ID: 17, State: "FAILED", Names: []string{"n2"}}, true},
		{slurmctl.Job{ID: 17, State: "COMPLETED", Names: []string{"n2"}}, false},
		{slurmctl.Job{ID: 17, State: "FAILED", Names: []string{"n1"}}, false},
		{slurmctl.Job{ID: 7, State: "FAILED", Names: []string{"n2"}}, false},
		{slurmctl.Job{ID: 17, State: "FAILED"}, false},
	} {
		if err := lostScript(dir, []slurmctl.Job{c.job}); errors.Is(err, errScript) != c.lost || (err != nil) != c.lost {
			t.Errorf("%+v: %v", c.job, err)
		}
	}
}

// The user's mistakes are told in one sentence, and nothing is started.
func TestDemoMistakes(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	mistake := func(want string, args ...string) {
		t.Helper()
		status, stdout, stderr := runSlurm(append([]string{"demo"}, args...)...)
		if status != 2 || stdout != "" || !strings.Contains(stderr, want) || !strings.Contains(stderr, "slurm: demo: ") {
			t.Errorf("%v: status %d, %s", args, status, stderr)
		}
		if files, _ := os.ReadDir(dir); len(files) > 0 {
			t.Errorf("%v: left %v", args, files)
		}
	}
	mistake("-frob", "-frob")
	mistake(`"more" is not a flag`, "more")
	mistake("-nodes 0: want 1 to 64", "-nodes", "0")
	mistake("-hour 1ms: want 1s to 1h", "-hour", "1ms")
	mistake("-release-every 1m0s takes 16.", "-release-every", "1m", "-hour", "1s")
	mistake("-jobs 0: want 1 to 10000", "-jobs", "0")
	mistake("nodes, and the partition has 2: want -nodes 8 or more", "-nodes", "2")
	mistake("placement random: want one that is an order", "-placement", "random")
	mistake("a negative time", "-period", "-1")
	mistake("a negative time", "-boot", "-1m")
	// A machine without Slurm, and one with an old version.
	if _, err := slurmctl.Find("slurmctld"); err != nil {
		mistake("apt-get install slurm-wlm munge")
	}
	bin := t.TempDir()
	t.Setenv("PATH", bin)
	for name, script := range map[string]string{"munged": "exit 9", "slurmctld": "echo slurm 20.11.9", "slurmd": "exit 9", "sbatch": "exit 9"} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	mistake("this version of Slurm is too old: 20.11; squeue --json needs 21.08 or later")
}

// slurmSays puts a Slurm into PATH that has jobs and nodes, in JSON, and returns its client. The file
// scontrol in its folder has what was asked of it. An empty text makes a command fail.
func slurmSays(t *testing.T, jobs, nodes string) (*slurmctl.Client, string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"squeue":   "echo >" + dir + "/squeue.asked; [ -s " + dir + "/jobs ] && exec cat " + dir + "/jobs; exit 1",
		"sinfo":    "[ $1 = --version ] && exec echo slurm 22.05.8; [ -s " + dir + "/nodes ] && exec cat " + dir + "/nodes; exit 1",
		"scontrol": `echo "$@" >>` + dir + "/scontrol.says",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.WriteFile(filepath.Join(dir, "jobs"), []byte(jobs), 0o600), os.WriteFile(filepath.Join(dir, "nodes"), []byte(nodes), 0o600)); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	c, err := slurmctl.New(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	return c, dir
}

// untilAsked returns a context that ends once squeue of the Slurm in dir was asked for the jobs.
func untilAsked(t *testing.T, dir string) context.Context {
	t.Helper()
	asked := filepath.Join(dir, "squeue.asked")
	os.Remove(asked)
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(stop)
	go func() {
		for ctx.Err() == nil {
			if _, err := os.Stat(asked); err == nil {
				stop()
			}
			time.Sleep(5 * time.Millisecond)
		}
	}()
	return ctx
}

// oneJob is what squeue says of one job on n1.
func oneJob(id int, state string) string {
	return fmt.Sprintf(`{"jobs":[{"job_id":%d,"user_id":7,"job_state":%q,"node_count":1,"nodes":"n1","submit_time":1,"start_time":2,"end_time":3}]}`, id, state)
}

// A demonstration ends when a job has ended and not completed, and says which; jobs that wait, run or
// are completed are none of those.
func TestUnrun(t *testing.T) {
	for state, want := range map[string]string{"PENDING": "<nil>", "RUNNING": "<nil>", "COMPLETED": "<nil>", "TIMEOUT": "job 17 did not complete: TIMEOUT",
		"FAILED": "slurmd has removed the script of a job that it was about to start: job 17 on n1", "": "squeue --json: exit status 1"} {
		text := oneJob(17, state)
		if state == "" {
			text = ""
		}
		slurm, dir := slurmSays(t, text, "")
		if err := os.WriteFile(filepath.Join(dir, "slurmd.n1.log"), []byte("x: Purging vestigial job script /x/n1/job00017/slurm_script\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(unrun(t.Context(), slurm, dir)); got != want {
			t.Errorf("%q: %s, want %s", state, got, want)
		}
	}
	if err := lostScript(t.TempDir(), []slurmctl.Job{{ID: 1, State: "FAILED", Names: []string{"n1"}}}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no log: %v", err)
	}
}

// In the end Slurm and the provider are asked what became of everything. A job that Slurm does not list is an error,
// as is a Slurm that does not answer.
func TestSettle(t *testing.T) {
	slurm, dir := slurmSays(t, oneJob(17, "COMPLETED"), "")
	o, err := parseDemo(nil)
	if err != nil {
		t.Fatal(err)
	}
	m, err := manager.Open(writeJournal(t), slurm, nil, func() manager.Options { x := o.manager; x.Hour = time.Hour; return x }())
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	folder := t.TempDir()
	p := &provider.Local{Dir: folder}
	// One of two hours, whose end the provider knows.
	ended := fmt.Sprintf(`{"id":"x","token":"x","node":"n1","created":%q,"ended":%q}`, m.Clock().Origin().Format(time.RFC3339), m.Clock().Origin().Add(90*time.Minute).Format(time.RFC3339))
	if err := os.WriteFile(filepath.Join(folder, "x.instance"), []byte(ended), 0o600); err != nil {
		t.Fatal(err)
	}
	settle := func(id int64) (*outcome, error) {
		out := &outcome{runs: []replay.Run{{Slurm: id}}, states: map[string]int{}}
		return out, out.settle(t.Context(), m, slurm, p, &o.manager)
	}
	out, err := settle(17)
	if err != nil || out.states["COMPLETED"] != 1 || !slices.Equal(out.runs[0].Names, []string{"n1"}) || out.bill.Leases != 2 || len(out.hours) < 1 || out.hours[0] != 2 || out.provider.Leases != 1 || out.provider.Charged != 2*time.Hour {
		t.Errorf("%+v, %v", out, err)
	}
	if len(out.users.Accounts) != 0 {
		t.Errorf("%+v", out.users)
	}
	if _, err := settle(18); fmt.Sprint(err) != "job 18 is not in Slurm's list any more" {
		t.Errorf("%v", err)
	}
	if p.Dir = filepath.Join(folder, "file"); os.WriteFile(p.Dir, nil, 0o600) != nil {
		t.Fatal("no file")
	}
	if _, err := settle(17); !errors.Is(err, syscall.ENOTDIR) {
		t.Errorf("%v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "jobs"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := settle(17); err == nil || !strings.Contains(err.Error(), "squeue") {
		t.Errorf("%v", err)
	}
}

// The manager's longest look at Slurm is from one of its questions to the next.
func TestLooks(t *testing.T) {
	slurm, _ := slurmSays(t, oneJob(1, "RUNNING"), "")
	l := looks{Client: slurm}
	for i, pause := range []time.Duration{0, 60 * time.Millisecond, 0} {
		time.Sleep(pause)
		before := l.longest
		if jobs, err := l.Jobs(t.Context()); err != nil || len(jobs) != 1 {
			t.Fatalf("%v, %v", jobs, err)
		}
		if i == 0 && l.longest != 0 || i == 1 && l.longest < pause || i == 2 && l.longest < before {
			t.Errorf("look %d: %v", i, l.longest)
		}
	}
}

// Entries of the journal are what an outcome has of them.
func TestSee(t *testing.T) {
	out := &outcome{leases: &replay.Leases{}, promoted: map[int64]bool{}}
	for _, e := range []manager.Entry{{Kind: manager.Promoted, Job: 5}, {Kind: manager.Week, At: 7}, {Kind: manager.Failed}, {Kind: manager.Failed}, {Kind: manager.Asking, Token: "a", Node: "n1", Job: 6}} {
		out.see(&e)
	}
	if len(out.promoted) != 1 || !out.promoted[5] || len(out.weeks) != 1 || out.weeks[0].At != 7 || out.failures != 2 || len(out.leases.All) != 1 {
		t.Errorf("%+v", out)
	}
}

// Decisions are told as they are made: those of one request in one line, when the next thing comes; what came of
// them is in the line that changes.
func TestScreen(t *testing.T) {
	var b, below bytes.Buffer
	s := &screen{w: &b, line: progress.On(&below, 100), prices: dayPrices()}
	ask := func(node string, job int64, why string) {
		s.entry(&manager.Entry{Kind: manager.Asking, At: 90 * time.Minute, Node: node, Job: job, Reason: why})
	}
	ask("n1", 3, "wait")
	ask("n2", 3, "wait")
	ask("n3", 3, "more")
	ask("n4", 4, "more")
	for _, kind := range []manager.Kind{manager.Rented, manager.Up, manager.Gone, manager.Ran} {
		s.entry(&manager.Entry{Kind: kind, Node: "n9"})
	}
	s.entry(&manager.Entry{Kind: manager.Week, At: 2 * time.Hour, Demand: []int{1, 2}})
	s.entry(&manager.Entry{Kind: manager.Week, At: 4 * time.Hour, Demand: []int{3}, Bought: []pricing.Purchase{{Slot: 4, Count: 2}}})
	s.entry(&manager.Entry{Kind: manager.Leaving, At: 5 * time.Hour, Node: "n1", Reason: "idle"})
	ask("n5", 4, "more")
	s.status(90*time.Minute, &manager.Status{Waiting: 2, WaitingNodes: 5, Busy: 3, Idle: 1, Booting: 2, Leaves: 1}, 4, 9, &provider.Bill{Charged: 6 * time.Hour, Cost: 14400 * pricing.Milli})
	if !strings.Contains(below.String(), " 1.50 h  4 of 9 jobs done, 2 wait for 5 nodes  ███░··-  6 h, $14.40") {
		t.Errorf("the line is %q", below.String())
	}
	below.Reset()
	s.note("a %s", "note")
	if below.Len() == 0 {
		t.Error("the line stays below a note")
	}
	if s.asked.Kind != "" {
		t.Errorf("%+v is shown again", s.asked)
	}
	want := "      1.50 h  asking   n1 n2 job 3: wait\n      1.50 h  asking   n3 job 3: more\n      1.50 h  asking   n4 job 4: more\n" +
		"      2.00 h  bought   nothing, after hours of 1 2 instances\n      4.00 h  bought   2 of " + dayPrices().Classes[0].Name + ", after hours of 3 instances\n" +
		"      5.00 h  leaving  n1: idle\n      1.50 h  asking   n5 job 4: more\na note\n"
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
}

// The largest job may need all nodes, and none more; fees of a year are those of a day.
func TestDemoJobs(t *testing.T) {
	o, err := parseDemo(nil)
	if err != nil {
		t.Fatal(err)
	}
	jobs, err := o.makeJobs()
	if err != nil || len(jobs) != 50 {
		t.Fatalf("%d jobs, %v", len(jobs), err)
	}
	most := 0
	for i := range jobs {
		most = max(most, jobs[i].Nodes)
	}
	if o.nodes = most; most > replay.Largest {
		t.Errorf("a job of %d nodes", most)
	}
	if _, err := o.makeJobs(); err != nil {
		t.Error(err)
	}
	o.nodes--
	if _, err := o.makeJobs(); err == nil || !strings.Contains(err.Error(), fmt.Sprintf(" needs %d nodes, and the partition has %d: want -nodes 8 or more", most, most-1)) {
		t.Errorf("%v", err)
	}
	day, year := dayPrices(), pricing.CC28XLarge2013()
	if day.OnDemand != year.OnDemand || len(day.Classes) == 0 {
		t.Errorf("%+v", day)
	}
	for _, c := range day.Classes {
		i := slices.IndexFunc(year.Classes, func(y pricing.Class) bool { return y.Name == "1y-"+strings.TrimPrefix(c.Name, "1d-") })
		if i < 0 || c.Upfront != year.Classes[i].Upfront/365 || c.Hourly != year.Classes[i].Hourly {
			t.Errorf("%+v", c)
		}
	}
}
