// Preempt says what it costs to take nodes away from a partition that runs batch
// jobs: by how the nodes are chosen, and by how long jobs may still run. It runs a
// log of jobs as one batch, asks of every state what a preemption would waste there
// ([Duplyakin17] section 4), and compares the rankings of the paper with the
// choice that wastes least.
//
//	go run ./examples/preempt
//
// runs two made-up logs with the quantiles of the paper's, with -trace FILE one in
// the Standard Workload Format, and -h lists the choices.
//
// Reference: [Duplyakin17] Duplyakin, Johnson, Ricci, The Part-Time Cloud:
// Enabling Balanced Elasticity Between Diverse Computing Environments,
// ScienceCloud 2017.
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
	return frame.Run(program, usage, parse, preemptAll, args, stdout, stderr)
}

// preemptAll reads the logs, scores their states and writes what was asked for.
func preemptAll(o options, files *outfile.Set, stdout, stderr io.Writer, line *progress.Line) error {
	svg, err := o.create(files)
	if err != nil {
		return err
	}
	logs, err := o.load(line)
	line.Clear()
	if err != nil {
		return err
	}
	o.note(stderr, logs)
	var results []*result
	for _, log := range logs {
		r, err := o.score(log, line)
		line.Clear()
		if err != nil {
			return err
		}
		results = append(results, r)
	}
	if svg != nil {
		if err := o.writeSVG(svg, stderr, results); err != nil {
			return err
		}
	}
	if err := files.Commit(); err != nil {
		return err
	}
	if o.json {
		return o.writeJSON(stdout, results)
	}
	return o.writeText(stdout, results)
}
