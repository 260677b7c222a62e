package federation

import (
	"math/rand/v2"
	"testing"

	"github.com/plimsoll/plimsoll/pricing"
)

// With a price of each slot, θ is the least that trying all finds: for one slot and several,
// prices below and above what the other centre pays, and whatever rates.share says, which is
// not read then.
func TestThetaOfAskedPrices(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 21))
	var s splitter
	positive := 0
	for range 20_000 {
		n, d := 1+rng.IntN(5), 1+rng.IntN(9)
		missing, idle, asked := make([]int, n), make([]int, n), make([]pricing.Money, n)
		for i := range missing {
			missing[i], idle[i], asked[i] = rng.IntN(d+2)-1, rng.IntN(d+3)-1, pricing.Money(rng.IntN(6))
		}
		r := rates{pricing.Money(rng.IntN(6)), pricing.Money(rng.IntN(5)), pricing.Money(rng.IntN(9)), pricing.Money(rng.IntN(3 * n))}
		cost := func(theta int) (f pricing.Money) {
			for i, m := range missing {
				lent := min(theta, max(0, idle[i]))
				f += r.onDemand*pricing.Money(max(0, m-theta)) + r.elsewhere*pricing.Money(theta-lent) + asked[i]*pricing.Money(lent)
			}
			return f + r.traffic*pricing.Money(theta)
		}
		most, want := 0, 0
		for _, m := range missing {
			most = max(most, m)
		}
		for theta := 1; theta <= most; theta++ {
			if cost(theta) < cost(want) {
				want = theta
			}
		}
		if got := s.theta(missing, idle, r, asked); got != want {
			t.Fatalf("θ = %d, want %d: missing %v, idle %v at %v, %+v", got, want, missing, idle, asked, r)
		}
		if want > 0 {
			positive++
		}
	}
	if positive < 2000 {
		t.Errorf("θ is positive in only %d cases", positive)
	}
}
