// Package csvscan reads tables of comma-separated values at the speed of memory,
// for bills that are larger than memory.
//
//	r, err := csvscan.NewReader(src)
//	for r.Next() {
//		use(r.Field(3))
//	}
//	err = r.Err()
//
// It reads what encoding/csv reads, RFC 4180 with records over several lines, and
// differs where bills do:
//
//   - The separator is found in the header: comma, semicolon or tab.
//   - A byte order mark is skipped, and gzip data is decompressed.
//   - In a field that did not begin with a quote, a quote is a character like others.
//
// A field costs nothing until it is asked for, and nothing is allocated for a row.
package csvscan

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"
)

// What errors unwrap to, beside those of the source.
var (
	// ErrQuote: something stands between a closing quote and the next separator, or a
	// quote is never closed.
	ErrQuote = errors.New("misplaced quote")
	// ErrFields: a row has more or fewer fields than the header.
	ErrFields = errors.New("wrong number of fields")
	// ErrTruncated: the data end in the middle of a row or of gzip data.
	ErrTruncated = errors.New("data end too early")
	// ErrTooLong: a row is longer than any should be.
	ErrTooLong = errors.New("row too long")
	// ErrEncoding: the text is UTF-16, or gzip data that are broken.
	ErrEncoding = errors.New("unreadable encoding")
)

// MaxRow is the length of the longest row that is read.
const MaxRow = 16 << 20

// An Error says in which line of the text something is wrong.
type Error struct {
	Line int // from 1
	Err  error
}

// Error returns one line.
func (e *Error) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// A field is where a field stands in the row. Quoted fields are without their
// quotes; escaped says that there are pairs of quotes among the rest.
type field struct {
	from, to int32
	escaped  bool
}

// A Reader reads rows. It must not be used by two goroutines at once.
type Reader struct {
	src    io.Reader
	zip    bool
	buf    []byte
	at, to int   // buf[at:to] has not been scanned
	eof    bool  // src is used up
	srcErr error // of src

	comma  byte
	want   int // fields in a row, 0 before the first
	line   int // where the next row begins
	begin  int // where the row begins
	row    []byte
	fields []field
	text   []byte // fields without doubled quotes
	err    error
}

// NewReader returns a reader of src, plain or gzip. The error is that of src, or an
// [*Error].
func NewReader(src io.Reader) (*Reader, error) { return newReader(src, 1<<18) }

func newReader(src io.Reader, size int) (*Reader, error) {
	br := bufio.NewReaderSize(src, 1<<12)
	head, err := br.Peek(3)
	if err != nil && err != io.EOF {
		return nil, err
	}
	src, zipped := io.Reader(br), false
	if bytes.HasPrefix(head, []byte{0x1f, 0x8b}) {
		zip, err := gzip.NewReader(bufio.NewReaderSize(br, 1<<16))
		if err != nil {
			return nil, &Error{1, zipError(err)}
		}
		src, zipped = zip, true
	}
	r := &Reader{src: src, zip: zipped, buf: make([]byte, size), line: 1}
	r.fill(2) // a byte order mark, and the rest of the header below
	for !r.eof && r.srcErr == nil && r.to < len(r.buf) && bytes.IndexByte(r.buf[:r.to], '\n') < 0 {
		r.fill(r.to)
	}
	if r.srcErr != nil && r.to == 0 {
		return nil, r.sourceError(1)
	}
	text := r.buf[:r.to]
	switch {
	case bytes.HasPrefix(text, []byte("\xff\xfe")), bytes.HasPrefix(text, []byte("\xfe\xff")):
		return nil, &Error{1, fmt.Errorf("%w: UTF-16: want UTF-8", ErrEncoding)}
	case bytes.HasPrefix(text, []byte("\xef\xbb\xbf")):
		r.at = 3
	}
	r.comma = separator(text[r.at:])
	return r, nil
}

// separator returns the separator that the header has most of, a comma if it has
// none.
func separator(text []byte) byte {
	var n [256]int
	quoted := false
	for _, c := range text {
		if c == '"' {
			quoted = !quoted
		}
		if c == '\n' && !quoted {
			break
		}
		if !quoted {
			n[c]++
		}
	}
	best := byte(',')
	for _, c := range []byte{';', '\t'} {
		if n[c] > n[best] {
			best = c
		}
	}
	return best
}

