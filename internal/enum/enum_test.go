package enum_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/enum"
	"github.com/plimsoll/plimsoll/internal/inputerr"
)

type call uint8

type level int8

var (
	errUnknown = errors.New("unknown name")
	calls      = enum.New[call]("exchange", "Call", errUnknown, "", "add", "delete", "renew")
	levels     = enum.New[level]("exchange", "Level", nil, "low", "high")
)

func TestString(t *testing.T) {
	for v, want := range map[call]string{0: "Call(0)", 1: "add", 3: "renew", 4: "Call(4)", 255: "Call(255)"} {
		if got := calls.String(v); got != want || calls.Valid(v) != !strings.Contains(want, "(") {
			t.Errorf("%d: %s, valid %v; want %s", uint8(v), got, calls.Valid(v), want)
		}
	}
	for v, want := range map[level]string{-1: "Level(-1)", 0: "low", 1: "high", 2: "Level(2)"} {
		if got := levels.String(v); got != want {
			t.Errorf("%d: %s, want %s", int8(v), got, want)
		}
	}
}

func TestText(t *testing.T) {
	for v := call(1); v <= 3; v++ {
		text, err := calls.MarshalText(v)
		var back call
		if err != nil || calls.UnmarshalText(&back, text) != nil || back != v {
			t.Errorf("%d comes back as %d from %q, %v", v, back, text, err)
		}
	}
	for _, c := range []struct {
		err  error
		want string
	}{
		{func() error { _, err := calls.MarshalText(9); return err }(), "exchange: Call: unknown name: Call(9): want add, delete or renew"},
		{func() error { _, err := calls.MarshalText(0); return err }(), "exchange: Call: unknown name: Call(0): want add, delete or renew"},
		{calls.UnmarshalText(new(call), nil), `exchange: Call: unknown name: "": want add, delete or renew`},
		{calls.UnmarshalText(new(call), []byte("Add")), `exchange: Call: unknown name: "Add": want add, delete or renew`},
		{calls.UnmarshalText(new(call), []byte(strings.Repeat("x", 41))), `exchange: Call: unknown name: "` + strings.Repeat("x", 40) + `...": want add, delete or renew`},
	} {
		var e *inputerr.Error
		if c.err == nil || c.err.Error() != c.want || !errors.Is(c.err, errUnknown) || !errors.As(c.err, &e) {
			t.Errorf("got  %v\nwant %s", c.err, c.want)
		}
	}
	if err := levels.UnmarshalText(new(level), []byte("x")); err == nil || err.Error() != `exchange: Level: "x": want low or high` {
		t.Error(err)
	}
	v := call(2)
	if calls.UnmarshalText(&v, []byte("none")); v != 2 {
		t.Errorf("an error changes the value to %d", v)
	}
	if got := enum.New[call]("", "", nil, "one").Want(); got != "one" {
		t.Errorf("Want of one name: %q", got)
	}
}
