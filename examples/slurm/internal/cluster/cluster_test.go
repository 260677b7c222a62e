package cluster

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/examples/slurm/internal/provider"
	"github.com/plimsoll/plimsoll/examples/slurm/internal/slurmctl"
)

// A job waits until a node comes, runs on it, and nothing is left in the end.
func TestCluster(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Second)
	defer cancel()
	c, err := Start(ctx, Options{Nodes: 2})
	if errors.Is(err, slurmctl.ErrAbsent) || errors.Is(err, slurmctl.ErrVersion) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	s, err := slurmctl.New(ctx, c.Conf)
	if err != nil {
		t.Fatal(err)
	}
	job, err := c.Submit(ctx, 1, "sleep 0.2")
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(c.Dir, "instances")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	p := &provider.Local{Dir: dir, Boot: 100 * time.Millisecond, Command: c.Slurmd, Environment: c.Environment()}
	in, err := p.Create(ctx, "t1", "n2")
	if err != nil {
		t.Fatal(err)
	}
	err = until(ctx, 30*time.Second, "the job does not end", func() bool {
		jobs, err := s.Jobs(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for _, j := range jobs {
			if j.ID == job && j.State == "COMPLETED" {
				if strings.Join(j.Names, " ") != "n2" {
					t.Errorf("it ran on %v", j.Names)
				}
				return true
			}
		}
		return false
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Drain(ctx, "n9", "no such node"); !errors.Is(err, slurmctl.ErrUnknownNode) {
		t.Errorf("draining a node that is not there: %v", err)
	}
	in, err = p.Delete(ctx, in.ID)
	if err != nil || in.Live() {
		t.Errorf("deleted: %+v, %v", in, err)
	}
	again, err := p.Delete(ctx, in.ID)
	if err != nil || again != in {
		t.Errorf("deleted again: %+v, %v; first %+v", again, err, in)
	}
	if up, err := p.Running("t1"); up || err != nil {
		t.Errorf("it runs on: %v, %v", up, err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(c.Dir); !os.IsNotExist(err) {
		t.Errorf("the folder is left: %v", err)
	}
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, f := range files {
		if text, err := os.ReadFile(f); err == nil && strings.Contains(string(text), c.Dir) {
			t.Errorf("%s is left", f)
		}
	}
}
