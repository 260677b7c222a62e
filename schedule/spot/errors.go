package spot

import (
	"errors"

	"github.com/plimsoll/plimsoll/internal/inputerr"
)

// What a *schedule.InputError unwraps to, beside the errors of package pricing. Its Field is such as
// "Task.Deadline", "Market.Reclaim" or "PriceChain.Prices[]", and its Index is that of the level or
// probability, or -1.
var (
	// ErrRange: a value is outside of its range.
	ErrRange = errors.New("value out of range")
	// ErrPast: a deadline has passed already.
	ErrPast = errors.New("deadline in the past")
)

func badInput(field string, index int, sentinel error, format string, args ...any) error {
	return inputerr.New("spot", field, index, sentinel, format, args...)
}
