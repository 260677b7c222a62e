package elastic

import (
	"errors"
	"github.com/plimsoll/plimsoll/schedule/internal/replay"

	"github.com/plimsoll/plimsoll/internal/inputerr"
)

// What a *schedule.InputError unwraps to, beside the errors of package pricing. Its Field is such as
// "Budget.Hourly", "Clouds.Price", "Jobs.Nodes" or "AQTP.Response", and its Index is that of the
// job or cloud, or -1.
var (
	// ErrOrder: the jobs are not sorted by (Submit, ID).
	ErrOrder = replay.ErrOrder
	// ErrRange: a value is outside of its range.
	ErrRange = replay.ErrRange
	// ErrTooLarge: a job needs more instances than any infrastructure can have.
	ErrTooLarge = errors.New("more instances than there can be")
	// ErrUnbounded: a free cloud has no limit, so that nothing bounds the number
	// of launches there.
	ErrUnbounded = errors.New("neither a price nor a limit")
)

func badInput(field string, index int, sentinel error, format string, args ...any) error {
	return inputerr.New("elastic", field, index, sentinel, format, args...)
}
