package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/examples/internal/programtest"
)

// runProgram runs the program.
func runProgram(t *testing.T, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, msg bytes.Buffer
	status = run(t.Context(), args, &out, &msg)
	return status, out.String(), msg.String()
}

func TestUsage(t *testing.T) {
	status, stdout, stderr := runProgram(t, "-h")
	if status != 0 || stderr != "" {
		t.Fatalf("-h: status %d, %q", status, stderr)
	}
	programtest.Narrow(t, stdout, 92)
	for name, c := range commands {
		if !strings.Contains(stdout, "\n  "+name+" ") {
			t.Errorf("-h does not name %s", name)
		}
		programtest.Narrow(t, c.Usage, 92)
		if !strings.HasPrefix(c.Usage, "Usage: go run . "+name) {
			t.Errorf("%s: the usage begins otherwise: %.40q", name, c.Usage)
		}
	}
}

func TestMistakes(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"", "kubernetes: no command: want "},
		{"fly", `kubernetes: "fly" is not a command: want `},
	} {
		status, stdout, stderr := runProgram(t, strings.Fields(c.args)...)
		if status != 2 || stdout != "" || !strings.HasPrefix(stderr, c.want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%q: status %d, %q, %q", c.args, status, stdout, stderr)
		}
	}
}
