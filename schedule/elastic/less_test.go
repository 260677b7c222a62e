package elastic

import (
	"math"
	"testing"

	"github.com/plimsoll/plimsoll/pricing"
)

// What is left never wraps around to credits that nobody has.
func TestLess(t *testing.T) {
	const most = pricing.Money(math.MaxInt64)
	for _, c := range []struct {
		left, price pricing.Money
		n           int
		want        pricing.Money
	}{
		{10, 3, 2, 4}, {10, 3, 4, -2}, {most, most, 1, 0}, {0, most/2 + 1, 2, math.MinInt64}, {5, most, 3, math.MinInt64}, {math.MinInt64, 1, 1, math.MinInt64},
	} {
		if got := less(c.left, c.price, c.n); got != c.want {
			t.Errorf("%d less %d times %d is %d, want %d", c.left, c.n, c.price, got, c.want)
		}
	}
}
