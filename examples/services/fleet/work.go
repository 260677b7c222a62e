package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	beamlog "github.com/apache/beam/sdks/v2/go/pkg/beam/log"

	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/exec/optimized"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/dataflow"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/flink"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/spark"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/heldfile"
	"github.com/plimsoll/plimsoll/examples/internal/table"
	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/bills"
	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/engine"
	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/generate"
	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/group"
	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/market"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
)

// quiet keeps the engine's own log to warnings.
func quiet() {
	beamlog.SetupLogging("error", "text")
	log.SetOutput(io.Discard)
	beamlog.SetLogger(logger{})
}

// logger passes on the errors of the engine.
type logger struct{}

// Log implements the interface of Beam.
func (logger) Log(_ context.Context, s beamlog.Severity, _ int, text string) {
	if s >= beamlog.SevError {
		text, _, _ = strings.Cut(text, "\n") // without a trace of functions
		fmt.Fprintln(os.Stderr, "fleet:", text)
	}
}

// results are what a run came to.
type results struct {
	output
	summary  *engine.Summary
	shown    bool             // the counters
	counters map[string]int64 // of an engine
	covered  int              // hours in which bills have use
	unread   []string         // files of bills
	took     time.Duration
}

// work plans the fleet.
func work(o *options, run *cli.Run) (*results, error) {
	start := time.Now()
	e := engine.Options{Sample: o.sample, Seed: o.seed, Rounds: o.rounds, Formats: o.formats, Parts: o.parts, Branches: o.branches}
	var err error
	if e.Bills, e.Fleet, e.Terms, err = o.fleet(); err != nil {
		return nil, err
	}
	if o.out != "" {
		if err := o.outDir(); err != nil {
			return nil, err
		}
		if e.Dir, err = filepath.Abs(o.out); err != nil {
			return nil, err
		}
		e.Summary = engine.SummaryOf(e.Dir)
		if err := engine.NoSummary(e.Dir); err != nil {
			return nil, err
		}
	} else {
		dir, err := os.MkdirTemp("", "fleet-")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(dir)
		e.Summary = engine.SummaryOf(dir)
		if e.Bills != nil || o.poison > 0 { // for the reasons of failures
			e.Dir, e.Formats = dir, nil
		}
	}
	beam.Init()
	p, err := engine.Build(&e)
	if err != nil {
		return nil, err
	}
	run.Showf("planning on %s", o.engine.Runner)
	r := &results{output: o.output, shown: o.counters}
	if r.counters, err = o.engine.Run(context.Background(), p); err != nil {
		return nil, err
	}
	r.covered = int(r.counters["bill_hours"])
	if r.summary, err = engine.ReadSummary(e.Summary); err != nil {
		if errors.Is(err, os.ErrNotExist) {
			return nil, cli.Mistakef("the run is done, and its workers have written %s elsewhere: want -out with a folder that they share with this program", e.Summary)
		}
		return nil, err
	}
	if o.out != "" {
		if err := engine.Done(e.Dir); err != nil {
			return nil, err
		}
	}
	r.took = time.Since(start)
	if err := r.failures(run, e.Dir); err != nil {
		return nil, err
	}
	return r, r.tell(run)
}

// outDir makes the folder of -out, which must not hold what another run has left.
func (o *output) outDir() error {
	if err := os.MkdirAll(o.out, 0o777); err != nil {
		return cli.Mistakef("-out %s: %v: want a folder", o.out, err)
	}
	other, err := engine.Leftover(o.out, o.formats, o.parts)
	if err == nil && other != "" {
		err = cli.Mistakef("-out %s: it holds %s, of a run with other -parts or another -format: want another folder, or the files of that run removed", o.out, other)
	}
	return err
}

