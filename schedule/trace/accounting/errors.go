package accounting

import "errors"

// A *schedule.InputError of this package unwraps to one of these errors. Its Field is a column or
// field, such as "Start" or "jobs.time.end". In JSON, Index is the job from 0 and there is no Line.
// Column is the column of a table from 1, or 0 where the whole line is meant.
var (
	// ErrFormat: the text is in none of the forms that this package reads.
	ErrFormat = errors.New("unknown form of accounting")
	// ErrSyntax: a line or a value is not what its form says.
	ErrSyntax = errors.New("malformed text")
	// ErrRange: a number is outside of what it may be.
	ErrRange = errors.New("value out of range")
	// ErrMissing: a column or a field that every job needs is not there.
	ErrMissing = errors.New("missing")
	// ErrTooLong: a line or a value of JSON is longer than this package reads.
	ErrTooLong = errors.New("too long")
	// ErrTruncated: the input ends in the middle of a job or of a gzip stream.
	ErrTruncated = errors.New("the input ends too early")
)
