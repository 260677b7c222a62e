// Package sheet reads bills that are tables of comma separated values with a header line, by
// the names of their columns: plain or gzip, with or without a byte order mark, row by
// row.
package sheet

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"errors"
	"io"
	"strings"

	"github.com/plimsoll/plimsoll/internal/inputerr"
	"github.com/plimsoll/plimsoll/pricing/usage"
)

// What an error of a Sheet unwraps to.
var (
	ErrSyntax    = errors.New("malformed table")
	ErrMissing   = errors.New("missing")
	ErrTruncated = errors.New("the file ends too early")
)

// A Sheet is a table that is read. Its memory is that of one row.
type Sheet struct {
	pkg    string
	r      *csv.Reader
	width  int
	index  map[string]int
	row    []string
	header []string
}

// Open reads the header line. Key makes the name of a column comparable; names that
// it maps to "" are no columns that anybody asks for. Package is named in errors.
func Open(pkg string, src io.Reader, key func(name string) string) (*Sheet, error) {
	br := bufio.NewReaderSize(src, 64<<10)
	s := &Sheet{pkg: pkg, index: map[string]int{}}
	if head, _ := br.Peek(2); len(head) == 2 && head[0] == 0x1f && head[1] == 0x8b {
		zip, err := gzip.NewReader(br)
		if err != nil {
			return nil, s.fail(err)
		}
		br = bufio.NewReaderSize(zip, 64<<10)
	}
	if head, _ := br.Peek(3); bytes.Equal(head, []byte("\xef\xbb\xbf")) {
		br.Discard(3)
	}
	s.r = csv.NewReader(br)
	s.r.FieldsPerRecord, s.r.ReuseRecord = -1, true
	row, err := s.r.Read()
	if err == io.EOF {
		return nil, inputerr.At(pkg, 1, 0, "header", ErrMissing, "an empty file: want a line with the names of the columns")
	}
	if err != nil {
		return nil, s.fail(err)
	}
	s.width = len(row)
	for i, name := range row {
		s.header = append(s.header, name)
		if k := key(strings.TrimSpace(name)); k != "" && s.index[k] == 0 {
			s.index[k] = i + 1
		}
	}
	return s, nil
}

// Has reports whether the table has a column.
func (s *Sheet) Has(key string) bool { return s.index[key] > 0 }

// Need returns an error about the first of the keys of which the table has no column.
func (s *Sheet) Need(keys ...string) error {
	for _, k := range keys {
		if s.index[k] == 0 {
			return inputerr.At(s.pkg, 1, 0, "header", ErrMissing, "no column %s: want it beside the others", k)
		}
	}
	return nil
}

// Next reads the next row and returns io.EOF after the last.
func (s *Sheet) Next() error {
	for {
		row, err := s.r.Read()
		if err == io.EOF {
			return io.EOF
		}
		if err != nil {
			return s.fail(err)
		}
		if len(row) != s.width {
			if len(row) == 1 && strings.TrimSpace(row[0]) == "" {
				continue
			}
			return inputerr.At(s.pkg, s.Line(), 0, "line", ErrSyntax, "%d columns: want %d as in the header", len(row), s.width)
		}
		s.row = row
		return nil
	}
}

// Get returns a column of the row without surrounding space, "" where the table does
// not have it. The text is valid until the next row.
func (s *Sheet) Get(key string) string {
	if i := s.index[key]; i > 0 {
		return strings.TrimSpace(s.row[i-1])
	}
	return ""
}

// Amount sets to from a column of the row. Nothing changes where the column is empty or says
// null. The error is about the column.
func (s *Sheet) Amount(key string, to *usage.Amount) error {
	text := s.Get(key)
	if text == "" || strings.EqualFold(text, "null") {
		return nil
	}
	a, _, err := usage.Parse(text)
	if err != nil {
		return s.Bad(key, ErrSyntax, "%w", err)
	}
	*to = a
	return nil
}

// Collect adds all rows that are left to a collector. Read makes a row of the bill, and others
// that come with it, of the row at hand.
func (s *Sheet) Collect(c *usage.Collector, read func() (row usage.Row, others []usage.Row, err error)) error {
	var raw []byte
	for {
		if err := s.Next(); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		row, others, err := read()
		if err != nil {
			return err
		}
		raw = s.Raw(raw[:0])
		row.Raw = raw
		if err := c.Add(&row); err != nil {
			return err
		}
		for i := range others {
			if err := c.Add(&others[i]); err != nil {
				return err
			}
		}
	}
}

// Line is the line at which the row begins, from 1.
func (s *Sheet) Line() int { n, _ := s.r.FieldPos(0); return n }

// Raw appends the columns of the row to dst, with a byte that no column has between
// them.
func (s *Sheet) Raw(dst []byte) []byte {
	for _, f := range s.row {
		dst = append(append(dst, f...), 0)
	}
	return dst
}

// Bad is an error about a column of the row.
func (s *Sheet) Bad(key string, sentinel error, format string, args ...any) error {
	i := s.index[key]
	name := key
	if i > 0 {
		name = s.header[i-1]
	}
	return inputerr.At(s.pkg, s.Line(), i, name, sentinel, format, args...)
}

func (s *Sheet) fail(err error) error {
	var parse *csv.ParseError
	switch {
	case errors.As(err, &parse):
		return inputerr.At(s.pkg, parse.Line, 0, "line", ErrSyntax, "%v: want one row of a table on each line", parse.Err)
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return inputerr.At(s.pkg, 0, 0, "file", ErrTruncated, "the compressed data ends in the middle: want a whole file")
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum):
		return inputerr.At(s.pkg, 0, 0, "file", ErrSyntax, "%v: want plain text or whole gzip data", err)
	}
	return err
}
