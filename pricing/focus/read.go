package focus

import (
	"io"

	"github.com/plimsoll/plimsoll/pricing/usage"
)

// Read reads a FOCUS export as CSV, plain or gzip, and adds its rows to c under the given name. The
// file has either cost and usage, or contract commitments. Its columns tell Read which of the two
// it has, and its version of FOCUS. The order, case and underscores of column names do not matter.
// Read skips columns that it does not know.
//
// The error is that of src, or an [*pricing.InputError] with the line, the number of the column and
// its name. An InputError unwraps to an error of [usage.Collector.Add] or to
//
//	usage.ErrForm       the file is not a FOCUS export
//	usage.ErrMissing    a column or a time that every row needs is missing
//	usage.ErrSyntax     a number, a time or a row is malformed
//	usage.ErrTruncated  the file was cut off
//
// Rows before the error are already in c, so do not use c after an error.
//
// Memory does not grow with the file.
func Read(c *usage.Collector, name string, src io.Reader) error {
	return bills.Read(c, name, src)
}
