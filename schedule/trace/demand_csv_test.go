package trace

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/inputerr"
)

func TestReadDemand(t *testing.T) {
	for _, c := range []struct {
		text string
		want []int
		err  error
		says string
	}{
		{"n\n0\n7\n", []int{0, 7}, nil, ""},
		{"\xef\xbb\xbfn\r\n1\r\n2", []int{1, 2}, nil, ""},
		{"instances\n 3 \n\n \n", []int{3}, nil, ""},
		{"n\n2147483647\n", []int{math.MaxInt32}, nil, ""},
		{"", nil, ErrEmpty, "line 1 (header): no demand: the file is empty"},
		{"\n \n", nil, ErrEmpty, "the file is empty"},
		{"instances\n", nil, ErrEmpty, "no demand: nothing after the header line"},
		{"instances\n\n\n", nil, ErrEmpty, "no demand: nothing after the header line"},
		{"12\n13\n", nil, ErrHeader, `line 1 (header): no header line: "12": want a header, such as instances`},
		{"\n12\n13\n", nil, ErrHeader, `line 1 (header): no header line: ""`},
		{"instances\n1\n-3\n2\n", nil, ErrRange, `line 3 (instances): value out of range: "-3": want a whole number of instances, 0 to 2147483647`},
		{"instances\n1\n2.5\n", nil, ErrWhole, `line 3 (instances): not a whole number: "2.5"`},
		{"instances\n1\n\n2\n", nil, ErrNumber, `line 3 (instances): not a number: ""`},
		{"instances\nmany\n", nil, ErrNumber, `line 2 (instances): not a number: "many"`},
		{"instances\n1,2\n", nil, ErrNumber, `line 2 (instances): not a number: "1,2"`},
		{"instances\n1e3\n", nil, ErrWhole, "in digits"},
		{"instances\nNaN\n", nil, ErrWhole, "line 2"},
		{"instances\n2147483648\n", nil, ErrRange, "line 2"},
		{"instances\n" + strings.Repeat("9", 400) + "\n", nil, ErrRange, `value out of range: "9999`},
		{"\xff\xfei\x00\n", nil, ErrEncoding, "line 1"},
		{"n\n" + strings.Repeat("1", maxLine+1), nil, ErrTooLong, "line 2"},
	} {
		var zipped bytes.Buffer
		w := gzip.NewWriter(&zipped)
		w.Write([]byte(c.text))
		w.Close()
		for _, text := range []string{c.text, zipped.String()} {
			got, err := ReadDemand(strings.NewReader(text))
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("%.40q (-want +got):\n%s", c.text, diff)
			}
			var in *inputerr.Error
			if c.err != nil && (!errors.Is(err, c.err) || !errors.As(err, &in) || !strings.Contains(err.Error(), c.says)) || c.err == nil && err != nil {
				t.Errorf("%.40q: %v, want %v that says %q", c.text, err, c.err, c.says)
			}
		}
	}
	if _, err := ReadDemand(iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader("n\n1\n")))); !errors.Is(err, iotest.ErrTimeout) {
		t.Errorf("%v, want the error of the source", err)
	}
}

func TestWriteDemand(t *testing.T) {
	long := make([]int, 10_000)
	for s := range long {
		long[s] = s * 200_000
	}
	for _, demand := range [][]int{{0}, {3, 1, math.MaxInt32}, long} {
		var b bytes.Buffer
		if err := WriteDemand(&b, demand); err != nil {
			t.Fatal(err)
		}
		got, err := ReadDemand(&b)
		if diff := cmp.Diff(demand, got); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
	}
	var b bytes.Buffer
	if err := WriteDemand(&b, nil); err != nil || b.String() != "instances\n" {
		t.Errorf("%q, %v", b.String(), err)
	}
	b.Reset()
	var in *inputerr.Error
	if err := WriteDemand(&b, []int{1, -1}); !errors.As(err, &in) || in.Index != 1 || !errors.Is(err, ErrRange) || b.Len() > 0 {
		t.Errorf("%v after %q", err, b.String())
	}
	for _, demand := range [][]int{nil, long} {
		if err := WriteDemand(failing{io.ErrClosedPipe}, demand); err != io.ErrClosedPipe {
			t.Error("the error of the destination is lost")
		}
	}
}

// What is read, written and read again is the same, and nothing panics.
func FuzzReadDemand(f *testing.F) {
	for _, s := range []string{"n\n1\n2\n", "", "n\n\n1", "1\n", "n\n-1\n", "\x1f\x8b", "n\r\n+7\r\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		demand, err := ReadDemand(bytes.NewReader(text))
		if err != nil {
			return
		}
		var b bytes.Buffer
		if err := WriteDemand(&b, demand); err != nil {
			t.Fatal(err)
		}
		again, err := ReadDemand(&b)
		if diff := cmp.Diff(demand, again); err != nil || diff != "" {
			t.Fatal(err, diff)
		}
	})
}
