package treefile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/reserve"
)

func read(t *testing.T, text string) (*Tree, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tree.csv")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return Read("-tree", path)
}

// Columns in any order, names of any kind, and what is written is read.
func TestRead(t *testing.T) {
	want := &Tree{Nodes: []reserve.Node{{Parent: -1, Probability: 1, Demand: 3}, {Parent: 0, Probability: .25, Demand: 2}, {Parent: 0, Probability: .75, Demand: 4}},
		Names: []string{"now", "low", "high"}}
	for _, text := range []string{
		"node,parent,probability,demand\nnow,,1,3\nlow,now,0.25,1.6\nhigh,now,0.75,4\n",
		"\ufeffdemand,probability,node,parent\r\n3,1,now,\r\n2,0.25,low,now\r\n4,0.75,high,now",
	} {
		got, err := read(t, text)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
	}
	var out strings.Builder
	if err := Write(&out, want.Nodes); err != nil {
		t.Fatal(err)
	}
	if out.String() != "node,parent,probability,demand\n0,,1,3\n1,0,0.25,2\n2,0,0.75,4\n" {
		t.Errorf("%q", out.String())
	}
	again, err := read(t, out.String())
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want.Nodes, again.Nodes); d != "" {
		t.Error(d)
	}
}

// What is wrong is named with its line.
func TestMistakes(t *testing.T) {
	const header = "node,parent,probability,demand\n"
	for _, tt := range []struct{ name, text, says string }{
		{"empty", "", "line 1: no column node: want a header line of node,parent,probability,demand"},
		{"header", "node,parent,weight,demand\n", "line 1: no column probability"},
		{"no nodes", header, "no nodes below the header line"},
		{"two roots", header + "0,,1,1\n1,,1,1\n", "line 3: a second root"},
		{"before its parent", header + "0,,1,1\n1,2,1,1\n2,0,1,1\n", "line 3: the parent \"2\" is in no line above"},
		{"twice", header + "0,,1,1\n1,0,1,1\n1,0,1,1\n", "line 4: the node \"1\" is there twice, first in line 3"},
		{"do not add up", header + "0,,1,1\n1,0,0.5,1\n2,0,0.4,1\n", "line 2: its children have the probability 0.9 together"},
		{"unequal length", header + "0,,1,1\n1,0,0.5,1\n2,0,0.5,1\n3,2,0.5,1\n", "line 3: it ends a branch of 2 slots: want 3"},
		{"probability 0", header + "0,,1,1\n1,0,0,1\n", "line 3: a probability of 0: want more than 0"},
		{"probability", header + "0,,x,1\n", "line 2: the probability is \"x\""},
		{"negative demand", header + "0,,1,-1\n", "line 2: the demand is \"-1\""},
		{"demand NaN", header + "0,,1,NaN\n", "line 2: the demand is \"NaN\""},
		{"fields", header + "0,,1\n", "line 2"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := read(t, tt.text)
			if err == nil || !strings.Contains(err.Error(), tt.says) || !strings.Contains(err.Error(), "-tree") {
				t.Errorf("%v, want %q", err, tt.says)
			}
		})
	}
}
