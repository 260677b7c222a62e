package shared

import (
	"math/rand/v2"
	"testing"

	"github.com/plimsoll/plimsoll/internal/allocs"
)

// Warm, a Solver allocates nothing, whatever the problem is that is no larger than those
// before: by the exact search, and by prices.
func TestAllocatesNothing(t *testing.T) {
	var problems []*Problem
	for _, c := range []struct{ nodes, waiting int }{{30, 12}, {20, 1}, {25, 5}} {
		problems = append(problems, madeUp(rand.New(rand.NewPCG(uint64(c.nodes), 2)), c.nodes, 20, c.waiting))
	}
	var s Solver
	for _, p := range problems { // the largest first
		solve(t, &s, p, Options{Steps: 16})
	}
	for k, p := range problems {
		if n := allocs.Once(func() { solve(t, &s, p, Options{Steps: 16}) }); n > 0 {
			t.Errorf("problem %d: Solve allocates %v times", k, n)
		}
		if n := allocs.Once(func() { approximate(t, &s, p, nil) }); n > 0 {
			t.Errorf("problem %d: Approximate allocates %v times", k, n)
		}
	}
}
