//go:build unix

package cluster

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/provider"
	"github.com/plimsoll/plimsoll/examples/services/slurm/internal/slurmctl"
)

// A batch job that has failed can be queued again, and runs then.
func TestRequeueFailed(t *testing.T) {
	real(t)
	t.Parallel()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	c, err := Start(ctx, 1)
	if errors.Is(err, slurmctl.ErrAbsent) || errors.Is(err, slurmctl.ErrVersion) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	dir := filepath.Join(c.Dir, "instances")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	local := &provider.Local{Dir: dir, Command: c.Slurmd, Environment: c.Environment()}
	if _, err := local.Create(ctx, "one", c.Names[0]); err != nil {
		t.Fatal(err)
	}
	slurm, err := slurmctl.New(ctx, c.Conf)
	if err != nil {
		t.Fatal(err)
	}
	id, err := c.Submit(ctx, 1, `test ${SLURM_RESTART_COUNT:-0} -gt 0`, "--requeue")
	if err != nil {
		t.Fatal(err)
	}
	// A node turns down what starts there in the second in which the job has ended: "Job
	// credential revoked". So the job is let go three seconds later, as the agent of a
	// partition does it, and is queued again if Slurm has started it before that.
	const revoked = 3 * time.Second
	var last time.Time // when the job was queued again
	for requeues := 0; ; time.Sleep(100 * time.Millisecond) {
		jobs, err := slurm.Jobs(ctx)
		if err != nil {
			t.Fatal(err)
		}
		switch j := jobs[0]; {
		case j.State == "FAILED":
			if requeues == 5 {
				t.Fatalf("the job fails whenever it runs again: %+v", j)
			}
			if err := slurm.Requeue(ctx, id); err != nil {
				t.Fatal(err)
			}
			requeues, last = requeues+1, time.Now()
		case requeues > 0 && j.Waits() && j.Eligible.After(time.Now()) && time.Since(last) > revoked:
			if err := slurm.Eligible(ctx, id); err != nil {
				t.Fatal(err)
			}
		case j.State == "COMPLETED":
			if j.Restarts < 1 || j.Restarts != requeues {
				t.Errorf("queued again %d times: %+v", requeues, j)
			}
			return
		}
	}
}
