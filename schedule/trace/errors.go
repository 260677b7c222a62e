package trace

import (
	"errors"
	"fmt"
)

// What an [InputError] unwraps to.
var (
	ErrNumber   = errors.New("is not a number")
	ErrWhole    = errors.New("is not a whole number")
	ErrRange    = errors.New("is out of range")
	ErrFields   = errors.New("has too few fields, needs 5 or more")
	ErrTooLong  = errors.New("too long")
	ErrEncoding = errors.New("not a plain text of lines (UTF-8, ended by line feeds)")
)

// An InputError says what is wrong with a log, with a record or with a job,
// and where. For a [Reader], Index is the number of the line from 1, and
// Column the field of the format from 1, or 0 where the whole line is meant;
// for a [Writer] and for [Convert], Index is the number of the record from 1;
// for functions of jobs it is the job's index from 0.
type InputError struct {
	Field  string // what is wrong: "run time", "line", "header", ...
	Index  int    // where
	Column int    // SWF field from 1, or 0
	Err    error  // unwraps to one of the package's sentinels

	unit string // "line", "record", "job"
	text string // the offending text, shortened, where there is one
}

// Error is one sentence such as
//
//	line 17, field 4 (run time): "abc" is not a number
func (e *InputError) Error() string {
	unit := e.unit
	if unit == "" {
		unit = "record"
	}
	switch {
	case e.Column > 0:
		return fmt.Sprintf("%s %d, field %d (%s): %q %v", unit, e.Index, e.Column, e.Field, e.text, e.Err)
	case e.text != "":
		return fmt.Sprintf("%s %d, %s: %q %v", unit, e.Index, e.Field, e.text, e.Err)
	}
	return fmt.Sprintf("%s %d, %s: %v", unit, e.Index, e.Field, e.Err)
}

// Unwrap returns e.Err.
func (e *InputError) Unwrap() error { return e.Err }

// shorten returns at most 40 bytes of b as a string.
func shorten(b []byte) string {
	if len(b) > 40 {
		return string(b[:40]) + "..."
	}
	return string(b)
}
