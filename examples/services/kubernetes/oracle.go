package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/heldfile"
	"github.com/plimsoll/plimsoll/examples/internal/infile"
	"github.com/plimsoll/plimsoll/examples/internal/plain"
	"github.com/plimsoll/plimsoll/examples/internal/seriesfile"
	"github.com/plimsoll/plimsoll/examples/services/kubernetes/internal/expander"
	"github.com/plimsoll/plimsoll/examples/services/kubernetes/internal/oracle"
	"github.com/plimsoll/plimsoll/examples/services/kubernetes/internal/overlay"
	"github.com/plimsoll/plimsoll/forecast"
	"github.com/plimsoll/plimsoll/forecast/smoothing"
	"github.com/plimsoll/plimsoll/reserve/marginal"
)

const oracleUsage = `Usage: go run . oracle -kinds FILE -held FILE [flags]

Prices one more node of each kind, given the commitments that are paid for already, and
publishes the prices to autoscalers: as NodeOverlay objects of Karpenter, and as answers of
the cluster-autoscaler's gRPC expander. A price says in words why a kind is cheap now.

What is known (files are read again every -every)
  -kinds FILE          JSON: types of instances and their prices an hour
                         [{"type": "m5.large", "family": "m5", "units": 4,
                           "on_demand": 0.096, "plans": {"compute-3y": 0.0468}}]
  -held FILE           JSON: contracts held, as tools/plan and tools/advise read them; a
                       class with spend is a savings plan of -kinds
                         [{"id": "ri-17", "region": "eu-west-1", "type": "m5.large",
                           "count": 12, "until": "2027-03-01"},
                          {"id": "sp-1", "class": "compute-3y", "spend": 2.5,
                           "until": "2028-01-15"}]
  -region NAME         of the cluster: commitments of other regions do not count
  -demand FILE         CSV: instances of each type in each hour so far, that the commitments
                       serve beside the nodes of this cluster; a column or a line for each
                       type. It is forecast for the coming hours
  -demand-lag D        how long ago the last hour of -demand ended (default 0s)
  -model NAME          that forecasts the demand (default auto)
  -futures N           possible futures of the demand (default 20)
  -seed N              of the futures (default 1)
  -kubeconfig FILE     of the cluster (default: the service account of the pod)
  -running LIST        instances instead of a cluster's, such as m5.large=5,r5.large=2;
                       for -print

What a price is of
  -hours N             the coming hours that a new node runs (default 24)
  -round N             nodes that are launched together; the price is their mean
                       (default 1)
  -plan D              count on the reservations that the plan of least cost over so long
                       buys now, out of the classes of -kinds (default 0s: on what is held)

What comes out
  -print               print the prices and end
  -dry-run             log what would be written
  -name NAME           label of the overlays that this oracle owns (default plimsoll)
  -weight N            of the overlays (default 100)
  -floor N             least price, in percent of the price on demand (default 1); among
                       kinds that cost nothing more, the smaller is then the cheaper
  -require KEY=V,V     a further requirement of each overlay; may be given several times
  -keep                leave the overlays at the end
  -expander ADDRESS    answer the cluster-autoscaler at an address such as :8443
  -cert, -key FILE     certificate and key of -expander, in PEM; needed beyond loopback
  -client-ca FILE      authority of the clients' certificates (default: any client)
  -health ADDRESS      answer /healthz: 200 if prices are less than three -every old
  -every D             how often files are read and overlays compared (default 1m0s);
                       changes of nodes count at once
  -timeout D           of a request to the API server, and of an answer (default 4s)
  -h                   print this

The exit status is 0, 1 if the program fails, 2 for a mistake in the flags or in the files.
`

// oracleOptions are the flags.
type oracleOptions struct {
	kinds, held, region, demand, model, kubeconfig, running string
	lag, plan, every, timeout                               time.Duration
	paths, hours, round                                     int
	seed                                                    uint64
	print, dryRun, keep                                     bool
	style                                                   overlay.Style
	expander, cert, key, clientCA, health                   string
}

