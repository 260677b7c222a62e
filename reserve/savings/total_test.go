package savings

import (
	"testing"

	"github.com/plimsoll/plimsoll/pricing"
)

// A Total is read from the text that it writes, and from nothing that is not a decimal.
func TestTotalText(t *testing.T) {
	one := TotalOf(pricing.Unit)
	large := one
	for range 100 {
		large = large.Plus(large)
		if large.Float64() > 1e28 {
			break
		}
	}
	for _, want := range []Total{{}, one, TotalOf(-1), TotalOf(1), TotalOf(-25 * pricing.Unit / 10), large} {
		var got Total
		if err := got.UnmarshalText([]byte(want.String())); err != nil || got != want {
			t.Errorf("%v: read as %v, %v", want, got, err)
		}
	}
	for _, text := range []string{"", ".", "-", "5.", ".5", "-.5", "+5", "5.+1", "1e3", "abc", " 5", "5.-1", "0.0000000001", "99999999999999999999999999999999999999999"} {
		var got Total
		if err := got.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is read as %v", text, got)
		}
	}
}

// A Total is a number of units, and a text with decimals, also beyond 64 bits.
func TestTotalForms(t *testing.T) {
	large := TotalOf(1 << 62)
	large = large.Plus(large).Plus(large)
	for _, c := range []struct {
		total Total
		units float64
		fixed string
	}{
		{TotalOf(2345 * pricing.Milli), 2.345, "2.3"},
		{TotalOf(-25 * pricing.Unit), -25, "-25.0"},
		{large, 3 * (1 << 62) / 1e9, "13835058055.282163712"},
	} {
		if got := c.total.Float64(); got != c.units {
			t.Errorf("%v: %v, want %v", c.total, got, c.units)
		}
		if got := c.total.Fixed(1); got != c.fixed {
			t.Errorf("%v: %q, want %q", c.total, got, c.fixed)
		}
	}
}
