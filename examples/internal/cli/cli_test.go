package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"testing"
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
