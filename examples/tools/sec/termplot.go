package main

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/plimsoll/plimsoll/examples/internal/scale"
	"github.com/plimsoll/plimsoll/examples/internal/steps"
	"github.com/plimsoll/plimsoll/examples/internal/svgplot"
)

const (
	minWidth = 40
	maxWidth = 160 // beyond, pictures get no better
	plotRows = 10
)

// eighths of a cell, filled from below.
var eighths = [...]rune{' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'}

const (
	idle = '░'
	used = '█'
)

// plot draws p with characters, in one call, at most width columns wide (40 to 160), for a terminal
// or any other place for text: with Unicode's block characters, and no escape codes. A column
// of the picture stands for a span of time, and shows the most instances held
// and the most busy within it, so that it looks busier than the mean is.
func plot(w io.Writer, p svgplot.Picture, width int) error {
	width = min(max(width, minWidth), maxWidth)
	peak := 0
	for _, h := range p.Held {
		peak = max(peak, h.Value)
	}
	top := scale.Top(peak)
	label := max(len(fmt.Sprint(top)), 3)
	columns := width - label - 3
	held := steps.AppendPeaks(nil, p.Held, p.From, p.To, columns)
	busy := steps.AppendPeaks(nil, p.Busy, p.From, p.To, columns)

	var b strings.Builder
	legend := fmt.Sprintf("%c used  %c idle or booting (peaks)", used, idle)
	gap := max(2, label+2+columns-utf8.RuneCountInString(p.Title)-utf8.RuneCountInString(legend))
	fmt.Fprintf(&b, "%s%s%s\n", p.Title, strings.Repeat(" ", gap), legend)
	for r := range plotRows {
		switch r {
		case 0:
			fmt.Fprintf(&b, "%*d ┤", label, top)
		case plotRows / 2:
			fmt.Fprintf(&b, "%*d ┤", label, top/2)
		default:
			fmt.Fprintf(&b, "%*s │", label, "")
		}
		line := make([]rune, columns)
		for c := range line {
			line[c] = cell(plotRows-1-r, top, held[c], busy[c])
		}
		b.WriteString(strings.TrimRight(string(line), " "))
		b.WriteByte('\n')
	}

	clock := scale.NewClock(p.To-p.From, columns/10)
	axis := []rune(strings.Repeat("─", columns))
	names := []rune(strings.Repeat(" ", columns+label+2))
	unit := " " + clock.Name
	put := func(text string, at int) {
		for i, r := range []rune(text) {
			names[at+i] = r
		}
	}
	put(unit, len(names)-len(unit))
	free := 0
	for t := clock.First(p.From); t <= p.To; t += clock.Step() {
		// float64 is exact enough for a column, and has no overflow
		c := int(float64(t-p.From) / float64(p.To-p.From) * float64(columns))
		if c >= columns {
			break
		}
		axis[c] = '┬'
		text := fmt.Sprint(int64(t / clock.Unit))
		at := label + 2 + c - len(text)/2
		if at >= free && at+len(text) <= len(names)-len(unit) {
			put(text, at)
			free = at + len(text) + 1
		}
	}
	fmt.Fprintf(&b, "%*d ┼%s\n%s\n", label, 0, string(axis), string(names))
	_, err := io.WriteString(w, b.String())
	return err
}

// cell returns what a cell shows, whose row is counted from below: the part of
// it that is busy, to an eighth; or that it is held and idle. Whatever is more
// than nothing is seen at the bottom.
func cell(row, top, held, busy int) rune {
	// in eighths of a cell, rounded up, above the bottom of this one
	fill := func(n int) int { return (n*plotRows*8+top-1)/top - row*8 }
	if f := fill(busy); f > 0 {
		return eighths[min(f, 8)]
	}
	if f := fill(held); f >= 4 || row == 0 && f > 0 {
		return idle
	}
	return ' '
}