// heldNotes returns what to say of savings plans of which the bills do not say all.
func heldNotes(x *group.Terms) (notes []string) {
	var ended, gaps, open []string
	for _, h := range x.Held {
		if h.Assumed && !h.Until.After(x.Start) {
			ended = append(ended, fmt.Sprintf("%q at %s", h.ID, h.Until.UTC().Format(time.RFC3339)))
		} else if h.Assumed {
			open = append(open, strconv.Quote(h.ID))
		}
		if h.Gaps > 0 {
			gaps = append(gaps, fmt.Sprintf("%q in %d", h.ID, h.Gaps))
		}
	}
	say := func(names []string, format string) {
		const most = 8
		if n := len(names); n > most {
			names = append(names[:most:most], fmt.Sprintf("%d others", n-most))
		}
		if len(names) > 0 {
			notes = append(notes, fmt.Sprintf("note: "+format, cli.Series(names, "and")))
		}
	}
	say(ended, "savings plans that paid nothing any more at the end of the bills, and are taken to have ended then: %s; -held says otherwise")
	say(gaps, "savings plans that show in no row in some hours of the last week, which count as 0: %s of its hours; -held says otherwise")
	say(open, "no row says until when the savings plan %s will be held: taken to pay in all hours that are planned; -held-until or -held says otherwise")
	return notes
}

// tell says on standard error what a user must know beside the results: hours without bills, doubts about
// savings plans, and a gap that is large. The error says that nothing is planned.
func (r *results) tell(run *cli.Run) error {
	x, j := &r.summary.Terms, &r.summary.Joint
	start := x.Start.Add(-time.Duration(x.Hours) * time.Hour).Format(time.DateOnly) // of the bills
	if r.covered > 0 && r.covered < x.Hours {
		run.Sayf("note: the bills have use in %d of the %d hours from %s, and the other hours are planned as hours without use: want bills of all hours, or -hours %d",
			r.covered, x.Hours, start, max(24, r.covered))
	}
	for _, text := range heldNotes(x) {
		run.Sayf("%s", text)
	}
	if j.Bounded && j.Gap() > market.Enough {
		run.Sayf("note: the cost is %.2g%% above the bound, more than %.1g%%: a larger -sample or more -rounds may find a better price", 100*j.Gap(),
			100*market.Enough)
	}
	failures := r.summary.Totals.Failures
	switch {
	case r.summary.Totals.Curves > 0:
		return nil
	case failures > 0:
		return fmt.Errorf("nothing is planned: all %d accounts, kinds or files failed", failures)
	}
	return fmt.Errorf("nothing is planned: the bills have no use of a kind to reserve in %d hours from %s", x.Hours, start)
}

// failures says the first failures, which the workers have written to a folder, on standard error.
func (r *results) failures(run *cli.Run, dir string) error {
	if dir == "" || r.summary.Totals.Failures == 0 {
		return nil
	}
	all, err := engine.ReadFailures(dir, r.parts)
	const most = 5
	for i, f := range all {
		if f.Account == "" && f.File != "" {
			r.unread = append(r.unread, f.File)
		}
		if i >= most {
			continue
		}
		at := f.File
		if f.Line > 0 {
			at += fmt.Sprintf(", line %d", f.Line)
		}
		if at != "" {
			at = " (" + at + ")"
		}
		run.Sayf("not planned: %v%s: %s", f.Key, at, f.Reason)
	}
	if len(all) > most {
		run.Sayf("not planned: %d more, for other reasons or the same: -out writes all", len(all)-most)
	}
	return err
}

// verdict says that bills are missing in the results, or with -strict anything else.
func (r *results) verdict() error {
	if len(r.unread) > 0 {
		return fmt.Errorf("%d bills were not read whole, such as %s: the plan lacks what they say", len(r.unread), r.unread[0])
	}
	if n := r.summary.Totals.Failures; r.strict && n > 0 {
		return fmt.Errorf("-strict: %d accounts, kinds or files are not planned", n)
	}
	return nil
}

