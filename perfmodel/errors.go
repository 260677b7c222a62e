package perfmodel

import (
	"errors"
	"fmt"

	"github.com/plimsoll/plimsoll/internal/inputerr"
	"github.com/plimsoll/plimsoll/perfmodel/lsq"
)

// A *pricing.InputError of a fit unwraps to one of these errors, as in package perfmodel/lsq. Its
// Field is such as "Profile.Features" or "seconds". An error about a table has a Line; the titles
// are line 1.
var (
	// ErrNotFinite: a number is NaN or infinite.
	ErrNotFinite = lsq.ErrNotFinite
	// ErrFewRows: there are fewer rows than coefficients.
	ErrFewRows = lsq.ErrFewRows
	// ErrDependent: a column is a combination of other columns. The error also unwraps
	// to a *[lsq.DependenceError], which names the columns.
	ErrDependent = lsq.ErrDependent
	// ErrOverflow: a result does not fit in a float64.
	ErrOverflow = lsq.ErrOverflow
)

// What a *pricing.InputError of profiles and models unwraps to.
var (
	// ErrSyntax: a file is not the table that it should be.
	ErrSyntax = errors.New("not a table of the form expected")
	// ErrMissing: something that is needed is not there.
	ErrMissing = errors.New("missing")
	// ErrRange: a value is outside its range.
	ErrRange = errors.New("value out of range")
	// ErrNotPositive: a time or a feature whose logarithm is needed is not above 0.
	ErrNotPositive = errors.New("number is not positive")
	// ErrUnknown: no benchmark or case has the name.
	ErrUnknown = errors.New("unknown name")
	// ErrNotFitted: a prediction of a model that is not fitted.
	ErrNotFitted = errors.New("model is not fitted")
)

func badInput(field string, index int, sentinel error, format string, args ...any) error {
	return inputerr.New("perfmodel", field, index, sentinel, format, args...)
}

// badLine is badInput for a column of a line of a table.
func badLine(column string, line int, sentinel error, format string, args ...any) error {
	return inputerr.At("perfmodel", line, 0, column, sentinel, format, args...)
}

// named returns the error err as one about profile p, which has the given index.
func named(field string, index int, err error, p *Profile) error {
	var in *inputerr.Error
	if errors.As(err, &in) && error(in) == err {
		inner := *in
		inner.Package = "" // the package is said once
		err = &inner
	}
	return &inputerr.Error{Package: "perfmodel", Field: field, Index: index, Err: fmt.Errorf("application %q: %w", p.Application, err)}
}

// ofFit returns an error of the least squares as one of this package.
func ofFit(err error) error {
	var in *inputerr.Error
	if errors.As(err, &in) {
		out := *in
		out.Package = "perfmodel"
		return &out
	}
	return err
}
