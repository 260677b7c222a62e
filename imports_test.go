package plimsoll

import (
	"go/ast"
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

// joins says which packages a package may import beside pricing and, below a subject's
// folder, the packages of its own subject.
var joins = map[string][]string{
	"forecast":           {"forecast/smoothing"},
	"federation":         {"federation/coalition"},
	"perfmodel":          {"perfmodel/lsq"},
	"schedule/sim":       {"placement"},
	"schedule/sim/bills": {"federation/coalition"},
}

// alone has the packages that import nothing but the standard library and internal/.
var alone = []string{"pricing", "schedule/trace"}

// forbidden has what a library package does not import: it does no I/O of its
// own, starts nothing, reads no environment and logs nothing.
// These are the first parts of import paths.
var forbidden = []string{"os", "log", "net", "flag", "sync", "syscall", "unsafe", "testing", "runtime", "plugin"}

// helpers are the internal packages that only tests use.
var helpers = []string{"internal/allocs", "internal/seeded", "internal/shared", "pricing/internal/readertest"}

// programs are the internal programs that people run on a change.
var programs = []string{"internal/tools/mutants", "internal/tools/root", "internal/tools/sbom", "internal/tools/speed", "internal/tools/surface"}

// library reports whether a package is one that programs import, or part of it.
func library(pkg string) bool {
	return pkg != "." && !strings.HasPrefix(pkg, "examples") && !slices.Contains(helpers, pkg) && !slices.Contains(programs, pkg)
}

// impure says what a piece of syntax does that a library package must not: it
// starts a goroutine, reads the clock, or draws from global randomness.
func impure(n ast.Node) string {
	switch n := n.(type) {
	case *ast.GoStmt:
		return "a goroutine"
	case *ast.SelectorExpr:
		x, ok := n.X.(*ast.Ident)
		if !ok {
			return ""
		}
		switch f := x.Name + "." + n.Sel.Name; f {
		case "time.Now", "time.Since", "time.Until", "time.Sleep", "time.After", "time.Tick", "time.NewTimer", "time.NewTicker", "time.AfterFunc", "time.Local":
			return f
		case "rand.New", "rand.NewPCG", "rand.NewChaCha8", "rand.NewZipf", "rand.Rand", "rand.Source", "rand.PCG", "rand.ChaCha8", "rand.Zipf":
			return ""
		default:
			if x.Name == "rand" {
				return "global randomness, " + f
			}
		}
	}
	return ""
}

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
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
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
		if library(pkg) && !isTest {
			ast.Inspect(f, func(n ast.Node) bool {
				if what := impure(n); what != "" {
					t.Errorf("%s: %s in a library package", path, what)
				}
				return true
			})
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
	root, _, _ := strings.Cut(name, "/")
	switch {
	case strings.HasPrefix(sibling, "examples") && !example:
		return "a library package does not import examples"
	case example && ours && !strings.HasPrefix(sibling, "examples") && (strings.HasPrefix(sibling, "internal/") || strings.Contains(sibling, "/internal/")):
		return "a program imports what every user can import"
	case example, !library(pkg):
		return ""
	case isTest:
		return ""
	case slices.Contains(forbidden, root), name == "math/rand":
		return "a library package has no business with it"
	case std:
		return ""
	case slices.Contains(helpers, sibling):
		return "a helper of tests"
	case ours && (strings.HasPrefix(sibling, "internal/") || strings.Contains(sibling, "/internal/")):
		return ""
	case slices.Contains(alone, pkg), strings.HasPrefix(pkg, "internal/"):
		return "the package uses the standard library and internal/ alone"
	case ours:
		subject, _, room := strings.Cut(pkg, "/")
		if sibling == "pricing" || slices.Contains(joins[pkg], sibling) || room && (sibling == subject || strings.HasPrefix(sibling, subject+"/")) {
			return ""
		}
		return "declare the interface that is needed; schedule/sim and examples join packages"
	case strings.HasPrefix(name, "gonum.org/v1/gonum/"), strings.HasPrefix(name, "golang.org/x/exp/"):
		return ""
	case pkg == "pricing/parquet" && strings.HasPrefix(name, "github.com/parquet-go/parquet-go"):
		return "" // who does not import the package does not compile the library
	}
	return "not among the modules that library packages use"
}

// What is impure is found, and what is not is let through.
func TestImpure(t *testing.T) {
	for code, want := range map[string]bool{
		"go f()": true, "time.Now()": true, "rand.IntN(3)": true, "_ = time.Local": true,
		"f()": false, "rand.New(src)": false, "r.IntN(3)": false, "time.Duration(3)": false,
	} {
		f, err := parser.ParseFile(token.NewFileSet(), "", "package p; func g() {"+code+"}", parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		got := false
		ast.Inspect(f, func(n ast.Node) bool {
			got = got || impure(n) != ""
			return true
		})
		if got != want {
			t.Errorf("%s: impure %v, want %v", code, got, want)
		}
	}
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
		{"pricing", "os/signal", false, false},
		{"pricing", "net/http", false, false},
		{"schedule", "math/rand", false, false},
		{"schedule", "math/rand/v2", false, true},
		{"pricing", "gonum.org/v1/gonum/mat", false, false},
		{"pricing", module + "internal/inputerr", false, true},
		{"pricing", module + "internal/allocs", false, false},
		{"pricing", module + "internal/allocs", true, true},
		{"schedule/trace", module + "internal/inputerr", false, true},
		{"internal/inputerr", module + "internal/wide", false, true},
		{"internal/inputerr", module + "pricing", false, false},
		{"schedule/trace", module + "pricing", false, false},
		{"schedule", module + "placement", false, false},
		{"placement", module + "schedule/sim", false, false},
		{"schedule/sim", module + "schedule", false, true},
		{"reserve", module + "pricing", false, true},
		{"reserve", module + "reserve/internal/flow", false, true},
		{"reserve/savings", module + "reserve", false, true},
		{"reserve/savings", module + "reserve/internal/flow", false, true},
		{"reserve", module + "reserve/savings", false, false},
		{"federation", module + "reserve", false, false},
		{"reserve", module + "examples/tools/sec", true, false},
		{"schedule", "gonum.org/v1/plot", false, false},
		{"pricing/focus", "github.com/parquet-go/parquet-go", false, false},
		{"pricing/parquet", "github.com/parquet-go/parquet-go/format", false, true},
		{"schedule", "github.com/google/go-cmp/cmp", false, false},
		{"schedule", "github.com/google/go-cmp/cmp", true, true},
		{"examples/tools/sec", "gonum.org/v1/plot", false, true},
		{"examples/tools/sec", module + "internal/wide", false, false},
		{"examples/tools/sec", module + "examples/internal/cli", false, true},
		{"reserve/rules", module + "reserve", false, true},
		{"reserve/rules", module + "forecast", false, false},
	} {
		if got := refuse(c.pkg, c.name, c.isTest) == ""; got != c.ok {
			t.Errorf("%s imports %s (test %v): allowed %v, want %v", c.pkg, c.name, c.isTest, got, c.ok)
		}
	}
}

// Every package whose tests draw cases with rapid imports internal/seeded, so that they draw
// the same cases each time.
func TestSeeded(t *testing.T) {
	draws, seeded := map[string]bool{}, map[string]bool{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range f.Imports {
			switch spec.Path.Value {
			case `"pgregory.net/rapid"`:
				draws[filepath.Dir(path)] = true
			case `"github.com/plimsoll/plimsoll/internal/seeded"`, `"github.com/plimsoll/plimsoll/examples/internal/seeded"`:
				seeded[filepath.Dir(path)] = true
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for pkg := range draws {
		if !seeded[pkg] {
			t.Errorf("%s: its tests draw other cases each time: want an import of internal/seeded", pkg)
		}
	}
	if len(draws) < 30 {
		t.Errorf("%d packages draw cases: want at least 30, or this test looks in the wrong place", len(draws))
	}
}
