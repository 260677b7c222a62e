package federation

import (
	"math"
	"testing"

	"github.com/plimsoll/plimsoll/pricing"
)

// The midpoint of two prices near the end of their range lies between them.
func TestMidpointOfGreatPrices(t *testing.T) {
	o := Options{Price: Midpoint}
	for _, c := range []struct{ fee, onDemand, want pricing.Money }{
		{6e18, 8e18, 7e18}, {math.MaxInt64, math.MaxInt64, math.MaxInt64}, {3, 4, 3}, {3, 5, 4}, {0, 0, 0},
	} {
		lender := Centre{Fee: c.fee, Term: 1, OnDemand: c.onDemand}
		if got := o.priceOf(lender, lender); got != c.want {
			t.Errorf("between %d and %d: %d, want %d", c.fee, c.onDemand, got, c.want)
		}
	}
}

// Who misses nothing sends nothing, whatever the rates.
func TestThetaOfNothingMissing(t *testing.T) {
	var s Splitter
	got, err := s.Theta([]int{-5}, []int{1}, Rates{OnDemand: math.MaxInt64, Elsewhere: math.MaxInt64})
	if got != 0 || err != nil {
		t.Errorf("%d, %v", got, err)
	}
}
