package spot

import (
	"errors"

	"github.com/plimsoll/plimsoll/internal/inputerr"
)

// What a *schedule.InputError unwraps to, beside the errors of package pricing.
//
// The errors themselves are a *schedule.InputError:
//
//	Package       "spot"
//	Field         such as "Task.Deadline", "Market.Reclaim" or "PriceChain.Prices[]"
//	Index         of the level or probability; -1 where there is none
//	Line, Column  0
//	Err           what is there and what would be right; unwraps to a sentinel
var (
	// ErrRange: a value is outside of its range.
	ErrRange = errors.New("value out of range")
	// ErrPast: a deadline has passed already.
	ErrPast = errors.New("deadline in the past")
)

func badInput(field string, index int, sentinel error, format string, args ...any) error {
	return inputerr.New("spot", field, index, sentinel, format, args...)
}
