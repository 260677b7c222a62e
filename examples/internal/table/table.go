// Package table prints rows of text in aligned columns, and sentences beside them.
package table

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Column is the title of a column, of one line or several, and whether its
// cells stand at the left. Numbers stand at the right.
type Column struct {
	Title string
	Left  bool
}

// Write writes the titles, a rule and the rows to w in one call. A row has a
// cell for each column; its width is counted in runes.
func Write(w io.Writer, columns []Column, rows [][]string) error {
	height := 1
	widths := make([]int, len(columns))
	for i, c := range columns {
		lines := strings.Split(c.Title, "\n")
		height = max(height, len(lines))
		for _, l := range lines {
			widths[i] = max(widths[i], utf8.RuneCountInString(l))
		}
		for _, r := range rows {
			widths[i] = max(widths[i], utf8.RuneCountInString(r[i]))
		}
	}
	var out []byte
	line := func(cell func(i int) string) {
		start := len(out)
		for i, c := range columns {
			if i > 0 {
				out = append(out, "  "...)
			}
			text := cell(i)
			pad := widths[i] - utf8.RuneCountInString(text)
			if !c.Left {
				out = append(out, strings.Repeat(" ", pad)...)
			}
			out = append(out, text...)
			if c.Left {
				out = append(out, strings.Repeat(" ", pad)...)
			}
		}
		for len(out) > start && out[len(out)-1] == ' ' {
			out = out[:len(out)-1]
		}
		out = append(out, '\n')
	}
	for h := range height {
		line(func(i int) string { // titles stand on the rule
			lines := strings.Split(columns[i].Title, "\n")
			if k := h - (height - len(lines)); k >= 0 {
				return lines[k]
			}
			return ""
		})
	}
	line(func(i int) string { return strings.Repeat("─", widths[i]) })
	for _, r := range rows {
		line(func(i int) string { return r[i] })
	}
	_, err := w.Write(out)
	return err
}

// Wrap breaks a sentence into lines for a terminal, those after the first
// indented.
func Wrap(s string) string {
	var b strings.Builder
	column := 0
	for i, word := range strings.Fields(s) {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case column+1+n > 80:
			b.WriteString("\n ")
			column = 1
			fallthrough
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += n
	}
	return b.String()
}

// Clip cuts a name to a number of characters.
func Clip(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n-1]) + "…"
}

// Fold breaks a name into lines of at most n characters, behind a space or a hyphen where it can.
func Fold(s string, n int) (lines []string) {
	r := []rune(s)
	for len(r) > n {
		cut := n
		for i := n; i > 0; i-- {
			if r[i-1] == '-' || r[i] == ' ' {
				cut = i
				break
			}
		}
		lines = append(lines, strings.TrimSpace(string(r[:cut])))
		r = []rune(strings.TrimSpace(string(r[cut:])))
	}
	return append(lines, string(r))
}

// A Page is a text for people. Its methods cannot fail; the caller writes the page.
type Page struct{ bytes.Buffer }

// Printf adds a formatted text.
func (p *Page) Printf(format string, args ...any) { fmt.Fprintf(p, format, args...) }

// Sayf adds a sentence, or several, broken into lines as by [Wrap].
func (p *Page) Sayf(format string, args ...any) {
	p.WriteString(Wrap(fmt.Sprintf(format, args...)) + "\n")
}

// Table adds a table as [Write] does. Titles are separated by "|"; one that begins with
// "<" is of a column whose cells stand at the left.
func (p *Page) Table(titles string, rows [][]string) {
	var columns []Column
	for t := range strings.SplitSeq(titles, "|") {
		title, left := strings.CutPrefix(t, "<")
		columns = append(columns, Column{Title: title, Left: left})
	}
	Write(p, columns, rows)
}

// Title is the name of a file without its folder, fit for one line of a text or a picture.
func Title(path string) string {
	name := path[strings.LastIndexAny(path, `/\`)+1:]
	return Clip(strings.Map(func(r rune) rune {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, name), 41)
}
