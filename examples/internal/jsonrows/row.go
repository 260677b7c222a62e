package jsonrows

import (
	"encoding/json"

	"github.com/plimsoll/plimsoll/examples/internal/decimal"
)

// A Row is an object for machines: its keys and values in turn.
type Row []any

// MarshalJSON writes the keys in their order.
func (r Row) MarshalJSON() ([]byte, error) {
	out := []byte("{")
	for i, x := range r {
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
