package sim

import (
	"errors"
	"fmt"
	"strings"
)

// What an [InputError] unwraps to.
var (
	// ErrOrder: the jobs are not sorted by (Submit, ID).
	ErrOrder = errors.New("jobs out of order")
	// ErrRange: a value is outside of what it may be.
	ErrRange = errors.New("value out of range")
	// ErrTooLarge: a job needs more nodes than the cluster has, or all jobs
	// together more instances than can be simulated.
	ErrTooLarge = errors.New("more nodes than there can be")
)

// An InputError says which input a simulation cannot take, and why.
type InputError struct {
	Field string // of trace.Job, of a Task, such as Task.Deadline, or of a configuration, such as Clouds[1].Quota
	Index int    // of the job or task, -1 for a field of a configuration
	Err   error  // what is wrong and what would be right; unwraps to a sentinel
}

// Error returns one sentence.
func (e *InputError) Error() string {
	if e.Index < 0 {
		return fmt.Sprintf("sim: %s: %v", e.Field, e.Err)
	}
	what := "job"
	if strings.HasPrefix(e.Field, "Task.") {
		what = "task"
	}
	return fmt.Sprintf("sim: %s at index %d, %s: %v", what, e.Index, e.Field, e.Err)
}

// Unwrap returns the cause.
func (e *InputError) Unwrap() error { return e.Err }

func badInput(field string, index int, sentinel error, format string, args ...any) error {
	return &InputError{field, index, fmt.Errorf("%w: "+format, append([]any{sentinel}, args...)...)}
}
