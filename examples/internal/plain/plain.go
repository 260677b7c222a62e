// Package plain is where text of others leaves: towards a terminal, a log or a table. Names in
// bills, files and answers may hold what a terminal acts on, and what a spreadsheet computes. All
// programs write through this package.
package plain

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Cut returns a text on one line. Runs of white space are one space; the rest is as of [Line].
// Of a longer text it is the last most characters, after three dots.
func Cut(text []byte, most int) string {
	s := Line(strings.Join(strings.Fields(string(text)), " "))
	cut := s
	for n := utf8.RuneCountInString(s); n > most; n-- {
		_, size := utf8.DecodeRuneInString(cut)
		cut = cut[size:]
	}
	if len(cut) < len(s) {
		return "..." + cut
	}
	return s
}

// Line returns a text with what does not print as Go escapes it, such as \x1b, and so with what
// is not UTF-8.
func Line(text string) string { return escape(text, "", quoted) }

// Text returns a text of several lines, which may have tabs: the rest is as of [Line].
func Text(text string) string { return escape(text, "\n\t", quoted) }

// JSON returns the same JSON, with what does not print escaped.
func JSON(text string) string {
	return escape(text, "\n\t", func(s string) string {
		c, _ := utf8.DecodeRuneInString(s)
		out := ""
		for _, unit := range utf16.Encode([]rune{c}) {
			out += fmt.Sprintf(`\u%04x`, unit)
		}
		return out
	})
}

func quoted(s string) string {
	s = strconv.Quote(s)
	return s[1 : len(s)-1]
}

// escape returns a text with what does not print as another function says.
func escape(text, but string, as func(string) string) string {
	var b strings.Builder
	for i, size := 0, 0; i < len(text); i += size {
		var c rune
		c, size = utf8.DecodeRuneInString(text[i:])
		if (unicode.IsPrint(c) || strings.ContainsRune(but, c)) && (c != utf8.RuneError || size > 1) {
			b.WriteString(text[i : i+size])
		} else {
			b.WriteString(as(text[i : i+size]))
		}
	}
	return b.String()
}

// Writer returns a writer that writes text as [Text] does. What ends in the middle of a character waits
// for the rest of it, or for Flush.
func Writer(w io.Writer) *TextWriter { return &TextWriter{w: w} }

// A TextWriter writes text as [Text] does.
type TextWriter struct {
	w    io.Writer
	rest []byte // the beginning of a character
}

// Write implements [io.Writer].
func (t *TextWriter) Write(p []byte) (int, error) {
	text := append(t.rest, p...)
	end := len(text)
	for i := end - 1; i >= max(0, end-utf8.UTFMax); i-- {
		if utf8.RuneStart(text[i]) {
			if !utf8.FullRune(text[i:]) {
				end = i
			}
			break
		}
	}
	_, err := io.WriteString(t.w, Text(string(text[:end])))
	t.rest = append(t.rest[:0], text[end:]...)
	return len(p), err
}

// Flush writes what is left of a character that never ended, as it would be of a whole text.
func (t *TextWriter) Flush() error {
	_, err := io.WriteString(t.w, Text(string(t.rest)))
	t.rest = t.rest[:0]
	return err
}

// Cell returns a field of a table: on one line, and no formula. A spreadsheet computes what begins
// with =, +, - or @ unless it is a number; after an apostrophe, it shows the text.
func Cell(text string) string {
	text = Line(text)
	if len(text) > 1 && strings.ContainsRune("=+-@", rune(text[0])) {
		if _, err := strconv.ParseFloat(text, 64); err != nil {
			return "'" + text
		}
	}
	return text
}

// A CSV writes a table as CSV, of which each field is a [Cell].
type CSV struct{ w *csv.Writer }

// NewCSV returns a CSV.
func NewCSV(w io.Writer) *CSV { return &CSV{csv.NewWriter(w)} }

// Write writes a line. Flush says what goes wrong.
func (c *CSV) Write(fields ...string) {
	cells := make([]string, len(fields))
	for i, f := range fields {
		cells[i] = Cell(f)
	}
	c.w.Write(cells)
}

// Flush writes what is left, and returns the first error.
func (c *CSV) Flush() error {
	c.w.Flush()
	return c.w.Error()
}
