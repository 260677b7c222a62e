// Cap3 says on how many processes to run a parallel program, and whether to risk spot
// instances for it ([Huang13]). It fits models of the run time to a profile of small
// runs, sizes the large run for a deadline and a budget, and tries the scheduler on a
// history of spot prices. It gives the reason for each decision in a sentence.
//
//	go run ./examples/tools/cap3
//
// plans class C of the eight NAS Parallel Benchmarks from a profile of smaller classes
// that was measured for this program. -profile FILE plans another program, and -h lists
// the choices.
//
//	go run ./examples/tools/cap3 record -out FILE -- mpirun -n {P} ./app
//
// profiles a program: runs a ladder of numbers of processes and inputs.
//
//	go run ./examples/tools/cap3 profile -out FILE PATH...
//
// makes a profile of what TAU and mpiP have written about runs.
//
//	go run ./examples/tools/cap3 run -tasks FILE
//
// carries a plan out: requests instances, runs tasks, moves them when spot instances are
// taken, and gives instances back. run -h lists the choices.
//
// Reference: [Huang13] Huang, Wang, Tak, Wang, Tang, CAP3: A Cloud Auto-Provisioning
// Framework for Parallel Processing Using On-demand and Spot Instances, 2013.
package main

import (
	"io"
	"os"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
)

var program = &cli.Program[options, *results]{
	Name: "cap3", Usage: usage, Define: define, Work: provision, Text: (*results).text, Rows: (*results).rows,
	Files: []cli.File[*results]{{Flag: "svg", Write: (*results).writeSVG}},
}

// commands are the other parts of the program, by name.
var commands = map[string]func(args []string, stdout, stderr io.Writer) int{}

func main() { os.Exit(start(os.Args[1:], os.Stdout, os.Stderr)) }

// start runs a command, or plans.
func start(args []string, stdout, stderr io.Writer) int {
	if len(args) > 0 {
		if run := commands[args[0]]; run != nil {
			return run(args[1:], stdout, stderr)
		}
	}
	return program.Run(args, stdout, stderr)
}

// provision reads the input, fits, sizes and schedules.
func provision(o *options, run *cli.Run) (*results, error) {
	in, err := o.read()
	if err != nil {
		return nil, err
	}
	o.note(run, in)
	return o.plan(in, run.Line)
}
