package reserve

import (
	"errors"

	"github.com/plimsoll/plimsoll/internal/inputerr"
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

// An InputError says which part of an input is wrong or not supported, and why. Its fields:
//
//   - Package is "reserve".
//   - Field is the part of the input, such as "Demand" or "Prices.Classes[].Term".
//   - Index is the index of the element of Field, or -1 if Field has no elements or no element is
//     to blame.
//   - Line and Column are 0.
//   - Err says what the value is and what it should be, and unwraps to a sentinel error.
type InputError = inputerr.Error

func badInput(field string, index int, sentinel error, format string, args ...any) error {
	return inputerr.New("reserve", field, index, sentinel, format, args...)
}
