package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/examples/internal/programtest"
	"github.com/plimsoll/plimsoll/examples/internal/shared"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
)

// tested is run in the process of the tests. Its golden files are renewed by
// go test ./examples/tools/plan -update.
var tested = programtest.Program{Name: "plan", Run: program.Run}

func TestMain(m *testing.M) { programtest.Main(m, main) }

// setClock has the program see times that take turns, one a solve.
func setClock(t *testing.T, turns ...time.Duration) (solves *int) {
	t.Helper()
	at, calls := time.Time{}, 0
	solves = new(int)
	now = func() time.Time {
		if calls++; calls%2 == 0 {
			at = at.Add(turns[*solves%len(turns)])
			*solves++
		}
		return at
	}
	t.Cleanup(func() { now = time.Now })
	return solves
}

func TestGolden(t *testing.T) {
	setClock(t, 1234567*time.Nanosecond)
	stdout, stderr := tested.Must(t)
	programtest.Golden(t, "default.txt", stdout)
	programtest.Golden(t, "default-notes.txt", stderr)
	programtest.Narrow(t, stdout, 80)
	programtest.Narrow(t, stderr, 80)
	if n := strings.Count(stdout+stderr, "\n"); n > 40 {
		t.Errorf("%d lines: want 40 at most", n)
	}
	stdout, _ = tested.Must(t, "-algo", "exact")
	programtest.Golden(t, "exact.txt", stdout)
	stdout, _ = tested.Must(t, "-algo", "periodic", "-json")
	programtest.Golden(t, "periodic.json", stdout)

	week := programtest.Write(t, "week.json", `{"on_demand": 0.4, "classes": [{"name": "30d", "term": "720h", "upfront": 194.4, "hourly": 0, `+
		`"billed": "always"}]}`)
	one, _ := tested.Must(t, "-algo", "wang-random", "-json", "-classes", week)
	if again, _ := tested.Must(t, "-algo", "wang-random", "-json", "-runs", "3", "-classes", week); again != one {
		t.Error("the same seed gives another plan")
	}
	if other, _ := tested.Must(t, "-algo", "wang-random", "-json", "-seed", "3", "-classes", week); other == one {
		t.Error("another seed gives the same plan")
	}
}

func TestHelp(t *testing.T) {
	var words []string
	for _, a := range algorithms {
		words = append(words, a.name)
	}
	tested.Help(t, program.FlagNames(), words...)
}

// A small problem: by hand, level 1 is busy in slots 0 to 3, level 2 in slots 1 and 2. On demand
// 6·$2. A reservation of 4 slots costs $5, $3 less than on demand at level 1 and $1 more at level 2.
const (
	smallDemand  = "instances\n1\n2\n2\n1\n"
	smallClasses = `{"on_demand": 2, "classes": [
  {"name": "four", "term": "4h", "upfront": 5, "hourly": 0, "billed": "always"}]}
`
)

type row struct {
	Algo       string
	Class      string
	Cost       string
	LowerBound string `json:"lower_bound"`
	Bound      string
	Gap        *float64
	Saving     float64
	Seconds    float64
	Purchases  *int
}

func decode(t *testing.T, stdout string) (rows []row) {
	t.Helper()
	if err := json.Unmarshal([]byte(stdout), &rows); err != nil {
		t.Fatal(err)
	}
	return rows
}

