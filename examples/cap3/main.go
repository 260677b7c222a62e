// Cap3 says how many processes to run a parallel program on, and whether to risk
// spot instances for it ([Huang13]): it fits models of the run time to a profile of
// small runs, sizes the large one for a deadline and a budget, and tries what the
// scheduler would do on a history of spot prices. It says why, a sentence for each
// decision.
//
//	go run ./examples/cap3
//
// plans class C of the eight NAS Parallel Benchmarks from a profile of smaller
// classes that was measured for this program, with -profile FILE one's own program,
// and -h lists the choices.
//
// Reference: [Huang13] Huang, Wang, Tak, Wang, Tang, CAP3: A Cloud Auto-Provisioning
// Framework for Parallel Processing Using On-demand and Spot Instances, 2013.
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
	return frame.Run(program, usage, parse, provision, args, stdout, stderr)
}

// provision reads the input, fits, sizes, schedules and writes what was asked for.
func provision(o options, files *outfile.Set, stdout, stderr io.Writer, line *progress.Line) error {
	svg, err := o.create(files)
	if err != nil {
		return err
	}
	in, err := o.read()
	if err != nil {
		return err
	}
	o.note(stderr, in)
	r, err := o.plan(in, line)
	line.Clear()
	if err != nil {
		return err
	}
	if svg != nil {
		if err := r.writeSVG(svg); err != nil {
			return err
		}
	}
	if err := files.Commit(); err != nil {
		return err
	}
	if o.json {
		return r.writeJSON(stdout)
	}
	return r.writeText(stdout)
}
