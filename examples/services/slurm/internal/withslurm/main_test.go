//go:build unix

package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/programtest"
	"github.com/plimsoll/plimsoll/examples/services/slurm/internal/slurmtest"
)

func TestMain(m *testing.M) {
	slurmtest.Play()
	programtest.Main(m, main)
}

// do runs the program, and returns its status and what it writes.
func do(args ...string) (status int, stdout, stderr string) {
	cmd := programtest.Command(args...)
	var out, msg strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &msg
	cmd.Run()
	return cmd.ProcessState.ExitCode(), out.String(), msg.String()
}

func TestFlags(t *testing.T) {
	if status, stdout, stderr := do("-h"); status != 0 || stdout != usage || stderr != "" {
		t.Errorf("-h: %d, %s%s", status, stdout, stderr)
	}
	t.Setenv("PATH", "")
	for want, args := range map[string][]string{
		"withslurm: no command: want one to run beside the cluster\n": nil,
		"-nodes":      {"-nodes", "0", "true"},
		"65":          {"-nodes", "65", "true"},
		"-kills":      {"-kills", "-1", "true"},
		"10001":       {"-kills", "10001", "true"},
		"flag -kill:": {"-kill", "-1s", "true"},
		"frob":        {"-frob", "true"},
	} {
		if status, stdout, stderr := do(args...); status != 2 || stdout != "" || !strings.Contains(stderr, want) || !strings.HasPrefix(stderr, "withslurm: ") {
			t.Errorf("%q: %d, %s%s, want %q", args, status, stdout, stderr, want)
		}
	}
}

// A command runs beside a cluster whose nodes are all up, and finds it; its status is the program's; and
// nothing is left.
func TestCommand(t *testing.T) {
	slurmtest.Fakes(t)
	status, stdout, stderr := do("-nodes", "3", "sh", "-c", `echo $SLURM_CONF; sinfo --json; cat; echo said >&2; exit 3`)
	conf, nodes, _ := strings.Cut(stdout, "\n")
	if status != 3 || stderr != "said\n" || strings.Count(nodes, `"idle"`) != 3 {
		t.Errorf("%d, %s%s", status, stdout, stderr)
	}
	if _, err := os.Stat(filepath.Dir(conf)); !errors.Is(err, fs.ErrNotExist) || filepath.Base(conf) != "slurm.conf" {
		t.Errorf("%s is left: %v", conf, err)
	}
	// It ends with its command, also where the next kill is far away.
	if status, stdout, stderr := do("-kill", "24h", "true"); status != 0 || stdout+stderr != "" {
		t.Errorf("true: %d, %s%s", status, stdout, stderr)
	}
	if status, _, stderr := do("/no/such/command"); status != 2 || !strings.Contains(stderr, "/no/such/command: no such file") {
		t.Errorf("no such command: %d, %s", status, stderr)
	}
	// A version of Slurm without JSON is refused.
	path, old := os.Getenv("PATH"), t.TempDir()
	if err := os.WriteFile(filepath.Join(old, "sinfo"), []byte("#!/bin/sh\necho slurm 20.11.9\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", old+string(os.PathListSeparator)+path)
	if status, _, stderr := do("true"); status != 1 || !strings.Contains(stderr, "squeue --json needs 21.08 or later") {
		t.Errorf("an old version: %d, %s", status, stderr)
	}
	t.Setenv("PATH", path)
	// An interrupt ends the command, and the cluster with it.
	cmd := programtest.Command("sh", "-c", "echo $SLURM_CONF; exec sleep 100")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	name := make([]byte, 1000)
	n, err := out.Read(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	cmd.Wait()
	if _, err := os.Stat(filepath.Dir(string(name[:n]))); !errors.Is(err, fs.ErrNotExist) || time.Since(began) > 30*time.Second {
		t.Errorf("after %v, %v", time.Since(began), err)
	}
}

// With -kill running jobs are killed, as many as -kills says and no more.
func TestKills(t *testing.T) {
	slurmtest.Fakes(t)
	const jobs = `for i in 1 2 3; do echo '#!/bin/sh
exec sleep 100' | sbatch --nodes=1 --chdir=/ >/dev/null; done
`
	wait := func(what string) string {
		return `until [ "$(squeue --json | grep -o '"job_state":"` + what + `"' | wc -l)" = 2 ]; do sleep 0.1; done
`
	}
	status, stdout, stderr := do("-nodes", "3", "-kill", "10ms", "-kills", "2", "sh", "-c", jobs+wait("FAILED")+"sleep 0.5; squeue --json")
	if status != 0 || stderr != "withslurm: 2 jobs were killed\n" || strings.Count(stdout, "FAILED") != 2 || strings.Count(stdout, "RUNNING") != 1 {
		t.Errorf("%d, %s%s", status, stdout, stderr)
	}
	status, stdout, stderr = do("-nodes", "2", "sh", "-c", jobs+wait("RUNNING")+"sleep 0.5; squeue --json")
	if status != 0 || stderr != "" || strings.Count(stdout, "RUNNING") != 2 || strings.Count(stdout, "PENDING") != 1 {
		t.Errorf("without -kill: %d, %s%s", status, stdout, stderr)
	}
}
