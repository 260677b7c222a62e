//go:build unix

package processes

import (
	"fmt"
	"os"
	"os/exec"
	"testing"
)

// A process is known by an entry of its environment, whole and not a part of it. There is no
// test of Kill: broken, it would end the processes of whoever runs the test.
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
