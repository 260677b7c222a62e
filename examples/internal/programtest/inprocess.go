package programtest

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"encoding/xml"
	"flag"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew")

// Update reports whether golden files are to be written anew, by the flag -update.
func Update() bool { return *update }

// Whole reports whether what a program writes by default is compared whole where that takes
// many seconds: where golden files are written anew, and where PLIMSOLL_LONG is set.
func Whole() bool { return Update() || os.Getenv("PLIMSOLL_LONG") != "" }

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

// Short runs the program, and fails the test unless the exit status says that the results
// fall short, and standard error says want.
func (p Program) Short(t *testing.T, want string, args ...string) (stdout, stderr string) {
	t.Helper()
	status, stdout, stderr := p.Try(args...)
	if status != 3 || !strings.Contains(stderr, want) {
		t.Fatalf("%s %q: exit status %d, want 3 and %q: %s", p.Name, args, status, want, stderr)
	}
	return stdout, stderr
}

// Mistake runs the program with a mistake of the user's. The program must exit with 2,
// write nothing on standard output, and end with its name and a sentence that contains
// want. Mistake returns that last line.
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

// A Wrong is a use of a program that is the user's mistake, and what the sentence about
// the mistake says.
type Wrong = struct {
	Args []string
	Want string
}

// Mistakes runs the program with each mistake, as [Program.Mistake] does. The files
// below dir must stay as they are.
func (p Program) Mistakes(t *testing.T, dir string, list []Wrong) {
	t.Helper()
	before := contents(t, dir)
	for _, c := range list {
		if last := p.Mistake(t, c.Want, c.Args...); testing.Verbose() {
			t.Log(last)
		}
	}
	if diff := cmp.Diff(before, contents(t, dir)); diff != "" {
		t.Errorf("mistakes changed files (-before +after):\n%s", diff)
	}
}

// Frame holds what the frame of every program promises of mistakes in its own flags:
// unknown ones, -json, and those that name a file to write.
func (p Program) Frame(t *testing.T, outputs ...string) {
	t.Helper()
	dir := t.TempDir()
	list := []Wrong{
		{[]string{"-nonsense"}, "-nonsense"},
		{[]string{"log.txt"}, `"log.txt" is not a flag`},
		{[]string{"-json=perhaps"}, "true or false"},
	}
	for _, name := range outputs {
		list = append(list, []Wrong{
			{[]string{"-" + name, ""}, "name of a file"},
			{[]string{"-" + name, filepath.Join(dir, "no", "out")}, "its folder does not exist"},
			{[]string{"-" + name, dir}, "is a folder"},
		}...)
	}
	p.Mistakes(t, dir, list)
}

// contents returns the texts of the files below a folder, and "/" for a folder.
func contents(t *testing.T, dir string) map[string]string {
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if all[path] = "/"; err == nil && !d.IsDir() {
			all[path] = Read(t, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// Help holds what -h prints: all flags, each at the start of a line, the words given, and
// no line of more than 88 columns.
func (p Program) Help(t *testing.T, flags []string, words ...string) {
	t.Helper()
	stdout, stderr := p.Must(t, "-h")
	if stderr != "" {
		t.Errorf("-h writes %q on standard error", stderr)
	}
	for _, name := range append(flags, "h") {
		if !strings.Contains(stdout, "\n  -"+name+" ") {
			t.Errorf("-h does not list -%s", name)
		}
	}
	for _, word := range words {
		if !strings.Contains(stdout, word) {
			t.Errorf("-h does not say %q", word)
		}
	}
	Narrow(t, stdout, 88)
}

// Narrow holds that no line of a text has more columns.
func Narrow(t *testing.T, text string, columns int) {
	t.Helper()
	for line := range strings.SplitSeq(text, "\n") {
		if n := utf8.RuneCountInString(line); n > columns {
			t.Errorf("a line of %d columns: %s", n, line)
		}
	}
}

// Broken runs the program with an output that fails, with each of the arguments and with
// -h: it must exit with 1 and say so.
func (p Program) Broken(t *testing.T, list ...[]string) {
	t.Helper()
	for _, args := range append(list, []string{"-h"}) {
		var stderr bytes.Buffer
		if status := p.Run(args, Broken{}, &stderr); status != 1 || !strings.HasSuffix(stderr.String(), p.Name+": broken\n") {
			t.Errorf("%s %q on a broken output: exit status %d, %q", p.Name, args, status, stderr.String())
		}
	}
}

// Idle runs the program and holds that the notes name flags that change nothing, "-a and
// -b change"; none if want is "".
func (p Program) Idle(t *testing.T, want string, args ...string) {
	t.Helper()
	_, stderr := p.Must(t, args...)
	got := ""
	for line := range strings.SplitSeq(stderr, "\n") {
		if names, ok := strings.CutSuffix(strings.TrimPrefix(line, p.Name+": note: "), " nothing here"); ok {
			got = names
		}
	}
	if got != want {
		t.Errorf("%s %q: idle flags %q, want %q", p.Name, args, got, want)
	}
}

// SVG runs the program with -svg, and returns the picture: well-formed, not large, with
// the parts given.
func (p Program) SVG(t *testing.T, args []string, parts ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "out.svg")
	p.Must(t, append(slices.Clone(args), "-svg", path)...)
	text := Read(t, path)
	if len(text) > 1<<20 {
		t.Errorf("%s %q: a picture of %d bytes", p.Name, args, len(text))
	}
	WellFormed(t, text)
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%s %q: the picture does not say %q", p.Name, args, part)
		}
	}
	return text
}

// WellFormed holds that a text is XML.
func WellFormed(t *testing.T, text string) {
	t.Helper()
	for d := xml.NewDecoder(strings.NewReader(text)); ; {
		if _, err := d.Token(); err == io.EOF {
			return
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

// Rows decodes what a program writes with -json: an array, whose objects have no other
// fields than T.
func Rows[T any](t *testing.T, stdout string) (rows []T) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(stdout))
	d.DisallowUnknownFields()
	if err := d.Decode(&rows); err != nil {
		t.Fatal(err)
	}
	return rows
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
	return WriteIn(t, t.TempDir(), name, text)
}

// WriteIn writes a file in a folder.
func WriteIn(t *testing.T, dir, name, text string) (path string) {
	t.Helper()
	path = filepath.Join(dir, name)
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
