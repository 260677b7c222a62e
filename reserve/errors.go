package reserve

import (
	"errors"
	"fmt"
)

// What an [InputError] unwraps to, beside the errors of package pricing.
var (
	// ErrRange: a value is outside of what it may be.
	ErrRange = errors.New("value out of range")
	// ErrTerm: a class's term is not a whole, positive number of slots.
	ErrTerm = errors.New("term and slot do not fit")
	// ErrOverflow: the amounts do not fit in 64-bit integers.
	ErrOverflow = errors.New("amount too large")
	// ErrInfeasible: no plan keeps to the caps.
	ErrInfeasible = errors.New("no plan is possible")
	// ErrForged: a plan or its certificate is not what it claims to be.
	ErrForged = errors.New("not a valid plan")
	// ErrUnsupported: the algorithm does not solve problems of this kind.
	ErrUnsupported = errors.New("not a problem for this algorithm")
)

// An InputError says which part of a [Problem] cannot be planned for, and why.
type InputError struct {
	Field string // of Problem, SavingsProblem or MixedProblem, such as "Demand" or "Prices.Classes.Term"
	Index int    // within the field, -1 where there is none
	Err   error  // what is wrong and what would be right; unwraps to a sentinel
}

// Error returns one sentence.
func (e *InputError) Error() string {
	if e.Index < 0 {
		return fmt.Sprintf("reserve: %s: %v", e.Field, e.Err)
	}
	return fmt.Sprintf("reserve: %s[%d]: %v", e.Field, e.Index, e.Err)
}

// Unwrap returns the cause.
func (e *InputError) Unwrap() error { return e.Err }

func badInput(field string, index int, sentinel error, format string, args ...any) error {
	return &InputError{field, index, fmt.Errorf("%w: "+format, append([]any{sentinel}, args...)...)}
}
