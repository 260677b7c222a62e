package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
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
		{"reserve", "Plan", "sec/op", 1e-8, 1.5e-8, 1.5, "+50.00%"},
		{"reserve", "Observe/rule=wang", "sec/op", 2e-8, 2.02e-8, 1.01, "+1.00%"},
		{"reserve", "Solve", "sec/op", 3e-8, 4e-8, 4. / 3, "~"},
		{"reserve", "Plan", "allocs/op", 0, 1, 0, "?"},
		{"reserve", "Observe/rule=wang", "allocs/op", 0, 0, 0, "~"},
		{"reserve", "Solve", "allocs/op", 8, 7.5, 0, "-6.25%"},
	}
	if diff := cmp.Diff(want, rows, cmp.AllowUnexported(row{}), cmpopts.EquateApprox(1e-15, 0)); diff != "" {
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
		{"reserve", "Plan", "sec/op", 1, 1.05, 1.05, "+5.00%"},
		{"reserve", "Plan", "allocs/op", 0, 5, 0, "~"},
		{"reserve", "Observe/rule=wang", "sec/op", 1, 1.04, 1.04, "+4.00%"},
		{"forecast", "Fit", "sec/op", 1, 1.3, 1.3, "~"},
		{"forecast", "Fit", "allocs/op", 1, 2, 0, "+100.00%"},
		{"schedule", "OD++/jobs=1", "sec/op", 1, 0.95, 0.95, "-5.00%"},
	}
	want := []set{{pkg: "reserve", pattern: "Plan", was: "old"}, {pkg: "schedule", pattern: `OD\+\+/jobs=1`}}
	got := suspects(rows, sets, 5)
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(set{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := names(got); got != "reserve Plan, schedule OD++/jobs=1" {
		t.Error(got)
	}
	second := []row{{"reserve", "Plan", "sec/op", 1, 1.2, 1.2, "+20.00%"}, {"schedule", "OD++/jobs=1", "sec/op", 1, 1, 1, "~"}}
	all := replace(rows, second)
	if all[0] != second[0] || all[1] != rows[1] || all[5] != second[1] || len(all) != len(rows) || rows[0].new != 1.05 {
		t.Errorf("%+v", all)
	}
}

// On a machine whose speed doubles and halves, pairs name a tenth, and name nothing between equal
// commits; the medians of the two alone say nothing. A benchmark that one tree lacks, and one
// that is in both by chance equally fast, is not named.
func TestInPairs(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	now, old := &tree{bins: []string{"x", "y"}, outs: make([][]string, 2)}, &tree{bins: []string{"x", ""}, outs: make([][]string, 2)}
	for range 30 {
		speed := math.Exp2(2 * r.Float64())
		jitter := func() float64 { return 1 + r.Float64()/5 }
		line := func(name string, ns float64) string { return fmt.Sprintf("Benchmark%s \t 3\t %f ns/op\n", name, ns) }
		old.outs[0] = append(old.outs[0], "pkg: p\n"+line("Slower", 100*speed*jitter())+line("Same/n=1", 10*speed*jitter())+line("Equal", 7))
		now.outs[0] = append(now.outs[0], "pkg: p\n"+line("Slower", 112*speed*jitter())+line("Same/n=1", 10*speed*jitter())+line("Equal", 7))
		now.outs[1] = append(now.outs[1], "pkg: q\n"+line("New", 7))
	}
	rows := []row{
		{"p", "Slower", "sec/op", 1, 1, 1, "~"},
		{"p", "Same/n=1", "sec/op", 1, 1.3, 1.3, "+30.00%"},
		{"p", "Equal", "sec/op", 7, 8, 8. / 7, "+14%"},
		{"p", "Slower", "allocs/op", 0, 1, 0, "?"},
		{"q", "New", "sec/op", 1, 2, 2, "+100.00%"},
	}
	want := slices.Clone(rows)
	inPairs(rows, old, now, 0.01)
	if got := rows[0]; got.ratio < 1.08 || got.ratio > 1.16 || got.change == "~" {
		t.Errorf("a slowdown of 12%%: %+v", got)
	}
	if got := rows[1]; got.ratio < 0.95 || got.ratio > 1.05 || got.change != "~" {
		t.Errorf("equal commits: %+v", got)
	}
	if got := rows[2]; got.ratio != 1 || got.change != "~" {
		t.Errorf("equal times: %+v", got)
	}
	if !slices.Equal(rows[3:], want[3:]) {
		t.Errorf("rows without pairs changed: %+v", rows[3:])
	}
	if got := alone(rows[:4], now.results()); !slices.Equal(got, []string{"q New"}) {
		t.Errorf("new are %q, want q New", got)
	}
}

// The probabilities of Wilcoxon's test are counted over all signs of twelve ranks. Two measurements
// fewer than enough says name what all of them say.
func TestSignedRank(t *testing.T) {
	const n = 12
	var sums [n*(n+1)/2 + 1]float64
	for signs := range 1 << n {
		sum := 0
		for i := range n {
			if signs>>i&1 == 1 {
				sum += i + 1
			}
		}
		sums[sum]++
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		var ratios []float64
		up := 0
		for i := range n {
			x := float64(i+1) / 100
			if r.IntN(3) == 0 {
				x, up = -x, up-(i+1)
			}
			up += i + 1
			ratios = append(ratios, math.Exp(x), 1)
		}
		r.Shuffle(len(ratios), func(i, j int) { ratios[i], ratios[j] = ratios[j], ratios[i] })
		want := 0.0
		for sum, count := range sums {
			if min(sum, n*(n+1)/2-sum) <= min(up, n*(n+1)/2-up) {
				want += count / (1 << n)
			}
		}
		if got := signedRank(ratios); math.Abs(got-want) > 1e-12 {
			t.Errorf("sum of ranks %d: %.4f, counted %.4f", up, got, want)
		}
	}
	if got := signedRank([]float64{1, 1}); got != 1 {
		t.Errorf("equal times: %v", got)
	}
	for _, alpha := range []float64{0.05, 0.01, 0.001} {
		if got := signedRank(slices.Repeat([]float64{1.2}, enough(alpha)-2)); got >= alpha {
			t.Errorf("%d times a fifth slower has the probability %v, want less than %v", enough(alpha)-2, got, alpha)
		}
	}
	if got := enough(0.01); got != 10 {
		t.Errorf("%d measurements for .01, want 10", got)
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
		files, err := filepath.Glob("../../../" + s.pkg + "/*_test.go")
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

// The default is the commit of this history that renewed the numbers, whatever it is called after
// a rebase. A clone without a history cannot tell.
func TestLastChange(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not here:", err)
	}
	dir := t.TempDir()
	git := func(args ...string) string {
		t.Helper()
		out, err := output(t.Context(), dir, "git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"}, args...)...)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	change := func(name, text string) string {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		git("add", name)
		git("commit", "-q", "-m", "change "+name)
		return git("rev-parse", "HEAD")
	}
	git("init", "-q")
	change("other", "1")
	if got, err := lastChange(t.Context(), dir, "numbers"); err == nil {
		t.Errorf("before it is committed: %q", got)
	}
	change("numbers", "1")
	want := change("numbers", "2")
	change("other", "2")
	if got, err := lastChange(t.Context(), dir, "numbers"); err != nil || got != want {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
	cut := filepath.Join(t.TempDir(), "cut")
	git("clone", "-q", "--depth", "1", "file://"+filepath.ToSlash(dir), cut)
	if got, err := lastChange(t.Context(), cut, "numbers"); err == nil || !strings.Contains(err.Error(), "git fetch --unshallow") {
		t.Errorf("a clone of one commit: %q, %v", got, err)
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

func TestOnce(t *testing.T) {
	const (
		all  = "goos: a\npkg: p\nBenchmarkA 1 2 ns/op\ngoos: a\npkg: p\nBenchmarkA 1 2 ns/op\ngoos: a\npkg: q\nBenchmarkB 1 3 ns/op\npkg: p\n"
		want = "goos: a\npkg: p\nBenchmarkA 1 2 ns/op\nBenchmarkA 1 2 ns/op\npkg: q\nBenchmarkB 1 3 ns/op\npkg: p\n"
	)
	if diff := cmp.Diff(want, once(all)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The runs of one measurement lie far apart: with two measurements, runs 0, 2 and 4 make
// the first. In a second look they follow each other, in one order of functions.
func TestResults(t *testing.T) {
	tr := tree{outs: [][]string{nil}}
	for _, n := range []string{"9", "7", "8", "5", "6", "4"} {
		tr.outs[0] = append(tr.outs[0], "pkg: p\nBenchmarkA \t 10\t "+n+" ns/op\n")
	}
	const want = "pkg: p\nBenchmarkA \t 10\t 6 ns/op\npkg: p\nBenchmarkA \t 10\t 4 ns/op\n"
	if diff := cmp.Diff(want, string(tr.results())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	tr.together = true
	const together = "pkg: p\nBenchmarkA \t 10\t 7 ns/op\npkg: p\nBenchmarkA \t 10\t 4 ns/op\n"
	if diff := cmp.Diff(together, string(tr.results())); diff != "" {
		t.Errorf("together (-want +got):\n%s", diff)
	}
}
