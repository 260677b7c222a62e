package resale

import (
	"errors"

	"github.com/plimsoll/plimsoll/internal/inputerr"
)

// ErrRange: a value is outside of what it may be. An [InputError] unwraps to ErrRange, or to
// an error of package pricing.
var ErrRange = errors.New("value out of range")

// An InputError says which part of an input cannot be used, and why. Its fields:
//
//   - Package is "resale".
//   - Field is the input, such as "Share".
//   - Index is -1, and Line and Column are 0.
//   - Err says what is there and what would be right.
type InputError = inputerr.Error

func badInput(field string, sentinel error, format string, args ...any) error {
	return inputerr.New("resale", field, -1, sentinel, format, args...)
}
