package decimal

import (
	"math"
	"testing"
	"time"
)

func TestSeconds(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0:                                "0",
		time.Second:                      "1",
		20500 * time.Millisecond:         "20.5",
		time.Nanosecond:                  "0.000000001",
		-1500 * time.Millisecond:         "-1.5",
		2_000_000 * time.Hour:            "7200000000", // no exponent
		math.MinInt64:                    "-9223372036.854775808",
		time.Minute + 10*time.Nanosecond: "60.00000001",
	} {
		if got := string(Seconds(d)); got != want {
			t.Errorf("Seconds(%v) = %q, want %q", d, got, want)
		}
	}
}

func TestFixedAndNumber(t *testing.T) {
	for _, c := range []struct {
		x             float64
		decimals      int
		fixed, number string
	}{
		{0.179, 6, "0.179000", "0.179"},
		{-0.0000001, 6, "0.000000", "0"},
		{-0.26, 1, "-0.3", "-0.3"},
		{1e21, 2, "1000000000000000000000.00", "1000000000000000000000"},
		{120, 0, "120", "120"},
	} {
		if got := Fixed(c.x, c.decimals); got != c.fixed {
			t.Errorf("Fixed(%v, %d) = %q, want %q", c.x, c.decimals, got, c.fixed)
		}
		if got := string(Number(c.x, c.decimals)); got != c.number {
			t.Errorf("Number(%v, %d) = %q, want %q", c.x, c.decimals, got, c.number)
		}
	}
}

func TestGrouped(t *testing.T) {
	for s, want := range map[string]string{
		"0": "0", "999": "999", "1000": "1,000", "-123456": "-123,456", "-1234567.8901": "-1,234,567.8901", "12345": "12,345",
	} {
		if got := Grouped(s); got != want {
			t.Errorf("Grouped(%q) = %q, want %q", s, got, want)
		}
	}
}

func TestCount(t *testing.T) {
	for n, want := range map[int]string{0: "0 nodes", 1: "1 node", 2: "2 nodes", 12345: "12,345 nodes"} {
		if got := Count(n, "node"); got != want {
			t.Errorf("Count(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestSpan(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", time.Hour: "1h", 90 * time.Minute: "1h30m", 15 * time.Minute: "15m", 168 * time.Hour: "168h",
		time.Hour + time.Second: "1h0m1s", time.Millisecond: "1ms", math.MaxInt64: "never",
	} {
		if got := Span(d); got != want {
			t.Errorf("Span(%d) = %q, want %q", d, got, want)
		}
	}
}

func TestRuntime(t *testing.T) {
	for want, s := range map[string]float64{"0.1235 s": .12345, "1.00 s": 1, "99.99 s": 99.99, "100 s": 100, "12,346 s": 12345.6} {
		if got := Runtime(s); got != want {
			t.Errorf("%v s is %q, want %q", s, got, want)
		}
	}
}
