package accounting

import "errors"

// A *schedule.InputError of this package unwraps to one of these errors.
//
// The fields of the InputError are:
//
//	Field   the column or field, such as "Start" or "jobs.time.end"
//	Index   the job from 0 in JSON, where there are no lines; -1 elsewhere
//	Line    the line from 1; 0 in JSON
//	Column  the column of a table from 1; 0 where the whole line is meant
//	Err     what is wrong and what would be right; unwraps to a sentinel
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

// shorten returns at most 40 bytes of s.
func shorten[T ~string | ~[]byte](s T) string {
	if len(s) > 40 {
		return string(s[:40]) + "..."
	}
	return string(s)
}
