// Sec runs a log of batch jobs on the semi-elastic cluster of [Niu16]: a cluster in the
// cloud that grows and shrinks with its queue. It compares that cluster with instances of
// each job's own, a cluster without a queue, and a cluster of fixed size, and prints how
// long jobs wait and what the instances cost.
//
//	go run ./examples/tools/sec
//
// runs a made-up log, with -trace FILE one in the Standard Workload Format, and
// -h lists the choices.
//
// Reference: [Niu16] Niu, Zhai, Ma, Tang, Chen, Zheng, Building Semi-Elastic Virtual
// Clusters for Cost-Effective HPC Cloud Resource Provisioning, IEEE TPDS 27(7),
// 2016, sections 4, 6 and 8.
package main

import "github.com/plimsoll/plimsoll/examples/internal/cli"

var program = &cli.Program[options, *modeRuns]{
	Name: "sec", Usage: usage, Define: define, Work: simulate, Text: (*modeRuns).text, Rows: (*modeRuns).rows,
	Files: []cli.File[*modeRuns]{
		{Flag: "jobs", Write: (*modeRuns).writeJobs},
		{Flag: "users", Write: (*modeRuns).writeUsers},
		{Flag: "demand", Write: (*modeRuns).writeDemand},
		{Flag: "svg", Write: (*modeRuns).writeSVG},
	},
}

func main() { program.Main() }

// simulate reads the jobs, runs them, and writes the figures that were asked for.
func simulate(o *options, run *cli.Run) (*modeRuns, error) {
	files, err := o.createFigures(run)
	if err != nil {
		return nil, err
	}
	log, err := o.load(run)
	if err != nil {
		return nil, err
	}
	o.note(run, log)
	runs, err := o.runAll(log, run)
	if err == nil {
		err = runs.resold()
	}
	if err == nil && run.Asked("users") {
		if runs.users, err = runs.charged(); err != nil {
			return nil, cli.Mistakef("%s: bills of the users: %w", log.name, err)
		}
	}
	if err == nil && files != nil {
		err = o.writeFigures(files, log, run)
	}
	return runs, err
}