func oracleFlags(args []string) (*oracleOptions, error) {
	o := &oracleOptions{model: forecast.Default, every: time.Minute, timeout: 4 * time.Second, paths: 20, hours: 24, round: 1, seed: 1,
		style: overlay.Style{Name: "plimsoll", Weight: 100, Floor: 1}}
	f := cli.NewFlags("oracle")
	f.File("kinds", &o.kinds)
	f.File("held", &o.held)
	f.Name("region", &o.region, "a region such as eu-west-1")
	f.File("demand", &o.demand)
	f.Span("demand-lag", &o.lag, "whole hours up to 168h", func(d time.Duration) bool { return d >= 0 && d%time.Hour == 0 && d <= 168*time.Hour })
	f.Name("model", &o.model, "one of "+cli.Series(forecast.Names(), "or"))
	f.Int("futures", &o.paths, 1, 200, "")
	f.Seed(&o.seed)
	f.File("kubeconfig", &o.kubeconfig)
	f.Name("running", &o.running, "types and numbers such as m5.large=5,r5.large=2")
	f.Int("hours", &o.hours, 1, 8760, "")
	f.Int("round", &o.round, 1, marginal.MaxRoom, " of nodes")
	f.Span("plan", &o.plan, "whole hours up to 26280h", func(d time.Duration) bool { return d >= 0 && d%time.Hour == 0 && d <= 26280*time.Hour })
	f.Switch("print", &o.print)
	f.Switch("dry-run", &o.dryRun)
	f.Func("name", func(s string) error {
		if !labelValue(s) {
			return errors.New("want a value of a label: up to 40 of a-z, 0-9 and -, and no - at an end")
		}
		o.style.Name = s
		return nil
	})
	f.Int("weight", &o.style.Weight, 1, 10000, "")
	f.Int("floor", &o.style.Floor, 0, 99, " of percent")
	f.Func("require", func(s string) error {
		key, values, ok := strings.Cut(s, "=")
		if !ok || key == "" || values == "" {
			return errors.New("want a label and its values, such as karpenter.sh/nodepool=general,batch")
		}
		o.style.Require = append(o.style.Require, overlay.Requirement{Key: key, Values: strings.Split(values, ",")})
		return nil
	})
	f.Switch("keep", &o.keep)
	f.Name("expander", &o.expander, "an address such as :8443")
	f.File("cert", &o.cert)
	f.File("key", &o.key)
	f.File("client-ca", &o.clientCA)
	f.Name("health", &o.health, "an address such as :8080")
	positive := func(d time.Duration) bool { return d >= 10*time.Millisecond }
	f.Span("every", &o.every, "a time such as 1m", positive)
	f.Span("timeout", &o.timeout, "a time such as 4s", positive)
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	host, _, err := net.SplitHostPort(o.expander)
	switch {
	case o.kinds == "" || o.held == "":
		return nil, cli.Mistakef("-kinds %q and -held %q: want both files", o.kinds, o.held)
	case o.running != "" && !o.print:
		return nil, cli.Mistakef("-running without -print: want both")
	case o.plan != 0 && o.plan < time.Duration(o.hours)*time.Hour:
		return nil, cli.Mistakef("-plan %v: want at least the %d hours of -hours", o.plan, o.hours)
	case o.expander != "" && err != nil:
		return nil, cli.Mistakef("-expander %s: %v: want an address such as :8443", o.expander, err)
	case (o.cert == "") != (o.key == ""):
		return nil, cli.Mistakef("-cert %q and -key %q: want both, or neither", o.cert, o.key)
	case o.expander != "" && o.cert == "" && !loopback(host):
		return nil, cli.Mistakef("-expander %s without -cert and -key: want both beyond loopback, or whoever reaches the port steers the autoscaler", o.expander)
	case o.clientCA != "" && o.cert == "":
		return nil, cli.Mistakef("-client-ca without -cert and -key: want all three")
	}
	if _, err := forecast.New(o.model); err != nil {
		return nil, cli.Mistakef("-model %s: want one of %s", o.model, cli.Series(forecast.Names(), "or"))
	}
	return o, nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

func labelValue(s string) bool {
	for _, r := range s {
		if !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-') {
			return false
		}
	}
	return s != "" && len(s) <= 40 && s[0] != '-' && s[len(s)-1] != '-'
}

