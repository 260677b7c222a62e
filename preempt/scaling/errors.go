package scaling

import (
	"errors"

	"github.com/plimsoll/plimsoll/internal/inputerr"
)

// ErrRange: a value is outside its range. A *preempt.InputError whose Field is such as
// "Queue.Nodes" or "Options.Most" unwraps to it.
var ErrRange = errors.New("value out of range")

func badInput(field string, index int, format string, args ...any) error {
	return inputerr.New("scaling", field, index, ErrRange, format, args...)
}
