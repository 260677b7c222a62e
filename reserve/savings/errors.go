package savings

import (
	"github.com/plimsoll/plimsoll/internal/inputerr"
	"github.com/plimsoll/plimsoll/reserve"
)

// A [*reserve.InputError] of package "savings" unwraps to one of these errors, or to an error of package
// pricing. They are those of package reserve.
var (
	ErrRange       = reserve.ErrRange       // a value is out of range
	ErrTerm        = reserve.ErrTerm        // a term is not a whole, positive number of slots
	ErrOverflow    = reserve.ErrOverflow    // the amounts do not fit in 64-bit integers
	ErrForged      = reserve.ErrForged      // a plan or its certificate is not valid
	ErrUnsupported = reserve.ErrUnsupported // the algorithm does not solve problems of this kind
)

func badInput(field string, index int, sentinel error, format string, args ...any) error {
	return inputerr.New("savings", field, index, sentinel, format, args...)
}
