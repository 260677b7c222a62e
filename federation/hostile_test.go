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

// What a booking and a statement cost is right wherever it fits, though a part of the sum does not, and panics
// with the package's name where it does not.
func TestCostsThatDoNotFit(t *testing.T) {
	const most = math.MaxInt64
	for _, c := range []struct {
		b    Booking
		s    Statement
		want pricing.Money
		fits bool
	}{
		{Booking{Lease: 1, Bought: 20, Traffic: 300}, Statement{Fees: 1, OnDemand: 20, Traffic: 300, Paid: 4000, Received: 4000}, 321, true},
		{Booking{Lease: most, Bought: 5, Traffic: -9}, Statement{Fees: most, OnDemand: 5, Traffic: 3, Paid: 2, Received: 14}, most - 4, true},
		{Booking{Lease: most, Bought: 1}, Statement{Paid: most, Received: -1}, 0, false},
		{Booking{Bought: math.MinInt64, Traffic: -1}, Statement{Received: math.MinInt64}, 0, false},
	} {
		for name, cost := range map[string]func() pricing.Money{"booking": c.b.Cost, "statement": c.s.Cost} {
			func() {
				defer func() {
					if m, _ := recover().(string); c.fits != (m == "") || !c.fits && !strings.HasPrefix(m, "federation: ") {
						t.Errorf("%s of %+v: panic %q", name, c, m)
					}
				}()
				if got := cost(); got != c.want {
					t.Errorf("%s of %+v: %v", name, c, got)
				}
			}()
		}
	}
}

// Who has seen enough statements breaks off.
func TestSomeStatements(t *testing.T) {
	var l Ledger
	l.Reset(3)
	n := 0
	for i := range l.Statements() {
		if n++; i == 1 {
			break
		}
	}
	if n != 2 {
		t.Errorf("%d statements, want 2", n)
	}
}
