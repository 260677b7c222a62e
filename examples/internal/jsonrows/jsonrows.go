// Package jsonrows writes results for machines: a JSON array of flat objects,
// one a line.
package jsonrows

import (
	"encoding/json"
	"io"
)

// Write writes the rows to w in one call: an array with one object, that is one row,
// a line.
func Write[T any](w io.Writer, rows []T) error {
	out := []byte("[")
	for i, r := range rows {
		b, err := json.Marshal(r)
		if err != nil {
			return err
		}
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(out, "\n  "...), b...)
	}
	if len(rows) > 0 {
		out = append(out, '\n')
	}
	_, err := w.Write(append(out, "]\n"...))
	return err
}
