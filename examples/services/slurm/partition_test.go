//go:build unix

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/examples/internal/programtest"
	"github.com/plimsoll/plimsoll/examples/services/slurm/internal/slurmctl"
)

// listening starts a process of examples/services/parttime and returns the URL that it prints.
func (s *stage) listening(path string, args ...string) string {
	s.t.Helper()
	cmd := exec.Command(path, args...)
	cmd.Env = append(os.Environ(), s.Environment()...) // so that it ends with the cluster
	cmd.Stderr = &s.log
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	url, ok := strings.CutPrefix(strings.TrimSpace(line), "listening on ")
	if err != nil || !ok {
		s.t.Fatalf("%s %q says %q, %v", path, args, line, err)
	}
	return url
}

// call sends a request in JSON, and reads the answer into out.
func (s *stage) call(method, url, body string, out any) {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.ctx, method, url, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", resp.Status, text)
	}
	if err == nil {
		err = json.Unmarshal(text, out)
	}
	if err != nil {
		s.t.Fatalf("%s %s: %v", method, url, err)
	}
}

// until waits for Slurm to come to a state.
func (s *stage) until(what string, done func(jobs map[int64]slurmctl.Job, nodes map[string]slurmctl.Node) bool) {
	s.t.Helper()
	for {
		jobs, err := s.slurm.Jobs(s.ctx)
		if err != nil {
			s.t.Fatalf("%s: %v", what, err)
		}
		s.skipLost(jobs)
		for _, j := range jobs {
			if j.State == "FAILED" {
				s.t.Fatalf("%s: job %d has failed: %+v", what, j.ID, j)
			}
		}
		nodes, err := s.slurm.Nodes(s.ctx)
		if err != nil {
			s.t.Fatalf("%s: %v", what, err)
		}
		byID, byName := map[int64]slurmctl.Job{}, map[string]slurmctl.Node{}
		for _, j := range jobs {
			byID[j.ID] = j
		}
		for _, n := range nodes {
			byName[n.Name] = n
		}
		if done(byID, byName) {
			return
		}
		time.Sleep(150 * time.Millisecond)
	}
}

// What runs with examples/services/parttime, which is built once.
func TestParttime(t *testing.T) {
	real(t)
	t.Parallel()
	withParttime(t, "partition")
}

// A save before nodes are taken has a story of its own.
func TestParttimeSaves(t *testing.T) {
	long(t)
	t.Parallel()
	withParttime(t, "saves")
}

func withParttime(t *testing.T, names ...string) {
	if _, err := slurmctl.Find("slurmctld"); err != nil {
		t.Skip(err)
	}
	path := filepath.Join(t.TempDir(), "parttime")
	if out, err := exec.Command("go", "build", "-o", path, "../parttime").CombinedOutput(); err != nil {
		t.Skipf("examples/services/parttime cannot be built here: %v\n%s", err, out)
	}
	tests := map[string]func(t *testing.T, parttime string){"partition": partitionLoses, "saves": partitionSaves}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tests[name](t, path)
		})
	}
}

