package savings

import (
	"github.com/plimsoll/plimsoll/internal/inputerr"
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

// An InputError says which part of an input cannot be planned for, and why. Its fields:
//
//   - Package is "savings".
//   - Field is the input or the path to it, such as "Demand" or "Types.Demand".
//   - Index is the element of the field, -1 where there is none.
//   - Line and Column are 0.
//   - Err says what is there and what would be right, and unwraps to a sentinel.
type InputError = inputerr.Error

func badInput(field string, index int, sentinel error, format string, args ...any) error {
	return inputerr.New("savings", field, index, sentinel, format, args...)
}
