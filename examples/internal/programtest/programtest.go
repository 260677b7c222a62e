// Package programtest is what the tests of several programs do in the same way. The tests
// run the program, in the test's process or as a process of its own. They interrupt the
// program, have its output fail, and compare what it wrote with golden files.
package programtest

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
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
	dir := t.TempDir()
	svg := WriteIn(t, dir, "out.svg", "old")
	Signal(t, os.Interrupt, 130, input, func() bool {
		entries, _ := os.ReadDir(dir)
		return len(entries) == 2 // the temporary file is there
	}, flag, "/dev/stdin", "-svg", svg)
	if entries, _ := os.ReadDir(dir); len(entries) != 1 || Read(t, svg) != "old" {
		t.Errorf("left %v", entries)
	}
}

// Signal runs the program with an input that does not end, and sends it a signal when it
// is ready. The program must exit with the status, and say what is kept.
func Signal(t *testing.T, signal os.Signal, status int, input string, ready func() bool, args ...string) {
	t.Helper()
	if _, err := os.Stat("/dev/stdin"); err != nil {
		t.Skip("needs /dev/stdin, to keep the program reading")
	}
	cmd := Command(args...)
	var said strings.Builder
	cmd.Stderr = &said
	in, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(in, input) // and no end
	for deadline := time.Now().Add(20 * time.Second); !ready(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("no temporary file")
		}
	}
	if err := cmd.Process.Signal(signal); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	if got := cmd.ProcessState.ExitCode(); got != status || !strings.Contains(said.String(), "interrupted: ") {
		t.Errorf("%v: exit status %d, want %d and what is kept: %s", signal, got, status, &said)
	}
}

// Broken is a writer that fails.
type Broken struct{}

// Write fails with the error "broken".
func (Broken) Write([]byte) (int, error) { return 0, errors.New("broken") }