// load reads the files.
func (o *oracleOptions) load() (*overlay.Inputs, error) {
	m, err := infile.Read("-kinds", o.kinds, oracle.ReadKinds)
	if err != nil {
		return nil, err
	}
	contracts, err := heldfile.Read("-held", o.held)
	if err != nil {
		return nil, err
	}
	held, err := oracle.Held(contracts, time.Now())
	if err != nil {
		return nil, cli.Mistakef("-held %s: %w", o.held, err)
	}
	if o.region == "" {
		var regions []string
		for _, h := range held {
			if h.Region != "" && !slices.Contains(regions, h.Region) {
				regions = append(regions, h.Region)
			}
		}
		if len(regions) > 1 {
			return nil, cli.Mistakef("-held %s: there are contracts of %s: want -region, the one of the cluster", o.held, cli.Series(regions, "and"))
		}
	}
	in := &overlay.Inputs{Options: marginal.Options{Hours: o.hours, Round: o.round, Plan: int(o.plan / time.Hour)}}
	in.Book, in.Notes = m.Book(held, o.region)
	for _, h := range held {
		if h.Expired(time.Now()) {
			in.Notes = append(in.Notes, h.ID+": expired on "+h.Expires.UTC().Format(time.DateOnly)+": the commitment does not count")
		}
	}
	if o.demand != "" {
		series, err := seriesfile.Read("-demand", o.demand)
		if err != nil {
			return nil, err
		}
		var notes []string
		in.Options.Beside, notes = o.futures(m, series)
		in.Notes = append(in.Notes, notes...)
	}
	return in, nil
}

// futures forecasts the demand beside the cluster.
func (o *oracleOptions) futures(m *marginal.Market, series []seriesfile.Series) (paths [][][]int, notes []string) {
	n, skip := max(o.hours, int(o.plan/time.Hour)), int(o.lag/time.Hour)
	paths = make([][][]int, o.paths)
	for i := range paths {
		paths[i] = make([][]int, len(m.Kinds))
	}
	for _, s := range series {
		k, ok := m.Find(s.Name, "")
		if !ok {
			notes = append(notes, fmt.Sprintf("-demand: %s is not among the kinds: its demand does not count", s.Name))
			continue
		}
		values := make([]float64, 0, len(s.Values))
		for _, x := range s.Values {
			if math.IsNaN(x) && len(values) > 0 {
				x = values[len(values)-1] // an hour without a value is as the one before
			}
			if x >= 0 {
				values = append(values, x)
			}
		}
		model, _ := forecast.New(o.model) // the flags are checked
		p := forecast.Predictor{Model: model, Limits: forecast.Limits{NonNegative: true, Multiple: 4}}
		var fitter smoothing.Fitter
		if _, err := p.Fit(&fitter, values); err != nil {
			notes = append(notes, fmt.Sprintf("-demand: %s has too few hours for -model %s: the demand goes on as it was last", s.Name, o.model))
			last, _ := forecast.New("naive")
			p = forecast.Predictor{Model: last}
			for _, x := range values {
				p.Update(x)
			}
		}
		if len(values) == 0 {
			continue
		}
		rows := make([][]float64, o.paths)
		for i := range rows {
			rows[i] = make([]float64, skip+n)
		}
		p.Paths(rows, rand.New(rand.NewPCG(o.seed, uint64(k))))
		for i, row := range rows {
			future := make([]int, n)
			for t, x := range row[skip:] {
				if x = math.Round(x); x > 0 {
					future[t] = int(min(x, math.MaxInt32/2))
				}
			}
			paths[i][k] = future
		}
	}
	return paths, notes
}

