package main

import (
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/examples/internal/programtest"
)

// Where the lower bound comes from is said, and that there is none; and what a demand that is
// no whole number of decisions was padded with.
func TestBoundsAreSaid(t *testing.T) {
	classes := programtest.Write(t, "c.json", `{"on_demand": 7, "classes": [{"name": "two", "term": "2h", "upfront": 7, "hourly": 0, "billed": `+
		`"always"}, {"name": "three", "term": "3h", "upfront": 9, "hourly": 0, "billed": "always"}]}`)
	demand := programtest.Write(t, "d.csv", "n\n1\n1\n2\n1\n1\n")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"-algo", "exact"}, "which exact proves"},
		{[]string{"-algo", "eq5"}, "The lower bound is "},
		{[]string{"-algo", "ondemand"}, "The gap is over it"},
	} {
		text, _ := tested.Must(t, append([]string{"-demand", demand, "-classes", classes}, c.args...)...)
		if !strings.Contains(text, c.want) {
			t.Errorf("%q: no %q in\n%s", c.args, c.want, text)
		}
	}
}

// Of plans that cost the same the first is shown, and class 0 is named where a rule buys it.
func TestTiesAndFirstClass(t *testing.T) {
	classes := programtest.Write(t, "c.json", `{"on_demand": 7, "classes": [{"name": "first", "term": "2h", "upfront": 7, "hourly": 0, "billed": `+
		`"always"}, {"name": "second", "term": "2h", "upfront": 7, "hourly": 0, "billed": "always"}]}`)
	demand := programtest.Write(t, "d.csv", "n\n1\n1\n1\n1\n")
	stdout, _ := tested.Must(t, "-demand", demand, "-classes", classes, "-algo", "hgr", "-json")
	for _, r := range programtest.Rows[map[string]any](t, stdout) {
		if r["class"] != "first" {
			t.Errorf("%v, want the first class of two equal ones", r)
		}
	}
}
