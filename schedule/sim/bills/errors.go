package bills

import (
	"errors"

	"github.com/plimsoll/plimsoll/internal/inputerr"
)

// What a *schedule.InputError unwraps to, beside the errors of package pricing.
//
// The errors themselves are a *schedule.InputError:
//
//	Package       "bills"
//	Field         such as "Jobs.User" or "Bill"
//	Index         of the job; -1 where there is none
//	Line, Column  0
//	Err           what is there and what would be right; unwraps to a sentinel
var (
	// ErrRange: a value is outside its range.
	ErrRange = errors.New("value out of range")
	// ErrLength: a slice has the wrong length.
	ErrLength = errors.New("wrong length")
	// ErrTooLarge: use or a sum of money that is too large to add up.
	ErrTooLarge = errors.New("amount too large")
)

func badInput(field string, index int, sentinel error, format string, args ...any) error {
	return inputerr.New("bills", field, index, sentinel, format, args...)
}