func TestJSON(t *testing.T) {
	setClock(t, 2*time.Millisecond)
	classes := programtest.Write(t, "classes.json", smallClasses)
	want := `[
  {"algo":"exact","cost":"9","lower_bound":"9","bound":"exact","gap":0,"saving":0.25,"seconds":0.002,"purchases":1,"reservations":1}
]
`
	for _, text := range []string{smallDemand, programtest.Gzip(smallDemand), "\xef\xbb\xbf" + strings.ReplaceAll(smallDemand, "\n", "\r\n"),
		smallDemand + "\n\n"} {
		got, _ := tested.Must(t, "-demand", programtest.Write(t, "d.csv", text), "-classes", classes, "-algo", "exact", "-json")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
	// The same as a forecast's file, as a series week by week, and with a term that is no whole
	// number of slots.
	for form, text := range map[string]string{
		"forecast": "series,step,forecast,low,high\nx,1,1.2,0,3\nx,2,1.5,0,3\nx,3,2.4,0,3\nx,4,0.9,0,3\n",
		"series":   "week,value\n1,1\n2,2\n3,2\n4,1\n",
		"dates":    "date,value\n2024-01-01,1\n2024-01-08,2\n2024-01-15,2\n2024-01-22,1\n",
	} {
		got, _ := tested.Must(t, "-demand", programtest.Write(t, "d.csv", text), "-classes", programtest.Write(t, "c.json",
			strings.ReplaceAll(smallClasses, "4h", "270m")), "-algo", "exact", "-json", "-slot", "1h")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", form, diff)
		}
	}
	// The same with slots and terms of a quarter of an hour is a quarter of the price on demand.
	rows := decode(t, first(tested.Must(t, "-demand", programtest.Write(t, "d.csv", smallDemand), "-json", "-slot", "15m",
		"-classes", programtest.Write(t, "c.json", strings.ReplaceAll(smallClasses, "4h", "1h")))))
	for _, r := range rows {
		if r.Algo == "ondemand" && r.Cost != "3" || r.Cost == "" || r.Purchases == nil {
			t.Errorf("%+v", r)
		}
	}
	if len(rows) != len(algorithms) {
		t.Errorf("%d rows of %d", len(rows), len(algorithms))
	}
}

func first(a, _ string) string { return a }

// Free instances: the bound is 0, a gap over 0 is 0 or nothing, and nothing is divided by 0.
func TestZero(t *testing.T) {
	demand := programtest.Write(t, "d.csv", "n\n0\n0\n")
	for _, r := range decode(t, first(tested.Must(t, "-demand", demand, "-json"))) {
		if r.Cost != "0" || r.Gap == nil || *r.Gap != 0 || r.Saving != 0 {
			t.Errorf("%+v", r)
		}
	}
	tested.Must(t, "-demand", demand)
	none := programtest.Write(t, "none.json", `{"on_demand": 1, "classes": []}`)
	for _, r := range decode(t, first(tested.Must(t, "-classes", none, "-json"))) {
		if *r.Purchases != 0 || r.Cost != "458642" || *r.Gap != 0 {
			t.Errorf("without classes: %+v", r)
		}
	}
	tested.Must(t, "-classes", none, "-svg", filepath.Join(t.TempDir(), "out.svg"))
}

// By hand: one held reservation until slot 3 leaves 0, 1, 1, 1 of the demand: on demand $6, and a
// reservation of $5 is worth it for slots 1 to 3 if all are on demand ($6).
func TestHeld(t *testing.T) {
	demand, classes := programtest.Write(t, "d.csv", smallDemand), programtest.Write(t, "c.json", smallClasses)
	for _, until := range []string{`3`, `"3h"`, `"180m"`} {
		held := programtest.Write(t, "held.json", `[{"until": `+until+`, "class": "four", "count": 1}]`)
		rows := decode(t, first(tested.Must(t, "-demand", demand, "-classes", classes, "-held", held, "-json")))
		for _, r := range rows {
			if want := map[string]string{"exact": "5", "ondemand": "6"}[r.Algo]; want != "" && r.Cost != want {
				t.Errorf("until %s: %+v, want a cost of %s", until, r, want)
			}
		}
	}
	// What is owed for each hour of the inventory is not in the cost, of any algorithm.
	owed := programtest.Write(t, "c.json", strings.Replace(smallClasses, `"hourly": 0`, `"hourly": 0.1`, 1))
	held := programtest.Write(t, "held.json", `[{"class": "four", "count": 2, "until": 3}]`)
	for _, r := range decode(t, first(tested.Must(t, "-demand", demand, "-classes", owed, "-held", held, "-json"))) {
		if r.Algo == "exact" && r.Cost != "2" || r.Algo == "ondemand" && r.Cost != "2" {
			t.Errorf("%+v", r)
		}
	}
}

