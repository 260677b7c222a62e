// Preempt says what it costs to take nodes away from a partition that runs batch jobs.
// The cost depends on the choice of nodes, and on how long jobs may still run. The
// program runs a log of jobs as one batch, computes for every state what a preemption
// would waste ([Duplyakin17] section 4), and compares the rankings of the paper with the
// choice that wastes least.
//
//	go run ./examples/tools/preempt
//
// runs two made-up logs with the quantiles of the paper's. -trace FILE runs a job log,
// and -h lists the choices. -claims judges what the paper says on these logs.
//
// Reference: [Duplyakin17] Duplyakin, Johnson, Ricci, The Part-Time Cloud:
// Enabling Balanced Elasticity Between Diverse Computing Environments,
// ScienceCloud 2017.
package main

import "github.com/plimsoll/plimsoll/examples/internal/cli"

var program = &cli.Program[options, *results]{
	Name: "preempt", Usage: usage, Define: define, Work: preemptAll, Text: (*results).text, Rows: (*results).rows,
	Files: []cli.File[*results]{{Flag: "svg", Write: (*results).writeSVG}},
}

func main() { program.Main() }

// results are those of all logs.
type results struct {
	*options
	run    *cli.Run
	logs   []*result
	judged []judgement // with -claims
}

// preemptAll reads the logs and scores their states.
func preemptAll(o *options, run *cli.Run) (*results, error) {
	logs, err := o.load(run)
	if err != nil {
		return nil, err
	}
	o.note(run, logs)
	r := &results{options: o, run: run}
	for _, log := range logs {
		if o.claims {
			list, err := o.judge(log, run)
			if err != nil {
				return nil, cli.Mistakef("%s: %w", log.name, err)
			}
			r.judged = append(r.judged, judgement{log.name, list})
			continue
		}
		x, err := o.score(log, run)
		if err != nil {
			return nil, err
		}
		r.logs = append(r.logs, x)
	}
	return r, nil
}
