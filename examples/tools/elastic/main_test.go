package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/programtest"
	"github.com/plimsoll/plimsoll/examples/internal/renting"
	"github.com/plimsoll/plimsoll/examples/internal/shared"
	"github.com/plimsoll/plimsoll/pricing"
)

var tested = programtest.Program{Name: "elastic", Run: program.Run}

func TestGolden(t *testing.T) {
	stdout, stderr := tested.Must(t)
	programtest.Golden(t, "default.txt", stdout)
	programtest.Narrow(t, stdout, 80)
	if stderr != "" || strings.Count(stdout, "\n") > 40 {
		t.Errorf("notes %q, want none; %d lines, want at most 40", stderr, strings.Count(stdout, "\n"))
	}
	stdout, _ = tested.Must(t, "-runs", "1", "-json")
	programtest.Golden(t, "one.json", stdout)
}

func TestSeed(t *testing.T) {
	args := []string{"-runs", "2", "-json", "-policy", "od++", "-workload", "feitelson"}
	first, _ := tested.Must(t, args...)
	if again, _ := tested.Must(t, args...); again != first {
		t.Error("the same seed gives another result")
	}
	if other, _ := tested.Must(t, append(args, "-seed", "2")...); other == first {
		t.Error("another seed gives the same result")
	}
}

func TestHelp(t *testing.T) {
	words := []string{"sm", "od", "od++", "aqtp", "mcop-20-80"}
	tested.Help(t, program.FlagNames(), words...)
	stdout, _ := tested.Must(t, "-h")
	if n := strings.Count(stdout, "\n"); n > 60 {
		t.Errorf("-h has %d lines, want at most 60", n)
	}
	// The page of the program has the keys of what it writes, and the columns that it reads.
	dir := t.TempDir()
	credits, decisions := filepath.Join(dir, "credits"), filepath.Join(dir, "decisions")
	stdout, _ = tested.Must(t, "-runs", "1", "-policy", "od", "-json", "-credits", credits, "-decisions", decisions)
	page := programtest.Read(t, "main.go")
	words = cloudColumns
	for _, text := range []string{stdout, programtest.Read(t, credits), programtest.Read(t, decisions)} {
		for key := range programtest.Rows[map[string]any](t, text)[0] {
			key = strings.NewReplacer("_sd", "", "private", "NAME", "commercial", "NAME").Replace(key)
			words = append(words, key)
		}
	}
	for _, word := range words {
		if !strings.Contains(page, word) {
			t.Errorf("the page does not say %q", word)
		}
	}
}

// A policy alone gives what it gives among all.
func TestAlone(t *testing.T) {
	all, _ := tested.Must(t, "-runs", "1", "-json")
	for _, p := range []string{"sm", "aqtp", "mcop-80-20"} {
		one, _ := tested.Must(t, "-runs", "1", "-json", "-policy", p)
		row := strings.Split(one, "\n")[1]
		if !strings.Contains(all, row) {
			t.Errorf("%s alone gives %s, which is not among\n%s", p, row, all)
		}
	}
}

// The decision by hand: the fewest unfinished jobs come first, then the least cost within the
// tolerance of the lowest response time. Of equals the first is taken.
func TestDecision(t *testing.T) {
	one := func(hours, cost, unfinished int) renting.Cell {
		return renting.Cell{Runs: []renting.Run{{Jobs: 3, AWRT: time.Duration(hours) * time.Hour, Cost: pricing.Money(cost) * pricing.Unit, Unfinished: unfinished}}}
	}
	for name, c := range map[string]struct {
		tolerance      float64
		cells          []renting.Cell
		best, quickest int
	}{
		"quickest":           {.1, []renting.Cell{one(10, 9, 0), one(12, 1, 0)}, 0, 0},
		"on the edge":        {.2, []renting.Cell{one(10, 9, 0), one(12, 1, 0)}, 1, 0},
		"dearer and slower":  {.5, []renting.Cell{one(12, 9, 0), one(10, 8, 0)}, 1, 1},
		"cheapest of three":  {1, []renting.Cell{one(10, 9, 0), one(12, 5, 0), one(14, 6, 0)}, 1, 0},
		"unfinished is none": {1, []renting.Cell{one(1, 1, 2), one(10, 9, 1)}, 1, 1},
		"equals":             {1, []renting.Cell{one(10, 9, 0), one(10, 9, 0)}, 0, 0},
		"no job ends":        {1, []renting.Cell{one(10, 9, 3)}, -1, -1},
	} {
		t.Run(name, func(t *testing.T) {
			r := results{&renting.Results{Cells: c.cells}, c.tolerance}
			at := func(x *renting.Cell) int {
				for i := range c.cells {
					if &c.cells[i] == x {
						return i
					}
				}
				return -1
			}
			if best, quickest := r.choose(); at(best) != c.best || at(quickest) != c.quickest {
				t.Errorf("%d and %d, want %d and %d", at(best), at(quickest), c.best, c.quickest)
			}
		})
	}
}

