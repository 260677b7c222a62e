package pricing

import (
	"encoding/json"
	"io"
	"math"
	"strconv"
	"time"
)

// The form of an inventory in JSON:
//
//	[
//	  {"class": "3y-heavy", "count": 12, "until": "2000h"}
//	]
//
// Every field has to be there once, and there are no others. until is for how long the
// reservations are still active: a Go duration, or a number of slots.

// ReadHoldings reads an inventory in JSON from r, to the end of r: reservations of classes of l, in
// slots of the given length. Every reservation was bought before the first slot, so it is active
// for less than its term.
//
// The error is an [*InputError] with the Line and the name of the field, such as "[].until" with
// the Index of the element. It unwraps as the errors of [ReadList] do, or to [ErrUnknown] for a
// class that l does not have, or to [ErrRange] for a number out of range. ReadHoldings returns an
// error of r unchanged. ReadHoldings panics if slot is not positive.
func ReadHoldings(r io.Reader, l List, slot time.Duration) ([]Holding, error) {
	if slot <= 0 {
		panic("pricing: ReadHoldings: slot is not positive")
	}
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	p, err := newParser(data, "inventory")
	if err != nil {
		return nil, err
	}
	if err := p.delim('[', "", -1, "an array of objects with class, count and until"); err != nil {
		return nil, err
	}
	var held []Holding
	for i := 0; p.dec.More(); i++ {
		h, err := p.holding(i, l, slot)
		if err != nil {
			return nil, err
		}
		held = append(held, h)
	}
	return held, nil
}

func (p *listParser) holding(i int, l List, slot time.Duration) (h Holding, err error) {
	until := 0 // the line
	err = p.object("[]", i, []string{"class", "count", "until"}, func(field int) error {
		switch field {
		case 0:
			var name string
			if err := p.text("[].class", i, &name); err != nil {
				return err
			}
			k, err := l.Find(name)
			if err != nil {
				return &InputError{Package: "pricing", Field: "[].class", Index: i, Line: p.line(), Err: err.(*InputError).Err}
			}
			h.Class = k
			return nil
		case 1:
			return p.count("[].count", i, &h.Count, "a whole number of reservations")
		}
		until = p.line()
		return p.until(i, &h.Until, slot)
	})
	if err != nil {
		return h, err
	}
	if c := l.Classes[h.Class]; int64(h.Until) >= max(1, int64(c.Term/slot)) {
		return h, badText(until, "[].until", i, ErrRange, "%d slots: want fewer than the term of %s, which was bought before: %d", h.Until, quote(c.Name), int64(c.Term/slot))
	}
	return h, nil
}

// count reads a whole number, 0 to MaxInt32.
func (p *listParser) count(field string, index int, n *int, what string) error {
	var raw json.RawMessage
	if err := p.dec.Decode(&raw); err != nil {
		return p.syntaxError(err)
	}
	v, err := strconv.Atoi(string(raw))
	if err != nil || v < 0 || v > math.MaxInt32 {
		return p.fail(field, index, ErrRange, "%s: want %s, 0 to %d", quote(string(raw)), what, math.MaxInt32)
	}
	*n = v
	return nil
}

// until reads a number of slots, or a duration of whole slots.
func (p *listParser) until(index int, n *int, slot time.Duration) error {
	const field, want = "[].until", `a duration such as "2000h", or a whole number of slots`
	rest := p.data[p.dec.InputOffset():]
	for len(rest) > 0 && (rest[0] == ':' || rest[0] <= ' ') {
		rest = rest[1:]
	}
	if rest[0] != '"' {
		return p.count(field, index, n, want)
	}
	var s string
	if err := p.text(field, index, &s); err != nil {
		return err
	}
	d, err := time.ParseDuration(s)
	switch {
	case tooLong(s):
		return p.fail(field, index, ErrRange, "%s: want at most %d slots", quote(s), math.MaxInt32)
	case err != nil || d < 0:
		return p.fail(field, index, ErrSyntax, "%s: want %s", quote(s), want)
	case d%slot != 0:
		return p.fail(field, index, ErrRange, "%s: want a whole number of slots of %s", s, term(slot))
	case d/slot > math.MaxInt32:
		return p.fail(field, index, ErrRange, "%s: want at most %d slots", s, math.MaxInt32)
	}
	*n = int(d / slot)
	return nil
}
