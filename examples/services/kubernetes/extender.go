package main

import (
	"context"
	"errors"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/services/kubernetes/internal/cluster"
	"github.com/plimsoll/plimsoll/examples/services/kubernetes/internal/expander"
	"github.com/plimsoll/plimsoll/examples/services/kubernetes/internal/extend"
)

const extenderUsage = `Usage: go run . extender [flags]

Answers kube-scheduler's extender calls: which pods on which node give way to a pod of a
higher priority, so that the least work is lost. Work is the time since a pod's start, or
since its last checkpoint. Answers Volcano's preemptable and reclaimable calls, too.

  -kubeconfig FILE     how to reach the API server (default: the service account of the
                       pod that the program runs in)
  -listen ADDRESS      where to answer, by HTTPS (default 127.0.0.1:8899)
  -cert FILE           certificate of the server (default tls.crt); see certs -h
  -key FILE            its key (default tls.key)
  -client-ca FILE      answer only who has a certificate of this authority; without it,
                       -listen is a loopback address
  -dry-run             leave each choice to the scheduler, and log what would be saved
  -budgets NAME        never: a pod waits if each choice breaks a disruption budget;
                       rather-not: the scheduler chooses then (default never)
  -joint N             plan for up to N waiting pods at once (default 200)
  -refine D            past D, answer with the best plan so far (default 100ms)
  -limit D             past D, leave the choice to the scheduler; from half of D on, compare
                       fewer sets of pods. Less than the scheduler's timeout (default 180ms)
  -stale D             leave all to the scheduler if the API server has not answered for
                       D, 1s or more (default 30s)
  -gang KEY            label or annotation that names a pod's gang; may be given several
                       times (default plimsoll.dev/gang, and those of Kueue, of the
                       coscheduling plugin and of Volcano)
  -quiet               log warnings only

Annotations of pods:

  plimsoll.dev/checkpoint: "2026-01-02T15:04:05Z"   when the last save was complete
  plimsoll.dev/saves-in: 20s                        it saves when told to end
  plimsoll.dev/gang: NAME                           (or label) pods that die together

GET /readyz, /healthz and /metrics tell how it does.
`

type extenderOptions struct {
	extend.Options
	kubeconfig, listen, cert, key, clientCA string
	budgets                                 int
	gangs                                   []string
	quiet                                   bool
}

func (o *extenderOptions) define(f *cli.Flags) {
	*o = extenderOptions{listen: "127.0.0.1:8899", cert: "tls.crt", key: "tls.key"}
	o.Joint, o.Refine, o.Limit, o.Stale = 200, 100*time.Millisecond, 180*time.Millisecond, 30*time.Second
	positive := func(d time.Duration) bool { return d > 0 }
	f.File("kubeconfig", &o.kubeconfig)
	f.Name("listen", &o.listen, "an address such as 127.0.0.1:8899")
	f.File("cert", &o.cert)
	f.File("key", &o.key)
	f.File("client-ca", &o.clientCA)
	f.Switch("dry-run", &o.DryRun)
	cli.Choice(f, "budgets", &o.budgets, "never", "rather-not")
	f.Int("joint", &o.Joint, 1, 1000, " of pods")
	f.Span("refine", &o.Refine, "a duration such as 100ms", func(d time.Duration) bool { return d >= 0 })
	f.Span("limit", &o.Limit, "a duration such as 1s", positive)
	f.Span("stale", &o.Stale, "a duration of 1s or more, such as 30s", func(d time.Duration) bool { return d >= time.Second })
	f.Func("gang", func(s string) error {
		if s == "" {
			return errors.New("want a label or annotation")
		}
		o.gangs = append(o.gangs, s)
		return nil
	})
	f.Switch("quiet", &o.quiet)
	f.Check(func() error {
		o.RatherNot = o.budgets == 1
		if o.gangs == nil {
			o.gangs = cluster.Gangs
		}
		return nil
	})
}

// runExtender is the command.
func runExtender(ctx context.Context, args []string, _, stderr io.Writer) error {
	var o extenderOptions
	f := cli.NewFlags("extender")
	o.define(f)
	if err := f.Parse(args); err != nil {
		return err
	}
	return serveExtender(ctx, &o, stderr, nil)
}

// serveExtender answers until the context ends. started, if not nil, is called when it
// answers.
func serveExtender(ctx context.Context, o *extenderOptions, stderr io.Writer, started func(*extend.Server, net.Addr)) error {
	level := slog.LevelInfo
	if o.quiet {
		level = slog.LevelWarn
	}
	logger := slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: level}))
	security, err := expander.TLS(o.cert, o.key, o.clientCA)
	if err != nil {
		return cli.Mistakef("-cert, -key, -client-ca: %w (certs -h says how to make them)", err)
	}
	config, err := clusterConfig(o.kubeconfig)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", o.listen)
	if err != nil {
		return cli.Mistakef("-listen: %w", err)
	}
	defer listener.Close()
	if a, ok := listener.Addr().(*net.TCPAddr); o.clientCA == "" && (!ok || !a.IP.IsLoopback()) {
		return cli.Mistakef("-listen %s can be reached from other machines: want -client-ca, or a loopback address such as 127.0.0.1:8899", o.listen)
	}
	state := cluster.New(logger, o.gangs)
	if err := state.Follow(ctx, config, min(5*time.Second, o.Stale/3)); err != nil {
		return err
	}
	handler := extend.New(state, o.Options, logger)
	server := &http.Server{Handler: handler, TLSConfig: security, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second,
		WriteTimeout: 15 * time.Second, IdleTimeout: 2 * time.Minute, ErrorLog: log.New(io.Discard, "", 0)}
	if started != nil {
		started(handler, listener.Addr())
	}
	logger.Info("answers", "address", listener.Addr().String(), "dry run", o.DryRun)
	ended := make(chan error, 1)
	go func() { ended <- server.ServeTLS(listener, "", "") }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
		short, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		server.Shutdown(short)
		return nil
	}
}