const small = `; MaxProcs: 100
1 0 0 600 60 -1 -1 60 900 -1 1 1 1 1 1 1 -1 -1
2 10 0 4000 100 -1 -1 100 7200 -1 1 2 1 1 1 1 -1 -1
3 20 0 0 1 -1 -1 1 60 -1 1 1 1 1 1 1 -1 -1
4 30 0 3000 8 -1 -1 8 3600 -1 1 1 1 1 1 1 -1 -1
`

// lab writes the clouds of the paper, whose private cloud refuses a share of requests.
func lab(t *testing.T, reject string) string {
	t.Helper()
	return programtest.Write(t, "lab.csv", "name,limit,price,reject\nprivate,512,0,"+reject+"\ncommercial,,0.085,\n")
}

func TestTrace(t *testing.T) {
	for name, text := range map[string]string{"plain.swf.gz": small, "zipped.txt": programtest.Gzip(small)} {
		path := programtest.Write(t, name, text) // told by content, not by name
		stdout, notes := tested.Must(t, "-trace", path, "-clouds", lab(t, "0"), "-policy", "od", "-runs", "2", "-json")
		var rows []map[string]any
		if err := json.Unmarshal([]byte(stdout), &rows); err != nil {
			t.Fatal(err)
		}
		r := rows[0]
		awrt := r["awrt_s"].(float64)
		at := func(x float64) float64 { return (600*60 + 100*(4000+290+x) + 8*(3000+270+x)) / 168 }
		if len(rows) != 1 || r["jobs"] != 3. || r["cost"] != "0.000" || awrt < at(40) || awrt > at(90) {
			t.Errorf("%s: %v, want AWRT %.0f to %.0f", name, rows, at(40), at(90))
		}
		if want := (100.*4000 + 8*3000) / 3600; math.Abs(r["private_core_hours"].(float64)-want) > .01 {
			t.Errorf("%s: %v core-hours in the private cloud, want %.2f", name, r["private_core_hours"], want)
		}
		for _, note := range []string{"4 records, 3 jobs, 1 left out", "run time 0: 1"} {
			if !strings.Contains(notes, note) {
				t.Errorf("%s: the notes do not say %q:\n%s", name, note, notes)
			}
		}
	}
}

// wide has a job of more cores than the private cloud has instances, and one behind it.
const wide = small + "70 40 0 60 600 -1 -1 600 60 -1 1 1 1 1 1 1 -1 -1\n71 4000 0 60 1 -1 -1 1 60 -1 1 1 1 1 1 1 -1 -1\n"

// What the program writes: the decision and what is cheaper, jobs that a policy starves, and
// a log of which no job ends.
func TestTexts(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"small.swf": small, "wide.swf": wide, "long.swf": "1 0 0 3600 100 -1 -1 100 7200 -1 1 1 1 1 1 1 -1 -1\n"} {
		programtest.WriteIn(t, dir, name, text)
	}
	for name, args := range map[string]string{
		"dear":        "-trace DIR/small.swf -clouds " + lab(t, "1") + " -policy od,sm -runs 2 -tolerance 1000",
		"slower":      "-runs 2 -policy sm,od++,aqtp -tolerance 0",
		"starving":    "-trace DIR/wide.swf -clouds " + lab(t, "0.1") + " -policy sm -runs 2",
		"none":        "-trace DIR/long.swf -horizon 30m -policy od++,sm -runs 1",
		"none-of-two": "-trace DIR/long.swf -horizon 30m -policy od++,sm -runs 2",
		"none-json":   "-trace DIR/long.swf -horizon 30m -policy od++,sm -runs 2 -json",
	} {
		stdout, notes := tested.Must(t, strings.Fields(strings.ReplaceAll(args, "DIR", dir))...)
		programtest.Golden(t, name+".txt", strings.ReplaceAll(stdout+"Notes:\n"+notes, dir+"/", ""))
	}
}

