package rules

import "github.com/plimsoll/plimsoll/internal/inputerr"

// An InputError says which part of an input cannot be planned for, and why. Its Package is
// "rules", and it unwraps to a sentinel of package reserve. Errors of problems themselves are
// those of package reserve.
type InputError = inputerr.Error

func badInput(field string, index int, sentinel error, format string, args ...any) error {
	return inputerr.New("rules", field, index, sentinel, format, args...)
}
