package lsq

import (
	"errors"

	"github.com/plimsoll/plimsoll/internal/inputerr"
)

// A *pricing.InputError of this package unwraps to one of these errors. Its Field is such as "y".
var (
	// ErrNotFinite: a number is NaN or infinite.
	ErrNotFinite = errors.New("number is not finite")
	// ErrFewRows: there are fewer rows than coefficients.
	ErrFewRows = errors.New("fewer rows than columns")
	// ErrDependent: a column is a combination of other columns. The error also unwraps
	// to a *[DependenceError], which names the columns.
	ErrDependent = errors.New("the data cannot tell columns apart")
	// ErrOverflow: a result does not fit in a float64.
	ErrOverflow = errors.New("result too large")
)

func badInput(field string, index int, sentinel error, format string, args ...any) error {
	return inputerr.New("lsq", field, index, sentinel, format, args...)
}
