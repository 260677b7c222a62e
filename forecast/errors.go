package forecast

import (
	"errors"
	"math"

	"github.com/plimsoll/plimsoll/forecast/smoothing"
	"github.com/plimsoll/plimsoll/internal/inputerr"
)

// A *pricing.InputError of this package unwraps to one of these errors, and one of a model or a fit
// to one of package smoothing's. Its Package is "forecast" or "smoothing". Field is a parameter such
// as "Limits", or "series", or "horizon".
var (
	ErrValue   = smoothing.ErrValue   // an observation is infinite or beyond smoothing.Largest
	ErrFactor  = smoothing.ErrFactor  // a smoothing factor, or another parameter, is outside of its range
	ErrShort   = smoothing.ErrShort   // the series has too few observations
	ErrHorizon = smoothing.ErrHorizon // a horizon is below 1
	ErrLength  = smoothing.ErrLength  // two series that belong together differ in length
	ErrKind    = smoothing.ErrKind    // there is no model of this name
	ErrState   = smoothing.ErrState   // a state lacks a part
	// ErrScale: the series does not change, so no error can be measured by its steps.
	ErrScale = errors.New("no scale")
)

// mostCount bounds the counts of a state that is read: far more than can be seen, and
// far from where one more, or a sum of two, wraps around.
const mostCount = math.MaxInt / 4

func badInput(field string, index int, sentinel error, format string, args ...any) error {
	return inputerr.New("forecast", field, index, sentinel, format, args...)
}

// usable reports whether x is an observation: neither NaN, nor infinite, nor
// beyond smoothing.Largest.
func usable(x float64) bool { return math.Abs(x) <= smoothing.Largest }

// checkCount wants n to be in [0, mostCount].
func checkCount(field string, n int) error {
	if n < 0 || n > mostCount {
		return badInput(field, -1, ErrFactor, "%d: want a number in [0, %d]", n, mostCount)
	}
	return nil
}
