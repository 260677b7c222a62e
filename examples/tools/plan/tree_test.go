package main

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/examples/internal/programtest"
)

// The tree of reserve's example, in CSV, and its prices.
const (
	grows = "node,parent,probability,demand\nnow,,1,40\nq1,now,1,40\ngrows,q1,0.5,60\ng1,grows,0.5,60\ng2,g1,0.5,60\ng3,g2,0.5,60\n" +
		"falls,q1,0.5,30\nf1,falls,0.5,30\nf2,f1,0.5,30\nf3,f2,0.5,30\n"
	yearly = `{"on_demand": 0.1, "classes": [{"name": "1y", "term": "8760h", "upfront": 613.2, "hourly": 0, "billed": "always"}]}`
)

func TestTree(t *testing.T) {
	setClock(t, 2*time.Millisecond)
	args := []string{"-tree", programtest.Write(t, "t.csv", grows), "-classes", programtest.Write(t, "c.json", yearly), "-slot", "2190h", "-pure"}
	text, notes := tested.Must(t, append(args, "-algo", "exact")...)
	programtest.Golden(t, "tree.txt", text)
	programtest.Narrow(t, text, 80)
	if !strings.Contains(notes, "a tree of 10 nodes: 6 slots of 2190h") {
		t.Error(notes)
	}
	got, _ := tested.Must(t, append(args, "-algo", "exact", "-json")...)
	want := `[
  {"algo":"exact","cost":"41172","lower_bound":"41172","bound":"exact","gap":0,"saving":0.276923077,"seconds":0.002,"purchases":4,"reservations":120,"root":"30 of 1y"}
]
`
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	got, _ = tested.Must(t, append(args, "-algo", "exact", "-json", "-purchases")...)
	want = `[
  {"algo":"exact","slot":0,"class":"1y","count":30,"node":"now"},
  {"algo":"exact","slot":2,"class":"1y","count":30,"node":"grows"},
  {"algo":"exact","slot":4,"class":"1y","count":30,"node":"g2"},
  {"algo":"exact","slot":4,"class":"1y","count":30,"node":"f2"}
]
`
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	text, _ = tested.Must(t, args...) // all that take a tree
	for _, s := range []string{"exact", "ondemand", "Not for sec"} {
		if !strings.Contains(text, s) {
			t.Errorf("no %s in\n%s", s, text)
		}
	}
}

func TestTreeMistakes(t *testing.T) {
	tree, classes := programtest.Write(t, "t.csv", grows), programtest.Write(t, "c.json", yearly)
	for says, args := range map[string][]string{
		"want -slot":                        {"-tree", tree, "-classes", classes},
		"-tree is there beside":             {"-tree", tree, "-demand", tree},
		"-svg shows one demand":             {"-tree", tree, "-slot", "2190h", "-svg", "out.svg"},
		"-algo sec is not for this problem": {"-tree", tree, "-classes", classes, "-slot", "2190h", "-algo", "sec"},
		"line 3: its children":              {"-tree", programtest.Write(t, "b.csv", strings.Replace(grows, "falls,q1,0.5", "falls,q1,0.4", 1)), "-slot", "2190h"},
	} {
		tested.Mistake(t, says, args...)
	}
}

// The budget of reserve's example. Three reservations can be paid.
func TestBudget(t *testing.T) {
	setClock(t, 2*time.Millisecond)
	args := []string{"-demand", programtest.Write(t, "d.csv", "n\n5\n6\n5\n4\n"), "-slot", "2190h", "-algo", "exact", "-classes",
		programtest.Write(t, "c.json", `{"on_demand": 0.25, "classes": [{"name": "1y", "term": "8760h", "upfront": 1000, "hourly": 0, "billed": "always"}]}`)}
	for budget, says := range map[string]string{
		"3000":  "3,000.00 of the budget of 3,000.00 are spent up front; the last 1,000 of the\n  budget save about 1,190.00.",
		"90000": "does not bind: 5,000.00 are spent",
	} {
		if text, _ := tested.Must(t, append(args, "-budget", budget)...); !strings.Contains(text, says) {
			t.Errorf("no %q in\n%s", says, text)
		}
	}
	got, _ := tested.Must(t, append(args, "-budget", "3000", "-json")...)
	if want := `"reservations":3,"spent":"3000","price_of_money":"1.19"}`; !strings.Contains(got, want) || !strings.Contains(got, `"cost":"7380","lower_bound":"7380","bound":"exact"`) {
		t.Errorf("%s, want %s", got, want)
	}
	tested.Mistake(t, "want -algo exact", append(args[:4:4], "-budget", "3000")...)
}
