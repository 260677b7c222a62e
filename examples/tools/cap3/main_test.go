package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/examples/internal/programtest"
	"github.com/plimsoll/plimsoll/examples/internal/shared"
)

// tested is run in the process of the tests. Its golden files are renewed by
// go test ./examples/tools/cap3 -update.
var tested = programtest.Program{Name: "cap3", Run: program.Run}

func rowsOf(t *testing.T, args ...string) (rows []map[string]any) {
	t.Helper()
	stdout, _ := tested.Must(t, append(args, "-json")...)
	if err := json.Unmarshal([]byte(stdout), &rows); err != nil {
		t.Fatal(err)
	}
	return rows
}

func find(rows []map[string]any, want map[string]any) (found []map[string]any) {
	for _, r := range rows {
		all := true
		for k, v := range want {
			all = all && r[k] == v
		}
		if all {
			found = append(found, r)
		}
	}
	return found
}

func TestGolden(t *testing.T) {
	stdout, stderr := tested.Must(t)
	programtest.Golden(t, "default.txt", stdout+"Notes:\n"+stderr)
	programtest.Narrow(t, stdout, 80)
	if n := strings.Count(stdout, "\n"); n > 40 {
		t.Errorf("%d lines, want at most 40", n)
	}
	t.Chdir(t.TempDir())
	if err := os.WriteFile("flat.csv", []byte(flattening), 0o666); err != nil {
		t.Fatal(err)
	}
	args := []string{"-profile", "flat.csv", "-deadline", "40m", "-starts", "3"}
	text, _ := tested.Must(t, append(args, "-why")...)
	rows, _ := tested.Must(t, append(args, "-json")...)
	if again, _ := tested.Must(t, append(args, "-why")...); again != text {
		t.Error("the same seed gives another result")
	}
	if other, _ := tested.Must(t, append(args, "-why", "-seed", "5")...); other == text {
		t.Error("another seed gives the same result")
	}
	t.Chdir(folder)
	programtest.Golden(t, "flattening.txt", text)
	programtest.Golden(t, "flattening.json", rows)
}

// folder is that of the tests.
var folder, _ = os.Getwd()

// An input is that of the application whose features it has, in any order; -task says which of
// several, and plans cases of the profile too.
func TestInputs(t *testing.T) {
	exact := programtest.Write(t, "exact.csv", eq2Profile)
	for args, want := range map[string]string{
		"":                          "x b 3, y b 2",
		"-task x":                   "x b 3",
		"-task x:a,y":               "x a 1, y b 2",
		"-input c:n=7":              "x c 7, y c 7",
		"-input c:n=7 -task y":      "y c 7",
		"-input c:n=7 -task y,x:a":  "y c 7, x a 1",
		"-input c:n=7 -input d:n=8": "x c 7, y c 7, x d 8, y d 8",
	} {
		o, err := program.Options(append(strings.Fields(args), "-profile", exact)...)
		if err != nil {
			t.Fatal(err)
		}
		in, err := o.read()
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, c := range in.tasks {
			got = append(got, fmt.Sprint(c.Application, " ", c.Name, " ", c.Features[0]))
		}
		if diff := cmp.Diff(want, strings.Join(got, ", ")); diff != "" {
			t.Errorf("%q (-want +got):\n%s", args, diff)
		}
		for i := range in.profiles {
			if !strings.Contains(want, in.profiles[i].Application+" ") {
				t.Errorf("%q: the profile of %s is fitted for nothing", args, in.profiles[i].Application)
			}
		}
	}
	o := options{inputs: []recordInput{{"C", []string{"dt", "iterations", "nz", "ny", "nx"}, []float64{1, 2, 3, 4, 5}}}}
	in, err := o.read()
	if err != nil || !slices.Equal(in.tasks[0].Features, []float64{5, 4, 3, 2, 1}) {
		t.Errorf("%v, %v", in, err)
	}
}

