package placement

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

// crowd makes instances with leases of an hour, begun and idle at random.
func crowd(n int, rnd *rand.Rand) []Instance {
	idle := make([]Instance, n)
	for i := range idle {
		since := time.Duration(rnd.Int64N(int64(time.Hour)))
		idle[i] = Instance{ID: i, Since: since, Due: since + time.Duration(rnd.Int64N(int64(time.Hour)))}
	}
	return idle
}

func BenchmarkAppendSelect(b *testing.B) {
	for _, p := range []Policy{MaxMarginFirst, Random} {
		for _, size := range []int{10, 100, 1000, 10_000} {
			b.Run(fmt.Sprintf("policy=%v/idle=%d", p, size), func(b *testing.B) {
				rnd := rand.New(rand.NewPCG(1, uint64(size)))
				idle := crowd(size, rnd)
				var s Selector
				var dst []int
				n := 0
				for b.Loop() {
					n = n%(size/2) + 1 // from 1 to half of them
					dst = s.AppendSelect(dst[:0], idle, n, p, rnd)
				}
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "selections/s")
			})
		}
	}
}
