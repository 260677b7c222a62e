// Plan decides what cloud capacity to reserve for a known demand: how many reservations
// of which class to buy, and when. It runs the exact solver and every published rule,
// and prints what each plan costs, what the plan saves over on demand, and how far from
// the optimum the plan is at most.
//
//	go run ./examples/tools/plan
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
	"github.com/plimsoll/plimsoll/examples/internal/cli"
)

var program = &cli.Program[options, *results]{
	Name: "plan", Usage: usage(), Define: define, Work: plan, Text: (*results).text, Rows: (*results).rows,
	Files: []cli.File[*results]{{Flag: "svg", Write: (*results).writeSVG}},
}

func main() { program.Main() }

// plan reads the problem and solves it.
func plan(o *options, run *cli.Run) (*results, error) {
	in, err := o.read()
	if err != nil {
		return nil, err
	}
	o.note(run, in)
	r, err := o.solve(in, run)
	if err == nil && run.JSON {
		for _, s := range r.missing() {
			run.Sayf("note: %s", s)
		}
	}
	return r, err
}