// By hand: 12 is least, but twice the demand costs 23, so that the linear program is at most 11.5. (With whole
// prices it would prove 12: costs are whole then.)
func TestProvedGap(t *testing.T) {
	args := []string{"-demand", programtest.Write(t, "d.csv", "n\n0\n1\n1\n1\n"), "-algo", "exact", "-classes",
		programtest.Write(t, "c.json", `{"on_demand": 7.01, "classes": [
  {"name": "two", "term": "2h", "upfront": 7, "hourly": 0, "billed": "always"},
  {"name": "four", "term": "4h", "upfront": 3, "hourly": 3, "billed": "when-used"}]}`)}
	got := decode(t, first(tested.Must(t, append(args, "-json")...)))[0]
	if got.Cost != "12" || got.LowerBound != "11.5" || got.Bound != "lp" || *got.Gap != .043478261 {
		t.Errorf("%+v", got)
	}
	if text, _ := tested.Must(t, args...); !strings.Contains(text, "that of exact's linear program") {
		t.Error(text)
	}
}

// The program's cost of the exact plan is the solver's, for all that the flags allow.
func TestCost(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 1))
	for range 300 {
		p := reserve.Problem{Slot: []time.Duration{time.Hour, 15 * time.Minute}[random.IntN(2)], Every: 1 + random.IntN(3),
			Horizon: reserve.Horizon(random.IntN(2))}
		for range 1 + random.IntN(20) {
			p.Demand = append(p.Demand, random.IntN(6))
		}
		p.Prices.OnDemand = pricing.Money(1000 * (1 + random.Int64N(1000)))
		for k := range 1 + random.IntN(3) {
			p.Prices.Classes = append(p.Prices.Classes, pricing.Class{
				Name: fmt.Sprint(k), Term: p.Slot * time.Duration(2+random.IntN(6)), Upfront: pricing.Money(random.Int64N(3_000_000)),
				Hourly: pricing.Money(1000 * random.Int64N(200)), Billed: pricing.Always,
			})
		}
		if random.IntN(2) == 0 {
			p.Held = append(p.Held, pricing.Holding{Class: 0, Count: random.IntN(3), Until: random.IntN(int(p.Prices.Classes[0].Term / p.Slot))})
		}
		var exact reserve.Exact
		plan, err := exact.Solve(&p)
		if err != nil {
			t.Fatal(err)
		}
		r := &results{in: &input{problem: p}}
		got, onDemand, err := r.cost(plan.Purchases)
		if err != nil {
			t.Fatal(err)
		}
		if onDemand != plan.Bill.OnDemandSlots {
			t.Errorf("%+v: %d slots on demand, want %d", p, onDemand, plan.Bill.OnDemandSlots)
		}
		// The bill rounds a few lines, each by half a nano at most.
		if d := got - plan.Cost; d < -10 || d > 10 || p.Horizon == reserve.Full && p.Slot == time.Hour && d != 0 {
			t.Errorf("%+v: %v, want %v", p, got, plan.Cost)
		}
	}
}

// The time is the median of -runs, and of a rule for one class the sum over the classes.
func TestRuns(t *testing.T) {
	ms := time.Millisecond
	demand, classes := programtest.Write(t, "d.csv", smallDemand), programtest.Write(t, "c.json", smallClasses)
	for _, c := range []struct {
		runs string
		want float64
	}{{"1", .009}, {"3", .002}, {"5", .003}, {"4", .002}} {
		solves := setClock(t, 9*ms, 1*ms, 2*ms, 3*ms, 4*ms)
		rows := decode(t, first(tested.Must(t, "-demand", demand, "-classes", classes, "-algo", "exact", "-json", "-runs", c.runs)))
		if rows[0].Seconds != c.want {
			t.Errorf("-runs %s: %v s, want %v", c.runs, rows[0].Seconds, c.want)
		}
		// Two more are for the saving and, though it is not shown, Eq. (5).
		if got := fmt.Sprint(*solves - 2); got != c.runs {
			t.Errorf("-runs %s: %s solves", c.runs, got)
		}
	}
	setClock(t, ms)
	rows := decode(t, first(tested.Must(t, "-algo", "hgr", "-json", "-runs", "2")))
	if rows[0].Seconds != .003 {
		t.Errorf("hgr over three classes: %v s, want 0.003", rows[0].Seconds)
	}
}

