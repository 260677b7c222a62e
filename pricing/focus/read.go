package focus

import (
	"io"
	"strconv"

	"github.com/plimsoll/plimsoll/pricing/internal/billtable"
	"github.com/plimsoll/plimsoll/pricing/usage"
)

// Read reads a FOCUS export as CSV, plain or gzip, and adds its rows to c under the
// given name: cost and usage, or contract commitments. Its columns tell which, and
// which version; their order, case and underscores do not matter, and columns that
// are not known are passed over.
//
// The error is that of src, or an [*usage.InputError] with line, column and name:
// [usage.ErrForm] for a file that is no FOCUS export, [usage.ErrMissing] for a column
// or a time that every row needs, [usage.ErrSyntax] for a number, a time or a row
// that is malformed, [usage.ErrTruncated] for a file that was cut off, and those of
// [usage.Collector.Add]. Rows before the error have been added: after an error, c is
// of no more use.
//
// Memory does not grow with the file.
func Read(c *usage.Collector, name string, src io.Reader) error {
	r, header, err := billtable.Open("focus", "a FOCUS export", src)
	if err != nil {
		return err
	}
	d, err := NewDecoder(c, name, "csv", header)
	if err != nil {
		return err
	}
	for r.Next() {
		if err := d.decode(r.Line(), r, r.Row()); err != nil {
			return err
		}
	}
	return billtable.Error("focus", r.Err())
}

// quote quotes a field for an error, and cuts a long one.
func quote(b []byte) string {
	const longest = 40
	if len(b) > longest {
		return strconv.Quote(string(b[:longest])) + "..."
	}
	return strconv.Quote(string(b))
}
