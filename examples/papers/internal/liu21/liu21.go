// Package liu21 puts the figures, tables and claims of [Liu21] beside the results of logs of
// data centres: plans of each centre, sharing by Algorithm 3, errors of the predicted demand,
// and rolling horizons in the readings that the text allows.
//
// Planners are told a demand with errors; sharing knows what tasks will need. A number comes
// out if savings and use are within 2 points of the paper's, amounts and counts within 2%, and
// data sent within 25%. What sharing saves comes out in part if it is further off, but more
// than nothing. Of rolling horizons each number is compared in the reading that is nearest.
//
// [Liu21] Liu, Peng, Yu, Liu, Huang, Pan, An Instance Reservation Framework for Cost
// Effective Services in Geo-Distributed Data Centers, IEEE Transactions on Services Computing
// 14(2), 2021, section 5.
package liu21

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll/examples/internal/centres"
	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/table"
	"github.com/plimsoll/plimsoll/examples/papers/internal/claim"
)

// Paper is the subcommand.
var Paper = claim.Paper{Name: "liu21", About: "reserved capacity that data centres lend each other", Run: program.Run}

var program = &cli.Program[options, *results]{
	Name: "papers liu21", Usage: usage, Define: define, Work: work, Text: (*results).text,
	Rows:  func(r *results) any { return r.claims() },
	Files: []cli.File[*results]{{Flag: "svg", Write: (*results).writeSVG}},
}

const usage = `Usage: go run ./examples/papers liu21 [flags]

The claims of [Liu21] section 5 beside ours: reservations of a day that data centres
plan for themselves, and lend each other. Its figures are compared with its own logs
(Parallel Workloads Archive), 600 hours and, in this order, these hours:

    -from 747,478,172 -trace UniLu-Gaia-2014-1.swf.gz
      -trace SDSC-BLUE-2000-4.2-cln.swf.gz -trace LANL-CM5-1994-4.1-cln.swf.gz

Of other centres only what the paper says of any centres is judged.

  -trace FILE          log of a centre; once for each centre (default: three made-up
                       centres)
  -centres N           how many centres to make up, 1 to 16 (default 3)
  -from LIST           hour of each log at which the window begins, one for all or one
                       for each (default: the hour of its first job)
  -hours N             length of the window, 24 to 26280 (default 600)
  -prices FILE         prices and places of the centres, JSON: see go doc
                       ./examples/tools/federation (default: those of the paper)
  -reserve LIST        all, or some of periodic (the paper's 2AH), hgr (Algorithm 1),
                       exact, wang ([Wang13]), history ([Wang15]), rho (Algorithm 2), in
                       five readings (default all):
                         rho-printed   all purchases of a window are made, and each is
                                       subtracted within the window only
                         rho-full      subtracted for its full term
                         rho-last      as rho-full; from a term on a reservation can
                                       begin in each hour of the window, and of equal
                                       intervals the last counts
                         rho-first     as rho-full; only the first hour's purchases of a
                                       window are made
                         rho-deferred  as rho-first, bought when needed, not before
  -lambda N            hours that rho sees, the current one included (default 13)
  -error LIST          bounds of the error of the predicted demand, 0 to 1 (default
                       0,0.2,0.4)
  -tables              print the numbers of Fig. 8, Table 3, Fig. 9, Table 4 and
                       Fig. 10 before the claims
  -seed N              of made-up centres, errors and disk space (default 1)
  -json                print an array with an object for each claim: on, place, claim,
                       paper, ours, came_out (yes, in part or no) and why
  -svg OUT             draw Figs. 7 to 10
  -h                   print this
`

type (
	centre      = centres.Centre
	plannerName = centres.Planner
	outcome     = centres.Outcome
	sharer      = centres.Sharer
)

const (
	periodic    = centres.Periodic
	hgr         = centres.HGR
	exact       = centres.Exact
	wang        = centres.Wang
	history     = centres.History
	rhoPrinted  = centres.RHOPrinted
	rhoFull     = centres.RHOFull
	rhoLast     = centres.RHOLast
	rhoFirst    = centres.RHOFirst
	rhoDeferred = centres.RHODeferred
	planners    = centres.Planners
)

// options are the flags.
type options struct {
	centres.Options
	reserve centres.Choice
	lambda  int
	errors  []float64
	tables  bool
	sparse  bool // sweep only the notable windows: for tests, which have no flag for it
}

const maxErrors = 100

// define defines the flags.
func define(o *options, f *cli.Flags) {
	*o = options{lambda: 13, errors: []float64{0, .2, .4}}
	o.Define(f)
	if err := o.reserve.Set("all"); err != nil {
		panic(err) // the default
	}
	f.Func("reserve", o.reserve.Set)
	f.Int("lambda", &o.lambda, 1, centres.MaxHours, " of hours")
	f.Switch("tables", &o.tables)
	cli.List(f, "error", &o.errors, maxErrors, func(part string) (float64, error) {
		x, err := strconv.ParseFloat(part, 64)
		if err != nil || !(x >= 0 && x <= 1) { // NaN is neither
			return 0, fmt.Errorf("%q is no bound of an error: want numbers from 0 to 1", part)
		}
		return max(0, x), nil
	})
	f.Check(func() error {
		if o.lambda > o.Hours {
			return fmt.Errorf("-lambda %d: the window has only %d hours (-hours)", o.lambda, o.Hours)
		}
		return o.Check()
	})
	f.Idle(func(name string) bool {
		return o.Idle(name) || name == "lambda" && !slices.Contains(o.reserve[rhoPrinted:], true)
	})
}

// work reads or makes the centres, plans and shares.
func work(o *options, run *cli.Run) (*results, error) {
	list, err := o.Load(run)
	if err != nil {
		return nil, err
	}
	if arePaperLogs(list) && !o.isPaper(list) {
		var from []string
		for _, c := range list {
			from = append(from, strconv.Itoa(paperFrom[c.Known]))
		}
		run.Sayf("note: other windows than the paper's, so that its figures are not compared: they are of -hours %d and -from %s", paperHours, strings.Join(from, ","))
	}
	o.Note(run, list)
	return o.evaluate(list, run)
}

// text writes the claims, after the tables if they are asked for.
func (r *results) text(w *table.Page) error {
	if r.o.tables {
		r.writePlans(w)
		r.writePaths(w)
		r.writeErrors(w)
		r.writeSweep(w)
		w.Printf("\n")
	}
	claim.Write(w, r.claims())
	return nil
}
