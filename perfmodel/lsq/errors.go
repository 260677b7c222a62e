package lsq

import (
	"errors"
	"fmt"
)

// What an [InputError] unwraps to.
var (
	// ErrNotFinite: a number is NaN or infinite.
	ErrNotFinite = errors.New("number is not finite")
	// ErrFewRows: there are fewer rows than coefficients to be found.
	ErrFewRows = errors.New("fewer rows than columns")
	// ErrDependent: a column is a combination of others. The error also unwraps to a
	// *[DependenceError], which says of which.
	ErrDependent = errors.New("the data cannot tell columns apart")
	// ErrNotEstimable: a prediction is asked for where it depends on a column that
	// was dropped.
	ErrNotEstimable = errors.New("prediction depends on a dropped column")
	// ErrOverflow: a result does not fit in a float64.
	ErrOverflow = errors.New("result too large")
)

// An InputError says which part of an input cannot be worked with, and why.
type InputError struct {
	Field string // such as "y"
	Index int    // within the field, -1 where there is none
	Err   error  // what is wrong and what would be right; unwraps to a sentinel
}

// Error returns one sentence.
func (e *InputError) Error() string {
	if e.Index < 0 {
		return fmt.Sprintf("lsq: %s: %v", e.Field, e.Err)
	}
	return fmt.Sprintf("lsq: %s[%d]: %v", e.Field, e.Index, e.Err)
}

// Unwrap returns the cause.
func (e *InputError) Unwrap() error { return e.Err }

func badInput(field string, index int, sentinel error, format string, args ...any) error {
	return &InputError{field, index, fmt.Errorf("%w: "+format, append([]any{sentinel}, args...)...)}
}
