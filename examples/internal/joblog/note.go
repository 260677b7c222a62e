package joblog

import (
	"fmt"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
)

// Note says what a log has, and what was left out or changed when it was read.
func (l *Log) Note(run *cli.Run, name string) {
	run.Sayf("%s: %v", name, &l.Report)
	for _, x := range []struct {
		n    int
		what string
	}{
		{l.Stats.Short, "lines of fewer than 18 fields, the rest taken as unknown"},
		{l.Stats.Extra, "lines of more than 18 fields, the rest not read"},
		{l.Stats.Rounded, "lines with times finer than a nanosecond, rounded"},
	} {
		if x.n > 0 {
			fmt.Fprintf(run.Stderr, "  read: %s: %d\n", x.what, x.n)
		}
	}
}