func TestStarvingPolicy(t *testing.T) {
	path := programtest.Write(t, "wide.swf", wide)
	stdout, _ := tested.Must(t, "-trace", path, "-runs", "1", "-clouds", lab(t, "0.1"), "-json")
	var rows []struct {
		Policy     string
		Unfinished int     `json:"unfinished_jobs"`
		Cost       float64 `json:",string"`
	}
	if err := json.Unmarshal([]byte(stdout), &rows); err != nil {
		t.Fatal(err)
	}
	if len(rows) != len(renting.AllPolicies) {
		t.Fatalf("%d rows, want one for each policy", len(rows))
	}
	for _, r := range rows {
		switch r.Policy {
		case "mcop-80-20": // has no such promise
		case "sm":
			if r.Unfinished != 2 {
				t.Errorf("SM: %d jobs have not ended, want the one of 600 cores and the one behind it", r.Unfinished)
			}
		default:
			if r.Unfinished != 0 || r.Cost < 51 || r.Cost > 103 {
				t.Errorf("%s: %d jobs have not ended, cost %v, want 600 instances for one hour or two", r.Policy, r.Unfinished, r.Cost)
			}
		}
	}
}

func TestCreditsAndDecisions(t *testing.T) {
	dir := t.TempDir()
	credits, decisions := filepath.Join(dir, "credits.json"), filepath.Join(dir, "decisions.json")
	path := programtest.Write(t, "log.swf", strings.Replace(small, "2 10 0 4000 100 -1 -1 100", "2 10 0 4000 44 -1 -1 44", 1))
	tested.Must(t, "-trace", path, "-runs", "2", "-clouds", lab(t, "1"), "-policy", "od", "-credits", credits, "-decisions", decisions)
	read := func(path string, rows any) {
		b, err := os.ReadFile(path)
		if err == nil {
			err = json.Unmarshal(b, rows)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	var levels []struct {
		Policy          string
		Hour, Runs      int
		Credits, Lowest float64 `json:",string"`
	}
	read(credits, &levels)
	// 44 for job 2 and 8 for job 4, which finds no local cores before 600 s: $4.42.
	if len(levels) != 2 || levels[0].Hour != 0 || levels[0].Runs != 2 || levels[0].Credits != 5 || math.Abs(levels[0].Lowest-.58) > 1e-9 {
		t.Errorf("%+v, want $5 at 0 and a lowest level of 5 - 52·.085 in the first of two hours", levels)
	}
	var list []struct {
		At             float64 `json:"at_s"`
		Action, Cloud  string
		Instances      int
		Refused, Round int
		Waiting        int `json:"waiting_cores"`
		Why            string
		Credits        float64 `json:",string"`
	}
	read(decisions, &list)
	if len(list) < 2 {
		t.Fatalf("%+v", list)
	}
	if d := list[0]; d.At != 300 || d.Action != "launch" || d.Cloud != "private" || d.Instances != 52 || d.Refused != 52 || d.Waiting != 52 {
		t.Errorf("%+v, want 52 instances asked of the private cloud in vain", d)
	}
	if d := list[1]; d.At != 300 || d.Cloud != "commercial" || d.Instances != 52 || d.Refused != 0 || d.Round != 1 ||
		d.Why != "a cheaper cloud has refused" || math.Abs(d.Credits-.58) > 1e-9 {
		t.Errorf("%+v, want 52 in the commercial cloud, in the next round", d)
	}
}

func TestSearch(t *testing.T) {
	seen := map[string]bool{}
	for _, search := range []string{"genetic", "exact"} {
		stdout, _ := tested.Must(t, "-runs", "1", "-json", "-clouds", lab(t, "0.9"), "-policy", "mcop-20-80", "-search", search)
		seen[stdout] = true
	}
	if len(seen) != 2 {
		t.Error("both searches give the same")
	}
}

func TestRealLog(t *testing.T) {
	path := shared.File(t, "easy/KTH-SP2.swf.gz")
	stdout, _ := tested.Must(t, "-trace", path, "-policy", "od++", "-clouds", lab(t, "0.1"), "-runs", "1", "-json")
	var rows []struct {
		Jobs       float64
		Unfinished int `json:"unfinished_jobs"`
		AWQT       float64
	}
	if err := json.Unmarshal([]byte(stdout), &rows); err != nil {
		t.Fatal(err)
	}
	if len(rows) != 1 || rows[0].Jobs != 28481 || rows[0].Unfinished != 0 {
		t.Errorf("%+v, want all of 28,481 jobs to end", rows)
	}
}

func TestSVG(t *testing.T) {
	parts := []string{"average weighted response time", "core-hours", "cost", "private", "all clouds", "OD"}
	tested.SVG(t, []string{"-policy", "od", "-runs", "1"}, parts...)
	tested.SVG(t, []string{"-trace", programtest.Write(t, "long.swf", "1 0 0 3600 100\n"), "-horizon", "30m", "-runs", "2"}, "average weighted response time") // no job ends
	tested.SVG(t, []string{"-trace", programtest.Write(t, "a<b>&c\x01.swf", small), "-clouds", lab(t, "0"), "-runs", "1"}, parts...)
}

func TestMain(m *testing.M) { programtest.Main(m, main) }

func TestInterrupt(t *testing.T) { programtest.Interrupt(t, "-trace", "; Version: 2\n") }

func TestManagersTimes(t *testing.T) {
	row := func(args ...string) map[string]any {
		stdout, _ := tested.Must(t, append([]string{"-runs", "3", "-policy", "od++", "-json"}, args...)...)
		return programtest.Rows[map[string]any](t, stdout)[0]
	}
	clouds := programtest.Write(t, "clouds.csv", "name,limit,price,reject,release\nprivate,512,0,0.9,6m\ncommercial,,0.085,,6m\n")
	plain, slow := row("-clouds", lab(t, "0.9")), row("-overhead", "10m±2m", "-lead", "5m", "-clouds", clouds)
	if plain["cost"] == slow["cost"] || plain["awrt_s"].(float64) >= slow["awrt_s"].(float64) {
		t.Errorf("without %v, with %v", plain, slow)
	}
}

func TestGapOfYears(t *testing.T) {
	log := programtest.Write(t, "log.swf", "1 0 0 10 100 -1 -1 100 60\n2 315360000 0 10 100 -1 -1 100 60\n")
	begin := time.Now()
	stdout, _ := tested.Must(t, "-trace", log, "-runs", "1", "-clouds", lab(t, "0.5"), "-every", "1s", "-policy", "od,od++,aqtp,mcop-20-80", "-json")
	if took := time.Since(begin); took > 20*time.Second {
		t.Errorf("it takes %v, want less than 20 s", took)
	}
	for _, r := range programtest.Rows[map[string]any](t, stdout) {
		if r["jobs"] != 2. || r["unfinished_jobs"] != 0. || r["makespan_s"].(float64) < 315360010 {
			t.Errorf("%v: want two jobs that end, ten years apart", r)
		}
	}
}

// A flag that changes nothing is no mistake, and is said.
func TestIdleFlags(t *testing.T) {
	tested.Idle(t, "-workload changes", "-workload", "grid5000", "-runs", "1", "-policy", "sm", "-trace", programtest.Write(t, "log.swf", small))
	tested.Idle(t, "-response and -search change", "-runs", "1", "-policy", "od", "-search", "exact", "-response", "1h")
}

func TestBrokenOutput(t *testing.T) {
	tested.Broken(t, []string{"-runs", "1", "-policy", "sm"}, []string{"-runs", "1", "-policy", "sm", "-json"})
}

func many(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "c%d,1\n", i)
	}
	return b.String()
}

