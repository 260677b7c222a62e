package schedule

import (
	"time"

	"github.com/plimsoll/plimsoll/pricing"
)

// What to bid for a spot instance.
//
// A bid is the most that its owner pays per hour: the instance runs while the
// spot price is at most the bid and is taken away when the price rises above it.
// What is paid is the spot price, not the bid. So a low bid does not make running
// cheaper; it makes the instance run at cheap times only, and the job wait and
// start over at the others. How much waiting a job can stand is a matter of its
// deadline, which [BidPlanner] weighs. The rules in this file do not know it:
// they are for agents that chose their risk already, from the priority of a task.

// A Bidder names a bid. Bid is asked at the time now of a price history and
// may look at the history up to and including now, never beyond, however long
// it is: simulations pass histories that know the future. onDemand is the price
// per hour of the same instance without risk. It panics if now is before the
// first price.
type Bidder interface {
	Bid(h pricing.SpotHistory, now time.Duration, onDemand pricing.Money) pricing.Money
}

// bidWindow is the 30 days of past prices to which [Huang13] section II.C looks.
const bidWindow = 30 * 24 * time.Hour

// MediumBid is the bid of the medium agent of [Huang13]:
//
//	r + Share·(onDemand - r),  r = max(current price, mean of the window)
//
// and never above the price on demand.
type MediumBid struct {
	Window time.Duration // of past prices; 0: 30 days
	Share  float64       // in [0, 1]; 0: 0.85
}

// LowBid is the bid of the low agent of [Huang13]:
//
//	min(current price, mean of the window, onDemand)
type LowBid struct {
	Window time.Duration // of past prices; 0: 30 days
}

// QuantileBid bids the price that was not exceeded for a share of the window.
type QuantileBid struct {
	Window time.Duration // of past prices; 0: 30 days
	Share  float64       // in (0, 1]; 0: 0.95
}

// past returns the window before now, cut where the history begins. It is never
// empty: at the first price it is the first nanosecond.
func past(h pricing.SpotHistory, now, window time.Duration) (from, to time.Duration) {
	if window == 0 {
		window = bidWindow
	}
	if window < 0 {
		panic("schedule: window of past prices that is negative")
	}
	from = max(h.Start(), now-window)
	if from >= now {
		return now, now + 1
	}
	return from, now
}

// Bid returns the bid.
func (b MediumBid) Bid(h pricing.SpotHistory, now time.Duration, onDemand pricing.Money) pricing.Money {
	share := b.Share
	if share == 0 {
		share = 0.85
	}
	if !(share > 0 && share <= 1) {
		panic("schedule: share of a bid outside [0, 1]")
	}
	from, to := past(h, now, b.Window)
	r := max(h.At(now), h.Mean(from, to))
	if r >= onDemand {
		return onDemand
	}
	return r + between(onDemand-r, share)
}

// Bid returns the bid.
func (b LowBid) Bid(h pricing.SpotHistory, now time.Duration, onDemand pricing.Money) pricing.Money {
	from, to := past(h, now, b.Window)
	return min(h.At(now), h.Mean(from, to), onDemand)
}

// Bid returns the bid.
func (b QuantileBid) Bid(h pricing.SpotHistory, now time.Duration, onDemand pricing.Money) pricing.Money {
	share := b.Share
	if share == 0 {
		share = 0.95
	}
	from, to := past(h, now, b.Window)
	return min(h.Quantile(from, to, share), onDemand)
}

// between returns the share of m, in parts of a million, rounded down.
func between(m pricing.Money, share float64) pricing.Money {
	const parts = 1_000_000
	v, err := m.Prorate(time.Duration(share*parts+0.5), parts, pricing.Down)
	if err != nil {
		panic("schedule: share of a price that does not fit") // at most m
	}
	return v
}
