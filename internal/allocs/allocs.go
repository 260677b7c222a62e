// Package allocs counts what a function allocates, for tests that want 0.
package allocs

import "testing"

// Once returns how many allocations one run of f makes, after one run to warm up. The count is that
// of the whole process, so it includes allocations that the runtime sometimes makes. For that
// reason, Once tries up to five times and returns the least count. Allocations of f itself occur in
// every try.
//
// testing.AllocsPerRun over several runs is not exact: it rounds down, and so reports 0 for an
// allocation in every second run.
func Once(f func()) float64 {
	least := testing.AllocsPerRun(1, f)
	for range 4 {
		if least == 0 {
			break
		}
		least = min(least, testing.AllocsPerRun(1, f))
	}
	return least
}