// The user's mistakes end with one sentence and status 2, before anything is
// printed, and leave no file.
func TestMistakes(t *testing.T) {
	tested.Frame(t, "svg", "credits", "decisions")
	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	log := programtest.Write(t, "log.swf", small)
	clouds := func(text string) string { return programtest.Write(t, "clouds.csv", text) }
	big := programtest.Write(t, "big.swf", small+"5 40 0 60 513 -1 -1 513 60 -1 1 1 1 1 1 1 -1 -1\n")
	tested.Mistakes(t, dir, []programtest.Wrong{
		{[]string{"-workload", "lublin"}, "want feitelson or grid5000"},
		{[]string{"-policy", "mcop"}, "want all, or some of sm, od, od++, aqtp and mcop-20-80"},
		{[]string{"-budget", "-5"}, "from 0 to 1000 dollars"},
		{[]string{"-budget", "much"}, "want an amount from 0"},
		{[]string{"-budget", "1000.01"}, "to 1000 dollars"},
		{[]string{"-search", "random"}, "want genetic or exact"},
		{[]string{"-runs", "0"}, "from 1 to"},
		{[]string{"-policy", "mcop-20-70"}, "weights sum to 100"},
		{[]string{"-local", "-1"}, "whole number of cores from 0"},
		{[]string{"-every", "1ms"}, "from 1s, such as 5m"},
		{[]string{"-threshold", "-1s"}, "not negative"},
		{[]string{"-least", "5", "-most", "3"}, "-least, -first and -most"},
		{[]string{"-overhead", "4s", "-covered"}, "-overhead with -covered"},
		{[]string{"-tolerance", "-0.1"}, "a share that is not negative"},
		{[]string{"-clouds", clouds("name,spot,series,bid\na,made-up,t3.small,1\n")}, `line 2 (spot): made-up has no series "t3.small"`},
		{[]string{"-clouds", clouds("name,spot,bid\na," + log + ",1\n")}, "line 2 (spot)"},
		{[]string{"-clouds", clouds("name,spot,series,bid\na," + programtest.Write(t, "prices.csv", prices) + ",m5.large,1\n")}, "m5.large"},
		{[]string{"-overhead", "soon"}, "such as 50s or 50s±4s"},
		{[]string{"-lead", "1h"}, "below 1h"},
		{[]string{"-trace", programtest.Write(t, "bad.swf", small+"10 7300 0 abc 1\n"), "-svg", out},
			`bad.swf: trace: line 6, column 4 (run time): not a number: "abc"`},
		{[]string{"-trace", programtest.Write(t, "empty.swf", "")}, "there is no job in it"},
		// Nothing can ever be launched for 513 cores without credits; with them it can.
		{[]string{"-trace", big, "-budget", "0", "-clouds", lab(t, "0.1"), "-svg", out},
			"job 5 cannot be run: more instances than there can be: job 5 needs 513 cores, and no infrastructure can ever have more than 512"},
		{[]string{"-trace", big, "-budget", "0", "-clouds", lab(t, "1")}, "job 2 cannot be run"},
		{[]string{"-trace", programtest.Write(t, "huge.swf", small+"9 40 0 60 20000000 -1 -1 20000000 60 -1 1 1 1 1 1 1 -1 -1\n")},
			"job 9 needs 20000000 cores, and no infrastructure can ever have more than 70177, for which the credits of 30 days pay"},
	})
	tested.Must(t, "-trace", big, "-runs", "1", "-policy", "od++")
}

