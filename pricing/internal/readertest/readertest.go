// Package readertest has what the tests of the readers of bills share: aws, azure, focus,
// gcp and oci all promise the same of errors, of sums and of headers.
package readertest

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/pricing/usage"
)

// Read is the function Read of a package under test.
type Read func(c *usage.Collector, name string, src io.Reader) error

// Bill reads text as the only file of a bill that may say a row twice.
func Bill(read Read, text string) (*usage.Bill, error) {
	c := usage.Collector{KeepRepeats: true}
	if err := read(&c, "a.csv", strings.NewReader(text)); err != nil {
		return nil, err
	}
	return c.Bill()
}

// Whole checks that no row is lost: the total of each file is what is classified plus what is
// left out, in rows and in the three sums of money.
func Whole(t testing.TB, b *usage.Bill) {
	t.Helper()
	for i := range b.Files {
		f := &b.Files[i]
		s := f.Classified()
		for _, l := range f.Left {
			s.Rows += l.Sum.Rows
			s.Billed, s.Effective, s.List = s.Billed.Plus(l.Sum.Billed), s.Effective.Plus(l.Sum.Effective), s.List.Plus(l.Sum.List)
		}
		if s != f.Total {
			t.Errorf("%s: %+v, want %+v", f.Name, s, f.Total)
		}
	}
}

// Any checks what holds of any data, as fuzzing draws them: there is no panic, an error is an
// *pricing.InputError with a sentinel, and without an error no row is lost.
func Any(t testing.TB, read Read, data []byte) {
	t.Helper()
	c := usage.Collector{KeepRepeats: true}
	if err := read(&c, "a", bytes.NewReader(data)); err != nil {
		var input *pricing.InputError
		if !errors.As(err, &input) || errors.Unwrap(input.Err) == nil {
			t.Errorf("%v is not an InputError with a sentinel", err)
		}
		return
	}
	if b, err := c.Bill(); err == nil {
		Whole(t, b)
	}
}

// A Mistake is what the error of a text must say.
type Mistake = struct {
	Is   error
	Says string
}

// Mistakes checks the error of each text, from a reader that refuses to see a row twice.
func Mistakes(t *testing.T, read Read, texts map[string]Mistake) {
	t.Helper()
	for text, want := range texts {
		var c usage.Collector
		err := read(&c, "a.csv", strings.NewReader(text))
		if err == nil {
			_, err = c.Bill()
		}
		var input *pricing.InputError
		if !errors.Is(err, want.Is) || !errors.As(err, &input) || !strings.Contains(err.Error(), want.Says) {
			t.Errorf("%.60q: %v, want %q and %q", text, err, want.Is, want.Says)
		}
	}
}

// Headers checks for each header whether form and read take the file for one of the package's
// own. Headers also checks that misuse panics with a message that begins with the package's name.
func Headers(t *testing.T, pkg string, read Read, form func([]string) string, headers map[string]bool) {
	t.Helper()
	for header, want := range headers {
		if got := form(strings.Split(strings.TrimPrefix(header, "\ufeff"), ",")); (got != "") != want {
			t.Errorf("%q: %v", header, got)
		}
		if err := read(new(usage.Collector), "a", strings.NewReader(header+"\n")); errors.Is(err, usage.ErrForm) == want {
			t.Errorf("%q: %v", header, err)
		}
	}
	for what, misuse := range map[string]func(){
		"no collector": func() { _ = read(nil, "a", strings.NewReader("")) },
		"no source":    func() { _ = read(new(usage.Collector), "a", nil) },
	} {
		func() {
			defer func() {
				if s, _ := recover().(string); !strings.HasPrefix(s, pkg+": ") {
					t.Errorf("%s: panic with %q, want one that begins with %q", what, s, pkg+": ")
				}
			}()
			misuse()
		}()
	}
}
