package billtable

import (
	"bytes"
	"io"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/internal/inputerr"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/pricing/usage"
)

// A Row is a row of a table: a field as text, and fields side by side as they stand in
// the file.
type Row interface {
	Field(i int) []byte
	Span(i, j int) []byte
}

// Columns are the columns of a form that its reader asks for: the names of each, the one to
// take first in front.
type Columns [][]string

// Index returns where each of the columns is in a header, -1 where it is not. Plain gives
// names the form in which they are compared; nil stands for [Name]. Of equal names the first
// counts.
func (c Columns) Index(header []string, plain func(string) string) []int {
	if plain == nil {
		plain = Name
	}
	place := map[string]int{}
	for i, h := range header {
		if _, again := place[plain(h)]; !again {
			place[plain(h)] = i
		}
	}
	at := make([]int, len(c))
	for col := range c {
		at[col] = -1
		for _, n := range c[col] {
			if i, ok := place[Name(n)]; ok {
				at[col] = i
				break
			}
		}
	}
	return at
}

// A Table is a bill of one form. The decoder of the form embeds it and sets Next; the methods
// read the row at hand.
type Table struct {
	C *usage.Collector
	// Next decodes the row at hand and adds it to C. Raw is the row as it stands in the file,
	// or nil.
	Next func(raw []byte) error
	Line int // of the row at hand

	pkg    string
	header []string
	names  Columns
	at     []int
	runs   [][2]int // of columns of words
	src    Row
	fields fields
	clock  clock
	owner  owner
}

// NewTable returns a table of package pkg. At is from [Columns.Index], and the columns from
// words to before end have few different values: they are the key of [Look].
func NewTable(pkg string, c *usage.Collector, header []string, names Columns, at []int, words, end int) *Table {
	t := &Table{C: c, pkg: pkg, header: header, names: names, at: at, owner: newOwner(c.Owner, header)}
	var keys []int
	for _, i := range at[words:end] {
		if i >= 0 {
			keys = append(keys, i)
		}
	}
	t.runs = runs(keys)
	return t
}

// decode is a [usage.Decoder].
func (t *Table) decode(line int, row [][]byte, raw []byte) error {
	if len(row) < len(t.header) {
		panic(t.pkg + ": row with fewer fields than the header")
	}
	t.fields.row = row
	t.Line, t.src = line, &t.fields
	return t.Next(raw)
}

// A Form is what a reader knows of its form of bills.
type Form struct {
	Package string
	Want    string // such as "a FOCUS export"
	// Begin begins a file in c, and returns the table of a header. As says what the file is:
	// "csv", "parquet" or another.
	Begin func(c *usage.Collector, name, as string, header []string) (*Table, error)
}

// Read reads a table of comma-separated values, plain or gzip, to its end. The error is that of
// src, of Begin or of the table, or a *pricing.InputError.
func (f Form) Read(c *usage.Collector, name string, src io.Reader) error {
	if c == nil || src == nil {
		panic(f.Package + ": nil collector or source")
	}
	r, header, err := open(f.Package, f.Want, src)
	if err != nil {
		return err
	}
	t, err := f.Begin(c, name, "csv", header)
	if err != nil {
		return err
	}
	t.src = r
	for r.Next() {
		t.Line = r.Line()
		if err := t.Next(r.Row()); err != nil {
			return err
		}
	}
	return tableError(f.Package, r.Err())
}

// Rows reads a table of comma-separated values, plain or gzip, and passes its rows on to what
// begin returns for its header.
func Rows(pkg, want string, src io.Reader, begin func(header []string) (usage.Decoder, error)) error {
	r, header, err := open(pkg, want, src)
	if err != nil {
		return err
	}
	decode, err := begin(header)
	if err != nil {
		return err
	}
	row, ends := make([][]byte, len(header)), make([]int, len(header))
	var buf []byte
	for r.Next() {
		buf = buf[:0]
		for i := range row { // a field is valid until the next
			buf = append(buf, r.Field(i)...)
			ends[i] = len(buf)
		}
		from := 0
		for i, end := range ends {
			row[i], from = buf[from:end:end], end
		}
		if err := decode(r.Line(), row, r.Row()); err != nil {
			return err
		}
	}
	return tableError(pkg, r.Err())
}

// NewDecoder returns the decoder of a file with the columns of header.
func (f Form) NewDecoder(c *usage.Collector, name, as string, header []string) (usage.Decoder, error) {
	t, err := f.Begin(c, name, as, header)
	if err != nil {
		return nil, err
	}
	return t.decode, nil
}

