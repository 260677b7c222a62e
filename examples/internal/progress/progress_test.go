package progress

import (
	"bytes"
	"io"
	"os"
	"strings"
	"testing"
)

// screen is what a terminal of one line shows after text.
func screen(text string) string {
	var cells []rune
	at := 0
	for _, r := range text {
		if r == '\r' {
			at = 0
			continue
		}
		if at == len(cells) {
			cells = append(cells, r)
		} else {
			cells[at] = r
		}
		at++
	}
	return strings.TrimRight(string(cells), " ")
}

func TestLine(t *testing.T) {
	var b bytes.Buffer
	l := On(&b, 10)
	l.Showf("reading %d%%", 50)
	if got := screen(b.String()); got != "reading 5" { // one column is left free
		t.Errorf("the line shows %q", got)
	}
	l.Showf("too soon")
	if got := screen(b.String()); got != "reading 5" {
		t.Errorf("the line shows %q, too soon", got)
	}
	l.last = l.last.Add(-period)
	l.Showf("wait")
	if got := screen(b.String()); got != "wait" {
		t.Errorf("the line shows %q", got)
	}
	for text, want := range map[string]string{"nine char": "nine char", "ten chars.": "ten chars"} {
		l.last = l.last.Add(-period)
		if l.Showf("%s", text); screen(b.String()) != want {
			t.Errorf("of %q the line shows %q", text, screen(b.String()))
		}
	}
	l.Clear()
	if got := screen(b.String()); got != "" || !strings.HasSuffix(b.String(), "\r") {
		t.Errorf("after Clear the line shows %q", got)
	}
	n := b.Len()
	l.Clear()
	if b.Len() != n {
		t.Error("a second Clear writes")
	}
	l.Showf("at once after Clear")
	if got := screen(b.String()); got != "at once a" {
		t.Errorf("after Clear the line shows %q", got)
	}
	if strings.ContainsAny(b.String(), "\n\x1b") {
		t.Error("line feeds or escape codes")
	}
}

func TestNoTerminal(t *testing.T) {
	var b bytes.Buffer
	l := New(&b)
	l.Showf("reading")
	l.Clear()
	if b.Len() > 0 {
		t.Errorf("writes %q where there is no terminal", b.String())
	}
}

// A file is no terminal, and neither is what is no file.
func TestTerminal(t *testing.T) {
	f, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, w := range []io.Writer{f, new(bytes.Buffer)} {
		if width, ok := Terminal(w); ok || width != 0 {
			t.Errorf("%T is taken for a terminal of %d columns", w, width)
		}
	}
}
