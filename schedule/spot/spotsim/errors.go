package spotsim

import "github.com/plimsoll/plimsoll/internal/inputerr"

func badInput(field string, index int, sentinel error, format string, args ...any) error {
	return inputerr.New("spotsim", field, index, sentinel, format, args...)
}
