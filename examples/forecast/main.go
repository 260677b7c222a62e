// Forecast compares models of demand on your own past: it fits each of them to what
// came before, has it forecast what came then, and says how far off it was, whether
// its intervals held, and how long it took. Then the best of them forecasts what
// comes next.
//
//	go run ./examples/forecast
//
// does so for a made-up demand, with -train FILE for the series of a CSV file, and
// -h lists the choices.
//
// Reference: [M4] Makridakis, Spiliotis, Assimakopoulos, The M4 Competition: 100,000
// time series and 61 forecasting methods, International Journal of Forecasting
// 36(1), 2020, for the form of the files and the measures.
package main

import (
	"io"
	"os"

	"github.com/plimsoll/plimsoll/examples/internal/outfile"
	frame "github.com/plimsoll/plimsoll/examples/internal/program"
	"github.com/plimsoll/plimsoll/examples/internal/progress"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run is the program. It returns the exit status.
func run(args []string, stdout, stderr io.Writer) int {
	return frame.Run(program, usage(), parse, compare, args, stdout, stderr)
}

// compare reads the series, compares the models and writes what was asked for.
func compare(opts options, files *outfile.Set, stdout, stderr io.Writer, line *progress.Line) error {
	outputs, err := opts.create(files)
	if err != nil {
		return err
	}
	in, err := opts.read()
	if err != nil {
		return err
	}
	opts.note(stderr, in)
	r, err := opts.evaluate(in, line)
	line.Clear()
	if err != nil {
		return err
	}
	r.left.note(stderr)
	if err := outputs.write(&opts, in, r, stderr, line); err != nil {
		return err
	}
	line.Clear()
	if opts.json {
		if err := files.Commit(); err != nil {
			return err
		}
		return opts.writeJSON(stdout, r)
	}
	text, err := opts.text(in, r)
	if err != nil {
		return err
	}
	if err := files.Commit(); err != nil {
		return err
	}
	_, err = stdout.Write(text)
	return err
}
