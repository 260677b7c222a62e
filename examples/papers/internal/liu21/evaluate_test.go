package liu21

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/centres"
	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/joblog"
	"github.com/plimsoll/plimsoll/examples/internal/programtest"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule/trace"
)

// tested is run in the process of the tests. Its golden files are renewed by
// go test ./examples/papers/internal/liu21 -update.
var tested = programtest.Program{Name: "papers liu21", Run: program.Run}

func TestMain(m *testing.M) { programtest.Main(m, program.Main) }

// evaluated returns what the program found, before it is written, with the notable
// windows of rolling horizons only.
func evaluated(tb testing.TB, args ...string) *results {
	tb.Helper()
	o, err := program.Options(args...)
	if err != nil {
		tb.Fatal(err)
	}
	o.sparse, o.tables = true, true
	r, err := work(&o, cli.Quiet())
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

// One core gives what all give.
func TestWorkers(t *testing.T) {
	args := []string{"-json", "-hours", "60"}
	before := runtime.GOMAXPROCS(1)
	one, _ := tested.Must(t, args...)
	runtime.GOMAXPROCS(5)
	five, _ := tested.Must(t, args...)
	runtime.GOMAXPROCS(before)
	if one != five {
		t.Error("five workers give another result than one")
	}
}

// Whatever the centres, plans and errors: sharing conserves money and hours, it costs no
// less than the optimum, that no less than its bounds, and none of it less than all
// demand planned as one.
func TestOrder(t *testing.T) {
	lent := 0
	for seed := range 3 {
		r := evaluated(t, "-seed", fmt.Sprint(seed), "-hours", fmt.Sprint(24+24*seed))
		var s sharer
		tasks := centres.Tasks(r.centres)
		check := func(x *outcome, s *centres.Sharing) {
			if s.Total.Paid != s.Total.Received {
				t.Errorf("seed %d, %v: %v paid, %v received", seed, x.Planner, s.Total.Paid, s.Total.Received)
			}
			if got := int64(s.Total.Own + s.Total.Borrowed + s.Total.Bought + s.Total.Elsewhere); got != r.hours || s.Total.Borrowed != s.Total.Lent {
				t.Errorf("seed %d, %v: %d instance-hours ran, want %d", seed, x.Planner, got, r.hours)
			}
			if used, held := s.Hours(); used > held || held != x.Held {
				t.Errorf("seed %d, %v: %d of %d hours used", seed, x.Planner, used, held)
			}
			lent += s.Total.Lent
		}
		for _, p := range r.shown() {
			x := r.plain[p]
			b, err := s.Best(r.centres, x, tasks)
			if err != nil {
				t.Fatal(err)
			}
			roaming, err := s.Share(r.centres, x.Plans, nil, tasks, &centres.Readings[centres.Roaming])
			if err != nil {
				t.Fatal(err)
			}
			if greedy := roaming.Cost; !(greedy >= b.Optimum && b.Optimum >= b.Bound && b.Bound >= b.Split) {
				t.Errorf("seed %d, %v: greedy %v, optimum %v, bound %v, split %v: want them to fall", seed, p, greedy, b.Optimum, b.Bound, b.Split)
			}
			if b.Optimum > b.Bound+b.Bound/1000 {
				t.Errorf("seed %d, %v: optimum %v, bound %v: want them within a thousandth", seed, p, b.Optimum, b.Bound)
			}
			// Errors reach the planners that predict, and only those.
			if y := r.erred[p][2]; p == wang || p == history {
				if y.Cost != x.Cost {
					t.Errorf("seed %d, %v: %v with errors of 40%%, %v without: want the same", seed, p, y.Cost, x.Cost)
				}
			} else if p == exact && y.Cost <= x.Cost || y.Cost == x.Cost || !slices.Equal(r.erred[p][0].Plans[0].Active, x.Plans[0].Active) {
				t.Errorf("seed %d, %v: %v with errors of 40%%, %v without", seed, p, y.Cost, x.Cost)
			}
			if x.Cost < r.optimum.Cost {
				t.Errorf("seed %d, %v: %v is below the optimum %v", seed, p, x.Cost, r.optimum.Cost)
			}
			idle, err := s.Share(r.centres, x.Plans, nil, tasks, &centres.Readings[2])
			if err != nil {
				t.Fatal(err)
			}
			if saved, hours := r.reach(x); x.Cost-idle.Cost > saved || int64(idle.Total.Lent) > hours {
				t.Errorf("seed %d, %v: sharing what is idle saves %v, and could save %v", seed, p, x.Cost-idle.Cost, saved)
			}
			check(x, idle)
			check(x, roaming)
			for _, y := range append(slices.Clone(r.sweep[p]), r.erred[p]...) {
				check(y, y.Shared)
			}
		}
	}
	if lent == 0 {
		t.Error("nothing was lent")
	}
}

// What is idle is lent once, where it is dearest to rent.
func TestReach(t *testing.T) {
	r := &results{o: &options{Options: centres.Options{Hours: 1}}, byPrice: []int{1, 0, 2}}
	x := &outcome{}
	for _, c := range []struct {
		price          pricing.Money
		demand, active int
	}{{3, 2, 0}, {5, 2, 0}, {1, 1, 4}} {
		r.centres = append(r.centres, &centre{Site: centres.Site{OnDemand: c.price}, Demand: []int{c.demand}})
		x.Plans = append(x.Plans, &centres.Plan{Active: []int{c.active}})
	}
	if saved, hours := r.reach(x); saved != 2*5+3 || hours != 3 {
		t.Errorf("%v for %d hours, want 13 for 3", saved, hours)
	}
}

// Names that are alike when cut are told apart.
func TestShortNames(t *testing.T) {
	names := func(list ...string) []string {
		r := new(results)
		for _, name := range list {
			r.centres = append(r.centres, &centre{Site: centres.Site{Name: name}})
		}
		return r.shortNames()
	}
	if got := names("UniLu-Gaia-2014-1", "SDSC"); got[0] == got[1] || got[1] != "SDSC" {
		t.Errorf("%q", got)
	}
	if got := names("a long name, the first", "a long name, the second"); got[0] == got[1] || !strings.HasPrefix(got[1], "2 a long") {
		t.Errorf("%q", got)
	}
}

// By hand: of four jobs that are submitted in the two hours from 1 on, one runs for less than
// an hour; those before and after do not count.
func TestShort(t *testing.T) {
	c := &centre{Log: &joblog.Log{}, Demand: make([]int, 2)}
	for _, j := range []struct{ submit, run time.Duration }{{59, 1}, {60, 59}, {61, 60}, {100, 61}, {179, 3000}, {180, 1}} {
		c.Log.Jobs = append(c.Log.Jobs, trace.Job{Submit: j.submit * time.Minute, Run: j.run * time.Minute, Nodes: 1})
	}
	for hour, want := range map[int]float64{1: .25, 0: 2. / 4, 9: 0} {
		if got := short(c, hour); got != want {
			t.Errorf("from hour %d on %v of the jobs are short, want %v", hour, got, want)
		}
	}
}

func TestNear(t *testing.T) {
	if !near(1.25, 1, .25) || near(1.26, 1, .25) || !near(.75, 1, .25) || near(.74, 1, .25) {
		t.Error("near is not within the bound")
	}
}
