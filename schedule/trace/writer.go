package trace

import (
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/internal/inputerr"
)

// A Writer writes a log in the Standard Workload Format as plain text: the 18 fields of a record,
// separated by spaces, with times in seconds and as many decimals as needed. A [Reader] returns the
// header and the records unchanged. To write gzip, pass a gzip.Writer to Reset, and close the
// gzip.Writer after Flush. Call Reset before you use the zero value: without a Reset, the methods
// that write panic.
type Writer struct {
	dst     io.Writer
	buf     []byte
	err     error // sticky
	records int
}

// NewWriter returns a Writer to dst. It panics if dst is nil.
func NewWriter(dst io.Writer) *Writer {
	w := new(Writer)
	w.Reset(dst)
	return w
}

// Reset makes w write to dst, and keeps w's memory. Unflushed records are lost. It panics
// if dst is nil.
func (w *Writer) Reset(dst io.Writer) {
	if dst == nil {
		panic("trace: nil destination")
	}
	w.dst = dst
	w.buf = w.buf[:0]
	w.err = nil
	w.records = 0
}

// WriteHeader writes the header's lines. It refuses a line that holds a line
// feed or a carriage return with a *schedule.InputError that names the header's line from 1,
// before it writes any. It panics after the first record.
func (w *Writer) WriteHeader(h *Header) error {
	if w.records > 0 {
		panic("trace: header after the first record")
	}
	if w.err != nil {
		return w.err
	}
	for i, l := range h.lines {
		if len(l)+2 > maxLine {
			return badLine(i+1, 0, "header", ErrTooLong, "%q: want at most %d bytes", inputerr.Cut([]byte(l)), maxLine)
		}
		if strings.ContainsAny(l, "\r\n") {
			return badLine(i+1, 0, "header", ErrEncoding, "%q: want no line feed or carriage return", inputerr.Cut([]byte(l)))
		}
	}
	for _, l := range h.lines {
		w.buf = append(w.buf, ';')
		w.buf = append(w.buf, l...)
		w.buf = append(w.buf, '\n')
		w.flushFrom(bufferSize)
	}
	return w.err
}

// Write writes one record. It refuses, with a *schedule.InputError, a record whose
// memory is infinite or not a number. Other errors are of the destination,
// and every later call returns them again.
func (w *Writer) Write(rec *Record) error {
	if w.err != nil {
		return w.err
	}
	for _, m := range [2]struct {
		x    float64
		name string
	}{{rec.Memory, "Memory"}, {rec.ReqMemory, "ReqMemory"}} {
		if math.IsNaN(m.x) || math.IsInf(m.x, 0) {
			return badInput("Records."+m.name, w.records, ErrNumber, "%v: want a finite number", m.x)
		}
	}
	w.records++
	b := w.buf
	b = strconv.AppendInt(b, rec.ID, 10)
	b = appendSeconds(append(b, ' '), rec.Submit)
	b = appendSeconds(append(b, ' '), rec.Wait)
	b = appendSeconds(append(b, ' '), rec.Run)
	b = strconv.AppendInt(append(b, ' '), int64(rec.Processors), 10)
	b = appendSeconds(append(b, ' '), rec.CPU)
	b = strconv.AppendFloat(append(b, ' '), rec.Memory+0, 'f', -1, 64)
	b = strconv.AppendInt(append(b, ' '), int64(rec.ReqProcessors), 10)
	b = appendSeconds(append(b, ' '), rec.ReqTime)
	b = strconv.AppendFloat(append(b, ' '), rec.ReqMemory+0, 'f', -1, 64)
	b = strconv.AppendInt(append(b, ' '), int64(rec.Status), 10)
	b = strconv.AppendInt(append(b, ' '), int64(rec.User), 10)
	b = strconv.AppendInt(append(b, ' '), int64(rec.Group), 10)
	b = strconv.AppendInt(append(b, ' '), int64(rec.Executable), 10)
	b = strconv.AppendInt(append(b, ' '), int64(rec.Queue), 10)
	b = strconv.AppendInt(append(b, ' '), int64(rec.Partition), 10)
	b = strconv.AppendInt(append(b, ' '), rec.Preceding, 10)
	b = appendSeconds(append(b, ' '), rec.Think)
	w.buf = append(b, '\n')
	w.flushFrom(bufferSize)
	return w.err
}

// Flush writes the buffered records to the destination.
func (w *Writer) Flush() error {
	w.flushFrom(1)
	return w.err
}

// flushFrom writes the buffer out once it has size bytes.
func (w *Writer) flushFrom(size int) {
	if w.err != nil || len(w.buf) < size {
		return
	}
	n, err := w.dst.Write(w.buf)
	if err == nil && n < len(w.buf) {
		err = io.ErrShortWrite
	}
	w.err = err
	w.buf = w.buf[:0]
}

// appendSeconds appends d in seconds with as few decimals as it needs.
func appendSeconds(b []byte, d time.Duration) []byte {
	u := uint64(d)
	if d < 0 {
		b = append(b, '-')
		u = -u
	}
	b = strconv.AppendUint(b, u/uint64(time.Second), 10)
	u %= uint64(time.Second)
	if u == 0 {
		return b
	}
	b = append(b, '.')
	for u > 0 {
		u *= 10
		b = append(b, byte('0'+u/uint64(time.Second)))
		u %= uint64(time.Second)
	}
	return b
}
