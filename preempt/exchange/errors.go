package exchange

import (
	"errors"

	"github.com/plimsoll/plimsoll/internal/inputerr"
)

// A *preempt.InputError of this package unwraps to one of these errors. Its Field is such as
// "Leases.Node" or "weight".
var (
	// ErrInstance: the message is of another client of the partition, or for another.
	ErrInstance = errors.New("another client of the partition")
	// ErrRange: a value is outside of its range.
	ErrRange = errors.New("value out of range")
	// ErrTooMany: more nodes are to be taken than a partition has, or there are more
	// partitions or requests than the options allow.
	ErrTooMany = errors.New("too many")
	// ErrUnknown: there is no such partition, node, request or call.
	ErrUnknown = errors.New("not known")
)

func badInput(field string, index int, sentinel error, format string, args ...any) error {
	return inputerr.New("exchange", field, index, sentinel, format, args...)
}
