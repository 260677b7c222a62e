package sim

import (
	"errors"
	"github.com/plimsoll/plimsoll/schedule/internal/replay"

	"github.com/plimsoll/plimsoll/internal/inputerr"
)

// What a *schedule.InputError unwraps to, beside the errors of package pricing. Its Field is such as
// "Jobs.Run" or "Clouds.Quota", and its Index is that of the job or cloud, or -1.
var (
	// ErrOrder: the jobs are not sorted by (Submit, ID).
	ErrOrder = replay.ErrOrder
	// ErrRange: a value is outside of its range.
	ErrRange = replay.ErrRange
	// ErrTooLarge: a job needs more nodes than the cluster has, or all jobs
	// together more instances than can be simulated.
	ErrTooLarge = errors.New("more nodes than there can be")
)

func badInput(field string, index int, sentinel error, format string, args ...any) error {
	return inputerr.New("sim", field, index, sentinel, format, args...)
}
