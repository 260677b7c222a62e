package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/examples/internal/heldfile"
	"github.com/plimsoll/plimsoll/examples/internal/programtest"
)

// steadyDemand is four a week for 30 weeks; a year of one costs 60 with a contract and 10 a day,
// so 52·7·24·0.5 = 4,368, without.
func steadyDemand(t *testing.T) []string {
	return []string{"-demand", programtest.Write(t, "d.csv", "week,web\n"+numbered(30, "4")), "-model", "naive",
		"-classes", programtest.Write(t, "c.json", `{"on_demand": 0.5, "classes": [{"name": "1y", "term": "8736h", "upfront": 60, "hourly": 0, `+
			`"billed": "always"}]}`)}
}

func numbered(n int, value string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(string(rune('0'+(i+1)/10)) + string(rune('0'+(i+1)%10)) + "," + value + "\n")
	}
	return b.String()
}

// A demand and its classes are enough for an order: what is always needed is bought, less what
// is held, and within the limits of the flags.
func TestDemand(t *testing.T) {
	args := append(steadyDemand(t), "-date", "2026-11-23")
	held := func(text string) string { return programtest.Write(t, "held.json", text) }
	for name, c := range map[string]struct {
		args []string
		want int
	}{
		"nothing held":      {nil, 4},
		"three held":        {[]string{"-held", held(`[{"class": "1y", "count": 3, "until": "2027-11-01"}]`)}, 1},
		"all held":          {[]string{"-held", held(`[{"class": "1y", "count": 4, "until": 51}]`)}, 0},
		"a ladder":          {[]string{"-ladder", "3"}, 3},
		"a cap":             {[]string{"-cap", "1y=2"}, 2},
		"a cap of more":     {[]string{"-cap", "1y=20"}, 4},
		"a cap on held":     {[]string{"-cap", "1y=3", "-held", held(`[{"class": "1y", "count": 2, "until": "2027-11-01"}]`)}, 1},
		"a cap that is hit": {[]string{"-cap", "1y=1", "-held", held(`[{"class": "1y", "count": 2, "until": "2027-11-01"}]`)}, 0},
		"without alarm":     {[]string{"-alarm", "0.9"}, 4},
	} {
		t.Run(name, func(t *testing.T) {
			list := orders(t, append(args, c.args...)...)
			if len(list) != 1 || list[0].Units != c.want || list[0].Kind != "web" || list[0].Date != "2026-11-23" || list[0].Currency != "" {
				t.Errorf("%+v, want %d units", list, c.want)
			}
			if c.want > 0 && (list[0].Class != "1y" || list[0].Until != "2027-11-22") {
				t.Errorf("%+v", list)
			}
		})
	}
	// A rising demand that the naive model always forecasts too low is an alarm.
	rising := programtest.Write(t, "rising.csv", "week,n\n01,1\n02,2\n03,3\n04,4\n05,5\n06,6\n07,7\n08,8\n09,9\n10,10\n11,11\n12,12\n13,13\n14,14\n"+
		"15,15\n16,16\n17,17\n18,18\n19,19\n20,20\n")
	args[1] = rising
	if text, _ := tested.Must(t, args...); !strings.Contains(text, "of late were too low by more than chance") || !strings.Contains(text,
		"Sign on 23 November 2026") {
		t.Error(text)
	}
	if text, _ := tested.Must(t, append(args, "-alarm", "0.5")...); !strings.Contains(text, "Order nothing on 23 November 2026") {
		t.Error(text)
	}
}

// The day of the order is the end of dates, or else today.
func TestDay(t *testing.T) {
	now = func() time.Time { return time.Date(2030, 5, 6, 7, 8, 9, 0, time.UTC) }
	t.Cleanup(func() { now = time.Now })
	args := steadyDemand(t)
	if list := orders(t, args...); list[0].Date != "2030-05-06" {
		t.Errorf("%+v", list)
	}
	args[1] = programtest.Write(t, "d.csv", "date,n\n2025-12-29,4\n2026-01-05,4\n2026-01-12,4\n2026-01-19,\n2026-01-26,4\n")
	if list := orders(t, args...); list[0].Date != "2026-02-02" || list[0].Units != 4 {
		t.Errorf("%+v", list)
	}
	dir := t.TempDir()
	for want, more := range map[string][]string{
		"want the day on which the demand ends, 2026-02-02": {"-date", "2026-02-01"},
		"is not a whole number of slots of 168h":            {"-every", "24h"},
		`-cap 5y: "5y": want 1y`:                            {"-cap", "5y=3"},
		`contract 0: class: "5y": want 1y`:                  {"-held", programtest.WriteIn(t, dir, "h.json", `[{"class": "5y", "count": 1, "until": 3}]`)},
		"contract 0 (1y) expires on 2026-02-01": {"-held", programtest.WriteIn(t, dir, "i.json",
			`[{"class": "1y", "count": 1, "until": "2026-02-01"}]`)},
		"contract 0: spend 3: the class": {"-held", programtest.WriteIn(t, dir, "j.json",
			`[{"class": "1y", "spend": 3, "until": "2026-12-01"}]`)},
	} {
		tested.Mistake(t, want, append(args, more...)...)
	}
	tested.Mistake(t, "2 series: want one", "-demand", programtest.Write(t, "two.csv", "week,a,b\n1,2,3\n2,3,4\n"))
}