// fleet returns what to plan: the bills, nil for the made-up fleet, and the terms of it.
func (o *input) fleet() (in *bills.Input, f generate.Fleet, x group.Terms, err error) {
	if len(o.bills) == 0 {
		f = generate.Fleet{Seed: o.seed, Curves: o.curves, Poison: o.poison}
		if err := f.Validate(); err != nil {
			return nil, f, x, cli.Mistakef("-curves: %w", err)
		}
		return nil, f, f.Terms(), nil
	}
	for _, paths := range [][]string{o.bills, o.prices} {
		for i := range paths {
			if paths[i], err = filepath.Abs(paths[i]); err != nil {
				return nil, f, x, err
			}
		}
	}
	a, b, err := bills.Duplicate(o.bills)
	if err != nil {
		return nil, f, x, err
	}
	if a != "" {
		return nil, f, x, cli.Mistakef("-bill %s: it is the same as %s: want each bill once", b, a)
	}
	in = &bills.Input{Files: o.bills, Prices: o.prices, Pricer: bills.Pricer{From: o.start, Model: o.model, Plan: o.plan, Until: o.heldUntil, Seed: o.seed}}
	x = group.Terms{Currency: o.currency, Start: o.start.Add(time.Duration(o.hours) * time.Hour), Hours: o.hours, Every: 168, Horizon: reserve.Pure,
		Paths: o.paths}
	pricer := in.Pricer
	if err := pricer.Load(o.prices); err != nil {
		return nil, f, x, err
	}
	if err := pricer.Terms(&x); err != nil || o.held == "" {
		return in, f, x, err
	}
	held, err := heldfile.Read("-held", o.held)
	if err != nil {
		return nil, f, x, err
	}
	if x.Held, err = bills.Stated(held, &x); err != nil {
		err = cli.Mistakef("-held %s: %w", o.held, err)
	}
	return in, f, x, err
}

// text prints the results for people.
func (r *results) text(w *table.Page) error {
	s, j := &r.summary.Totals, &r.summary.Joint
	fmt.Fprintf(w, "%d curves of %d hours planned, %d not\n", s.Curves, r.summary.Terms.Hours, s.Failures)
	if n := r.summary.Terms.Paths; n > 0 {
		fmt.Fprintf(w, "each curve over %d paths: amounts are means\n", n)
	}
	fmt.Fprintf(w, "reservations %v, savings plan %v in %d commitments, on demand %v %s\n",
		j.Fees.Fixed(2), j.Committed.Fixed(2), len(j.Commitments), j.OnDemand.Fixed(2), r.summary.Terms.Currency)
	if held := r.summary.Terms.Money(); held > 0 {
		fmt.Fprintf(w, "savings plans held: %v an hour at first, paid already; unused with the new ones %v\n", held, j.Unused.Fixed(2))
	}
	if j.Bounded && j.Cost.Float64() > 0 {
		fmt.Fprintf(w, "no plan of the fleet costs %.4f%% less\n", 100*(1-j.Bound.Float64()/j.Cost.Float64()))
	}
	if r.shown {
		fmt.Fprintln(w)
		var rows [][]string
		for _, name := range slices.Sorted(maps.Keys(r.counters)) {
			rows = append(rows, []string{name, strconv.FormatInt(r.counters[name], 10)})
		}
		if err := table.Write(w, []table.Column{{Title: "counter", Left: true}, {Title: "count"}}, rows); err != nil {
			return err
		}
	}
	fmt.Fprintf(w, "\norders %d cost %v bound %v seconds %.1f\n\n", s.Orders, j.Cost, j.Bound, r.took.Seconds())
	first := pricing.Money(0)
	for _, c := range j.Commitments {
		if c.Slot == 0 {
			first += c.Hourly
		}
	}
	plan := "commit to no savings plan now"
	if first > 0 {
		plan = fmt.Sprintf("commit %s %s an hour to the savings plan now", first.Fixed(2), r.summary.Terms.Currency)
	}
	where := "-out DIR writes them"
	if r.out != "" {
		where = "they are in " + r.out
	}
	w.Sayf("Place the %d orders, each at its hour (%s), and %s.", s.Orders, where, plan)
	return nil
}

// object returns the results for machines.
func (r *results) object() any {
	s, j := &r.summary.Totals, &r.summary.Joint
	return struct {
		Curves   int64            `json:"curves"`
		Failures int64            `json:"failures"`
		Hours    int64            `json:"hours"`
		Orders   int64            `json:"orders"`
		Units    int64            `json:"units"`
		Currency string           `json:"currency"`
		Cost     string           `json:"cost"`
		Bound    string           `json:"bound"`
		Fees     string           `json:"reservations"`
		Savings  string           `json:"savings_plan"`
		OnDemand string           `json:"on_demand"`
		Seconds  float64          `json:"seconds"`
		Counters map[string]int64 `json:"counters"`
	}{s.Curves, s.Failures, s.Hours, s.Orders, s.Units, r.summary.Terms.Currency, j.Cost.String(), j.Bound.String(), j.Fees.String(), j.Committed.String(),
		j.OnDemand.String(), r.took.Seconds(), r.counters}
}
