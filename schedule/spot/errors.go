package spot

import (
	"errors"
	"fmt"
)

// What an [InputError] unwraps to, beside the errors of package pricing.
var (
	// ErrRange: a value is outside of its range.
	ErrRange = errors.New("value out of range")
	// ErrPast: a deadline has passed already.
	ErrPast = errors.New("deadline in the past")
)

// An InputError says which part of a [Task], a [PriceChain] or a [Market] is
// wrong, and why.
type InputError struct {
	Field string // such as "Task.Deadline" or "Market.Reclaim"
	Index int    // of the level or probability; -1 where there is none
	Err   error  // what is wrong and what would be right; unwraps to a sentinel
}

// Error returns one sentence.
func (e *InputError) Error() string {
	if e.Index < 0 {
		return fmt.Sprintf("spot: %s: %v", e.Field, e.Err)
	}
	return fmt.Sprintf("spot: %s at index %d: %v", e.Field, e.Index, e.Err)
}

// Unwrap returns the cause.
func (e *InputError) Unwrap() error { return e.Err }

func badInput(field string, index int, sentinel error, format string, args ...any) error {
	return &InputError{field, index, fmt.Errorf("%w: "+format, append([]any{sentinel}, args...)...)}
}
