package federation

import (
	"math"
	"strings"
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
	var s splitter
	if got := s.theta([]int{-5}, []int{1}, rates{onDemand: math.MaxInt64, elsewhere: math.MaxInt64}, nil); got != 0 {
		t.Errorf("%d, want 0", got)
	}
}

// A ledger has a flow for each two centres: how many there may be is bounded before memory
// is taken.
func TestLedgerOfTooManyCentres(t *testing.T) {
	for _, n := range []int{maxCentres + 1, math.MaxInt32} {
		func() {
			defer func() {
				if m, _ := recover().(string); !strings.HasPrefix(m, "federation: ") {
					t.Errorf("%d centres: panic %q", n, m)
				}
			}()
			new(Ledger).Reset(n)
		}()
	}
}

// What a statement costs is right wherever it fits, though a part of the sum does not, and
// panics with the package's name where it does not.
func TestCostsThatDoNotFit(t *testing.T) {
	const most = math.MaxInt64
	for _, c := range []struct {
		s    Statement
		want pricing.Money
		fits bool
	}{
		{Statement{Fees: 1, OnDemand: 20, Traffic: 300, Paid: 4000, Received: 4000}, 321, true},
		{Statement{Fees: most, OnDemand: 5, Traffic: 3, Paid: 2, Received: 14}, most - 4, true},
		{Statement{Paid: most, Received: -1}, 0, false},
		{Statement{Received: math.MinInt64}, 0, false},
	} {
		func() {
			defer func() {
				if m, _ := recover().(string); c.fits != (m == "") || !c.fits && !strings.HasPrefix(m, "federation: ") {
					t.Errorf("%+v: panic %q", c, m)
				}
			}()
			if got := c.s.Cost(); got != c.want {
				t.Errorf("%+v: %v", c, got)
			}
		}()
	}
}
