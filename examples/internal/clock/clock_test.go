package clock

import (
	"testing"
	"time"
)

// An hour of a second: the clock shows 3600 times what passes, from its origin on, and back.
func TestScaled(t *testing.T) {
	origin := time.Date(2013, 1, 1, 0, 0, 0, 0, time.UTC)
	now := origin
	c := NewFunc(origin, time.Second, func() time.Time { return now })
	if c.Now() != 0 || !c.Origin().Equal(origin) || c.Hour() != time.Second {
		t.Errorf("at the origin %v, origin %v, an hour of %v", c.Now(), c.Origin(), c.Hour())
	}
	now = origin.Add(90*time.Minute + 250*time.Millisecond)
	if got, want := c.Now(), 90*60*time.Hour+15*time.Minute; got != want || c.Real() != now || c.At(now) != want {
		t.Errorf("%v, want %v", got, want)
	}
	for _, x := range []struct {
		hour, real, shown time.Duration
	}{
		{time.Hour, 1234567890123, 1234567890123},
		{time.Second, time.Second, time.Hour},
		{time.Second, 500 * time.Millisecond, 30 * time.Minute},
		{time.Second, -2 * time.Second, -2 * time.Hour},
		{time.Minute, 7*24*time.Hour + 30*time.Second, 7*24*60*time.Hour + 30*time.Minute},
		{2 * time.Hour, 3 * time.Hour, 90 * time.Minute},
	} {
		c := New(origin, x.hour)
		if got := c.Scaled(x.real); got != x.shown {
			t.Errorf("an hour of %v: %v shows %v, want %v", x.hour, x.real, got, x.shown)
		}
		if got := c.Unscaled(x.shown); got != x.real {
			t.Errorf("an hour of %v: %v takes %v, want %v", x.hour, x.shown, got, x.real)
		}
	}
}

// A clock of New goes with the calendar, and a reading has no steady clock in it.
func TestReal(t *testing.T) {
	before := time.Now()
	c := New(before.Add(-time.Hour), time.Hour)
	real := c.Real()
	if d := real.Sub(before.Round(0)); d < 0 || d > time.Minute || real != real.Round(0) {
		t.Errorf("%v after %v", real, before)
	}
	if now := c.Now(); now < time.Hour || now > time.Hour+time.Minute {
		t.Errorf("it shows %v, an hour after its origin", now)
	}
	for _, hour := range []time.Duration{0, -1} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("an hour of %v is taken", hour)
				}
			}()
			New(before, hour)
		}()
	}
}
