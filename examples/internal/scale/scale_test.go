package scale

import (
	"testing"
	"time"
)

func TestClock(t *testing.T) {
	const day = 24 * time.Hour
	for _, c := range []struct {
		span  time.Duration
		marks int
		want  Clock
	}{
		{391 * day, 8, Clock{day, "days", 50}},
		{5 * day, 12, Clock{day, "days", 1}},
		{47 * time.Hour, 10, Clock{time.Hour, "hours", 5}},
		{2 * time.Minute, 1, Clock{time.Minute, "minutes", 2}},
		{time.Nanosecond, 5, Clock{time.Second, "seconds", 1}},
		{100_000 * day, 5, Clock{day, "days", 20000}},
	} {
		if got := NewClock(c.span, c.marks); got != c.want {
			t.Errorf("NewClock(%v, %d) = %v, want %v", c.span, c.marks, got, c.want)
		}
	}
	c := Clock{time.Hour, "hours", 6}
	for from, want := range map[time.Duration]time.Duration{0: 0, 1: 6 * time.Hour, 6 * time.Hour: 6 * time.Hour} {
		if got := c.First(from); got != want {
			t.Errorf("First(%v) = %v, want %v", from, got, want)
		}
	}
}

func TestTop(t *testing.T) {
	for n, want := range map[int]int{0: 2, 1: 2, 3: 4, 9: 10, 93: 100, 101: 120, 577: 600, 1818: 2000} {
		if got := Top(n); got != want {
			t.Errorf("Top(%d) = %d, want %d", n, got, want)
		}
	}
}
