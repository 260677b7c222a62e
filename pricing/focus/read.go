package focus

import (
	"io"

	"github.com/plimsoll/plimsoll/pricing/usage"
)

// Read reads a FOCUS export as CSV, plain or gzip, and adds its rows to c under the
// given name: cost and usage, or contract commitments. Its columns tell which, and
// which version; their order, case and underscores do not matter, and columns that
// are not known are passed over.
//
// The error is that of src, or an [*pricing.InputError] with line, column and name. It
// unwraps to one of these, or to an error of [usage.Collector.Add]:
//
//	usage.ErrForm       the file is no FOCUS export
//	usage.ErrMissing    a column or a time that every row needs is missing
//	usage.ErrSyntax     a number, a time or a row is malformed
//	usage.ErrTruncated  the file was cut off
//
// Rows before the error have been added: after an error, c is of no more use.
//
// Memory does not grow with the file.
func Read(c *usage.Collector, name string, src io.Reader) error {
	return bills.Read(c, name, src)
}
