//go:build unix

package cluster

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/provider"
	"github.com/plimsoll/plimsoll/examples/services/slurm/internal/slurmctl"
)

func TestMain(m *testing.M) {
	if os.Getenv(fakesVariable) != "" {
		play()
	}
	if os.Getenv("CLUSTER_TEST_KILLED") != "" {
		c, err := Start(context.Background(), 1)
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		// As a job's process does, it has none of the folder's files open.
		job := exec.Command("sleep", "300")
		job.Env = c.Environment()
		if err := job.Start(); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println(c.Dir)
		select {}
	}
	// The tests that run beside each other wait for Slurm most of the time.
	if err := flag.Set("test.parallel", strconv.Itoa(2+runtime.GOMAXPROCS(0))); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// real skips a test with a real Slurm where tests are to be short.
func real(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("a real Slurm takes seconds, and runs without -short")
	}
}

// A program that is killed, so that it cannot close its cluster, leaves nothing either.
func TestGuard(t *testing.T) {
	real(t)
	t.Parallel()
	for _, name := range []string{"munged", "slurmctld", "slurmd", "sbatch"} {
		if _, err := slurmctl.Find(name); err != nil {
			t.Skip(err)
		}
	}
	guarded(t)
}

func guarded(t *testing.T) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "CLUSTER_TEST_KILLED=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	dir := strings.TrimSpace(line)
	if err != nil || !filepath.IsAbs(dir) {
		cmd.Process.Kill()
		t.Fatalf("%q, %v", line, err)
	}
	if n := marked(dir); n < 3 {
		t.Errorf("%d processes, want munged, slurmctld and a job's", n)
	}
	cmd.Process.Kill()
	cmd.Wait()
	left := -1
	for range 300 {
		_, err := os.Stat(dir)
		if left = marked(dir); left == 0 && os.IsNotExist(err) {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Errorf("%d processes are left, or the folder", left)
}

// marked returns how many processes have a folder in their environment.
func marked(dir string) int {
	n := 0
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, f := range files {
		if text, err := os.ReadFile(f); err == nil && strings.Contains(string(text), dir) {
			n++
		}
	}
	return n
}

// A job waits until a node comes, runs on it, and nothing is left in the end.
func TestCluster(t *testing.T) {
	real(t)
	t.Parallel()
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Second)
	defer cancel()
	c, err := Start(ctx, 2)
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
	for name, mode := range map[string]os.FileMode{c.Dir: 0o67, c.Conf: 0o77} { // a group may pass, and others nothing
		if st, err := os.Stat(name); err != nil || st.Mode().Perm()&mode != 0 {
			t.Errorf("%s: %v, %v", name, st.Mode(), err)
		}
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
	// A job that runs when its instance is ended goes with it, with Slurm's process for it.
	pids := filepath.Join(c.Dir, "pids")
	if _, err := c.Submit(ctx, 1, "echo $$ $PPID >"+pids+".new; mv "+pids+".new "+pids+"; exec sleep 1000"); err != nil {
		t.Fatal(err)
	}
	err = until(ctx, 30*time.Second, "the job does not begin", func() bool {
		_, err := os.Stat(pids)
		return err == nil
	})
	if err != nil {
		t.Fatal(err)
	}
	in, err = p.Delete(ctx, in.ID)
	text, err2 := os.ReadFile(pids)
	if err2 != nil {
		t.Fatal(err2)
	}
	for _, pid := range strings.Fields(string(text)) {
		err := until(ctx, 10*time.Second, "a process of the job does not end", func() bool {
			stat, err := os.ReadFile("/proc/" + pid + "/stat")
			return err != nil || strings.Contains(string(stat), ") Z ")
		})
		if err != nil {
			t.Error(err)
		}
	}
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
	if n := marked(c.Dir); n != 0 {
		t.Errorf("%d processes are left", n)
	}
}
