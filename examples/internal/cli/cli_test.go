package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/plimsoll/plimsoll/pricing"
)

func TestExit(t *testing.T) {
	cause := Mistakef("-x: %w", io.EOF)
	for _, c := range []struct {
		err    error
		status int
		text   string
	}{
		{nil, OK, ""},
		{cause, Mistake, "prog: -x: EOF\n"},
		{fmt.Errorf("again: %w", cause), Mistake, "prog: again: -x: EOF\n"},
		{io.ErrClosedPipe, Failure, "prog: io: read/write on closed pipe\n"},
	} {
		var b bytes.Buffer
		if status := Exit(&b, "prog", c.err); status != c.status || b.String() != c.text {
			t.Errorf("Exit(%v) = %d, %q, want %d, %q", c.err, status, b.String(), c.status, c.text)
		}
	}
	if !errors.Is(cause, io.EOF) {
		t.Error("a mistake hides its cause")
	}
}

func TestStop(t *testing.T) {
	stop := OnSignal(func() { t.Error("cleaned up without a signal") })
	stop()
	stop()
}

func TestReason(t *testing.T) {
	cause := errors.New("out of range")
	in := &pricing.InputError{Package: "reserve", Field: "Prices.Classes[].Term", Index: 1, Err: fmt.Errorf("%w: 3: want 2", cause)}
	flags := map[string]string{"Prices": "-classes"}
	for _, c := range []struct {
		err                   error
		reason, detail, plain string
	}{
		{in, "-classes: 3: want 2", "3: want 2", "Prices.Classes[1].Term: out of range: 3: want 2"},
		{fmt.Errorf("week 3: %w", in), "-classes: 3: want 2", "3: want 2", "week 3: reserve: Prices.Classes[1].Term: out of range: 3: want 2"},
		{&pricing.InputError{Package: "reserve", Field: "Slot", Index: -1, Err: cause}, "Slot: out of range", "out of range", "Slot: out of range"},
		{errors.New("pricing: overflow"), "overflow", "overflow", "pricing: overflow"},
		{io.EOF, "EOF", "EOF", "EOF"},
	} {
		if got := [...]string{Reason(c.err, flags), Detail(c.err), Plain(c.err).Error()}; got != [...]string{c.reason, c.detail, c.plain} {
			t.Errorf("%v: %q", c.err, got)
		}
	}
}
