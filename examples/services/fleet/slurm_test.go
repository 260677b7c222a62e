//go:build unix

package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A fleet that is planned by arrays of the real Slurm, whose tasks are killed at random, has
// the files of one shard that runs undisturbed, byte by byte. Where Slurm refuses the array, slurm.sh
// ends and passes on what sbatch says.
func TestSlurm(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a cluster")
	}
	for _, name := range []string{"slurmctld", "slurmd", "munged", "sbatch"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skip(err)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	dir := t.TempDir()
	beside := filepath.Join(dir, "withslurm")
	build := exec.CommandContext(ctx, "go", "build", "-C", "../../..", "-o", beside, "./examples/services/slurm/internal/withslurm")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	flags := []string{"-curves", "60", "-poison", "9", "-sample", "12", "-rounds", "2"}
	const twice = `SBATCH_PARTITION=nowhere "$@"; echo "refused with $?"; exec "$@"`
	args := append([]string{"-nodes", "2", "-kill", "700ms", "-kills", "6", "sh", "-c", twice, "sh", "./slurm.sh", self, filepath.Join(dir, "slurm"), "3"},
		flags...)
	cmd := exec.CommandContext(ctx, beside, args...)
	cmd.Env = append(os.Environ(), asFleet+"=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
	if said, _, ok := strings.Cut(string(out), "refused with 1\n"); !ok || !strings.Contains(said, "nowhere") ||
		!strings.HasSuffix(said, "slurm.sh: sbatch has not taken the array: mend what it says, and run this again\n") {
		t.Errorf("%q: want what sbatch says of the partition, and the sentence of slurm.sh", said)
	}
	work, one := filepath.Join(dir, "work"), filepath.Join(dir, "one")
	for _, want := range []int{3, 0} {
		if said, status := fleet(t, append(append([]string{"shard", "-dir", work}, flags...), "1/1")...); status != 0 {
			t.Fatal(said)
		}
		if said, status := fleet(t, "merge", "-dir", work, "-out", one); status != want {
			t.Fatal(said)
		}
	}
	same(t, one, filepath.Join(dir, "slurm", "out"))
}