// counts reads -running.
func (o *oracleOptions) counts(m *marginal.Market) ([]int, error) {
	running := make([]int, len(m.Kinds))
	for part := range strings.SplitSeq(o.running, ",") {
		kind, text, _ := strings.Cut(part, "=")
		k, ok := m.Find(kind, "")
		n, err := strconv.Atoi(text)
		if !ok || err != nil || n < 0 || n > math.MaxInt32/2 {
			return nil, cli.Mistakef("-running %s: want a type of -kinds and a number, such as %s=5", part, m.Kinds[0].Type)
		}
		running[k] += n
	}
	return running, nil
}

func runOracle(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	o, err := oracleFlags(args)
	if err != nil {
		return err
	}
	if o.running != "" {
		in, err := o.load()
		if err != nil {
			return err
		}
		running, err := o.counts(in.Book.Market)
		if err != nil {
			return err
		}
		return printQuotes(stdout, stderr, in, running)
	}
	config, err := clusterConfig(o.kubeconfig)
	if err != nil {
		return err
	}
	kube, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	if o.print {
		claims, err := dynamic.NewForConfig(config)
		if err != nil {
			return err
		}
		return o.printCluster(ctx, kube, claims, stdout, stderr)
	}
	c := &overlay.Controller{Kube: kube, Load: o.load, Style: o.style, DryRun: o.dryRun, Keep: o.keep, Every: o.every, Timeout: o.timeout,
		Log: slog.New(slog.NewTextHandler(stderr, nil))}
	overlays, claims, err := karpenter(ctx, kube, c.Log)
	if err != nil {
		return err
	}
	c.Claims = claims
	switch {
	case overlays || claims:
		if c.Dynamic, err = dynamic.NewForConfig(config); err != nil {
			return err
		}
		c.NoOverlays = !overlays
	case o.expander == "":
		return cli.Mistakef("the cluster has no NodeOverlay (%s): want Karpenter with its feature gate NodeOverlay, or -expander for the cluster-autoscaler",
			overlay.NodeOverlays.GroupVersion())
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ended := make(chan error, 3)
	waiting := 1
	go func() { ended <- c.Run(ctx) }()
	if o.expander != "" {
		l, config, err := o.listen()
		if err != nil {
			return err
		}
		waiting++
		s := &expander.Server{Prices: c, Timeout: o.timeout, Log: c.Log}
		go func() { ended <- s.Serve(ctx, l, config) }()
		c.Log.Info("answering the cluster-autoscaler", "address", l.Addr().String(), "tls", config != nil)
	}
	if o.health != "" {
		l, err := net.Listen("tcp", o.health)
		if err != nil {
			return cli.Mistakef("-health %s: %v", o.health, err)
		}
		waiting++
		go func() { ended <- serveHealth(ctx, l, c, 3*o.every) }()
	}
	for range waiting { // the first error ends the others
		if e := <-ended; e != nil {
			err = errors.Join(err, e)
		}
		cancel()
	}
	return err
}

// listen opens the port of -expander.
func (o *oracleOptions) listen() (net.Listener, *tls.Config, error) {
	var config *tls.Config
	if o.cert != "" {
		var err error
		if config, err = expander.TLS(o.cert, o.key, o.clientCA); err != nil {
			return nil, nil, cli.Mistakef("-expander: %w", err)
		}
	}
	l, err := net.Listen("tcp", o.expander)
	if err != nil {
		return nil, nil, cli.Mistakef("-expander %s: %v", o.expander, err)
	}
	return l, config, nil
}

// serveHealth answers whether prices are fresh.
func serveHealth(ctx context.Context, l net.Listener, c *overlay.Controller, most time.Duration) error {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		if age := time.Since(c.Done()); age > most {
			http.Error(w, "the prices are too old: "+age.Round(time.Second).String(), http.StatusServiceUnavailable)
			return
		}
		io.WriteString(w, "ok\n")
	})
	s := &http.Server{Handler: mux, ReadTimeout: 5 * time.Second, WriteTimeout: 5 * time.Second}
	stop := context.AfterFunc(ctx, func() { s.Close() })
	defer stop()
	if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// clusterConfig is the way to a cluster.
