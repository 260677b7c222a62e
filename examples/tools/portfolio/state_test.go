package main

import (
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
)

type bought struct {
	Week    int
	Class   string
	Buy     int
	Active  int
	Planned *float64
	Signal  *float64
	Alarm   bool

	Date       string
	Upfront    float64 `json:",string"`
	Commitment float64 `json:",string"`
	Saving     float64 `json:",string"`
	Waiting    float64 `json:",string"`
	Loss       float64
	LastUse    float64 `json:"last_use"`
	BreakEven  float64 `json:"break_even"`
}

// Orders of tests are of one day.
func init() { today = func() time.Time { return time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC) } }

func decisions(t *testing.T, stdout string) []bought {
	t.Helper()
	return programtest.Rows[bought](t, stdout)
}

// days returns weeks of a demand, one number a day.
func days(weeks int) string {
	random := rand.New(rand.NewPCG(3, 1))
	text := "n\n"
	for d := range 7 * weeks {
		text += fmt.Sprintln(5 + d/14 + random.IntN(8))
	}
	return text
}

func cut(text string, lines int) string {
	return strings.Join(strings.SplitAfter(text, "\n")[:lines], "")
}

const dayClasses = `{"on_demand": 2, "classes": [
  {"name": "light", "term": "672h", "upfront": 100, "hourly": 1.2, "billed": "when-used"},
  {"name": "four", "term": "672h", "upfront": 500, "hourly": 0, "billed": "always"},
  {"name": "eight", "term": "1344h", "upfront": 900, "hourly": 0, "billed": "always"}]}
`

