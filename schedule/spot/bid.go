package spot

import (
	"time"

	"github.com/plimsoll/plimsoll/pricing"
)

// What to bid for a spot instance.
//
// A bid is the most that its owner pays per hour: the instance runs while the spot
// price is at most the bid and is taken away when the price rises above it. What is
// paid is the spot price, not the bid. So a low bid does not make an hour cheaper;
// it makes the task run in cheap hours only, and wait and begin again in the
// others. How much of that a task can stand is a matter of its deadline, which
// [Planner] weighs. The rules in this file do not know it: they are for agents
// that know how urgent a task is, and ask for the bid that goes with it.
//
// The paper's bids. [Huang13] section II.C sets them "based on the current spot
// price, average historical spot price during the past 30 days and on-demand
// price"; there is no formula. What it tells: agent medium bids relatively high,
// so that it is seldom interrupted; agent low bids very low, mostly less than 30%
// of the price on demand; and in section III.B, with 1.30 on demand, medium bid
// 1.15 and low 0.21, from a current price and a mean that are not told. With the
// current price c, the mean m and the price on demand d, the bids here are
//
//	low     min(c, m, d)
//	medium  r + 0.85·(d - r),  r = max(c, m),  and d if r > d
//
// Low names what the instance costs in calm times: if the price is calm now, c, and
// if it is in a spike, m, for which low has to wait. Medium is so high that it is
// served at once whenever spot is cheaper than on demand, and goes up to 0.85 of
// the way from what the instance costs to what on demand costs: what is left of
// the way keeps a part of the gain in every hour. Both are at most on demand, rise
// with all three prices, and scale with the currency. At 1.30 on demand, 0.21
// now (cc1.4xlarge at night) and a mean of 0.30 (0.21 with a day of spikes in the
// month) they give the paper's figures to the cent: 0.21, and 0.30 + 0.85·1.00.
// The share 0.85 is the one round number that does so with a mean of two digits
// between 0.21 and 0.40; 6/7 with a mean of 0.25 is as good.
//
// Today. Until November 2017 EC2's price cleared an auction, and these rules are
// for such a price. Since then it follows supply and demand slowly, a few times a
// day by a few percent, is never above the price on demand in practice, and a
// maximum price is optional: left out, it is the price on demand. EC2 advises
// against setting it, because interruptions come from a lack of capacity and not
// from the price, so that a bid can only add to them. In the prices of 2020 in the
// reference material the bid of low is what costs: it interrupts runs for a change
// of a tenth of a cent. So on EC2 of today bid the price on demand, as [MediumBid]
// does with Share 1, and tell [Planner] by [Market.Reclaim] how likely an interruption
// is; it decides whether spot is worth the risk, and when to leave it. Google's
// and Microsoft's spot instances have no bids or optional ones, likewise.

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
// and the price on demand if r is above it. The second term is rounded down to a
// nano. With Share 1 it always bids the price on demand, today's default of EC2.
type MediumBid struct {
	Window time.Duration // of past prices; 0: 30 days
	Share  float64       // in (0, 1]; 0: 0.85
}

// LowBid is the bid of the low agent of [Huang13]:
//
//	min(current price, mean of the window, onDemand)
type LowBid struct {
	Window time.Duration // of past prices; 0: 30 days
}

// QuantileBid bids the price that was not exceeded for a share of the window, or
// the price on demand if that is lower: a lease with this bid would have had its
// price for that share of the time. It says nothing of how long a lease lasts:
// prices that spike often and briefly, or seldom and for long, have the same
// quantiles.
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
		panic("spot: window of past prices that is negative")
	}
	from = max(h.Start(), now-window)
	if from >= now {
		return now, now + 1
	}
	return from, now
}

// Bid returns the bid, in O(changes in the window). It panics for a Share outside
// its range, a negative Window, and a time before the first price.
func (b MediumBid) Bid(h pricing.SpotHistory, now time.Duration, onDemand pricing.Money) pricing.Money {
	share := b.Share
	if share == 0 {
		share = 0.85
	}
	if !(share > 0 && share <= 1) {
		panic("spot: share of a bid outside (0, 1]")
	}
	from, to := past(h, now, b.Window)
	r := max(h.At(now), h.Mean(from, to))
	if r >= onDemand {
		return onDemand
	}
	return r + between(onDemand-r, share)
}

// Bid returns the bid, in O(changes in the window). It panics for a negative
// Window and a time before the first price.
func (b LowBid) Bid(h pricing.SpotHistory, now time.Duration, onDemand pricing.Money) pricing.Money {
	from, to := past(h, now, b.Window)
	return min(h.At(now), h.Mean(from, to), onDemand)
}

// Bid returns the bid, in the time of [pricing.SpotHistory.Quantile]. It panics for
// a Share outside its range, a negative Window, and a time before the first price.
func (b QuantileBid) Bid(h pricing.SpotHistory, now time.Duration, onDemand pricing.Money) pricing.Money {
	share := b.Share
	if share == 0 {
		share = 0.95
	}
	if !(share > 0 && share <= 1) {
		panic("spot: share of a bid outside (0, 1]")
	}
	from, to := past(h, now, b.Window)
	return min(h.Quantile(from, to, share), onDemand)
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
