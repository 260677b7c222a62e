package workload

import (
	"errors"
	"fmt"
)

// The ways in which parameters can be wrong. An [*InputError] says which
// parameter it is and unwraps to one of them.
var (
	// ErrRange says that a number lies outside the range that its meaning
	// allows.
	ErrRange = errors.New("outside its range")

	// ErrRejected says that a distribution which is drawn again above a limit
	// has next to no mass below that limit, so that drawing would not end.
	ErrRejected = errors.New("has next to no mass below the limit above which it is drawn again")

	// ErrClock says that a submission lies so late that a time.Duration cannot
	// hold it together with the run time: 292 years after the start.
	ErrClock = errors.New("beyond the 292 years that the clock can hold")
)

// An InputError reports a parameter that the model cannot use.
type InputError struct {
	Field string // the parameter, such as "Batch.UHi"
	Index int    // the job's place in the slice, -1 where the field is no slice
	Err   error  // what is wrong, wrapping one of the package's errors
}

// Error returns one sentence that says what is wrong, and where.
func (e *InputError) Error() string {
	if e.Index >= 0 {
		return fmt.Sprintf("workload: %s[%d]: %v", e.Field, e.Index, e.Err)
	}
	return fmt.Sprintf("workload: %s: %v", e.Field, e.Err)
}

// Unwrap returns what is wrong.
func (e *InputError) Unwrap() error { return e.Err }
