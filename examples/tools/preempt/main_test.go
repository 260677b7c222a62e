package main

import (
	"encoding/json"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/plimsoll/plimsoll/examples/internal/preemptions"
	"github.com/plimsoll/plimsoll/examples/internal/programtest"
	"github.com/plimsoll/plimsoll/examples/internal/shared"
)

// tested is run in the process of the tests. Its golden files are renewed by
// go test ./examples/tools/preempt -update.
var tested = programtest.Program{Name: "preempt", Run: program.Run}

func TestMain(m *testing.M) { programtest.Main(m, main) }

var small = programtest.SixJobs

var busy = programtest.TwelveJobs

// The default fits a screen.
func TestGolden(t *testing.T) {
	stdout, notes := tested.Must(t)
	programtest.Golden(t, "default.txt", stdout)
	programtest.Golden(t, "default-notes.txt", notes)
	programtest.Narrow(t, stdout, 80)
	if n := strings.Count(stdout, "\n"); n > 40 {
		t.Errorf("%d lines", n)
	}
	path := programtest.Write(t, "log", small)
	args := []string{"-trace", path, "-nodes", "4", "-take", "2", "-grace", "0,20s", "-json", "-important", "queue=3", "-step", "30s"}
	stdout, _ = tested.Must(t, args...)
	programtest.Golden(t, "small-json.txt", strings.ReplaceAll(stdout, path, "small.swf"))
	if again, _ := tested.Must(t, args...); again != stdout {
		t.Error("the same seed gives another result")
	}
	if other, _ := tested.Must(t, append(args, "-seed", "5")...); other == stdout {
		t.Error("another seed gives the same result")
	}
}

// What the program writes about a small log, whole, with its notes.
func TestTexts(t *testing.T) {
	path := programtest.Write(t, "busy.swf", busy)
	for name, args := range map[string]string{
		"all":              "-important queue=3 -grace 0,20s,2m,1h -step 30s",
		"overrun":          "-important top=20% -overrun 3 -grace 1m,2m,30m",
		"saves":            "-important random=30% -save-every 10m -grace 1m",
		"saves-on-request": "-important queue=3 -save-cost 30s -grace 0,1m,10m -policy lifo,exact,greedy",
		"both-saves":       "-important queue=3 -save-every 10m -save-cost 1m -grace 1m,10m -policy pap+,exact+",
		"sample":           "-sample 8 -longest 1h30m -seed 4 -policy survival,corrected,requested -grace 2m",
		"none-important":   "-important top=0% -grace 2m -policy pap+,greedy",
		"limits-alone":     "-important top=0% -grace 1m,2m -policy greedy,exact",
		"many-graces":      "-important top=0% -grace 1m,10m..60m,2h -policy lifo",
	} {
		t.Run(name, func(t *testing.T) {
			stdout, stderr := tested.Must(t, append([]string{"-trace", path, "-nodes", "5", "-take", "2"}, strings.Fields(args)...)...)
			programtest.Narrow(t, stdout, 80)
			programtest.Golden(t, name+".txt", strings.ReplaceAll(stdout+"Notes:\n"+stderr, filepath.Dir(path)+"/", ""))
		})
	}
}

func TestHelp(t *testing.T) {
	var words []string
	for k := range preemptions.Kinds {
		words = append(words, "\n                         "+k.String()+" ")
	}
	tested.Help(t, program.FlagNames(), words...)
	o, err := program.Options()
	if want := []time.Duration{2 * time.Minute, 30 * time.Minute, time.Hour, 6 * time.Hour}; err != nil || !slices.Equal(o.Graces, want) ||
		o.Step != 10*time.Minute || o.Nodes != 20 || slices.Contains(o.Shown[:], false) {
		t.Errorf("%+v, %v", o, err)
	}
}

