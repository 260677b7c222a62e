package inputerr_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/inputerr"
)

var errRange = errors.New("value out of range")

func TestText(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{inputerr.New("reserve", "Classes.Term", 1, errRange, "%d: want %d", 3, 4), "reserve: Classes[1].Term: value out of range: 3: want 4"},
		{inputerr.New("reserve", "Prices.Classes[].Term", 2, errRange, "3: want 4"), "reserve: Prices.Classes[2].Term: value out of range: 3: want 4"},
		{inputerr.New("reserve", "Prices.Classes[].Term", -1, errRange, "3: want 4"), "reserve: Prices.Classes.Term: value out of range: 3: want 4"},
		{inputerr.New("reserve", "Demand", 0, errRange, "-1: want 0 or more"), "reserve: Demand[0]: value out of range: -1: want 0 or more"},
		{inputerr.New("reserve", "Slot", -1, errRange, "0s: want a positive length"), "reserve: Slot: value out of range: 0s: want a positive length"},
		{inputerr.New("reserve", "", -1, errRange, "no demand"), "reserve: value out of range: no demand"},
		{inputerr.New("reserve", "Slot", -1, errRange, ""), "reserve: Slot: value out of range"},
		{inputerr.New("reserve", "Slot", -1, nil, "0s: want more"), "reserve: Slot: 0s: want more"},
		{inputerr.At("trace", 17, 4, "run time", errRange, "%q: want seconds", "abc"), `trace: line 17, column 4 (run time): value out of range: "abc": want seconds`},
		{inputerr.At("trace", 17, 0, "", errRange, "4 fields"), "trace: line 17: value out of range: 4 fields"},
		{inputerr.At("trace", 0, 4, "run time", errRange, "x"), "trace: column 4 (run time): value out of range: x"},
		{inputerr.At("trace", 0, 0, "header", errRange, "x"), "trace: header: value out of range: x"},
		{&inputerr.Error{Package: "trace", Field: "Jobs.Submit", Index: 3, Line: 5, Err: errRange}, "trace: line 5 (Jobs[3].Submit): value out of range"},
		{&inputerr.Error{Field: "Slot", Index: -1}, "Slot"},
	} {
		if got := c.err.Error(); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

func TestUnwrap(t *testing.T) {
	err := inputerr.New("reserve", "Classes.Term", 1, errRange, "reading: %w", io.ErrUnexpectedEOF)
	var e *inputerr.Error
	if !errors.As(err, &e) || e.Package != "reserve" || e.Field != "Classes.Term" || e.Index != 1 {
		t.Errorf("errors.As gives %+v", e)
	}
	if !errors.Is(err, errRange) || !errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		t.Error("errors.Is finds another set of errors than those given")
	}
	if got := errors.Unwrap(errors.Unwrap(err)); got != errRange {
		t.Errorf("the reason unwraps to %v, want the sentinel", got)
	}
	inner := inputerr.New("trace", "Submit", -1, io.EOF, "x")
	if !errors.As(errors.Unwrap(inputerr.New("reserve", "Trace", -1, errRange, "%w", inner)), &e) || e.Package != "trace" {
		t.Errorf("errors.As finds %+v, want the error of the detail", e)
	}
	err = inputerr.At("trace", 17, 4, "run time", errRange, "x")
	if !errors.As(err, &e) || e.Index != -1 || e.Line != 17 || e.Column != 4 || !errors.Is(err, errRange) {
		t.Errorf("errors.As gives %+v", e)
	}
}

// A text of up to 40 bytes is whole, and a longer one is cut.
func TestCut(t *testing.T) {
	forty := strings.Repeat("x", 40)
	for in, want := range map[string]string{"": "", `a"`: `a"`, forty: forty, forty + "y": forty + "..."} {
		if got := inputerr.Cut([]byte(in)); got != want {
			t.Errorf("%q is cut to %q, want %q", in, got, want)
		}
	}
	for in, want := range map[string]string{"": `""`, `a"`: `"a\""`, forty: `"` + forty + `"`, forty + "y": `"` + forty + `"...`} {
		if got := inputerr.Quote(in); got != want {
			t.Errorf("%q is quoted as %s, want %s", in, got, want)
		}
	}
}
