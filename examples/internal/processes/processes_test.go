//go:build unix

package processes

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A process is known by an entry of its environment, whole and not a part of it.
func TestMarked(t *testing.T) {
	if _, err := os.ReadFile("/proc/self/environ"); err != nil {
		t.Skip("there is no /proc here")
	}
	entry := fmt.Sprintf("PLIMSOLL_TEST_MARK=%d-%d", os.Getpid(), 7)
	for env, want := range map[string]bool{entry: true, entry + "0": false, "X" + entry: false, "OTHER=1": false} {
		cmd := exec.Command("sh", "-c", "echo ready; read end")
		cmd.Env = []string{"A=1", env, "Z=1"}
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		var ready string
		fmt.Fscan(out, &ready) // it runs, with its environment
		if got := Marked(cmd.Process.Pid, entry); got != want {
			t.Errorf("a process with %s is marked: %v, want %v", env, got, want)
		}
		in.Close()
		cmd.Wait()
		if Marked(cmd.Process.Pid, entry) {
			t.Errorf("a process that has ended is marked with %s", env)
		}
	}
}

// alone, in the environment, says that the test runs in a namespace of its own.
const alone = "PLIMSOLL_TEST_ALONE"

// Kill ends the processes that match and all that descend from them, whatever their names,
// and no others. The test runs in a namespace of its own: broken, Kill would end the processes
// of whoever runs the test.
func TestKill(t *testing.T) {
	namespace := []string{"--fork", "--pid", "--mount-proc"}
	if os.Getenv(alone) == "" {
		if text, err := exec.Command("unshare", append(namespace, "true")...).CombinedOutput(); err != nil {
			t.Skipf("no namespace to test in: %v: %s", err, text)
		}
		cmd := exec.Command("unshare", append(namespace, os.Args[0], "-test.run=^TestKill$", "-test.v")...)
		cmd.Env = append(os.Environ(), alone+"=1")
		if text, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(text), "--- PASS: TestKill") {
			t.Errorf("%v: %s", err, text)
		}
		return
	}
	if os.Getpid() > 9 {
		t.Fatal("this is no namespace of its own")
	}
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		t.Fatal(err)
	}
	odd := filepath.Join(t.TempDir(), "s) 1 (x")
	if err := os.Symlink(sleep, odd); err != nil {
		t.Fatal(err)
	}
	// start starts a shell with two children, one of which has a name with parentheses.
	start := func(env string) (cmd *exec.Cmd, pids []int) {
		cmd = exec.Command("sh", "-c", `"$ODD" 600 & echo $!; env -i sleep 600 & echo $!; wait`)
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "ODD=" + odd, env}
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		pids = []int{cmd.Process.Pid, 0, 0}
		if _, err := fmt.Fscan(out, &pids[1], &pids[2]); err != nil {
			t.Fatal(err)
		}
		return cmd, pids
	}
	// runs reports whether a process is there and no zombie.
	runs := func(pid int) bool {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		return err == nil && !strings.Contains(string(text), ") Z ")
	}
	until := func(what string, ok func() bool) {
		t.Helper()
		for end := time.Now().Add(20 * time.Second); !ok(); time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatal(what)
			}
		}
	}
	const entry = "PLIMSOLL_TEST_MARK=1"
	marked, mine := start(entry)
	other, others := start("B=2")
	// The last child has no environment: it is ended as a child.
	until("the children do not begin", func() bool {
		return Marked(mine[1], entry) && !Marked(mine[2], entry) && !Marked(others[1], entry)
	})
	if n, err := Kill(func(pid int) bool { return Marked(pid, entry) }); n != 2 || err != nil {
		t.Errorf("%d processes are marked, want 2, %v", n, err)
	}
	marked.Wait()
	until("what is marked, or its child, still runs", func() bool { return !runs(mine[0]) && !runs(mine[1]) && !runs(mine[2]) })
	for _, pid := range others {
		if !runs(pid) {
			t.Errorf("process %d, which is not marked, has ended", pid)
		}
	}
	if n, err := Kill(func(int) bool { return false }); n != 0 || err != nil || !runs(others[0]) {
		t.Errorf("%d of none, %v", n, err)
	}
	// A child that is told to end, too, is told once.
	if n, err := Kill(func(pid int) bool { return pid == others[0] || pid == others[1] }); n != 2 || err != nil {
		t.Errorf("%d of two, %v", n, err)
	}
	other.Wait()
	until("what matches, or its child, still runs", func() bool { return !runs(others[1]) && !runs(others[2]) })
}
