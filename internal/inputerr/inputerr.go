// Package inputerr has the error that every package of the library returns for
// input it cannot use. Each package exports the type under its own name,
//
//	type InputError = inputerr.Error
//
// so that a program that uses several packages reads all their errors alike.
package inputerr

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// An Error says which part of an input cannot be used, and why. Its text is one line: the package,
// the place in the input, the text of the sentinel, the value that is there, and the value that
// would be right. Examples:
//
//	reserve: Classes[1].Term: term and slot do not fit: 90m0s: want a whole number of hours
//	trace: line 17, column 4 (run time): malformed number: "abc": want seconds
type Error struct {
	// Package is the name of the package that found the error.
	Package string
	// Field is the input or the path to it, such as "Demand" or "Classes.Term".
	Field string
	// Index is the element within Field, from 0; -1 where there is none. It belongs
	// to the part of Field that ends in "[]", otherwise to the first part:
	// "Classes.Term" prints as Classes[1].Term, "Prices.Classes[].Term" as
	// Prices.Classes[1].Term.
	Index int
	// Line and Column, both from 1, are the place in a text; 0 where there is none.
	Line, Column int
	// Err says what is there and what would be right. It unwraps to a sentinel.
	Err error
}

// New returns an *Error about an element of a field, or about the whole field
// when index is -1. Its Err prints as the sentinel's text, a colon and the
// formatted detail. It unwraps to the sentinel and to the errors that %w formats.
// A detail has the form "what is there: want what would be right".
func New(pkg, field string, index int, sentinel error, format string, args ...any) error {
	return &Error{Package: pkg, Field: field, Index: index, Err: because(sentinel, fmt.Errorf(format, args...))}
}

// At returns an *Error about a place in a text, as New does about a field. A
// line, a column or a field that is not known is 0 or "".
func At(pkg string, line, column int, field string, sentinel error, format string, args ...any) error {
	return &Error{Package: pkg, Field: field, Index: -1, Line: line, Column: column, Err: because(sentinel, fmt.Errorf(format, args...))}
}

// most is how many bytes of a text of others an error shows.
const most = 40

// Cut returns a text of others for an error: whole, or its first 40 bytes and three dots.
func Cut[T ~string | ~[]byte](s T) string {
	if len(s) > most {
		return string(s[:most]) + "..."
	}
	return string(s)
}

// Quote is Cut in quotes, with the dots behind them.
func Quote[T ~string | ~[]byte](s T) string {
	if len(s) > most {
		return strconv.Quote(string(s[:most])) + "..."
	}
	return strconv.Quote(string(s))
}

// Error returns one line.
func (e *Error) Error() string {
	var b strings.Builder
	colon := func() {
		if b.Len() > 0 {
			b.WriteString(": ")
		}
	}
	b.WriteString(e.Package)
	switch place, name := e.place(), e.name(); {
	case place == "" && name == "":
	case place == "":
		colon()
		b.WriteString(name)
	default:
		colon()
		b.WriteString(place)
		if name != "" {
			b.WriteString(" (" + name + ")")
		}
	}
	if e.Err != nil {
		colon()
		b.WriteString(e.Err.Error())
	}
	return b.String()
}

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// place returns "line 17, column 4", or as much of it as is known.
func (e *Error) place() string {
	var s string
	if e.Line > 0 {
		s = "line " + strconv.Itoa(e.Line)
	}
	if e.Column > 0 {
		if s != "" {
			s += ", "
		}
		s += "column " + strconv.Itoa(e.Column)
	}
	return s
}

// name returns Field with Index where it belongs.
func (e *Error) name() string {
	if e.Index < 0 {
		return strings.Replace(e.Field, "[]", "", 1)
	}
	index := "[" + strconv.Itoa(e.Index) + "]"
	if strings.Contains(e.Field, "[]") {
		return strings.Replace(e.Field, "[]", index, 1)
	}
	head, tail, dotted := strings.Cut(e.Field, ".")
	if dotted {
		return head + index + "." + tail
	}
	return head + index
}

// A reason is a sentinel with what it is about.
type reason struct{ sentinel, detail error }

func because(sentinel, detail error) error {
	switch {
	case sentinel == nil:
		return detail
	case detail.Error() == "":
		return sentinel
	}
	return &reason{sentinel, detail}
}

func (r *reason) Error() string { return r.sentinel.Error() + ": " + r.detail.Error() }

// Unwrap returns the sentinel. Is and As look into the detail, too: so errors.Is and
// errors.As find what %w has formatted, and errors.Unwrap still finds the sentinel.
func (r *reason) Unwrap() error        { return r.sentinel }
func (r *reason) Is(target error) bool { return errors.Is(r.detail, target) }
func (r *reason) As(target any) bool   { return errors.As(r.detail, target) }
