// Package progress tells someone at a terminal how far a program has come, in
// one line that is rewritten and removed at the end. Elsewhere it is silent.
package progress

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"golang.org/x/term"

	"github.com/plimsoll/plimsoll/examples/internal/plain"
)

// period is the least time between two rewritings: often enough to look
// alive, and no cost to the work.
const period = 100 * time.Millisecond

// A Line is the line of progress. Its methods may be called by several
// goroutines.
type Line struct {
	mu    sync.Mutex
	w     io.Writer // nil is silence
	width int
	shown int // runes
	last  time.Time
}

// New returns a Line on w, which is silent unless w is a terminal.
func New(w io.Writer) *Line {
	if width, ok := Terminal(w); ok {
		return On(w, width)
	}
	return new(Line)
}

// On returns a Line of so many columns on w, whatever w is.
func On(w io.Writer, width int) *Line { return &Line{w: w, width: width} }

// Terminal returns the width of the terminal that w is, and whether it is one.
// The width is 80 where the terminal does not tell.
func Terminal(w io.Writer) (width int, ok bool) {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return 0, false
	}
	if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
		return width, true
	}
	return 80, true
}

// Showf replaces the line, cut to the terminal's width. Most calls that come soon after
// another one do nothing.
func (l *Line) Showf(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	if l.w == nil || l.shown > 0 && now.Sub(l.last) < period {
		return
	}
	l.last = now
	text := []rune(plain.Line(fmt.Sprintf(format, args...)))
	if len(text) >= l.width { // the last column would wrap on some terminals
		text = text[:max(0, l.width-1)]
	}
	l.replace(string(text))
}

// Clear removes the line, before other text is written or at the end.
func (l *Line) Clear() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.w != nil && l.shown > 0 {
		l.replace("")
		fmt.Fprint(l.w, "\r")
	}
}

// replace overwrites what is shown, with spaces and without escape codes.
func (l *Line) replace(text string) {
	n := utf8.RuneCountInString(text)
	fmt.Fprint(l.w, "\r", text, strings.Repeat(" ", max(0, l.shown-n)))
	l.shown = n
}
