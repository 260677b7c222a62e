package sizing

import (
	"github.com/plimsoll/plimsoll/internal/inputerr"
	"github.com/plimsoll/plimsoll/perfmodel"
)

// What a *pricing.InputError of this package unwraps to: errors of package perfmodel.
//
// The errors themselves are a *pricing.InputError:
//
//	Package  "sizing"; "perfmodel" for what the estimator refuses
//	Field    such as "Target.Deadline" or "InstanceType.Meter"
//	Index    the element within Field, from 0; -1 where there is none
//	Line     0
//	Column   0
//	Err      what is there and what would be right; unwraps to a sentinel
var (
	// ErrMissing: something that is needed is not there.
	ErrMissing = perfmodel.ErrMissing
	// ErrRange: a value is outside its range.
	ErrRange = perfmodel.ErrRange
	// ErrNotPositive: a number that must be above 0 is not.
	ErrNotPositive = perfmodel.ErrNotPositive
	// ErrUnknown: no instance type or verdict has the name.
	ErrUnknown = perfmodel.ErrUnknown
	// ErrFewRows: intervals have no end, because the profile has no more runs than the
	// model has coefficients.
	ErrFewRows = perfmodel.ErrFewRows
	// ErrOverflow: a predicted time is beyond 200 years.
	ErrOverflow = perfmodel.ErrOverflow
)

func badInput(field string, index int, sentinel error, format string, args ...any) error {
	return inputerr.New("sizing", field, index, sentinel, format, args...)
}
