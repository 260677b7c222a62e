package slurmctl

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// The forms of 22.05, as it was seen to write them, without what is not read.
const (
	jobs2205 = `{"meta":{"Slurm":{"release":"22.05.8"}},"errors":[],"jobs":[
{"job_id":7,"name":"b","user_id":1000,"job_state":"PENDING","state_reason":"Resources","node_count":2,"nodes":"","submit_time":1795200536,
 "start_time":1795204136,"eligible_time":1795200536,"end_time":1826736692,"time_limit":90,"priority":4294901755,"restart_cnt":0,"comment":"estimate=12m","qos":"high","partition":"main",
 "array_job_id":7,"array_task_string":"0-9:3,12%2","array_max_tasks":2},
{"job_id":4,"name":"a","user_id":0,"job_state":"COMPLETED","state_reason":"None","node_count":3,"nodes":"n[1-2],m","submit_time":1795200536,
 "start_time":1795200537,"eligible_time":1795200536,"end_time":1795200540,"time_limit":null,"priority":4294901756,"restart_cnt":1,"comment":"","partition":"main,other"},
{"job_id":5,"job_state":"RUNNING","nodes":"n3","submit_time":1795200536,"start_time":1795200537,"end_time":1826736537,"time_limit":4294967295,"priority":1,"array_job_id":3,"array_task_string":"","array_max_tasks":0}]}`
	// As 23.11 and later have them: numbers are objects, states lists.
	jobs2311 = `{"errors":[],"jobs":[
{"job_id":7,"name":"b","user_id":1000,"job_state":["PENDING"],"state_reason":"Resources","node_count":{"set":true,"infinite":false,"number":2},"nodes":"",
 "submit_time":{"set":true,"infinite":false,"number":1795200536},"start_time":{"set":true,"infinite":false,"number":1795204136},
 "eligible_time":{"set":true,"infinite":false,"number":1795200536},"end_time":{"set":false,"infinite":false,"number":0},
 "time_limit":{"set":true,"infinite":false,"number":90},"priority":{"set":true,"infinite":false,"number":4294901755},"restart_cnt":0,"comment":"estimate=12m","qos":"high","partition":"main",
 "array_job_id":{"set":true,"number":7},"array_task_string":"0-9:3,12%2","array_max_tasks":{"set":true,"number":2}},
{"job_id":4,"name":"a","user_id":0,"job_state":["COMPLETED"],"state_reason":"None","node_count":{"set":true,"number":3},"nodes":"n[1-2],m",
 "submit_time":{"set":true,"number":1795200536},"start_time":{"set":true,"number":1795200537},"eligible_time":{"set":true,"number":1795200536},
 "end_time":{"set":true,"number":1795200540},"time_limit":{"set":false,"infinite":true,"number":0},"priority":{"set":true,"number":4294901756},"restart_cnt":1,"partition":"main,other"},
{"job_id":5,"job_state":["RUNNING"],"nodes":"n3","submit_time":{"set":true,"number":1795200536},"start_time":{"set":true,"number":1795200537},
 "time_limit":{"set":true,"infinite":true,"number":0},"priority":{"set":true,"number":1},"array_job_id":{"set":true,"number":3}}]}`
)

func at(s int64) time.Time { return time.Unix(s, 0) }

