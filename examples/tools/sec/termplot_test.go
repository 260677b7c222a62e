package main

import (
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/examples/internal/steps"
	"github.com/plimsoll/plimsoll/examples/internal/svgplot"
)

// 34 columns of an hour. Ten instances, that is a row each: held from hour 2
// on; 1 is busy from hour 4 on, 8 in hour 6, 10 from hour 8 to 10.
func TestPlot(t *testing.T) {
	const h = time.Hour
	p := svgplot.Picture{
		Title: "sec", From: 0, To: 34 * h,
		Held: []steps.Point{{At: 2 * h, Value: 10}, {At: 12 * h, Value: 1}, {At: 20 * h, Value: 0}},
		Busy: []steps.Point{{At: 4 * h, Value: 1}, {At: 6 * h, Value: 8}, {At: 7 * h, Value: 1}, {At: 8 * h, Value: 10}, {At: 11 * h, Value: 1}, {At: 12 * h, Value: 0}},
	}
	want := strings.Join([]string{
		"sec   █ used  ░ idle or booting (peaks)",
		" 10 ┤  ░░░░░░███░",
		"    │  ░░░░░░███░",
		"    │  ░░░░█░███░",
		"    │  ░░░░█░███░",
		"    │  ░░░░█░███░",
		"  5 ┤  ░░░░█░███░",
		"    │  ░░░░█░███░",
		"    │  ░░░░█░███░",
		"    │  ░░░░█░███░",
		"    │  ░░████████░░░░░░░░",
		"  0 ┼┬─────────┬─────────┬─────────┬───",
		"     0        10        20        hours",
		"",
	}, "\n")
	var b strings.Builder
	if err := plot(&b, p, 40); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// Whatever the width, no line is longer, and there are no escape codes.
func TestPlotWidth(t *testing.T) {
	p := svgplot.Picture{Title: "x", From: 0, To: 1e6 * time.Hour, Held: []steps.Point{{At: 0, Value: 12345}, {At: 9, Value: 1}}}
	for width := range 200 {
		var b strings.Builder
		if err := plot(&b, p, width); err != nil {
			t.Fatal(err)
		}
		for _, line := range strings.Split(b.String(), "\n") {
			if n := utf8.RuneCountInString(line); n > max(minWidth, min(width, maxWidth)) {
				t.Errorf("width %d: a line of %d columns: %q", width, n, line)
			}
		}
		if strings.ContainsRune(b.String(), '\x1b') {
			t.Error("escape codes")
		}
	}
}

func TestPlotCell(t *testing.T) {
	for _, c := range []struct {
		row, top, held, busy int
		want                 rune
	}{
		{0, 10, 0, 0, ' '},
		{0, 1000, 1, 0, idle}, // more than nothing is seen
		{0, 1000, 5, 1, '▁'},
		{0, 100, 10, 5, '▄'},
		{0, 100, 10, 10, used},
		{1, 100, 10, 10, ' '},
		{1, 100, 20, 10, idle},
		{1, 100, 13, 10, ' '}, // less than half of the cell
		{9, 100, 100, 100, used},
	} {
		if got := cell(c.row, c.top, c.held, c.busy); got != c.want {
			t.Errorf("%+v: %q, want %q", c, got, c.want)
		}
	}
}

// A time that does not begin at 0 has its own numbers beneath its columns: 34 columns from hour
// 20 to 54, so that 30 stands under the eleventh, and the next numbers ten columns further.
func TestPlotAxis(t *testing.T) {
	const h = time.Hour
	var b strings.Builder
	if err := plot(&b, svgplot.Picture{Title: "x", From: 20 * h, To: 54 * h, Held: []steps.Point{{At: 20 * h, Value: 1}}}, 40); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(b.String(), "\n")
	if got, want := strings.Join(lines[len(lines)-3:], "\n"), "  0 ┼┬─────────┬─────────┬─────────┬───\n    20        30        40        hours\n"; got != want {
		t.Errorf("the axis is\n%s\nwant\n%s", got, want)
	}
	// Numbers never touch, whatever the time and the width.
	for _, span := range []time.Duration{time.Minute, 7 * h, 100 * h, 3000 * h, 90000 * h} {
		for width := 40; width < 120; width += 7 {
			b.Reset()
			if err := plot(&b, svgplot.Picture{Title: "x", From: 5 * span, To: 6 * span, Held: []steps.Point{{At: 5 * span, Value: 1}}}, width); err != nil {
				t.Fatal(err)
			}
			lines := strings.Split(b.String(), "\n")
			axis, names := []rune(lines[len(lines)-3]), lines[len(lines)-2]
			last := int64(-1)
			for i := 0; i < len(names); i++ {
				j := i
				for j < len(names) && names[j] >= '0' && names[j] <= '9' {
					j++
				}
				if j == i {
					continue
				}
				n, err := strconv.ParseInt(names[i:j], 10, 64)
				if err != nil || n <= last || axis[i+(j-i)/2] != '┬' {
					t.Errorf("%v in %d columns: %d after %d, under %q:\n%s\n%s", span, width, n, last, axis[i+(j-i)/2], string(axis), names)
				}
				last, i = n, j
			}
			if last < 0 {
				t.Errorf("%v in %d columns: no numbers:\n%s", span, width, names)
			}
		}
	}
}
