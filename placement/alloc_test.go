package placement

import (
	"math/rand/v2"
	"testing"

	"github.com/plimsoll/plimsoll/internal/allocs"
)

func TestAppendSelectAllocatesNothing(t *testing.T) {
	var s Selector
	rnd := rand.New(rand.NewPCG(9, 9))
	idle := crowd(10_000, rnd)
	dst := s.AppendSelect(nil, idle, len(idle), Random, rnd) // warm
	for _, size := range []int{1, 7, 100, 10_000} {
		for _, n := range []int{0, 1, size / 3, size} {
			for p := MaxMarginFirst; p <= Random; p++ {
				rnd.Shuffle(len(idle), func(i, j int) { idle[i], idle[j] = idle[j], idle[i] })
				if got := allocs.Once(func() { dst = s.AppendSelect(dst[:0], idle[:size], n, p, rnd) }); got != 0 {
					t.Errorf("%v, %d of %d: %v allocations", p, n, size, got)
				}
			}
		}
	}
}