func TestMistakesInClouds(t *testing.T) {
	clouds := func(text string) string { return programtest.Write(t, "clouds.csv", text) }
	tested.Mistakes(t, t.TempDir(), []programtest.Wrong{
		{[]string{"-clouds", clouds("")}, "no column name: want a line of titles"},
		{[]string{"-clouds", clouds("name,colour\n")}, `the column "colour": want some of name, limit`},
		{[]string{"-clouds", clouds("name\n")}, "no cloud: want a line for each"},
		{[]string{"-clouds", clouds("name,price\na,0.1\nb,-0.1\n")}, `line 3 (price): "-0.1": want dollars an hour from 0`},
		{[]string{"-clouds", clouds("name,price\na,0.1\na,0.2\n")}, `line 3 (name): "a": want a name that no other cloud has`},
		{[]string{"-clouds", clouds("name,price\nlocal,0.1\n")}, `line 2 (name): "local": want another name`},
		{[]string{"-clouds", clouds("name,spot,bid\nlost,made-up,0.05\n")}, `line 2 (name): "lost": want another name: lost_core_hours of -json is not of a cloud`},
		{[]string{"-clouds", clouds("name,price,limit\na,1,99999999999999999\n")}, `line 2 (limit): "99999999999999999": want a whole number from 0 to 67108864`},
		{[]string{"-clouds", clouds("name,price,transfer\na,1,999999h\n")}, `line 2 (transfer): "999999h": want a span of time from 0s to 438000h`},
		{[]string{"-clouds", clouds("name,price,transfer_price\na,1,1000.01\n")}, `line 2 (transfer_price): "1000.01": want dollars a job from 0 to 1000`},
		{[]string{"-clouds", clouds("name,price\na,9000000000\n")}, `line 2 (price): "9000000000": want dollars an hour from 0 to 1000`},
		{[]string{"-covered", "-clouds", clouds("name,price,transfer\na,1,5m\n")}, "line 2 (transfer): a cloud with it cannot be run with -covered"},
		{[]string{"-clouds", clouds("name,price\n" + many(4097))}, "line 4098: more than 4096 clouds"},
		{[]string{"-clouds", clouds("name,price\n,0.1\n")}, `line 2 (name): "": want a name`},
		{[]string{"-clouds", clouds("name,price\nA b,0.1\n")}, "want lower-case letters"},
		{[]string{"-clouds", clouds("name,limit\na,\n")}, "line 2 (limit): none, though the cloud is free"},
		{[]string{"-clouds", clouds("name,limit\na,-3\n")}, "want a whole number from 0"},
		{[]string{"-clouds", clouds("name,limit,reject\na,3,2\n")}, "want a rate from 0 to 1"},
		{[]string{"-clouds", clouds("name,limit,boot\na,3,soon\n")}, "want a span of time that is not negative"},
		{[]string{"-clouds", clouds("name,limit\na,3,4\n")}, "line 2: 3 fields: want 2, one for each title"},
		{[]string{"-clouds", clouds("name,limit,price\n# a short one\na,3,\nb,3\n")}, "line 4: 2 fields: want 3, one for each title"},
		{[]string{"-clouds", clouds("name,type,price\na,s,1\na,b,1\na,s,2\n")}, `line 4 (name): "a_s": want a name that no other cloud has, or another type of it`},
		{[]string{"-clouds", clouds("name,price,cores\na,1,0\n")}, `line 2 (cores): "0": want a whole number from 1`},
		{[]string{"-clouds", clouds("name,price,speed\na,1,NaN\n")}, `line 2 (speed): "NaN": want a number from 0.001`},
		{[]string{"-clouds", clouds("name,limit,boot\na,3,5s±-1s\n")}, "such as 50s or 50s±4s"},
		{[]string{"-clouds", clouds("name,price,transfer_price\na,1,-1\n")}, "want dollars a job from 0"},
		{[]string{"-clouds", clouds("name,bid\na,0.1\n")}, "line 2 (spot): none, though there is a series or a bid"},
		{[]string{"-clouds", clouds("name,spot,bid,price\na,made-up,0.1,1\n")}, "line 2 (price): 1 with a file of spot prices"},
		{[]string{"-clouds", clouds("name,spot\na,made-up\n")}, "line 2 (bid): none"},
		{[]string{"-clouds", clouds("name,spot,bid\na,made-up,-0.1\n")}, `line 2 (bid): "-0.1": want dollars an hour above 0`},
	})
}

func TestEndsOfFlags(t *testing.T) {
	for args, ok := range map[string]bool{
		"-budget 0": true, "-budget 1000": true, "-budget 1000.000000001": false, "-lead 0s": true, "-lead 59m59s": true, "-lead -1s": false,
		"-local 0": true, "-runs 1": true, "-every 1s": true, "-threshold 0s": true, "-horizon 1ns": true, "-horizon 0s": false, "-horizon 438000h": true,
		"-horizon 438001h": false, "-response 0s": false, "-threshold 438000h": true, "-threshold 438001h": false, "-every 438000h": true,
		"-every 999ms": false, "-debt 0": true, "-debt 1000": true, "-least 3 -most 3": true, "-least 4 -most 3": false, "-tolerance 0": true,
		"-tolerance 1000": true, "-tolerance 1001": false, "-overhead 438000h": true, "-overhead 438001h": false,
	} {
		if _, err := program.Options(strings.Fields(args)...); (err == nil) != ok {
			t.Errorf("%s: %v, want it to be taken: %v", args, err, ok)
		}
	}
}
