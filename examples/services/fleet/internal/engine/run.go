package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/metrics"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/graphx"
	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism" // registers itself
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal/extworker"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal/runnerlib"
	"google.golang.org/protobuf/proto"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
)

// branchScope is the scope of a step in a branch. Its name tells [spread] the branch.
func branchScope(s beam.Scope, step string, branch int) beam.Scope {
	return s.Scope(fmt.Sprintf("%s %s %d", step, branchName, branch))
}

// An Engine is what runs a pipeline.
type Engine struct {
	Runner   string   // of Beam: "prism", "flink", "spark", "dataflow", "universal"
	Endpoint string   // of its job service, "" for Prism in this program
	Workers  []string // addresses of worker processes, see [Serve]; none: the runner decides
}

// Run runs the pipeline and returns its counters by name. The error is the user's mistake
// if there is no engine or no worker at an address. A program runs one pipeline at a time.
func (e *Engine) Run(ctx context.Context, p *beam.Pipeline) (map[string]int64, error) {
	if err := e.check(ctx); err != nil {
		return nil, err
	}
	// Where the workers run already, Beam leaves an empty file in the folder for temporary files. It gets
	// a folder that goes with it.
	scratch, err := os.MkdirTemp("", "fleet-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(scratch)
	before := os.Getenv("TMPDIR")
	defer os.Setenv("TMPDIR", before)
	if err := os.Setenv("TMPDIR", scratch); err != nil {
		return nil, err
	}
	*jobopts.Endpoint = e.Endpoint
	if len(e.Workers) > 0 {
		return e.spread(ctx, p)
	}
	result, err := beam.Run(ctx, e.Runner, p)
	if err != nil {
		return nil, plainly(err)
	}
	return counters(result.Metrics()), nil
}

func plainDial(err error) error {
	var op *net.OpError
	if errors.As(err, &op) {
		return op.Err
	}
	return err
}

// spread runs the pipeline on worker processes that run already. The portable protocol
// gives each process an environment of the pipeline: the steps of branch i belong to
// worker i, and all other steps to the first.
func (e *Engine) spread(ctx context.Context, p *beam.Pipeline) (map[string]int64, error) {
	edges, _, err := p.Build()
	if err != nil {
		return nil, err
	}
	first, err := environment(ctx, e.Workers[0])
	if err != nil {
		return nil, err
	}
	pipeline, err := graphx.Marshal(edges, &graphx.Options{Environment: first})
	if err != nil {
		return nil, err
	}
	if err := assign(ctx, pipeline, e.Workers); err != nil {
		return nil, err
	}
	result, err := runnerlib.Execute(ctx, pipeline, e.Endpoint, &runnerlib.JobOptions{Name: jobopts.GetJobName(), Loopback: true, Parallelism: -1}, false)
	if err != nil {
		return nil, plainly(err)
	}
	return counters(result.Metrics()), nil
}

func environment(ctx context.Context, address string) (*pipepb.Environment, error) {
	return graphx.CreateEnvironment(ctx, graphx.URNEnvExternal, func(context.Context) string { return address })
}

// assign adds an environment for each worker but the first, and moves the steps of the
// branches to them.
func assign(ctx context.Context, p *pipepb.Pipeline, workers []string) error {
	c := p.GetComponents()
	if len(c.Environments) != 1 {
		return fmt.Errorf("the pipeline has %d environments: want 1", len(c.Environments))
	}
	var name string
	var first *pipepb.Environment
	for id, env := range c.Environments {
		name, first = id, env
	}
	for i, address := range workers[1:] {
		env, err := environment(ctx, address)
		if err != nil {
			return err
		}
		other := proto.Clone(first).(*pipepb.Environment)
		other.Payload, other.Dependencies = env.Payload, nil // nothing is staged for workers that run already
		c.Environments[fmt.Sprintf("%s-%d", name, i+1)] = other
	}
	for _, t := range c.Transforms {
		if t.EnvironmentId != name {
			continue
		}
		_, rest, ok := strings.Cut(t.UniqueName, " "+branchName+" ")
		var branch int
		if _, err := fmt.Sscanf(rest, "%d", &branch); ok && err == nil && branch > 0 {
			t.EnvironmentId = fmt.Sprintf("%s-%d", name, branch%len(workers))
			if branch%len(workers) == 0 {
				t.EnvironmentId = name
			}
		}
	}
	return nil
}

// counters returns the counters of this package by name: what the runner has committed, or
// what was attempted if the runner does not tell.
func counters(all metrics.Results) map[string]int64 {
	found := map[string]int64{}
	for _, c := range all.AllMetrics().Counters() {
		if c.Key.Namespace == namespace {
			found[c.Key.Name] += cmp.Or(c.Committed, c.Attempted)
		}
	}
	return found
}

// Serve lets engines use this process as a worker, at a port of this machine, until the
// context ends.
func Serve(ctx context.Context, port int) error {
	srv, err := extworker.StartLoopback(ctx, port)
	if err != nil {
		return cli.Mistakef("-port %d: %v: want a port that is free", port, plainDial(err))
	}
	ownNumbers(srv.EnvironmentConfig(ctx) + "/")
	fmt.Fprintf(os.Stderr, "fleet: a worker at %s\n", srv.EnvironmentConfig(ctx))
	<-ctx.Done()
	return srv.Stop(context.Background())
}

// ReadSummary reads the summary of a run.
func ReadSummary(path string) (*Summary, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	s := new(Summary)
	return s, json.Unmarshal(b, s)
}
