// Package cli holds what a command owes its caller: an exit status that tells
// the user's mistakes from the program's failures, one sentence about either,
// and a clean end when it is interrupted.
package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"

	"github.com/plimsoll/plimsoll/examples/internal/plain"
	"github.com/plimsoll/plimsoll/pricing"
)

// Exit statuses.
const (
	OK      = 0
	Failure = 1 // the program's or the machine's fault
	Mistake = 2 // the user's: a flag, a file, a line of it
	Short   = 3 // nobody's: the program did its work, and the results are less than was asked for
)

// shortfall marks an error as a result that falls short.
type shortfall struct{ error }

func (s shortfall) Unwrap() error { return s.error }

// Shortf returns an error that says how the results fall short of what the user asked for,
// formatted as by [fmt.Errorf].
func Shortf(format string, args ...any) error {
	return shortfall{fmt.Errorf(format, args...)}
}

// mistake marks an error as the user's.
type mistake struct{ error }

func (m mistake) Unwrap() error { return m.error }

// Mistakef returns an error that is the user's mistake, formatted as by
// [fmt.Errorf].
func Mistakef(format string, args ...any) error {
	return mistake{fmt.Errorf(format, args...)}
}

// Plain returns an error of the library without the name of the package, which a user
// of a program does not know.
func Plain(err error) error {
	var in *pricing.InputError
	if !errors.As(err, &in) || err != error(in) {
		return err
	}
	plain := *in
	plain.Package = ""
	return &plain
}

// Reason says what is wrong with an input in the user's terms: the flag behind the first
// part of the field instead of the field, and the detail.
func Reason(err error, flags map[string]string) string {
	var in *pricing.InputError
	if !errors.As(err, &in) {
		return Detail(err)
	}
	field, _, _ := strings.Cut(in.Field, ".")
	if name, ok := flags[field]; ok {
		field = name
	}
	return field + ": " + Detail(err)
}

// Detail returns what an input error says of the input, without the place and without the
// sentinel, which says less; of another error the text without the package's name.
func Detail(err error) string {
	var in *pricing.InputError
	if !errors.As(err, &in) {
		text := err.Error()
		if _, rest, ok := strings.Cut(text, ": "); ok {
			text = rest
		}
		return text
	}
	text := in.Err.Error()
	if cause := errors.Unwrap(in.Err); cause != nil {
		text = strings.TrimPrefix(text, cause.Error()+": ")
	}
	return text
}

// Status returns the exit status for what a program ended with.
func Status(err error) int {
	var m mistake
	var s shortfall
	switch {
	case err == nil:
		return OK
	case errors.As(err, &m):
		return Mistake
	case errors.As(err, &s):
		return Short
	}
	return Failure
}

// Exit reports err, if there is one, on stderr as "program: sentence", and
// returns its exit status.
func Exit(stderr io.Writer, program string, err error) int {
	if err != nil {
		fmt.Fprintf(plain.Writer(stderr), "%s: %v\n", program, err)
	}
	return Status(err)
}

// OnSignal has cleanup run when the program is interrupted, told to end, or
// left without its terminal or the reader of its output. The program then
// exits with 128 and the number of the signal, 130 for an interrupt. The
// function returned ends the arrangement; calling it twice does no harm.
func OnSignal(cleanup func()) (stop func()) {
	signals := make(chan os.Signal, 1)
	done := make(chan struct{})
	signal.Notify(signals, endings...)
	go func() {
		select {
		case s := <-signals:
			cleanup()
			status := Failure
			if n, ok := s.(syscall.Signal); ok {
				status = 128 + int(n)
			}
			os.Exit(status)
		case <-done:
		}
	}()
	return sync.OnceFunc(func() {
		signal.Stop(signals)
		close(done)
	})
}
