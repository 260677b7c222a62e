package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/examples/internal/progress"
	"github.com/plimsoll/plimsoll/internal/shared"
	"github.com/plimsoll/plimsoll/preempt"
)

var update = flag.Bool("update", false, "write the golden files anew")

// runPreempt runs the program in this process.
func runPreempt(args ...string) (status int, stdout, stderr string) {
	var out, errs bytes.Buffer
	status = run(args, &out, &errs)
	return status, out.String(), errs.String()
}

// mustRun fails the test unless the program succeeds.
func mustRun(t *testing.T, args ...string) (stdout, stderr string) {
	t.Helper()
	status, stdout, stderr := runPreempt(args...)
	if status != 0 {
		t.Fatalf("preempt %q: exit status %d: %s", args, status, stderr)
	}
	return stdout, stderr
}

// Renew with go test ./examples/preempt -run TestGolden -update.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got), renew with -update:\n%s", name, diff)
	}
}

func TestGolden(t *testing.T) {
	stdout, stderr := mustRun(t, "-grace", "60s,120s,30m")
	golden(t, "short.txt", stdout)
	golden(t, "short-notes.txt", stderr)
	path := write(t, "log", small)
	args := []string{"-trace", path, "-nodes", "4", "-take", "2", "-grace", "0,20s", "-json", "-important", "queue=3"}
	stdout, _ = mustRun(t, args...)
	golden(t, "small.json", strings.ReplaceAll(stdout, path, "small.swf"))
	if again, _ := mustRun(t, args...); again != stdout {
		t.Error("the same seed gives another result")
	}
	if other, _ := mustRun(t, append(args, "-seed", "5")...); other == stdout {
		t.Error("another seed gives the same result")
	}
}

func TestHelp(t *testing.T) {
	stdout, stderr := mustRun(t, "-h")
	if stderr != "" {
		t.Errorf("-h writes %q on standard error", stderr)
	}
	for _, name := range []string{"-trace", "-nodes", "-take", "-grace", "-policy", "-important", "-seed", "-svg", "-json", "-h"} {
		if !strings.Contains(stdout, "\n  "+name+" ") {
			t.Errorf("-h does not list %s", name)
		}
	}
	for _, k := range kindNames {
		if !strings.Contains(stdout, "\n                         "+k+" ") {
			t.Errorf("-h does not list the policy %s", k)
		}
	}
	for _, line := range strings.Split(stdout, "\n") {
		if len(line) > 88 {
			t.Errorf("-h has a line of %d columns: %s", len(line), line)
		}
	}
}

// The defaults are those of the usage, and grace periods are as it says.
func TestDefaults(t *testing.T) {
	o, err := parse(nil)
	if err != nil {
		t.Fatal(err)
	}
	var want []time.Duration
	for _, s := range []int{60, 120, 1200, 1800, 3600, 7200, 10800, 14400, 18000, 21600} {
		want = append(want, time.Duration(s)*time.Second)
	}
	if diff := cmp.Diff(want, o.graces); diff != "" || o.nodes != 20 || o.take != 10 || slices.Contains(o.shown[:], false) {
		t.Errorf("%+v (-want +got):\n%s", o, diff)
	}
	if o, err = parse([]string{"-policy", "lifo,exact", "-grace", "0"}); err != nil || !o.shown[lifo] || !o.shown[exact] || o.shown[fifo] || len(o.graces) != 1 {
		t.Errorf("%+v, %v", o, err)
	}
}

// small has six jobs, one of them too large for four nodes, and a record that is
// none.
const small = `; MaxProcs: 8
1 0 0 100 2 -1 -1 2 150 -1 1 1 1 1 3 1 -1 -1
2 10 0 40 1 -1 -1 1 60 -1 1 2 1 1 1 1 -1 -1
3 20 0 70 1 -1 -1 1 70 -1 1 1 1 1 1 1 -1 -1
4 20 0 100 8 -1 -1 8 50 -1 1 1 1 1 1 1 -1 -1
5 30 0 0 8 -1 -1 8 50 -1 1 1 1 1 1 1 -1 -1
6 31 0 55 2 -1 -1 2 600 -1 1 2 1 1 3 1 -1 -1
7 32 0 10 1 -1 -1 1 10 -1 1 1 1 1 1 1 -1 -1
`

