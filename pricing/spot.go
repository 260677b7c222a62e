package pricing

import (
	"math"
	"slices"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/internal/wide"
)

// The price of spot instances over time.
//
// A provider publishes the moments at which it changed the price of an instance,
// and the new prices. So a history is a right-continuous step function of time: at
// the moment of a change the new price is in force. Means and quantiles weigh each
// price by the time for which it held: a price that held for a second says less
// than a price that held for a day.
//
// Lookups are binary searches, O(log n). A window takes time linear in its changes.
// Only reading allocates.

// SpotSeries names the instance that a spot price is for.
type SpotSeries struct {
	Zone    string // availability zone, such as "eu-west-3a"
	Type    string // instance type, such as "c5.2xlarge"
	Product string // operating system, such as "Linux/UNIX"
}

// String returns the three names, such as "eu-west-3a c5.2xlarge Linux/UNIX".
func (s SpotSeries) String() string { return s.Zone + " " + s.Type + " " + s.Product }

// compare orders series by zone, type and product.
func (s SpotSeries) compare(t SpotSeries) int {
	if c := strings.Compare(s.Zone, t.Zone); c != 0 {
		return c
	}
	if c := strings.Compare(s.Type, t.Type); c != 0 {
		return c
	}
	return strings.Compare(s.Product, t.Product)
}

// selects reports whether t has the names of the selection s; an empty name in s
// selects every name.
func (s SpotSeries) selects(t SpotSeries) bool {
	return (s.Zone == "" || s.Zone == t.Zone) && (s.Type == "" || s.Type == t.Type) &&
		(s.Product == "" || s.Product == t.Product)
}

// A SpotHistory is a price per hour as a step function of time: Prices[i] is in force from Times[i]
// until Times[i+1]. The last price holds until End at least. For times after End, methods assume
// the last price. If you must not assume that, compare the time with End. Neighbouring prices may
// be equal, because providers repeat unchanged prices.
//
// Copies share their slices. Only [SpotHistory.Validate] checks a history. For an invalid history,
// the results of other methods have no meaning, and a method may panic. All methods but Validate
// panic for a history without prices.
type SpotHistory struct {
	Series SpotSeries      // the instance; may be empty
	Origin time.Time       // the wall clock at time 0; may be zero
	Times  []time.Duration // when prices were set, strictly increasing
	Prices []Money         // per hour, ≥ 0
	End    time.Duration   // until when the last price is known to hold, ≥ the last of Times
}

// Validate returns an [*InputError] for the first thing that is wrong. The error has
// one of these Fields and unwraps to [ErrMissing] or [ErrRange]:
//
//   - "Times", ErrMissing: there is no price at all.
//   - "Times", ErrRange: a time is not after the time before it.
//   - "Prices", ErrRange: a price is negative, or there are more or fewer prices than
//     times.
//   - "End", ErrRange: the end is before the last time, or after the first time by more
//     than the range of a Duration, 292 years.
//
// O(n).
func (h SpotHistory) Validate() error {
	switch n := len(h.Times); {
	case n == 0:
		return badInput("Times", -1, ErrMissing, "no price: want one at least")
	case len(h.Prices) != n:
		return badInput("Prices", -1, ErrRange, "%d prices: want one for each of the %d times", len(h.Prices), n)
	case h.End < h.Times[n-1]:
		return badInput("End", -1, ErrRange, "%v: want %v, the time of the last price, or later", h.End, h.Times[n-1])
	case h.End-h.Times[0] < 0 && h.Times[0] < h.End:
		return badInput("End", -1, ErrRange, "%v: want at most %v after the first price, at %v", h.End, time.Duration(math.MaxInt64), h.Times[0])
	}
	for i, t := range h.Times {
		if i > 0 && t <= h.Times[i-1] {
			return badInput("Times", i, ErrRange, "%v: want a time after %v, the time before it", t, h.Times[i-1])
		}
		if h.Prices[i] < 0 {
			return badInput("Prices", i, ErrRange, "%v: want a price of 0 or more", h.Prices[i])
		}
	}
	return nil
}

// Start returns the time of the first price.
func (h SpotHistory) Start() time.Duration {
	if len(h.Times) == 0 {
		panic("pricing: a spot history without prices")
	}
	return h.Times[0]
}

// Span returns the time from the first price to End; at most the greatest Duration, which
// no valid history exceeds.
func (h SpotHistory) Span() time.Duration {
	if span := h.End - h.Start(); span >= 0 || h.End < h.Times[0] {
		return span
	}
	return math.MaxInt64
}

// Index returns the index of the price in force at t: the last price set at or
// before t. Index panics if t is before the first price. O(log n).
func (h SpotHistory) Index(t time.Duration) int {
	i, found := slices.BinarySearch(h.Times, t)
	if !found {
		i--
	}
	if i < 0 {
		panic("pricing: time before the first price of a spot history")
	}
	return i
}

// At returns the price per hour in force at t; at the moment of a change, the new
// price. At panics if t is before the first price. O(log n).
func (h SpotHistory) At(t time.Duration) Money { return h.Prices[h.Index(t)] }

