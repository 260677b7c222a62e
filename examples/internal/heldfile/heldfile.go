// Package heldfile reads an inventory of reservations: a JSON array of objects with
// class, count and until.
package heldfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/infile"
	"github.com/plimsoll/plimsoll/pricing"
)

// Read reads the file that was given with a flag, such as "-held", plain or gzip, of
// reservations of classes of the list. Until is for how many slots, or how long, they
// are still active, and is less than the term. The error is the user's mistake, and says
// where it is.
func Read(flag, path string, list pricing.List, slot time.Duration) ([]pricing.Holding, error) {
	data, err := infile.ReadAll(flag, path)
	if err != nil {
		return nil, err
	}
	r := reader{data: data, list: list, slot: slot}
	held, err := r.read()
	if err != nil {
		return nil, cli.Mistakef("%s %s: %w", flag, path, err)
	}
	return held, nil
}

// reader reads an inventory.
type reader struct {
	data []byte
	list pricing.List
	slot time.Duration
	dec  *json.Decoder
}

func (r *reader) read() ([]pricing.Holding, error) {
	if len(bytes.TrimSpace(r.data)) == 0 {
		return nil, errors.New("the file is empty: want an array of objects with class, count and until")
	}
	var whole json.RawMessage
	if err := json.Unmarshal(r.data, &whole); err != nil { // a Decoder's errors have no line
		offset, text := int64(len(r.data)), strings.TrimPrefix(err.Error(), "json: ")
		var bad *json.SyntaxError
		if errors.As(err, &bad) && bad.Offset < offset {
			offset = max(0, bad.Offset-1)
		}
		return nil, fmt.Errorf("line %d: %s", infile.Line(r.data, offset), text)
	}
	r.dec = json.NewDecoder(bytes.NewReader(r.data))
	r.dec.UseNumber()
	if t, _ := r.dec.Token(); t != json.Delim('[') {
		return nil, r.fail("want an array of objects with class, count and until")
	}
	var held []pricing.Holding
	for i := 0; r.dec.More(); i++ {
		h, err := r.holding(i)
		if err != nil {
			return nil, err
		}
		held = append(held, h)
	}
	return held, nil
}

func (r *reader) fail(format string, args ...any) error {
	return fmt.Errorf("line %d%s", infile.Line(r.data, r.dec.InputOffset()), fmt.Sprintf(": "+format, args...))
}

func (r *reader) failAt(i int, field, format string, args ...any) error {
	return fmt.Errorf("line %d, field [%d].%s: %s", infile.Line(r.data, r.dec.InputOffset()), i, field, fmt.Sprintf(format, args...))
}

// holding reads an object, with the three fields once each in any order.
func (r *reader) holding(i int) (h pricing.Holding, err error) {
	if t, _ := r.dec.Token(); t != json.Delim('{') {
		return h, r.fail("element [%d]: want an object with class, count and until", i)
	}
	seen := make(map[string]bool)
	for r.dec.More() {
		t, _ := r.dec.Token()
		field := t.(string) // the decoder takes nothing else for a key
		if seen[field] {
			return h, r.failAt(i, field, "the field is there twice")
		}
		seen[field] = true
		var raw json.RawMessage
		if field == "class" || field == "count" || field == "until" {
			r.dec.Decode(&raw)
		}
		switch field {
		case "class":
			h.Class, err = r.class(i, raw)
		case "count":
			h.Count, err = r.whole(i, field, raw, "a whole number of reservations")
		case "until":
			h.Until, err = r.until(i, raw)
		default:
			err = r.fail("element [%d]: the field %s is unknown: there are class, count and until", i, infile.Quote(field))
		}
		if err != nil {
			return h, err
		}
	}
	r.dec.Token()
	for _, field := range [...]string{"class", "count", "until"} {
		if !seen[field] {
			return h, r.failAt(i, field, "the field is missing")
		}
	}
	if c := r.list.Classes[h.Class]; int64(h.Until) >= int64(c.Term/r.slot) {
		return h, r.failAt(i, "until", "%s slots are left of %s, which was bought before and has a term of %s: want fewer",
			decimal.Int(h.Until), infile.Quote(c.Name), decimal.Int(int(c.Term/r.slot)))
	}
	return h, nil
}

func (r *reader) class(i int, raw json.RawMessage) (int, error) {
	var name string
	if raw[0] != '"' || json.Unmarshal(raw, &name) != nil {
		return 0, r.failAt(i, "class", "%s: want the name of a class", infile.Quote(string(raw)))
	}
	names := make([]string, len(r.list.Classes))
	for k, c := range r.list.Classes {
		if c.Name == name {
			return k, nil
		}
		names[k] = c.Name
	}
	return 0, r.failAt(i, "class", "the class %s is unknown: there are %s", infile.Quote(name), strings.Join(names, ", "))
}

func (r *reader) whole(i int, field string, raw json.RawMessage, what string) (int, error) {
	n, err := strconv.Atoi(string(raw))
	if err != nil || n < 0 || n > math.MaxInt32 {
		return 0, r.failAt(i, field, "%s: want %s, 0 to %d", infile.Quote(string(raw)), what, math.MaxInt32)
	}
	return n, nil
}

// until reads a number of slots or a duration.
func (r *reader) until(i int, raw json.RawMessage) (int, error) {
	if raw[0] != '"' {
		return r.whole(i, "until", raw, `a duration such as "2000h", or a whole number of slots`)
	}
	var s string
	json.Unmarshal(raw, &s)
	d, err := time.ParseDuration(s)
	switch {
	case err != nil || d < 0:
		return 0, r.failAt(i, "until", `%s: want a duration such as "2000h", or a whole number of slots`, infile.Quote(s))
	case d%r.slot != 0:
		return 0, r.failAt(i, "until", "%s is not a whole number of slots of %s", s, decimal.Span(r.slot))
	case d/r.slot > math.MaxInt32:
		return 0, r.failAt(i, "until", "%s is too long", s)
	}
	return int(d / r.slot), nil
}
