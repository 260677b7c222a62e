package termplot

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/examples/internal/steps"
)

// 34 columns of an hour. Ten instances, that is a row each: held from hour 2
// on; 1 is busy from hour 4 on, 8 in hour 6, 10 from hour 8 to 10.
func TestWrite(t *testing.T) {
	const h = time.Hour
	p := Picture{
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
	if err := Write(&b, p, 40); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// Whatever the width, no line is longer, and there are no escape codes.
func TestWidth(t *testing.T) {
	p := Picture{Title: "x", From: 0, To: 1e6 * time.Hour, Held: []steps.Point{{At: 0, Value: 12345}, {At: 9, Value: 1}}}
	for width := range 200 {
		var b strings.Builder
		if err := Write(&b, p, width); err != nil {
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

func TestCell(t *testing.T) {
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
