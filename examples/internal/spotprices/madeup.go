// Package spotprices makes spot prices up, for programs that are run without a file of them.
package spotprices

import (
	"math/rand/v2"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
)

// What the made-up history is made of.
const (
	madeUpDays  = 60
	madeUpStep  = 5 * time.Minute
	calmPercent = 16  // of the price on demand, about: 0.21 of 1.30
	spikesEvery = 100 // steps a spike begins in one of: three a day
	changeEvery = 18  // the calm price moves in one step of
)

// MadeUp returns a synthetic history of spot prices of the kind that EC2 had in 2013.
// The price is mostly calm, at a sixth of the price on demand. Spikes of a few minutes
// to two hours go up to more than the price on demand. The history is computed in
// integers, and so the same on every machine.
func MadeUp(onDemand pricing.Money, seed uint64) pricing.SpotHistory {
	random := rand.New(rand.NewPCG(seed, 13))
	h := pricing.SpotHistory{
		Series: pricing.SpotSeries{Zone: "made-up", Type: "made-up", Product: "made-up"},
		End:    madeUpDays * 24 * time.Hour,
	}
	set := func(at time.Duration, percent int) {
		price := max(1, onDemand/100) * pricing.Money(percent)
		if n := len(h.Times); n > 0 && h.Prices[n-1] == price {
			return
		}
		h.Times, h.Prices = append(h.Times, at), append(h.Prices, price)
	}
	calm, left := calmPercent, 0
	for at := time.Duration(0); at < h.End; at += madeUpStep {
		switch {
		case left > 1:
			left--
		case left == 1:
			left = 0
			set(at, calm)
		case at > 0 && random.IntN(spikesEvery) == 0:
			left = 1 + random.IntN(24)
			set(at, 40+random.IntN(180))
		case at == 0 || random.IntN(changeEvery) == 0:
			calm = calmPercent - 1 + random.IntN(3)
			set(at, calm)
		}
	}
	return h
}

// Step is the time in which the price moves as a plan sees it. Steps are so short that there
// are some 24 before the deadline, which is rounded down to whole steps. They are parts of an
// hour, for which EC2 held a price.
func Step(deadline time.Duration) time.Duration {
	for _, step := range [...]time.Duration{10 * time.Minute, 5 * time.Minute, 2 * time.Minute, time.Minute, 30 * time.Second} {
		if deadline >= 24*step {
			return step
		}
	}
	return 10 * time.Second
}
