package workload

import (
	"errors"

	"github.com/plimsoll/plimsoll/internal/inputerr"
)

// What a *schedule.InputError unwraps to. Its Field is such as
// "Batch.UHi", "Span" or "jobs", and its Index is that of the job, or -1.
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