// fill reads until at least one byte more is there than have. It reports whether
// there is.
func (r *Reader) fill(have int) bool {
	for idle := 0; r.to <= have && !r.eof && r.srcErr == nil; {
		if r.to == len(r.buf) {
			if r.at > 0 { // keep what is not scanned
				copy(r.buf, r.buf[r.at:r.to])
				r.to -= r.at
				have -= r.at
				r.at = 0
				continue
			}
			return false // the row is as long as the buffer
		}
		n, err := r.src.Read(r.buf[r.to:])
		r.to += n
		if idle++; n > 0 {
			idle = 0
		}
		if err == io.EOF {
			r.eof = true
		} else if err != nil {
			r.srcErr = err
		} else if idle == 100 {
			r.srcErr = io.ErrNoProgress
		}
	}
	return r.to > have
}

// Next reads the next row that is not empty, and reports whether there is one.
// What Field and Row have returned before is overwritten.
func (r *Reader) Next() bool {
	if r.err != nil {
		return false
	}
	for {
		if !r.scan() {
			return false
		}
		if len(r.row) > 0 {
			break
		}
	}
	if r.want == 0 {
		r.want = len(r.fields)
		return true
	}
	if len(r.fields) != r.want {
		err := fmt.Errorf("%w: %d: want %d, as in the header", ErrFields, len(r.fields), r.want)
		if len(r.fields) < r.want && r.eof && r.at == r.to && r.cut() {
			err = fmt.Errorf("%w: in the middle of a row, after %d fields of %d: want the whole file", ErrTruncated, len(r.fields), r.want)
		}
		r.err = &Error{r.begin, err}
		return false
	}
	return true
}

// cut reports whether the last row ended with the data and not with a line.
func (r *Reader) cut() bool { return r.to == 0 || r.buf[r.to-1] != '\n' }

// One byte repeated eight times, and the bits that say which bytes are alike.
const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// matches has the high bit of each byte of x set that equals a byte of pattern.
func matches(x, pattern uint64) uint64 {
	x ^= pattern
	return ^(((x & ^uint64(highs)) + ^uint64(highs)) | x | ^uint64(highs))
}

// scan reads one row, which may be empty, and reports whether there is one.
//
// Within a field it looks at eight bytes at a time for a separator or the end of the
// line, and between quotes for the next quote.
func (r *Reader) scan() bool {
	r.fields = r.fields[:0]
	if r.at == r.to && !r.fill(r.at) {
		if r.srcErr != nil {
			r.err = r.sourceError(r.line)
		}
		return false
	}
	r.begin = r.line
	comma := uint64(r.comma) * ones
	i := 0 // within the row, buf[at:]
	for {
		start := i
		if r.at+i < r.to || r.more(i) {
			if r.buf[r.at+i] == '"' {
				end, ok := r.quoted(i + 1)
				if !ok {
					return false
				}
				i = end
				if r.at+i >= r.to && !r.more(i) {
					return r.finish(i)
				}
				switch c := r.buf[r.at+i]; {
				case c == r.comma:
					i++
					continue
				case c == '\n':
					return r.finish(i)
				case c == '\r' && (r.at+i+1 >= r.to && !r.more(i+1) || r.buf[r.at+i+1] == '\n'):
					return r.finish(i)
				}
				r.err = r.fail(fmt.Errorf("%w: %q after a closing quote: want a separator", ErrQuote, r.buf[r.at+i:min(r.at+i+1, r.to)]))
				return false
			}
		}
	field:
		for {
			data := r.buf[r.at:r.to]
			for i+8 <= len(data) {
				x := binary.LittleEndian.Uint64(data[i:])
				if m := matches(x, comma) | matches(x, '\n'*ones); m != 0 {
					i += bits.TrailingZeros64(m) / 8
					break field
				}
				i += 8
			}
			for ; i < len(data); i++ {
				if data[i] == r.comma || data[i] == '\n' {
					break field
				}
			}
			if !r.more(i) {
				if r.err != nil {
					return false
				}
				break
			}
		}
		r.fields = append(r.fields, field{int32(start), int32(i), false})
		if r.at+i >= r.to || r.buf[r.at+i] == '\n' {
			return r.finish(i)
		}
		i++
	}
}