// By hand. Four nodes: job 1 on nodes 0 and 1 until 100, job 2 on node 2 until 40,
// job 3 on node 3 until 70. At 40 job 6 (2 nodes) is on top: it waits for job 3 and
// one node, and job 7 (10 s) is backfilled on node 2 until 50. At 70 job 6 starts,
// on nodes 2 and 3, until 125. States: 30, 40, 50, 70, 100 (ends at 125; the state of
// 100 is the end of job 1). Two of four nodes are taken with a grace of 0.
//
//	      elapsed of jobs 1, 2, 3, 6, 7   idle   lifo                      least
//	30    30 (2 nodes), 30, 30            0      nodes 0, 1: 60            60
//	40    40 (2), -, 40, -, 0             0      7 and job 1 (node 0): 80  0 + 40 (7 and 3)
//	50    50 (2), -, 50                   1      idle and job 1: 100       50
//	70    70 (2), -, -, 0 (2)             0      job 6: 0                  0
//	100   -, -, -, 30 (2)                 2      0                         0
func TestByHand(t *testing.T) {
	for name, text := range map[string]string{"plain.swf.gz": small, "zipped.txt": programtest.Gzip(small)} {
		path := programtest.Write(t, name, text) // told by content, not by name
		stdout, notes := tested.Must(t, "-trace", path, "-nodes", "4", "-take", "2", "-grace", "0", "-policy", "lifo,exact", "-json", "-important", "queue=3",
			"-step", "30s")
		var rows []map[string]any
		if err := json.Unmarshal([]byte(stdout), &rows); err != nil {
			t.Fatal(err)
		}
		type row struct {
			Policy                       string
			Jobs, States                 float64
			Mean, Max, Important, Killed float64
			OverExact                    float64
		}
		var got []row
		for _, r := range rows {
			n := func(key string) float64 { return r[key].(float64) }
			got = append(got, row{r["policy"].(string), n("jobs"), n("states"), n("mean_node_s"), n("max_node_s"), n("important_node_s"), n("killed_jobs"),
				n("over_exact")})
		}
		// Of LIFO's waste all is that of jobs 1 and 6, in queue 3. Jobs that have run
		// for no time and have no grace waste nothing, and are not counted as killed.
		want := []row{
			{"lifo", 5, 5, 48, 100, 48, .6, 1.6},
			{"exact", 5, 5, 30, 60, 12, .6, 1},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s\n%s", name, diff, stdout)
		}
		for _, note := range []string{"7 records, 6 jobs, 1 left out", "run time 0: 1", "5 jobs on 4 nodes", "1 job too large, left out",
			"2 jobs of priority 10 (queue 3)"} {
			if !strings.Contains(notes, note) {
				t.Errorf("%s: the notes do not say %q:\n%s", name, note, notes)
			}
		}
	}
}

// By hand. Job 1 on node 0 (200 s, 400 asked for), job 2 on node 1 (300 s, 60 asked
// for); one node is taken, with a grace of 0, at 30, 60, …, 180, and at 200, where one
// is idle, to 290. Both have run as long, so that pap takes node 0. With -overrun 2
// job 2 counts half once it has run for longer than it asked for, from 90 on: it then
// wastes 90 + 120 + 150 + 180, and job 1 30 + 60 instead of 630.
func TestOverrun(t *testing.T) {
	path := programtest.Write(t, "log", "1 0 0 200 1 -1 -1 1 400\n2 0 0 300 1 -1 -1 1 60\n")
	args := []string{"-trace", path, "-nodes", "2", "-take", "1", "-grace", "0", "-policy", "pap,pap+,exact+", "-important", "top=0%", "-step", "30s"}
	stdout, _ := tested.Must(t, append(args, "-overrun", "2")...)
	stdout = strings.Join(strings.Fields(stdout), " ")
	for _, want := range []string{
		"pap+ with -overrun 2 against pap: jobs beyond their requested time waste more (from none), the others 85.7% less, all the same.",
		"exact+ with -overrun 2 against exact: jobs beyond their requested time waste more (from none), the others 85.7% less, all the same.",
	} {
		if !strings.Contains(stdout, want) {
			t.Errorf("%s\ndoes not say %q", stdout, want)
		}
	}
	if stdout, _ = tested.Must(t, args...); strings.Contains(stdout, "overrun") {
		t.Errorf("%s", stdout)
	}
}

// Important jobs that ask for the most are told to be a poor choice, and no others.
func TestTopIsExplained(t *testing.T) {
	path := programtest.Write(t, "log", small)
	for which, want := range map[string]bool{"top=20%": true, "random=20%": false, "queue=3": false} {
		stdout, _ := tested.Must(t, "-trace", path, "-nodes", "4", "-take", "2", "-important", which)
		if strings.Contains(strings.Join(strings.Fields(stdout), " "), "priorities hardly matter") != want {
			t.Errorf("%s:\n%s", which, stdout)
		}
	}
}

// Where exact wastes nothing, what a policy wastes over it is no number. By hand:
// three jobs start at once on three nodes, and one node is taken with a grace of
// 80 s. At 30, 60 and 90 s job 3 ends in time, and exact takes its node; FIFO has
// three equal values, takes the first node, and wastes 90 + 80 s at most. From 100 s
// on a node is idle.
func TestNothingWasted(t *testing.T) {
	path := programtest.Write(t, "log", "1 0 0 300 1\n2 0 0 300 1\n3 0 0 100 1\n")
	args := []string{"-trace", path, "-nodes", "3", "-take", "1", "-grace", "80s", "-policy", "fifo,exact", "-step", "30s"}
	stdout, _ := tested.Must(t, append(args, "-json")...)
	var rows []map[string]any
	if err := json.Unmarshal([]byte(stdout), &rows); err != nil {
		t.Fatal(err)
	}
	if over, ok := rows[0]["over_exact"]; !ok || over != nil || rows[1]["over_exact"] != 1. {
		t.Errorf("%s", stdout)
	}
	if rows[0]["max_node_s"] != 170. || rows[1]["max_node_s"] != 0. {
		t.Errorf("%s", stdout)
	}
}

