package exchange

import (
	"errors"

	"github.com/plimsoll/plimsoll/internal/inputerr"
)

// A *preempt.InputError of this package unwraps to one of these errors.
//
// The fields of the InputError are:
//
//	Package  "exchange"
//	Field    such as "Leases.Node" or "weight"
//	Index    the element within Field, from 0; -1 where there is none
//	Line     0
//	Column   0
//	Err      what is there and what would be right; unwraps to a sentinel
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