// more makes byte i of the row be there, if the source has it.
func (r *Reader) more(i int) bool {
	if r.fill(r.at + i) {
		return true
	}
	if r.at+i == r.to && r.to == len(r.buf) && !r.eof && r.srcErr == nil { // a long row
		if len(r.buf) >= MaxRow {
			r.err = r.fail(fmt.Errorf("%w: more than %d bytes: is a quote missing?", ErrTooLong, MaxRow))
			return false
		}
		r.buf = append(r.buf, make([]byte, len(r.buf))...)
		return r.more(i)
	}
	if r.srcErr != nil && r.err == nil {
		r.err = r.sourceError(r.line)
	}
	return false
}

// quoted scans a field that began with a quote, from behind it. It returns where
// the field's closing quote ends.
func (r *Reader) quoted(i int) (int, bool) {
	start, escaped := i, false
	for {
		if r.at+i >= r.to && !r.more(i) {
			if r.err == nil {
				r.err = r.fail(fmt.Errorf("%w: within quotes: want the closing quote", ErrTruncated))
			}
			return 0, false
		}
		j := bytes.IndexByte(r.buf[r.at+i:r.to], '"')
		if j < 0 {
			i = r.to - r.at
			continue
		}
		i += j
		if (r.at+i+1 < r.to || r.more(i+1)) && r.buf[r.at+i+1] == '"' {
			escaped = true
			i += 2
			continue
		}
		if r.err != nil {
			return 0, false
		}
		r.fields = append(r.fields, field{int32(start), int32(i), escaped})
		r.line += bytes.Count(r.buf[r.at+start:r.at+i], []byte{'\n'})
		return i + 1, true
	}
}

// finish ends a row of n bytes.
func (r *Reader) finish(n int) bool {
	if r.err != nil {
		return false
	}
	if r.srcErr != nil && r.at+n >= r.to { // what there is of the row may not be all
		r.err = r.sourceError(r.line)
		return false
	}
	r.row = r.buf[r.at : r.at+n : r.at+n]
	r.at += n
	if r.at < r.to { // the end of the line
		if r.buf[r.at] == '\r' {
			r.at++
		}
		if r.at < r.to && r.buf[r.at] == '\n' {
			r.at++
		}
		r.line++
	}
	if k := len(r.row); k > 0 && r.row[k-1] == '\r' {
		r.row = r.row[:k-1]
		if f := &r.fields[len(r.fields)-1]; int(f.to) == k {
			f.to--
		}
	}
	return true
}

func (r *Reader) fail(err error) error { return &Error{r.begin, err} }

// sourceError is an error of the source at a line.
func (r *Reader) sourceError(line int) error {
	var corrupt flate.CorruptInputError
	if r.zip && (r.srcErr == io.ErrUnexpectedEOF || r.srcErr == gzip.ErrChecksum || r.srcErr == gzip.ErrHeader || errors.As(r.srcErr, &corrupt)) {
		return &Error{line, zipError(r.srcErr)}
	}
	return r.srcErr
}

// zipError says what is wrong with gzip data.
func zipError(err error) error {
	if err == io.ErrUnexpectedEOF || err == io.EOF {
		return fmt.Errorf("%w: in the middle of gzip data: want the whole file", ErrTruncated)
	}
	return fmt.Errorf("%w: %v: want plain text or gzip data", ErrEncoding, err)
}

// Err returns what ended the rows, nil at the end of the data: an error of the
// source, or an [*Error].
func (r *Reader) Err() error { return r.err }

// Line returns the line in which the row begins.
func (r *Reader) Line() int { return r.begin }

// Len returns how many fields the row has.
func (r *Reader) Len() int { return len(r.fields) }

// Row returns the row as it stands in the file, without the end of the line, until
// the next call of Next.
func (r *Reader) Row() []byte { return r.row }

// Span returns the fields from i to j, both among them, as they stand in the file with
// what is between them. It is valid until the next call of Next.
func (r *Reader) Span(i, j int) []byte {
	a, b := r.fields[i].from, r.fields[j].to
	return r.row[a:b:b]
}

// Field returns a field, until the next call of Field or of Next.
func (r *Reader) Field(i int) []byte {
	f := r.fields[i]
	if !f.escaped {
		return r.row[f.from:f.to:f.to]
	}
	r.text = unescape(r.text[:0], r.row[f.from:f.to])
	return r.text
}

// unescape appends a raw field with one quote for each two.
func unescape(dst, raw []byte) []byte {
	for {
		i := bytes.IndexByte(raw, '"')
		if i < 0 || i+1 == len(raw) {
			return append(dst, raw...)
		}
		dst = append(dst, raw[:i+1]...)
		raw = raw[i+2:]
	}
}
