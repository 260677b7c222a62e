package federation

import (
	"errors"
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
	var s Splitter
	got, err := s.Theta([]int{-5}, []int{1}, Rates{OnDemand: math.MaxInt64, Elsewhere: math.MaxInt64})
	if got != 0 || err != nil {
		t.Errorf("%d, %v", got, err)
	}
}

// A ledger has a flow for each two centres: how many there may be is bounded before memory
// is taken, by a panic of the call or an error about the data.
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
	got, err := AppendTemptations(nil, make([]Centre, maxCentres+1), nil, Options{}, 0)
	var in *InputError
	if len(got) != 0 || !errors.As(err, &in) || in.Field != "Centres" || !errors.Is(err, ErrRange) {
		t.Errorf("temptations: %v, %v", got, err)
	}
}
