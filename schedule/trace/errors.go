package trace

import (
	"errors"

	"github.com/plimsoll/plimsoll/internal/inputerr"
)

// A *schedule.InputError of this package unwraps to one of these errors.
//
// The fields of the InputError are:
//
//	Package  "trace"
//	Field    the field of the format such as "run time", or such as "Jobs.Nodes"
//	Index    of the job or record from 0; -1 where there is a line
//	Line     of the file from 1, for a Reader and a header
//	Column   the field of the format from 1; 0 where the whole line is meant
//	Err      what is there and what would be right; unwraps to a sentinel
//
// For example:
//
//	trace: line 17, column 4 (run time): not a number: "abc": want a number, or -1 if it is not known
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

// shorten returns at most 40 bytes of b as a string.
func shorten(b []byte) string {
	if len(b) > 40 {
		return string(b[:40]) + "..."
	}
	return string(b)
}
