package pricing

import (
	"math"
	"slices"
	"time"
)

// Google's discount for sustained use.
//
// The usage of a calendar month is divided into quarters of the month; usage
// within the first quarter is charged at the base rate, within the second at a
// lower one, and so on. Usage is counted not for instances as they were but for
// inferred ones: instances that did not run at the same time count as one that
// ran longer. Stack the usage: at each moment, with n instances running, let
// them be the inferred instances 1 to n. Instance j is then used for the time in
// which j or more were running.
//
// That is the best stacking there is, as long as rates fall. However instances
// are joined, j joined ones together cover at each moment at most min(j, n) of
// those running; stacking attains that for every j at once. So its usages
// majorise those of any other joining, and the cost, a concave function of each
// usage with the same sum, is least.
//
// A sort of the month's n spans: O(n log n) time, and no dependence on the number
// of instances. The weights are integers and the cost of a month is rounded once.

// SustainedUse is a sustained-use discount: the rates of the four quarters of a
// month, in ten-thousandths of the base rate, none above the one before.
type SustainedUse [4]int

// full is the base rate in the unit of SustainedUse.
const full = 10000

// GCE2014SustainedUse is the discount that Google Compute Engine announced in
// March 2014: 100, 80, 60 and 40%, which is 70% for a whole month. It is to be
// read, not changed.
var GCE2014SustainedUse = SustainedUse{10000, 8000, 6000, 4000}

// Validate returns an [*InputError], which unwraps to [ErrRange], unless the
// rates fall from at most 10000 to no less than 0.
func (s SustainedUse) Validate() error {
	for i, r := range s {
		switch {
		case r < 0 || r > full:
			return badInput("rates", i, ErrRange, "%d is not between 0 and 10000 ten-thousandths", r)
		case i > 0 && r > s[i-1]:
			return badInput("rates", i, ErrRange, "%d is above the rate of the quarter before, %d", r, s[i-1])
		}
	}
	return nil
}

// longestMonth bounds what may be given as a month, so that products fit.
const longestMonth = 366 * 24 * time.Hour

// weight returns the usage of one instance times its rate, in nanoseconds × 4
// quarters × ten-thousandths. used ≤ month ≤ longestMonth: less than 2⁷² .
func (s SustainedUse) weight(used, month time.Duration) (w wide) {
	for i, r := range s {
		within := min(max(4*used-time.Duration(i)*month, 0), month)
		w = w.plus(product(uint64(within), uint64(r)))
	}
	return w
}

// charge returns what a weight costs, rounded half to even, and whether it fits.
func charge(hourly Money, weight wide) (Money, bool) {
	return weight.times(uint64(hourly)).money(wide{4 * full * uint64(time.Hour)}, HalfEven)
}

// Cost returns what one instance costs that is used for the given time within a
// month of the given length, at a base price per hour, rounded half to even. The
// error is that of [SustainedUse.Validate], [ErrRange] for a negative price and
// unless 0 ≤ used ≤ month, or [ErrOverflow]. It panics unless month is positive
// and at most 366 days.
func (s SustainedUse) Cost(hourly Money, used, month time.Duration) (Money, error) {
	if month <= 0 || month > longestMonth {
		panic("pricing: month that is not positive or longer than 366 days")
	}
	if err := s.Validate(); err != nil {
		return 0, err
	}
	if hourly < 0 {
		return 0, badInput("hourly", -1, ErrRange, "the price %v is negative", hourly)
	}
	if used < 0 || used > month {
		return 0, badInput("used", -1, ErrRange, "%v is not between 0 and the month of %v", used, month)
	}
	cost, ok := charge(hourly, s.weight(used, month))
	if !ok {
		return 0, overflow("the cost of %v at %v an hour", used, hourly)
	}
	return cost, nil
}

// Span is a number of instances for a length of time.
type Span struct {
	Length    time.Duration // ≥ 0
	Instances int           // ≥ 0
}

// AppendInferred appends the inferred instances of a month to dst. The spans say
// how many instances ran at once, and for how long, in any order and without
// overlap. The result says how many inferred instances were used, and how long
// each, the longest use first, with lengths that differ and without zeros.
//
// The error, an [*InputError] with Field "spans", unwraps to [ErrRange] for a
// negative length or number and to [ErrOverflow] if the lengths together exceed a
// Duration. O(n log n) time, no memory beyond dst, which must not overlap spans.
func AppendInferred(dst []Span, spans []Span) ([]Span, error) {
	var total time.Duration
	for i, s := range spans {
		switch {
		case s.Length < 0:
			return dst, badInput("spans.length", i, ErrRange, "%v is negative", s.Length)
		case s.Instances < 0:
			return dst, badInput("spans.instances", i, ErrRange, "%d is negative", s.Instances)
		case s.Length > math.MaxInt64-total:
			return dst, badInput("spans.length", i, ErrOverflow, "the spans together do not fit in a Duration")
		}
		total += s.Length
	}
	from := len(dst)
	dst = append(dst, spans...)
	return dst[:from+stack(dst[from:])], nil
}

