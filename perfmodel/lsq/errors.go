package lsq

import (
	"errors"

	"github.com/plimsoll/plimsoll/internal/inputerr"
)

// A *pricing.InputError of this package unwraps to one of these errors.
//
// The fields of the InputError are:
//
//	Package  "lsq"
//	Field    such as "y"
//	Index    the element within Field, from 0; -1 where there is none
//	Line     0
//	Column   0
//	Err      what is there and what would be right; unwraps to a sentinel
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
