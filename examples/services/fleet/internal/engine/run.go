package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net"
	"os"
	"strings"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism" // registers itself
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
)

// An Engine is what runs a pipeline.
type Engine struct {
	Runner   string // of Beam: "prism", "flink", "spark", "dataflow", "universal"
	Endpoint string // of its job service, "" for Prism in this program
}

// Run runs the pipeline and returns its counters by name: what the runner has committed, or what
// was attempted if the runner does not tell. The error is the user's mistake if there is no engine
// at the address. A program runs one pipeline at a time.
func (e *Engine) Run(ctx context.Context, p *beam.Pipeline) (map[string]int64, error) {
	if e.Endpoint != "" { // a pipeline that goes to another service waits for good
		if reason := ask(ctx, e.Endpoint); reason != "" {
			return nil, cli.Mistakef("-endpoint %s: no engine answers (%s): want the address of a runner's job service", e.Endpoint, reason)
		}
	}
	// Where this program works for an engine, Beam leaves an empty file in the folder for temporary
	// files. It gets a folder that goes with it.
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
	if e.Runner == "prism" && *jobopts.EnvironmentType == "" {
		*jobopts.EnvironmentType = "loopback" // this program does the work
	}
	result, err := beam.Run(ctx, e.Runner, p)
	if err != nil {
		return nil, plainly(err)
	}
	found := map[string]int64{}
	for _, c := range result.Metrics().AllMetrics().Counters() {
		if c.Key.Namespace == namespace {
			found[c.Key.Name] += cmp.Or(c.Committed, c.Attempted)
		}
	}
	return found, nil
}

// patience is how long an engine may take to say what it is.
const patience = 10 * time.Second

// ask returns why no job service is at an address, "" if one is.
func ask(ctx context.Context, at string) string {
	plain, err := net.DialTimeout("tcp", at, patience) // says more than gRPC does
	var op *net.OpError
	if errors.As(err, &op) {
		return op.Err.Error()
	} else if err != nil {
		return err.Error()
	}
	plain.Close()
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	conn, err := grpc.NewClient(at, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return err.Error()
	}
	defer conn.Close()
	_, err = jobpb.NewJobServiceClient(conn).GetJobs(ctx, &jobpb.GetJobsRequest{})
	switch s := status.Convert(err); {
	case s.Code() == codes.Unimplemented && strings.Contains(s.Message(), "unknown service"):
		return "another service of gRPC is there"
	case s.Code() == codes.Unavailable, s.Code() == codes.DeadlineExceeded, s.Code() == codes.Unknown && err != nil:
		return "something else than gRPC is there"
	}
	return ""
}

// plainly returns an error of the engine as one line, without the trace of its functions.
func plainly(err error) error {
	var parts []string
	for line := range strings.Lines(err.Error()) {
		line = strings.TrimSuffix(strings.TrimSpace(line), ":")
		if strings.HasPrefix(line, "goroutine ") || len(parts) == 4 {
			break
		}
		if line != "" && line != "caused by" && line != "full error" {
			parts = append(parts, line)
		}
	}
	text := strings.Join(parts, ": ")
	if len(text) > 300 { // Prism prints the stage
		text = strings.ToValidUTF8(text[:300], "") + " ..."
	}
	return errors.New("the engine does not run the pipeline: " + text)
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
