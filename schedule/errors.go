package schedule

import (
	"errors"

	"github.com/plimsoll/plimsoll/internal/inputerr"
)

// ErrRange: a value is outside of its range. An [InputError] unwraps to it.
var ErrRange = errors.New("value out of range")

// An InputError says which part of an input cannot be used, and why. In this package, Field is a
// field of an [Autoscaler], such as "Autoscaler.Most", or an enumeration. Index is the element
// within Field, or -1 where there is none. An error about a file has a Line and may have a Column,
// both from 1. Err says what is there and what would be right, and unwraps to a sentinel.
type InputError = inputerr.Error

func badInput(field, format string, args ...any) error {
	return inputerr.New("schedule", field, -1, ErrRange, format, args...)
}
