package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/programtest"
	"github.com/plimsoll/plimsoll/forecast"
)

// tested is run in the process of the tests. Its golden files are renewed by
// go test ./examples/tools/portfolio -update.
var tested = programtest.Program{Name: "portfolio", Run: program.Run}

func TestMain(m *testing.M) { programtest.Main(m, main) }

func first(a, _ string) string { return a }

func TestHelp(t *testing.T) {
	tested.Help(t, program.FlagNames(), forecast.Names()...)
	if text := first(tested.Must(t, "-h")); strings.Count(text, "\n") > 60 {
		t.Errorf("-h has %d lines, want at most 60", strings.Count(text, "\n"))
	}
}

// A small problem: weeks of one instance, $336 on demand, or $500 for four of them.
const (
	smallDemand  = "instances\n1\n1\n1\n1\n1\n"
	smallClasses = `{"on_demand": 2, "classes": [
  {"name": "four", "term": "672h", "upfront": 500, "hourly": 0, "billed": "always"}]}
`
)

// The user's mistakes end with one sentence and status 2, before anything is
// printed, and leave no file.
func TestMistakes(t *testing.T) {
	dir := t.TempDir()
	state := filepath.Join(dir, "state.json")
	file := func(name, text string) string { return programtest.Write(t, name, text) }
	demand := func(text string) []string { return []string{"-demand", file("d.csv", text), "-slot", "168h"} }
	classes := func(text string) []string {
		return []string{"-classes", file("c.json", text), "-demand", file("d.csv", smallDemand), "-slot", "168h"}
	}
	replaced := func(old, new string) []string { return classes(strings.Replace(smallClasses, old, new, 1)) }
	tested.Frame(t)
	list := []programtest.Wrong{
		{[]string{"-slot", "0"}, "of which a week has a whole number"},
		{[]string{"-slot", "5h"}, "of which a week has a whole number"},
		{[]string{"-slot", "336h"}, "of which a week has a whole number"},
		{[]string{"-date", "1970-12-31"}, "want a day such as 2026-11-23"},
		{[]string{"-date", "2026-13-01"}, "want a day such as 2026-11-23"},
		{[]string{"-cap", "5y=3"}, `-cap: "5y": want 1y-light, 1y-heavy`},
		{[]string{"-cap", "3y-heavy=3", "-cap", "3y-heavy=4"}, `the class "3y-heavy" is there twice`},
		{append(classes(`{"on_demand": 1, "classes": []}`), "-cap", "5y=3"), `-cap: "5y": want a name of a list that has classes`},
		{[]string{"-demand", filepath.Join(dir, "none.csv")}, "none.csv: no such file"},
		{[]string{"-classes", filepath.Join(dir, "none.json")}, "none.json: no such file"},

		{demand(""), "the file is empty"},
		{demand("n\n"), "there is no series"},
		{demand("n\n1\n-3\n"), "-3: want a demand of 0 or more"},

		{classes("{"), "c.json: line 1: "},
		{replaced("always", "never"), "c.json: line 2 (classes[0].billed): "},
		{replaced("672h", "100h"), `c.json: classes[0].term: the term of "four" is 100h: want a whole number of slots of 168h`},
		{[]string{"-demand", file("d.csv", "n\n"+strings.Repeat("1\n", 400)), "-classes", file("c.json", strings.Replace(smallClasses, "672h", "90m", 1))},
			`the term of "four" is 1h30m: want a whole number of slots of 1h`},
		{classes(`{"on_demand": 0, "classes": []}`), "-classes: 0: want the price of an instance on demand, above 0"},
	}
	for i := range list { // the last -demand and -state count
		list[i].Args = append([]string{"-demand", file("d.csv", smallDemand), "-state", state}, list[i].Args...)
	}
	tested.Mistakes(t, dir, list)
}

// What is just within the limits of a flag is taken.
func TestFlagLimits(t *testing.T) {
	for _, args := range [][]string{
		{"-date", "1971-01-01"}, {"-slot", "168h"}, {"-slot", "1ns"},
	} {
		if _, err := program.Options(append(args, "-demand", "d", "-state", "s")...); err != nil {
			t.Errorf("%q: %v", args, err)
		}
	}
	o, err := program.Options("-seed", "7", "-date", "2027-01-04", "-demand", "d", "-state", "s")
	if err != nil || o.Seed != 7 || o.date.Format(time.DateOnly) != "2027-01-04" {
		t.Errorf("%+v, %v", o, err)
	}
}

func TestIdleFlags(t *testing.T) {
	args := []string{"-demand", programtest.Write(t, "d.csv", smallDemand), "-slot", "168h", "-classes", programtest.Write(t, "c.json", smallClasses),
		"-state", filepath.Join(t.TempDir(), "s.json")}
	tested.Idle(t, "", append(args, "-alpha", "0.5")...)
	args[len(args)-1] += "2"
	tested.Idle(t, "-alpha changes", append(args, "-model", "naive", "-alpha", "0.5")...)
	args[len(args)-1] += "3"
	tested.Broken(t, args, append(args, "-json"))
}

// An interrupted run leaves neither a state nor a temporary file.
func TestInterrupt(t *testing.T) {
	dir := t.TempDir()
	programtest.Signal(t, os.Interrupt, 130, smallDemand, func() bool {
		entries, _ := os.ReadDir(dir)
		return len(entries) == 2 // the lock and the temporary file
	}, "-demand", "/dev/stdin", "-state", filepath.Join(dir, "state.json"))
	if entries, _ := os.ReadDir(dir); len(entries) > 0 {
		t.Errorf("left %v", entries)
	}
}
