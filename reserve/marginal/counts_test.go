package marginal

import (
	"errors"
	"math"
	"testing"
)

// Counts whose units would wrap around are refused, and so are negative ones.
func TestCounts(t *testing.T) {
	b := book(t, market(t, kindsText), `[]`)
	running := make([]int, len(b.Kinds))
	large, largest := int64(math.MaxInt32+1), int64(math.MaxInt64) // below 0 where an int has 32 bits
	for _, n := range []int{-1, int(large), int(largest)} {
		running[1] = n
		if _, err := b.Quotes(running, now, Options{}); !errors.Is(err, ErrRange) {
			t.Errorf("%d running: %v", n, err)
		}
		beside := make([][]int, len(b.Kinds))
		beside[1] = []int{0, n}
		if _, err := b.Quotes(make([]int, len(b.Kinds)), now, Options{Beside: [][][]int{beside}}); !errors.Is(err, ErrRange) {
			t.Errorf("%d beside: %v", n, err)
		}
	}
}
