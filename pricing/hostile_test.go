package pricing

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"
)

// A history from the least to the greatest time is refused, and its span is the greatest.
func TestSpotHistoryBeyondDuration(t *testing.T) {
	h := SpotHistory{Times: []time.Duration{math.MinInt64}, Prices: []Money{Unit}, End: math.MaxInt64}
	var in *InputError
	if err := h.Validate(); !errors.As(err, &in) || in.Field != "End" || !errors.Is(err, ErrRange) {
		t.Errorf("validate: %v", err)
	}
	if span := h.Span(); span != math.MaxInt64 {
		t.Errorf("span: %v", span)
	}
	h.Times[0] = 0
	if err := h.Validate(); err != nil || h.Span() != math.MaxInt64 {
		t.Errorf("%v, %v", err, h.Span())
	}
}

// A lease whose price is set anew each nanosecond is paid for at once, and costs what the
// same lease costs where the price of each moment counts.
func TestRepriceOfNanosecond(t *testing.T) {
	h := SpotHistory{Times: []time.Duration{0, 1001, time.Hour + 7}, Prices: []Money{Unit, 3 * Unit, 2 * Unit}, End: 1000 * time.Hour}
	fine := SpotMeter{Meter: Meter{Increment: 1}, Reprice: 1}
	moment := SpotMeter{Meter: Meter{Increment: 1}}
	for _, length := range []time.Duration{1, 1000, 1001, 1002, time.Hour, 900 * time.Hour} {
		got, err := fine.Cost(h, 500, length, EndedByUser)
		want, e := moment.Cost(h, 500, length, EndedByUser)
		if err != nil || e != nil || got != want {
			t.Errorf("%v: %v (%v), want %v (%v)", length, got, err, want, e)
		}
	}
}

// Misuse that a call shows panics with a message that begins with the package's name.
func TestMisusePanics(t *testing.T) {
	for name, f := range map[string]func(){
		"start of nothing": func() { SpotHistory{}.Start() },
		"span of nothing":  func() { SpotHistory{}.Span() },
		"total":            func() { ClassBill{Upfront: math.MaxInt64, Hourly: 1}.Total() },
	} {
		func() {
			defer func() {
				if m, _ := recover().(string); !strings.HasPrefix(m, "pricing: ") {
					t.Errorf("%s: panic %q", name, m)
				}
			}()
			f()
		}()
	}
}

// The sums of a class are right wherever they fit, though a part of them does not.
func TestSumsOfAClass(t *testing.T) {
	c := ClassBill{Upfront: math.MaxInt64, Hourly: 5, Committed: -7, Residual: 11}
	if c.Total() != math.MaxInt64-2 {
		t.Errorf("total %v", c.Total())
	}
}