// Eq. (5) by hand: the program runs 600·size/P seconds exactly.
func TestByHand(t *testing.T) {
	path := programtest.Write(t, "exact.csv",
		"application,case,size,processes,seconds\nx,a,1,1,600\nx,a,1,20,30\nx,b,2,1,1200\nx,b,2,20,60\nx,c,3,1,1800\nx,c,3,20,90\n")
	for name, want := range map[string]string{
		"large:size=239": "5.2", // 239·600/20 = 7170 s on ⌈20/16⌉ = 2 instances for ⌈1.99 h⌉ = 2: $1.30·2·2
		"small:size=100": "2.6", // 100·600/20 = 3000 s, so ⌈0.83 h⌉ = 1: $1.30·2·1
	} {
		rows := rowsOf(t, "-profile", path, "-input", name, "-instance", "cc1.4xlarge", "-model", "eq2", "-deadline", "4h", "-starts", "1")
		choice := find(rows, map[string]any{"kind": "choice", "choice": "time"})[0]
		if choice["processes"] != 20. || choice["instances"] != 2. || choice["cost"] != want {
			t.Errorf("%s: %v", name, choice)
		}
	}
	// By the second, at $0.8211 for 16 cores: 7170 s on two for $3.27.
	rows := rowsOf(t, "-profile", path, "-input", "large:size=239", "-model", "eq2", "-deadline", "4h", "-starts", "1")
	if c := find(rows, map[string]any{"kind": "choice", "choice": "time"})[0]; !strings.HasPrefix(c["cost"].(string), "3.27") {
		t.Errorf("%v", c)
	}
}

var flattening = func() string {
	var b strings.Builder
	b.WriteString("application,case,size,processes,seconds\n")
	for _, n := range []int{1, 2, 4} {
		for i, p := range []int{2, 4, 8, 16, 32} {
			off := 1 + .01*float64((i*n)%5-2)
			fmt.Fprintf(&b, "flat,size %d,%d,%d,%.4f\n", n, n, p, off*(3600*float64(n)/float64(p)+.2*math.Log2(float64(p))))
		}
	}
	return b.String()
}()

var prices = func() string {
	var b strings.Builder
	b.WriteString("AvailabilityZone,InstanceType,ProductDescription,SpotPrice,Timestamp\n")
	start := time.Date(2013, 1, 1, 0, 0, 0, 0, time.UTC)
	for d := range 80 {
		p := .21 + .01*float64(d%3)
		if d%9 == 7 {
			p = 1.5
		}
		fmt.Fprintf(&b, "a,cc1.4xlarge,Linux/UNIX,%.3f,%s\n", p, start.Add(time.Duration(d)*12*time.Hour).Format(time.RFC3339))
	}
	fmt.Fprintf(&b, "a,c9.metal,Linux/UNIX,0.3,%s\na,c9.metal,Windows,0.5,%[1]s\na,c9.xlarge,Linux/UNIX,0.03,%[1]s\n", start.Format(time.RFC3339))
	return b.String()
}()

// A type that is not known here needs its price and its cores; those of a known type can be
// said otherwise.
func TestOwnInstance(t *testing.T) {
	for args, want := range map[string]string{
		"": "c7a.4xlarge 16 0.8211", "-on-demand 100": "c7a.4xlarge 16 100", "-ppn 8": "c7a.4xlarge 8 0.8211", "-instance cc1.4xlarge": "cc1.4xlarge 16 1.3",
		"-instance c9.xlarge -on-demand 0.2": "c9.xlarge 2 0.2", "-instance c9.metal -on-demand 4 -ppn 48": "c9.metal 48 4",
	} {
		x := find(rowsOf(t, append(strings.Fields(args), "-starts", "1")...), map[string]any{"kind": "instance"})[0]
		if got := fmt.Sprint(x["instance"], " ", x["processes"], " ", x["on_demand"]); got != want {
			t.Errorf("%q: %s, want %s", args, got, want)
		}
	}
}

