package trace

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"iter"
	"math"
	"time"
)

const (
	// bufferSize is the reader's memory. A line that does not fit makes it grow
	// up to maxLine.
	bufferSize = 128 << 10
	// maxLine bounds a line, and so the memory that hostile input can take. A
	// record of 18 numbers takes about 100 bytes.
	maxLine = 1 << 20
	// maxSeconds is the greatest number of whole seconds of a [time.Duration].
	maxSeconds = int64(math.MaxInt64 / time.Second)
	// maxHeader bounds the header's text in total.
	maxHeader = 16 << 20
)

// Stats counts what a [Reader] met and tolerated.
type Stats struct {
	Lines    int // all lines so far
	Records  int // records returned
	Comments int // comment lines, of the header and later ones
	Blank    int // empty lines
	Short    int // records of fewer than 18 fields, the rest taken as -1
	Extra    int // records of more than 18 columns, the rest ignored
	Rounded  int // times with more than nine decimals, rounded to the nanosecond
}

// A Reader reads a log in the Standard Workload Format, line by line. The
// zero value reads an empty log until [Reader.Reset].
type Reader struct {
	src    io.Reader // what is read: raw or zip
	raw    input
	br     *bufio.Reader
	zip    *gzip.Reader
	buf    []byte
	pos    int // buf[pos:end] is unread
	end    int
	start  int // where the line that was returned last begins
	opened bool
	err    error // sticky: of the source, or beyond all bounds
	ended  bool  // err was returned

	header     Header
	headerSize int
	inBody     bool // the header is complete
	stats      Stats
}

// input gives back the bytes that were looked at to tell gzip from text.
type input struct {
	head []byte
	src  io.Reader
	arr  [2]byte
}

func (in *input) Read(p []byte) (int, error) {
	if len(in.head) > 0 {
		n := copy(p, in.head)
		in.head = in.head[n:]
		return n, nil
	}
	return in.src.Read(p)
}

// NewReader returns a Reader of src, which is plain text or gzip: the first
// two bytes tell. Nothing is read before the first call of [Reader.Next] or
// [Reader.Header]. It panics if src is nil.
func NewReader(src io.Reader) *Reader {
	r := new(Reader)
	r.Reset(src)
	return r
}

// Reset makes r read src from its beginning, and keeps r's memory.
func (r *Reader) Reset(src io.Reader) {
	if src == nil {
		panic("trace: nil source")
	}
	r.raw.src, r.raw.head = src, nil
	r.src = nil
	r.pos, r.end = 0, 0
	r.opened, r.err, r.ended = false, nil, false
	r.header.Reset()
	r.headerSize = 0
	r.inBody = false
	r.stats = Stats{}
}

// open tells gzip from plain text and skips a byte order mark.
func (r *Reader) open() {
	r.opened = true
	if r.buf == nil {
		r.buf = make([]byte, bufferSize)
	}
	if r.raw.src == nil {
		r.err = io.EOF
		return
	}
	n := 0
	for n < len(r.raw.arr) {
		m, err := read(r.raw.src, r.raw.arr[n:])
		n += m
		if err == io.EOF {
			break
		}
		if err != nil {
			r.sourceError(err)
			return
		}
	}
	r.raw.head = r.raw.arr[:n]
	r.src = &r.raw
	if n == 2 && r.raw.arr == [2]byte{0x1f, 0x8b} {
		var err error
		if r.br == nil {
			r.br = bufio.NewReaderSize(&r.raw, 32<<10)
			r.zip, err = gzip.NewReader(r.br)
		} else {
			r.br.Reset(&r.raw)
			err = r.zip.Reset(r.br)
		}
		if err != nil {
			r.br, r.zip = nil, nil
			r.sourceError(err)
			return
		}
		r.src = r.zip
	}
	for r.end < 3 && r.err == nil {
		r.fill()
	}
	if b := r.buf[:r.end]; bytes.HasPrefix(b, []byte("\xef\xbb\xbf")) {
		r.pos = 3
	} else if bytes.HasPrefix(b, []byte("\xff\xfe")) || bytes.HasPrefix(b, []byte("\xfe\xff")) {
		r.stats.Lines = 1
		r.fail("", ErrEncoding, "want a text, or one packed with gzip")
		r.stats.Lines = 0
	}
}

// fill reads more into the buffer, which has unread bytes only.
func (r *Reader) fill() {
	if r.pos > 0 {
		copy(r.buf, r.buf[r.pos:r.end])
		r.end -= r.pos
		r.pos = 0
	}
	if r.end == len(r.buf) {
		if len(r.buf) >= maxLine {
			r.stats.Lines++
			r.fail("", ErrTooLong, "want at most %d bytes", maxLine)
			return
		}
		grown := make([]byte, 2*len(r.buf))
		copy(grown, r.buf[:r.end])
		r.buf = grown
	}
	n, err := read(r.src, r.buf[r.end:])
	r.end += n
	if err == io.EOF {
		r.err = err
	} else if err != nil {
		r.sourceError(err)
	}
}

