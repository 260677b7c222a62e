package placement

import (
	"errors"

	"github.com/plimsoll/plimsoll/internal/inputerr"
)

// The sentinels that errors of this package unwrap to, beside pricing.ErrOverflow. Compare
// with [errors.Is]. The Field of a *pricing.InputError is the path to the part of a [Cloud]
// that cannot be used, such as "Hourly" or "Reserved.Rate". Index is the element of the first
// part of Field, and -1 where there is none.
var (
	// ErrRange: a number has no meaning where it stands.
	ErrRange = errors.New("value out of range")
	// ErrUnknown: no policy has the name.
	ErrUnknown = errors.New("unknown name")
)

func badInput(field string, index int, sentinel error, format string, args ...any) error {
	return inputerr.New("placement", field, index, sentinel, format, args...)
}