// As returns the name of a form whose files are CSV unless they say otherwise.
func As(form, as string) string {
	if as == "csv" {
		return form
	}
	return form + " (" + as + ")"
}

// Has reports whether the table has a column.
func (t *Table) Has(col int) bool { return t.at[col] >= 0 }

// Need returns an error about the first of the columns that the table does not have. Among
// says what they belong to, such as "an export of FOCUS".
func (t *Table) Need(among string, cols ...int) error {
	for _, col := range cols {
		if !t.Has(col) {
			return inputerr.At(t.pkg, 1, 0, t.names[col][0], usage.ErrMissing, "the column: want one in %s", among)
		}
	}
	return nil
}

// Field returns a field as it stands, nil where the table does not have the column.
func (t *Table) Field(col int) []byte {
	if i := t.at[col]; i >= 0 {
		return t.src.Field(i)
	}
	return nil
}

// Word returns a field without surrounding space, "" for null.
func (t *Table) Word(col int) string {
	if b := bytes.TrimSpace(t.Field(col)); !Null(b) {
		return string(b)
	}
	return ""
}

// First returns the first of the words that is not null.
func (t *Table) First(cols ...int) string {
	for _, col := range cols {
		if s := t.Word(col); s != "" {
			return s
		}
	}
	return ""
}

// Moment reads a time as usage.ParseTime does.
func (t *Table) Moment(col int) (time.Time, error) {
	b := t.Field(col)
	at, err := t.clock.parse(b)
	switch {
	case err == nil:
		return at, nil
	case Null(b):
		return at, t.Fail(col, usage.ErrMissing, "no time: want one such as 2024-09-18T22:00:00Z")
	}
	return at, t.Fail(col, usage.ErrSyntax, "%s: want a time such as 2024-09-18T22:00:00Z", inputerr.Quote(b))
}

// Amount reads a number, and whether there is one.
func (t *Table) Amount(col int) (usage.Amount, bool, error) {
	b := t.Field(col)
	if Null(b) {
		return usage.Amount{}, false, nil
	}
	a, exact, err := usage.Parse(b)
	if err != nil {
		if b = bytes.TrimSpace(b); Null(b) {
			return usage.Amount{}, false, nil
		}
		if a, exact, err = usage.Parse(b); err != nil {
			return a, false, t.Fail(col, err.(*pricing.InputError).Err, "")
		}
	}
	if !exact {
		t.C.Note(t.Line, "numbers with more than eighteen decimals, rounded", usage.Amount{})
	}
	return a, true, nil
}

// Amounts reads numbers into amounts, in the order of the columns; null is 0.
func (t *Table) Amounts(cols []int, to ...*usage.Amount) (err error) {
	for i, col := range cols {
		if *to[i], _, err = t.Amount(col); err != nil {
			return err
		}
	}
	return nil
}

// Add adds a row of the bill, with its owner.
func (t *Table) Add(row *usage.Row) error {
	switch o := &t.owner; {
	case o.column >= 0:
		row.Owner = o.word(t.src.Field(o.column))
	case t.C.Owner != "" && (row.Charge == usage.OnDemand || row.Charge == usage.Covered):
		t.C.Note(t.Line, "no column "+t.C.Owner+": rows count for their account", row.Billed)
	}
	return t.In(t.C.Add(row))
}

// In returns an error of package usage as one of the table's package.
func (t *Table) In(err error) error {
	if in, ok := err.(*pricing.InputError); ok {
		in.Package = t.pkg
	}
	return err
}

// Fail is an error about a column of the row at hand. Without a format, sentinel is the whole
// error.
func (t *Table) Fail(col int, sentinel error, format string, args ...any) error {
	i, name := t.at[col], t.names[col][0]
	if i >= 0 {
		name = t.header[i]
	}
	if format == "" {
		return &pricing.InputError{Package: t.pkg, Field: name, Index: -1, Line: t.Line, Column: i + 1, Err: sentinel}
	}
	return inputerr.At(t.pkg, t.Line, i+1, name, sentinel, format, args...)
}

// Again reports whether the row at hand is the header, as in files that were put one after the
// other. Its error says so.
func (t *Table) Again(col int, word string) error {
	if i := t.at[col]; i >= 0 && strings.EqualFold(word, t.header[i]) {
		return t.Fail(col, usage.ErrForm, "the header again: want one file after the other, not one file of several")
	}
	return nil
}

// Look returns what the words of the row at hand mean, and whether that is known. If it is not,
// [Memo.Put] remembers it.
func Look[T any](t *Table, m *Memo[T]) (*T, bool) {
	m.Begin()
	for _, k := range t.runs {
		m.Add(t.src.Span(k[0], k[1]))
	}
	return m.Get()
}
