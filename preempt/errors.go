package preempt

import (
	"errors"
	"fmt"
)

// What an [InputError] unwraps to.
var (
	// ErrRange: a value is outside of what it may be.
	ErrRange = errors.New("value out of range")
	// ErrLength: two slices that belong together have different lengths.
	ErrLength = errors.New("wrong length")
	// ErrTooMany: more nodes are to be taken than there are.
	ErrTooMany = errors.New("more nodes than there are")
	// ErrNoNode: a job runs on no node, or on other nodes than it says.
	ErrNoNode = errors.New("job and nodes do not fit")
	// ErrOverflow: the amounts do not fit in 64-bit integers.
	ErrOverflow = errors.New("amount too large")
)

// An InputError says which part of an input cannot be worked with, and why.
// When a call returns one, nothing has been taken and nothing was changed.
type InputError struct {
	Field string // such as "Jobs.Priority" or "Values"
	Index int    // within the field, -1 where there is none
	Err   error  // what is wrong and what would be right; unwraps to a sentinel
}

// Error returns one sentence.
func (e *InputError) Error() string {
	if e.Index < 0 {
		return fmt.Sprintf("preempt: %s: %v", e.Field, e.Err)
	}
	return fmt.Sprintf("preempt: %s[%d]: %v", e.Field, e.Index, e.Err)
}

// Unwrap returns the cause.
func (e *InputError) Unwrap() error { return e.Err }

func badInput(field string, index int, sentinel error, format string, args ...any) error {
	return &InputError{field, index, fmt.Errorf("%w: "+format, append([]any{sentinel}, args...)...)}
}
