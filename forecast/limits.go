package forecast

import (
	"math"

	"github.com/plimsoll/plimsoll/forecast/smoothing"
)

// Limits keep forecasts over long horizons possible. The zero value sets no limit. A trend
// that goes on for 156 weeks, or a quadratic, passes every possible value; only the
// caller knows which values are possible.
type Limits struct {
	NonNegative bool    `json:"non_negative"` // a forecast below 0 becomes 0
	Multiple    float64 `json:"multiple"`     // within ± so many times the largest |observation| so far; 0: no limit
}

// Apply limits a forecast in place: first within ±Multiple of largest, then NonNegative.
func (l Limits) Apply(dst []float64, largest float64) {
	low, high := l.span(largest)
	for i, x := range dst {
		dst[i] = min(high, max(low, x))
	}
}

// span returns the least and the largest value that the limits allow.
func (l Limits) span(largest float64) (low, high float64) {
	low, high = math.Inf(-1), math.Inf(1)
	if l.Multiple > 0 {
		high = l.Multiple * largest
		low = -high
	}
	if l.NonNegative {
		low = 0
	}
	return low, high
}

// Validate returns an *pricing.InputError if a limit is out of range.
func (l Limits) Validate() error {
	if !(l.Multiple >= 0 && l.Multiple <= smoothing.Largest) {
		return badInput("Multiple", -1, ErrFactor, "%v: want 0 for no limit, or a positive multiple, usually 1 to 3", l.Multiple)
	}
	return nil
}
