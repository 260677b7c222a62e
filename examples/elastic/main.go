// Elastic compares policies that rent instances for a small cluster on a budget,
// as [Marshall12] does: 64 cores of one's own, a private cloud of 512 that refuses
// requests, and a commercial one at $0.085 an hour. It says how long jobs take, what
// it costs, where they ran, and which findings of the paper come out.
//
//	go run ./examples/elastic
//
// runs the paper's evaluation on samples of its two workloads; with -trace FILE it
// runs a log in the Standard Workload Format, and -h lists the choices.
//
// Reference: [Marshall12] Marshall, Tufo, Keahey, Provisioning Policies for Elastic
// Computing Environments, IPDPS Workshops 2012, section V.
package main

import (
	"io"
	"os"
	"runtime"

	"github.com/plimsoll/plimsoll/examples/internal/outfile"
	frame "github.com/plimsoll/plimsoll/examples/internal/program"
	"github.com/plimsoll/plimsoll/examples/internal/progress"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run is the program. It returns the exit status.
func run(args []string, stdout, stderr io.Writer) int {
	return frame.Run(program, usage, parse, compare, args, stdout, stderr)
}

// compare reads or makes the jobs, runs the policies and writes what was asked for.
func compare(opts options, files *outfile.Set, stdout, stderr io.Writer, line *progress.Line) error {
	outputs, err := opts.create(files)
	if err != nil {
		return err
	}
	workloads, err := opts.workloads(line)
	line.Clear()
	if err != nil {
		return err
	}
	opts.note(stderr, workloads)
	results, err := opts.evaluate(workloads, runtime.GOMAXPROCS(0), line)
	line.Clear()
	if err != nil {
		return err
	}
	for _, out := range outputs {
		if err := out.write(results, out.file); err != nil {
			return err
		}
	}
	if err := files.Commit(); err != nil {
		return err
	}
	if opts.json {
		return results.writeJSON(stdout)
	}
	return results.writeText(stdout)
}
