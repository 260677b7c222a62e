package spot

import (
	"time"

	"github.com/plimsoll/plimsoll/pricing"
)

// What to bid for a spot instance.
//
// A bid is the most that a user pays per hour. The instance runs while the spot price is
// at most the bid, and is taken away when the price rises above the bid. What is paid is
// the spot price, not the bid. So a low bid does not make an hour cheaper; it makes the
// task run in cheap hours only, and wait and begin again in the others. How much of that
// a task can stand depends on its deadline, which [Planner] weighs. The rules in this file
// do not know the task. An agent knows how urgent its tasks are, and asks for the bid that
// goes with that urgency.
//
// The paper's bids. [Huang13] section II.C sets them "based on the current spot price,
// average historical spot price during the past 30 days and on-demand price"; there is no
// formula. The paper says: agent medium bids relatively high, so that it is seldom
// interrupted. Agent low bids very low, mostly less than 30% of the price on demand. In
// section III.B, with 1.30 on demand, medium bid 1.15 and low 0.21, from a current price
// and a mean that the paper does not state. With the current price c, the mean m and the
// price on demand d, the bids here are
//
//	low     min(c, m, d)
//	medium  r + 0.85·(d - r),  r = max(c, m),  and d if r > d
//
// Low bids the price of calm times: c if the price is calm now, and m if the price is in
// a spike; then low has to wait. Medium is served at once whenever spot is cheaper than
// on demand. Medium goes 0.85 of the way from the price of the instance to the price on
// demand; the rest of the way keeps a part of the gain in every hour. Both are at most on
// demand, rise with all three prices, and scale with the currency. Take 1.30 on demand,
// 0.21 now (cc1.4xlarge at night) and a mean of 0.30 (0.21 with a day of spikes in the
// month). The two rules then give the paper's figures to the cent: 0.21, and 0.30 + 0.85·1.00.
// 0.85 is the only round share that does so with a mean of two digits between 0.21 and
// 0.40; 6/7 with a mean of 0.25 does so, too.
//
// These rules are for a price that jumps, as EC2's did until November 2017. On the prices of
// 2020 in the reference material the bid of low is expensive: it interrupts runs for a change
// of a tenth of a cent. The package comment says what to bid on today's clouds.

// bidWindow is the 30 days of past prices to which [Huang13] section II.C looks.
const bidWindow = 30 * 24 * time.Hour

// mediumShare is how far [MediumBid] goes towards the price on demand; the comment above derives it.
const mediumShare = 0.85

// past returns the 30 days before now, cut where the history begins. It is never
// empty: at the first price it is the first nanosecond.
func past(h pricing.SpotHistory, now time.Duration) (from, to time.Duration) {
	from = max(h.Start(), now-bidWindow)
	if from >= now {
		return now, now + 1
	}
	return from, now
}

// MediumBid returns the bid of the medium agent of [Huang13] at the time now of a price history,
// for an instance that costs onDemand per hour on demand:
//
//	r + 0.85·(onDemand - r),  r = max(current price, mean of the past 30 days)
//
// The bid is onDemand if r is above onDemand. The second term is rounded down to a nano. MediumBid
// looks at the history up to and including now, and never beyond. MediumBid panics for a time
// before the first price. Time: O(price changes in the 30 days).
func MediumBid(h pricing.SpotHistory, now time.Duration, onDemand pricing.Money) pricing.Money {
	from, to := past(h, now)
	r := max(h.At(now), h.Mean(from, to))
	if r >= onDemand {
		return onDemand
	}
	return r + between(onDemand-r, mediumShare)
}

// LowBid returns the bid of the low agent of [Huang13], with the arguments, the panic and
// the time of [MediumBid]:
//
//	min(current price, mean of the past 30 days, onDemand)
func LowBid(h pricing.SpotHistory, now time.Duration, onDemand pricing.Money) pricing.Money {
	from, to := past(h, now)
	return min(h.At(now), h.Mean(from, to), onDemand)
}

// between returns the share of m, rounded down; the share is taken to the nearest
// millionth, so that 0.85 is exactly that.
func between(m pricing.Money, share float64) pricing.Money {
	const parts = 1_000_000
	v, err := m.Prorate(time.Duration(share*parts+0.5), parts, pricing.Down)
	if err != nil {
		panic("spot: share of a price that does not fit") // at most m
	}
	return v
}
