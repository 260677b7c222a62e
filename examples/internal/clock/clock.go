// Package clock has a clock on which an hour may last seconds: the time since an
// origin in the calendar, scaled. It goes on while a process is down, and a process
// that comes back reads the same time as the one before.
package clock

import "time"

// A Clock tells the scaled time. Its methods may be called by several goroutines.
type Clock struct {
	origin time.Time
	hour   time.Duration
	start  time.Time // of this process's clock: it has a reading that nobody sets
	now    func() time.Time
}

// New returns a clock that shows 0 at origin, on which an hour takes as long as hour
// says. It panics if that is not positive.
func New(origin time.Time, hour time.Duration) *Clock {
	if hour <= 0 {
		panic("clock: an hour has to last")
	}
	c := &Clock{origin: origin.Round(0), hour: hour, start: time.Now()}
	c.now = func() time.Time { return c.start.Round(0).Add(time.Since(c.start)) }
	return c
}

// NewFunc returns a clock as New does that takes the time of the calendar from now, for
// tests.
func NewFunc(origin time.Time, hour time.Duration, now func() time.Time) *Clock {
	c := New(origin, hour)
	c.now = now
	return c
}

// Origin returns when the clock showed 0.
func (c *Clock) Origin() time.Time { return c.origin }

// Hour returns how long an hour takes.
func (c *Clock) Hour() time.Duration { return c.hour }

// Now returns the time.
func (c *Clock) Now() time.Duration { return c.At(c.Real()) }

// Real returns the time of the calendar, as the process's steady clock has it since
// it began.
func (c *Clock) Real() time.Time { return c.now() }

// At returns what the clock shows at a time of the calendar.
func (c *Clock) At(t time.Time) time.Duration { return c.Scaled(t.Round(0).Sub(c.origin)) }

// Scaled returns how far the clock goes in a real span of time.
func (c *Clock) Scaled(real time.Duration) time.Duration {
	return scale(real, time.Hour, c.hour)
}

// Unscaled returns how long the clock takes for a span of its time.
func (c *Clock) Unscaled(d time.Duration) time.Duration {
	return scale(d, c.hour, time.Hour)
}

// scale returns d·mul/div, to the nanosecond for spans of up to years.
func scale(d, mul, div time.Duration) time.Duration {
	if mul == div {
		return d
	}
	whole, rest := d/div, d%div
	return whole*mul + time.Duration(float64(rest)*(float64(mul)/float64(div)))
}