func TestSpotFile(t *testing.T) {
	for name, text := range map[string]string{"plain.gz": prices, "zipped.csv": programtest.Gzip(prices)} {
		path := programtest.Write(t, name, text) // told by content, not by name
		rows := rowsOf(t, "-spot", path, "-instance", "cc1.4xlarge", "-starts", "5")
		if x := find(rows, map[string]any{"kind": "instance"}); len(x) != 1 || x[0]["on_demand"] != "1.3" || x[0]["processes"] != 16. {
			t.Errorf("%s: %v", name, x)
		}
	}
	path := programtest.Write(t, "prices.csv", prices)
	rows := rowsOf(t, "-spot", path, "-instance", "c9.xlarge", "-deadline", "2h", "-starts", "5")
	if x := find(rows, map[string]any{"kind": "instance"}); x[0]["on_demand"] != "0.1" || x[0]["processes"] != 2. {
		t.Errorf("%v", x)
	}
	// A flat price: spot costs 0.03 of the 0.1 on demand, whoever bids.
	for _, r := range find(rows, map[string]any{"kind": "schedule"}) {
		var cost, onDemand float64
		fmt.Sscan(r["cost"].(string), &cost)
		fmt.Sscan(r["on_demand_cost"].(string), &onDemand)
		if math.Abs(cost/onDemand-.3) > 1e-3 || r["met"] != 5. {
			t.Errorf("%v", r)
		}
	}
}

func TestRealPrices(t *testing.T) {
	path := shared.File(t, "spot/ec2_eu-west-3a_2020_ec2-prices-march-to-may.csv.gz")
	const large = "D:nx=408,ny=408,nz=408,iterations=300,dt=1"
	for _, args := range [][]string{
		{"-instance", "c5.2xlarge", "-deadline", "4h", "-input", large}, {"-instance", "c5.18xlarge", "-checkpoint", "15m", "-deadline", "4h", "-input", large},
		{"-instance", "c5.metal", "-ppn", "48", "-choose", "cost", "-deadline", "4h", "-input", large}, {"-instance", "c5.18xlarge", "-deadline", "15m"},
	} {
		rows := rowsOf(t, append(args, "-spot", path, "-model", "work", "-starts", "20")...)
		r := find(rows, map[string]any{"kind": "schedule"})[0]
		var cost, onDemand float64
		fmt.Sscan(r["cost"].(string), &cost)
		fmt.Sscan(r["on_demand_cost"].(string), &onDemand)
		if r["missed"] != 0. || cost > onDemand {
			t.Errorf("%q: %v", args, r)
		}
	}
}

func TestSVG(t *testing.T) {
	for _, args := range [][]string{nil, {"-profile", programtest.Write(t, "flat.csv", strings.ReplaceAll(flattening, "flat", "a<b\x01")), "-starts", "3"}} {
		text := tested.SVG(t, args, "predicted from the others (bars: 90%)", "Cost against time", "Spot price and bids", "MADE-UP", "chosen")
		if strings.Contains(text, "NaN") {
			t.Errorf("%q: numbers that are none", args)
		}
	}
}

func TestMain(m *testing.M) { programtest.Main(m, main) }

func TestInterrupt(t *testing.T) {
	programtest.Interrupt(t, "-profile", "application,size,processes,seconds\n")
}

