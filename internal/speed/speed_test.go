package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What benchstat prints as CSV, with a benchmark that only one side has.
const table = `pkg: reserve
,old.txt,,new.txt,,,
,sec/op,CI,sec/op,CI,vs base,P
Plan,1e-08,10%,1.5e-08,0%,+50.00%,p=0.000 n=10
Observe/rule=wang,2e-08,1%,2.02e-08,1%,+1.00%,p=0.000 n=10
Solve,3e-08,1%,4e-08,1%,~,p=0.100 n=10
Gone,3e-08,1%
geomean,9e-09,,1.5e-08,,+50.00%,

,old.txt,,new.txt,,,
,allocs/op,CI,allocs/op,CI,vs base,P
Plan,0,0%,1,0%,?,p=0.000 n=10
Observe/rule=wang,0,0%,0,0%,~,p=1.000 n=10 ¹
Solve,8.0,0%,7.5,0%,-6.25%,p=0.000 n=10
`

func TestParse(t *testing.T) {
	rows, err := parse(table)
	if err != nil {
		t.Fatal(err)
	}
	want := []row{
		{"reserve", "Plan", "sec/op", 1e-8, 1.5e-8, "+50.00%"},
		{"reserve", "Observe/rule=wang", "sec/op", 2e-8, 2.02e-8, "+1.00%"},
		{"reserve", "Solve", "sec/op", 3e-8, 4e-8, "~"},
		{"reserve", "Plan", "allocs/op", 0, 1, "?"},
		{"reserve", "Observe/rule=wang", "allocs/op", 0, 0, "~"},
		{"reserve", "Solve", "allocs/op", 8, 7.5, "-6.25%"},
	}
	if diff := cmp.Diff(want, rows, cmp.AllowUnexported(row{})); diff != "" {
		t.Fatalf("(-want +got):\n%s", diff)
	}
	told := []bool{true, false, false, true, false, false}
	for i, r := range rows {
		if _, got := difference(r, 5); got != told[i] {
			t.Errorf("%+v: told %v, want %v", r, got, told[i])
		}
	}
	if !report(rows, 5) || report(rows[1:3], 5) || report(nil, 5) {
		t.Error("the table is worse with its first row, and not with the next two")
	}
}

// What seems to differ is looked at again, and the second look is what counts.
func TestSecondLook(t *testing.T) {
	sets := []set{{pkg: "reserve", pattern: "Plan|Observe/rule=wang", was: "old"}, {pkg: "forecast", pattern: "Fit"}, {pkg: "schedule", pattern: `OD\+\+/jobs=1`}}
	rows := []row{
		{"reserve", "Plan", "sec/op", 1, 1.05, "+5.00%"},
		{"reserve", "Plan", "allocs/op", 0, 5, "~"},
		{"reserve", "Observe/rule=wang", "sec/op", 1, 1.04, "+4.00%"},
		{"forecast", "Fit", "sec/op", 1, 1.3, "~"},
		{"forecast", "Fit", "allocs/op", 1, 2, "+100.00%"},
		{"schedule", "OD++/jobs=1", "sec/op", 1, 0.95, "-5.00%"},
	}
	want := []set{{pkg: "reserve", pattern: "Plan", was: "old"}, {pkg: "schedule", pattern: `OD\+\+/jobs=1`}}
	got := suspects(rows, sets, 5)
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(set{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := names(got); got != "reserve Plan, schedule OD++/jobs=1" {
		t.Error(got)
	}
	second := []row{{"reserve", "Plan", "sec/op", 1, 1.2, "+20.00%"}, {"schedule", "OD++/jobs=1", "sec/op", 1, 1, "~"}}
	all := replace(rows, second)
	if all[0] != second[0] || all[1] != rows[1] || all[5] != second[1] || len(all) != len(rows) || rows[0].new != 1.05 {
		t.Errorf("%+v", all)
	}
}

func TestExactly(t *testing.T) {
	if got, want := exactly(`A/n=1|B`), "^BenchmarkA$/^n=1$|^BenchmarkB$"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// The flagship benchmarks are there: the first part of each name is a function of the
// package's tests.
func TestFlagship(t *testing.T) {
	for _, s := range flagship {
		files, err := filepath.Glob("../../" + s.pkg + "/*_test.go")
		if err != nil {
			t.Fatal(err)
		}
		var src strings.Builder
		for _, f := range files {
			text, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			src.Write(text)
		}
		for one := range strings.SplitSeq(s.pattern, "|") {
			name, _, _ := strings.Cut(one, "/")
			if !regexp.MustCompile(`func Benchmark` + name + `\(`).MatchString(src.String()) {
				t.Errorf("%s has no Benchmark%s", s.pkg, name)
			}
		}
	}
}

func TestCommitOf(t *testing.T) {
	hash := strings.Repeat("0a", 20)
	if got, err := commitOf([]byte("commit: " + hash + "\ngo: go1.26\n")); err != nil || got != hash {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := commitOf([]byte("goos: linux\n")); err == nil {
		t.Error("a file without a commit is taken")
	}
}

func TestFastest(t *testing.T) {
	const (
		out  = "pkg: p\nBenchmarkA \t 10\t 20 ns/op\nBenchmarkB/n=1 \t 10\t 7 ns/op\npkg: p\nBenchmarkA \t 10\t 15.5 ns/op\t 0 B/op\nBenchmarkB/n=1 \t 10\t 9 ns/op\n"
		want = "pkg: p\nBenchmarkA \t 10\t 15.5 ns/op\t 0 B/op\nBenchmarkB/n=1 \t 10\t 7 ns/op\n"
	)
	if diff := cmp.Diff(want, fastest(out)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The runs of one measurement lie far apart: with two measurements, runs 0, 2 and 4 make
// the first.
func TestResults(t *testing.T) {
	tr := tree{outs: [][]string{nil}}
	for _, n := range []string{"9", "7", "8", "5", "6", "4"} {
		tr.outs[0] = append(tr.outs[0], "pkg: p\nBenchmarkA \t 10\t "+n+" ns/op\n")
	}
	const want = "pkg: p\nBenchmarkA \t 10\t 6 ns/op\npkg: p\nBenchmarkA \t 10\t 4 ns/op\n"
	if diff := cmp.Diff(want, string(tr.results())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