// A state keeps the orders of each week. A second run on a day decides that day again and leaves
// the state as it is; contracts that have ended go; -held begins anew; another process waits for
// none.
func TestState(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "state.json")
	args := append(steadyDemand(t), "-state", path, "-ladder", "3")
	on := func(day string, more ...string) (units int, state []heldfile.Contract) {
		t.Helper()
		list := orders(t, append(append(args, "-date", day), more...)...)
		state, err := heldfile.Read("-state", path)
		if err != nil {
			t.Fatal(err)
		}
		return list[0].Units, state
	}
	first := heldfile.Contract{ID: "order-2026-11-23-1", Class: "1y", Count: 3, Until: "2027-11-22", Bought: "2026-11-23"}
	second := heldfile.Contract{ID: "order-2026-11-30-1", Class: "1y", Count: 1, Until: "2027-11-29", Bought: "2026-11-30"}
	for _, c := range []struct {
		day   string
		more  []string
		units int
		want  []heldfile.Contract
	}{
		{"2026-11-23", nil, 3, []heldfile.Contract{first}},
		{"2026-11-23", nil, 3, []heldfile.Contract{first}},
		{"2026-11-30", nil, 1, []heldfile.Contract{first, second}},
		{"2026-11-30", nil, 1, []heldfile.Contract{first, second}},
		{"2027-11-23", []string{"-ladder", "2"}, 2, []heldfile.Contract{second, {ID: "order-2027-11-23-1", Class: "1y", Count: 2,
			Until: "2028-11-21", Bought: "2027-11-23"}}},
		{"2026-11-23", []string{"-held", programtest.Write(t, "h.json", `[{"class": "1y", "count": 4, "until": "8000h"}]`)}, 0,
			[]heldfile.Contract{{Class: "1y", Count: 4, Until: "2027-10-22"}}},
	} {
		units, state := on(c.day, c.more...)
		if diff := cmp.Diff(c.want, state); diff != "" || units != c.units {
			t.Errorf("on %s: %d units, want %d; state (-want +got):\n%s", c.day, units, c.units, diff)
		}
	}
	before := programtest.Read(t, path)
	mistake := func(want string, more ...string) {
		t.Helper()
		if status, stdout, stderr := tested.Try(append(args, more...)...); status != 2 || stdout != "" || !strings.Contains(stderr, want) ||
			programtest.Read(t, path) != before {
			t.Errorf("%q: status %d, %s, want %q; or the state changes", more, status, stderr, want)
		}
	}
	mistake("want the day on which", "-demand", programtest.Write(t, "d.csv", "date,n\n2026-01-05,4\n2026-01-12,4\n"), "-date", "2026-01-01")
	other := options{state: path}
	unlock, err := other.lockState()
	if err != nil {
		t.Fatal(err)
	}
	mistake("another process uses it")
	unlock()
	for text, want := range map[string]string{
		"hello": "-state " + path + ": want an array of objects",
		`[{"class": "1y", "count": 3, "until": "2028-11-22", "bought": "2027-11-23"}]`: "contract 0 was ordered on 2027-11-23: want a -date from then on",
		`[{"class": "1y", "count": 3, "until": "2000h"}]`:                              "until 2000h: want a day",
	} {
		programtest.WriteIn(t, dir, "state.json", text)
		before = text
		mistake(want, "-date", "2026-11-23")
	}
	args[len(args)-3] = dir
	mistake("is not a regular file")
	args[len(args)-3] = filepath.Join(dir, "none", "state.json")
	mistake("cannot write -state")
	if list, _ := os.ReadDir(dir); len(list) != 1 {
		t.Errorf("%v is left behind", list)
	}
}