func TestMistakes(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string { return programtest.Write(t, name, text) }
	flat := file("flat.csv", flattening)
	spot := file("spot.csv", prices)
	const titles = "application,size,processes,seconds\n"
	tested.Frame(t, "svg")
	mistakes := []programtest.Wrong{
		{[]string{"-input", "C"}, "-input C: no application of the profile that -task names has the features ; lu has nx, ny, nz, iterations and dt"},
		{[]string{"-profile", flat, "-input", "x:size=1", "-task", "round"}, "-input x: no application of the profile that -task names has the features size"},
		{[]string{"-input", "C:nx=many"}, "want a name and features with numbers"},
		{[]string{"-profile", flat, "-input", "A:size=0"}, "flat A: size is 0, and the model takes its logarithm: want a number above 0"},
		{[]string{"-model", "usl"},
			"usl needs runs on 3 numbers of processes, and the profile has 1 and 2 processes: profile it on another, or take -model amdahl, which needs 2"},
		{[]string{"-deadline", "0s"}, "above 0"},
		{[]string{"-deadline", "5m"}, "nothing is left of it after -latency 5m0s"},
		{[]string{"-deadline", "1500h"}, "the history of spot prices spans 1440h0m0s"},
		{[]string{"-budget", "-1"}, "not negative"},
		{[]string{"-on-demand", "0"}, "price above 0"},
		{[]string{"-latency", "-1s"}, "not negative"},
		{[]string{"-confidence", "1"}, "from 0.5 to below 1"},
		{[]string{"-confidence", "NaN"}, "from 0.5 to below 1"},
		{[]string{"-scale", "0.5"}, "from 1 to 1000"},
		{[]string{"-choose", "best"}, "want time, cost or sure"},
		{[]string{"-ppn", "0"}, "from 1 to"},
		{[]string{"-starts", "0"}, "from 1 to"},
		{[]string{"-task", "lu:"}, "APPLICATION:CASE"},
		{[]string{"-task", "hpl"}, "no such application in the profile; it has lu"},
		{[]string{"-task", "lu:Z"}, "-task lu:Z: there is no such case in the profile; -input plans others"},
		{[]string{"-instance", "m9.huge"}, "-instance m9.huge: its price and its cores are not known here: say them with -on-demand and -ppn, or give -spot"},
		{[]string{"-model", "eq2", "-task", "lu"}, "lu: eq2 cannot be fitted: fewer rows than columns: 6 for 7"},
		{[]string{"-profile", file("empty.csv", "")}, "empty.csv: profile: missing: want a line of titles"},
		{[]string{"-profile", file("zero.csv", titles+"x,1,1,10\nx,1,2,0\n")}, "zero.csv: line 3 (seconds): number is not positive"},
		{[]string{"-profile", file("minus.csv", titles+"x,1,1,10\nx,1,2,-4\n")}, "line 3 (seconds): number is not positive"},
		{[]string{"-profile", file("word.csv", titles+"x,1,1,ten\n")}, `line 2 (seconds): not a table of the form expected: "ten": want a number`},
		{[]string{"-profile", file("short.csv", titles+"x,1,1,10\nx,1,2\n")}, "short.csv: line 3 (profile): "},
		{[]string{"-profile", file("none.csv", titles+"x,1,0,10\n")}, "line 2 (processes)"},
		{[]string{"-profile", file("few.csv", titles+"x,1,1,10\nx,2,2,11\n")}, "fewer rows than columns"},
		{[]string{"-profile", file("log.csv", titles+"x,0,1,10\nx,1,2,6\nx,2,1,20\nx,3,1,30\nx,3,2,16\n")},
			"x: no model can be fitted: the run on 1 process: number is not positive: size is 0"},
		{[]string{"-spot", spot}, "say with -instance which prices are meant: those of c9.metal, c9.xlarge, cc1.4xlarge"},
		{[]string{"-spot", spot, "-instance", "c5.large"}, "there is no -instance c5.large in it; there is c9.metal, c9.xlarge, cc1.4xlarge"},
		{[]string{"-spot", spot, "-instance", "c9.metal"}, "say so with -ppn"},
		{[]string{"-spot", spot, "-instance", "c9.metal", "-product", "BSD"}, "there is no -product BSD in it; there is Linux/UNIX, Windows"},
		{[]string{"-spot", spot, "-instance", "c9.metal", "-zone", "b"}, "there is no -zone b in it; there is a"},
		{[]string{"-spot", file("zones.csv", strings.ReplaceAll(prices, "a,c9.xlarge", "b,cc1.4xlarge")), "-instance", "cc1.4xlarge"},
			"say with -zone which prices are meant: those of a, b"},
		{[]string{"-spot", file("other.csv", "benchmark,class\nlu,A\n")}, "other.csv: line 1: "},
		{[]string{"-profile", file("one.csv", titles+"x,1,1,10\nx,2,1,20\nx,3,1,31\n")},
			"x: no model can be fitted: all runs are on 1 process, which does not tell how it scales; profile it on others, too"},
		{[]string{"-profile", file("single.csv", titles+"x,1,1,10\n")}, "fewer rows than columns: 1 for 3 coefficients"},
		{[]string{"-spot", file("bad.csv", prices+"a,b,c,much,2013-01-01T00:00:00Z\n")}, "bad.csv: line 85 (SpotPrice): "},
		{[]string{"-deadline", "90000h"}, "above 0, such as 2h"},
		{[]string{"-latency", "90000h"}, "not negative, such as 5m"},
		{[]string{"-budget", "1000000001"}, "amount of money"},
		{[]string{"-on-demand", "1000000001"}, "price above 0"},
		{[]string{"-confidence", "0.49"}, "from 0.5 to below 1"},
		{[]string{"-scale", "1001"}, "from 1 to 1000"},
		{[]string{"-ppn", "10001"}, "from 1 to 10,000"},
		{[]string{"-starts", "10001"}, "from 1 to 10,000"},
		{[]string{"-task", ":C"}, "want APPLICATION or APPLICATION:CASE"},
	}
	tested.Mistakes(t, dir, mistakes)
	all := "" // each sentence whole, without the folders of this run
	for _, c := range mistakes {
		all += regexp.MustCompile(`[^ ,]*TestMistakes[^/]*/\d+(/|\b)`).ReplaceAllString(tested.Mistake(t, c.Want, c.Args...), "") + "\n"
	}
	programtest.Golden(t, "mistakes.txt", all)
	for _, args := range [][]string{
		{"-deadline", "87600h"}, {"-budget", "0"}, {"-budget", "1000000000"}, {"-on-demand", "1000000000"}, {"-confidence", "0.5"}, {"-scale",
			"1"}, {"-scale", "1000"}, {"-ppn", "1"}, {"-ppn", "10000"},
		{"-starts", "10000"}, {"-latency", "0s"},
	} {
		if _, err := program.Options(args...); err != nil {
			t.Errorf("%q: %v", args, err)
		}
	}
}

