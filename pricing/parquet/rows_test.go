package parquet

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	pq "github.com/parquet-go/parquet-go"

	"github.com/plimsoll/plimsoll/pricing/usage"
)

// Rows passes each value as text, null as nil, maps as JSON with sorted keys, and leaves out
// lists and structures, whose values tell rows apart all the same.
func TestRowsAsTexts(t *testing.T) {
	type line struct {
		Text   string
		None   *string   `parquet:",optional"`
		Day    int32     `parquet:",date"`
		Millis time.Time `parquet:",timestamp(millisecond)"`
		Micros int64     `parquet:",timestamp(microsecond)"`
		Nanos  int64     `parquet:",timestamp(nanosecond)"`
		Price  int64     `parquet:",decimal(3:18)"`
		Small  int32     `parquet:",decimal(2:9)"`
		Whole  int32
		Float  float32
		Truth  bool
		Words  map[string]string `parquet:",optional"`
		List   []int64
		Inside struct{ A, B int64 }
		Alone  struct{ A int64 }
	}
	alone := struct{ A int64 }{1}
	past := time.Date(1969, 12, 31, 23, 59, 58, 250e6, time.UTC)
	word := "word"
	lines := []line{
		{"a", nil, 19984, past, -1, 1726696800123456789, -1234, 99, -7, .25, true, map[string]string{"b": "2", "a": "1", "": "0"}, []int64{1, 2}, struct{ A, B int64 }{1, 2}, alone},
		{"", &word, -1, past.Add(2 * time.Second), 5e12, -1, 5, -1, 7, -1e-3, false, nil, nil, struct{ A, B int64 }{1, 2}, alone},
		{"", &word, -1, past.Add(2 * time.Second), 5e12, -1, 5, -1, 7, -1e-3, false, nil, nil, struct{ A, B int64 }{1, 3}, alone},
		{"", &word, -1, past.Add(2 * time.Second), 5e12, -1, 5, -1, 7, -1e-3, false, nil, []int64{0}, struct{ A, B int64 }{1, 3}, alone},
		{"", &word, -1, past.Add(2 * time.Second), 5e12, -1, 5, -1, 7, -1e-3, false, map[string]string{}, []int64{0}, struct{ A, B int64 }{1, 3}, alone},
	}
	want := []string{
		"1 a|nil|2024-09-18|1969-12-31T23:59:58.25Z|1969-12-31T23:59:59.999999Z|2024-09-18T22:00:00.123456789Z|-1234e-3|99e-2|-7|0.25|true|{\"\":\"0\",\"a\":\"1\",\"b\":\"2\"}",
		"2 |word|1969-12-31|1970-01-01T00:00:00.25Z|1970-02-27T20:53:20Z|1969-12-31T23:59:59.999999999Z|5e-3|-1e-2|7|-0.001|false|nil",
	}
	for i := 3; i <= 5; i++ {
		want = append(want, fmt.Sprint(i, want[1][1:]))
	}
	var b bytes.Buffer
	w := pq.NewGenericWriter[line](&b)
	if _, err := w.Write(lines); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	var got []string
	raws := map[string]int{}
	read := func() error {
		return Rows(bytes.NewReader(b.Bytes()), int64(b.Len()), func(header []string) (usage.Decoder, error) {
			if s := strings.Join(header, ","); s != "Text,None,Day,Millis,Micros,Nanos,Price,Small,Whole,Float,Truth,Words" {
				t.Errorf("header %s", s)
			}
			return func(line int, row [][]byte, raw []byte) error {
				s := []string{}
				for _, f := range row {
					if f == nil {
						s = append(s, "nil")
					} else {
						s = append(s, string(f))
					}
				}
				got = append(got, fmt.Sprint(line, " ", strings.Join(s, "|")))
				raws[string(raw)]++
				return nil
			}, nil
		})
	}
	if err := read(); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if len(raws) < 4 {
		t.Errorf("%d rows are told apart, want 4 at least: they differ in a structure and a list", len(raws))
	}
	if err := read(); err != nil || len(got) != 10 {
		t.Fatal(err)
	}
	for raw, n := range raws {
		if n%2 != 0 {
			t.Errorf("a row is not the same when it is read again: %q", raw)
		}
	}
	failed := errors.New("failed")
	err := Rows(bytes.NewReader(b.Bytes()), int64(b.Len()), func([]string) (usage.Decoder, error) { return nil, failed })
	if err != failed {
		t.Errorf("%v, want that of begin", err)
	}
	calls := 0
	err = Rows(bytes.NewReader(b.Bytes()), int64(b.Len()), func([]string) (usage.Decoder, error) {
		return func(int, [][]byte, []byte) error { calls++; return failed }, nil
	})
	if err != failed || calls != 1 {
		t.Errorf("%v after %d rows, want that of the first", err, calls)
	}
}

// The least number of a byte, and of two.
func TestLeastDecimals(t *testing.T) {
	for text, want := range map[string]string{"\x80": "-128e-2", "\x7f": "127e-2", "\x80\x00": "-32768e-2", "\xff": "-1e-2"} {
		if got := string(decimal(2)(nil, pq.ByteArrayValue([]byte(text)))); got != want {
			t.Errorf("%x: %s, want %s", text, got, want)
		}
	}
}
