package preempt

import (
	"errors"

	"github.com/plimsoll/plimsoll/internal/inputerr"
)

// What an [InputError] unwraps to.
var (
	// ErrRange: a value is outside its range.
	ErrRange = errors.New("value out of range")
	// ErrLength: two slices that belong together have different lengths.
	ErrLength = errors.New("wrong length")
	// ErrTooMany: more nodes are to be taken than there are.
	ErrTooMany = errors.New("more nodes than there are")
	// ErrNoNode: a job runs on no node, or on another number of nodes than it says.
	ErrNoNode = errors.New("job and nodes do not fit")
	// ErrOverflow: the amounts do not fit in 127 bits, or the nodes do not fit in an
	// int.
	ErrOverflow = errors.New("amount too large")
)

// An InputError says which part of an input cannot be used, and why. Field is such as
// "Jobs.Priority" or "Values", and Index is the element within Field, or -1 where there is none. Err
// says what is there and what would be right, and unwraps to a sentinel. When a call returns an
// InputError, nothing has been taken and nothing was changed.
type InputError = inputerr.Error

func badInput(field string, index int, sentinel error, format string, args ...any) error {
	return inputerr.New("preempt", field, index, sentinel, format, args...)
}
