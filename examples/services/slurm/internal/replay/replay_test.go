//go:build unix

package replay

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/plimsoll/plimsoll/examples/internal/clock"
	"github.com/plimsoll/plimsoll/examples/services/slurm/internal/manager"
	"github.com/plimsoll/plimsoll/schedule/trace"
)

const (
	minute = time.Minute
	hour   = time.Hour
)

// Jobs have the shape that was asked for, whatever the seed, and what the model says of
// logs: most are small, runs spread over their whole range, and arrivals come in bursts.
func TestMake(t *testing.T) {
	for seed := range uint64(50) {
		jobs, err := Make(rand.New(rand.NewPCG(seed, 0)), 50)
		if err != nil {
			t.Fatal(err)
		}
		if len(jobs) != 50 || jobs[0].Submit != 0 {
			t.Fatalf("seed %d: %d jobs, the first at %v", seed, len(jobs), jobs[0].Submit)
		}
		var runs, gaps []time.Duration
		small := 0
		for i, j := range jobs {
			if j.ID != int64(i) || j.Nodes < 1 || j.Nodes > Largest || j.Estimate < j.Run || j.Run < shortest || j.Run > longest {
				t.Errorf("seed %d: %+v", seed, j)
			}
			if j.Nodes <= 2 {
				small++
			}
			runs = append(runs, j.Run)
			if i > 0 {
				gaps = append(gaps, j.Submit-jobs[i-1].Submit)
			}
		}
		slices.Sort(runs)
		slices.Sort(gaps)
		if runs[0] != shortest || runs[49] != longest {
			t.Errorf("seed %d: runs of %v to %v", seed, runs[0], runs[49])
		}
		if gaps[24] != medianGap || gaps[48] != longestGap {
			t.Errorf("seed %d: gaps of %v, at most %v", seed, gaps[24], gaps[48])
		}
		if small < 20 {
			t.Errorf("seed %d: only %d jobs of one or two nodes", seed, small)
		}
		again, err := Make(rand.New(rand.NewPCG(seed, 0)), 50)
		if err != nil || cmp.Diff(jobs, again) != "" {
			t.Errorf("seed %d: other jobs the second time, %v", seed, err)
		}
	}
}

// One job and two have no gaps to stretch.
func TestMakeFew(t *testing.T) {
	if jobs, err := Make(rand.New(rand.NewPCG(7, 0)), 0); err != nil || len(jobs) != 0 {
		t.Errorf("no jobs: %v, %v", jobs, err)
	}
	for n := 1; n < 4; n++ {
		jobs, err := Make(rand.New(rand.NewPCG(7, 0)), n)
		if err != nil || len(jobs) != n {
			t.Errorf("%d jobs: %v, %v", n, jobs, err)
		}
	}
}

// The logarithms of the times are on a straight line.
func TestLine(t *testing.T) {
	f := line(0, math.Log(100), minute, 4*minute)
	for x, want := range map[float64]time.Duration{1: minute, 10: 2 * minute, 100: 4 * minute} {
		if got := f(math.Log(x)).Round(time.Millisecond); got != want {
			t.Errorf("%v: %v, want %v", x, got, want)
		}
	}
	if got := line(3, 3, minute, hour)(3).Round(time.Millisecond); got != minute {
		t.Errorf("a line of one point: %v", got)
	}
}

func run(submit, start, end time.Duration, names ...string) Run {
	return Run{Job: trace.Job{Submit: submit, Run: end - start, Nodes: len(names)}, Start: start, End: end, Names: names}
}

func up(node string, at, leaves time.Duration) *Lease {
	return &Lease{Node: node, Up: at, Created: at, Leaves: leaves, Ended: leaves}
}

