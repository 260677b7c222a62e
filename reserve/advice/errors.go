package advice

import (
	"errors"

	"github.com/plimsoll/plimsoll/internal/inputerr"
)

// What an [InputError] unwraps to, beside the errors of packages pricing and
// reserve.
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

// An InputError says which part of a [Request] cannot be used, and why. Field is
// the field of Request, Index the element in it (-1 where there is none), Err
// what is wrong and what would be right; Err unwraps to a sentinel.
type InputError = inputerr.Error

func badInput(field string, index int, sentinel error, format string, args ...any) error {
	return inputerr.New("advice", field, index, sentinel, format, args...)
}
