package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/examples/internal/filelock"
)

// A state that another process uses, and a device as a state, are mistakes.
func TestStateAlone(t *testing.T) {
	demand := filepath.Join(t.TempDir(), "d.csv")
	if err := os.WriteFile(demand, []byte("instances\n"+strings.Repeat("5\n", 28)), 0o666); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "state.json")
	f, err := os.Create(file + ".lock")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := filelock.Exclude(f); err != nil {
		t.Fatal(err)
	}
	for state, want := range map[string]string{file: "another process uses it", "/dev/full": "is not a regular file"} {
		if _, err := os.Stat("/dev/full"); runtime.GOOS != "linux" || err != nil {
			t.Skip("this system lacks what the test needs")
		}
		status, stdout, stderr := tested.Try("-slot", "24h", "-state", state, "-demand", demand)
		if status != 2 || stdout != "" || !strings.Contains(stderr, want) {
			t.Errorf("-state %s: exit status %d, %q, want it to say %q", state, status, stderr, want)
		}
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("the state was written")
	}
}
