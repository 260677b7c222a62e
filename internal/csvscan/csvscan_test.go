package csvscan

import (
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	_ "github.com/plimsoll/plimsoll/internal/seeded"
	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll/internal/allocs"
	"github.com/plimsoll/plimsoll/internal/shared"
)

// all reads all rows, with the line of each.
func all(r *Reader) (rows [][]string, lines []int) {
	for r.Next() {
		var row []string
		for i := range r.Len() {
			row = append(row, string(r.Field(i)))
		}
		rows = append(rows, row)
		lines = append(lines, r.Line())
	}
	return rows, lines
}

func TestReader(t *testing.T) {
	for _, c := range []struct {
		text  string
		want  [][]string
		lines []int
	}{
		{"", nil, nil},
		{"a,b", [][]string{{"a", "b"}}, []int{1}},
		{"a,b\n1,2\n", [][]string{{"a", "b"}, {"1", "2"}}, []int{1, 2}},
		{"\ufeffa,b\r\n1,2\r\n", [][]string{{"a", "b"}, {"1", "2"}}, []int{1, 2}},
		{"a,b\n\n1,2\n\r\n3,4\n\n", [][]string{{"a", "b"}, {"1", "2"}, {"3", "4"}}, []int{1, 3, 5}},
		{"a,b\n,\n\"\",\"\"\n", [][]string{{"a", "b"}, {"", ""}, {"", ""}}, []int{1, 2, 3}},
		{"a,b\n\"x,\"\"y\"\"\n,z\",\"\"\"\"\n5,6", [][]string{{"a", "b"}, {"x,\"y\"\n,z", "\""}, {"5", "6"}}, []int{1, 2, 4}},
		{"a,b\n{\"k\":1},5\" disk\n", [][]string{{"a", "b"}, {"{\"k\":1}", "5\" disk"}}, []int{1, 2}},
		{"\"a\",\"b\"\r\n\"1\",\"2\"\r", [][]string{{"a", "b"}, {"1", "2"}}, []int{1, 2}},
		{"a,b\n1,\"2\"", [][]string{{"a", "b"}, {"1", "2"}}, []int{1, 2}},
		{"\"a\"", [][]string{{"a"}}, []int{1}},
		{"a,b\n\"eight or more\",\"bytes of text\"", [][]string{{"a", "b"}, {"eight or more", "bytes of text"}}, []int{1, 2}},
		{"a;b\n1,5;2\n", [][]string{{"a", "b"}, {"1,5", "2"}}, []int{1, 2}},
		{"a\tb\n1,5\t2\n", [][]string{{"a", "b"}, {"1,5", "2"}}, []int{1, 2}},
		{"\"a;;;b\",c\n1,2\n", [][]string{{"a;;;b", "c"}, {"1", "2"}}, []int{1, 2}},
		{"a\n1\n", [][]string{{"a"}, {"1"}}, []int{1, 2}},
		{"a,b\nx\ry,\r\n", [][]string{{"a", "b"}, {"x\ry", ""}}, []int{1, 2}},
	} {
		for _, size := range []int{16, 1 << 18} {
			for name, src := range map[string]io.Reader{"": strings.NewReader(c.text), "byte by byte ": iotest.OneByteReader(strings.NewReader(c.text)), "half ": iotest.HalfReader(strings.NewReader(c.text))} {
				r, err := newReader(src, size)
				if err != nil {
					t.Errorf("%q: %v", c.text, err)
					continue
				}
				rows, lines := all(r)
				if r.Err() != nil || !slices.EqualFunc(rows, c.want, slices.Equal) || !slices.Equal(lines, c.lines) {
					t.Errorf("%s%q, buffer of %d: %q at %v, %v; want %q at %v", name, c.text, size, rows, lines, r.Err(), c.want, c.lines)
				}
			}
		}
	}
}

func zip(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write([]byte(text))
	w.Close()
	return b.String()
}

