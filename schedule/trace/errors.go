package trace

import (
	"errors"

	"github.com/plimsoll/plimsoll/internal/inputerr"
)

// A *schedule.InputError of this package unwraps to one of these errors. Its Field is a field of the
// format such as "run time", or such as "Jobs.Nodes". Column is the field of the format from 1, or 0
// where the whole line is meant.
var (
	ErrNumber   = errors.New("not a number")
	ErrWhole    = errors.New("not a whole number")
	ErrRange    = errors.New("value out of range")
	ErrFields   = errors.New("too few fields")
	ErrTooLong  = errors.New("too long")
	ErrEncoding = errors.New("not a plain text of lines (UTF-8, ended by line feeds)")
)

func badInput(field string, index int, sentinel error, format string, args ...any) error {
	return inputerr.New("trace", field, index, sentinel, format, args...)
}

func badLine(line, column int, field string, sentinel error, format string, args ...any) error {
	return inputerr.At("trace", line, column, field, sentinel, format, args...)
}

// wanted says what would be right in place of what a sentinel is about.
func wanted(sentinel error) string {
	switch sentinel {
	case ErrNumber:
		return "a number, or -1 if it is not known"
	case ErrWhole:
		return "a whole number"
	}
	return "a smaller number"
}
