package advice

import (
	"errors"

	"github.com/plimsoll/plimsoll/internal/inputerr"
)

// What a *reserve.InputError unwraps to, beside the errors of packages pricing and
// reserve.
//
// The errors themselves are a *reserve.InputError:
//

var (
	// ErrMissing: something that is needed is not there.
	ErrMissing = errors.New("missing")
	// ErrRange: a value is outside of what it may be.
	ErrRange = errors.New("value out of range")
	// ErrUnknown: a contract names a class that is not among the offers.
	ErrUnknown = errors.New("unknown class")
	// ErrDuplicate: two offers have one name.
	ErrDuplicate = errors.New("duplicate name")
	// ErrExpired: a contract has expired before the order is placed.
	ErrExpired = errors.New("contract has expired")
)

func badInput(field string, index int, sentinel error, format string, args ...any) error {
	return inputerr.New("advice", field, index, sentinel, format, args...)
}
