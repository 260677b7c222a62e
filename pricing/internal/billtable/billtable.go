// Package billtable has what the readers of bills share beyond package usage: tables
// whose columns are found by name, fields that are null, times that repeat.
package billtable

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/internal/csvscan"
	"github.com/plimsoll/plimsoll/internal/inputerr"
	"github.com/plimsoll/plimsoll/pricing/usage"
)

// open opens a table of comma-separated values, plain or gzip, and reads its header.
// The error is that of src, or a *pricing.InputError of package pkg. want says what
// the file should be.
func open(pkg, want string, src io.Reader) (*csvscan.Reader, []string, error) {
	r, err := csvscan.NewReader(src)
	if err != nil {
		return nil, nil, tableError(pkg, err)
	}
	if !r.Next() {
		if r.Err() != nil {
			return nil, nil, tableError(pkg, r.Err())
		}
		return nil, nil, inputerr.At(pkg, 1, 0, "", usage.ErrForm, "the file is empty: want %s", want)
	}
	header := make([]string, r.Len())
	for i := range header {
		header[i] = string(r.Field(i))
	}
	return r, header, nil
}

// tableError turns an error of a reader of comma-separated values into one of package
// pkg. Other errors are returned as they are.
func tableError(pkg string, err error) error {
	var e *csvscan.Error
	if !errors.As(err, &e) {
		return err
	}
	for _, c := range []struct{ from, to error }{
		{csvscan.ErrTruncated, usage.ErrTruncated}, {csvscan.ErrEncoding, usage.ErrForm},
		{csvscan.ErrFields, usage.ErrSyntax}, {csvscan.ErrQuote, usage.ErrSyntax}, {csvscan.ErrTooLong, usage.ErrSyntax},
	} {
		if errors.Is(e.Err, c.from) {
			text := e.Err.Error()
			if c.to == usage.ErrTruncated {
				text = strings.TrimPrefix(text, c.from.Error()+": ")
			}
			return inputerr.At(pkg, e.Line, 0, "", c.to, "%s", text)
		}
	}
	return inputerr.At(pkg, e.Line, 0, "", usage.ErrSyntax, "%w", e.Err)
}

// fields is a row that is in memory.
type fields struct {
	row  [][]byte
	span []byte
}

// Field returns field i.
func (f *fields) Field(i int) []byte { return f.row[i] }

// Span returns fields i to j, each with an end that no text has.
func (f *fields) Span(i, j int) []byte {
	f.span = f.span[:0]
	for _, b := range f.row[i : j+1] {
		f.span = append(append(f.span, b...), 0xff)
	}
	return f.span
}

// Name returns the name of a column in the form that columns are compared in: lower
// case, letters and digits alone. So "BilledCost", "billed_cost" and "Billed Cost"
// are the same.
func Name(column string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r > 127:
			return r
		}
		return -1
	}, column)
}

// Null reports whether a field has no value: it is empty, or NULL in any case.
func Null(b []byte) bool {
	switch len(b) {
	case 0:
		return true
	case 4:
		return b[0]|0x20 == 'n' && b[1]|0x20 == 'u' && b[2]|0x20 == 'l' && b[3]|0x20 == 'l'
	}
	return false
}

// A clock reads times and remembers the last ones, since rows of a bill share them.
type clock struct {
	text [4][]byte
	time [4]time.Time
	next int
}

// parse reads a time as usage.ParseTime does.
func (c *clock) parse(b []byte) (time.Time, error) {
	for i := range c.text {
		if bytes.Equal(c.text[i], b) && len(b) > 0 {
			return c.time[i], nil
		}
	}
	t, err := usage.ParseTime(b)
	if err == nil {
		c.next = (c.next + 1) % len(c.text)
		c.text[c.next] = append(c.text[c.next][:0], b...)
		c.time[c.next] = t
	}
	return t, err
}

// runs returns the numbers as runs of consecutive numbers, each by its first and its
// last.
func runs(numbers []int) (runs [][2]int) {
	slices.Sort(numbers)
	for _, n := range numbers {
		if k := len(runs) - 1; k >= 0 && runs[k][1] == n-1 {
			runs[k][1] = n
			continue
		}
		runs = append(runs, [2]int{n, n})
	}
	return runs
}

// A Memo remembers what a combination of fields means, so that words are read once
// and not in each row. It forgets everything when it has become large.
type Memo[T any] struct {
	key []byte
	m   map[string]*T
	hit *T
	of  []byte // the key of hit
}

// mostMemo bounds the combinations that are remembered.
const mostMemo = 1 << 14

// Begin begins a combination.
func (m *Memo[T]) Begin() { m.key = m.key[:0] }

// Add adds a field to the combination.
func (m *Memo[T]) Add(b []byte) { m.key = append(append(m.key, b...), 0xff) }

// Get returns what the combination means, and whether that is known.
func (m *Memo[T]) Get() (*T, bool) {
	if m.hit != nil && bytes.Equal(m.of, m.key) {
		return m.hit, true
	}
	v, ok := m.m[string(m.key)]
	if ok {
		m.hit, m.of = v, append(m.of[:0], m.key...)
	}
	return v, ok
}

// Put remembers what the combination means.
func (m *Memo[T]) Put(v *T) {
	if m.m == nil || len(m.m) >= mostMemo {
		m.m = make(map[string]*T)
	}
	m.m[string(m.key)] = v
	m.hit, m.of = v, append(m.of[:0], m.key...)
}
