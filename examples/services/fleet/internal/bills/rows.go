package bills

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/bits"
	"time"

	"github.com/plimsoll/plimsoll/pricing/usage"
)

// Rows that are the same.
//
// One bill may be there as CSV and as Parquet, and another as two exports that overlap. Two rows
// are the same if each column says the same: 0.0500 and 0.05, 2025-11-01 and
// 2025-11-01T00:00:00Z, NULL and nothing, {"a": 1} and {"a":"1"}. The order of the columns and of the
// rows does not matter. Columns count that the planner does not read, too: two machines may have the
// same use in the same hour, and differ in their names alone.

// mostRows is how many hashes of rows are kept of an account in a file, the smallest: the
// same rows of another file are among its smallest, too.
const mostRows = 1 << 17

// hash returns the hash of what a row says.
func (r *reader) hash(row [][]byte) (sum uint64) {
	for i, b := range row {
		if b = r.plain(b); len(b) > 0 {
			sum += hash(r.names[i], b)
		}
	}
	return sum
}

// plain returns the one form of what a field says, nothing for no value. It is valid until the next
// call.
func (r *reader) plain(b []byte) []byte {
	if len(b) == 0 || len(b) == 4 && bytes.EqualFold(b, []byte("null")) {
		return nil
	}
	switch c := b[0]; {
	case c == '{' || c == '[':
		return r.object(b)
	case c|0x20 == 't' || c|0x20 == 'f':
		if bytes.EqualFold(b, []byte("true")) || bytes.EqualFold(b, []byte("false")) {
			r.text = append(r.text[:0], c|0x20)
			return r.text
		}
		return b
	case c >= '0' && c <= '9' || c == '-' || c == '+' || c == '.':
	default:
		return b
	}
	if len(b) >= 10 && b[4] == '-' && b[7] == '-' {
		if t, err := usage.ParseTime(b); err == nil {
			r.text = t.UTC().AppendFormat(r.text[:0], time.RFC3339Nano)
			return r.text
		}
		return b
	}
	if shortest(b) {
		return b
	}
	if a, _, err := usage.Parse(b); err == nil {
		r.text, _ = a.AppendText(r.text[:0])
		return r.text
	}
	return b
}

// shortest reports whether a text is the shortest decimal of its number, and certainly does so for
// most that are: digits, perhaps with a point among them, and no 0 at an end that may be left out.
func shortest(b []byte) bool {
	point := -1
	for i, c := range b {
		switch {
		case c >= '0' && c <= '9':
		case c == '.' && point < 0:
			point = i
		default:
			return false
		}
	}
	if len(b) > 18 || b[0] == '0' && len(b) > 1 && point != 1 {
		return false
	}
	last := b[len(b)-1]
	return point < 0 || point > 0 && last != '0' && last != '.'
}

// mostObjects is how many objects of JSON a reader remembers: tags are the same in many rows.
const mostObjects = 1 << 12

// object returns an object or a list of JSON with its names in order and its values as texts.
func (r *reader) object(b []byte) []byte {
	if text, ok := r.objects[string(b)]; ok {
		return text
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var v any
	text := bytes.Clone(b)
	if d.Decode(&v) == nil && d.InputOffset() == int64(len(b)) {
		if s, err := json.Marshal(texts(v)); err == nil {
			text = s
		}
	}
	if len(r.objects) >= mostObjects || r.objects == nil {
		r.objects = map[string][]byte{}
	}
	r.objects[string(b)] = text
	return text
}

// texts returns a value of JSON with its numbers, truths and nothings as texts.
func texts(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k := range v {
			v[k] = texts(v[k])
		}
		return v
	case []any:
		for i := range v {
			v[i] = texts(v[i])
		}
		return v
	case nil:
		return ""
	}
	return fmt.Sprint(v)
}

// hash folds bytes into a seed, eight at a time, by 128-bit products.
func hash(seed uint64, b []byte) uint64 {
	const odd = 0xa0761d6478bd642f
	fold := func(h, x uint64) uint64 {
		hi, lo := bits.Mul64(h^x, odd)
		return hi ^ lo
	}
	h := fold(seed, uint64(len(b))+1)
	for ; len(b) >= 8; b = b[8:] {
		h = fold(h, binary.LittleEndian.Uint64(b)) + 1
	}
	var last [8]byte
	copy(last[:], b)
	return fold(fold(h, binary.LittleEndian.Uint64(last[:])), odd>>1)
}
