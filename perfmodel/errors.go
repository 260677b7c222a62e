package perfmodel

import (
	"errors"
	"fmt"

	"github.com/plimsoll/plimsoll/perfmodel/lsq"
)

// What an [InputError] of a fit unwraps to, as in package perfmodel/lsq.
var (
	// ErrNotFinite: a number is NaN or infinite.
	ErrNotFinite = lsq.ErrNotFinite
	// ErrFewRows: there are fewer rows than coefficients to be found.
	ErrFewRows = lsq.ErrFewRows
	// ErrDependent: a column is a combination of others. The error also unwraps to a
	// *[lsq.DependenceError], which says of which.
	ErrDependent = lsq.ErrDependent
	// ErrNotEstimable: a prediction is asked for where it depends on a column that
	// was dropped.
	ErrNotEstimable = lsq.ErrNotEstimable
	// ErrOverflow: a result does not fit in a float64.
	ErrOverflow = lsq.ErrOverflow
)

// What an [InputError] of profiles, models and sizing unwraps to.
var (
	// ErrSyntax: a file is not the table that it should be.
	ErrSyntax = errors.New("not a table of the form expected")
	// ErrMissing: something that is needed is not there.
	ErrMissing = errors.New("missing")
	// ErrRange: a value is outside of what it may be.
	ErrRange = errors.New("value out of range")
	// ErrNotPositive: a time or a feature whose logarithm is taken is not above 0.
	ErrNotPositive = errors.New("number is not positive")
	// ErrUnknown: no benchmark, case or instance has the name.
	ErrUnknown = errors.New("unknown name")
	// ErrNotFitted: a model is asked for a prediction before it was fitted.
	ErrNotFitted = errors.New("model is not fitted")
)

// An InputError says which part of an input cannot be worked with, and why.
type InputError struct {
	Field string // such as "y" or "Profile.Features"
	Index int    // within the field, -1 where there is none
	Err   error  // what is wrong and what would be right; unwraps to a sentinel
}

// Error returns one sentence.
func (e *InputError) Error() string {
	if e.Index < 0 {
		return fmt.Sprintf("perfmodel: %s: %v", e.Field, e.Err)
	}
	return fmt.Sprintf("perfmodel: %s[%d]: %v", e.Field, e.Index, e.Err)
}

// Unwrap returns the cause.
func (e *InputError) Unwrap() error { return e.Err }

func badInput(field string, index int, sentinel error, format string, args ...any) error {
	return &InputError{field, index, fmt.Errorf("%w: "+format, append([]any{sentinel}, args...)...)}
}

// named returns the error err about profile p, the one with the given index.
func named(field string, index int, err error, p *Profile) error {
	return badInput(field, index, err, "application %q", p.Application)
}

// ofFit returns an error of the least squares as one of this package.
func ofFit(err error) error {
	var in *lsq.InputError
	if errors.As(err, &in) {
		return &InputError{in.Field, in.Index, in.Err}
	}
	return err
}
