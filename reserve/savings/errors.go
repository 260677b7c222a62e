package savings

import (
	"fmt"

	"github.com/plimsoll/plimsoll/reserve"
)

// An [InputError] unwraps to one of these errors, or to an error of package pricing.
// They are those of package reserve.
var (
	ErrRange       = reserve.ErrRange       // a value is out of range
	ErrTerm        = reserve.ErrTerm        // a term is not a whole, positive number of slots
	ErrOverflow    = reserve.ErrOverflow    // the amounts do not fit in 64-bit integers
	ErrForged      = reserve.ErrForged      // a plan or its certificate is not valid
	ErrUnsupported = reserve.ErrUnsupported // the algorithm does not solve problems of this kind
)

// An InputError says which part of a [Problem] or a [MixedProblem] cannot be planned
// for, and why.
type InputError struct {
	Field string // such as "Types.Demand"
	Index int    // within the field, -1 where there is none
	Err   error  // what is wrong and what would be right; unwraps to a sentinel
}

// Error returns one sentence.
func (e *InputError) Error() string {
	if e.Index < 0 {
		return fmt.Sprintf("savings: %s: %v", e.Field, e.Err)
	}
	return fmt.Sprintf("savings: %s[%d]: %v", e.Field, e.Index, e.Err)
}

// Unwrap returns the cause.
func (e *InputError) Unwrap() error { return e.Err }

func badInput(field string, index int, sentinel error, format string, args ...any) error {
	return &InputError{field, index, fmt.Errorf("%w: "+format, append([]any{sentinel}, args...)...)}
}
