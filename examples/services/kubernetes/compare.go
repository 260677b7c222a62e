//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/services/kubernetes/internal/control"
	"github.com/plimsoll/plimsoll/examples/services/kubernetes/internal/extend"
	"github.com/plimsoll/plimsoll/examples/services/kubernetes/internal/trial"
	"github.com/plimsoll/plimsoll/preempt/shared"
)

const compareUsage = `Usage: go run . compare [flags]

Fills a made-up cluster on a real control plane (etcd, kube-apiserver, kube-scheduler and
kwok on loopback), lets urgent pods and gangs arrive, and says what is lost: by
kube-scheduler alone, by an extender that ends the pods that started last, by the extender
of least waste, by one plan of the extender for all that arrives, and by the optimum. All
ends with the program, and no file stays behind.

  -servers FOLDER   where kube-apiserver, kube-scheduler and kwok are; the PATH is
                    searched, too; README.md says how to get them
  -nodes N          nodes (default 200)
  -pods N           pods that run (default 5000)
  -urgent N         urgent pods that arrive (default 100)
  -gangs N          urgent gangs of four that arrive (default 20)
  -seed N           of the cluster that is made up (default 1)
  -only NAME        one run only: scheduler, lifo or least
  -refine D         how long the extender may look for a plan for all that wait (default
                    100ms)
  -timeout D        how long kube-scheduler waits for the extender; the extender's -limit is
                    nine tenths of it (default 200ms, as in deploy/scheduler.yaml)
  -search D         how long to search for the optimum (default 2m0s)
`

type compareOptions struct {
	servers, only              string
	nodes, pods, urgent, gangs int
	seed                       uint64
	search, refine, timeout    time.Duration
}

func (o *compareOptions) define(f *cli.Flags) {
	*o = compareOptions{nodes: 200, pods: 5000, urgent: 100, gangs: 20, seed: 1, search: 2 * time.Minute, refine: 100 * time.Millisecond, timeout: shippedTimeout}
	f.Name("servers", &o.servers, "a folder")
	f.Int("nodes", &o.nodes, 1, 5000, "")
	f.Int("pods", &o.pods, 1, 100000, "")
	f.Int("urgent", &o.urgent, 1, 10000, "")
	f.Int("gangs", &o.gangs, 0, 1000, "")
	f.Seed(&o.seed)
	f.Name("only", &o.only, "scheduler, lifo or least")
	f.Span("refine", &o.refine, "a duration such as 100ms", func(d time.Duration) bool { return d >= 0 })
	f.Span("timeout", &o.timeout, "a duration of 1ms or more, such as 200ms", func(d time.Duration) bool { return d >= time.Millisecond })
	f.Span("search", &o.search, "a duration such as 2m", func(d time.Duration) bool { return d >= 0 })
	f.Check(func() error {
		if o.only != "" && !slices.Contains([]string{"scheduler", "lifo", "least"}, o.only) {
			return errors.New("-only: want scheduler, lifo or least")
		}
		if o.pods > 100*o.nodes {
			return errors.New("-pods: want at most 100 for each node")
		}
		return nil
	})
}

func init() {
	commands["compare"] = command{
		about: "shows on a real control plane on loopback what the extender saves",
		usage: compareUsage,
		run: func(ctx context.Context, args []string, stdout, stderr io.Writer) error {
			var o compareOptions
			f := cli.NewFlags("compare")
			o.define(f)
			if err := f.Parse(args); err != nil {
				return err
			}
			return compare(ctx, &o, stdout, stderr)
		},
	}
}

// An extended is an extender that runs, and what a scheduler has to know of it.
type extended struct {
	server  *extend.Server
	config  string // of the scheduler
	at, ca  string // its address, and the certificate of its authority
	end     context.CancelFunc
	stopped chan error
}

// shippedTimeout is how long kube-scheduler waits for the extender by deploy/scheduler.yaml.
const shippedTimeout = 200 * time.Millisecond

// startExtender starts an extender for a control plane whose scheduler waits for so long.
func startExtender(ctx context.Context, plane *control.Plane, stderr io.Writer, timeout time.Duration, args ...string) (*extended, error) {
	dir := filepath.Join(plane.Dir, "extender")
	if err := os.RemoveAll(dir); err != nil {
		return nil, err
	}
	if err := makeCerts(dir, []string{"127.0.0.1"}, time.Now(), 1); err != nil {
		return nil, err
	}
	var o extenderOptions
	f := cli.NewFlags("extender")
	o.define(f)
	if err := f.Parse(append([]string{"-kubeconfig", plane.Kubeconfig, "-listen", "127.0.0.1:0",
		"-cert", filepath.Join(dir, "tls.crt"), "-key", filepath.Join(dir, "tls.key")}, args...)); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	e := &extended{end: cancel, stopped: make(chan error, 1)}
	ready := make(chan struct{})
	go func() {
		e.stopped <- serveExtender(ctx, &o, stderr, func(s *extend.Server, at net.Addr) {
			e.server, e.at, e.ca = s, at.String(), filepath.Join(dir, "ca.crt")
			e.config = fmt.Sprintf("extenders:\n- {urlPrefix: 'https://%s', preemptVerb: preempt, nodeCacheCapable: true, ignorable: true,\n"+
				"  enableHTTPS: true, httpTimeout: %v, tlsConfig: {caFile: %s}}\n", e.at, timeout, e.ca)
			close(ready)
		})
	}()
	select {
	case <-ready:
		return e, nil
	case err := <-e.stopped:
		cancel()
		return nil, err
	}
}