const eq2Profile = "application,case,n,processes,seconds\nx,a,1,1,1600\nx,a,1,4,400\nx,b,3,1,4800\nx,b,3,4,1200\ny,a,1,1,900\ny,a,1,8,112.5\ny,b,2,1,1800\ny,b,2,8,225\n"

// What the program writes, whole, with its notes, about profiles whose models are simple.
func TestTexts(t *testing.T) {
	dir := t.TempDir()
	programtest.WriteIn(t, dir, "flat.csv", flattening)
	programtest.WriteIn(t, dir, "exact.csv", eq2Profile)
	programtest.WriteIn(t, dir, "spot.csv", prices)
	programtest.WriteIn(t, dir, "two.csv", "processes,seconds\n1,100\n2,52\n4,27\n")
	programtest.WriteIn(t, dir, "own.csv", "\ufeffapplication,case,size,processes,seconds\r\ncg,a,1,1,10\r\ncg,a,1,2,5.1\r\ncg,b,2,1,20.5\r\ncg,b,2,2,10.2\r\ncg,c,4,1,40\r\n")
	programtest.WriteIn(t, dir, "slower.csv", flattening+"flat,size 1,1,64,120\nflat,size 2,2,64,240\nflat,size 4,4,64,480\n")
	t.Chdir(dir)
	texts := map[string]string{}
	for name, args := range map[string]string{
		"exact":       "-profile exact.csv -model eq2 -deadline 2h -budget 3 -starts 2 -why",
		"cheap":       "-profile exact.csv -model eq2 -deadline 45m -budget 1 -choose cost -starts 2 -task x:b,y",
		"sure":        "-profile flat.csv -deadline 40m -choose sure -confidence 0.99 -starts 1 -scale 2 -why",
		"late":        "-profile exact.csv -model eq2 -deadline 6m -budget 0.5 -starts 1",
		"checkpoints": "-profile exact.csv -model eq2 -deadline 5h -checkpoint 20m -checkpoint-cost 2m -starts 3",
		"spot":        "-profile exact.csv -model eq2 -deadline 2h -spot spot.csv -instance cc1.4xlarge -starts 2 -why",
		"own":         "-profile exact.csv -model eq2 -deadline 2h -spot spot.csv -instance c9.metal -ppn 4 -on-demand 0.9 -starts 2",
		"json":        "-profile exact.csv -model eq2 -deadline 2h -budget 3 -starts 2 -json -checkpoint 20m",
		"slower":      "-profile slower.csv -model amdahl -deadline 1h -starts 1 -why",
		"own-program": "-profile own.csv -starts 1",
		"one-case":    "-profile two.csv -starts 1",
		// Further beyond the profile than any step within it, and no size is in time.
		"far": "-input D:nx=408,ny=408,nz=408,iterations=300,dt=1 -deadline 30m -starts 1 -why",
		// What is promised beyond the profile is bought by -scale only; of a budget of 2 dollars one
		// instance is left.
		"not-bought":   "-profile flat.csv -deadline 1h -starts 1 -instance cc1.4xlarge -why",
		"scaled":       "-profile flat.csv -deadline 1h -starts 1 -instance cc1.4xlarge -scale 4 -why",
		"scaled-json":  "-profile flat.csv -deadline 1h -starts 1 -instance cc1.4xlarge -scale 4 -json",
		"one-instance": "-profile flat.csv -deadline 1h -starts 1 -instance cc1.4xlarge -budget 2 -why",
		"sure-json":    "-starts 1 -choose sure -deadline 12m -confidence 0.95 -json",
		// A long task is interrupted, and goes on from its checkpoints.
		"interrupted": "-profile flat.csv -input big:size=500 -instance cc1.4xlarge -deadline 90h -budget 0 -starts 3 -seed 5 -checkpoint 1h -why",
	} {
		stdout, stderr := tested.Must(t, strings.Fields(args)...)
		texts[name] = stdout + "Notes:\n" + stderr
	}
	t.Chdir(folder)
	for name, text := range texts {
		programtest.Golden(t, "texts/"+name+".txt", text)
	}
}