// Next returns the first time after t at which the price differs from the price at
// t, and true; or End and false if the price does not change within the history.
// Next panics if t is before the first price. O(log n + repeated prices).
func (h SpotHistory) Next(t time.Duration) (time.Duration, bool) {
	i := h.Index(t)
	for j := i + 1; j < len(h.Times); j++ {
		if h.Prices[j] != h.Prices[i] {
			return h.Times[j], true
		}
	}
	return h.End, false
}

// NextAbove returns the first time at or after t at which the price is above bid, and true. At that
// time, a provider that interrupts by price interrupts a lease with that bid. A price equal to the
// bid does not interrupt. If no price from t to End is above bid, NextAbove returns End and false.
// NextAbove panics if t is before the first price. O(log n + changes up to the result).
func (h SpotHistory) NextAbove(t time.Duration, bid Money) (time.Duration, bool) {
	for j := h.Index(t); j < len(h.Times); j++ {
		if h.Prices[j] > bid {
			return max(t, h.Times[j]), true
		}
	}
	return h.End, false
}

// NextWithin returns the first time at or after t at which the price is at most
// bid, and true; or End and false if there is no such time within the history. A
// request with that bid can be served then. NextWithin panics if t is before the
// first price. O(log n + changes up to the result).
func (h SpotHistory) NextWithin(t time.Duration, bid Money) (time.Duration, bool) {
	for j := h.Index(t); j < len(h.Times); j++ {
		if h.Prices[j] <= bid {
			return max(t, h.Times[j]), true
		}
	}
	return h.End, false
}

// piece returns from when to when the price i is in force within [from, to).
func (h SpotHistory) piece(i int, from, to time.Duration) (time.Duration, time.Duration) {
	from = max(from, h.Times[i])
	if i+1 < len(h.Times) {
		to = min(to, h.Times[i+1])
	}
	return from, to
}

// spotCost returns Σ price·time, in nanos times nanoseconds, divided by d and
// rounded half to even, and whether the result fits. The times add up to one
// Duration at most, so that the sum is below 2⁶³·2⁶³.
func spotCost(sum wide.Uint, d time.Duration) (Money, bool) {
	return long{sum.Lo, sum.Hi}.money(long{uint64(d)}, HalfEven)
}

// weigh returns Σ price·time over [from, to).
func (h SpotHistory) weigh(from, to time.Duration) (sum wide.Uint) {
	i := h.Index(from)
	for ; i+1 < len(h.Times) && h.Times[i+1] < to; i++ {
		sum.AddProduct(uint64(h.Prices[i]), uint64(h.Times[i+1]-from))
		from = h.Times[i+1]
	}
	sum.AddProduct(uint64(h.Prices[i]), uint64(to-from))
	return sum
}

// checkWindow panics unless [from, to) is a window of a length that is a Duration.
func checkWindow(from, to time.Duration) {
	if from >= to {
		panic("pricing: window of a spot history that is empty")
	}
	if to-from < 0 {
		panic("pricing: window of a spot history beyond the range of a Duration")
	}
}

// Mean returns the mean price per hour over [from, to), each price weighed by the
// time for which it held, rounded half to even. Mean panics unless from < to, to - from is a
// Duration, and from is not before the first price. O(log n + changes in the window).
func (h SpotHistory) Mean(from, to time.Duration) Money {
	checkWindow(from, to)
	m, _ := spotCost(h.weigh(from, to), to-from) // at most the highest price
	return m
}

// Quantile returns the q-quantile of the price over a window, which begins at the time from and
// ends at the time to. The quantile is the lowest price for which the following holds: the price
// was at or below it for at least ⌈q·window⌉ nanoseconds. A q of 0 gives the lowest price of the
// window, and a q of 1 the highest. The result is always a price that held in the window. Quantile
// panics unless from < to, to - from is a Duration, from is not before the first price, and 0 ≤ q ≤
// 1.
//
// Quantile halves the range of prices until one price is left, and needs no memory: O(log n +
// w·log(highest - lowest)) for w changes in the window.
func (h SpotHistory) Quantile(from, to time.Duration, q float64) Money {
	checkWindow(from, to)
	if !(q >= 0 && q <= 1) {
		panic("pricing: quantile outside [0, 1]")
	}
	first := h.Index(from)
	last := first
	lo, hi := h.Prices[first], h.Prices[first]
	for last+1 < len(h.Times) && h.Times[last+1] < to {
		last++
		lo, hi = min(lo, h.Prices[last]), max(hi, h.Prices[last])
	}
	window := to - from
	want := window
	if s := math.Ceil(q * float64(window)); s < float64(window) {
		want = max(1, time.Duration(s))
	}
	// Invariant: the result is in [lo, hi].
	for lo < hi {
		mid := lo + (hi-lo)/2
		var held time.Duration
		below, above := lo, hi // the highest price ≤ mid, the lowest > mid
		for i := first; i <= last; i++ {
			if p := h.Prices[i]; p <= mid {
				a, b := h.piece(i, from, to)
				held += b - a
				below = max(below, p)
			} else {
				above = min(above, p)
			}
		}
		if held >= want {
			hi = below
		} else {
			lo = above
		}
	}
	return lo
}