func TestDecodeJobs(t *testing.T) {
	want := []Job{
		{ID: 4, Name: "a", State: "COMPLETED", Reason: "None", Nodes: 3, Names: []string{"n1", "n2", "m"}, Submit: at(1795200536), Start: at(1795200537),
			Eligible: at(1795200536), End: at(1795200540), Priority: 4294901756, Restarts: 1, Parts: []string{"main", "other"}, Tasks: 1},
		{ID: 5, User: -1, State: "RUNNING", Nodes: 1, Names: []string{"n3"}, Submit: at(1795200536), Start: at(1795200537), Priority: 1, Array: 3, Tasks: 1},
		{ID: 7, Name: "b", User: 1000, State: "PENDING", Reason: "Resources", Nodes: 2, Submit: at(1795200536), Eligible: at(1795200536),
			Limit: 90 * time.Minute, Priority: 4294901755, Comment: "estimate=12m", QOS: "high", Parts: []string{"main"}, Array: 7, Tasks: 5, AtOnce: 2},
	}
	for name, text := range map[string]string{"22.05": jobs2205, "23.11": jobs2311} {
		got, err := DecodeJobs([]byte(text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	if !want[2].Waits() || want[2].Holds() || !want[1].Holds() || want[0].Holds() || want[0].Waits() {
		t.Error("the states are not told apart")
	}
}

func TestDecodeNodes(t *testing.T) {
	want := []Node{
		{Name: "n1", State: "idle", CPUs: 1, Weight: 3, Parts: []string{"main"}},
		{Name: "n2", State: "mixed", Flags: []string{"DRAIN", "COMPLETING"}, Reason: "why", CPUs: 4, Busy: 2, Weight: 1, Parts: []string{"main"}},
		{Name: "n3", State: "down", Flags: []string{"NOT_RESPONDING"}, CPUs: 1, Weight: 1},
	}
	for name, text := range map[string]string{
		"22.05": `{"errors":[],"nodes":[
{"name":"n1","state":"idle","state_flags":[],"reason":"","cpus":1,"alloc_cpus":0,"weight":3,"partitions":["main"]},
{"name":"n2","state":"mixed","state_flags":["DRAIN","COMPLETING"],"reason":"why","cpus":4,"alloc_cpus":2,"weight":1,"partitions":["main"]},
{"name":"n3","state":"down","state_flags":["NOT_RESPONDING"],"cpus":1,"alloc_cpus":0,"weight":1,"partitions":[]}]}`,
		"23.11": `{"errors":[],"nodes":[
{"name":"n1","state":["IDLE"],"reason":"","cpus":1,"alloc_cpus":0,"weight":3,"partitions":["main"]},
{"name":"n2","state":["MIXED","DRAIN","COMPLETING"],"reason":"why","cpus":4,"alloc_cpus":2,"weight":1,"partitions":["main"]},
{"name":"n3","state":["DOWN","NOT_RESPONDING"],"cpus":1,"alloc_cpus":0,"weight":1,"partitions":[]}]}`,
	} {
		got, err := DecodeNodes([]byte(text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for i := range got {
			if len(got[i].Parts) == 0 {
				got[i].Parts = nil
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	if !want[0].Up() || want[0].Working() || want[1].Up() || !want[1].Working() || want[2].Up() {
		t.Error("the states are not told apart")
	}
}

func TestTasks(t *testing.T) {
	for list, want := range map[string]int{
		"7": 1, "0-9": 10, "0-9%3": 10, "1,3-7:2,9": 5, "0-4294967295": maxTasks, "0-3,8...": 5, "0-9,...": 11,
		"x": 0, "3-1": 0, "1-5:0": 0, "1,,2": 0, "-": 0,
	} {
		got, err := countTasks(list)
		if got != want || (err == nil) != (want > 0) {
			t.Errorf("%s: %d tasks, %v, want %d", list, got, err, want)
		}
	}
}

// The states and flags of nodes, and what they mean: a node whose job ends there works
// still, and one that does not answer is not up.
func TestNodeStates(t *testing.T) {
	for _, c := range []struct {
		n           Node
		up, working bool
	}{
		{Node{State: "idle"}, true, false},
		{Node{State: "idle", Flags: []string{"COMPLETING"}}, true, true},
		{Node{State: "idle", Flags: []string{"NOT_RESPONDING"}}, false, false},
		{Node{State: "idle", Flags: []string{"DRAIN"}}, false, false},
		{Node{State: "down", Flags: []string{"COMPLETING"}}, false, true},
		{Node{State: "allocated"}, true, true},
		{Node{State: "mixed", Flags: []string{"NOT_RESPONDING"}}, false, true},
		{Node{State: "idle", Busy: 1}, true, true},
		{Node{State: "idle", Flags: []string{"POWERING_UP"}}, false, false},
	} {
		if c.n.Up() != c.up || c.n.Working() != c.working {
			t.Errorf("%+v: up %v, working %v", c.n, c.n.Up(), c.n.Working())
		}
	}
}

// A limit that is not set, or is infinite, is none, in all forms.
func TestNoLimit(t *testing.T) {
	for _, limit := range []string{`null`, `4294967295`, `4294967294`, `{"set":false,"number":5}`, `{"set":true,"infinite":true,"number":5}`,
		`{"set":true,"number":4294967294}`} {
		jobs, err := DecodeJobs([]byte(`{"jobs":[{"job_id":1,"job_state":"PENDING","time_limit":` + limit + `}]}`))
		if err != nil || len(jobs) != 1 || jobs[0].Limit != 0 {
			t.Errorf("%s: %+v, %v", limit, jobs, err)
		}
	}
}

// What is not the commands' JSON is an error that says what is wrong.
func TestDecodeBad(t *testing.T) {
	for text, want := range map[string]string{
		``:                                   "unexpected end",
		`[]`:                                 "cannot unmarshal array",
		`{}`:                                 "no list of jobs",
		`{"jobs":[{"job_state":"RUNNING"}]}`: "no number",
		`{"jobs":[{"job_id":1}]}`:            "job 1 has no state",
		`{"jobs":[{"job_id":1,"job_state":[""]}]}`:                               "job 1 has no state",
		`{"jobs":[{"job_id":-1,"job_state":"RUNNING"}]}`:                         "a number of -1",
		`{"jobs":[{"job_id":1,"job_state":"RUNNING","nodes":"n[1-"}]}`:           "bracket",
		`{"jobs":[{"job_id":1,"job_state":"RUNNING","node_count":9999999}]}`:     "a number of nodes of 9999999",
		`{"jobs":[{"job_id":1,"job_state":"PENDING","array_task_string":"0-"}]}`: `the tasks "0-"`,
		`{"jobs":[{"job_id":1,"job_state":"RUNNING","start_time":1e300}]}`:       "out of range",
	} {
		if _, err := DecodeJobs([]byte(text)); !errors.Is(err, ErrJSON) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	for text, want := range map[string]string{
		`{}`:                        "no list of nodes",
		`{"nodes":[{}]}`:            `node 0, "", has no name`,
		`{"nodes":[{"name":"n1"}]}`: `node 0, "n1", has no state`,
		`{"nodes":[{"name":"n1","state":"idle","cpus":-4}]}`: "CPUs of -4",
	} {
		if _, err := DecodeNodes([]byte(text)); !errors.Is(err, ErrJSON) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	const told = `{"errors":[{"error":"Unable to contact slurm controller (connect failure)"}],"jobs":[],"nodes":[]}`
	if _, err := DecodeJobs([]byte(told)); err == nil || !strings.Contains(err.Error(), "Unable to contact") {
		t.Errorf("Slurm's own error: %v", err)
	}
	if _, err := DecodeNodes([]byte(told)); err == nil || !strings.Contains(err.Error(), "Unable to contact") {
		t.Errorf("Slurm's own error: %v", err)
	}
}

func TestExpand(t *testing.T) {
	for list, want := range map[string][]string{
		"":                   nil,
		"n1":                 {"n1"},
		"n1,n2":              {"n1", "n2"},
		"n[1-3,7]":           {"n1", "n2", "n3", "n7"},
		"n[008-010]-ib,head": {"n008-ib", "n009-ib", "n010-ib", "head"},
		"a[1],b[2]":          {"a1", "b2"},
	} {
		if got, err := Expand(list); err != nil || !cmp.Equal(got, want) {
			t.Errorf("%q: %v, %v", list, got, err)
		}
	}
	for _, list := range []string{",", "n[1", "n[]", "n[2-1]", "n[1-2]x[3]", "n]", "n[1-9999999]", "n[a]", "a,,b"} {
		if got, err := Expand(list); err == nil {
			t.Errorf("%q: %v", list, got)
		}
	}
}

func TestVersion(t *testing.T) {
	for text, ok := range map[string]bool{"slurm-wlm 22.05.8": true, "slurm 21.08.0-rc1": true, "slurm 20.11.9": false, "slurm 21.07.1": false, "slurm 24.05.1": true} {
		if err := CheckVersion(text); (err == nil) != ok || err != nil && !errors.Is(err, ErrVersion) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if err := CheckVersion("slurm"); err == nil || errors.Is(err, ErrVersion) {
		t.Errorf("a text without a version: %v", err)
	}
}

// fake puts commands in the path that print a text and exit with a status.
func fake(t *testing.T, commands map[string]string) {
	t.Helper()
	dir := t.TempDir()
	for name, script := range commands {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// A version without JSON is refused before anything else is asked of it.
func TestOld(t *testing.T) {
	fake(t, map[string]string{"squeue": "exit 9", "scontrol": "exit 9", "sinfo": `[ "$*" = --version ] && echo slurm 20.11.9`})
	_, err := New(context.Background(), "")
	if !errors.Is(err, ErrVersion) || !strings.Contains(err.Error(), "20.11") || !strings.Contains(err.Error(), "21.08") {
		t.Errorf("got %v", err)
	}
}

// A command that hangs is ended, and one that fails says why.
func TestRun(t *testing.T) {
	fake(t, map[string]string{"scontrol": `echo "slurm_update error: Invalid node name specified" >&2; exit 1`,
		"squeue": "sleep 60", "sinfo": `[ "$1" = --version ] && echo slurm 22.05.8 && exit; echo not JSON`})
	ctx := context.Background()
	c, err := New(ctx, "/some/slurm.conf")
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Drain(ctx, "n9", "why"); !errors.Is(err, ErrUnknownNode) || !strings.Contains(err.Error(), "n9") {
		t.Errorf("an unknown node: %v", err)
	}
	if _, err := c.Nodes(ctx); !errors.Is(err, ErrJSON) {
		t.Errorf("no JSON: %v", err)
	}
	c.Timeout = 50 * time.Millisecond
	begin := time.Now()
	if _, err := c.Jobs(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a command that hangs: %v", err)
	}
	if d := time.Since(begin); d > 10*time.Second {
		t.Errorf("it took %v", d)
	}
}

// A command does not outlive a program that is killed: what it asks for may come after what the
// next program asks for. The program is this test's own, with a file to say where it is.
func TestEndsWithTheProgram(t *testing.T) {
	const where = "PLIMSOLL_TEST_DIR"
	if dir := os.Getenv(where); dir != "" {
		c := &Client{Timeout: time.Minute, scontrol: filepath.Join(dir, "scontrol")}
		c.Down(context.Background(), "n1", "late")
		return
	}
	if runtime.GOOS != "linux" {
		t.Skip("only Linux ends a command with the program that started it")
	}
	dir := t.TempDir()
	script := "#!/bin/sh\necho began > " + dir + "/began\nsleep 1\necho late > " + dir + "/late\n"
	if err := os.WriteFile(filepath.Join(dir, "scontrol"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	program := exec.Command(os.Args[0], "-test.run=^TestEndsWithTheProgram$")
	program.Env = append(os.Environ(), where+"="+dir)
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	for begin := time.Now(); ; {
		if _, err := os.Stat(filepath.Join(dir, "began")); err == nil {
			break
		}
		if time.Since(begin) > time.Minute {
			t.Error("the command has not begun in a minute")
			break
		}
		time.Sleep(time.Millisecond)
	}
	program.Process.Kill()
	program.Wait()
	time.Sleep(1500 * time.Millisecond)
	if _, err := os.Stat(filepath.Join(dir, "late")); err == nil {
		t.Error("the command went on after its program was killed")
	}
}

// Where a command is absent, the error says how to get it.
func TestAbsent(t *testing.T) {
	_, err := Find("no-such-command-of-slurm")
	if !errors.Is(err, ErrAbsent) || !strings.Contains(err.Error(), "apt-get install slurm-wlm munge") {
		t.Errorf("got %v", err)
	}
}

func FuzzDecodeJobs(f *testing.F) {
	f.Add([]byte(jobs2205))
	f.Add([]byte(jobs2311))
	f.Add([]byte(`{"jobs":[{"job_id":{"set":true,"number":1e9},"job_state":[],"nodes":"n[1-3]"}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		jobs, err := DecodeJobs(text)
		if err != nil {
			return
		}
		for i, j := range jobs {
			if j.ID < 1 || j.Nodes < 1 || j.Nodes < len(j.Names) || j.State == "" || j.Limit < 0 || i > 0 && j.ID < jobs[i-1].ID {
				t.Errorf("%+v", j)
			}
		}
	})
}

func FuzzDecodeNodes(f *testing.F) {
	f.Add([]byte(`{"nodes":[{"name":"n1","state":"idle","state_flags":["DRAIN"],"cpus":1}]}`))
	f.Add([]byte(`{"nodes":[{"name":"n1","state":["IDLE","DRAIN"],"cpus":{"set":true,"number":4}}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		nodes, err := DecodeNodes(text)
		if err != nil {
			return
		}
		for _, n := range nodes {
			if n.Name == "" || n.CPUs < 0 || n.Busy < 0 || n.Weight < 0 {
				t.Errorf("%+v", n)
			}
		}
	})
}

func FuzzExpand(f *testing.F) {
	for _, s := range []string{"n[1-3,07],login", "a", "n[1-2]x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, list string) {
		names, err := Expand(list)
		if err == nil && list != "" && len(names) == 0 {
			t.Errorf("%q is no name", list)
		}
		for _, n := range names {
			if n == "" {
				t.Errorf("%q has a name that is empty", list)
			}
		}
	})
}

// Slurm that is installed, and not configured, is told from one that is absent or fails.
func TestNotConfigured(t *testing.T) {
	dir := t.TempDir()
	for _, said := range []string{"sinfo: fatal: Could not establish a configuration source", "sinfo: fatal: Unable to process configuration file",
		"something else"} {
		for _, name := range []string{"squeue", "sinfo", "scontrol"} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\necho '"+said+"' >&2; exit 1\n"), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		t.Setenv("PATH", dir)
		_, err := New(context.Background(), "")
		if err == nil || errors.Is(err, ErrConf) != (said != "something else") || !strings.Contains(err.Error(), said) {
			t.Errorf("%s: %v", said, err)
		}
	}
}
