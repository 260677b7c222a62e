// Package scale chooses what stands on the axes of a picture: round numbers,
// and times in a unit that suits them.
package scale

import "time"

// A Clock is a unit of time for an axis, and the distance of its marks.
type Clock struct {
	Unit  time.Duration
	Name  string // of the unit, in the plural
	Every int    // units between two marks
}

var units = [...]Clock{
	{time.Second, "seconds", 0},
	{time.Minute, "minutes", 0},
	{time.Hour, "hours", 0},
	{24 * time.Hour, "days", 0},
}

// NewClock returns the largest unit of which span has at least two, seconds if
// there is none, and a round distance that gives at most the given number of
// marks, at least 1.
func NewClock(span time.Duration, marks int) Clock {
	c := units[0]
	for _, u := range units {
		if span >= 2*u.Unit {
			c = u
		}
	}
	for c.Every = 1; span/(time.Duration(c.Every)*c.Unit) > time.Duration(max(1, marks)); {
		c.Every = next(c.Every)
	}
	return c
}

// next returns the round number after n: 1, 2, 5, 10, 20, 50 and so on.
func next(n int) int {
	power := 1
	for n >= 10*power {
		power *= 10
	}
	if n/power == 2 {
		return 5 * power
	}
	return 2 * n
}

// In returns t in units.
func (c Clock) In(t time.Duration) float64 { return float64(t) / float64(c.Unit) }

// First returns the first mark at or after t, which is not negative.
func (c Clock) First(t time.Duration) time.Duration {
	step := c.Step()
	return (t + step - 1) / step * step
}

// Step returns the time between two marks.
func (c Clock) Step() time.Duration { return time.Duration(c.Every) * c.Unit }

// Top returns a round even number that is at least n, to be the top of an
// axis from 0 with a mark half way up.
func Top(n int) int {
	for power := 1; ; power *= 10 {
		for _, k := range [...]int{2, 4, 6, 8, 10, 12, 16} {
			if k*power >= n {
				return k * power
			}
		}
	}
}