// A Slurm cluster is a partition of examples/services/parttime. The host takes two of its four nodes: those
// of the two small jobs go, whose loss wastes least, and the large one is not touched, though the
// program is killed in between. One small job ends within the grace period, the other is ended and
// queued again. When the host gives the nodes again it runs.
func partitionLoses(t *testing.T, parttime string) {
	t.Helper()
	s := newStage(t, 4, time.Second, 0)
	for _, n := range s.Names {
		if _, err := s.local.Create(s.ctx, "host-"+n, n); err != nil {
			t.Fatal(err)
		}
	}
	const minute = "1s"
	host := s.listening(parttime, "host", "-nodes", "4", "-grace", "12m", "-minute", minute)
	client := s.listening(parttime, "client", "-host", host, "-name", "hpc", "-add", "4", "-minute", minute)
	start := func() *exec.Cmd {
		cmd := programtest.Command("partition", "-conf", s.Conf, "-client", client, "-nodes", strings.Join(s.Names, ","),
			"-minute", minute, "-grace", "12s", "-margin", "8s", "-poll", "100ms", "-take", "2")
		cmd.Env = append(cmd.Env, s.Environment()...)
		cmd.Stderr = &s.log
		cmd.WaitDelay = 2 * time.Second
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return cmd
	}
	agent := start()
	// A job runs until there is a file; one that is run again ends at once.
	submit := func(nodes int, end string) int64 {
		id, err := s.Submit(s.ctx, nodes, fmt.Sprintf(`echo $SLURM_JOB_ID >>%s/ran; until [ "$SLURM_RESTART_COUNT" ] || [ -e %[1]s/%s ]; do sleep 0.1; done`,
			s.Dir, end))
		if err != nil {
			t.Fatal(err)
		}
		s.until(fmt.Sprintf("job %d runs", id), func(jobs map[int64]slurmctl.Job, _ map[string]slurmctl.Node) bool { return jobs[id].State == "RUNNING" })
		return id
	}
	large := submit(2, "large")
	time.Sleep(time.Second) // Slurm tells in which second a job started
	short, long := submit(1, "short"), submit(1, "never")
	var keep, gone []string
	s.until("", func(jobs map[int64]slurmctl.Job, _ map[string]slurmctl.Node) bool {
		keep = jobs[large].Names
		gone = slices.Concat(jobs[short].Names, jobs[long].Names)
		return true
	})
	slices.Sort(keep)
	slices.Sort(gone)
	type answer struct {
		Nodes []struct {
			Node      int     `json:"node"`
			Partition string  `json:"partition"`
			Value     float64 `json:"value"`
		} `json:"nodes"`
	}
	var status answer
	// holds returns the names of the nodes that the host says hpc has.
	holds := func() (names []string) {
		status = answer{} // what is not in the text is left as it is
		s.call("GET", host+"/Status", "", &status)
		for _, n := range status.Nodes {
			if n.Partition == "hpc" {
				names = append(names, s.Names[n.Node])
			}
		}
		return names
	}
	s.until("the host knows the values", func(map[int64]slurmctl.Job, map[string]slurmctl.Node) bool {
		holds()
		for _, n := range status.Nodes {
			if small := slices.Contains(gone, s.Names[n.Node]); n.Value == 0 || small != (n.Value < 0.5) {
				return false
			}
		}
		return true
	})
	var none struct{}
	s.call("POST", host+"/Reclaim", `{"partition":"hpc","count":2}`, &none)
	begin := time.Now()
	s.until("the nodes drain", func(jobs map[int64]slurmctl.Job, nodes map[string]slurmctl.Node) bool {
		for _, name := range gone {
			if n := nodes[name]; !n.Has("DRAIN") {
				return false
			}
		}
		return true
	})
	if err := agent.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	agent.Wait()
	agent = start()
	if err := os.WriteFile(filepath.Join(s.Dir, "short"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s.until("the nodes are given back", func(map[int64]slurmctl.Job, map[string]slurmctl.Node) bool { return len(holds()) == 2 })
	// Jobs are ended 8 s before the end of the grace period, for busy machines.
	if took := time.Since(begin); took > 12*time.Second {
		t.Errorf("it took %v, and the grace period is 12s", took)
	}
	if diff := cmp.Diff(keep, holds()); diff != "" {
		t.Errorf("the nodes that stay: %s", diff)
	}
	s.until("the job that was ended waits", func(jobs map[int64]slurmctl.Job, nodes map[string]slurmctl.Node) bool {
		if j := jobs[large]; j.State != "RUNNING" || j.Restarts != 0 {
			t.Fatalf("the large job is touched: %+v", j)
		}
		for _, name := range gone {
			if n := nodes[name]; n.Working() || n.Up() {
				return false
			}
		}
		if j := jobs[short]; j.State != "COMPLETED" || j.Restarts != 0 {
			t.Fatalf("the job that ends in time does not: %+v", j)
		}
		j := jobs[long]
		return j.Waits()
	})
	s.call("POST", client+"/framework/AddNodes", `{"count":2}`, &struct{ ID uint64 }{})
	s.until("it has run on the nodes that came again", func(jobs map[int64]slurmctl.Job, _ map[string]slurmctl.Node) bool {
		return jobs[long].State == "COMPLETED" && jobs[long].Restarts == 1
	})
	if err := os.WriteFile(filepath.Join(s.Dir, "large"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s.until("the large job has run", func(jobs map[int64]slurmctl.Job, _ map[string]slurmctl.Node) bool {
		return jobs[large].State == "COMPLETED" && jobs[large].Restarts == 0
	})
	if err := agent.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := agent.Wait(); err != nil {
		t.Error(err)
	}
	ran, err := os.ReadFile(filepath.Join(s.Dir, "ran"))
	if n := bytes.Count(ran, []byte("\n")); err != nil || n != 4 {
		t.Errorf("jobs started %d times, want 4: %v", n, err)
	}
}

// unknownNode: what is wrong with the flags is told before anything is changed.
func (s *stage) unknownNode() {
	t := s.t
	t.Helper()
	before, err := s.slurm.Nodes(s.ctx)
	if err != nil {
		t.Fatal(err)
	}
	cmd := programtest.Command("partition", "-conf", s.Conf, "-client", "http://127.0.0.1:1", "-nodes", "n[1-3]")
	cmd.Env = append(cmd.Env, s.Environment()...)
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() != 2 || !strings.Contains(string(out), "not a node that Slurm knows: n3") || strings.Count(string(out), "\n") != 1 {
		t.Errorf("%v: %s", err, out)
	}
	after, err := s.slurm.Nodes(s.ctx)
	if diff := cmp.Diff(before, after); err != nil || diff != "" {
		t.Errorf("the nodes: %s %v", diff, err)
	}
}
