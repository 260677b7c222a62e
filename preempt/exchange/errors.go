package exchange

import (
	"errors"
	"fmt"
)

// What an [InputError] unwraps to.
var (
	// ErrRange: a value is outside of its range.
	ErrRange = errors.New("value out of range")
	// ErrTooMany: more nodes are to be taken than a partition has.
	ErrTooMany = errors.New("more nodes than there are")
	// ErrUnknown: there is no such partition, node, request or call.
	ErrUnknown = errors.New("not known")
)

// An InputError says which part of an input is wrong, and why. A call that
// returns an InputError has changed nothing.
type InputError struct {
	Field string // such as "Leases.Node" or "weight"
	Index int    // within the field, -1 where there is none
	Err   error  // what is wrong and what would be right; unwraps to a sentinel
}

// Error returns one sentence.
func (e *InputError) Error() string {
	if e.Index < 0 {
		return fmt.Sprintf("exchange: %s: %v", e.Field, e.Err)
	}
	return fmt.Sprintf("exchange: %s[%d]: %v", e.Field, e.Index, e.Err)
}

// Unwrap returns the cause.
func (e *InputError) Unwrap() error { return e.Err }

func badInput(field string, index int, sentinel error, format string, args ...any) error {
	return &InputError{field, index, fmt.Errorf("%w: "+format, append([]any{sentinel}, args...)...)}
}
