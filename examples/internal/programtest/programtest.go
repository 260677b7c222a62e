// Package programtest is what the tests of several programs do in the same way: run the
// program, in the test's process or as one of its own, interrupt it, have its output
// fail, and compare what it wrote with golden files.
package programtest

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// asProgram, in the environment, makes a test binary the program that it tests.
const asProgram = "PLIMSOLL_TEST_AS_PROGRAM"

// Main is what TestMain does: it runs the tests, or, in a process of [Command], main.
func Main(m *testing.M, main func()) {
	if os.Getenv(asProgram) != "" {
		main()
	}
	os.Exit(m.Run())
}

// Command returns a command that runs the tested program with arguments.
func Command(args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), asProgram+"=1")
	return cmd
}

// Interrupt interrupts the program while it reads, with the given flag, an input that
// does not end, and is to write a picture. It must exit with 130, leave the old picture,
// and no temporary file.
func Interrupt(t *testing.T, flag, input string) {
	t.Helper()
	if _, err := os.Stat("/dev/stdin"); err != nil {
		t.Skip("needs /dev/stdin, to keep the program reading")
	}
	dir := t.TempDir()
	svg := filepath.Join(dir, "out.svg")
	if err := os.WriteFile(svg, []byte("old"), 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := Command(flag, "/dev/stdin", "-svg", svg)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	io.WriteString(in, input) // and no end
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		if entries, _ := os.ReadDir(dir); len(entries) == 2 {
			break // the temporary file is there
		}
		if time.Now().After(deadline) {
			t.Fatal("no temporary file")
		}
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	if got := cmd.ProcessState.ExitCode(); got != 130 {
		t.Errorf("exit status %d, want 130", got)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("left %v", entries)
	}
	if b, _ := os.ReadFile(svg); string(b) != "old" {
		t.Errorf("the file was changed: %q", b)
	}
}

// Broken is a writer that fails.
type Broken struct{}

// Write fails with the error "broken".
func (Broken) Write([]byte) (int, error) { return 0, errors.New("broken") }
