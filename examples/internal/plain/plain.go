// Package plain makes what other programs say fit for a line of a log or a terminal.
package plain

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Cut returns a text on one line. Runs of white space are one space; characters that do
// not print, which a terminal may act on, are as Go escapes them, such as \x1b, and so is
// what is not UTF-8. Of a longer text it is the last most characters, after three dots.
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

// Line returns a text with what does not print escaped.
func Line(text string) string {
	var b strings.Builder
	for i, size := 0, 0; i < len(text); i += size {
		var c rune
		c, size = utf8.DecodeRuneInString(text[i:])
		if unicode.IsPrint(c) && (c != utf8.RuneError || size > 1) {
			b.WriteString(text[i : i+size])
			continue
		}
		quoted := strconv.Quote(text[i : i+size])
		b.WriteString(quoted[1 : len(quoted)-1])
	}
	return b.String()
}
