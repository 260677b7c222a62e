package main

import (
	"encoding/csv"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/programtest"
	"github.com/plimsoll/plimsoll/examples/internal/semielastic"
	"github.com/plimsoll/plimsoll/examples/internal/shared"
	"github.com/plimsoll/plimsoll/examples/internal/table"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule/trace"
)

// tested is run in the process of the tests. Its golden files are renewed by
// go test ./examples/tools/sec -update.
var tested = programtest.Program{Name: "sec", Run: program.Run}

func TestMain(m *testing.M) { programtest.Main(m, main) }

func TestGolden(t *testing.T) {
	stdout, stderr := tested.Must(t)
	programtest.Golden(t, "default.txt", stdout)
	programtest.Narrow(t, stdout, 80)
	if lines := strings.Split(strings.TrimSpace(stdout), "\n"); len(lines) > 40 || !strings.HasPrefix(lines[len(lines)-1], "Owning ") {
		t.Errorf("%d lines, the last %q: want the decision within 40", len(lines), lines[len(lines)-1])
	}
	programtest.Golden(t, "default-notes.txt", stderr)
	stdout, _ = tested.Must(t, "-json")
	programtest.Golden(t, "default.json", stdout)
	again, _ := tested.Must(t, "-json")
	if again != stdout {
		t.Error("the same seed gives another result")
	}
	if other, _ := tested.Must(t, "-json", "-seed", "2"); other == stdout {
		t.Error("another seed gives the same result")
	}
}

func TestHelp(t *testing.T) {
	if text, _ := tested.Must(t, "-h"); strings.Count(text, "\n") > 60 {
		t.Errorf("-h has %d lines, want at most 60", strings.Count(text, "\n"))
	}
	tested.Help(t, program.FlagNames(), "individual", "Slurm", "PBS", "LSF")
}

// With two processors an instance the jobs need 1, 2, 1, 4 and 1 instances.
var small = programtest.FiveJobs

// By hand: a local cluster of 4 nodes, first come, first served with backfilling. Job 1
// (1 node) and 2 (2 nodes) start at once, until 600 and 4010. Job 4 (4 nodes, 20 s) waits
// for job 2's estimated end at 7210; job 3 (1 node, 20.5 s) is done before that.
// Job 4 starts when job 2 ends, at 4010.
func TestLocal(t *testing.T) {
	for name, text := range map[string]string{"plain.swf.gz": small, "zipped.txt": programtest.Gzip(small)} {
		path := programtest.Write(t, name, text) // told by content, not by name
		dir := t.TempDir()
		jobs, demand := filepath.Join(dir, "jobs.csv"), filepath.Join(dir, "demand.csv")
		_, notes := tested.Must(t, "-trace", path, "-cores-per-node", "2", "-mode", "local", "-jobs", jobs, "-demand", demand)
		want := "id,submit_s,start_s,wait_s,nodes,user\n" +
			"1,0,0,0,1,1\n" + "2,10,10,0,2,2\n" + "4,20,4010,3990,4,1\n" + "3,20.5,20.5,0,1,1\n" + "9,7200,7200,0,1,1\n"
		if diff := cmp.Diff(want, programtest.Read(t, jobs)); diff != "" {
			t.Errorf("%s: -jobs (-want +got):\n%s", name, diff)
		}
		if diff := cmp.Diff("instances\n4\n4\n4\n", programtest.Read(t, demand)); diff != "" {
			t.Errorf("%s: -demand (-want +got):\n%s", name, diff)
		}
		for _, note := range []string{
			"9 records, 5 jobs, 4 left out", "cancelled before start: 1", "run time unknown: 1", "run time 0: 1",
			"no processors: 1", "estimate raised to the run time: 1", "largest job, number 4, needs 4 instances",
		} {
			if !strings.Contains(notes, note) {
				t.Errorf("%s: the notes do not say %q:\n%s", name, note, notes)
			}
		}
	}
}

