package csvscan

import (
	"compress/gzip"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// zipped reads a source as gzip data.
func zipped(r io.Reader) io.Reader {
	text, err := io.ReadAll(r)
	if err != nil {
		panic(err)
	}
	return strings.NewReader(zip(string(text)))
}

// An error of the source stays what it is, unless the source is gzip data and the error is
// about these.
func TestErrorsOfTheSource(t *testing.T) {
	failed := errors.New("failed")
	data := zip("a,b\n" + strings.Repeat("1,2\n", 1000))
	for _, c := range []struct {
		name string
		src  io.Reader
		want error
		ours bool
	}{
		{"plain, cut by its source", io.MultiReader(strings.NewReader("a,b\n1,"), iotest.ErrReader(io.ErrUnexpectedEOF)), io.ErrUnexpectedEOF, false},
		{"plain, failed", io.MultiReader(strings.NewReader("a,b\n1,"), iotest.ErrReader(failed)), failed, false},
		{"gzip, failed", io.MultiReader(strings.NewReader(data[:len(data)/2]), iotest.ErrReader(failed)), failed, false},
		{"gzip, cut", strings.NewReader(data[:len(data)/2]), ErrTruncated, true},
		{"failed once, at the beginning", &failsOnce{err: failed, then: strings.NewReader("a,b\n1,2\n")}, failed, false},
	} {
		r, err := NewReader(c.src)
		if err == nil {
			all(r)
			err = r.Err()
		}
		var e *Error
		if !errors.Is(err, c.want) || errors.As(err, &e) != c.ours {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// failsOnce fails at its first read.
type failsOnce struct {
	err  error
	then io.Reader
}

func (f *failsOnce) Read(p []byte) (int, error) {
	if err := f.err; err != nil {
		f.err = nil
		return 0, err
	}
	return f.then.Read(p)
}

// Two quotes are one, and one at the end, which no field has, stays.
func TestUnescape(t *testing.T) {
	for raw, want := range map[string]string{"": "", "a": "a", `""`: `"`, `a""b""`: `a"b"`, `a"`: `a"`, `""""`: `""`} {
		if got := string(unescape([]byte("x"), []byte(raw))); got != "x"+want {
			t.Errorf("%s is %s, want %s", raw, got[1:], want)
		}
	}
}

// A file without its last line's end may be cut; one with it has a wrong row. Neither
// depends on how the source hands out its bytes, or on whether it is longer than the buffer.
func TestCutOrWrong(t *testing.T) {
	long := "a,b\n" + strings.Repeat("1,2\n", 100)
	for _, c := range []struct {
		text string
		want error
	}{
		{long + "3", ErrTruncated},
		{long + "3\n", ErrFields},
		{long + "3\r", ErrTruncated},
		{long + "3\n4,5\n", ErrFields},
		{long + "3\n\n", ErrFields},
		{long + "3,4,5", ErrFields},
	} {
		for name, habit := range map[string]func(io.Reader) io.Reader{"whole": func(r io.Reader) io.Reader { return r },
			"byte by byte": iotest.OneByteReader, "end with the data": iotest.DataErrReader, "gzip": zipped} {
			for _, size := range []int{16, 1 << 18} {
				r, err := newReader(habit(strings.NewReader(c.text)), size)
				if err != nil {
					t.Fatal(err)
				}
				if rows, _ := all(r); r.Err() == nil || !errors.Is(r.Err(), c.want) || len(rows) != 101 {
					t.Errorf("%q, %s, buffer of %d: %v after %d rows, want %v after 101", c.text[len(long):], name, size, r.Err(), len(rows), c.want)
				}
				was := r.Err()
				if r.Next() || r.Err() != was {
					t.Errorf("%q, %s: a row after the error, then %v", c.text[len(long):], name, r.Err())
				}
			}
		}
	}
}

// Gzip data whose first block is damaged are an error of line 1, by its name.
func TestZipDamagedAtOnce(t *testing.T) {
	data := []byte(zip("a,b\n1,2\n"))
	data[10] = 0xff // the kind of the first block
	_, err := NewReader(strings.NewReader(string(data)))
	var e *Error
	if !errors.As(err, &e) || e.Line != 1 || !errors.Is(err, ErrEncoding) {
		t.Errorf("%v, want an *Error of line 1", err)
	}
	if errors.Is(err, gzip.ErrHeader) {
		t.Errorf("%v: the header was right", err)
	}
}
