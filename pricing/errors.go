package pricing

import (
	"errors"

	"github.com/plimsoll/plimsoll/internal/inputerr"
)

// The sentinels that errors of this package unwrap to. Compare with [errors.Is].
var (
	// ErrOverflow: an amount does not fit in Money, or a count in an int64.
	ErrOverflow = errors.New("amount too large")
	// ErrSyntax: a text does not have the form that the reader expects.
	ErrSyntax = errors.New("malformed text")
	// ErrPrecision: an amount has digits below a nano of the currency unit.
	ErrPrecision = errors.New("finer than a nano of the currency unit")
	// ErrRange: a number is well formed, but has no meaning here.
	ErrRange = errors.New("value out of range")
	// ErrDuplicate: a name or a field occurs twice.
	ErrDuplicate = errors.New("occurs twice")
	// ErrUnknown: no field, class or value has the name.
	ErrUnknown = errors.New("unknown name")
	// ErrMissing: a field that every input needs is not there.
	ErrMissing = errors.New("missing")
)

// An InputError says which part of an input cannot be used, and why. Field is the input or the path
// to a part of the input, such as "demand" or "Classes.Upfront". Index says which element of the
// first part of Field is wrong. Index is -1 if the first part has no elements. An error about a
// file has a Line, and Field has the names of the file. Err unwraps to a sentinel of this package.
// If a call returns an InputError, the call has changed nothing.
type InputError = inputerr.Error

// badInput returns an *InputError about element index of a field, or about the
// whole field when index is -1.
func badInput(field string, index int, sentinel error, format string, args ...any) error {
	return inputerr.New("pricing", field, index, sentinel, format, args...)
}

// badText returns an *InputError about a line of a file.
func badText(line int, field string, index int, sentinel error, format string, args ...any) error {
	err := inputerr.At("pricing", line, 0, field, sentinel, format, args...).(*InputError)
	err.Index = index
	return err
}
