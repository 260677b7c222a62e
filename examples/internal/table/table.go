// Package table prints rows of text in aligned columns.
package table

import (
	"io"
	"strings"
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