// A job may need all nodes.
func TestJobOfAllNodes(t *testing.T) {
	_, notes := tested.Must(t, "-trace", programtest.Write(t, "log", small), "-nodes", "2", "-take", "1")
	if !strings.Contains(notes, "5 jobs on 2 nodes") || !strings.Contains(notes, "1 job too large, left out") {
		t.Errorf("notes:\n%s", notes)
	}
}

// A log in which everything ends at once has no states, and the task is not done.
func TestNoStates(t *testing.T) {
	status, stdout, stderr := tested.Try("-trace", programtest.Write(t, "log", "1 0 0 10 1\n2 0 0 10 1\n"))
	if status != 1 || stdout != "" || !strings.Contains(stderr, "no state to preempt in") {
		t.Errorf("exit status %d: %s%s", status, stdout, stderr)
	}
}

// Jobs that save lose less, by every policy; the tables count from the last save, and nothing
// else changes.
func TestSaves(t *testing.T) {
	path := programtest.Write(t, "log", small)
	args := []string{"-trace", path, "-nodes", "4", "-take", "2", "-grace", "20s", "-json", "-important", "queue=3", "-step", "30s"}
	mean := func(more ...string) map[string]float64 {
		stdout, _ := tested.Must(t, append(args, more...)...)
		out := map[string]float64{}
		for _, r := range programtest.Rows[map[string]any](t, stdout) {
			out[r["policy"].(string)] = r["mean_node_s"].(float64)
		}
		return out
	}
	without, every, request := mean(), mean("-save-every", "15s"), mean("-save-cost", "5s")
	for name, w := range without {
		if name != "random" && name != "blind" && (every[name] > w || request[name] > w) {
			t.Errorf("%s wastes %v, %v with saves each 15s, and %v with saves on request", name, w, every[name], request[name])
		}
	}
	if every["exact"] >= without["exact"] || request["exact"] >= without["exact"] {
		t.Errorf("exact: %v, %v, %v", without["exact"], every["exact"], request["exact"])
	}
}

