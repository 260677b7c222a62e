package billtable

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/plimsoll/plimsoll/internal/allocs"
	"github.com/plimsoll/plimsoll/internal/csvscan"
	"github.com/plimsoll/plimsoll/internal/inputerr"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/pricing/usage"
)

func TestOpen(t *testing.T) {
	r, header, err := open("focus", "a FOCUS export", strings.NewReader("a,b\n1,2\n"))
	if err != nil || len(header) != 2 || header[1] != "b" || !r.Next() || string(r.Field(0)) != "1" {
		t.Errorf("%v, %q", err, header)
	}
	for text, want := range map[string]string{
		"":                 "focus: line 1: not a bill of this form: the file is empty: want a FOCUS export",
		"\n\n":             "focus: line 1: not a bill of this form: the file is empty: want a FOCUS export",
		"\xff\xfea\x00":    "focus: line 1: not a bill of this form: unreadable encoding: UTF-16: want UTF-8",
		"\"a":              "focus: line 1: file ends too early: within quotes: want the closing quote",
		"\"a\"b,c":         "focus: line 1: malformed text: misplaced quote: \"b\" after a closing quote: want a separator",
		"\x1f\x8b\x08\x00": "focus: line 1: file ends too early: in the middle of gzip data: want the whole file",
	} {
		_, _, err := open("focus", "a FOCUS export", strings.NewReader(text))
		var in *pricing.InputError
		if !errors.As(err, &in) || err.Error() != want {
			t.Errorf("%q: %v\nwant %s", text, err, want)
		}
	}
	failed := errors.New("failed")
	if _, _, err := open("focus", "", iotest.ErrReader(failed)); err != failed {
		t.Errorf("%v, want that of the source", err)
	}
	focus := &Table{pkg: "focus"}
	if err := focus.In(io.EOF); err != io.EOF {
		t.Error(err)
	}
	_, err = usage.ParseTime("x")
	if got := focus.In(err).(*pricing.InputError).Package; got != "focus" {
		t.Errorf("package %s", got)
	}
	for err, want := range map[error]error{csvscan.ErrTooLong: usage.ErrSyntax, csvscan.ErrFields: usage.ErrSyntax, io.EOF: usage.ErrSyntax} {
		if got := tableError("focus", &csvscan.Error{Line: 7, Err: err}); !errors.Is(got, want) || !strings.HasPrefix(got.Error(), "focus: line 7: ") {
			t.Errorf("%v becomes %v", err, got)
		}
	}
}

func TestNames(t *testing.T) {
	for in, want := range map[string]string{"BilledCost": "billedcost", "billed_cost": "billedcost", "lineItem/UsageType": "lineitemusagetype", " Größe (GB) ": "größegb", "x_SkuDetails": "xskudetails", "AZaz09@[`{/:\x7f": "azaz09", "\u0080": "\u0080"} {
		if got := Name(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	for in, want := range map[string]bool{"": true, "NULL": true, "null": true, "Null": true, "nul": false, "nulls": false, "0": false, "xull": false, "nxll": false, "nuxl": false, "nulx": false, "null ": false} {
		if Null([]byte(in)) != want {
			t.Errorf("%q is null: %v", in, !want)
		}
	}
}

func TestRuns(t *testing.T) {
	got := fmt.Sprint(runs([]int{7, 1, 2, 3, 9, 8}), runs(nil))
	if want := "[[1 3] [7 9]] []"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestClock(t *testing.T) {
	var c clock
	for round := range 3 {
		for h := range 6 {
			text := "2024-09-18 " + string(rune('0'+h/10)) + string(rune('0'+h%10)) + ":00:00"
			if got, err := c.parse([]byte(text)); err != nil || !got.Equal(time.Date(2024, 9, 18, h, 0, 0, 0, time.UTC)) {
				t.Errorf("round %d: %s: %v, %v", round, text, got, err)
			}
		}
	}
	for _, bad := range []string{"", "x"} {
		if _, err := c.parse([]byte(bad)); !errors.Is(err, usage.ErrSyntax) {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if n := allocs.Once(func() {
		for _, s := range [][]byte{[]byte("2024-09-18 01:00:00"), []byte("2024-09-18 02:00:00")} {
			c.parse(s)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
	// Times that are remembered are not those of a text that was overwritten.
	text := []byte("2024-09-18 01:00:00")
	for _, hour := range "12345612" {
		text[12] = byte(hour)
		if got, err := c.parse(text); err != nil || got.Hour() != int(hour-'0') {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
}

func TestMemo(t *testing.T) {
	var m Memo[int]
	get := func(fields ...string) (int, bool) {
		m.Begin()
		for _, f := range fields {
			m.Add([]byte(f))
		}
		v, ok := m.Get()
		if !ok {
			return 0, false
		}
		return *v, true
	}
	put := func(v int, fields ...string) {
		get(fields...)
		m.Put(&v)
	}
	put(1, "a", "b")
	put(2, "ab", "")
	if v, ok := get("a", "b"); v != 1 || !ok {
		t.Error(v, ok)
	}
	if v, ok := get("ab", ""); v != 2 || !ok {
		t.Error(v, ok)
	}
	if _, ok := get("", "ab"); ok {
		t.Error("fields run together")
	}
	for range 3 { // of two that take turns, each is the one that was asked for
		for want, fields := range map[int][]string{1: {"a", "b"}, 2: {"ab", ""}} {
			if v, ok := get(fields...); v != want || !ok {
				t.Errorf("%q: %d, %v", fields, v, ok)
			}
		}
	}
	if n := allocs.Once(func() {
		m.Begin()
		m.Add([]byte("a"))
		m.Add([]byte("b"))
		m.Get()
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
	for i := range 40_000 {
		put(i, "n", strconv.Itoa(i))
	}
	if _, ok := get("a", "b"); ok {
		t.Error("nothing is forgotten")
	}
	if v, ok := get("n", "39999"); v != 39999 || !ok {
		t.Error(v, ok)
	}
}

func TestFieldsAndQuote(t *testing.T) {
	f := fields{row: [][]byte{[]byte("a"), nil, []byte("bc"), []byte("d")}}
	for range 2 {
		if got := string(f.Span(1, 2)); got != "\xffbc\xff" || string(f.Field(3)) != "d" {
			t.Errorf("%q, %q", got, f.Field(3))
		}
		if got := string(f.Span(0, 0)); got != "a\xff" {
			t.Errorf("%q", got)
		}
	}
	forty := strings.Repeat("x", 40)
	for in, want := range map[string]string{"a\"": `"a\""`, forty: `"` + forty + `"`, forty + "y": `"` + forty + `"...`} {
		if got := inputerr.Quote([]byte(in)); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// A clock that has read nothing knows no empty text.
func TestNewClock(t *testing.T) {
	var c clock
	if _, err := c.parse(nil); !errors.Is(err, usage.ErrSyntax) {
		t.Error(err)
	}
}
