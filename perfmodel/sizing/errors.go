package sizing

import "github.com/plimsoll/plimsoll/internal/inputerr"

// badInput is an error of an input; the sentinels are those of package perfmodel.
func badInput(field string, index int, sentinel error, format string, args ...any) error {
	return inputerr.New("sizing", field, index, sentinel, format, args...)
}
