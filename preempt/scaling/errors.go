package scaling

import (
	"errors"

	"github.com/plimsoll/plimsoll/internal/inputerr"
)

// ErrRange: a value is outside its range. A *preempt.InputError unwraps to it.
//
// The fields of the InputError are:
//
//	Package  "scaling"
//	Field    such as "Queue.Nodes" or "Options.Most"
//	Index    the element within Field, from 0; -1 where there is none
//	Line     0
//	Column   0
//	Err      what is there and what would be right; unwraps to ErrRange
var ErrRange = errors.New("value out of range")

func badInput(field string, index int, format string, args ...any) error {
	return inputerr.New("scaling", field, index, ErrRange, format, args...)
}
