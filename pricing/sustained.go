package pricing

import (
	"math"
	"slices"
	"time"
)

// Google's discount for sustained use.
//
// The usage of a calendar month is divided into quarters of the month. Usage within
// the first quarter is charged at the base rate, usage within the second quarter at
// a lower rate, and so on. Google counts the usage of inferred instances, not of
// real instances: instances that did not run at the same time count as one instance
// that ran longer. Stack the usage: at a moment with n instances running, the
// inferred instances 1 to n are in use. Instance j is then used for the time in
// which j or more instances ran.
//
// No other way of joining instances is cheaper, as long as rates fall. Proof: with
// any joining, j joined instances together cover at each moment at most min(j, n) of
// the n running instances. Stacking attains that bound for every j at once. So the
// stacked usages majorise the usages of any other joining, and the cost, a concave
// function of each usage with the same sum, is least. □
//
// The spans of a month are sorted: O(n log n) time for n spans, independent of the
// number of instances. The weights are integers, and the cost of a month is rounded
// once.

// SustainedUse is a sustained-use discount: the rates of the four quarters of a
// month, in ten-thousandths of the base rate, none above the one before.
type SustainedUse [4]int

// full is the base rate in the unit of SustainedUse.
const full = 10000

// GCE2014SustainedUse is the discount that Google Compute Engine announced in
// March 2014: 100, 80, 60 and 40%, which is 70% for a whole month. Do not change it.
var GCE2014SustainedUse = SustainedUse{10000, 8000, 6000, 4000}

// Validate returns an [*InputError], which unwraps to [ErrRange], unless the
// rates fall from at most 10000 to no less than 0.
func (s SustainedUse) Validate() error {
	for i, r := range s {
		switch {
		case r < 0 || r > full:
			return badInput("rates", i, ErrRange, "%d: want 0 to 10000 ten-thousandths", r)
		case i > 0 && r > s[i-1]:
			return badInput("rates", i, ErrRange, "%d: want at most %d, the rate of the quarter before", r, s[i-1])
		}
	}
	return nil
}

// longestMonth is the longest month that a caller may give, so that products fit.
const longestMonth = 366 * 24 * time.Hour

// weight returns the usage of one instance times its rate, in nanoseconds × 4
// quarters × ten-thousandths. used ≤ month ≤ longestMonth: less than 2⁷² .
func (s SustainedUse) weight(used, month time.Duration) (w long) {
	for i, r := range s {
		within := min(max(4*used-time.Duration(i)*month, 0), month)
		w = w.plus(product(uint64(within), uint64(r)))
	}
	return w
}

// charge returns the cost of a weight, rounded half to even, and whether it fits.
func charge(hourly Money, weight long) (Money, bool) {
	return weight.times(uint64(hourly)).money(long{4 * full * uint64(time.Hour)}, HalfEven)
}

// Cost returns the cost of one instance that is used for the given time within a
// month of the given length, at a base price per hour, rounded half to even. The
// error is that of [SustainedUse.Validate], [ErrRange] for a negative price and
// unless 0 ≤ used ≤ month, or [ErrOverflow]. Cost panics unless month is positive
// and at most 366 days.
func (s SustainedUse) Cost(hourly Money, used, month time.Duration) (Money, error) {
	if month <= 0 || month > longestMonth {
		panic("pricing: month that is not positive or longer than 366 days")
	}
	if err := s.Validate(); err != nil {
		return 0, err
	}
	if hourly < 0 {
		return 0, badInput("hourly", -1, ErrRange, "%v: want a price of 0 or more", hourly)
	}
	if used < 0 || used > month {
		return 0, badInput("used", -1, ErrRange, "%v: want 0 to the month of %v", used, month)
	}
	cost, ok := charge(hourly, s.weight(used, month))
	if !ok {
		return 0, overflow("%v an hour over %v", hourly, used)
	}
	return cost, nil
}

// span is a number of instances for a length of time, neither negative.
type span struct {
	length    time.Duration
	instances int
}

