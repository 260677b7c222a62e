package spotsim

import "github.com/plimsoll/plimsoll/internal/inputerr"

// An InputError says which task, or which of the [Options], a simulation cannot
// take, and why:
//
//	Package       "spotsim"
//	Field         such as "Tasks.Deadline" or "Options.Window"
//	Index         of the task; -1 where there is none
//	Line, Column  0
//	Err           what is there and what would be right; unwraps to spot.ErrRange,
//	              spot.ErrPast or an error of package pricing
type InputError = inputerr.Error

func badInput(field string, index int, sentinel error, format string, args ...any) error {
	return inputerr.New("spotsim", field, index, sentinel, format, args...)
}
