//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/programtest"
	"github.com/plimsoll/plimsoll/examples/services/slurm/internal/slurmctl"
)

// The jobs of a demonstration complete, all instances go, and the bill is less than each job's alone.
func TestDemo(t *testing.T) {
	t.Parallel()
	demoRuns(t)
}

func demoRuns(t *testing.T) {
	real(t)
	status, stdout, stderr := runSlurm("demo", "-hour", "3s")
	if strings.Contains(stderr, slurmctl.ErrAbsent.Error()) || strings.Contains(stderr, slurmctl.ErrVersion.Error()) {
		t.Skip(stderr)
	}
	if status != 0 || !strings.Contains(stdout, " leases, ") || !strings.Contains(stdout, "\nUsers of the cluster: 1 user pays $") {
		t.Errorf("status %d, %s\n%s", status, stdout, stderr)
	}
	for _, want := range []string{"started a Slurm of 8 nodes, all of them down, in ", " h  asking   n1 job 1: ", " h  leaving  n1: idle, "} {
		if !strings.Contains(stderr, want) {
			t.Errorf("it does not say %q:\n%s", want, stderr)
		}
	}
	for _, not := range []string{" rented ", " gone ", " ran "} {
		if strings.Contains(stderr, not) {
			t.Errorf("it says %q:\n%s", not, stderr)
		}
	}
}

// The user's mistakes are told in one sentence, and nothing is started.
func TestDemoMistakes(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	mistake := func(want string, args ...string) {
		t.Helper()
		status, stdout, stderr := runSlurm(append([]string{"demo"}, args...)...)
		if status != 2 || stdout != "" || !strings.Contains(stderr, want) || !strings.Contains(stderr, "slurm: demo: ") {
			t.Errorf("%v: status %d, %s", args, status, stderr)
		}
		if files, _ := os.ReadDir(dir); len(files) > 0 {
			t.Errorf("%v: left %v", args, files)
		}
	}
	mistake("-frob", "-frob")
	mistake(`"more" is not a flag`, "more")
	mistake("-hour 999ms: want 1s to 1h", "-hour", "999ms")
	mistake("-hour 1h0m1s: want 1s to 1h", "-hour", "1h1s")
	// A machine without Slurm, and one with an old version.
	if _, err := slurmctl.Find("slurmctld"); err != nil {
		mistake("apt-get install slurm-wlm munge")
	}
	bin := t.TempDir()
	t.Setenv("PATH", bin)
	for name, script := range map[string]string{"munged": "exit 9", "slurmctld": "echo slurm 20.11.9", "slurmd": "exit 9", "sbatch": "exit 9"} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	mistake("this version of Slurm is too old: 20.11; squeue --json needs 21.08 or later")
}

// A job that has ended and not completed ends a demonstration; jobs that wait or run keep it from its end.
func TestCompleted(t *testing.T) {
	for state, want := range map[string]string{"PENDING": "false <nil>", "RUNNING": "false <nil>", "COMPLETED": "true <nil>",
		"TIMEOUT": "false job 17 did not complete: TIMEOUT", "": "false squeue --json: exit status 1"} {
		t.Run(state, func(t *testing.T) {
			text := ""
			if state != "" {
				text = oneJob(17, state)
			}
			slurm, _ := slurmSays(t, text, "")
			done, err := completed(t.Context(), slurm)
			if got := fmt.Sprint(done, err); got != want {
				t.Errorf("%s, want %s", got, want)
			}
		})
	}
}

// A demonstration that is interrupted or killed leaves nothing: no process, and no file. TestUnknownNode
// sends the third signal, SIGTERM.
func TestDemoInterrupted(t *testing.T) {
	t.Parallel()
	demoInterrupted(t)
}

func demoInterrupted(t *testing.T) {
	real(t)
	for _, c := range []struct {
		signal syscall.Signal
		status int
	}{{syscall.SIGINT, 130}, {syscall.SIGKILL, -1}} {
		t.Run(c.signal.String(), func(t *testing.T) {
			t.Parallel()
			dir, err := os.MkdirTemp("", "plimsoll-demo-")
			if err != nil {
				t.Fatal(err)
			}
			defer os.RemoveAll(dir)
			if err := os.Chmod(dir, 0o755); err != nil { // munged has a user of its own
				t.Fatal(err)
			}
			cmd := programtest.Command("demo", "-hour", "10s")
			cmd.Env = append(cmd.Env, "TMPDIR="+dir)
			said, err := os.Create(filepath.Join(t.TempDir(), "said"))
			if err != nil {
				t.Fatal(err)
			}
			defer said.Close()
			cmd.Stderr = said
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			ended := make(chan error, 1)
			go func() { ended <- cmd.Wait() }()
			text := func() string {
				b, _ := os.ReadFile(said.Name())
				return string(b)
			}
			// Jobs have come, instances boot, and the first job runs.
			for deadline := time.Now().Add(stageLimit); !strings.Contains(text(), " n5 "); {
				select {
				case <-ended:
					if strings.Contains(text(), slurmctl.ErrAbsent.Error()) || strings.Contains(text(), slurmctl.ErrVersion.Error()) {
						t.Skip(text())
					}
					t.Fatal(text())
				case <-time.After(20 * time.Millisecond):
				}
				if time.Now().After(deadline) {
					cmd.Process.Kill()
					t.Fatal(text())
				}
			}
			if n := marked(dir); n < 3 {
				t.Errorf("%d processes of the cluster: want slurmctld, munged and instances", n)
			}
			if err := cmd.Process.Signal(c.signal); err != nil {
				t.Fatal(err)
			}
			<-ended
			if got := cmd.ProcessState.ExitCode(); got != c.status {
				t.Errorf("exit status %d, want %d: %s", got, c.status, text())
			}
			if c.status >= 0 && !strings.HasSuffix(text(), "slurm: interrupted; nothing is left behind\n") {
				t.Errorf("it said %s", text())
			}
			// What a guard does comes after the end, and so may the end of a process that was killed.
			var files []os.DirEntry
			for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
				files, _ = os.ReadDir(dir)
				if len(files) == 0 && marked(dir) == 0 {
					return
				}
			}
			t.Errorf("%d files and %d processes are left", len(files), marked(dir))
		})
	}
}

// marked returns how many processes there are of a cluster in a folder: by their environment, or
// by what they have open, since slurmstepd writes over its environment.
func marked(dir string) int {
	n := 0
	all, _ := filepath.Glob("/proc/[0-9]*")
	for _, p := range all {
		if text, err := os.ReadFile(filepath.Join(p, "environ")); err == nil && strings.Contains(string(text), "SLURM_CONF="+dir+"/") {
			n++
			continue
		}
		files, _ := filepath.Glob(filepath.Join(p, "fd", "*"))
		if slices.ContainsFunc(files, func(f string) bool {
			to, err := os.Readlink(f)
			return err == nil && strings.HasPrefix(to, dir+"/")
		}) {
			n++
		}
	}
	return n
}
