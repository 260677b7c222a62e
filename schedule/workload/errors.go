package workload

import (
	"errors"

	"github.com/plimsoll/plimsoll/internal/inputerr"
)

// What a *schedule.InputError unwraps to.
//
// The errors themselves are a *schedule.InputError:
//
//	Package       "workload"
//	Field         such as "Batch.UHi", "Span" or "jobs"
//	Index         of the job; -1 where there is none
//	Line, Column  0
//	Err           what is there and what would be right; unwraps to a sentinel
var (
	// ErrRange: a number is outside the range that its meaning allows.
	ErrRange = errors.New("value out of range")

	// ErrRejected: a distribution that is drawn again above a limit has next to no
	// mass below that limit, so that drawing would not end.
	ErrRejected = errors.New("next to no mass below the limit above which it is drawn again")

	// ErrClock: a submission lies so late that a time.Duration cannot hold the
	// submission together with the run time, 292 years after the start.
	ErrClock = errors.New("beyond the 292 years that the clock can hold")
)

func badInput(field string, index int, sentinel error, format string, args ...any) error {
	return inputerr.New("workload", field, index, sentinel, format, args...)
}
