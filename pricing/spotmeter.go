package pricing

import (
	"math"
	"time"

	"github.com/plimsoll/plimsoll/internal/wide"
)

// The cost of a spot lease.
//
// Three questions decide the cost of a lease, and [SpotMeter] has a field for each:
// for what time the lease is billed, which prices of the history apply to that
// time, and what is free because the provider ended the lease. The cost is a sum of
// prices times spans, taken in 128 bits and rounded once.

// Who ended a lease, for [SpotMeter.Charged] and [SpotMeter.Cost].
const (
	EndedByUser     = false // the user finished or gave up
	EndedByProvider = true  // the provider interrupted the lease
)

// SpotMeter says how a spot lease is billed.
//
// Time. A lease that the user ends is billed for Meter.Charged of its length. A lease that the
// provider interrupts is free if it is shorter than FreeBefore. If an interrupted lease is not free
// and FreePartial is set, it pays for the whole increments that it completed. Without FreePartial
// it is billed as if the user had ended it.
//
// Price. The billed time is cut into pieces of length Reprice from the launch on. Each piece costs
// the price in force when the piece begins, even if the price changes before the piece ends. With a
// Reprice of 0, each moment costs the price in force at that moment. If a lease is billed beyond
// its end, the pieces go on to the end of the billed time. A lease pays Meter.StartUp unless the
// whole lease is free.
type SpotMeter struct {
	Meter       Meter
	Reprice     time.Duration // a multiple of Meter.Increment, or 0
	FreeBefore  time.Duration
	FreePartial bool
}

// The rules of Amazon EC2. Do not change them.
var (
	// EC2SpotHourly is the rule of EC2 until 1 October 2017, and the rule of [Huang13] section
	// III.B: every hour begun is billed, at the price in force when the hour began. If EC2
	// interrupts the lease within an hour, that hour is free. If the user ends the lease within an
	// hour, that hour is billed. EC2 kept the rule for Windows until June 2021 and for Red Hat for
	// some years, and still bills SUSE Linux by it.
	EC2SpotHourly = SpotMeter{Meter: EC2Hourly, Reprice: time.Hour, FreePartial: true}
	// EC2SpotPerSecond is the rule for Linux since 2 October 2017, and for Windows
	// since June 2021: a minute at least, then every second begun, each hour at the
	// price in force when the hour began. A lease that EC2 interrupts in its first
	// hour is free; a later interruption changes nothing.
	EC2SpotPerSecond = SpotMeter{Meter: EC2PerSecond, Reprice: time.Hour, FreeBefore: time.Hour}
)

// Validate returns an [*InputError] if the meter is not usable. The error of
// [Meter.Validate] has a Field such as "Meter.Increment". All other errors unwrap to
// [ErrRange]: for a Reprice that is negative or not a multiple of the increment, for a
// Meter.Minimum above a positive Reprice, and for a negative FreeBefore.
func (m SpotMeter) Validate() error {
	if err := m.Meter.Validate(); err != nil {
		in := err.(*InputError)
		in.Field = "Meter." + in.Field
		return in
	}
	switch {
	case m.Reprice < 0 || m.Reprice%m.Meter.Increment != 0:
		return badInput("Reprice", -1, ErrRange, "%v: want 0 or a positive multiple of the increment %v", m.Reprice, m.Meter.Increment)
	case m.Reprice > 0 && m.Meter.Minimum > m.Reprice:
		return badInput("Meter.Minimum", -1, ErrRange, "%v: want at most the %v for which a price holds", m.Meter.Minimum, m.Reprice)
	case m.FreeBefore < 0:
		return badInput("FreeBefore", -1, ErrRange, "%v: want a length of 0 or more", m.FreeBefore)
	}
	return nil
}

// Charged returns the time that a lease of the given length is billed for. Charged
// panics if length is negative or the meter is not usable, as [Meter.Charged] does.
func (m SpotMeter) Charged(length time.Duration, interrupted bool) time.Duration {
	charged := m.Meter.Charged(length)
	if !interrupted {
		return charged
	}
	if length < m.FreeBefore {
		return 0
	}
	if m.FreePartial && charged > length {
		if length < m.Meter.Minimum {
			return 0
		}
		return charged - m.Meter.Increment
	}
	return charged
}

// Cost returns the cost of a lease that began at the time launch, on the clock of the history, and
// ended after the given length. interrupted says whether the provider ended the lease. After the
// end of the history the last price holds. The sum is rounded half to even once. Under an hourly
// rule nothing is rounded.
//
// The error is [ErrOverflow]. Cost panics if launch is before the first price, if length is
// negative, if the lease or its charged time ends beyond the range of a Duration, or if the meter
// is not usable.
//
// Time: O(log n) for each piece of length Reprice that ends after a change of the price during the
// lease. With a Reprice of 0: O(log n + changes during the lease).
func (m SpotMeter) Cost(h SpotHistory, launch, length time.Duration, interrupted bool) (Money, error) {
	charged := m.Charged(length, interrupted)
	if interrupted && charged == 0 {
		return 0, nil
	}
	if launch > math.MaxInt64-charged {
		panic("pricing: lease that ends beyond the range of a Duration")
	}
	var sum wide.Uint
	if m.Reprice == 0 {
		sum = h.weigh(launch, launch+charged)
	} else {
		for at := time.Duration(0); at < charged; {
			// All pieces that begin before the next change have one price.
			i, rest := h.Index(launch+at), charged-at
			same := time.Duration(0)
			if i+1 == len(h.Times) {
				same = rest
			} else if until := h.Times[i+1] - (launch + at) - 1; until > 0 {
				same = min(rest, until/m.Reprice*m.Reprice)
			}
			same += min(m.Reprice, rest-same)
			sum.AddProduct(uint64(h.Prices[i]), uint64(same))
			at += same
		}
	}
	cost, ok := spotCost(sum, time.Hour)
	if !ok {
		return 0, overflow("the cost of a spot lease of %v", charged)
	}
	return cost.Add(m.Meter.StartUp)
}
