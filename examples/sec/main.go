// Sec runs a log of batch jobs on a cluster in the cloud that grows and shrinks
// with its queue, the semi-elastic cluster of [Niu16], and on what it is
// compared with: instances of each job's own, a cluster without a queue, and a
// cluster of fixed size. It says how long jobs wait and what the instances cost.
//
//	go run ./examples/sec
//
// runs a made-up log, with -trace FILE one in the Standard Workload Format, and
// -h lists the choices.
//
// Reference: [Niu16] Niu, Zhai, Ma, Tang, Chen, Zheng, Building Semi-Elastic Virtual
// Clusters for Cost-Effective HPC Cloud Resource Provisioning, IEEE TPDS 27(7),
// 2016, sections 4, 6 and 8.
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
	return frame.Run(program, usage, parse, simulate, args, stdout, stderr)
}

// simulate reads the jobs, runs them and writes what was asked for.
func simulate(opts options, files *outfile.Set, stdout, stderr io.Writer, line *progress.Line) error {
	outputs, err := opts.create(files)
	if err != nil {
		return err
	}
	var figures map[string]*outfile.File
	if opts.figures != "" {
		figures, err = createFigures(opts.figures, files)
		if err != nil {
			return err
		}
	}
	log, err := opts.load(line)
	line.Clear()
	if err != nil {
		return err
	}
	opts.note(stderr, log)
	runs, err := opts.runAll(log, line)
	line.Clear()
	if err != nil {
		return err
	}
	if err := outputs.write(log, runs.picked()); err != nil {
		return err
	}
	if figures != nil {
		err := opts.writeFigures(figures, log, line)
		line.Clear()
		if err != nil {
			return err
		}
	}
	if err := files.Commit(); err != nil {
		return err
	}
	if opts.json {
		return writeJSON(stdout, runs)
	}
	return opts.writeText(stdout, log, runs)
}
