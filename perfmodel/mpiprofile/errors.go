package mpiprofile

import (
	"errors"

	"github.com/plimsoll/plimsoll/internal/inputerr"
)

// A *pricing.InputError of this package unwraps to one of these errors, or to an error of package
// perfmodel. Its Field is what a line of the file is about, such as "functions" or "MPI time".
var (
	// ErrSyntax: a file is not of its format.
	ErrSyntax = errors.New("not of the format expected")
	// ErrTruncated: a file ends before its end.
	ErrTruncated = errors.New("the file ends early")
	// ErrMissing: something that is needed is not there.
	ErrMissing = errors.New("missing")
	// ErrMixed: processes are of different runs, or a report contradicts itself about how
	// many there are.
	ErrMixed = errors.New("processes of different runs")
	// ErrRange: a number is outside its range.
	ErrRange = errors.New("number out of range")
)

func badInput(field string, index int, sentinel error, format string, args ...any) error {
	return inputerr.New("mpiprofile", field, index, sentinel, format, args...)
}

// badLine is badInput for a line of a file.
func badLine(field string, line int, sentinel error, format string, args ...any) error {
	return inputerr.At("mpiprofile", line, 0, field, sentinel, format, args...)
}