func TestErrors(t *testing.T) {
	zipped := zip("a,b\n" + strings.Repeat("1,2\n", 100_000))
	broken := []byte(zipped)
	broken[len(broken)/2] ^= 0xff
	for _, c := range []struct {
		text string
		line int
		want error
		says string
	}{
		{"a,b\n1,2,3\n", 2, ErrFields, "line 2: wrong number of fields: 3: want 2, as in the header"},
		{"a,b\n\n1\n2,3\n", 3, ErrFields, "1: want 2"},
		{"a,b\n1,2\n3", 3, ErrTruncated, "line 3: data end too early: in the middle of a row, after 1 fields of 2"},
		{"a,b\n\"1\n\n,2\n", 2, ErrTruncated, "within quotes"},
		{"a,b\n\"1\"x,2\n", 2, ErrQuote, "misplaced quote: \"x\" after a closing quote"},
		{"a,b\n\"1\"\rx,2\n", 2, ErrQuote, "misplaced quote: \"\\r\" after a closing quote"},
		{"a,b\n\"1\"x\n", 2, ErrQuote, "misplaced quote: \"x\" after a closing quote"},
		{"\xff\xfea\x00,\x00", 1, ErrEncoding, "UTF-16"},
		{zipped[:len(zipped)/2], 0, ErrTruncated, "in the middle of gzip data"},
		{zipped[:len(zipped)-3], 0, ErrTruncated, "in the middle of gzip data"},
		{zipped[:5], 1, ErrTruncated, "in the middle of gzip data"},
		{string(broken), 0, ErrEncoding, "want plain text or gzip data"},
	} {
		r, err := NewReader(strings.NewReader(c.text))
		if err == nil {
			all(r)
			err = r.Err()
		}
		var e *Error
		if !errors.As(err, &e) || !errors.Is(err, c.want) || c.line > 0 && e.Line != c.line || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%.20q: %v; want line %d, %v, %s", c.text, err, c.line, c.want, c.says)
		}
	}
	failed := errors.New("failed")
	for _, text := range []string{"", "a,b\n1", "a,b\n1,2\n"} {
		r, err := NewReader(io.MultiReader(strings.NewReader(text), iotest.ErrReader(failed)))
		if err == nil {
			all(r)
			err = r.Err()
		}
		if err != failed {
			t.Errorf("%q: %v, want the error of the source", text, err)
		}
	}
	r, err := NewReader(strings.NewReader("a,b\n\"" + strings.Repeat("x", MaxRow+1)))
	if err != nil {
		t.Fatal(err)
	}
	if all(r); !errors.Is(r.Err(), ErrTooLong) {
		t.Errorf("a row without end: %v", r.Err())
	}
}

func TestSpan(t *testing.T) {
	r, err := NewReader(strings.NewReader("a,\"b\",\"c\"\"\",d\n"))
	if err != nil || !r.Next() {
		t.Fatal(err)
	}
	if got := string(r.Span(1, 2)); got != "b\",\"c\"\"" {
		t.Errorf("%q", got)
	}
	if got := string(r.Span(0, 0)) + string(r.Field(2)); got != "ac\"" {
		t.Errorf("%q", got)
	}
}

func TestZip(t *testing.T) {
	r, err := NewReader(strings.NewReader(zip("\ufeffa,b\n") + zip("1,2\n3,4\n")))
	if err != nil {
		t.Fatal(err)
	}
	rows, _ := all(r)
	if r.Err() != nil || !slices.EqualFunc(rows, [][]string{{"a", "b"}, {"1", "2"}, {"3", "4"}}, slices.Equal) {
		t.Errorf("%q, %v", rows, r.Err())
	}
}

