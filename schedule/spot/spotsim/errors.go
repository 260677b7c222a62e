package spotsim

import (
	"fmt"

	"github.com/plimsoll/plimsoll/schedule/spot"
)

// An InputError says which task, or which of the [Options], a simulation cannot
// take, and why. It unwraps to [spot.ErrRange], to [spot.ErrPast], or to an error
// of package pricing.
type InputError = spot.InputError

func badInput(field string, index int, sentinel error, format string, args ...any) error {
	return &InputError{Field: field, Index: index, Err: fmt.Errorf("%w: "+format, append([]any{sentinel}, args...)...)}
}
