package shared

import (
	"errors"

	"github.com/plimsoll/plimsoll/internal/inputerr"
)

// What a *preempt.InputError unwraps to.
var (
	// ErrRange: a value is outside its range.
	ErrRange = errors.New("value out of range")
	// ErrLength: two slices that belong together have different lengths.
	ErrLength = errors.New("wrong length")
	// ErrTooMany: the problem is larger than Solve can look at.
	ErrTooMany = errors.New("too many")
)

func badInput(field string, index int, sentinel error, format string, args ...any) error {
	return inputerr.New("preempt/shared", field, index, sentinel, format, args...)
}
