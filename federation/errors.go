package federation

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
	// ErrDuplicate: two tasks have the same ID.
	ErrDuplicate = errors.New("duplicate ID")
	// ErrOrder: a task or an event comes after a later one.
	ErrOrder = errors.New("out of order")
	// ErrGone: a centre has failed, or has left before.
	ErrGone = errors.New("centre is gone")
	// ErrOverflow: the amounts do not fit in 64-bit integers.
	ErrOverflow = errors.New("amount too large")
	// ErrUnbalanced: bookings and tasks, or bookings and reservations, do not fit.
	ErrUnbalanced = errors.New("bookings do not fit")
)

// An InputError says which part of an input cannot be worked with, and why.
// When a call returns one, nothing has been booked and nothing was changed.
type InputError struct {
	Field string // such as "Tasks.End" or "Centres.Traffic"
	Index int    // within the field, -1 where there is none
	Err   error  // what is wrong and what would be right; unwraps to a sentinel
}

// Error returns one sentence.
func (e *InputError) Error() string {
	if e.Index < 0 {
		return fmt.Sprintf("federation: %s: %v", e.Field, e.Err)
	}
	return fmt.Sprintf("federation: %s[%d]: %v", e.Field, e.Index, e.Err)
}

// Unwrap returns the cause.
func (e *InputError) Unwrap() error { return e.Err }

func badInput(field string, index int, sentinel error, format string, args ...any) error {
	return &InputError{field, index, fmt.Errorf("%w: "+format, append([]any{sentinel}, args...)...)}
}
