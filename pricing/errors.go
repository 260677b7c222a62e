package pricing

import (
	"errors"
	"fmt"
	"strings"
)

// The sentinels that errors of this package unwrap to. Compare with errors.Is.
var (
	// ErrOverflow: an amount does not fit in Money, or a count in int64.
	ErrOverflow = errors.New("out of the range of an exact result")
	// ErrSyntax: text that is not in the form that was asked for.
	ErrSyntax = errors.New("malformed text")
	// ErrPrecision: an amount with digits below a nano of the currency unit.
	ErrPrecision = errors.New("finer than a nano of the currency unit")
	// ErrRange: a number that is well formed but outside what has a meaning here.
	ErrRange = errors.New("outside its range")
	// ErrDuplicate: a name or a field that occurs twice.
	ErrDuplicate = errors.New("occurs twice")
	// ErrUnknown: a field or a name that has no meaning here.
	ErrUnknown = errors.New("unknown")
	// ErrMissing: a field that has to be there and is not.
	ErrMissing = errors.New("missing")
)

// InputError says what is wrong with a piece of input, and where.
type InputError struct {
	Field string // the input or the path to it, such as "demand" or "classes.upfront"
	Index int    // which element of the first part of Field; -1 where there is none
	Err   error  // what is wrong; unwraps to a sentinel of this package
}

// Error puts the index where it belongs: "classes[1].upfront".
func (e *InputError) Error() string {
	if e.Index < 0 {
		return fmt.Sprintf("pricing: %s: %v", e.Field, e.Err)
	}
	head, tail, dotted := strings.Cut(e.Field, ".")
	if dotted {
		tail = "." + tail
	}
	return fmt.Sprintf("pricing: %s[%d]%s: %v", head, e.Index, tail, e.Err)
}

// Unwrap returns Err.
func (e *InputError) Unwrap() error { return e.Err }

// detail is a sentence that unwraps to a sentinel without repeating its text.
type detail struct {
	text     string
	sentinel error
}

func (d *detail) Error() string { return d.text }
func (d *detail) Unwrap() error { return d.sentinel }

// because returns an error that reads as the formatted sentence and unwraps to
// the sentinel.
func because(sentinel error, format string, args ...any) error {
	return &detail{text: fmt.Sprintf(format, args...), sentinel: sentinel}
}

// badInput returns an *InputError about element index of field, or about field
// as a whole when index is negative.
func badInput(field string, index int, sentinel error, format string, args ...any) error {
	return &InputError{Field: field, Index: index, Err: because(sentinel, format, args...)}
}