// The user's mistakes end with one sentence and status 2, before anything is
// printed, and leave no file.
func TestMistakes(t *testing.T) {
	dir := t.TempDir()
	log := programtest.Write(t, "log.swf", small)
	file := func(name, text string) string { return programtest.Write(t, name, text) }
	tested.Frame(t)
	mistakes := []programtest.Wrong{
		{[]string{"-save-every", "0s"}, "above 0"},
		{[]string{"-step", "0s"}, "above 0"},
		{[]string{"-save-cost", "-1s"}, "not negative"},
		{[]string{"-save-every", "1m", "-save-cost", "61s"}, "no more than -save-every, 1m0s"},
		{[]string{"-grace", "1h..x"}, "60s,20m,1h..6h"},
		{[]string{"-grace", "1h..-6h"}, "60s,20m,1h..6h"},
		{[]string{"-grace", "1s..101s"}, "at most 100 grace periods"},
		{[]string{"-important", "top=-1%"}, "from top=0% to top=100%"},
		{[]string{"-important", "random=x%"}, "from random=0% to random=100%"},
		{[]string{"-trace", log, "-sample", "2", "-longest", "1s"}, "none is within"},
		{[]string{"-nodes", "0"}, "from 1 to 10,000"},
		{[]string{"-nodes", "99999"}, "from 1 to 10,000"},
		{[]string{"-take", "-1"}, "from 0 to 10,000"},
		{[]string{"-take", "21"}, "-take 21: the partition has only 20 nodes"},
		{[]string{"-take", "5", "-nodes", "4"}, "-take 5: the partition has only 4 nodes"},
		{[]string{"-take", "2", "-nodes", "1"}, "-take 2: the partition has only 1 node (-nodes)"},
		{[]string{"-sample", "0"}, "whole number from 1"},
		{[]string{"-longest", "0s"}, "above 0, such as 24h"},
		{[]string{"-longest", "day"}, "above 0, such as 24h"},
		{[]string{"-overrun", "0"}, "whole number from 1 to 1,000,000"},
		{[]string{"-grace", "-1s"}, "not negative"},
		{[]string{"-grace", "120"}, "60s,20m,1h..6h"},
		{[]string{"-grace", ""}, "60s,20m,1h..6h"},
		{[]string{"-grace", "1h,"}, "60s,20m,1h..6h"},
		{[]string{"-grace", "0s..1h"}, "0s..1h starts at 0"},
		{[]string{"-grace", "6h..1h"}, "6h..1h ends before it starts"},
		{[]string{"-grace", "60s,1m..2m30s"}, "1m..2m30s: 2m30s is no multiple of 1m"},
		{[]string{"-grace", "1s..1h"}, "at most 100 grace periods"},
		{[]string{"-grace", "60s,1m"}, "1m0s comes twice"},
		{[]string{"-policy", "best"}, "want all, or some of random, fifo"},
		{[]string{"-policy", ""}, "want all, or some of random, fifo"},
		{[]string{"-important", "bigmem"}, "want queue=NAME, random=1% or top=1%"},
		{[]string{"-important", "queue="}, "want queue=NAME, random=1% or top=1%"},
		{[]string{"-important", "random=101%"}, "from random=0% to random=100%"},
		{[]string{"-important", "top=1"}, "from top=0% to top=100%"},
		{[]string{"-important", "top=NaN%"}, "from top=0% to top=100%"},
		{[]string{"-important", "queue=gold"}, "-important queue=gold: no job is in that queue"},
		{[]string{"-trace", log, "-nodes", "4", "-take", "1", "-important", "queue=9"}, "no job is in that queue"},
		{[]string{"-trace", file("bad.swf", small+"10 7300 0 abc 1\n")}, `bad.swf: trace: line 9, column 4 (run time): not a number: "abc"`},
		{[]string{"-trace", file("empty.swf", "")}, "empty.swf: there is no job in it"},
		{[]string{"-trace", file("zero.swf", "1 0 0 0 4\n")}, "none of its 1 records is a job that can be run"},
		{[]string{"-trace", file("large.swf", "1 0 0 9 44\n"), "-nodes", "10"}, "large.swf: of 1 job none is within -nodes 10"},
		{[]string{"-trace", log, "-longest", "1s"}, "log.swf: of 6 jobs none is within -nodes 20, -longest 1s"},
		{[]string{"-trace", file("old.swf", "1 0 0 9000000000 4\n")}, "old.swf: sim: Jobs[0].Run: value out of range"},
	}
	tested.Mistakes(t, dir, mistakes)
	// What is just within the limits is taken.
	for _, args := range [][]string{
		{"-nodes", "10000"}, {"-take", "0"}, {"-take", "20"}, {"-overrun", "1000000"}, {"-grace", "0"}, {"-grace", "1s..100s"}, {"-grace", "2h..2h"},
		{"-important", "top=100%"}, {"-important", "random=0%"},
		{"-save-every", "1m", "-save-cost", "1m"}, {"-save-cost", "0s"}, {"-policy", "all"}, {"-policy", "lifo,lifo"}, {"-longest", "1ns"}, {"-sample",
			"1000000000"}, {"-step", "1ns"},
	} {
		if _, err := program.Options(args...); err != nil {
			t.Errorf("%q: %v", args, err)
		}
	}
	if programtest.Read(t, log) != small {
		t.Error("the log was changed")
	}
}

func TestBrokenOutput(t *testing.T) {
	path := programtest.Write(t, "log", small)
	tested.Broken(t, []string{"-trace", path}, []string{"-trace", path, "-json"})
}

// The sample of a real log that package preempt's tests draw, and their numbers: mean
// waste over that of exact (TestLogs there, by node, of every fifth state).
func TestKTH(t *testing.T) {
	path := shared.File(t, "traces/KTH-SP2-1996-2.1-cln.swf.gz")
	stdout, notes := tested.Must(t, "-trace", path, "-sample", "10000", "-longest", "24h", "-grace", "120s", "-policy", "fifo,lifo,pap,greedy", "-json",
		"-step", "30s")
	var rows []map[string]any
	if err := json.Unmarshal([]byte(stdout), &rows); err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{1.583, 1.086, 1.148, 1.001} {
		if over := rows[i]["over_exact"].(float64); math.Abs(over-want) > .003 {
			t.Errorf("%v over exact: %v, want %v", rows[i]["policy"], over, want)
		}
		if rows[i]["states"] != 650353. || rows[i]["jobs"] != 9155. {
			t.Errorf("%v jobs, %v states", rows[i]["jobs"], rows[i]["states"])
		}
	}
	for _, note := range []string{"a sample of 10,000 jobs of 28,467", "759 jobs too large, left out", "86 jobs too long, left out",
		"92 jobs of priority 10 (at random)"} {
		if !strings.Contains(notes, note) {
			t.Errorf("the notes do not say %q:\n%s", note, notes)
		}
	}
}
