package trace

import (
	"errors"
	"io"
	"math"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
)

// A reader that is used again counts the header of the new log alone.
func TestHeaderSizeIsOfOneLog(t *testing.T) {
	const long = 1 << 19
	text := strings.Repeat("; Note: "+strings.Repeat("x", long)+"\n", maxHeader/long/3) + "1 0 0 10 1 -1 -1 1 10 -1 1 1 1 1 1 1 -1 -1\n"
	r := NewReader(strings.NewReader(text))
	for i := range 6 {
		if i > 0 {
			r.Reset(strings.NewReader(text))
		}
		var rec Record
		if err := r.Next(&rec); err != nil {
			t.Fatalf("log %d: %v", i, err)
		}
		if err := r.Next(&rec); err != io.EOF {
			t.Fatalf("log %d: %v", i, err)
		}
		if h, err := r.Header(); err != nil {
			t.Fatal(err)
		} else if v, ok := h.Get("Note"); !ok || len(v) != long {
			t.Fatalf("log %d: %d bytes of a note", i, len(v))
		}
	}
}

// The letters, digits and signs of which a key may be, at both ends of their ranges.
func TestHeaderKeys(t *testing.T) {
	for line, key := range map[string]string{" A: 1": "A", " Z: 1": "Z", " a: 1": "a", " z: 1": "z", " 0: 1": "0", " 9: 1": "9", " a_b-c: 1": "a_b-c", " @: 1": "", " [: 1": "", " `: 1": "", " {: 1": "", " /: 1": "", " :1": ""} {
		var h Header
		h.addLine(line)
		got := ""
		for k := range h.Fields() {
			got = k
		}
		if got != key {
			t.Errorf("%q has the key %q, want %q", line, got, key)
		}
	}
}

// A source that fails is told with the line that was read last.
func TestSourceErrorNamesTheLine(t *testing.T) {
	failed := errors.New("failed")
	const line = "1 0 0 10 1 -1 -1 1 10 -1 1 1 1 1 1 1 -1 -1\n"
	for lines := range 6 {
		r := NewReader(io.MultiReader(strings.NewReader(strings.Repeat(line, lines)), iotest.ErrReader(failed)))
		var rec Record
		var err error
		for err == nil {
			err = r.Next(&rec)
		}
		if want := "after line " + string(rune('0'+lines)) + ":"; !errors.Is(err, failed) || !strings.Contains(err.Error(), want) {
			t.Errorf("%d lines: %v, want %q", lines, err, want)
		}
	}
}

// Numbers of nine to twelve digits are what they say in every field.
func TestNumbersOfManyDigits(t *testing.T) {
	for _, n := range []int64{999_999_999, 1_000_000_000, 4_294_967_296, 9_000_000_000, 99_999_999_999, 999_999_999_999} {
		if n > math.MaxInt {
			continue // an int of 32 bits holds no such number, and the reader says so
		}
		number := strconv.FormatInt(n, 10)
		r := NewReader(strings.NewReader("1 0 0 10 " + number + " -1 -1 " + number + " 10 -1 1 1 1 1 1 1 -1 -1\n"))
		var rec Record
		if err := r.Next(&rec); err != nil || int64(rec.Processors) != n || int64(rec.ReqProcessors) != n {
			t.Errorf("%d: %+v, %v", n, rec, err)
		}
	}
}
