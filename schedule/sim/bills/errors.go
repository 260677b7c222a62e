package bills

import (
	"errors"

	"github.com/plimsoll/plimsoll/internal/inputerr"
)

// What a *schedule.InputError unwraps to, beside the errors of package pricing. Its Field is such as
// "Jobs.User" or "Bill", and its Index is that of the job, or -1.
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
