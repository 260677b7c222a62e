// Package niu16 puts the figures, Table 1 and the claims of [Niu16] beside the results of a
// log of jobs, and the online portfolio beside hindsight for years of a demand.
//
// [Niu16] Niu, Zhai, Ma, Tang, Chen, Zheng, Building Semi-Elastic Virtual Clusters for
// Cost-Effective HPC Cloud Resource Provisioning, IEEE TPDS 27(7), 2016.
package niu16

import (
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/outfile"
	"github.com/plimsoll/plimsoll/examples/internal/semielastic"
	"github.com/plimsoll/plimsoll/examples/internal/svgplot"
	"github.com/plimsoll/plimsoll/examples/internal/table"
	"github.com/plimsoll/plimsoll/examples/papers/internal/claim"
	"github.com/plimsoll/plimsoll/examples/papers/internal/niu16/onlineportfolio"
)

// Paper is the subcommand.
var Paper = claim.Paper{Name: "niu16", About: "a cluster that grows and shrinks with its queue", Run: program.Run}

var program = &cli.Program[options, *results]{
	Name: "papers niu16", Usage: usage + onlineportfolio.Usage(), Define: define, Work: work, Text: (*results).text,
	Rows:  func(r *results) any { return r.claims },
	Files: []cli.File[*results]{{Flag: "svg", Write: (*results).writeSVG}},
}

const usage = `Usage: go run ./examples/papers niu16 [flags]

The claims of [Niu16] beside ours: Figs. 2 and 4a to 9, Table 1. A number comes out if
it is within 15% of the paper's, in part if it has the same sign; an order if it holds;
a range in part if some of ours is within. "Pure" deducts what is left of terms.

  -trace FILE          log of jobs: Standard Workload Format, or accounting of Slurm,
                       PBS or LSF; may be given several times (default: made up)
  -cores-per-node N    processors of an instance (default 16)
  -figures DIR         write all figures of one log as CSV and SVG: some 610 simulations
  -json                print an array with an object for each claim
  -h                   print this

  -replay              section 8.5 alone, for years: the online portfolio beside
                       hindsight; of -trace what its cluster holds
  -demand FILE         a demand for -replay, as for examples/tools/plan; may be given
                       several times (default: three made-up years)
  -slot D              length of a slot of -demand (default: as the file says, or 1h)
  -svg OUT             of -replay: demand, forecast and active reservations
  -total               count all that is spent (default: pure cost)
`

// options are the flags.
type options struct {
	onlineportfolio.Flags
	traces  []string
	cores   int
	figures string

	again bool // -replay
	files []string
	slot  time.Duration
	total bool
}

// maxCount bounds the processors of an instance.
const maxCount = 1_000_000_000

// define defines the flags.
func define(o *options, f *cli.Flags) {
	*o = options{cores: 16}
	o.Flags.Define(f)
	f.Files("trace", &o.traces)
	f.Int("cores-per-node", &o.cores, 1, maxCount, "")
	f.Seed(&o.Seed)
	f.Name("figures", &o.figures, "the name of a folder")
	f.Switch("replay", &o.again)
	f.Files("demand", &o.files)
	f.Span("slot", &o.slot, "a span of time of which a week has a whole number, such as 1h, 15m or 24h",
		func(d time.Duration) bool { return d > 0 && onlineportfolio.Week%d == 0 })
	f.Switch("total", &o.total)
	f.Check(func() error {
		if o.figures != "" && (len(o.traces) > 1 || o.again) {
			return cli.Mistakef("-figures are of one log: want one -trace, and no -replay")
		}
		if f.Given("svg") && !o.again {
			return cli.Mistakef("-svg is the picture of -replay: want -figures for those of a log")
		}
		return nil
	})
	f.Idle(o.ignores)
}

// ignores reports whether a flag changes nothing, given the others.
func (o *options) ignores(name string) bool {
	switch name {
	case "trace", "replay", "figures", "json", "svg":
		return false
	case "cores-per-node":
		return o.again && o.traces == nil
	case "seed":
		return !o.again && o.traces != nil || o.again && o.Futures == 0
	case "slot":
		return !o.again || o.files == nil
	case "alpha":
		return !o.again || o.Model != "simple"
	}
	return !o.again
}

// results are the claims, and what is said beside them.
type results struct {
	claims []claim.Claim
	beyond []string

	// Of a replay.
	costs    func(w *table.Page)
	pictures []svgplot.Portfolio
}

// work judges each log, or replays.
func work(o *options, run *cli.Run) (*results, error) {
	if o.again {
		return o.replay(run)
	}
	var files map[string]*outfile.File
	var err error
	if o.figures != "" {
		if files, err = create(o.figures, run); err != nil {
			return nil, err
		}
	}
	traces := o.traces
	if traces == nil {
		traces = []string{""}
	}
	r := &results{}
	for _, path := range traces {
		log, err := semielastic.Load(path, o.cores, 1, o.Seed, run)
		if err != nil {
			return nil, err
		}
		log.Note(run)
		s := emptyStudy()
		if err := s.run(log, files != nil, run); err != nil {
			return nil, err
		}
		r.claims = append(r.claims, s.claims()...)
		if files != nil {
			if err := s.write(files); err != nil {
				return nil, err
			}
			r.beyond = s.beyond()
		}
	}
	return r, nil
}

// write writes the figures.
func (s *study) write(files map[string]*outfile.File) error {
	figures, err := s.figures()
	if err != nil {
		return err
	}
	for i := range figures {
		f := &figures[i]
		if err := f.write(files[f.name+".csv"], files[f.name+".svg"]); err != nil {
			return err
		}
	}
	return nil
}

func (r *results) text(w *table.Page) error {
	if r.costs != nil {
		r.costs(w)
	}
	claim.Write(w, r.claims)
	if r.beyond != nil {
		w.Printf("\nNot in the paper:\n")
	}
	for _, x := range r.beyond {
		w.Sayf("- %s", x)
	}
	return nil
}
