// Elastic compares policies that rent instances for a small cluster on a budget,
// as [Marshall12] does: 64 local cores, a private cloud of 512 that refuses requests,
// and a commercial cloud at $0.085 an hour. It says how long jobs take, what they cost,
// where they run, and which findings of the paper come out.
//
//	go run ./examples/tools/elastic
//
// runs the paper's evaluation on samples of its two workloads. -trace FILE runs a job
// log, and -h lists the choices.
//
// Reference: [Marshall12] Marshall, Tufo, Keahey, Provisioning Policies for Elastic
// Computing Environments, IPDPS Workshops 2012, section V.
package main

import "github.com/plimsoll/plimsoll/examples/internal/cli"

var program = &cli.Program[options, *results]{
	Name: "elastic", Usage: usage, Define: define, Work: compare, Text: (*results).text, Rows: (*results).rows,
	Files: []cli.File[*results]{
		{Flag: "svg", Write: (*results).writeSVG},
		{Flag: "credits", Write: (*results).writeCredits},
		{Flag: "decisions", Write: (*results).writeDecisions},
	},
}

func main() { program.Main() }

// compare reads or makes the jobs and runs the policies.
func compare(o *options, run *cli.Run) (*results, error) {
	workloads, err := o.workloads(run.Line)
	if err != nil {
		return nil, err
	}
	for _, w := range workloads {
		if w.log != nil {
			w.log.Note(run, w.name)
		}
	}
	setups, err := o.setups()
	if err != nil {
		return nil, err
	}
	r, err := o.evaluate(workloads, setups, run)
	if err == nil {
		err = o.countBursts(workloads)
	}
	if err == nil && o.showChoices {
		err = r.evaluateChoices(run)
	}
	return r, err
}