// Week by week, from a state that is kept in a file, the program buys what the replay
// buys that sees all at once.
func TestState(t *testing.T) {
	const weeks = 15
	text := days(weeks)
	for _, model := range [][]string{nil, {"-model", "holt", "-fit", "3"}, {"-model", "blend", "-alarm", "0.9", "-cap", "light=3"}} {
		dir := t.TempDir()
		file, list := filepath.Join(dir, "state.json"), programtest.Write(t, "c.json", dayClasses)
		args := append([]string{"-slot", "24h", "-classes", list, "-json"}, model...)
		var want, got []string
		o, err := program.Options(append(args, "-demand", programtest.Write(t, "d.csv", text), "-state", file)...)
		if err != nil {
			t.Fatal(err)
		}
		in, s, err := o.read()
		if err != nil {
			t.Fatal(err)
		}
		x := o.New(in.Caps)
		if err := x.Reset(in.problem(s)); err != nil {
			t.Fatal(err)
		}
		for at := 0; at+s.every < len(s.demand); at += s.every {
			all, err := x.Observe(nil, s.demand[at:at+s.every])
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range all {
				want = append(want, fmt.Sprint(p.Slot/s.every, in.List.Classes[p.Class].Name, p.Count))
			}
		}
		for w := 1; w < weeks; w++ {
			demand := programtest.Write(t, "d.csv", cut(text, 1+7*w+w%7)) // and some of the next week
			now := append(args, "-demand", demand, "-state", file)
			stdout, notes := tested.Must(t, now...)
			if want := " at the end are of a week that has not ended, and not used"; strings.Contains(notes, want) != (w%7 > 0) || w%7 > 1 && !strings.Contains(notes, fmt.Sprint(w%7, " slots", want)) {
				t.Errorf("week %d with %d days of the next: %s", w, w%7, notes)
			}
			if strings.Contains(notes, "is not what was seen") || strings.Contains(notes, "between") {
				t.Errorf("week %d: the same demand is taken for another, or weeks for missed: %s", w, notes)
			}
			for _, d := range decisions(t, stdout) {
				if d.Planned == nil || *d.Planned < 3 || *d.Planned > 20 || (d.Commitment == 0) != (d.Buy == 0) {
					t.Errorf("week %d: %+v", w, d)
				}
				if d.Week != w || d.Signal == nil {
					t.Errorf("week %d: %+v", w, d)
				}
				if d.Buy > 0 {
					got = append(got, fmt.Sprint(d.Week, d.Class, d.Buy))
				}
			}
			if w%4 != 1 {
				continue
			}
			before, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			again, stderr := tested.Must(t, now...)
			after, _ := os.ReadFile(file)
			if again != stdout || string(before) != string(after) || !strings.Contains(stderr, "no week has ended since") {
				t.Fatalf("week %d: run again it says\n%s%s, not\n%s", w, stderr, again, stdout)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" || len(want) < 4 {
			t.Errorf("%q: %d purchases (-replay +state):\n%s", model, len(want), diff)
		}
		if entries, _ := os.ReadDir(dir); len(entries) != 1 {
			t.Errorf("left %v", entries)
		}
	}
}

// A demand that has risen for weeks makes an alarm without -alarm, which says what to do.
func TestStateAlarm(t *testing.T) {
	rising, falling, steady, late := "n\n", "n\n", "n\n", "n\n"
	for d := range 7 * 20 {
		rising += fmt.Sprintln(10 + d/7)
		falling += fmt.Sprintln(40 - d/7)
		steady += fmt.Sprintln(10 + d%2 + d/7%2)
		late += fmt.Sprintln(14 + d/7%3*6 + max(0, d/7-16)*4)
	}
	for text, way := range map[string]string{rising: "low", falling: "high", steady: "", late: "low"} {
		want := way != ""
		args := []string{"-slot", "24h", "-classes", programtest.Write(t, "c.json", dayClasses), "-demand", programtest.Write(t, "d.csv", text), "-state", filepath.Join(t.TempDir(), "s.json")}
		stdout, _ := tested.Must(t, args...)
		if got := strings.Contains(stdout, "forecasts of late were too "+way+" by more than chance"); got != want {
			t.Errorf("alarm %v, want %v:\n%s", got, want, stdout)
		}
		// Where all errors have one sign the signal is 1 or -1. The tenth below it is an -alarm that stops it.
		at := "0.9"
		if text == late {
			at = "0.8"
			if !strings.Contains(stdout, "is 0.83, an alarm") {
				t.Errorf("%s", stdout)
			}
		}
		if strings.Contains(stdout, "\nWith -alarm "+at+" nothing is ordered until then.\n") != want {
			t.Errorf("%s", stdout)
		}
		for _, d := range decisions(t, first(tested.Must(t, append(args, "-json")...))) {
			if d.Alarm != want {
				t.Errorf("%+v, want an alarm %v", d, want)
			}
		}
	}
}

// Weeks that were missed are learnt from, and nothing is bought for them; an inventory
// counts.
func TestStateHeld(t *testing.T) {
	text := days(12)
	file, list := filepath.Join(t.TempDir(), "state.json"), programtest.Write(t, "c.json", dayClasses)
	now := func(weeks int, more ...string) ([]bought, string) {
		stdout, stderr := tested.Must(t, append([]string{"-slot", "24h", "-classes", list, "-json", "-state", file,
			"-demand", programtest.Write(t, "d.csv", cut(text, 1+7*weeks))}, more...)...)
		return decisions(t, stdout), stderr
	}
	total := func(rows []bought) (buy, active int) {
		for _, d := range rows {
			buy += d.Buy
			active += d.Active
		}
		return buy, active
	}
	rows, stderr := now(4)
	buy, active := total(rows)
	if buy == 0 || active != buy || !strings.Contains(stderr, "begins with 4 weeks") || !strings.Contains(stderr, "no -held") {
		t.Errorf("%d bought, %d active: %s", buy, active, stderr)
	}
	rows, stderr = now(7)
	if b, a := total(rows); a != active+b || !strings.Contains(stderr, "nothing is taken to be bought in the 2 weeks between") {
		t.Errorf("%d bought, %d active after %d: %s", b, a, active, stderr)
	}
	// Everything that was bought in week 4 for four weeks has expired by week 8, but eights.
	rows, _ = now(8)
	for _, d := range rows {
		if d.Class != "eight" && d.Active > d.Buy+5 {
			t.Errorf("%+v", d)
		}
	}
	// With more than enough held for eight weeks nothing is bought.
	held := programtest.Write(t, "held.json", `[{"class": "eight", "count": 60, "until": 55}]`)
	rows, stderr = now(8, "-held", held)
	if buy, active := total(rows); buy != 0 || active != 60 || !strings.Contains(stderr, ": 60 reservations active") {
		t.Errorf("%d bought, %d active: %s", buy, active, stderr)
	}
	if rows, _ = now(9); rows[2].Active != 60 {
		t.Errorf("%+v", rows)
	}
	// By hand: a demand of 5 costs $1,680 a week on demand, for 52 weeks $87,360. Five that are
	// held for a week or two more spare as many weeks, and their last day is said.
	flat := programtest.Write(t, "flat.csv", "n\n"+strings.Repeat("5\n", 42))
	for until, want := range map[int][]string{
		7:  {"nothing ordered, now or later            85,680.00\n", "5 instances of eight, until 30 November 2026, needed 100% of the time\n"},
		14: {"nothing ordered, now or later            84,000.00\n", "5 instances of eight, until 7 December 2026, needed 100% of the time\n"},
	} {
		held := programtest.Write(t, "held.json", fmt.Sprintf(`[{"class": "eight", "count": 5, "until": %d}]`, until))
		stdout, _ := tested.Must(t, "-slot", "24h", "-classes", list, "-demand", flat, "-state", filepath.Join(t.TempDir(), "s.json"), "-held", held)
		for _, want := range want {
			if !strings.Contains(stdout, want) {
				t.Errorf("held until slot %d: want %q in\n%s", until, want, stdout)
			}
		}
	}
	// A state of 70 kB stays as well where no week has ended.
	hours := []string{"-classes", programtest.Write(t, "c.json", `{"on_demand": 0.00001, "classes": []}`), "-demand", programtest.Write(t, "hours.csv", "n\n"+strings.Repeat("2000000000\n", 38*168)), "-state", filepath.Join(t.TempDir(), "s.json")}
	if a, b := first(tested.Must(t, hours...)), first(tested.Must(t, hours...)); a != b {
		t.Errorf("run again it says\n%s, not\n%s", b, a)
	}
	// A week without demand has no shape: futures that repeat it are even.
	idle := programtest.Write(t, "idle.csv", cut(text, 1+7*3)+strings.Repeat("0\n", 7)+days(1)[len("n\n"):])
	if stdout, _ := tested.Must(t, "-slot", "24h", "-classes", list, "-demand", idle, "-state", filepath.Join(t.TempDir(), "s.json")); !strings.Contains(stdout, "on average over 20 possible futures") {
		t.Errorf("after a week without demand:\n%s", stdout)
	}
	// A demand that is another than was seen is said.
	other := programtest.Write(t, "d.csv", "n\n99\n"+cut(text, 1+7*10)[len("n\n"):])
	if _, stderr := tested.Must(t, "-slot", "24h", "-classes", list, "-state", file, "-demand", other); !strings.Contains(stderr, "the demand of the first 9 weeks is not what was seen") {
		t.Error(stderr)
	}
}

func TestStateText(t *testing.T) {
	list := programtest.Write(t, "c.json", dayClasses)
	args := []string{"-slot", "24h", "-classes", list, "-demand", programtest.Write(t, "d.csv", days(6)), "-state", filepath.Join(t.TempDir(), "state.json")}
	stdout, _ := tested.Must(t, args...)
	programtest.Golden(t, "state.txt", stdout)
	programtest.Narrow(t, stdout, 80)
	// With -json the order is the one of the text.
	rows := decisions(t, first(tested.Must(t, append(args, "-json")...)))
	for k, want := range []bought{
		{Class: "light", Buy: 2, Active: 2, Upfront: 200, Commitment: 200, Saving: 164.8, Waiting: 57.6, Loss: .1, LastUse: .277, BreakEven: .186},
		{Class: "four"},
		{Class: "eight", Buy: 10, Active: 10, Upfront: 9000, Commitment: 9000, Saving: 12672.96, Waiting: 2404.32, LastUse: .504, BreakEven: .335},
	} {
		want.Week, want.Date = 6, "2026-11-23"
		got := rows[k]
		if got.Planned == nil || math.Abs(*got.Planned-9.3) > .05 || got.Signal == nil || math.Abs(*got.Signal+.08) > .005 {
			t.Errorf("%+v, want a plan for 9.3 and a signal of -0.08", got)
		}
		got.Planned, got.Signal = nil, nil
		if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < .00051 })); diff != "" {
			t.Errorf("%s (-text +json):\n%s", want.Class, diff)
		}
	}
	// Nothing to buy of, and an alarm.
	none := programtest.Write(t, "none.json", `{"on_demand": 2, "classes": []}`)
	for _, format := range []string{"-json", "-json=false"} {
		tested.Must(t, "-slot", "24h", "-classes", none, "-demand", args[5], "-state", filepath.Join(t.TempDir(), "s.json"), format)
	}
	stdout, _ = tested.Must(t, "-slot", "24h", "-classes", list, "-demand", args[5], "-state", filepath.Join(t.TempDir(), "s.json"), "-alarm", "0.0001")
	if !strings.Contains(stdout, "an alarm: nothing is bought") {
		t.Error(stdout)
	}
	stdout, _ = tested.Must(t, "-slot", "24h", "-classes", list, "-demand", programtest.Write(t, "d.csv", days(1)), "-state", filepath.Join(t.TempDir(), "s.json"), "-model", "holt", "-fit", "0")
	if !strings.Contains(stdout, "The model is not ready yet.") || strings.Contains(stdout, "Purchase on") {
		t.Error(stdout)
	}
}

