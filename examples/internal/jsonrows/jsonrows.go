// Package jsonrows writes results for machines: a JSON array of flat objects,
// one a line.
package jsonrows

import (
	"encoding/json"
	"io"
	"reflect"

	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/pricing"
)

// Write writes the elements of a slice to w in one call: an array with one object a line.
// What is no slice is written as one object over several lines.
func Write(w io.Writer, rows any) error {
	out := []byte("[")
	list := reflect.ValueOf(rows)
	if list.Kind() != reflect.Slice {
		b, err := json.MarshalIndent(rows, "", "  ")
		if err != nil {
			return err
		}
		_, err = w.Write(append(b, '\n'))
		return err
	}
	for i := range list.Len() {
		b, err := json.Marshal(list.Index(i).Interface())
		if err != nil {
			return err
		}
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(out, "\n  "...), b...)
	}
	if list.Len() > 0 {
		out = append(out, '\n')
	}
	_, err := w.Write(append(out, "]\n"...))
	return err
}

// A Row is an object for machines: its keys and values in turn. Money is written as text, so that
// a reader whose numbers are floats loses no nano.
type Row []any

// MarshalJSON writes the keys in their order.
func (r Row) MarshalJSON() ([]byte, error) {
	out := []byte("{")
	for i, x := range r {
		if m, ok := x.(pricing.Money); ok {
			x = m.String()
		}
		b, err := json.Marshal(x)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			out = append(out, ",:"[i%2])
		}
		out = append(out, b...)
	}
	return append(out, '}'), nil
}

// Number returns x rounded to a number of decimals, or null if x is not finite.
func Number(x float64, decimals int) any {
	if x-x != 0 {
		return nil
	}
	return decimal.Number(x, decimals)
}
