//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/examples/services/slurm/internal/slurmctl"
	"github.com/plimsoll/plimsoll/examples/services/slurm/internal/slurmtest"
)

// With fakes the program does what it does with Slurm. Each story is a test of its own: a change of
// the code, as of internal/tools/mutants, then runs only those that it can fail.
func TestFakeUnknownNodes(t *testing.T) { faked(t, unknownNodes) }
func TestFakeKilled(t *testing.T)       { faked(t, killed) }
func TestFakePolicies(t *testing.T)     { faked(t, policyKilled) }
func TestFakeFaultyCloud(t *testing.T)  { faked(t, faultyCloud) }
func TestFakeDemo(t *testing.T)         { faked(t, demoRuns) }
func TestFakeInterrupted(t *testing.T)  { faked(t, demoInterrupted) }
func TestFakePartition(t *testing.T) {
	faked(t, func(t *testing.T) { withParttime(t, "partition", "saves") })
}

func faked(t *testing.T, story func(t *testing.T)) {
	t.Helper()
	slurmtest.Fakes(t)
	story(t)
}

// slurmSays puts a Slurm into PATH that has jobs and nodes, in JSON, and returns its client. The file
// scontrol in its folder has what was asked of it. An empty text makes a command fail.
func slurmSays(t *testing.T, jobs, nodes string) (*slurmctl.Client, string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"squeue":   "echo >" + dir + "/squeue.asked; [ -s " + dir + "/jobs ] && exec cat " + dir + "/jobs; exit 1",
		"sinfo":    "[ $1 = --version ] && exec echo slurm 22.05.8; [ -s " + dir + "/nodes ] && exec cat " + dir + "/nodes; exit 1",
		"scontrol": `echo "$@" >>` + dir + "/scontrol.says",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.WriteFile(filepath.Join(dir, "jobs"), []byte(jobs), 0o600),
		os.WriteFile(filepath.Join(dir, "nodes"), []byte(nodes), 0o600)); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	c, err := slurmctl.New(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	return c, dir
}

// untilAsked returns a context that ends once squeue of the Slurm in dir was asked for the jobs.
func untilAsked(t *testing.T, dir string) context.Context {
	t.Helper()
	asked := filepath.Join(dir, "squeue.asked")
	os.Remove(asked)
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(stop)
	go func() {
		for ctx.Err() == nil {
			if _, err := os.Stat(asked); err == nil {
				stop()
			}
			time.Sleep(5 * time.Millisecond)
		}
	}()
	return ctx
}

// oneJob is what squeue says of one job on n1.
func oneJob(id int, state string) string {
	return fmt.Sprintf(`{"jobs":[{"job_id":%d,"user_id":7,"job_state":%q,"node_count":1,"nodes":"n1","submit_time":1,"start_time":2,"end_time":3}]}`, id, state)
}
