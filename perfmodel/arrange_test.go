package perfmodel

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Runs on more processes are left out if the same case was no faster there, not if it was
// not run on fewer.
func TestUnsaturated(t *testing.T) {
	for text, want := range map[string][2]int{
		"size,processes,seconds\n1,1,10\n2,2,12\n3,1,29\n4,4,11\n5,1,52\n6,8,9\n":      {6, 0},
		"size,processes,seconds\n1,1,10\n1,2,5.2\n1,4,5.1\n2,1,20\n2,2,10.3\n2,4,11\n": {4, 2},
	} {
		profiles, err := ReadProfiles(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		kept, left := profiles[0].Unsaturated()
		if len(kept.Runs) != want[0] || len(left) != want[1] {
			t.Errorf("%s%d kept, %d left out; want %v", text, len(kept.Runs), len(left), want)
		}
		for _, r := range left {
			if r.Processes != 4 {
				t.Errorf("left out: %+v", r)
			}
		}
	}
}

func TestLikelyCounts(t *testing.T) {
	for _, c := range []struct {
		application string
		processes   []int
		want        Counts
	}{
		{"x", []int{1, 2}, AnyCount}, // too few to tell
		{"x", []int{1, 2, 4}, PowersOfTwo},
		{"x", []int{1, 4, 9}, Squares},
		{"x", []int{1, 4, 16}, PowersOfTwo},
		{"x", []int{1, 3, 4}, AnyCount},
		{"bt", []int{1, 2, 4}, Squares}, // as the benchmark says
	} {
		p := Profile{Application: c.application, Features: gridAndStep}
		for _, n := range c.processes {
			p.Runs = append(p.Runs, Run{Processes: n})
		}
		if got := p.LikelyCounts(); got != c.want {
			t.Errorf("%s on %v: %v, want %v", c.application, c.processes, got, c.want)
		}
	}
}

func TestArrange(t *testing.T) {
	ft := Profile{Application: "ft", Features: []string{"iterations", "nx", "ny", "nz"}, Runs: []Run{{Features: []float64{6, 1, 2, 3}, Processes: 1}}}
	b, err := NPB("ft")
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := BenchmarkOf(&ft); ok {
		t.Error("its features are in another order")
	}
	arranged, err := ft.Arrange(b.Features)
	if _, ok := BenchmarkOf(&arranged); err != nil || !ok || ft.Features[0] != "iterations" || ft.Runs[0].Features[0] != 6 {
		t.Errorf("%v, %+v", err, ft)
	}
	if diff := cmp.Diff([]float64{1, 2, 3, 6}, arranged.Runs[0].Features); diff != "" {
		t.Error(diff)
	}
	for _, names := range [][]string{{"nx"}, {"nx", "ny", "nz", "steps"}, {"nx", "nx", "ny", "nz"}, {"nx", "ny", "nz", "iterations", "nx"}} {
		if _, err := ft.Arrange(names); !errors.Is(err, ErrMissing) {
			t.Errorf("%v: %v", names, err)
		}
	}
}

// Exactly 600·size/P seconds are predicted exactly, and a run that took twice as long as
// the others say is outside of its interval.
func TestLeaveOutTo(t *testing.T) {
	p := Profile{Features: []string{"size"}}
	for _, size := range []float64{1, 2, 4, 8} {
		for _, n := range []int{1, 2, 4} {
			p.Runs = append(p.Runs, Run{Features: []float64{size}, Processes: n, Seconds: 600 * size / float64(n), Repetitions: 1})
		}
	}
	fit := func(without *Profile) (Estimator, error) {
		m := new(LogLinear)
		return m, m.Fit(without)
	}
	got := make([]Estimate, len(p.Runs))
	LeaveOutTo(got, &p, fit)
	for i, r := range p.Runs {
		if math.Abs(got[i].Seconds/r.Seconds-1) > 1e-9 {
			t.Errorf("%+v: predicted %v", r, got[i].Seconds)
		}
	}
	if longest := p.Longest(); longest.Seconds != 4800 {
		t.Errorf("longest %+v", longest)
	}
	p.Runs[5].Seconds *= 2
	LeaveOutTo(got, &p, fit)
	if x := got[5]; math.Abs(x.Seconds-300) > 1e-6 || x.Upper >= p.Runs[5].Seconds {
		t.Errorf("%+v", x)
	}
	p.Runs = p.Runs[:3] // too few to leave any out
	LeaveOutTo(got[:3], &p, fit)
	for _, x := range got[:3] {
		if !math.IsNaN(x.Seconds + x.Lower + x.Upper) {
			t.Errorf("%+v", x)
		}
	}
}
