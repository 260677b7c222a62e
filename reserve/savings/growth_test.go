//go:build unix

package savings

import (
	"math"
	"os"
	"syscall"
	"testing"
)

// Growth of Solver from three sizes, in processor time of a warm solve, the shorter of
// two. It takes some minutes, so PLIMSOLL_PEERS has to be set, as for the comparisons of package
// reserve.
func TestGrowth(t *testing.T) {
	if os.Getenv("PLIMSOLL_PEERS") == "" {
		t.Skip("PLIMSOLL_PEERS is not set")
	}
	sizes := []int{6570, 13_140, 26_280}
	for _, c := range []struct {
		name  string
		solve func(slots int) func() (gap float64, err error)
	}{
		{"Solver, 3 types, 720 h, any hour", func(slots int) func() (float64, error) {
			p := userSavings(slots, 3, 600, 720)
			p.Every = 1
			var s Solver
			return func() (float64, error) { plan, err := s.Solve(p); return plan.Gap(), err }
		}},
		{"Solver, 5 types, 8,760 h, weekly", func(slots int) func() (float64, error) {
			p := userSavings(slots, 5, 600, 8760)
			p.Every = 168
			var s Solver
			return func() (float64, error) { plan, err := s.Solve(p); return plan.Gap(), err }
		}},
		{"Solver, classes, 2 types, 720 h, weekly", func(slots int) func() (float64, error) {
			p := userMixed(slots, 2, 600, 720)
			p.Every = 168
			var m Solver
			return func() (float64, error) { plan, err := m.Solve(p); return plan.Gap(), err }
		}},
		{"Solver, classes, 2 types, 720 h, any hour", func(slots int) func() (float64, error) {
			p := userMixed(slots, 2, 600, 720)
			p.Every = 1
			var m Solver
			return func() (float64, error) { plan, err := m.Solve(p); return plan.Gap(), err }
		}},
	} {
		var times [3]float64
		for i, n := range sizes {
			solve := c.solve(n)
			best, gap := math.Inf(1), 0.0
			for range 2 {
				before := processor()
				var err error
				if gap, err = solve(); err != nil {
					t.Fatal(err)
				}
				best = min(best, processor()-before)
			}
			times[i] = best
			t.Logf("%s, %d slots: %.3f s, gap %.1e", c.name, n, best, gap)
		}
		t.Logf("%s: exponents %.2f and %.2f", c.name, math.Log2(times[1]/times[0]), math.Log2(times[2]/times[1]))
	}
}

// What the plans of TestMixedGap take, in seconds of the processor.
func TestGrowthGap(t *testing.T) {
	if os.Getenv("PLIMSOLL_PEERS") == "" {
		t.Skip("PLIMSOLL_PEERS is not set")
	}
	for _, c := range gapCases {
		p := userMixed(3600, 3, 600, c.term)
		p.Every = c.every
		var m Solver
		before := processor()
		plan, err := m.Solve(p)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("term %d, every %d: %.2f s, gap %.1e", c.term, c.every, processor()-before, plan.Gap())
	}
}

// processor returns the seconds of the processor that this program has used.
func processor() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return float64(u.Utime.Sec+u.Stime.Sec) + float64(u.Utime.Usec+u.Stime.Usec)/1e6
}