// Delays by hand.
func TestDelays(t *testing.T) {
	two := []*Lease{up("a", 10, -1), up("b", 20, -1)}
	for _, c := range []struct {
		name   string
		runs   []Run
		leases []*Lease
		early  int64
		want   []time.Duration
	}{
		{"waits for nodes, and then for Slurm", []Run{run(0, 25, 50, "a", "b")}, two, -1, []time.Duration{5}},
		{"its nodes are there", []Run{run(30, 33, 50, "a")}, two, -1, []time.Duration{3}},
		{"a job ends first", []Run{run(0, 20, 50, "a", "b"), run(5, 57, 60, "b")}, two, -1, []time.Duration{0, 7}},
		// Both could have started at 20; the second is not delayed by the first.
		{"both at once", []Run{run(0, 27, 50, "a"), run(1, 28, 60, "b")}, two, -1, []time.Duration{17, 8}},
		// b is kept for the second, which could have started at 20, until it does at 29.
		{"its turn", []Run{run(0, 10, 50, "a"), run(1, 29, 40, "b"), run(22, 44, 60, "b")}, two, -1, []time.Duration{0, 9, 4}},
		// The second waits for two nodes, the third does not overtake it.
		{"a large one first", []Run{run(0, 21, 50, "a"), run(1, 51, 60, "a", "b"), run(2, 62, 70, "b")}, two, -1, []time.Duration{11, 1, 2}},
		// Slurm takes node b, which comes at 20, although a was idle from 10 on.
		{"another node", []Run{run(0, 24, 30, "b")}, two, -1, []time.Duration{14}},
		// Number 0, the Slurm number of all of these, is early: nobody is left.
		{"out of turn", []Run{run(0, 24, 30, "b")}, two, 0, nil},
		// What leaves is not to be had.
		{"a node that has left", []Run{run(0, 35, 40, "b")}, []*Lease{up("a", 10, 15), up("b", 30, -1), up("c", 12, 14)}, -1, []time.Duration{25}},
		{"a node that left before", []Run{run(16, 35, 40, "b")}, []*Lease{up("a", 10, 15), up("b", 30, -1)}, -1, []time.Duration{5}},
		{"a node that was there from the beginning", []Run{run(0, 7, 40, "a")}, []*Lease{up("a", 0, -1)}, -1, []time.Duration{7}},
		{"a node that left at once", []Run{run(0, 35, 40, "b")}, []*Lease{up("a", 0, 0), up("b", 30, -1)}, -1, []time.Duration{5}},
		{"a node that never came up", []Run{run(0, 35, 40, "b")}, []*Lease{{Node: "a", Up: -1, Leaves: -1}, up("b", 30, -1)}, -1, []time.Duration{5}},
		// The first is there until 30, when the second could start.
		{"another that begins at the same moment", []Run{run(0, 10, 30, "a"), run(10, 31, 40, "a")}, []*Lease{up("a", 10, -1)}, -1, []time.Duration{0, 1}},
		// The manager sees the node up after the job has started there.
		{"seen late", []Run{run(0, 9, 40, "a")}, two, -1, []time.Duration{0}},
	} {
		got := Delays(c.runs, c.leases, func(id int64) bool { return id == c.early })
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
}

func TestBoots(t *testing.T) {
	l := func(set int, asked, up time.Duration) *Lease { return &Lease{Set: set, Asked: asked, Up: up} }
	b := MeasureBoots([]*Lease{l(0, 10, 14), l(0, 10, 20), l(1, 30, 50), l(1, 30, 35), l(2, 0, 3), l(3, 7, 8), l(3, 7, 8), l(3, 7, 8), l(3, 7, 8), l(4, 9, -1)})
	if d := cmp.Diff(Boots{{1, 1, 3}, {2, 2, 15}, {4, 1, 1}}, b); d != "" {
		t.Error(d)
	}
	for n, want := range map[int]time.Duration{1: 3, 2: 15, 3: 15, 4: 1, 9: 1} {
		if got := b.Of(n); got != want {
			t.Errorf("%d: %v, want %v", n, got, want)
		}
	}
	if got := (Boots{}).Of(3); got != 0 {
		t.Error(got)
	}
}

// Leases follow the entries of a journal.
func TestLeases(t *testing.T) {
	origin := time.Unix(1_800_000_000, 0)
	l := Leases{Clock: clock.New(origin, time.Second)} // an hour lasts a second
	at := func(h float64) time.Time { return origin.Add(time.Duration(h * float64(time.Second))) }
	for _, e := range []manager.Entry{
		{Kind: manager.Asking, Token: "1", Node: "a", At: 0, Job: 7, Reason: "two"},
		{Kind: manager.Asking, Token: "2", Node: "b", At: 0, Job: 7, Reason: "two"},
		{Kind: manager.Asking, Token: "3", Node: "c", At: 1, Job: 7, Reason: "one"},
		{Kind: manager.Refused, Token: "3", Node: "c", At: 2},
		{Kind: manager.Rented, Token: "1", ID: "i1", Created: at(0), At: 2},
		{Kind: manager.Rented, Token: "2", ID: "i2", Created: at(0), At: 2},
		{Kind: manager.Week, At: 3},
		{Kind: manager.Up, Token: "1", At: hour},
		{Kind: manager.Leaving, Token: "1", At: 2 * hour},
		{Kind: manager.Staying, Token: "1", At: 2 * hour},
		{Kind: manager.Leaving, Token: "2", At: 2 * hour, Reason: "idle, and charged again in 4m33s"},
		{Kind: manager.Failed, Reason: "of no instance", At: 2 * hour},
		{Kind: manager.Asking, Token: "4", Node: "c", At: 2 * hour, Job: 7, Reason: "one"},
	} {
		l.See(&e)
	}
	if len(l.All) != 3 || l.Live() != 3 || l.Sets != 3 || l.All[0].Set != 0 || l.All[1].Set != 0 || l.All[2].Set != 2 {
		t.Errorf("%+v", l)
	}
	if x := l.All[0]; x.Up != hour || x.Leaves != -1 || x.Left != -1 || x.Created != 0 {
		t.Errorf("%+v", x)
	}
	if x := l.All[1]; x.Left != 4*minute+33*time.Second {
		t.Errorf("%+v", x)
	}
	in := l.Instances()
	if len(in) != 2 || !in[0].Live() || !in[1].Ended.Equal(at(2)) {
		t.Errorf("%+v", in)
	}
	// One that was to leave at the very beginning has ended then.
	first := Leases{Clock: l.Clock, All: []*Lease{{Created: 0, Leaves: 0, Ended: -1}, {Created: -1, Leaves: 0, Ended: -1}}}
	if in := first.Instances(); len(in) != 1 || !in[0].Ended.Equal(origin) {
		t.Errorf("%+v", in)
	}
	l.See(&manager.Entry{Kind: manager.Up, Token: "nobody", At: hour}) // of no instance
	l.See(&manager.Entry{Kind: manager.Gone, Token: "2", Ended: at(3), At: 3 * hour})
	if x := l.All[1]; x.Ended != 3*hour || l.Live() != 2 {
		t.Errorf("%+v", x)
	}
	// One that the provider has created beside another, which is ended, lives on, and ends.
	for i, e := range []manager.Entry{
		{Kind: manager.Spare, Token: "1/i9", Node: "a", ID: "i9", Created: at(1), At: 4 * hour},
		{Kind: manager.Gone, Token: "1/i9", Ended: at(5), At: 5 * hour},
		{Kind: manager.Stray, Token: "1/i9", At: 6 * hour},
		{Kind: manager.Leaving, Token: "1/i9", At: 6 * hour},
		{Kind: manager.Gone, Token: "1/i9", Ended: at(7), At: 7 * hour},
	} {
		l.See(&e)
		if live := l.Live(); live != []int{3, 2, 3, 3, 2}[i] {
			t.Errorf("%+v: %d live", e, live)
		}
	}
	if x := l.All[3]; x.Created != hour || x.Ended != 7*hour || x.Up != -1 || len(l.Instances()) != 3 || l.Instances()[2].ID != "i9" {
		t.Errorf("%+v, %+v", x, l.Instances())
	}
	if n := len(MeasureBoots(l.All)); n != 1 { // it is in no request
		t.Errorf("boots of %d sizes", n)
	}
}

// What jobs noted is read, and a job that ran twice or not is an error.
func TestRead(t *testing.T) {
	origin := time.Unix(1_800_000_000, 0)
	dir := t.TempDir()
	p := Player{Clock: clock.New(origin, time.Hour), Dir: dir}
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("job.0.start", "1800000001.500000000 12 n1\n")
	runs := []Run{{Slurm: 12}}
	if err := p.Read(runs); err == nil || !strings.Contains(err.Error(), "job 0 did not end") {
		t.Error(err)
	}
	write("job.0.end", "1800000003.25 12 n1\n")
	if n, err := p.Ended(); n != 1 || err != nil {
		t.Error(n, err)
	}
	if err := p.Read(runs); err != nil || runs[0].Start != 1500*time.Millisecond || runs[0].End != 3250*time.Millisecond {
		t.Error(runs, err)
	}
	for _, text := range []string{"", "1800000003.25 12 n1\n1800000004.25 12 n1\n", "1800000003.25 13 n1\n", "x 12 n1\n"} {
		write("job.0.end", text)
		if err := p.Read(runs); err == nil {
			t.Errorf("%q is no error", text)
		}
	}
	// The script's parts are where they are to be.
	got := fmt.Sprintf(script, "/x/job", 1.25, 3)
	if strings.Contains(got, "%!") || !strings.Contains(got, "sleep 1.250\n") || !strings.Contains(got, "'/x/job.3.'$1") || !strings.Contains(got, "date +%s.%N") {
		t.Error(got)
	}
}
