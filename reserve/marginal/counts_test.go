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
	for _, n := range []int{-1, math.MaxInt32 + 1, math.MaxInt64} {
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