func TestBrokenOutput(t *testing.T) {
	tested.Broken(t, []string{"-starts", "1"}, []string{"-starts", "1", "-json"})
}

// The texts of help fit a screen, and the page of the program has what they leave out.
func TestHelp(t *testing.T) {
	tested.Help(t, program.FlagNames(), modelNames[:]...)
	page := programtest.Read(t, "main.go")
	for _, words := range []string{runUsage, usage, recordUsage, profileUsage} {
		if n := strings.Count(words, "\n"); n > 60 {
			t.Errorf("%d lines of help, want at most 60:\n%s", n, words)
		}
	}
	for _, r := range rowsOf(t, "-starts", "1") {
		for key := range r {
			if !strings.Contains(page, key) {
				t.Errorf("the page does not say %q of %v", key, r["kind"])
			}
		}
	}
}

// The last step on a deadline: a plan that is due earlier is another, and defaults are told.
func TestDefaults(t *testing.T) {
	for args, want := range map[string]time.Duration{"": 16 * time.Minute, "-deadline 20m": 20 * time.Minute, "-task lu": 2 * time.Hour,
		"-profile x": 2 * time.Hour} {
		if o, err := program.Options(strings.Fields(args)...); err != nil || o.deadline != want || (o.inputs != nil) != (want < time.Hour) {
			t.Errorf("%q: %v, %v", args, o.deadline, err)
		}
	}
	tested.Idle(t, "-checkpoint-cost and -zone change", "-zone", "a", "-checkpoint-cost", "2m", "-starts", "1")
}

func TestCharts(t *testing.T) {
	flat, exact := programtest.Write(t, "flat.csv", flattening), programtest.Write(t, "exact.csv", eq2Profile)
	text := ""
	for _, args := range [][]string{
		{"-profile", exact, "-model", "eq2", "-deadline", "2h", "-budget", "3", "-starts", "2"},
		{"-profile", flat, "-model", "amdahl", "-deadline", "50m", "-choose", "cost", "-starts", "3"},
		{"-profile", flat, "-input", "big:size=500", "-instance", "cc1.4xlarge", "-deadline", "90h", "-budget", "0", "-starts", "9", "-seed", "5", "-checkpoint", "1h"},
	} {
		r, err := program.Results(args...)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range r.charts() {
			text += fmt.Sprintf("%s | %s | %s | %q, logarithms %v %v\n", c.Title, c.X, c.Y, c.Labels, c.LogX, c.LogY)
			for _, s := range c.Series {
				n := min(len(s.X), 40) // the beginning of a history
				text += fmt.Sprintf("  %s, points %v, steps %v, rings %v, %d\n    %.4g\n    %.4g\n", s.Name, s.Points, s.Steps, s.Rings, len(s.Y), s.X[:n],
					s.Y[:min(len(s.Y), 40)])
				if s.Low != nil {
					text += fmt.Sprintf("    %.4g\n    %.4g\n", s.Low, s.High)
				}
			}
		}
	}
	programtest.Golden(t, "charts.txt", text)
}