func clusterConfig(kubeconfig string) (config *rest.Config, err error) {
	if kubeconfig != "" {
		if config, err = clientcmd.BuildConfigFromFlags("", kubeconfig); err != nil {
			return nil, cli.Mistakef("-kubeconfig %s: %w", kubeconfig, err)
		}
	} else if config, err = rest.InClusterConfig(); err != nil {
		return nil, cli.Mistakef("there is no -kubeconfig, and this is no pod of a cluster (%w)", err)
	}
	config.UserAgent = "plimsoll"
	// The client does not slow itself down: to withdraw 800 overlays must not take 800
	// turns of a limiter. It has one request under way at a time, and the API server guards itself.
	config.QPS = -1
	return config, nil
}

// karpenter reports which resources of Karpenter the cluster has. An API server that does
// not answer, or answers with an error other than that there is no such thing, is asked again
// until ctx ends.
func karpenter(ctx context.Context, kube kubernetes.Interface, log *slog.Logger) (overlays, claims bool, err error) {
	has := func(r schema.GroupVersionResource) (bool, error) {
		list, err := kube.Discovery().ServerResourcesForGroupVersion(r.GroupVersion().String())
		if apierrors.IsNotFound(err) {
			return false, nil
		} else if err != nil {
			return false, fmt.Errorf("whether the cluster has %s is unknown: %w", r.GroupResource(), err)
		}
		return slices.ContainsFunc(list.APIResources, func(of metav1.APIResource) bool { return of.Name == r.Resource }), nil
	}
	for wait := time.Second; ; wait = min(2*wait, 30*time.Second) {
		var err1, err2 error
		overlays, err1 = has(overlay.NodeOverlays)
		claims, err2 = has(overlay.NodeClaims)
		if err = errors.Join(err1, err2); err == nil {
			return overlays, claims, nil
		}
		log.Warn(err.Error()+": asking again", "after", wait)
		select {
		case <-ctx.Done():
			return false, false, err
		case <-time.After(wait):
		}
	}
}

// printCluster prices the nodes of a cluster once.
func (o *oracleOptions) printCluster(ctx context.Context, kube kubernetes.Interface, claims dynamic.Interface, stdout, stderr io.Writer) error {
	in, err := o.load()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 10*o.timeout)
	defer cancel()
	running, notes, err := overlay.CountOnce(ctx, kube, claims, in.Book.Market)
	if err != nil {
		return err
	}
	in.Notes = append(in.Notes, notes...)
	return printQuotes(stdout, stderr, in, running)
}

// printQuotes prints the prices of all kinds.
func printQuotes(stdout, stderr io.Writer, in *overlay.Inputs, running []int) error {
	for _, note := range in.Notes {
		fmt.Fprintln(plain.Writer(stderr), note)
	}
	quotes, err := in.Book.Quotes(running, time.Now(), in.Options)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "kind\trunning\ton demand\tone more\troom\twhy")
	for _, q := range quotes {
		k := &in.Book.Kinds[q.Kind]
		name := k.Type
		if k.System != "linux" {
			name += " " + k.System
		}
		fmt.Fprintf(w, "%s\t%d\t%v\t%v\t%d\t%s\n", name, running[q.Kind], q.List, q.Price, q.Room, q.Why)
	}
	w.Flush()
	_, err = plain.Writer(stdout).Write(b.Bytes())
	return err
}
