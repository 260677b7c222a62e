package volume

import (
	"errors"

	"github.com/plimsoll/plimsoll/internal/inputerr"
)

// What an [InputError] of this package unwraps to. Errors of a [reserve.Problem] are those
// of package reserve.
var (
	// ErrRange: a value is outside of what it may be.
	ErrRange = errors.New("value out of range")
	// ErrOrder: tiers do not rise.
	ErrOrder = errors.New("tiers do not rise")
	// ErrOverflow: the amounts do not fit.
	ErrOverflow = errors.New("amount too large")
	// ErrUnsupported: the problem is not for this package.
	ErrUnsupported = errors.New("not a problem for this algorithm")
)

// An InputError says which part of an input cannot be used, and why. Its fields:
//
//   - Package is "volume".
//   - Field is the input or the path to it, such as "Tiers[].From".
//   - Index is the element of the field, -1 where there is none.
//   - Line and Column are 0.
//   - Err says what is there and what would be right, and unwraps to a sentinel.
type InputError = inputerr.Error

func badInput(field string, index int, sentinel error, format string, args ...any) error {
	return inputerr.New("volume", field, index, sentinel, format, args...)
}
