package schedule

import (
	"errors"

	"github.com/plimsoll/plimsoll/internal/inputerr"
)

// ErrRange: a value is outside of its range. An [InputError] unwraps to it.
var ErrRange = errors.New("value out of range")

// An InputError says which field of an [Autoscaler] or which text of an enumeration
// cannot be used, and why:
//
//	Package       "schedule"
//	Field         such as "Autoscaler.Most"
//	Index         -1
//	Line, Column  0
//	Err           the value and what would be right; unwraps to ErrRange
type InputError = inputerr.Error

func badInput(field, format string, args ...any) error {
	return inputerr.New("schedule", field, -1, ErrRange, format, args...)
}
