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
	"github.com/plimsoll/plimsoll/examples/slurm/internal/slurmctl"
)

// A batch job that has failed can be queued again, and runs then.
func TestRequeueFailed(t *testing.T) {
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
	id, err := c.Submit(ctx, 1, `exit $((1-${SLURM_RESTART_COUNT:-0}))`, "--requeue")
	if err != nil {
		t.Fatal(err)
	}
	for requeued := false; ; time.Sleep(100 * time.Millisecond) {
		jobs, err := slurm.Jobs(ctx)
		if err != nil {
			t.Fatal(err)
		}
		switch j := jobs[0]; {
		case j.State == "FAILED" && !requeued:
			if err := slurm.Requeue(ctx, id); err != nil {
				t.Fatal(err)
			}
			requeued = true
		case requeued && j.Waits() && j.Eligible.After(time.Now()):
			if err := slurm.Eligible(ctx, id); err != nil {
				t.Fatal(err)
			}
		case j.State == "COMPLETED":
			if j.Restarts != 1 {
				t.Errorf("%+v", j)
			}
			return
		}
	}
}
