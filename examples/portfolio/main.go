// Portfolio replays years of a demand, week by week, and shows what it would have
// cost to buy reservations on the strength of a forecast: the online portfolio,
// beside what hindsight would have bought, a bound that nothing beats, and
// portfolios of fewer classes.
//
//	go run ./examples/portfolio
//
// does so for a made-up demand; -demand FILE is your own, -trace FILE runs a log of
// jobs, -classes FILE has your prices, and -h lists the choices. With -state FILE it
// goes from hindsight to work: once a week it says what to buy now.
//
// Reference: [Niu16] Niu, Zhai, Ma, Tang, Chen, Zheng, Building Semi-Elastic Virtual
// Clusters for Cost-Effective HPC Cloud Resource Provisioning, IEEE TPDS 27(7), 2016,
// sections 5.2 and 8.5.
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
	return frame.Run(program, usage(), parse, replay, args, stdout, stderr)
}

// replay reads the demands, replays them and writes what was asked for; or with -state
// it decides for one.
func replay(opts options, files *outfile.Set, stdout, stderr io.Writer, line *progress.Line) error {
	if opts.state != "" {
		return opts.act(files, stdout, stderr, line)
	}
	svg, err := opts.create(files)
	if err != nil {
		return err
	}
	in, err := opts.read(line)
	line.Clear()
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
		return writeJSON(stdout, in, results)
	}
	return opts.writeText(stdout, in, results)
}