// An algorithm that is not for the problem is said to be missing among all, and an error alone.
func TestUnsupported(t *testing.T) {
	demand, classes := programtest.Write(t, "d.csv", smallDemand), programtest.Write(t, "c.json", smallClasses)
	args := []string{"-demand", demand, "-classes", classes, "-every", "3h"}
	stdout, _ := tested.Must(t, args...)
	for _, want := range []string{"\nexact ", "\nsec ", "\nhgr ", "Not for rho, ", "periodic", "-every: 3 slots: want"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("plan %q does not say %q:\n%s", args, want, stdout)
		}
	}
	if strings.Contains(stdout, "\nrho ") {
		t.Errorf("rho is shown:\n%s", stdout)
	}
	rows, stderr := tested.Must(t, append(args, "-json")...)
	if strings.Contains(rows, `"rho"`) || !strings.Contains(stderr, "Not for rho, ") {
		t.Errorf("-json: %s%s", stderr, rows)
	}
	status, stdout, stderr := tested.Try(append(args, "-algo", "rho")...)
	if status != 2 || stdout != "" || !strings.HasSuffix(stderr, "plan: -algo rho is not for this problem: -every: 3 slots: want purchases at every slot\n") {
		t.Errorf("-algo rho: exit status %d, %q, %q", status, stdout, stderr)
	}
}

func TestSVG(t *testing.T) {
	odd := programtest.Write(t, "odd.json", strings.ReplaceAll(smallClasses, "four", `a<b>&c\u0001`))
	demand := programtest.Write(t, "d.csv", smallDemand)
	held := programtest.Write(t, "held.json", `[{"class": "four", "count": 1, "until": 2}]`)
	for _, c := range []struct {
		args []string
		buys bool
	}{
		{nil, true},
		{[]string{"-algo", "periodic"}, true},
		{[]string{"-algo", "ondemand"}, false},
		{[]string{"-algo", "eq5"}, false},
		{[]string{"-demand", demand, "-classes", odd}, true},
		{[]string{"-demand", demand, "-classes", programtest.Write(t, "c.json", smallClasses), "-held", held}, true},
		{[]string{"-demand", programtest.Write(t, "one.csv", "n\n3\n"), "-classes", odd}, false},
	} {
		text := tested.SVG(t, c.args, "time since the start of the demand (", "instances", "on demand")
		if has := strings.Contains(text, "Purchases"); has != c.buys {
			t.Errorf("%q shows purchases: %v", c.args, has)
		}
	}
}

// The user's mistakes end with one sentence and status 2, before anything is
// printed, and leave no file.
func TestMistakes(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string { return programtest.Write(t, name, text) }
	demand := func(text string) []string { return []string{"-demand", file("d.csv", text)} }
	classes := func(text string) []string { return []string{"-classes", file("c.json", text)} }
	held := func(text string) []string { return []string{"-held", file("held.json", text)} }
	one := func(fields string) string { // a class with one field replaced
		text := smallClasses
		for _, f := range strings.Split(fields, "; ") {
			name, value, _ := strings.Cut(f, "=")
			i := strings.Index(text, `"`+name+`": `) + len(name) + 4
			j := i + strings.IndexAny(text[i:], ",}")
			text = text[:i] + value + text[j:]
		}
		return text
	}
	out := filepath.Join(dir, "out.svg")
	tested.Frame(t, "svg")
	tested.Mistakes(t, dir, []programtest.Wrong{
		{[]string{"-algo", "best"}, "want one of all, exact, sec, hgr"},
		{[]string{"-algo"}, "-algo"},
		{[]string{"-slot", "0"}, "above 0"},
		{[]string{"-slot", "-1h"}, "above 0"},
		{[]string{"-every", "week"}, "span of time"},
		{[]string{"-every", "90m"}, "-every 1h30m is not a whole number of slots of 1h"},
		{[]string{"-runs", "0"}, "from 1 to"},

		{demand(""), "the file is empty"},
		{demand("series,step,forecast\na,1,2\nb,1,3\n"), "2 series: want one"},
		{demand("series,step,forecast\na,1,-2\n"), `step 1 of the series "a": -2: want a demand of 0 or more`},
		{demand("date,value\n2024-01-08,1\n2024-01-01,2\n"), `"2024-01-01" comes after "2024-01-08"`},
		{demand("date,value\n2024-01-01,1\n2024-01-08,-2\n"), `step 2 of the series "value": -2: want a demand of 0 or more in each step`},
		{demand("week,a,b\n1,1,2\n2,3,4\n"), "2 series: want one"},
		{demand("instances\n"), "there is no series after the header line"},
		{demand("instances\n1\n-3\n2\n"), `d.csv: step 2 of the series "instances": -3: want a demand of 0 or more`},
		{demand(programtest.Gzip(strings.Repeat(smallDemand, 9))[:30]), "d.csv: the compressed data are cut off"},

		{classes("{"), "c.json: line 1: "},
		{classes(one("upfront=0.0000000001")), "c.json: line 2 (classes[0].upfront): "},
		{classes(one(`term="30m"`)), `c.json: classes[0].term: the term of "four" is 30m: want a whole number of slots of 1h`},
		{append(classes(one(`upfront=9000000000; term="2h"`)), "-algo", "peak"), `the cost of "four": want at most`},
		{classes(`{"on_demand": 9000000000, "classes": []}`), "-algo "},

		{held("{}"), "held.json: want an array of objects"},
		{held(`[{"class": "5y", "count": 1, "until": 1}]`), `held.json: contract 0: class: "5y": want 1y, 1y-upfront or 3y`},
		{held(`[{"class": "1y", "count": 1, "until": 8760}]`), `8760 slots: want fewer than the term of "1y"`},

		{[]string{"-algo", "rho", "-every", "2h", "-svg", out}, "not for this problem"},
		{append(demand("n\n-1\n"), "-svg", out, "-json"), "step 1"},
	})
}

