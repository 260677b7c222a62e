package coalition

import (
	"errors"

	"github.com/plimsoll/plimsoll/internal/inputerr"
)

// A *pricing.InputError of this package unwraps to one of these errors. Its Field is such as
// "Costs".
var (
	// ErrRange: a value is outside its range.
	ErrRange = errors.New("value out of range")
	// ErrLength: a slice has the wrong length.
	ErrLength = errors.New("wrong length")
	// ErrOverflow: a cost is too large for exact sums.
	ErrOverflow = errors.New("amount too large")
	// ErrNotBalanced: a collection of coalitions does not prove that the core is
	// empty.
	ErrNotBalanced = errors.New("no proof")
)

func badInput(field string, index int, sentinel error, format string, args ...any) error {
	return inputerr.New("coalition", field, index, sentinel, format, args...)
}
