package smoothing

import (
	"cmp"
	"errors"
	"math"
	"strings"

	"github.com/plimsoll/plimsoll/forecast/internal/boxcox"
	"github.com/plimsoll/plimsoll/internal/inputerr"
)

// A *pricing.InputError of this package unwraps to one of these errors.
var (
	// ErrValue: an observation is infinite or beyond [Largest].
	ErrValue = errors.New("value out of range")
	// ErrFactor: a smoothing factor, or another parameter, is outside of its range.
	ErrFactor = errors.New("parameter out of range")
	// ErrUnstable: the factors make the recursion run away from the data.
	ErrUnstable = errors.New("factors outside the stability region")
	// ErrShort: the series has too few observations.
	ErrShort = errors.New("too few observations")
	// ErrHorizon: a horizon is below 1.
	ErrHorizon = errors.New("horizon out of range")
	// ErrLength: two series that belong together differ in length.
	ErrLength = errors.New("lengths differ")
	// ErrKind: there is no model of this name.
	ErrKind = errors.New("no such model")
	// ErrState: a state lacks a part.
	ErrState = errors.New("incomplete state")
)

// Largest is the largest magnitude that an observation or a model's state may have. Larger values
// count as infinite. The square of a forecast over 10⁷⁵ steps still fits in a float64, so no finite
// input makes an infinite forecast.
//
// No value is too small for a forecast. But the squares of errors below 1/Largest are 0, and fits
// and intervals from such squares are useless. Multiply a series of such small numbers by a
// constant first.
const Largest = boxcox.Largest

// mostCount bounds the counts of a state that is read: far more than can be seen, and
// far from where one more, or a sum of two, wraps around.
const mostCount = math.MaxInt / 4

// mostGap is how many missing observations between the first two a start goes
// through, some milliseconds' worth. A longer silence counts as so long.
const mostGap = 1_000_000

// badValue is the error for a value that is not usable.
func badValue(field string, index int, x float64) error {
	if math.IsInf(x, 0) {
		return badInput(field, index, ErrValue, "%v: want a finite number, or NaN for a missing value", x)
	}
	return badInput(field, index, ErrValue, "%v: want a magnitude of at most %v; scale the series", x, Largest)
}

func badInput(field string, index int, sentinel error, format string, args ...any) error {
	return inputerr.New("smoothing", field, index, sentinel, format, args...)
}

// usable reports whether x is an observation: neither NaN, nor infinite, nor
// beyond Largest.
func usable(x float64) bool { return math.Abs(x) <= Largest }

// CheckSeries returns a *pricing.InputError that unwraps to [ErrValue] for the first
// value of series that is infinite or beyond [Largest]. NaN is a missing value,
// and fine.
func CheckSeries(series []float64) error {
	for i, x := range series {
		if math.Abs(x) > Largest {
			return badValue("series", i, x)
		}
	}
	return nil
}

// checkFactors wants factors in [0, 1]. fields are their names, with a space between two.
func checkFactors(fields string, factors ...float64) error {
	for _, x := range factors {
		field, rest, _ := strings.Cut(fields, " ")
		if !(x >= 0 && x <= 1) {
			return badInput(field, -1, ErrFactor, "%v: want a number in [0, 1]", x)
		}
		fields = rest
	}
	return nil
}

// checkCount wants n to be in [0, most].
func checkCount(field string, n, most int) error {
	if n < 0 || n > most {
		return badInput(field, -1, ErrFactor, "%d: want a number in [0, %d]", n, most)
	}
	return nil
}

// checkState wants all of a state to be usable, and n and gap to be counts.
func checkState(n, gap int, state ...float64) error {
	if err := cmp.Or(checkCount("N", n, mostCount), checkCount("Gap", gap, mostGap)); err != nil {
		return err
	}
	for _, x := range state {
		if !usable(x) {
			return badInput("state", -1, ErrValue, "%v: want a number within %v", x, Largest)
		}
	}
	return nil
}
