// Plan decides what cloud capacity to reserve for a demand that is known, or was:
// how many reservations of which class to buy, and when. It runs the exact
// optimum beside every published rule, and says what each costs, what it saves
// over on demand, and how far from the optimum it can be at most.
//
//	go run ./examples/plan
//
// plans for a made-up year; -demand FILE and -classes FILE are your own demand and
// prices, and -h lists the choices.
//
// References: [Niu16] Niu, Zhai, Ma, Tang, Chen, Zheng, Building Semi-Elastic
// Virtual Clusters for Cost-Effective HPC Cloud Resource Provisioning, IEEE TPDS
// 27(7), 2016, section 5.1; [Liu21] Liu et al., An Instance Reservation Framework
// for Cost Effective Services in Geo-Distributed Data Centers, IEEE TSC 14(2), 2021.
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
	return frame.Run(program, usage(), parse, plan, args, stdout, stderr)
}

// plan reads the problem, solves it and writes what was asked for.
func plan(opts options, files *outfile.Set, stdout, stderr io.Writer, line *progress.Line) error {
	svg, err := opts.create(files)
	if err != nil {
		return err
	}
	in, err := opts.read()
	if err != nil {
		return err
	}
	opts.note(stderr, in)
	results, err := opts.solve(in, line)
	line.Clear()
	if err != nil {
		return err
	}
	if svg != nil {
		if err := writeSVG(svg, in, results); err != nil {
			return err
		}
	}
	if err := files.Commit(); err != nil {
		return err
	}
	if opts.json {
		results.noteRefused(stderr)
		return writeJSON(stdout, in, results)
	}
	return opts.writeText(stdout, in, results)
}