// compared is a line of the table.
type compared struct {
	name string
	trial.Result
	tally extend.Tally
}

func compare(ctx context.Context, o *compareOptions, stdout, stderr io.Writer) error {
	if _, err := control.Find(o.servers); err != nil {
		fmt.Fprintf(stdout, "skipped: %v\n", err)
		return nil
	}
	w := trial.Make(rand.New(rand.NewPCG(o.seed, 1)), o.nodes, o.pods, o.urgent, o.gangs)
	var lines []compared
	for _, mode := range []string{"scheduler", "lifo", "least"} {
		if o.only != "" && o.only != mode {
			continue
		}
		fmt.Fprintf(stderr, "%s: fills the cluster\n", mode)
		line, err := compareOne(ctx, o, w, mode, stderr)
		if err != nil {
			return fmt.Errorf("%s: %w", mode, err)
		}
		lines = append(lines, line)
	}
	fmt.Fprintf(stdout, "%-10s %8s %10s %10s %10s %6s %6s %9s %8s %9s %9s\n", "victims by", "placed", "lost, h", "of p100", "of p0", "jobs", "pods", "too high", "over", "p50", "p99")
	for _, l := range lines {
		fmt.Fprintf(stdout, "%-10s %4d/%3d %10.2f %10.2f %10.2f %6d %6d %9d %8d %9s %9s\n", l.name, l.Placed, l.Arrived, l.Total().Hours(),
			l.Lost[100].Hours(), l.Lost[0].Hours(), l.Jobs, l.Pods, l.AbovePriority, l.OverBudget, quantile(l.tally.Took, .5), quantile(l.tally.Took, .99))
	}
	var solver shared.Solver
	ms := func(c int64) float64 { return float64(c) / 3600e3 }
	print := func(name string, plan *shared.Plan, more string) {
		if plan.Found {
			fmt.Fprintf(stdout, "%-10s %4d/%3d %10.2f %10s %10s %6d    %s\n", name, o.urgent+4*o.gangs, o.urgent+4*o.gangs, ms(plan.Waste.Total()), "", "", len(plan.Lost), more)
		}
	}
	began := time.Now()
	plan, err := solver.Approximate(w.Problem(), func() bool { return ctx.Err() != nil })
	if err != nil {
		return err
	}
	print("one plan", &plan, fmt.Sprintf("the extender's planner, if all arrived at once and went where it says; took %v", time.Since(began).Round(time.Millisecond)))
	if o.search == 0 {
		return nil
	}
	fmt.Fprintln(stderr, "optimum: searches")
	began = time.Now()
	if plan, err = solver.Solve(w.Problem(), shared.Options{Steps: 1 << 20, Rounds: 40, Stop: func() bool { return ctx.Err() != nil || time.Since(began) > o.search }}); err != nil {
		return err
	}
	print("optimum", &plan, fmt.Sprintf("no plan loses less than %.2f, exact: %v", ms(plan.Bound.Total()), plan.Exact()))
	return nil
}

func compareOne(ctx context.Context, o *compareOptions, w *trial.Workload, mode string, stderr io.Writer) (line compared, err error) {
	plane, err := control.Start(ctx, control.Options{Folder: o.servers})
	if err != nil {
		return line, err
	}
	defer func() { err = errors.Join(err, plane.Stop()) }()
	ctx, cancel := context.WithTimeout(ctx, 15*time.Minute)
	defer cancel()
	run, err := trial.Fill(ctx, plane, w)
	if err != nil {
		return line, err
	}
	var e *extended
	config := ""
	if mode != "scheduler" {
		if e, err = startExtender(ctx, plane, stderr, o.timeout, "-policy", mode, "-quiet", "-limit", (o.timeout * 9 / 10).String(), "-refine", o.refine.String()); err != nil {
			return line, err
		}
		defer func() { e.end(); <-e.stopped }()
		config = e.config
	}
	if err := plane.Schedule(config); err != nil {
		return line, err
	}
	fmt.Fprintf(stderr, "%s: %d urgent pods arrive\n", mode, o.urgent+4*o.gangs)
	line.name = mode
	line.Result, err = run.Arrive(ctx, 3*time.Minute)
	if e != nil {
		line.tally = e.server.Tally()
		fmt.Fprintf(stderr, "%s: %d answered, %d of them exact, for %.1f pods each, %d wait, %d left to the scheduler; answers lose %.2f pod-hours, the scheduler's own choices %.2f; took %v\n", mode,
			line.tally.Answered, line.tally.Exact, float64(line.tally.Waiting)/float64(max(1, line.tally.Answered)), line.tally.None, line.tally.Left, line.tally.Lost, line.tally.Scheduler, line.Took.Round(100*time.Millisecond))
	} else {
		fmt.Fprintf(stderr, "%s: took %v\n", mode, line.Took.Round(100*time.Millisecond))
	}
	return line, err
}

// quantile returns a quantile of times, "" if there are none.
func quantile(times []time.Duration, q float64) string {
	if len(times) == 0 {
		return ""
	}
	slices.Sort(times)
	return times[min(len(times)-1, int(q*float64(len(times))))].Round(10 * time.Microsecond).String()
}