// stack turns the spans of a month into its inferred instances, in place, and
// returns how many spans of s the result takes. The spans say how many instances
// ran at once, and for how long, in any order and without overlap. The result says
// how many inferred instances were used for how long: longest use first, no length
// twice, no zeros.
func stack(s []span) int {
	slices.SortFunc(s, func(a, b span) int {
		switch {
		case a.instances > b.instances:
			return -1
		case a.instances < b.instances:
			return 1
		}
		return 0 // equal spans are added up: their order does not matter
	})
	// Downwards from the most instances, the time with at least that many grows.
	out, length := 0, time.Duration(0)
	for i, next := range s {
		length += next.length
		below := 0
		if i+1 < len(s) {
			below = s[i+1].instances
		}
		if n := next.instances - below; n > 0 && length > 0 {
			s[out] = span{length, n}
			out++
		}
	}
	// Where several steps share one length, they are one group.
	slices.Reverse(s[:out])
	merged := 0
	for _, next := range s[:out] {
		if merged > 0 && s[merged-1].length == next.length {
			s[merged-1].instances += next.instances
			continue
		}
		s[merged] = next
		merged++
	}
	return merged
}

// SustainedMonth is the bill of one calendar month with a [SustainedUse] discount.
type SustainedMonth struct {
	Start  time.Time     // its first instant
	Length time.Duration // of the whole calendar month
	Peak   int           // inferred instances: the most that ran at once
	Base   Money         // cost without the discount
	Cost   Money         // cost
}

// SustainedBiller computes bills with sustained-use discounts. The zero value is
// ready. It keeps its memory between calls and allocates nothing once it has seen
// the longest month. Two goroutines must not use it at once.
type SustainedBiller struct {
	spans []span
}

// AppendMonths appends to dst the bill of each calendar month that the demand
// touches: demand[i] instances run from start + i·slot for the length of a slot,
// at the given base price per hour. A slot across the end of a month is divided
// there. A month that the demand covers only in part keeps its full length: the
// covered part alone earns the discount.
//
// Months are those of start's location; Google's are those of Pacific time
// ("America/Los_Angeles"). With summer time, March is an hour shorter and November
// an hour longer. Base and Cost of each month are rounded half to even, once.
//
// The error is that of [SustainedUse.Validate], [ErrRange] for a negative price
// or number, or [ErrOverflow]; dst is then returned unchanged. AppendMonths panics
// if slot is not positive. Time O(n log n) for n slots a month.
func (b *SustainedBiller) AppendMonths(dst []SustainedMonth, s SustainedUse, hourly Money, start time.Time, slot time.Duration, demand []int) ([]SustainedMonth, error) {
	if slot <= 0 {
		panic("pricing: slot that is not positive")
	}
	if err := s.Validate(); err != nil {
		return dst, err
	}
	if hourly < 0 {
		return dst, badInput("hourly", -1, ErrRange, "%v: want a price of 0 or more", hourly)
	}
	if time.Duration(len(demand)) > math.MaxInt64/slot {
		return dst, badInput("demand", -1, ErrOverflow, "%d slots of %v: want at most 292 years", len(demand), slot)
	}
	for i, d := range demand {
		if d < 0 {
			return dst, badInput("demand", i, ErrRange, "%d instances: want 0 or more", d)
		}
	}
	out := dst
	year, month, _ := start.Date()
	first := time.Date(year, month, 1, 0, 0, 0, 0, start.Location())
	start = start.Round(0) // wall clock: no monotonic reading
	end := slot * time.Duration(len(demand))
	for at := time.Duration(0); at < end; {
		month++ // time.Date takes month 13 for January
		next := time.Date(year, month, 1, 0, 0, 0, 0, start.Location())
		stop := min(next.Sub(start), end)
		b.spans = b.spans[:0]
		for at < stop {
			i := int(at / slot)
			till := min(slot*time.Duration(i+1), stop)
			b.spans = append(b.spans, span{till - at, demand[i]})
			at = till
		}
		m, ok := s.bill(hourly, next.Sub(first), b.spans)
		if !ok {
			return dst, badInput("demand", int((at-1)/slot), ErrOverflow, "the cost of the month up to this slot: want at most 9223372036.854775807")
		}
		m.Start = first
		out = append(out, m)
		first = next
	}
	return out, nil
}

// bill returns the bill of one month and whether it fits. It reorders spans.
func (s SustainedUse) bill(hourly Money, length time.Duration, spans []span) (SustainedMonth, bool) {
	m := SustainedMonth{Length: length}
	var base, weight long // instances have 63 bits: < 2¹³⁵ a span
	whole := SustainedUse{full, full, full, full}
	for _, inferred := range spans[:stack(spans)] {
		m.Peak += inferred.instances
		n := uint64(inferred.instances)
		base = base.plus(whole.weight(inferred.length, length).times(n))
		weight = weight.plus(s.weight(inferred.length, length).times(n))
	}
	var ok bool
	if m.Base, ok = charge(hourly, base); !ok {
		return m, false
	}
	m.Cost, ok = charge(hourly, weight)
	return m, ok
}
