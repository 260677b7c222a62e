package marginal

import (
	"errors"

	"github.com/plimsoll/plimsoll/internal/inputerr"
)

// What a *reserve.InputError unwraps to, and what Quotes returns for prices that do not fit.
var (
	// ErrRange: a value is outside its range.
	ErrRange = errors.New("value out of range")
	// ErrOverflow: the amounts do not fit in 64 bits of a billionth of the currency.
	ErrOverflow = errors.New("amounts too large for 64 bits of a billionth of the currency")
)

func badInput(field string, index int, format string, args ...any) error {
	return inputerr.New("reserve/marginal", field, index, ErrRange, format, args...)
}
