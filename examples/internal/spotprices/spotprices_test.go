package spotprices

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
)

// The history is as its comment says: most of the time about a sixth of the price on demand,
// three spikes a day of at most two hours, some of them above that price. By hand: a spike
// takes 12.5 steps in the mean, and one comes every 100 calm steps, so that a ninth of the
// time is in one.
func TestMadeUp(t *testing.T) {
	const price = 1300 * pricing.Milli
	h := MadeUp(price, 1)
	if err := h.Validate(); err != nil {
		t.Fatal(err)
	}
	if h.End != 60*24*time.Hour || h.Times[0] != 0 {
		t.Errorf("from %v to %v, want 60 days from 0", h.Times[0], h.End)
	}
	var calm, spike, above time.Duration
	spikes, longest := 0, time.Duration(0)
	for i, p := range h.Prices {
		end := h.End
		if i+1 < len(h.Times) {
			end = h.Times[i+1]
		}
		if h.Times[i]%(5*time.Minute) != 0 || i > 0 && p == h.Prices[i-1] || p%(price/100) != 0 {
			t.Fatalf("price %d is %v at %v after %v", i, p, h.Times[i], h.Prices[max(0, i-1)])
		}
		switch d := end - h.Times[i]; {
		case p >= 15*price/100 && p <= 17*price/100:
			calm += d
		case p >= 40*price/100 && p < 220*price/100:
			spike, spikes, longest = spike+d, spikes+1, max(longest, d)
			if p > price {
				above += d
			}
			if i == 0 || i+1 < len(h.Prices) && h.Prices[i+1] > 17*price/100 {
				t.Fatalf("a spike at %v after a spike", h.Times[i])
			}
		default:
			t.Fatalf("a price of %v at %v", p, h.Times[i])
		}
	}
	if calm+spike != h.End || spikes < 120 || spikes > 200 || longest > 2*time.Hour || longest < 110*time.Minute {
		t.Errorf("%v calm, %v in %d spikes of at most %v", calm, spike, spikes, longest)
	}
	if share := float64(spike) / float64(h.End); math.Abs(share-1./9) > .03 || above < spike/2 || above > spike*4/5 {
		t.Errorf("%.3f of the time in spikes, %v of %v above the price on demand", share, above, spike)
	}
	// The calm price moves about every 18 steps to one of three, mostly to another: two of three.
	if changes := len(h.Prices) - 2*spikes; changes < 400 || changes > 700 {
		t.Errorf("%d changes of the calm price", changes)
	}
	if again := MadeUp(price, 1); !slices.Equal(again.Prices, h.Prices) || !slices.Equal(again.Times, h.Times) {
		t.Error("the same seed gives another history")
	}
	if other := MadeUp(price, 2); slices.Equal(other.Times, h.Times) {
		t.Error("another seed gives the same history")
	}
	if p := MadeUp(50, 1).Prices; p[0] < 15 || p[0] > 17 {
		t.Errorf("of 50 nano an hour the first price is %d, want 15 to 17: a hundredth is 1", p[0])
	}
}
