package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	beamlog "github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"

	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/exec/optimized"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/dataflow"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/flink"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/spark"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/infile"
	"github.com/plimsoll/plimsoll/examples/internal/table"
	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/bills"
	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/engine"
	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/generate"
	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/group"
	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/market"
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
	o        *options
	summary  *engine.Summary
	counters map[string]int64
	took     time.Duration
	profile  bytes.Buffer
	unread   []string // files of bills
}

// writeProfile writes where the CPU time has gone.
func (r *results) writeProfile(w io.Writer) error {
	_, err := w.Write(r.profile.Bytes())
	return err
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
		if err := outDir(o.out, o.formats, o.parts); err != nil {
			return nil, err
		}
		dir, err := filepath.Abs(o.out)
		if err != nil {
			return nil, err
		}
		e.Dir, e.Summary = dir, engine.SummaryOf(dir)
		if err := engine.NoSummary(dir); err != nil {
			return nil, err
		}
		run.IfInterrupted("interrupted: the parts in -out may be of two runs; there is no summary.json until a run is done")
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
	r := &results{o: o}
	if run.Asked("profile") {
		if err := pprof.StartCPUProfile(&r.profile); err != nil {
			return nil, err
		}
		defer pprof.StopCPUProfile()
	}
	if r.counters, err = o.engine.Run(context.Background(), p); err != nil {
		return nil, err
	}
	if r.summary, err = engine.ReadSummary(e.Summary); err != nil {
		if errors.Is(err, os.ErrNotExist) {
			return nil, cli.Mistakef("the run is done, and its workers have written %s elsewhere: want -out with a folder that they share with this program", e.Summary)
		}
		return nil, err
	}
	pprof.StopCPUProfile()
	r.took = time.Since(start)
	return r, r.tell(run, e.Dir)
}

// outDir makes the folder of -out, which must not hold what another run has left.
func outDir(dir string, formats []string, parts int) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return cli.Mistakef("-out %s: %v: want a folder", dir, err)
	}
	other, err := engine.Leftover(dir, formats, parts)
	if err == nil && other != "" {
		err = cli.Mistakef("-out %s: it holds %s, of a run with other -parts or another -format: want another folder, or the files of that run removed", dir, other)
	}
	return err
}

// coveredNote returns what to say of hours without bills, "" if there are none.
func coveredNote(covered, hours int, start time.Time) string {
	if covered == 0 || covered >= hours {
		return ""
	}
	return fmt.Sprintf("note: the bills have use in %d of the %d hours from %s, and the other hours are planned as hours without use: want bills of all hours, or -hours %d", covered, hours, start.Format(time.DateOnly), max(24, covered))
}

// gapNote returns what to say of a plan whose gap is large, "" if it is not.
func gapNote(j *market.Plan) string {
	if !j.Bounded || j.Gap() <= market.Enough {
		return ""
	}
	return fmt.Sprintf("note: the cost is %.2g%% above the bound, more than %.1g%%: a larger -sample or more -rounds may find a better price", 100*j.Gap(),
		100*market.Enough)
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

// tell says on standard error what a user of bills must know beside the results: hours
// without bills, and the first failures, which are in a folder. The error says that nothing
// is planned.
func (r *results) tell(run *cli.Run, dir string) error {
	if covered := r.counters["bill_hours"]; len(r.o.bills) > 0 {
		if text := coveredNote(int(covered), r.o.hours, r.o.start); text != "" {
			run.Sayf("%s", text)
		}
	}
	for _, text := range append(heldNotes(&r.summary.Terms), gapNote(&r.summary.Joint)) {
		if text != "" {
			run.Sayf("%s", text)
		}
	}
	const most = 5
	failures := r.summary.Totals.Failures
	if dir != "" && failures > 0 {
		all, err := engine.ReadFailures(dir, r.o.parts)
		if err != nil {
			return err
		}
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
	}
	if r.summary.Totals.Curves > 0 {
		return nil
	}
	if failures > 0 {
		return fmt.Errorf("nothing is planned: all %d accounts, kinds or files failed", failures)
	}
	return fmt.Errorf("nothing is planned: the bills have no use of a kind to reserve in %d hours from %s", r.o.hours, r.o.start.Format(time.DateOnly))
}

// verdict says that bills are missing in the results, or with -strict anything else.
func (r *results) verdict() error {
	if n := r.summary.Totals.Failures; r.o.strict && n > 0 && len(r.unread) == 0 {
		return cli.Shortf("-strict: %d accounts, kinds or files are not planned", n)
	}
	if len(r.unread) == 0 {
		return nil
	}
	return cli.Shortf("%d bills were not read whole, such as %s: the plan lacks what they say", len(r.unread), r.unread[0])
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
	x.Held, err = infile.Read("-held", o.held, func(r io.Reader) ([]group.Commitment, error) { return bills.ReadHeld(r, &x) })
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
	if r.o.out != "" {
		fmt.Fprintf(w, "orders, plans and failures are in %s\n", r.o.out)
	}
	if r.o.counters {
		fmt.Fprintln(w)
		var rows [][]string
		for _, name := range slices.Sorted(maps.Keys(r.counters)) {
			rows = append(rows, []string{name, strconv.FormatInt(r.counters[name], 10)})
		}
		if err := table.Write(w, []table.Column{{Title: "counter", Left: true}, {Title: "count"}}, rows); err != nil {
			return err
		}
	}
	fmt.Fprintf(w, "\norders %d cost %v bound %v seconds %.1f\n", s.Orders, j.Cost, j.Bound, r.took.Seconds())
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

// service runs a command that serves until it is told to end.
func service(name, usage string, port int, args []string, serve func(ctx context.Context, port int) error) int {
	f := cli.NewFlags("fleet " + name)
	f.Int("port", &port, 0, 65535, "")
	err := f.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Print(usage)
		return cli.OK
	}
	if err == nil {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		defer stop()
		err = serve(ctx, port)
	}
	return cli.Exit(os.Stderr, "fleet "+name, err)
}

const engineUsage = `Usage: fleet engine [-port N]

Runs Prism, Beam's portable runner, as a service at a port of this machine (default
8073), until it is interrupted. Use it with fleet -endpoint localhost:8073.
`

func engineCommand(args []string) int {
	return service("engine", engineUsage, 8073, args, func(ctx context.Context, port int) error {
		if _, err := prism.CreateJobServer(ctx, prism.Options{Port: port}); err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "fleet: an engine at localhost:%d\n", port)
		<-ctx.Done()
		return nil
	})
}

const workerUsage = `Usage: fleet worker [-port N]

Works for an engine, at a port of this machine (default 8101), until it is interrupted.
Use it with fleet -workers localhost:8101, and start one for each processor.
`

func workerCommand(args []string) int {
	return service("worker", workerUsage, 8101, args, func(ctx context.Context, port int) error {
		beam.Init()
		return engine.Serve(ctx, port)
	})
}
