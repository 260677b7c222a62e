// Package program is the frame of an example: it parses the flags, runs the body
// with output files that are written whole or not at all and a line of progress,
// cleans up on a signal, and turns the outcome into an exit status.
package program

import (
	"errors"
	"flag"
	"io"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/outfile"
	"github.com/plimsoll/plimsoll/examples/internal/progress"
)

// A Body does the work of a program with its options. What it has not committed
// of the files when it returns is removed.
type Body[Options any] func(o Options, files *outfile.Set, stdout, stderr io.Writer, line *progress.Line) error

// Run runs a program and returns its exit status. If parse fails with
// [flag.ErrHelp] the usage is written to stdout instead.
func Run[Options any](name, usage string, parse func([]string) (Options, error), body Body[Options], args []string, stdout, stderr io.Writer) int {
	opts, err := parse(args)
	if errors.Is(err, flag.ErrHelp) {
		if _, err := io.WriteString(stdout, usage); err != nil {
			return cli.Exit(stderr, name, err)
		}
		return cli.OK
	}
	if err != nil {
		return cli.Exit(stderr, name, err)
	}
	line := progress.New(stderr)
	var files outfile.Set
	stop := cli.OnSignal(func() {
		files.Abort()
		line.Clear()
	})
	defer stop()
	err = body(opts, &files, stdout, stderr, line)
	files.Abort() // nothing is left of what was not committed
	line.Clear()
	return cli.Exit(stderr, name, err)
}