// stack turns spans into inferred instances in place and returns their number.
func stack(s []Span) int {
	slices.SortFunc(s, func(a, b Span) int {
		switch {
		case a.Instances > b.Instances:
			return -1
		case a.Instances < b.Instances:
			return 1
		}
		return 0 // equal spans are added up: their order does not matter
	})
	// Downwards from the most instances, the time with at least that many grows.
	out, length := 0, time.Duration(0)
	for i, span := range s {
		length += span.Length
		below := 0
		if i+1 < len(s) {
			below = s[i+1].Instances
		}
		if n := span.Instances - below; n > 0 && length > 0 {
			s[out] = Span{Length: length, Instances: n}
			out++
		}
	}
	// Where several steps share one length, they are one group.
	slices.Reverse(s[:out])
	merged := 0
	for _, span := range s[:out] {
		if merged > 0 && s[merged-1].Length == span.Length {
			s[merged-1].Instances += span.Instances
			continue
		}
		s[merged] = span
		merged++
	}
	return merged
}

// Month is the bill of one calendar month.
type Month struct {
	Start  time.Time     // its first instant
	Length time.Duration // of the whole calendar month
	Peak   int           // inferred instances: the most that ran at once
	Base   Money         // cost without the discount
	Cost   Money         // cost
}

// SustainedBiller computes bills with sustained-use discounts. The zero value is
// ready. It keeps its memory between calls and allocates nothing once it has seen
// the longest month. It must not be used by two goroutines at once.
type SustainedBiller struct {
	spans []Span
}

// AppendMonths appends to dst the bill of each calendar month that the demand
// touches: demand[i] instances run from start + i·slot for the length of a slot,
// at the given base price per hour. A slot across the end of a month is divided
// there. A month that the demand covers in part is as long as any: its discount
// has to be earned within what is covered.
//
// Months are those of start's location; Google's are those of Pacific time
// ("America/Los_Angeles"). With summer time, March and November are an hour
// shorter and longer. Each month's Base and Cost are rounded half to even, once.
//
// The error is that of [SustainedUse.Validate], [ErrRange] for a negative price
// or number, or [ErrOverflow]; dst is then returned as it was given. It panics if
// slot is not positive. Time O(n log n) for n slots a month.
func (b *SustainedBiller) AppendMonths(dst []Month, s SustainedUse, hourly Money, start time.Time, slot time.Duration, demand []int) ([]Month, error) {
	if slot <= 0 {
		panic("pricing: slot that is not positive")
	}
	if err := s.Validate(); err != nil {
		return dst, err
	}
	if hourly < 0 {
		return dst, badInput("hourly", -1, ErrRange, "the price %v is negative", hourly)
	}
	if time.Duration(len(demand)) > math.MaxInt64/slot {
		return dst, badInput("demand", -1, ErrOverflow, "%d slots of %v do not fit in a Duration", len(demand), slot)
	}
	for i, d := range demand {
		if d < 0 {
			return dst, badInput("demand", i, ErrRange, "%d instances are negative", d)
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
			b.spans = append(b.spans, Span{Length: till - at, Instances: demand[i]})
			at = till
		}
		m, ok := s.bill(hourly, next.Sub(first), b.spans)
		if !ok {
			return dst, badInput("demand", int((at-1)/slot), ErrOverflow, "the cost of the month up to here does not fit in an amount of money")
		}
		m.Start = first
		out = append(out, m)
		first = next
	}
	return out, nil
}

// bill returns the bill of one month and whether it fits. It reorders spans.
func (s SustainedUse) bill(hourly Money, length time.Duration, spans []Span) (Month, bool) {
	m := Month{Length: length}
	var base, weight wide // instances have 63 bits: < 2¹³⁵ a span
	whole := SustainedUse{full, full, full, full}
	for _, inferred := range spans[:stack(spans)] {
		m.Peak += inferred.Instances
		n := uint64(inferred.Instances)
		base = base.plus(whole.weight(inferred.Length, length).times(n))
		weight = weight.plus(s.weight(inferred.Length, length).times(n))
	}
	var ok bool
	if m.Base, ok = charge(hourly, base); !ok {
		return m, false
	}
	m.Cost, ok = charge(hourly, weight)
	return m, ok
}
