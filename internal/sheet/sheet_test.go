package sheet

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"strings"
	"testing"
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
