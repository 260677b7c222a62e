package advice

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/inputerr"
	"github.com/plimsoll/plimsoll/pricing"
)

// How far a plan may be from the cheapest, and that the answer says so.
func TestGap(t *testing.T) {
	for _, c := range []struct {
		cost, bound pricing.Money
		want        float64
	}{{110, 100, .1}, {100, 100, 0}, {99, 100, 0}, {5, 0, 0}, {0, 0, 0}, {5, -1, 0}, {300, 100, 2}} {
		a := Advice{Cost: c.cost, Bound: c.bound, Now: monday, End: monday, Next: monday, Paths: 1}
		if got := a.gap(); got != c.want {
			t.Errorf("%v above %v: %v, want %v", c.cost, c.bound, got, c.want)
		}
		if text := a.Text(); !strings.Contains(text, "So this plan is within ") || c.want == .1 && !strings.Contains(text, "within 10% of the cheapest") {
			t.Errorf("%v above %v: %s", c.cost, c.bound, text)
		}
	}
}

// Amounts that do not fit are an error, wherever they come up, and no other number.
func TestAmountsTooLarge(t *testing.T) {
	refused := 0
	for shift := range 30 {
		for _, part := range []int{0, 1, 2, 3} {
			r := newUser(2)
			for i := range r.Paths {
				r.Paths[i] = r.Paths[i][:60]
			}
			r.Held = nil
			r.Offers = r.Offers[:2]
			m := pricing.Money(math.MaxInt64 >> shift)
			switch part {
			case 0:
				r.OnDemand = m
			case 1:
				r.Offers[1].Upfront, r.OnDemand = m, m/20
			case 2:
				r.Offers[0].Hourly, r.OnDemand = m, m+m/2
			case 3:
				r.Offers[1].Upfront, r.Offers[0].Hourly, r.OnDemand = m, m/2000, m/1000
			}
			a, err := Advise(r)
			var in *inputerr.Error
			if err != nil {
				refused++
				if !errors.As(err, &in) && !errors.Is(err, pricing.ErrOverflow) && !errors.Is(err, pricing.ErrRange) {
					t.Errorf("shift %d, part %d: %v", shift, part, err)
				}
				continue
			}
			if err := a.Verify(); err != nil {
				t.Errorf("shift %d, part %d: %v", shift, part, err)
			}
			if a.Cost < 0 || a.Bound < 0 || a.OnDemand < 0 || a.Today < 0 || a.Commitment < 0 || a.Cost > a.OnDemand || a.Bound > a.Cost {
				t.Errorf("shift %d, part %d: %+v", shift, part, a)
			}
			for _, o := range a.Orders {
				if o.Upfront < 0 || o.Commitment < o.Upfront {
					t.Errorf("shift %d, part %d: %+v", shift, part, o)
				}
			}
		}
	}
	if refused < 10 || refused > 110 {
		t.Errorf("%d of 120 are refused", refused)
	}
}
