package sheet

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/pricing/usage"
)

func TestSheet(t *testing.T) {
	const text = "\xef\xbb\xbfName, Cost\r\n\"a,\"\"b\"\"\", 1\r\n\r\nc,2\n"
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	io.WriteString(z, text)
	z.Close()
	for _, src := range []string{text, zipped.String()} {
		s, err := Open("p", strings.NewReader(src), strings.ToLower)
		if err != nil {
			t.Fatal(err)
		}
		if !s.Has("cost") || s.Has("x") || s.Need("name", "cost") != nil {
			t.Error("columns are not found")
		}
		var got []string
		for {
			err := s.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, s.Get("name")+"="+s.Get("cost")+s.Get("x"))
		}
		if strings.Join(got, ";") != `a,"b"=1;c=2` {
			t.Errorf("%q", got)
		}
	}
	s, _ := Open("p", strings.NewReader("a,b\n1\n"), strings.ToLower)
	if err := s.Next(); !errors.Is(err, ErrSyntax) || !strings.Contains(err.Error(), "p: line 2 (line): malformed table: 1 columns: want 2") {
		t.Error(err)
	}
	if err := s.Need("c"); !errors.Is(err, ErrMissing) || !strings.Contains(err.Error(), "no column c") {
		t.Error(err)
	}
	if _, err := Open("p", strings.NewReader(""), strings.ToLower); !errors.Is(err, ErrMissing) {
		t.Error(err)
	}
	s, err := Open("p", bytes.NewReader(zipped.Bytes()[:zipped.Len()-6]), strings.ToLower)
	for err == nil {
		err = s.Next()
	}
	if !errors.Is(err, ErrTruncated) {
		t.Error(err)
	}
	s, _ = Open("p", strings.NewReader("a,b\n1,\"2\n"), strings.ToLower)
	if err := s.Next(); !errors.Is(err, ErrSyntax) {
		t.Error(err)
	}
}

// Columns, lines and rows are named as they stand in the file, and the first of two columns
// of one name counts.
func TestSheetSays(t *testing.T) {
	s, err := Open("p", strings.NewReader("Name,Cost (USD),name,\n\na,1,b,x\n \nc,2,d,y\n"), func(name string) string {
		if i := strings.IndexByte(name, ' '); i >= 0 {
			name = name[:i]
		}
		return strings.ToLower(name)
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []struct {
		line            int
		name, cost, raw string
	}{{3, "a", "1", "a\x001\x00b\x00x\x00"}, {5, "c", "2", "c\x002\x00d\x00y\x00"}} {
		if err := s.Next(); err != nil {
			t.Fatal(err)
		}
		if s.Line() != want.line || s.Get("name") != want.name || s.Get("cost") != want.cost || s.Get("") != "" || string(s.Raw([]byte("!"))) != "!"+want.raw {
			t.Errorf("line %d: %s, %s, %q, want %+v", s.Line(), s.Get("name"), s.Get("cost"), s.Raw(nil), want)
		}
	}
	for key, want := range map[string]string{
		"cost": "p: line 5, column 2 (Cost (USD)): malformed table: 7: want 8",
		"name": "p: line 5, column 1 (Name): malformed table: 7: want 8",
		"else": "p: line 5 (else): malformed table: 7: want 8",
	} {
		if got := s.Bad(key, ErrSyntax, "%d: want 8", 7).Error(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if err := s.Next(); err != io.EOF {
		t.Error(err)
	}
	if s.Has("") || s.Need("cost", "x") == nil {
		t.Error("columns that are not there")
	}
	for text, want := range map[string]error{
		"\x1f\x8b":                     ErrTruncated,
		"\x1f\x8b\x08":                 ErrTruncated,
		"\x1f\x8bxxxxxxxxxxxxxxxxxxxx": ErrSyntax,
		"a,\"b":                        ErrSyntax,
	} {
		if _, err := Open("p", strings.NewReader(text), strings.ToLower); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", text, err, want)
		}
	}
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	io.WriteString(z, "a,b\n1,2\n")
	z.Close()
	data := zipped.Bytes()
	data[len(data)-6] ^= 1 // in the checksum
	s, err = Open("p", bytes.NewReader(data), strings.ToLower)
	for err == nil {
		err = s.Next()
	}
	if !errors.Is(err, ErrSyntax) {
		t.Errorf("a wrong checksum: %v", err)
	}
	failed := errors.New("failed")
	if _, err := Open("p", io.MultiReader(strings.NewReader("a"), failing{failed}), strings.ToLower); err != failed {
		t.Errorf("%v, want that of the source", err)
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// A row's amounts and those of the rows that come with it reach the collector. An error is that
// of the first row that cannot be read.
func TestCollect(t *testing.T) {
	open := func(text string) *Sheet {
		s, err := Open("p", strings.NewReader(text), strings.ToLower)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	collect := func(s *Sheet) (total string, err error) {
		var c usage.Collector
		c.Begin("a", "a table")
		at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		err = s.Collect(&c, func() (row usage.Row, others []usage.Row, err error) {
			row = usage.Row{Line: s.Line(), Account: "a", Currency: "USD", Start: at, End: at.Add(time.Hour), Reason: usage.Tax}
			err = s.Amount("cost", &row.Billed)
			row.Effective = row.Billed
			other := row
			return row, []usage.Row{other}, err
		})
		if err != nil {
			return "", err
		}
		bill, err := c.Bill()
		if err != nil {
			return "", err
		}
		left := bill.Months[0].Left
		return fmt.Sprint(left.Rows, " ", left.Billed), nil
	}
	if got, err := collect(open("name,cost\na,1.25\nb,\nc,null\nd,NULL\ne,2\n")); got != "10 6.5" || err != nil {
		t.Errorf("%s, %v: want 10 rows, twice 3.25", got, err)
	}
	for text, says := range map[string]string{
		"name,cost\na,1\nb,x\n":   "line 3, column 2 (cost)",
		"name,cost\na,1\nb\n":     "line 3",
		"name,cost\na,1\na,1\n":   "line 3",
		"name,cost\n\"a,1\nb,2\n": "line",
	} {
		if _, err := collect(open(text)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, want %s", text, err, says)
		}
	}
}
