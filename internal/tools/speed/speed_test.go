package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestResults(t *testing.T) {
	const out = "goos: linux\npkg: p\nBenchmarkA \t 10\t 15.5 ns/op\t 0.25 gap\t 8 B/op\t 2 allocs/op\nBenchmarkB/n=1 \t 10\t 7 ns/op\nPASS\n"
	if diff := cmp.Diff(map[string][2]float64{"A": {15.5, 2}, "B/n=1": {7, 0}}, results(out)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The runs of one measurement lie far apart: with two measurements, runs 0, 2 and 4 make
// the first. In a second look they follow each other, in one order of functions.
func TestMeasurement(t *testing.T) {
	tr := tree{outs: [][]string{{"0", "1", "2", "3", "4", "5"}}}
	if got := tr.measurement(0, 1); !slices.Equal(got, []string{"1", "3", "5"}) {
		t.Errorf("apart: %q", got)
	}
	tr.together = true
	if got := tr.measurement(0, 1); !slices.Equal(got, []string{"3", "4", "5"}) {
		t.Errorf("together: %q", got)
	}
}

// What seems to differ is looked at again, and the second look is what counts.
func TestSecondLook(t *testing.T) {
	sets := []set{{pkg: "reserve", pattern: "Plan|Observe/rule=wang", was: "old"}, {pkg: "forecast", pattern: "Fit"}, {pkg: "schedule", pattern: `OD\+\+/jobs=1`}}
	rows := []row{
		{pkg: "reserve", name: "Plan", ratio: 1.05},
		{pkg: "reserve", name: "Observe/rule=wang", ratio: 1.04},
		{pkg: "forecast", name: "Fit", ratio: 1.3, probability: doubt},
		{pkg: "schedule", name: "OD++/jobs=1", ratio: .95},
	}
	want := []set{{pkg: "reserve", pattern: "Plan", was: "old"}, {pkg: "schedule", pattern: `OD\+\+/jobs=1`}}
	got := suspects(rows, sets, 5)
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(set{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := names(got); got != "reserve Plan, schedule OD++/jobs=1" {
		t.Error(got)
	}
	second := []row{{pkg: "reserve", name: "Plan", ratio: 1.2}, {pkg: "schedule", name: "OD++/jobs=1", ratio: 1, probability: 1}}
	all := replace(rows, second)
	if all[0] != second[0] || all[1] != rows[1] || all[3] != second[1] || len(all) != len(rows) || rows[0].ratio != 1.05 {
		t.Errorf("%+v", all)
	}
	more, less := row{ratio: 1, old: [2]float64{1, 0}, new: [2]float64{1, 1}}, row{ratio: 1, old: [2]float64{1, 9}, new: [2]float64{1, 8.5}}
	if !report(all, 5, .01) || report(all[1:], 5, .01) || !report([]row{more}, 5, .01) || report([]row{less}, 5, .01) || report(nil, 5, .01) {
		t.Error("worse are a slower plan and an allocation, and nothing else")
	}
}

// On a machine whose speed doubles and halves, pairs name a tenth, and name nothing between equal
// commits. A benchmark that one tree lacks, and one that is in both equally fast, is not named.
func TestInPairs(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	now, old := &tree{bins: []string{"x", "y"}, outs: make([][]string, 2)}, &tree{bins: []string{"x", ""}, outs: make([][]string, 2)}
	for range 30 {
		speed := math.Exp2(2 * r.Float64())
		jitter := func() float64 { return 1 + r.Float64()/5 }
		line := func(name string, ns float64) string { return fmt.Sprintf("Benchmark%s \t 3\t %f ns/op\n", name, ns) }
		old.outs[0] = append(old.outs[0], line("Slower", 100*speed*jitter())+line("Same/n=1", 10*speed*jitter())+line("Equal", 7))
		now.outs[0] = append(now.outs[0], line("Slower", 112*speed*jitter())+line("Same/n=1", 10*speed*jitter())+line("Equal", 7))
		now.outs[1] = append(now.outs[1], line("New", 7))
	}
	rows, fresh := compare([]set{{pkg: "p"}, {pkg: "q"}}, now, old)
	if len(rows) != 3 || !slices.Equal(fresh, []string{"q New"}) {
		t.Fatalf("%+v, new are %q", rows, fresh)
	}
	if got := rows[2]; got.name != "Slower" || got.ratio < 1.08 || got.ratio > 1.16 || !got.moved(5, .01) {
		t.Errorf("a slowdown of 12%%: %+v", got)
	}
	if got := rows[1]; got.ratio < 0.95 || got.ratio > 1.05 || got.moved(5, .01) {
		t.Errorf("equal commits: %+v", got)
	}
	if got := rows[0]; got.ratio != 1 || got.probability != 1 || got.old != [2]float64{7, 0} {
		t.Errorf("equal times: %+v", got)
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
