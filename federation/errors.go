package federation

import (
	"errors"

	"github.com/plimsoll/plimsoll/internal/inputerr"
)

// A *pricing.InputError of this package unwraps to one of these errors. Its Field is such as
// "Tasks.End" or "Centres.Traffic". When a call returns an InputError, nothing has been booked and
// nothing was changed.
var (
	// ErrRange: a value is outside its range.
	ErrRange = errors.New("value out of range")
	// ErrLength: two slices that belong together have different lengths.
	ErrLength = errors.New("wrong length")
	// ErrDuplicate: two tasks have the same ID.
	ErrDuplicate = errors.New("duplicate ID")
	// ErrOrder: a task comes after a later task, or points do not ascend.
	ErrOrder = errors.New("out of order")
	// ErrRising: a lending price rises as more is idle.
	ErrRising = errors.New("price is not monotone")
	// ErrOverflow: the amounts do not fit in 64-bit integers.
	ErrOverflow = errors.New("amount too large")
	// ErrUnbalanced: bookings and tasks, or bookings and reservations, do not fit.
	ErrUnbalanced = errors.New("bookings do not fit")
)

func badInput(field string, index int, sentinel error, format string, args ...any) error {
	return inputerr.New("federation", field, index, sentinel, format, args...)
}
