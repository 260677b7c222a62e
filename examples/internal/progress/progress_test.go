package progress

import (
	"bytes"
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
	l := &Line{w: &b, width: 10}
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
	l.Clear()
	if got := screen(b.String()); got != "" || !strings.HasSuffix(b.String(), "\r") {
		t.Errorf("after Clear the line shows %q", got)
	}
	n := b.Len()
	l.Clear()
	if b.Len() != n {
		t.Error("a second Clear writes")
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
