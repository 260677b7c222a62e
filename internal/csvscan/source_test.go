package csvscan

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// A source that fails after so many bytes: the rows that end before are read as without the
// failure, and then the error is that of the source, wherever in a row, in quotes or at the
// end of a line it comes. Buffers of all sizes, and readers of all habits, give the same.
func TestSourceFails(t *testing.T) {
	failed := errors.New("failed")
	const text = "name,cost\r\n\"a, \"\"b\"\"\n c\",1\n\nd,22\r\n\"\",\"\"\ne,5\" x\n\"last\",9"
	whole, err := newReader(strings.NewReader(text), 1<<18)
	if err != nil {
		t.Fatal(err)
	}
	rows, lines := all(whole)
	if len(rows) != 6 || whole.Err() != nil {
		t.Fatal(rows, whole.Err())
	}
	for cut := range len(text) + 1 {
		for _, size := range []int{16, 23, 64, 1 << 12} {
			for habit, wrap := range map[string]func(io.Reader) io.Reader{"whole": func(r io.Reader) io.Reader { return r }, "bytes": iotest.OneByteReader, "halves": iotest.HalfReader, "early": iotest.DataErrReader} {
				r, err := newReader(wrap(io.MultiReader(strings.NewReader(text[:cut]), iotest.ErrReader(failed))), size)
				if err != nil {
					if !errors.Is(err, failed) || cut > 2 {
						t.Fatalf("%s, %d bytes: %v", habit, cut, err)
					}
					continue
				}
				got, gotLines := all(r)
				if !errors.Is(r.Err(), failed) {
					t.Fatalf("%s, %d bytes, buffer of %d: %v, want that of the source", habit, cut, size, r.Err())
				}
				if len(got) > len(rows) || !slices.EqualFunc(got, rows[:len(got)], slices.Equal) || !slices.Equal(gotLines, lines[:len(got)]) {
					t.Fatalf("%s, %d bytes, buffer of %d: %q on lines %v, want the first of %q on %v", habit, cut, size, got, gotLines, rows, lines)
				}
				// A row is there at the latest when the one after it has begun.
				want := 0
				for i := range rows {
					if i+1 < len(lines) && strings.Count(text[:cut], "\n") >= lines[i+1] {
						want = i + 1
					}
				}
				if len(got) < want {
					t.Fatalf("%s, %d bytes, buffer of %d: %d rows, want %d at least", habit, cut, size, len(got), want)
				}
				if r.Next() {
					t.Fatalf("%s, %d bytes: a row after the error", habit, cut)
				}
			}
		}
	}
	// A source that gives nothing, again and again, ends in an error.
	r, err := newReader(io.MultiReader(strings.NewReader("a,b\n1,"), idle{}), 1<<12)
	if err == nil {
		all(r)
		err = r.Err()
	}
	if !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("a source that gives nothing: %v", err)
	}
}

// idle gives no bytes and no error.
type idle struct{}

func (idle) Read([]byte) (int, error) { return 0, nil }