// Mistakes leave the state as it was.
func TestStateMistakes(t *testing.T) {
	dir := t.TempDir()
	file, list, demand := filepath.Join(dir, "state.json"), programtest.Write(t, "c.json", dayClasses), programtest.Write(t, "d.csv", days(6))
	args := []string{"-slot", "24h", "-classes", list, "-demand", demand, "-state", file}
	tested.Must(t, args...)
	good, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	more := programtest.Write(t, "d.csv", days(7))
	damaged := func(old, new string) string {
		if !strings.Contains(string(good), old) {
			t.Fatalf("%q is not in the state", old)
		}
		return strings.Replace(string(good), old, new, 1)
	}
	for _, c := range []struct {
		state string
		args  []string
		want  string
	}{
		{"", nil, "the file is empty: want a state"},
		{"\x1f\x8bno gzip at all", nil, "state.json: gzip: invalid header"},
		{"[]", nil, "it is no state of this program: json: cannot unmarshal array"},
		{"{}", nil, "it is no state of this program: a part is missing"},
		{`{"weeks": 3, "unknown": 4}`, nil, `it is no state of this program: json: unknown field "unknown"`},
		{string(good) + "x", nil, "it is no state of this program: there is more after it"},
		{damaged(`"weeks":6`, `"weeks":0`), nil, "a part is missing"},
		{damaged(`"bought":[`, `"bought":[0,`), nil, "a part is missing"},
		{damaged(`"weeks":6`, `"weeks":5`), nil, "it has seen 5 weeks, and its portfolio 6"},
		{damaged(`"recent":[`, `"recent":[-1,`), nil, "state: 43 slots: want whole intervals, 6 at most"},
		{damaged(`"seen":6`, `"seen":-6`), nil, "state: -6 intervals: want 0 to"},
		{damaged(`"forecaster":{`, `"forecaster":{"surprise":1,`), nil, `state: json: unknown field "surprise"`},
		{damaged(`"alpha":0.05,"level"`, `"alpha":7,"level"`), nil, "Alpha: parameter out of range: 7: want a number in [0, 1]"},
		{string(good), []string{"-model", "holt"}, "it is that of -model simple; remove the file to begin anew"},
		{string(good), []string{"-fit", "9"}, "it is that of -fit 0"},
		{string(good), []string{"-alpha", "0.2"}, "it is that of -alpha 0.05"},
		{string(good), []string{"-classes", programtest.Write(t, "c.json", strings.Replace(dayClasses, "four", "vier", 1))}, "its classes are"},
		{string(good), []string{"-slot", "168h"}, "state: it is of intervals of 7 slots of 24h0m0s"},
		{string(good), []string{"-window", "2"}, "state: 42 slots: want whole intervals, 2 at most"},
		{string(good), []string{"-held", programtest.Write(t, "held.json", "{}")}, "held.json: line 1"},
		{string(good), []string{"-held", programtest.Write(t, "held.json", `[{"class": "four", "count": 1, "until": 28}]`)}, "want fewer"},
	} {
		if err := os.WriteFile(file, []byte(c.state), 0o666); err != nil {
			t.Fatal(err)
		}
		base := []string{"-slot", "24h", "-classes", list, "-demand", more, "-state", file}
		status, stdout, stderr := tested.Try(append(base, c.args...)...)
		lines := strings.Split(strings.TrimSuffix(stderr, "\n"), "\n")
		if last := lines[len(lines)-1]; status != 2 || stdout != "" || !strings.HasPrefix(last, "portfolio: ") || !strings.Contains(last, c.want) {
			t.Errorf("%.60s, %q: exit status %d, %q, want it to say %q", c.state, c.args, status, last, c.want)
		} else if testing.Verbose() {
			t.Log(last)
		}
		if after, _ := os.ReadFile(file); string(after) != c.state {
			t.Errorf("%q: the state was changed", c.args)
		}
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("left %v", entries)
	}
	short := programtest.Write(t, "d.csv", days(5))
	if err := os.WriteFile(file, good, 0o666); err != nil {
		t.Fatal(err)
	}
	locked := filepath.Join(t.TempDir(), "state.json") // beside which a folder stands in the place of the lock
	if err := os.Mkdir(locked+".lock", 0o777); err != nil {
		t.Fatal(err)
	}
	// A link to that state: who takes either way meets the same lock.
	link := locked
	if err := os.WriteFile(locked, good, 0o666); err != nil {
		t.Fatal(err)
	}
	if path := filepath.Join(t.TempDir(), "link.json"); os.Symlink(locked, path) == nil { // where the system has links
		link = path
	}
	week := programtest.Write(t, "week.json", `{"on_demand": 2000000, "classes": [{"name": "four", "term": "672h", "upfront": 900000000, "hourly": 0, "billed": "always"}]}`)
	dear := programtest.Write(t, "dear.json", `{"on_demand": 20000000, "classes": [{"name": "four", "term": "672h", "upfront": 900000000, "hourly": 0, "billed": "always"}]}`)
	explained := programtest.Write(t, "e.json", `{"on_demand": 9000000000, "classes": []}`)
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"-slot", "24h", "-classes", list, "-demand", short, "-state", file}, "5 weeks have ended, and the state of -state"},
		{[]string{"-slot", "24h", "-classes", list, "-demand", programtest.Write(t, "d.csv", cut(days(1), 7)), "-state", filepath.Join(dir, "new.json")}, "want a week to learn from at least"},
		{[]string{"-state", file}, "want -demand and -state; go run ./examples/papers niu16 -replay"},
		{[]string{"-demand", demand}, "want -demand and -state"},
		{[]string{"-slot", "24h", "-state", demand, "-demand", demand}, "it is no state of this program"},
		{[]string{"-slot", "24h", "-state", demand, "-demand", demand, "-held", list}, "the file is that of another flag as well"},
		{[]string{"-slot", "24h", "-state", filepath.Join(dir, "no", "state.json"), "-demand", demand}, "its folder does not exist"},
		{[]string{"-slot", "24h", "-state", dir, "-demand", demand}, "is a folder"},
		{[]string{"-slot", "24h", "-state", locked, "-demand", demand}, "cannot write -state " + locked + ".lock: is a directory"},
		{[]string{"-slot", "24h", "-state", link, "-demand", demand}, "cannot write -state " + locked + ".lock: is a directory"},
		{[]string{"-slot", "24h", "-state", filepath.Join(dir, "new.json"), "-demand", demand, "-classes", dear}, "-demand " + demand + ": -classes: a reservation of four costs too much"},
		{[]string{"-slot", "24h", "-state", filepath.Join(dir, "new.json"), "-demand", demand, "-classes", week}, "-demand " + demand + ": week "},
		{[]string{"-slot", "24h", "-state", filepath.Join(dir, "new.json"), "-demand", demand, "-classes", explained}, "-demand " + demand + ": Demand: its cost does not fit in an amount of money"},
	} {
		status, stdout, stderr := tested.Try(c.args...)
		if status != 2 || stdout != "" || !strings.Contains(stderr, c.want) {
			t.Errorf("portfolio %q: exit status %d, %q, want it to say %q", c.args, status, stderr, c.want)
		}
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("left %v", entries)
	}
}
