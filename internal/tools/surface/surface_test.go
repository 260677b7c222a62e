package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The source of a small module with each kind of declaration, and its listing.
const (
	source = `package p

import (
	"errors"
	"time"

	"example.com/m/internal/hidden"
)

type (
	InputError = hidden.Error
	Policy     int
	Heap[K any, V number] struct {
		Keys  []K ` + "`json:\"keys\"`" + `
		order []V
	}
	Plain struct {
		Start, End time.Duration
		n          int
	}
	Both interface {
		Rule
		Name(at int) string
	}
	Rule   interface{ Next(func(int) bool) (int, error) }
	number interface{ ~int | ~float64 }
	kept   struct{ Seen int }
	Mixed  struct {
		kept
		*Plain
	}
	unused struct{}
)

const (
	FCFS Policy = iota
	EASY
	Alpha       = 0.2
	Third       = 1.0 / 3
	Long        = 2 * time.Hour
	Name        = "plan"
	hiddenConst = 7
)

var ErrRange = errors.New("range")
var Zero kept

func (p Policy) String() string             { return Name }
func (_ *Heap[K, V]) Push(k K, _ ...V) bool { return false }
func (h *Heap[K, V]) sift()                 {}
func Max[T number](a, b T) (T, error)       { return max(a, b), nil }
func Short() *Plain                         { return nil }
func Named(x int) (lo, hi int)              { return x, x }
`
	hidden = `package hidden

type Error struct{ Field string }

func (e *Error) Error() string { return e.Field }

func New() *Error { return nil }
`
	listing = `
package hidden // import "example.com/m/internal/hidden"

type Error struct {
	Field string
}
func (e *Error) Error() string

package p // import "example.com/m/p"

import "example.com/m/internal/hidden"
import "time"

const Alpha = 0.2
const EASY Policy = 1
const FCFS Policy = 0
const Long time.Duration = 7200000000000
const Name = "plan"
const Third = 1.0 / 3.0

var ErrRange error
var Zero kept

func Max[T number](a T, b T) (T, error)
func Named(x int) (lo int, hi int)
func Short() *Plain

type Both interface {
	Rule
	Name(at int) string
}

type Heap[K any, V number] struct {
	Keys []K "json:\"keys\""
	_ []struct{} // unexported fields, not comparable
}
func (*Heap[K, V]) Push(k K, _ ...V) bool

type InputError = hidden.Error

type Mixed struct {
	kept
	*Plain
}

type Plain struct {
	Start time.Duration
	End time.Duration
	_ struct{} // unexported fields
}

type Policy int
func (p Policy) String() string

type Rule interface {
	Next(func(int) bool) (int, error)
}

type kept struct {
	Seen int
}

type number interface {
	~int | ~float64
}
`
)

// writeModule writes a module of files by path.
func writeModule(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func listDir(t *testing.T, dir string) (string, string) {
	t.Helper()
	module, pkgs, err := load(dir)
	if err != nil {
		t.Fatal(err)
	}
	text, err := list(module, pkgs)
	if err != nil {
		t.Fatal(err)
	}
	return module, text
}

const gomod = "module example.com/m\n\ngo 1.26.0\n"

func sample(t *testing.T) string {
	return writeModule(t, map[string]string{
		"go.mod": gomod, "go.sum": "", "p/p.go": source, "internal/hidden/h.go": hidden,
		"examples/x/main.go": "package main\n\nfunc main() {}\n",
	})
}

// Each kind of declaration is listed as it stands in the source.
func TestList(t *testing.T) {
	_, got := listDir(t, sample(t))
	if diff := cmp.Diff(listing, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The module that is made from a listing has the same listing.
func TestExtract(t *testing.T) {
	dir := t.TempDir()
	if err := extract(dir, "example.com/m", listing); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(gomod), 0o644); err != nil {
		t.Fatal(err)
	}
	_, got := listDir(t, dir)
	if diff := cmp.Diff(listing, got); diff != "" {
		t.Errorf("(-listing +listing of what was extracted):\n%s", diff)
	}
}

// A change of the surface is found and named; a change behind it is not one.
func TestRun(t *testing.T) {
	dir := sample(t)
	if err := run(nil, dir, true, ""); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ old, new, want string }{
		{"return x, x", "return x, 2 * x", ""},
		{"hiddenConst = 7", "hiddenConst = 8", ""},
		{"\tunused struct{}", "\tunused struct{ x int }", ""},
		{"func Named(x int)", "func Named(x int64)", "- example.com/m/p: func Named(x int) (lo int, hi int)\n"},
		{"Alpha       = 0.2", "Alpha       = 0.3", "- example.com/m/p: const Alpha = 0.2\n+ example.com/m/p: const Alpha = 0.3\n"},
		{"Start, End time.Duration", "Start, End, At time.Duration", "+ example.com/m/p: type Plain struct At time.Duration\n"},
		{"Seen int", "Saw int", "- example.com/m/p: type kept struct Seen int\n+ example.com/m/p: type kept struct Saw int\n"},
		{"FCFS Policy = iota\n\tEASY", "EASY Policy = iota\n\tFCFS", "- example.com/m/p: const EASY Policy = 1\n- example.com/m/p: const FCFS Policy = 0\n"},
	} {
		changed := strings.Replace(source, c.old, c.new, 1)
		if changed == source {
			t.Fatalf("%q is not in the source", c.old)
		}
		changed = strings.Replace(changed, "return x, x", "return 0, 0", 1)
		if err := os.WriteFile(filepath.Join(dir, "p", "p.go"), []byte(changed), 0o644); err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		err := run(&out, dir, false, "")
		if (err != nil) != (c.want != "") || !strings.HasPrefix(out.String(), c.want) {
			t.Errorf("%q for %q: %v, output %q, want %q", c.new, c.old, err, out.String(), c.want)
		}
	}
}

// A constant is written so that it is read as the same value.
func TestLiteral(t *testing.T) {
	dir := writeModule(t, map[string]string{"go.mod": gomod, "q/q.go": `package q

const (
	A = 1e300 * 1e300
	B = 0.1 + 0.2
	C = 2.0
	D float32 = 0.1
	E = 1 << 100
	F = 'x'
	G = true
)
`})
	_, text := listDir(t, dir)
	if err := extract(dir, "example.com/m", text); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "q", "q.go")); err != nil {
		t.Fatal(err)
	}
	if _, again := listDir(t, dir); text != again {
		t.Errorf("%s\nreads as\n%s", text, again)
	}
}
