package main

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/programtest"
)

// busy has twelve jobs of three users, which overestimate their run times, on five nodes.
const busy = `1 0 0 1000 2 -1 -1 2 1500 -1 1 1 1 1 3 1 -1 -1
2 10 0 400 1 -1 -1 1 600 -1 1 2 1 1 1 1 -1 -1
3 20 0 7000 1 -1 -1 1 7000 -1 1 1 1 1 1 1 -1 -1
4 20 0 1200 3 -1 -1 3 500 -1 1 3 1 1 1 1 -1 -1
5 30 0 3000 1 -1 -1 1 90000 -1 1 3 1 1 3 1 -1 -1
6 31 0 5500 2 -1 -1 2 60000 -1 1 2 1 1 3 1 -1 -1
7 32 0 100 1 -1 -1 1 100 -1 1 1 1 1 1 1 -1 -1
8 33 0 4000 1 -1 -1 1 4100 -1 1 1 1 1 1 1 -1 -1
9 34 0 2500 2 -1 -1 2 9000 -1 1 2 1 1 3 1 -1 -1
10 35 0 700 1 -1 -1 1 900 -1 1 3 1 1 1 1 -1 -1
11 36 0 6100 3 -1 -1 3 7000 -1 1 1 1 1 1 1 -1 -1
12 37 0 1800 1 -1 -1 1 40000 -1 1 2 1 1 1 1 -1 -1
`

// What the program writes about small logs, whole, with its notes.
func TestTexts(t *testing.T) {
	path := programtest.Write(t, "busy.swf", busy)
	brief := programtest.Write(t, "brief.swf", "1 0 0 10 1\n")
	for _, c := range []struct{ name, args string }{
		{"all", "-important queue=3 -grace 0,20s,2m,1h"},
		{"overrun", "-important top=20% -overrun 3 -grace 1m,2m,30m"},
		{"saves", "-important random=30% -save-every 10m -grace 1m"},
		{"saves-on-request", "-important queue=3 -save-cost 30s -grace 0,1m,10m -policy lifo,exact,plain,pruned"},
		{"both-saves", "-important queue=3 -save-every 10m -save-cost 1m -grace 1m,10m -policy pap+,exact+"},
		{"sample", "-sample 8 -longest 1h30m -seed 4 -policy survival,corrected,requested -grace 2m"},
		{"none-important", "-important top=0% -grace 2m -policy pap+,greedy"},
		{"json", "-important queue=3 -grace 0,30m -json"},
		{"claims", "-claims -important queue=3"},
		{"claims-json", "-claims -json -save-every 20m -important queue=3"},
	} {
		stdout, stderr := tested.Must(t, append([]string{"-trace", path, "-nodes", "5", "-take", "2"}, strings.Fields(c.args)...)...)
		programtest.Golden(t, "texts/"+c.name+".txt", strings.ReplaceAll(stdout+"Notes:\n"+stderr, filepath.Dir(path)+"/", ""))
	}
	stdout, stderr := tested.Must(t, "-trace", brief, "-claims")
	programtest.Golden(t, "texts/brief-claims.txt", strings.ReplaceAll(stdout+"Notes:\n"+stderr, filepath.Dir(brief)+"/", ""))
}

