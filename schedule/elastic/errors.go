package elastic

import (
	"errors"
	"fmt"
)

// What an [InputError] unwraps to, beside the errors of package pricing.
var (
	// ErrOrder: the jobs are not sorted by (Submit, ID).
	ErrOrder = errors.New("jobs out of order")
	// ErrRange: a value is outside of its range.
	ErrRange = errors.New("value out of range")
	// ErrTooLarge: a job needs more instances than any infrastructure can have.
	ErrTooLarge = errors.New("more instances than there can be")
	// ErrUnbounded: a free cloud has no limit, so that nothing bounds the number
	// of launches there.
	ErrUnbounded = errors.New("neither a price nor a limit")
)

// An InputError says which part of a [Snapshot], a [Budget], a policy, an
// [Options] or the jobs of a simulation is wrong, and why.
type InputError struct {
	Field string // such as "Budget.Hourly", "Clouds.Price" or "AQTP.Response"
	Index int    // of the job or cloud; -1 where there is none
	Err   error  // what is wrong and what would be right; unwraps to a sentinel
}

// Error returns one sentence.
func (e *InputError) Error() string {
	if e.Index < 0 {
		return fmt.Sprintf("elastic: %s: %v", e.Field, e.Err)
	}
	return fmt.Sprintf("elastic: %s at index %d: %v", e.Field, e.Index, e.Err)
}

// Unwrap returns the cause.
func (e *InputError) Unwrap() error { return e.Err }

func badInput(field string, index int, sentinel error, format string, args ...any) error {
	return &InputError{field, index, fmt.Errorf("%w: "+format, append([]any{sentinel}, args...)...)}
}
