package offers

import "errors"

// A *pricing.InputError of this package unwraps to one of these errors, or to an error of package
// pricing. Its Field is a column or field. Index is the place in a list of JSON, from 0; Line and
// Column are the place in a table, from 1.
var (
	// ErrForm: the text is in none of the forms that this package reads.
	ErrForm = errors.New("unknown form of prices")
	// ErrSyntax: a line or a value is not what its form says.
	ErrSyntax = errors.New("malformed text")
	// ErrMissing: a column or a field that every price needs is not there.
	ErrMissing = errors.New("missing")
	// ErrRange: a value is outside of what it may be.
	ErrRange = errors.New("value out of range")
	// ErrDuplicate: two prices for one thing differ.
	ErrDuplicate = errors.New("two prices for one thing")
)