// What the pictures show, number by number.
func TestPictures(t *testing.T) {
	o, err := program.Options("-trace", programtest.Write(t, "busy.swf", busy), "-nodes", "5", "-take", "2", "-important", "queue=3", "-grace", "1m,2m,3m,4m,5m", "-policy", "random,pap,pap+,exact")
	if err != nil {
		t.Fatal(err)
	}
	logs, err := o.load(cli.Quiet())
	if err != nil {
		t.Fatal(err)
	}
	logs[0].name = "busy.swf"
	r, err := o.score(logs[0], cli.Quiet())
	if err != nil {
		t.Fatal(err)
	}
	text := ""
	for _, k := range []kind{pap, papPlus} { // as -svg asks for
		series := &r.series[k][o.prioritiesGrace()]
		for i := range 7 {
			series.path.add(i, time.Duration(i)*time.Hour, &series.tally)
		}
	}
	for from := 0; from < len(o.graces); from += 4 {
		v := o.violins(r, from, min(from+4, len(o.graces)))
		text += fmt.Sprintf("%s | %s | %q\n", v.Title, v.Unit, v.Groups)
		for _, s := range v.Sets {
			text += fmt.Sprintln(" ", s.Name)
			for _, x := range s.Violins {
				text += fmt.Sprintf("    %.4g | %.4g %.4g %.4g | %.4g\n", x.Step, x.P25, x.Median, x.P75, x.Frequency)
			}
		}
	}
	maps, err := o.heatMaps(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range maps {
		text += fmt.Sprintf("%s | %v to %v, %d columns | %v\n", m.Title, m.From, m.To, len(m.Columns), m.Frames)
		for c := 0; c < len(m.Columns); c += 16 {
			text += fmt.Sprintf("  %.4g\n", m.Columns[c])
		}
	}
	for _, s := range o.sums(r) {
		text += fmt.Sprintf("%s | %s\n", s.Title, s.Unit)
		for _, c := range s.Curves {
			text += fmt.Sprintf("  %s %v %.4g\n", c.Name, c.At, c.Values)
		}
	}
	programtest.Golden(t, "pictures.txt", text)
}

// What becomes of a sequence with each policy, with and without saves.
func TestSequenceNumbers(t *testing.T) {
	text := ""
	for _, args := range []string{"", "-save-every 20m", "-save-cost 1m", "-take 3"} {
		o, err := program.Options(append([]string{"-trace", programtest.Write(t, "busy.swf", strings.Repeat(busy, 3)), "-nodes", "5", "-take", "2", "-important", "queue=3"}, strings.Fields(args)...)...)
		if err != nil {
			t.Fatal(err)
		}
		logs, err := o.load(cli.Quiet())
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range []kind{random, fifo, lifo, pap, papPlus, exact} {
			s, err := o.newSequence(logs[0], k)
			if err == nil {
				s.horizon = 60 * time.Hour
				err = s.run()
			}
			if err != nil {
				t.Fatal(err)
			}
			text += fmt.Sprintf("%s %v: %.3f node-hours wasted, %d restarts, %d nodes taken, %d jobs ended, %.3f node-hours done, %v\n", args, k, s.wasted.Hours(), s.restarts, s.taken, s.ended, s.done, s.now)
		}
	}
	programtest.Golden(t, "sequences.txt", text)
}

// whole writes the sentences of mistakes into a golden file, without the folders of this run.
func whole(t *testing.T, list []programtest.Wrong) {
	t.Helper()
	all := ""
	for _, c := range list {
		all += regexp.MustCompile(`[^ ,]*TestMistakes[^/]*/\d+(/|\b)`).ReplaceAllString(tested.Mistake(t, c.Want, c.Args...), "") + "\n"
	}
	programtest.Golden(t, "mistakes.txt", all)
	for _, args := range [][]string{
		{"-nodes", "10000"}, {"-take", "0"}, {"-take", "20"}, {"-overrun", "1000000"}, {"-grace", "0"}, {"-grace", "1s..100s"}, {"-grace", "2h..2h"}, {"-important", "top=100%"}, {"-important", "random=0%"},
		{"-save-every", "1m", "-save-cost", "1m"}, {"-save-cost", "0s"}, {"-policy", "all"}, {"-policy", "lifo,lifo"}, {"-longest", "1ns"}, {"-sample", "1000000000"},
	} {
		if _, err := program.Options(args...); err != nil {
			t.Errorf("%q: %v", args, err)
		}
	}
	if o, err := program.Options("-grace", "2h,1h", "-policy", "pap"); err != nil || !slices.Equal(o.graces, []time.Duration{2 * time.Hour, time.Hour}) || o.shown[lifo] {
		t.Errorf("%v, %v", o.graces, err)
	}
}
