package marginal

import (
	"errors"

	"github.com/plimsoll/plimsoll/internal/inputerr"
)

// What an [InputError] unwraps to, and what Quotes returns for prices that do not fit.
var (
	// ErrRange: a value is outside its range.
	ErrRange = errors.New("value out of range")
	// ErrOverflow: the amounts do not fit in 64 bits of a billionth of the currency.
	ErrOverflow = errors.New("amounts too large for 64 bits of a billionth of the currency")
)

// An InputError says which kind, count or option cannot be used, and why.
type InputError = inputerr.Error

func badInput(field string, index int, format string, args ...any) error {
	return inputerr.New("reserve/marginal", field, index, ErrRange, format, args...)
}
