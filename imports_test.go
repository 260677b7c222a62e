package plimsoll

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/plimsoll/plimsoll/"

// joins says which packages of the library a package may import besides
// pricing. Packages that are not in it import none.
var joins = map[string][]string{
	"schedule/workload": {"schedule/trace"},
	"schedule/sim":      {"schedule", "schedule/trace", "placement"},
}

// alone has the packages that import nothing but the standard library.
var alone = []string{"pricing", "schedule/trace"}

// forbidden has what a library package does not import: it does no I/O of its
// own, starts nothing, reads no environment and logs nothing.
var forbidden = []string{"os", "os/exec", "log", "log/slog", "net", "net/http", "flag", "math/rand", "sync", "syscall", "unsafe", "testing"}

// The import rules of CONTRIBUTING.md.
func TestImports(t *testing.T) {
	seen := 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && path != "." || d.Name() == "testdata") {
			return fs.SkipDir
		}
		if !strings.HasSuffix(path, ".go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		pkg := filepath.ToSlash(filepath.Dir(path))
		isTest := strings.HasSuffix(path, "_test.go")
		for _, spec := range f.Imports {
			name, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			seen++
			if why := refuse(pkg, name, isTest); why != "" {
				t.Errorf("%s imports %s: %s", path, name, why)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen < 50 {
		t.Errorf("only %d imports seen: does the test look at the module?", seen)
	}
}

// refuse says why a package may not import another, "" if it may.
func refuse(pkg, name string, isTest bool) string {
	sibling, ours := strings.CutPrefix(name, module)
	std := !strings.Contains(strings.SplitN(name, "/", 2)[0], ".")
	example := strings.HasPrefix(pkg, "examples")
	helper := strings.HasPrefix(pkg, "internal") || pkg == "."
	switch {
	case strings.HasPrefix(sibling, "examples") && !example:
		return "a library package does not import examples"
	case example, helper:
		return ""
	case strings.HasPrefix(name, "gonum.org/v1/plot"), strings.HasPrefix(name, "golang.org/x/term"):
		return "for examples only"
	case isTest:
		return ""
	case slices.Contains(forbidden, name):
		return "a library package has no business with it"
	case std:
		return ""
	case slices.Contains(alone, pkg):
		return "the package uses the standard library alone"
	case ours:
		if sibling == "pricing" || strings.HasPrefix(sibling, "internal/") || slices.Contains(joins[pkg], sibling) {
			return ""
		}
		return "declare the interface that is needed; schedule/sim and examples join packages"
	case strings.HasPrefix(name, "gonum.org/v1/gonum/"), strings.HasPrefix(name, "golang.org/x/exp/"):
		return ""
	}
	return "not among the modules that library packages use"
}

// The rules refuse what they should.
func TestImportRules(t *testing.T) {
	for _, c := range []struct {
		pkg, name string
		isTest    bool
		ok        bool
	}{
		{"pricing", "math/bits", false, true},
		{"pricing", "os", false, false},
		{"pricing", "os", true, true},
		{"pricing", "gonum.org/v1/gonum/mat", false, false},
		{"schedule/trace", module + "pricing", false, false},
		{"schedule", module + "placement", false, false},
		{"placement", module + "schedule/sim", false, false},
		{"schedule/sim", module + "schedule", false, true},
		{"reserve", module + "pricing", false, true},
		{"reserve", module + "internal/flow", false, true},
		{"reserve", module + "examples/sec", true, false},
		{"schedule", "gonum.org/v1/plot", false, false},
		{"schedule", "github.com/google/go-cmp/cmp", false, false},
		{"schedule", "github.com/google/go-cmp/cmp", true, true},
		{"examples/sec", "gonum.org/v1/plot", false, true},
	} {
		if got := refuse(c.pkg, c.name, c.isTest) == ""; got != c.ok {
			t.Errorf("%s imports %s (test %v): allowed %v, want %v", c.pkg, c.name, c.isTest, got, c.ok)
		}
	}
}
