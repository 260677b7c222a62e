package engine

import (
	"context"
	"errors"
	"net"
	"strings"
	"time"

	fnpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/fnexecution_v1"
	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
)

// patience is how long an engine or a worker may take to say what it is.
const patience = 10 * time.Second

// check asks the engine and the workers what they are, since a pipeline that goes to another
// service waits for good, and a worker that is none ends Prism. The error is the user's mistake.
func (e *Engine) check(ctx context.Context) error {
	if e.Endpoint != "" {
		if reason := ask(ctx, e.Endpoint, "/org.apache.beam.model.job_management.v1.JobService/GetJobs", &jobpb.GetJobsRequest{},
			&jobpb.GetJobsResponse{}); reason != "" {
			return cli.Mistakef("-endpoint %s: no engine answers (%s): want the address of a runner's job service, such as that of `fleet engine`", e.Endpoint, reason)
		}
	}
	for _, at := range e.Workers { // to stop a worker that there is not changes nothing
		if reason := ask(ctx, at, "/org.apache.beam.model.fn_execution.v1.BeamFnExternalWorkerPool/StopWorker", &fnpb.StopWorkerRequest{},
			&fnpb.StopWorkerResponse{}); reason != "" {
			return cli.Mistakef("-workers %s: no worker answers (%s): want the address of a `fleet worker`", at, reason)
		}
	}
	return nil
}

// ask returns why an address does not serve a method, "" if it does.
func ask(ctx context.Context, at, method string, in, out any) string {
	plain, err := net.DialTimeout("tcp", at, patience) // says more than gRPC does
	if err != nil {
		return plainDial(err).Error()
	}
	plain.Close()
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	conn, err := grpc.NewClient(at, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return err.Error()
	}
	defer conn.Close()
	err = conn.Invoke(ctx, method, in, out)
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