func write(t *testing.T, name, text string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func zipped(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	io.WriteString(w, text)
	w.Close()
	return b.String()
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
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
	for name, text := range map[string]string{"plain.swf.gz": small, "zipped.txt": zipped(small)} {
		path := write(t, name, text) // told by content, not by name
		stdout, notes := mustRun(t, "-trace", path, "-nodes", "4", "-take", "2", "-grace", "0", "-policy", "lifo,exact", "-json", "-important", "queue=3")
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
			got = append(got, row{r["policy"].(string), n("jobs"), n("states"), n("mean_node_s"), n("max_node_s"), n("important_node_s"), n("killed_jobs"), n("over_exact")})
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
		for _, note := range []string{"7 records, 6 jobs, 1 left out", "run time 0: 1", "5 jobs on 4 nodes", "1 job too large, left out", "2 jobs of priority 10 (queue 3)"} {
			if !strings.Contains(notes, note) {
				t.Errorf("%s: the notes do not say %q:\n%s", name, note, notes)
			}
		}
	}
}

// The share of jobs that ask for the most node-time: job 6 (1200 node-seconds), then
// job 1 (300).
func TestImportant(t *testing.T) {
	path := write(t, "log", small)
	for share, want := range map[string]int{"0%": 0, "20%": 1, "40%": 2, "100%": 5} {
		o, err := parse([]string{"-trace", path, "-nodes", "4", "-take", "1", "-important", "top=" + share})
		if err != nil {
			t.Fatal(err)
		}
		logs, err := o.load(progress.New(io.Discard))
		if err != nil {
			t.Fatal(err)
		}
		var high []int64
		for i, p := range logs[0].priority {
			if p == highPriority {
				high = append(high, logs[0].jobs[i].ID)
			}
		}
		if logs[0].important != want || len(high) != want || want == 1 && high[0] != 6 || want == 2 && !slices.Equal(high, []int64{1, 6}) {
			t.Errorf("top=%s: jobs %v", share, high)
		}
	}
}

// Where exact wastes nothing, what a policy wastes over it is no number. By hand:
// three jobs start at once on three nodes, and one node is taken with a grace of
// 80 s. At 30, 60 and 90 s job 3 ends in time, and exact takes its node; FIFO has
// three equal values, takes the first node, and wastes 90 + 80 s at most. From 100 s
// on a node is idle.
func TestNothingWasted(t *testing.T) {
	path := write(t, "log", "1 0 0 300 1\n2 0 0 300 1\n3 0 0 100 1\n")
	args := []string{"-trace", path, "-nodes", "3", "-take", "1", "-grace", "80s", "-policy", "fifo,exact"}
	stdout, _ := mustRun(t, append(args, "-json")...)
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
	if stdout, _ = mustRun(t, args...); !strings.Contains(stdout, "∞") {
		t.Errorf("%s", stdout)
	}
}

// A job may need all nodes.
func TestJobOfAllNodes(t *testing.T) {
	_, notes := mustRun(t, "-trace", write(t, "log", small), "-nodes", "2", "-take", "1")
	if !strings.Contains(notes, "5 jobs on 2 nodes") || !strings.Contains(notes, "1 job too large, left out") {
		t.Errorf("notes:\n%s", notes)
	}
}

// The made-up logs have the numbers of [Duplyakin17] Table 1.
func TestMadeUp(t *testing.T) {
	for k, c := range []struct {
		jobs      int
		nodeHours float64
		quantiles []float64
		mean      float64
		meanNodes float64
		maxNodes  int
	}{
		{11200, 1379.05, []float64{54, 84, 106, 134.25, 7140}, 443.27, 1, 1},
		{7275, 26838.58, []float64{33, 439.5, 1921, 6840.5, 85945}, 7119.07, 1.42, 16},
	} {
		jobs := shapes[k].make(rand.New(rand.NewPCG(1, uint64(k))))
		var runs []float64
		hours, mean, nodes, most, single, twice, special := 0., 0., 0, 0, 0, 0, 0
		for i, j := range jobs {
			run := j.Run.Seconds()
			runs = append(runs, run)
			hours += run * float64(j.Nodes) / 3600
			mean += run / float64(len(jobs))
			nodes += j.Nodes
			most = max(most, j.Nodes)
			if j.Nodes == 1 {
				single++
			}
			if j.Estimate.Seconds() > overestimate*run {
				twice++
			}
			if j.Estimate < j.Run || j.ID != int64(i+1) {
				t.Fatalf("job %+v", j)
			}
			if j.Queue == bigmem {
				special++
			}
		}
		slices.Sort(runs)
		if len(jobs) != c.jobs || most != c.maxNodes || special != shapes[k].special {
			t.Errorf("%s: %d jobs, %d nodes at most, %d in bigmem", shapes[k].name, len(jobs), most, special)
		}
		near := func(what string, got, want, tolerance float64) {
			if math.Abs(got/want-1) > tolerance {
				t.Errorf("%s: %s %.2f, want %.2f", shapes[k].name, what, got, want)
			}
		}
		for q, want := range c.quantiles {
			near(fmt.Sprintf("quartile %d", q), runs[q*(len(runs)-1)/4], want, .01)
		}
		near("mean run time", mean, c.mean, .001)
		near("node-hours", hours, c.nodeHours, .03)
		near("mean of nodes", float64(nodes)/float64(len(jobs)), c.meanNodes, .02)
		if float64(single) < .82*float64(len(jobs)) || float64(twice) < .4*float64(len(jobs)) {
			t.Errorf("%s: %d jobs of one node, %d with long requests", shapes[k].name, single, twice)
		}
	}
}

func TestDistribution(t *testing.T) {
	var d distribution
	rnd := rand.New(rand.NewPCG(1, 2))
	var all []float64
	for range 5000 {
		x := math.Exp(rnd.NormFloat64() * 8)
		if rnd.IntN(4) == 0 {
			x = 0
		}
		all = append(all, x)
		d.add(x)
	}
	slices.Sort(all)
	for _, q := range []float64{0, .1, .25, .5, .75, .99, .9999} {
		want := all[int(q*float64(len(all)))]
		if got := d.quantile(q); math.Abs(got-want) > .01*want {
			t.Errorf("quantile %v: %v, want %v", q, got, want)
		}
	}
	if d.max != all[len(all)-1] {
		t.Errorf("greatest %v", d.max)
	}
	v := violin(&d, 100)
	sum := 0.
	for _, f := range v.Frequency {
		sum += f
	}
	below, _ := slices.BinarySearch(all, 100)
	if math.Abs(sum-float64(below)) > .01*float64(len(all)) {
		t.Errorf("a violin of %v, %d are below its end", sum, below)
	}
}

func TestPath(t *testing.T) {
	var p path
	var tally preempt.Tally
	for i := range 10_000 {
		p.add(i, time.Duration(i), &tally)
	}
	if len(p.points) > maxPoints || len(p.points) < maxPoints/2 {
		t.Errorf("%d points", len(p.points))
	}
	for i, x := range p.points {
		if x.at != time.Duration(i*p.every) {
			t.Fatalf("point %d at %d, every %d", i, x.at, p.every)
		}
	}
}

func TestSVG(t *testing.T) {
	dir := t.TempDir()
	log := write(t, "a<b>&c\x01.swf", small)
	for name, args := range map[string][]string{
		"madeup.svg": {"-grace", "60s,120s,1h..3h", "-policy", "random,lifo,pap,pap+,exact"},
		"small.svg":  {"-trace", log, "-nodes", "4", "-take", "2", "-policy", "lifo", "-important", "queue=3"},
		"none.svg":   {"-trace", log, "-nodes", "4", "-take", "2", "-important", "top=0%"},
	} {
		path := filepath.Join(dir, name)
		mustRun(t, append(args, "-svg", path)...)
		text := read(t, path)
		if len(text) > 1<<20 {
			t.Errorf("%s has %d bytes", name, len(text))
		}
		d := xml.NewDecoder(strings.NewReader(text))
		for {
			if _, err := d.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		if strings.Contains(text, "NaN") {
			t.Errorf("%s has numbers that are none", name)
		}
		for part, want := range map[string]bool{
			"wasted node-hours by policy": true, "values of nodes with pap+": name != "none.svg", "important jobs, grace": name != "none.svg",
		} {
			if strings.Contains(text, part) != want {
				t.Errorf("%s says %q: %v, want %v", name, part, !want, want)
			}
		}
	}
}

// A log in which everything ends at once has no states, and that is said.
func TestNoStates(t *testing.T) {
	path := write(t, "log", "1 0 0 10 1\n2 0 0 10 1\n")
	stdout, _ := mustRun(t, "-trace", path)
	if !strings.Contains(stdout, "no state to preempt in") {
		t.Errorf("%s", stdout)
	}
	mustRun(t, "-trace", path, "-json")
}

// The user's mistakes end with one sentence and status 2, before anything is
// printed, and leave no file.
func TestMistakes(t *testing.T) {
	dir := t.TempDir()
	log := write(t, "log.swf", small)
	file := func(name, text string) string { return write(t, name, text) }
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"-nonsense"}, "-nonsense"},
		{[]string{"log.swf"}, `"log.swf" is not a flag`},
		{[]string{"-json=perhaps"}, "true or false"},
		{[]string{"-nodes", "0"}, "from 1 to 10000"},
		{[]string{"-nodes", "99999"}, "from 1 to 10000"},
		{[]string{"-take", "-1"}, "from 0 to 10000"},
		{[]string{"-take", "many"}, "whole number"},
		{[]string{"-take", "21"}, "-take 21: there are only 20 nodes"},
		{[]string{"-take", "5", "-nodes", "4"}, "-take 5: there are only 4 nodes"},
		{[]string{"-grace", "-1s"}, "not negative"},
		{[]string{"-grace", "120"}, "60s,20m,1h..6h"},
		{[]string{"-grace", ""}, "60s,20m,1h..6h"},
		{[]string{"-grace", "1h,"}, "60s,20m,1h..6h"},
		{[]string{"-grace", "0s..1h"}, "60s,20m,1h..6h"},
		{[]string{"-grace", "6h..1h"}, "60s,20m,1h..6h"},
		{[]string{"-grace", "1s..1h"}, "at most 100 grace periods"},
		{[]string{"-grace", "60s,1m"}, "1m0s comes twice"},
		{[]string{"-policy", "best"}, "want all, or some of random, fifo"},
		{[]string{"-policy", ""}, "want all, or some of random, fifo"},
		{[]string{"-important", "bigmem"}, "want queue=NAME or top=1%"},
		{[]string{"-important", "queue="}, "want queue=NAME or top=1%"},
		{[]string{"-important", "top=1"}, "from top=0% to top=100%"},
		{[]string{"-important", "top=NaN%"}, "from top=0% to top=100%"},
		{[]string{"-important", "queue=gold"}, "-important queue=gold: no job is in that queue"},
		{[]string{"-trace", log, "-nodes", "4", "-take", "1", "-important", "queue=9"}, "no job is in that queue"},
		{[]string{"-seed", "-1"}, "not negative"},
		{[]string{"-trace", ""}, "name of a file"},
		{[]string{"-trace", filepath.Join(dir, "none.swf")}, "none.swf: no such file"},
		{[]string{"-trace", dir}, "is a folder"},
		{[]string{"-trace", file("bad.swf", small+"10 7300 0 abc 1\n")}, `bad.swf: line 9, field 4 (run time): "abc" is not a number`},
		{[]string{"-trace", file("cut.gz", zipped(small)[:60])}, "cut.gz"},
		{[]string{"-trace", file("empty.swf", "")}, "empty.swf: there is no job in it"},
		{[]string{"-trace", file("zero.swf", "1 0 0 0 4\n")}, "none of its 1 records is a job that can be run"},
		{[]string{"-trace", file("large.swf", "1 0 0 9 44\n"), "-nodes", "10"}, "all its 1 jobs need more than -nodes 10"},
		{[]string{"-trace", file("old.swf", "1 0 0 9000000000 4\n")}, "old.swf: sim: job at index 0, Run: value out of range"},
		{[]string{"-svg", filepath.Join(dir, "no", "out")}, "its folder does not exist"},
		{[]string{"-svg", filepath.Join(dir, "folder")}, "is a folder"},
		{[]string{"-trace", file("brief.swf", "1 0 0 10 1\n"), "-svg", filepath.Join(dir, "out")}, "nothing to draw"},
		{[]string{"-trace", log, "-svg", log}, "the file is that of another flag"},
	} {
		status, stdout, stderr := runPreempt(c.args...)
		if status != 2 {
			t.Errorf("preempt %q: exit status %d, want 2: %s", c.args, status, stderr)
		}
		if stdout != "" {
			t.Errorf("preempt %q writes on standard output: %s", c.args, stdout)
		}
		lines := strings.Split(strings.TrimSuffix(stderr, "\n"), "\n")
		last := lines[len(lines)-1]
		if !strings.HasPrefix(last, "preempt: ") || !strings.Contains(last, c.want) {
			t.Errorf("preempt %q ends with %q, want it to say %q", c.args, last, c.want)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 1 { // "folder"
		t.Errorf("left: %v", entries)
	}
	if read(t, log) != small {
		t.Error("the log was changed")
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("broken") }

func TestBrokenOutput(t *testing.T) {
	path := write(t, "log", small)
	for _, args := range [][]string{{"-trace", path}, {"-trace", path, "-json"}, {"-h"}} {
		var stderr bytes.Buffer
		if status := run(args, brokenWriter{}, &stderr); status != 1 || !strings.HasSuffix(stderr.String(), "preempt: broken\n") {
			t.Errorf("preempt %q on a broken output: exit status %d, %q", args, status, stderr.String())
		}
	}
}

// The claims of [Duplyakin17] section 4 on the made-up log: up to 30 minutes the
// grace period hardly matters for LIFO and PAP; PAP+ saves important jobs tens of
// percent for a few percent in all.
func TestClaims(t *testing.T) {
	o, err := parse([]string{"-grace", "60s,120s,30m", "-policy", "lifo,pap,pap+"})
	if err != nil {
		t.Fatal(err)
	}
	logs, err := o.load(progress.New(io.Discard))
	if err != nil {
		t.Fatal(err)
	}
	r, err := o.score(logs[1], progress.New(io.Discard))
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range []kind{lifo, pap} {
		a, b := r.series[k][0].dist.quantile(.5), r.series[k][2].dist.quantile(.5)
		t.Logf("%v: median %.1f node-hours at 60 s, %.1f at 30 m", k, a/3600, b/3600)
		if math.Abs(b/a-1) > .25 {
			t.Errorf("%v: median %v node-seconds with 60 s, %v with 30 m", k, a, b)
		}
	}
	a, b := &r.series[papPlus][1].tally, &r.series[pap][1].tally
	saved := 1 - a.Of(highPriority).Seconds()/b.Of(highPriority).Seconds()
	more := a.Total().Seconds()/b.Total().Seconds() - 1
	t.Logf("pap+: %.1f%% less for important jobs, %.1f%% more in all", 100*saved, 100*more)
	if saved < .3 || more > .1 || more < 0 {
		t.Errorf("pap+ saves %.3f of the waste of important jobs, for %.3f more in all", saved, more)
	}
}

// A real log, of which jobs of more than 20 nodes are left out.
func TestKTH(t *testing.T) {
	path := shared.File(t, "traces/KTH-SP2-1996-2.1-cln.swf.gz")
	stdout, notes := mustRun(t, "-trace", path, "-grace", "120s", "-policy", "lifo", "-json")
	var rows []map[string]any
	if err := json.Unmarshal([]byte(stdout), &rows); err != nil {
		t.Fatal(err)
	}
	if over := rows[0]["over_exact"].(float64); over < 1 || over > 1.3 {
		t.Errorf("over exact: %v", over)
	}
	if !strings.Contains(notes, "2,237 jobs too large, left out") {
		t.Errorf("notes:\n%s", notes)
	}
}
