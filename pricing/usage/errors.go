package usage

import (
	"errors"

	"github.com/plimsoll/plimsoll/internal/inputerr"
)

// The sentinels that errors of this package, and of the readers of bills, unwrap
// to. Compare with [errors.Is]. The errors themselves are a *pricing.InputError: Line and Column
// are the place in the file, and Field is the name of the column.
var (
	// ErrForm: the file is not a bill of the form that the reader expects.
	ErrForm = errors.New("not a bill of this form")
	// ErrSyntax: a field does not have the form that its column has.
	ErrSyntax = errors.New("malformed text")
	// ErrRange: a value has no meaning where it stands.
	ErrRange = errors.New("value out of range")
	// ErrMissing: a column or a value that every bill needs is not there.
	ErrMissing = errors.New("missing")
	// ErrCurrency: rows have different currencies.
	ErrCurrency = errors.New("mixed currencies")
	// ErrRepeated: a row, a file or a time is in the bill twice.
	ErrRepeated = errors.New("counted twice")
	// ErrTruncated: the file ends before its data do.
	ErrTruncated = errors.New("file ends too early")
)

func badInput(field string, index int, sentinel error, format string, args ...any) error {
	return inputerr.New("usage", field, index, sentinel, format, args...)
}

func badRow(line int, field string, sentinel error, format string, args ...any) error {
	return inputerr.At("usage", line, 0, field, sentinel, format, args...)
}
