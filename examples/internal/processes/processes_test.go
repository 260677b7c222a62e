//go:build unix

package processes

import (
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"
)

// A child is found by an entry of its environment, whole and not a part of it, and ended with
// its own children; others are let alone.
func TestKill(t *testing.T) {
	entry := fmt.Sprintf("PLIMSOLL_TEST_MARK=%d-%d", os.Getpid(), 7)
	start := func(env string, args ...string) (*exec.Cmd, int) {
		cmd := exec.Command("sh", args...)
		cmd.Env = append(os.Environ(), env)
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		var child int
		if _, err := fmt.Fscan(out, &child); err != nil { // it runs, with its environment
			t.Fatal(err)
		}
		t.Cleanup(func() { cmd.Process.Kill() })
		return cmd, child
	}
	if _, err := os.ReadFile("/proc/self/environ"); err != nil {
		t.Skip("there is no /proc here")
	}
	// Its child has another environment, and is found as a descendant.
	mine, child := start(entry, "-c", "env -i sh -c 'echo $$; exec sleep 300' & wait")
	other, otherChild := start(entry+"0", "-c", "sh -c 'echo $$; exec sleep 300' & wait")
	for pid, want := range map[int]bool{mine.Process.Pid: true, other.Process.Pid: false, child: false, os.Getpid(): false, 1 << 30: false} {
		if got := Marked(pid, entry); got != want {
			t.Errorf("process %d is marked: %v, want %v", pid, got, want)
		}
	}
	n, err := Kill(func(pid int) bool { return Marked(pid, entry) })
	if n != 1 || err != nil {
		t.Errorf("%d found, %v", n, err)
	}
	if err := mine.Wait(); err == nil || mine.ProcessState.ExitCode() != -1 {
		t.Errorf("the marked one ends with %v, want to be killed", err)
	}
	alive := func(pid int) bool {
		state, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		text := string(state)
		for i := len(text) - 1; i >= 0; i-- {
			if text[i] == ')' {
				return text[i+2] != 'Z'
			}
		}
		return false
	}
	for range 1000 { // until the kernel has ended it
		if !alive(child) {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if alive(child) {
		t.Error("the child of the marked one lives on")
	}
	if !alive(other.Process.Pid) || !alive(otherChild) {
		t.Error("a process without the mark is ended")
	}
	if n, err := Kill(func(pid int) bool { return pid == other.Process.Pid }); n != 1 || err != nil {
		t.Errorf("%d found, %v", n, err)
	}
	other.Wait()
	if n, err := Kill(func(int) bool { return false }); n != 0 || err != nil {
		t.Errorf("of none %d found, %v", n, err)
	}
}
