package programtest

import (
	"bytes"
	"compress/gzip"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew")

// Update reports whether golden files are to be written anew, by the flag -update.
func Update() bool { return *update }

// A Program is a program that a test runs in its own process.
type Program struct {
	Name string // as its messages begin
	Run  func(args []string, stdout, stderr io.Writer) (status int)
}

// Try runs the program.
func (p Program) Try(args ...string) (status int, stdout, stderr string) {
	var out, errs bytes.Buffer
	status = p.Run(args, &out, &errs)
	return status, out.String(), errs.String()
}

// Must runs the program, and fails the test unless it succeeds.
func (p Program) Must(t *testing.T, args ...string) (stdout, stderr string) {
	t.Helper()
	status, stdout, stderr := p.Try(args...)
	if status != 0 {
		t.Fatalf("%s %q: exit status %d: %s", p.Name, args, status, stderr)
	}
	return stdout, stderr
}

// Mistake runs the program with what is the user's mistake: it must exit with 2, write
// nothing on standard output, and end with its name and a sentence that has want.
// That last line is returned.
func (p Program) Mistake(t *testing.T, want string, args ...string) (last string) {
	t.Helper()
	status, stdout, stderr := p.Try(args...)
	if status != 2 {
		t.Errorf("%s %q: exit status %d, want 2: %s", p.Name, args, status, stderr)
	}
	if stdout != "" {
		t.Errorf("%s %q writes on standard output: %s", p.Name, args, stdout)
	}
	lines := strings.Split(strings.TrimSuffix(stderr, "\n"), "\n")
	last = lines[len(lines)-1]
	if !strings.HasPrefix(last, p.Name+": ") || !strings.Contains(last, want) {
		t.Errorf("%s %q ends with %q, want it to say %q", p.Name, args, last, want)
	}
	return last
}

// Golden compares what a program wrote with a file of testdata, or writes the file
// if [Update] says so.
func Golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if Update() {
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(Read(t, path), got); diff != "" {
		t.Errorf("%s (-want +got), renew with -update:\n%s", name, diff)
	}
}

// Write writes a file of the test's own.
func Write(t *testing.T, name, text string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// Read returns what is in a file.
func Read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// Gzip returns a text as gzip has it.
func Gzip(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	io.WriteString(w, text)
	w.Close()
	return b.String()
}