// By hand: each job boots for 126, 186, 126, 252 and 126 s (n = 1, 2, 1, 4, 1) and so waits,
// 163.2 s on average. Charged: 1 + 2·2 + 1 + 4·1 + 1 = 11 instance-hours of $2.40; used:
// (600 + 8000 + 30 + 400 + 60)/3600 hours. Job 2's 4186 s are two hours.
func TestIndividual(t *testing.T) {
	path := programtest.Write(t, "log", small)
	dir := t.TempDir()
	demand := filepath.Join(dir, "demand.csv")
	stdout, _ := tested.Must(t, "-trace", path, "-cores-per-node", "2", "-mode", "individual", "-json", "-demand", demand)
	var rows []map[string]any
	if err := json.Unmarshal([]byte(stdout), &rows); err != nil {
		t.Fatal(err)
	}
	want := []map[string]any{{
		"mode": "individual", "nodes": 8., "jobs": 5., "mean_wait_s": 163.2, "used_hours": 2.525,
		"charged_hours": 11., "utilisation": 0.229545, "reserved": 0., "cost": "26.4", "pure_cost": "26.4", "saving": 0.,
		// (1 + 126/600, 1 + 186/4000, 1 + 126/30, 1 + 252/100, 1 + 126/60)/5
		"mean_bounded_slowdown": 2.8153,
	}}
	if diff := cmp.Diff(want, rows); diff != "" {
		t.Errorf("-json (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff("instances\n8\n2\n1\n", programtest.Read(t, demand)); diff != "" {
		t.Errorf("-demand (-want +got):\n%s", diff)
	}
}

// Saving is over individual, which is run whether it is shown or not; each
// mode gives the same alone and among all; -jobs is of sec among all.
func TestModesAlone(t *testing.T) {
	path := programtest.Write(t, "log", small)
	dir := t.TempDir()
	jobs := func(mode string) string { return filepath.Join(dir, mode+".csv") }
	all, _ := tested.Must(t, "-trace", path, "-json", "-jobs", jobs("all"), "-placement", "random", "-demand", jobs("demand"))
	lines := strings.Split(all, "\n")
	for i, mode := range []string{"individual", "nowait", "sec", "hybrid", "gce", "multi", "local"} {
		one, _ := tested.Must(t, "-trace", path, "-json", "-mode", mode, "-jobs", jobs(mode), "-placement", "random")
		want := "[\n" + strings.TrimSuffix(lines[1+i], ",") + "\n]\n"
		if diff := cmp.Diff(want, one); diff != "" {
			t.Errorf("mode %s (-among all +alone):\n%s", mode, diff)
		}
		if same := programtest.Read(t, jobs(mode)) == programtest.Read(t, jobs("all")); mode == "sec" && !same {
			t.Error("-jobs of -mode all is not that of sec")
		}
	}
}

// What is known of the new modes whatever the log. Hybrid is sec's schedule, and
// without reservations its cost. Buying in hindsight costs no more than not at all.
// Google's cost goes with the ratio. Several clouds
// follow the cheaper one where nothing is reserved.
func TestClouds(t *testing.T) {
	one := func(args ...string) (row map[string]float64) {
		t.Helper()
		stdout, _ := tested.Must(t, append(args, "-json")...)
		var rows []map[string]any
		if err := json.Unmarshal([]byte(stdout), &rows); err != nil {
			t.Fatal(err)
		}
		row = map[string]float64{}
		for k, v := range rows[0] {
			switch x := v.(type) {
			case float64:
				row[k] = x
			case string:
				if money, err := pricing.ParseMoney(x); err == nil {
					row[k] = money.Float64()
				}
			}
		}
		return row
	}
	sec := one("-mode", "sec")
	none := one("-mode", "hybrid", "-portfolio", "none")
	if diff := cmp.Diff(sec, none); diff != "" {
		t.Errorf("hybrid without reservations (-sec +hybrid):\n%s", diff)
	}
	exact := one("-mode", "hybrid", "-portfolio", "exact")
	bought := one("-mode", "hybrid")
	if exact["pure_cost"] > bought["pure_cost"] || exact["pure_cost"] > sec["cost"] ||
		bought["cost"] <= bought["pure_cost"] || bought["reserved"] == 0 || exact["mean_wait_s"] != sec["mean_wait_s"] {
		t.Errorf("exact %v\nonline %v\nsec %v", exact, bought, sec)
	}
	dear, cheap := one("-mode", "gce"), one("-mode", "gce", "-ratio", ".5")
	if diff := dear["cost"] - 2*cheap["cost"]; diff > 1e-3 || diff < -1e-3 || dear["mean_wait_s"] != cheap["mean_wait_s"] {
		t.Errorf("at half the price %v, else %v", cheap, dear)
	}
	for ratio, want := range map[string]map[string]float64{"0.5": cheap, "2": sec} {
		if got := one("-mode", "multi", "-portfolio", "none", "-ratio", ratio); got["cost"] != want["cost"] || got["mean_wait_s"] != want["mean_wait_s"] {
			t.Errorf("ratio %s: several clouds %v, the cheaper one %v", ratio, got, want)
		}
	}
	if slow := one("-mode", "sec", "-setup"); slow["mean_wait_s"] <= sec["mean_wait_s"] {
		t.Errorf("with overhead %v, without %v", slow, sec)
	}
}

// Ratios far from 1 are taken wherever they matter.
func TestRatios(t *testing.T) {
	for _, ratio := range []string{".001", ".2", "1000"} {
		for _, mode := range []string{"multi", "all"} {
			tested.Must(t, "-json", "-mode", mode, "-ratio", ratio)
		}
	}
}

// A limit of zero is one, and not the default.
func TestLimitsOfZero(t *testing.T) {
	for _, name := range []string{"-wait-limit", "-short"} {
		byDefault, _ := tested.Must(t, "-json", "-mode", "sec")
		zero, _ := tested.Must(t, "-json", "-mode", "sec", name, "0")
		if zero == byDefault {
			t.Errorf("%s 0 is the default", name)
		}
	}
	sum, _ := tested.Must(t, "-json", "-mode", "sec", "-expansion", "sum")
	if best, _ := tested.Must(t, "-json", "-mode", "sec", "-short", "0s"); best != sum {
		t.Error("best with -short 0 is not sum")
	}
	exact, _ := tested.Must(t, "-json", "-mode", "local", "-estimate", "0")
	if users, _ := tested.Must(t, "-json", "-mode", "local"); users == exact {
		t.Error("-estimate 0 changes nothing")
	}
}

func TestSVG(t *testing.T) {
	log := programtest.Write(t, "a<b>&c\x01.swf", small)
	for _, args := range [][]string{nil, {"-trace", log}, {"-trace", log, "-mode", "local"}} {
		tested.SVG(t, args, "time since the start of the log (", "instances", "used", "idle or booting")
	}
}

// The user's mistakes end with one sentence and status 2, before anything is
// printed, and leave no file.
func TestMistakes(t *testing.T) {
	dir := t.TempDir()
	log := programtest.WriteIn(t, dir, "log.swf", small)
	file := func(name, text string) string { return programtest.Write(t, name, text) }
	out := filepath.Join(dir, "out")
	tested.Frame(t, "jobs", "demand", "svg")
	tested.Mistakes(t, dir, []programtest.Wrong{
		{[]string{"-mode", "cloud"}, "want all, individual, nowait, sec, hybrid, gce, multi or local"},
		{[]string{"-portfolio", "best"}, "want online, exact or none"},
		{[]string{"-ratio", "0"}, "want a number from 0.001 to 1000"},
		{[]string{"-ratio", "NaN"}, "want a number from 0.001 to 1000"},
		{[]string{"-expansion", "most"}, "want first, sum or best"},
		{[]string{"-placement", "best"}, "want max-margin, min-margin, max-idle, min-idle or random"},
		{[]string{"-nodes", "0"}, "from 1 to"},
		{[]string{"-cores-per-node", "0"}, "from 1 to"},
		{[]string{"-cores-per-node", "1.5"}, "whole number"},
		{[]string{"-wait-limit", "-1s"}, "not negative"},
		{[]string{"-wait-limit", "300"}, "90s, 5m or 1h30m"},
		{[]string{"-short", "-1h"}, "not negative"},
		{[]string{"-short", "long"}, "span of time"},
		{[]string{"-estimate", "-1"}, "not negative"},
		{[]string{"-estimate", "NaN"}, "not negative"},
		{[]string{"-trace", log, "-nodes", "3", "-cores-per-node", "2"}, "job 4 needs 4 nodes of 2 processors, but -nodes is only 3"},
		{[]string{"-nodes", "1000000000"}, "owning such a cluster"},
		{[]string{"-trace", file("bad.swf", small+"10 7300 0 abc 1\n")}, `bad.swf: trace: line 11, column 4 (run time): not a number: "abc"`},
		{[]string{"-trace", file("few.swf", "1 2 3\n")}, "few.swf: trace: line 1"},
		{[]string{"-trace", file("cut.gz", programtest.Gzip(small)[:60])}, "cut.gz: the log ends after line"},
		{[]string{"-trace", file("fake.gz", "\x1f\x8bno gzip at all")}, "fake.gz"},
		{[]string{"-trace", file("empty.swf", "")}, "empty.swf: there is no job in it"},
		{[]string{"-trace", file("header.swf", "; Version: 2\n\n")}, "header.swf: there is no job in it"},
		{[]string{"-trace", file("zero.swf", "1 0 0 0 4\n2 0 0 5 0\n")}, "none of its 2 records is a job that can be run (run time 0: 1, no processors: 1)"},
		{[]string{"-trace", file("centuries.swf", strings.Repeat("1 0 -1 2300000000 16\n", 6)), "-mode", "local"},
			"centuries.swf: mode local: sim: Submit: value out of range: the simulated clock passes 2305843009 s, 5 jobs before the end"},
		{[]string{"-trace", file("old.swf", "1 0 0 9000000000 4\n")}, "old.swf: job 1 cannot be run"},
		{[]string{"-trace", file("huge.swf", "1 0 0 90000000 2000000000\n")}, "huge.swf: job 1 needs 125,000,000 instances"},
		{[]string{"-backfill", "sjf"}, "want easy, conservative or none"},
		{[]string{"-weights", file("w.csv", "")}, "no weights: want lines such as hour,1"},
		{[]string{"-weights", file("w.csv", "hour,1\nhour,2\n")}, `line 2: "hour" is there twice, first in line 1`},
		{[]string{"-weights", file("w.csv", "user,17,1\nuser,017,2\n")}, "line 2: user 17 is there twice, first in line 1"},
		{[]string{"-weights", file("w.csv", "user,-1,1\n")}, `the user "-1": want the number of a user`},
		{[]string{"-weights", file("w.csv", "hour,many\n")}, `line 1: the weight "many": want a number from -1e12 to 1e12`},
		{[]string{"-weights", file("w.csv", "hour,NaN\n")}, "want a number"},
		{[]string{"-weights", file("w.csv", "hour,1e308\nnode,1e308\n")}, `line 1: the weight "1e308": want a number from -1e12`},
		{[]string{"-reservations", "0"}, "want a whole number of jobs from 1"},
		{[]string{"-weights", file("w.csv", "day,1\n")}, "want hour,WEIGHT or node,WEIGHT or user,NUMBER,WEIGHT"},
		{[]string{"-weights", file("w.csv", "user,ann,1\n")}, `the user "ann": want the number of a user`},
		{[]string{"-trace", file("users.swf", small), "-weights", file("w.csv", "# boss\nuser,99,1\n")}, "line 2: user 99 has no job in "},
		{[]string{"-estimate", "1e300"}, "-estimate 1e+300 is too much: made-up log: trace: Records[0].Estimate"},
		{[]string{"-estimate", "60000"}, "cannot be run"},
		{[]string{"-svg", filepath.Join(log, "out")}, "cannot write -svg"},
		{[]string{"-jobs", os.DevNull}, "is not a regular file"},
		// What fails late leaves nothing either.
		{[]string{"-trace", log, "-cores-per-node", "1", "-nodes", "2", "-jobs", out, "-svg", out + ".svg", "-json"}, "job 4 needs 8"},
	})
}

func TestIdleFlags(t *testing.T) {
	tested.Idle(t, "-nodes and -placement change", "-mode", "individual", "-nodes", "5", "-placement", "random", "-json")
	tested.Idle(t, "", "-mode", "local", "-nodes", "64", "-seed", "1")
	tested.Broken(t, nil, []string{"-json"})
}

// What is said to change nothing changes nothing, and some of what changes something.
func TestEffectiveFlags(t *testing.T) {
	for _, c := range []struct {
		args, want string // the notes
	}{
		{"-mode local -portfolio none", "-portfolio"},
		{"-mode local -ratio .5", "-ratio"},
		{"-mode local -setup", ""}, // of individual, which the saving is over
		{"-mode local -placement min-idle", "-placement"},
		{"-mode nowait -backfill none", "-backfill"},
		{"-mode local -backfill none", ""},
		{"-mode individual -reservations 3", "-reservations"},
		{"-mode sec -backfill conservative -reservations 3", "-reservations"},
		{"-mode sec -reservations 3", ""},
		{"-mode nowait -placement min-idle", ""},
		{"-mode sec -expansion sum -short 5m", "-short"},
		{"-mode individual -estimate 0", "-estimate"},
		{"-mode hybrid -portfolio exact", ""},
		{"-mode multi -portfolio none", ""},
		{"-mode multi -portfolio exact", "-portfolio exact is for hybrid, multi reserves online"},
		{"-portfolio exact", "-portfolio exact is for hybrid, multi reserves online"},
	} {
		var o options
		f := cli.NewFlags("sec")
		define(&o, f)
		if err := f.Parse(strings.Fields(c.args)); err != nil {
			t.Fatal(err)
		}
		got := ""
		f.Visit(func(g *flag.Flag) {
			if o.ignores(g.Name) {
				got = "-" + g.Name
			}
		})
		if got == "" {
			var b strings.Builder
			run := cli.Quiet()
			run.Stderr = &b
			if _, err := o.load(run); err != nil {
				t.Fatal(err)
			}
			_, got, _ = strings.Cut(strings.TrimSpace(b.String()), "note: ")
		}
		if got != c.want {
			t.Errorf("%s: the note %q, want %q", c.args, got, c.want)
		}
	}
	// And so it is.
	local, _ := tested.Must(t, "-mode", "local", "-json")
	for args, same := range map[string]bool{"-portfolio none": true, "-ratio .5": true, "-placement min-idle": true, "-setup": false} {
		if got, _ := tested.Must(t, append([]string{"-mode", "local", "-json"}, strings.Fields(args)...)...); (got == local) != same {
			t.Errorf("-mode local with and without %s: the same is %v", args, !same)
		}
	}
}

func TestCompared(t *testing.T) {
	for _, c := range []struct {
		x, base float64
		want    string
	}{
		{3, 4, "25.0% less"}, {4, 4, "0.0% less"}, {5, 4, "25.0% more"}, {8, 4, "100.0% more"}, {12, 4, "2.0 times more"}, {1, 0, "not less"},
	} {
		if got := compared(c.x, c.base, "less", "more"); got != c.want {
			t.Errorf("compared(%v, %v) = %q, want %q", c.x, c.base, got, c.want)
		}
	}
}

// An interrupted run leaves the old file and no temporary one.
func TestInterrupt(t *testing.T) {
	dir := t.TempDir()
	jobs := programtest.WriteIn(t, dir, "jobs.csv", "old")
	for signal, status := range map[os.Signal]int{os.Interrupt: 130, syscall.SIGTERM: 143} {
		programtest.Signal(t, signal, status, small, func() bool {
			entries, _ := os.ReadDir(dir)
			return len(entries) == 3 // the temporary files are there
		}, "-trace", "/dev/stdin", "-jobs", jobs, "-svg", filepath.Join(dir, "out.svg"))
		if entries, _ := os.ReadDir(dir); len(entries) != 1 || programtest.Read(t, jobs) != "old" {
			t.Errorf("%v left %v", signal, entries)
		}
	}
}

// The logs of shared/easy hold the waits that another program's EASY gave,
// against which every job's wait is compared ([Niu16] issue, "It must show" 2).
func TestWaitsOfTheLog(t *testing.T) {
	for _, c := range []struct {
		log   string
		nodes int
		jobs  int
		mean  string
	}{
		{"easy/KTH-SP2.swf.gz", 100, 28481, "6836.87"},
		{"easy/SDSC-SP2.swf.gz", 128, 54006, "20497.76"},
	} {
		path := shared.File(t, c.log)
		jobs := filepath.Join(t.TempDir(), "jobs.csv")
		stdout, _ := tested.Must(t, "-trace", path, "-mode", "local", "-nodes", strconv.Itoa(c.nodes), "-cores-per-node", "1", "-jobs", jobs, "-json")
		var rows []struct {
			Jobs int
			Wait float64 `json:"mean_wait_s"`
		}
		if err := json.Unmarshal([]byte(stdout), &rows); err != nil {
			t.Fatal(err)
		}
		if len(rows) != 1 || rows[0].Jobs != c.jobs || fmt.Sprintf("%.2f", rows[0].Wait) != c.mean {
			t.Errorf("%s: %+v, want %d jobs and a mean wait of %s s", c.log, rows, c.jobs, c.mean)
		}
		if different := differences(t, path, jobs); different != 0 {
			t.Errorf("%s: %d waits differ", c.log, different)
		}
	}
}

// differences counts the jobs of a log whose wait in -jobs is not the log's.
func differences(t *testing.T, log, jobs string) (n int) {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(programtest.Read(t, jobs))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	waits := make(map[string]string)
	for _, r := range rows[1:] {
		waits[r[0]] = r[3]
	}
	f, err := os.Open(log)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	seen := 0
	for r, err := range trace.NewReader(f).Records() {
		if err != nil {
			t.Fatal(err)
		}
		seen++
		if waits[strconv.FormatInt(r.ID, 10)] != strconv.FormatInt(int64(r.Wait/time.Second), 10) {
			n++
		}
	}
	return n + max(0, len(waits)-seen)
}

// The disciplines of the queue, on the made-up log and a full local cluster: without
// backfilling jobs wait longest; priorities for small jobs shorten the mean wait; one
// reservation is EASY.
func TestDisciplines(t *testing.T) {
	wait := func(args ...string) float64 {
		stdout, _ := tested.Must(t, append([]string{"-mode", "local", "-json"}, args...)...)
		var rows []struct {
			Wait float64 `json:"mean_wait_s"`
		}
		if err := json.Unmarshal([]byte(stdout), &rows); err != nil || len(rows) != 1 {
			t.Fatal(err, stdout)
		}
		return rows[0].Wait
	}
	small := programtest.Write(t, "weights.csv", "# small jobs first\nhour,1\nnode,-1\n")
	easy, one, four := wait(), wait("-reservations", "1"), wait("-reservations", "4")
	conservative, none, first := wait("-backfill", "conservative"), wait("-backfill", "none"), wait("-weights", small)
	t.Logf("mean waits: easy %v s, with 4 reservations %v, conservative %v, none %v, small jobs first %v", easy, four, conservative, none, first)
	if easy != one || easy == four || easy == conservative || none < 2*easy || first >= easy {
		t.Errorf("mean waits: easy %v s, with 1 reservation %v, with 4 %v, conservative %v, none %v, small jobs first %v", easy, one, four, conservative, none, first)
	}
}

// The ends of what a flag takes are taken, and what is just beyond is not.
func TestEndsOfFlags(t *testing.T) {
	for args, ok := range map[string]bool{
		"-ratio .001": true, "-ratio 1000": true, "-ratio .00099": false, "-ratio 1000.1": false,
		"-estimate 0": true, "-wait-limit 0s": true, "-short 0s": true, "-wait-limit -1ns": false,
		"-nodes 1": true, "-cores-per-node 1": true, "-reservations 1": true, "-nodes 1000000000": true, "-nodes 1000000001": false,
		"-cores-per-node 1000000000": true, "-cores-per-node 1000000001": false, "-mode sec": true, "-mode all": true, "-mode SEC": false,
	} {
		var o options
		f := cli.NewFlags("sec")
		define(&o, f)
		if err := f.Parse(strings.Fields(args)); (err == nil) != ok {
			t.Errorf("%s: %v, want it to be taken: %v", args, err, ok)
		}
	}
}

// The weights of a file are those that it gives, and of the users who are not in the log the
// first in the file is named.
func TestWeights(t *testing.T) {
	w, err := parseWeights(strings.NewReader("# ours\n hour , 2\nnode,-1e12\nuser,17,3.5\nuser,0,1\n"))
	if err != nil {
		t.Fatal(err)
	}
	if w.Hour != 2 || w.Node != -1e12 || w.User[17] != 3.5 || w.User[0] != 1 || len(w.User) != 2 {
		t.Errorf("%+v", w.Weights)
	}
	log := programtest.Write(t, "users.swf", small)
	tested.Mistake(t, "line 2: user 98 has no job in ", "-trace", log, "-weights", programtest.Write(t, "w.csv", "user,1,1\nuser,98,1\nuser,97,1\nuser,99,1\n"))
	if _, err := parseWeights(strings.NewReader("hour,1\n" + strings.Repeat("x", 1<<17))); err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("a line without end: %v", err)
	}
}