// read reads once. It reads again if the source returns neither bytes nor an error, at
// most a hundred times.
func read(src io.Reader, p []byte) (int, error) {
	for range 100 {
		if n, err := src.Read(p); n > 0 || err != nil {
			return n, err
		}
	}
	return 0, io.ErrNoProgress
}

// sourceError says how far the reading came before the source failed. Lines
// that are still in the buffer count as read.
func (r *Reader) sourceError(err error) {
	lines := r.stats.Lines + bytes.Count(r.buf[r.pos:r.end], []byte{'\n'})
	r.err = fmt.Errorf("the log ends after line %d: %w", lines, err)
}

// line returns the next line without its end, valid until the next call.
func (r *Reader) line() ([]byte, error) {
	if !r.opened {
		r.open()
	}
	from := r.pos
	for {
		if i := bytes.IndexByte(r.buf[from:r.end], '\n'); i >= 0 {
			b := r.buf[r.pos : from+i]
			r.start, r.pos = r.pos, from+i+1
			r.stats.Lines++
			return b, nil
		}
		if r.err != nil {
			if r.err == io.EOF && r.pos < r.end {
				b := r.buf[r.pos:r.end]
				r.start, r.pos = r.pos, r.end
				r.stats.Lines++
				return b, nil
			}
			r.ended = true
			return nil, r.err
		}
		seen := r.end - r.pos
		r.fill()
		from = min(r.pos+seen, r.end) // a failure empties the buffer
	}
}

// Header returns the comment lines before the first record, reading up to there where
// that has not happened yet. It belongs to r and is valid until Reset. The error is that
// of the source, or says which line cannot be read. The header up to that line is
// returned with the error.
func (r *Reader) Header() (*Header, error) {
	for !r.inBody {
		line, err := r.line()
		if err == io.EOF {
			r.inBody = true
			break
		}
		if err != nil {
			return &r.header, err
		}
		switch text := trim(line); {
		case len(text) == 0:
			r.stats.Blank++
		case text[0] == ';':
			r.stats.Comments++
			if err := r.checkComment(text); err != nil {
				return &r.header, err
			}
			r.headerSize += len(text)
			if r.headerSize > maxHeader {
				r.fail("header", ErrTooLong, "want at most %d bytes", maxHeader)
				r.ended = true
				return &r.header, r.err
			}
			r.header.lines = append(r.header.lines, string(text[1:]))
		default: // a record: it is for Next
			r.pos = r.start
			r.stats.Lines--
			r.inBody = true
		}
	}
	return &r.header, nil
}

// trim returns line without leading blanks and without the carriage returns
// that end it.
func trim(line []byte) []byte {
	for len(line) > 0 && line[len(line)-1] == '\r' {
		line = line[:len(line)-1]
	}
	for len(line) > 0 && (line[0] == ' ' || line[0] == '\t') {
		line = line[1:]
	}
	return line
}

// fail ends the reading with an error at the current line.
func (r *Reader) fail(field string, sentinel error, format string, args ...any) {
	r.err = badLine(r.stats.Lines, 0, field, sentinel, format, args...)
	r.pos, r.end = 0, 0
}

// checkComment refuses a comment with a carriage return within: in a file
// whose lines end in carriage returns alone it would hide all records.
func (r *Reader) checkComment(text []byte) error {
	if bytes.IndexByte(text, '\r') >= 0 {
		return badLine(r.stats.Lines, 0, "comment", ErrEncoding, "a carriage return within: want lines that end in line feeds")
	}
	return nil
}

// Stats returns the counts so far.
func (r *Reader) Stats() Stats { return r.stats }

// Next reads the next record into rec. At the end of the log Next returns [io.EOF] and does not
// change rec.
//
// For a line that is not a record, Next returns a *schedule.InputError with the line and the field,
// and the next call goes on with the following line. Every other error is final: Next returns it
// again at each later call. Such an error comes from the source, or from a line or a header that is
// too long.
//
// Time is O(line). Next allocates only while it reads the header and for an error.
func (r *Reader) Next(rec *Record) error {
	if !r.inBody {
		if _, err := r.Header(); err != nil {
			return err
		}
	}
	for {
		line, err := r.line()
		if err != nil {
			return err
		}
		line = trim(line)
		if len(line) == 0 {
			r.stats.Blank++
			continue
		}
		if line[0] == ';' {
			r.stats.Comments++
			if err := r.checkComment(line); err != nil {
				return err
			}
			continue
		}
		if err := r.parse(line, rec); err != nil {
			return err
		}
		r.stats.Records++
		return nil
	}
}

// Records yields the remaining records of the log. A line that is not a
// record yields its error and a zero Record; a loop that goes on gets the
// following lines. Any other error ends the sequence.
func (r *Reader) Records() iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		var rec Record
		for {
			err := r.Next(&rec)
			if err == io.EOF {
				return
			}
			if err != nil {
				if !yield(Record{}, err) || r.ended {
					return
				}
				continue
			}
			if !yield(rec, nil) {
				return
			}
		}
	}
}
