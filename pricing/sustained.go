package pricing

import "time"

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

// Cost returns the cost of one instance that runs for the time used within a month, with the
// discount for sustained use. hourly is the base price per hour, and month is the length of the
// month. The cost is rounded half to even.
//
// The error is that of [SustainedUse.Validate], or [ErrRange] if hourly is negative, or unless 0 ≤
// used ≤ month, or [ErrOverflow]. Cost panics unless month is positive and at most 366 days.
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
	cost, ok := s.weight(used, month).times(uint64(hourly)).money(long{4 * full * uint64(time.Hour)}, HalfEven)
	if !ok {
		return 0, overflow("%v an hour over %v", hourly, used)
	}
	return cost, nil
}