// Prices are of the instance that the list has, which the text says if the log's is another.
func TestOtherInstances(t *testing.T) {
	log := programtest.Write(t, "log", small)
	for cores, want := range map[string]bool{"2": true, strconv.Itoa(instanceProcessors): false} {
		text, _ := tested.Must(t, "-trace", log, "-cores-per-node", cores, "-mode", "sec")
		if got := strings.Contains(text, "also where -cores-per-node is"); got != want {
			t.Errorf("-cores-per-node %s: the text says so: %v\n%s", cores, got, text)
		}
	}
}

// The mode to choose is the cheapest in which jobs wait no longer than alone; if there is none,
// the cheapest of all; and never the owned cluster, which is compared with the choice.
func TestDecide(t *testing.T) {
	one := func(m semielastic.Mode, wait, pure, reserved int) semielastic.Run {
		r := semielastic.Run{Mode: m, Nodes: 4, Pure: pricing.Money(pure) * pricing.Unit, Paid: pricing.Money(2*pure) * pricing.Unit, Reserved: reserved}
		r.MeanWait = time.Duration(wait) * time.Second
		return r
	}
	alone := one(semielastic.Individual, 100, 100, 0)
	sec, slow := one(semielastic.SEC, 100, 80, 0), one(semielastic.GCE, 101, 10, 0)
	for name, c := range map[string]struct {
		shown []semielastic.Run
		want  string
	}{
		"as quick": {[]semielastic.Run{alone, sec, slow}, "Decision: sec is 20.0% cheaper than individual, waits 0.0% shorter.\n"},
		"the first of two": {[]semielastic.Run{alone, sec, one(semielastic.Multi, 1, 80, 0)},
			"Decision: sec is 20.0% cheaper than individual, waits 0.0% shorter.\n"},
		"reserved": {[]semielastic.Run{alone, sec, one(semielastic.Hybrid, 50, 60, 3)},
			"Decision: hybrid is 40.0% cheaper than individual, waits 50.0% shorter.\n" +
				"It reserves 3 instances, and pays $120 until the terms end, which saves only if\n  the load goes on so long.\n"},
		"all slower": {[]semielastic.Run{slow, one(semielastic.Local, 500, 1, 0)},
			"Decision: gce is 90.0% cheaper than individual, waits 1.0% longer.\nOwning 4 nodes is 90.0% cheaper than gce, waits 4.0 times longer.\n"},
		"owned alone":    {[]semielastic.Run{one(semielastic.Local, 50, 130, 0)}, "Decision: local is 30.0% dearer than individual, waits 50.0% shorter.\n"},
		"nothing better": {[]semielastic.Run{alone, slow}, "Decision: individual. No other mode costs less without more wait.\n"},
		"nothing beside": {[]semielastic.Run{alone}, "Decision: none, since individual has nothing beside it; -mode all compares.\n"},
	} {
		t.Run(name, func(t *testing.T) {
			var w table.Page
			(&modeRuns{individual: alone, shown: c.shown}).decide(&w)
			if diff := cmp.Diff("\n"+c.want, w.String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// By hand, as TestIndividual: 11 instance-hours, of $3 each.
func TestClasses(t *testing.T) {
	path := programtest.Write(t, "log", small)
	list := programtest.Write(t, "c.json", `{"on_demand": 3, "classes": [{"name": "1y", "term": "8760h", "upfront": 1, "hourly": 0, "billed": "always"}]}`)
	stdout, _ := tested.Must(t, "-trace", path, "-cores-per-node", "2", "-classes", list, "-mode", "individual", "-json")
	if !strings.Contains(stdout, `"cost":"33","pure_cost":"33"`) {
		t.Error(stdout)
	}
	text, _ := tested.Must(t, "-trace", path, "-cores-per-node", "2", "-classes", list, "-mode", "hybrid", "-portfolio", "exact")
	if !strings.Contains(text, "costs\n  $3.00 for every hour") || !strings.Contains(text, "It reserves 7 instances") || strings.Contains(text, "also where") {
		t.Error(text)
	}
	odd := programtest.Write(t, "c.json", `{"on_demand": 3, "classes": [{"name": "1y", "term": "90m", "upfront": 1, "hourly": 0, "billed": "always"}]}`)
	tested.Mistakes(t, t.TempDir(), []programtest.Wrong{
		{Args: []string{"-classes", odd}, Want: "want a whole number of slots of 1h"},
	})
}