// What encoding/csv writes is read as encoding/csv reads it, through any buffer.
func TestAgainstStandard(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		columns := rapid.IntRange(1, 5).Draw(t, "columns")
		var b bytes.Buffer
		w := csv.NewWriter(&b)
		w.UseCRLF = rapid.Bool().Draw(t, "crlf")
		for i := range rapid.IntRange(1, 8).Draw(t, "rows") {
			row := make([]string, columns)
			for j := range row {
				row[j] = rapid.StringOfN(rapid.SampledFrom([]rune("ab,\"\n;é 0123456789")), 0, 20, -1).Draw(t, "field")
				if i == 0 {
					row[j] = rapid.StringMatching("[a-z]{1,9}").Draw(t, "name")
				}
			}
			if err := w.Write(row); err != nil {
				t.Fatal(err)
			}
		}
		w.Flush()
		want, err := csv.NewReader(bytes.NewReader(b.Bytes())).ReadAll()
		if err != nil {
			t.Skip("a row of one empty field is an empty line")
		}
		r, err := newReader(bytes.NewReader(b.Bytes()), rapid.IntRange(4, 60).Draw(t, "buffer"))
		if err != nil {
			t.Fatal(err)
		}
		got, _ := all(r)
		for _, row := range got {
			for j := range row { // encoding/csv drops the carriage returns of CRLF within quotes
				row[j] = strings.ReplaceAll(row[j], "\r\n", "\n")
			}
		}
		if r.Err() != nil || !slices.EqualFunc(got, want, slices.Equal) {
			t.Fatalf("%q\n%q, %v\nwant %q", b.String(), got, r.Err(), want)
		}
	})
}

// Whatever the text: no panic, rows of one length, and the same rows through a
// small buffer.
func FuzzReader(f *testing.F) {
	for _, s := range []string{"a,b\n1,2\n", "\"a\"\"\",b\r\n\n\"\n\",2", "a;b\n1;\"", "\ufeffa\tb\n", zip("a,b\n1,2\n"), "\x1f\x8b\x08", "a,b\r\r\n,\"x\"\r"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := NewReader(bytes.NewReader(data))
		if err != nil {
			return
		}
		rows, lines := all(r)
		for i, row := range rows {
			if len(row) != len(rows[0]) || i > 0 && lines[i] <= lines[i-1] {
				t.Fatalf("row %d of %d fields at line %d", i, len(row), lines[i])
			}
		}
		if len(data) > 1000 || r.zip {
			return
		}
		small, err := newReader(iotest.OneByteReader(bytes.NewReader(data)), 1024)
		if err != nil {
			t.Fatal(err)
		}
		again, _ := all(small)
		if !slices.EqualFunc(rows, again, slices.Equal) || (r.Err() == nil) != (small.Err() == nil) {
			t.Fatalf("%q, %v; byte by byte %q, %v", rows, r.Err(), again, small.Err())
		}
	})
}

func TestAllocs(t *testing.T) {
	text := []byte("a,b,c\n" + strings.Repeat("1,\"x \"\"y\"\"\",2024-09-18\n", 5000))
	src := bytes.NewReader(text)
	r, err := NewReader(src)
	if err != nil {
		t.Fatal(err)
	}
	for range 10 {
		if !r.Next() {
			t.Fatal(r.Err())
		}
		r.Field(1)
	}
	if n := allocs.Once(func() {
		for range 1000 {
			if !r.Next() || len(r.Field(1)) != 5 || len(r.Row()) == 0 {
				t.Fatal(r.Err())
			}
		}
	}); n != 0 {
		t.Errorf("%v allocations in 1000 rows", n)
	}
}

// bill is a bill of about 1 kB a row.
func bill(b *testing.B) []byte {
	path := shared.File(b, "inputs/focus/aws_1_3_cost_and_usage_rows100_seed42.csv")
	data, err := os.ReadFile(path)
	if err != nil {
		b.Fatal(err)
	}
	head, rows, _ := bytes.Cut(data, []byte("\n"))
	text := append(slices.Clone(head), '\n')
	for range 100 {
		text = append(text, rows...)
	}
	return text
}

func BenchmarkReader(b *testing.B) {
	text := bill(b)
	b.Run("csvscan", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			r, err := NewReader(bytes.NewReader(text))
			if err != nil {
				b.Fatal(err)
			}
			for r.Next() {
			}
			if r.Err() != nil {
				b.Fatal(r.Err())
			}
		}
	})
	b.Run("encoding-csv", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			r := csv.NewReader(bytes.NewReader(text))
			r.ReuseRecord = true
			for {
				if _, err := r.Read(); err == io.EOF {
					break
				} else if err != nil {
					b.Fatal(err)
				}
			}
		}
	})
}
