// Portfolio replays years of a demand, week by week, and prints the cost of the online
// portfolio, which buys reservations for a forecast. Beside it stand the plan of
// hindsight, a bound that no plan beats, and portfolios of fewer classes.
//
//	go run ./examples/tools/portfolio
//
// does so for a made-up demand; -demand FILE is your own, -trace FILE runs a log of
// jobs, -classes FILE has your prices, and -h lists the choices. With -state FILE the
// program does not replay: run it once a week, and it prints what to buy now.
//
// Reference: [Niu16] Niu, Zhai, Ma, Tang, Chen, Zheng, Building Semi-Elastic Virtual
// Clusters for Cost-Effective HPC Cloud Resource Provisioning, IEEE TPDS 27(7), 2016,
// sections 5.2 and 8.5.
package main

import (
	"io"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/table"
)

// A report is the result of a replay, or what to buy now.
type report interface {
	text(w *table.Page) error
	rows() any
}

var program = &cli.Program[options, report]{
	Name: "portfolio", Usage: usage(), Define: define, Work: work, Text: report.text, Rows: report.rows,
	Files: []cli.File[report]{{Flag: "svg", Write: func(r report, w io.Writer) error { return r.(*results).writeSVG(w) }}},
}

func main() { program.Main() }

// work replays demands; or with -state it decides for one.
func work(o *options, run *cli.Run) (report, error) {
	if o.state != "" {
		return o.act(run)
	}
	in, err := o.read(run, 2)
	if err != nil {
		return nil, err
	}
	o.note(run, in)
	return o.solve(in, run)
}
