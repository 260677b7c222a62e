// Package niu16 puts the figures, Table 1 and the claims of [Niu16] beside the results of a
// log of jobs, and the online portfolio beside hindsight for years of a demand.
//
// [Niu16] Niu, Zhai, Ma, Tang, Chen, Zheng, Building Semi-Elastic Virtual Clusters for
// Cost-Effective HPC Cloud Resource Provisioning, IEEE TPDS 27(7), 2016.
package niu16

import (
	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/outfile"
	"github.com/plimsoll/plimsoll/examples/internal/semielastic"
	"github.com/plimsoll/plimsoll/examples/internal/table"
	"github.com/plimsoll/plimsoll/examples/papers/internal/claim"
)

// Paper is the subcommand.
var Paper = claim.Paper{Name: "niu16", About: "a cluster that grows and shrinks with its queue", Run: program.Run}

var program = &cli.Program[options, *results]{
	Name: "papers niu16", Usage: usage, Define: define, Work: work, Text: (*results).text,
	Rows: func(r *results) any { return r.claims },
}

const usage = `Usage: go run ./examples/papers niu16 [flags]

The claims of [Niu16] beside ours: Fig. 2, Table 1, Figs. 4a, 4b and 5 to 9. A number
comes out if it is within 15% of the paper's, and in part if it has the same sign; an
order comes out if it holds, a range in part if some of ours is within. Rates are
dollars for a used instance-hour; "pure" deducts what is left of terms.

  -trace FILE          log of jobs: Standard Workload Format, or accounting of Slurm,
                       PBS or LSF, plain or gzip; may be given several times. The
                       paper's is SDSC-DS-2004 (default: a made-up log)
  -cores-per-node N    processors of an instance (default 16)
  -seed N              of the made-up log (default 1)
  -figures DIR         write Table 1, Figs. 1, 2 and 4a to 9, the sweep over T_waitlmt,
                       T_short, placement and queue, and what a marketplace for the rest
                       of terms is worth, as CSV and SVG, and say what a better choice
                       would save; of one log, some 610 simulations on all cores
  -json                print an array with an object for each claim: on, place, claim,
                       paper, ours, came_out (yes, in part or no) and why
  -h                   print this
`

// options are the flags.
type options struct {
	traces  []string
	cores   int
	seed    uint64
	figures string
}

// maxCount bounds the processors of an instance.
const maxCount = 1_000_000_000

// define defines the flags.
func define(o *options, f *cli.Flags) {
	*o = options{cores: 16, seed: 1}
	f.Files("trace", &o.traces)
	f.Int("cores-per-node", &o.cores, 1, maxCount, "")
	f.Seed(&o.seed)
	f.Name("figures", &o.figures, "the name of a folder")
	f.Check(func() error {
		if o.figures != "" && len(o.traces) > 1 {
			return cli.Mistakef("-figures are of one log: want one -trace")
		}
		return nil
	})
	f.Idle(func(name string) bool { return name == "seed" && len(o.traces) > 0 })
}

// results are the claims, and what is said beside them.
type results struct {
	claims []claim.Claim
	beyond []string
}

// work judges each log.
func work(o *options, run *cli.Run) (*results, error) {
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
		log, err := semielastic.Load(path, o.cores, 1, o.seed, run)
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
	claim.Write(w, r.claims)
	if r.beyond != nil {
		w.Printf("\nNot in the paper:\n")
	}
	for _, x := range r.beyond {
		w.Sayf("- %s", x)
	}
	return nil
}