func TestIdleFlags(t *testing.T) {
	tested.Idle(t, "-seed changes", "-algo", "exact", "-seed", "5", "-json")
	tested.Idle(t, "", "-seed", "5")
	tested.Idle(t, "", "-algo", "wang-random", "-seed", "5")
}

// An interrupted run leaves the old file and no temporary one.
func TestInterrupt(t *testing.T) { programtest.Interrupt(t, "-demand", smallDemand) }

func TestBrokenOutput(t *testing.T) {
	tested.Broken(t, nil, []string{"-json"}, []string{"-algo", "exact"})
}

// records reads a reference file, by column.
func records(t *testing.T, name string) (rows []map[string]string) {
	t.Helper()
	f, err := os.Open(shared.File(t, name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range lines[1:] {
		r := make(map[string]string)
		for i, name := range lines[0] {
			r[name] = l[i]
		}
		rows = append(rows, r)
	}
	return rows
}

// The optima of LEMON's network simplex, to the last digit.
func TestHourlyReference(t *testing.T) {
	rows := records(t, "demand/hourly-reference.csv")
	if len(rows) != 13 {
		t.Errorf("%d rows, want 13", len(rows))
	}
	for _, r := range rows {
		got := decode(t, first(tested.Must(t, "-demand", shared.File(t, "demand/"+r["demand"]+".csv"),
			"-classes", shared.File(t, "demand/"+r["classes"]+".json"), "-algo", "exact", "-json")))[0]
		cost, err := pricing.ParseMoney(got.Cost)
		if err != nil {
			t.Fatal(err)
		}
		if cost.Fixed(6) != r["optimum"] || got.LowerBound != got.Cost || *got.Gap != 0 {
			t.Errorf("%s, %s: %+v, want %s", r["demand"], r["classes"], got, r["optimum"])
		}
	}
}

// Eq. (5) and the cost on demand as HiGHS's program computes them, pure and total; every plan is at
// least the optimum, the exact one within its gap of it. Each fourth problem takes seconds, and all with
// PLIMSOLL_LONG.
func TestWeeklyReference(t *testing.T) {
	rows := records(t, "demand/weekly-reference.csv")
	if len(rows) != 30 {
		t.Errorf("%d rows, want 30", len(rows))
	}
	number := func(s string) float64 {
		var x float64
		if _, err := fmt.Sscan(s, &x); err != nil {
			t.Fatal(err)
		}
		return x
	}
	for i, r := range rows {
		if i%4 != 0 && !programtest.Whole() {
			continue
		}
		args := []string{"-demand", shared.File(t, "demand/"+r["demand"]+".csv"),
			"-classes", shared.File(t, "demand/"+r["classes"]+".json"), "-every", "168h", "-json"}
		if r["cost"] == "pure" {
			args = append(args, "-pure")
		}
		for _, got := range decode(t, first(tested.Must(t, args...))) {
			cost := number(got.Cost)
			switch got.Algo {
			case "eq5":
				if math.Abs(cost-number(r["eq5_bound"])) > 1e-3 { // floats there, 4 decimals
					t.Errorf("%s: Eq. (5) gives %v, want %s", r, cost, r["eq5_bound"])
				}
				continue
			case "ondemand":
				if cost != number(r["on_demand_only"]) {
					t.Errorf("%s: on demand %v, want %s", r, cost, r["on_demand_only"])
				}
			case "exact":
				if *got.Gap > .001 || cost > number(r["optimum"])*(1+*got.Gap)+1e-3 {
					t.Errorf("%s: %v with a gap of %v", r, cost, *got.Gap)
				}
			}
			if cost < number(r["optimum"])-1e-3 {
				t.Errorf("%s: %s costs %v, less than the optimum", r, got.Algo, cost)
			}
		}
	}
}

// Two paths, one of them idle; by hand, on demand 2 a slot, 3 for four slots. Level 1 is
// needed in two slots in the mean, which cost 4, and is reserved; level 2 in one slot, for
// 2. So the plan costs 5. With a perfect forecast both levels are reserved on the busy
// path, for 6, and none on the idle one: 3. The mean path is 0, 1, 1, 0: one is reserved.
// The reservation loses on the idle path.
func TestPaths(t *testing.T) {
	setClock(t, time.Millisecond)
	classes := programtest.Write(t, "classes.json", strings.Replace(smallClasses, `"upfront": 5`, `"upfront": 3`, 1))
	paths := programtest.Write(t, "paths.csv", "busy,idle\n1,0\n2,0\n2.4,0\n1,0\n")
	got, _ := tested.Must(t, "-paths", paths, "-classes", classes, "-json", "-slot", "1h")
	want := `[
  {"algo":"exact","cost":"5","lower_bound":"5","bound":"exact","gap":0,"saving":0.166666667,"seconds":0.001,"purchases":1,"reservations":1},
  {"algo":"ondemand","cost":"6","lower_bound":"5","bound":"exact","gap":0.2,"saving":0,"seconds":0.001,"purchases":0,"reservations":0}
]
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	got, _ = tested.Must(t, "-paths", paths, "-classes", classes, "-json", "-purchases", "-slot", "1h")
	if diff := cmp.Diff("[\n  {\"algo\":\"exact\",\"slot\":0,\"class\":\"four\",\"count\":1}\n]\n", got); diff != "" {
		t.Errorf("purchases (-want +got):\n%s", diff)
	}
	got, _ = tested.Must(t, "-slot", "1h", "-paths", paths, "-classes", classes, "-algo", "exact", "-svg", filepath.Join(t.TempDir(), "x.svg"))
	for _, want := range []string{"knowing each path: a perfect forecast       3.00", "planning for the mean path                  5.00", "50.0%"} {
		if !strings.Contains(got, want) {
			t.Errorf("the text does not say %q:\n%s", want, got)
		}
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"-paths", paths, "-demand", paths}, "-paths and -demand are both there"},
		{[]string{"-paths", programtest.Write(t, "p.csv", "a,b\n1,2\n3\n")}, "line 3: 1 fields: want 2"},
		{[]string{"-paths", programtest.Write(t, "p.csv", "a\n-1\n")}, `-1: want a demand of 0 or more`},
		{[]string{"-paths", paths, "-classes", classes}, "the file does not say how long a slot is: want -slot"},
		{[]string{"-paths", programtest.Write(t, "p.csv", "week,p0\n1,1\n2,2\n"), "-classes", classes}, "want a whole number of slots of 168h"},
		{[]string{"-slot", "1h", "-paths", paths, "-algo", "hgr"}, "-algo hgr is not for this problem: -paths: demand that is not known"},
	} {
		status, stdout, stderr := tested.Try(c.args...)
		if status != 2 || stdout != "" || !strings.Contains(stderr, c.want) {
			t.Errorf("%v: status %d, %q, %q: want %q", c.args, status, stdout, stderr, c.want)
		}
	}
}
