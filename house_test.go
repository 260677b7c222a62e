package plimsoll

import (
	"fmt"
	"go/ast"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A room is what a person can hold.
const (
	mostFileLines = 500 // of a file but doc.go
	mostFuncLines = 80
	mostBranches  = 30  // of a function: 1 and one for each if, for, range, case, && and ||
	mostDocLines  = 150 // of `go doc` before the list of symbols
	mostAllTypes  = 319 // exported types of the library
)

// These may be longer, each with its reason. The lists do not grow: what becomes shorter leaves
// its list, and what becomes longer is taken apart.
var (
	longFiles = map[string]string{}
	longFuncs = map[string]string{}
	branchy   = map[string]string{}
)

// A function of the library, with its length.
type function struct {
	name            string // file:function
	lines, branches int
}

// measure reads the library's files without tests: lines by file, and the functions.
func measure(t *testing.T) (map[string]int, []function) {
	t.Helper()
	files := map[string]int{}
	var funcs []function
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != "." && (strings.HasPrefix(d.Name(), ".") || slices.Contains([]string{"testdata", "examples"}, d.Name())) {
			return fs.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		path = filepath.ToSlash(path)
		files[path] = strings.Count(string(src), "\n")
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, path, src, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Body != nil {
				funcs = append(funcs, function{path + ":" + d.Name.Name, fset.Position(d.End()).Line - fset.Position(d.Pos()).Line + 1, branches(d.Body)})
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files, funcs
}

// branches counts the ways through a function.
func branches(body *ast.BlockStmt) int {
	n := 1
	ast.Inspect(body, func(x ast.Node) bool {
		switch x := x.(type) {
		case *ast.IfStmt, *ast.ForStmt, *ast.RangeStmt, *ast.CaseClause, *ast.CommClause:
			n++
		case *ast.BinaryExpr:
			if x.Op == token.LAND || x.Op == token.LOR {
				n++
			}
		}
		return true
	})
	return n
}

// Files and functions have lengths that a person reads.
func TestLengths(t *testing.T) {
	files, funcs := measure(t)
	if len(files) < 100 || len(funcs) < 1000 {
		t.Fatalf("%d files and %d functions seen: does the test look at the module?", len(files), len(funcs))
	}
	long, longer, wild := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, path := range slices.Sorted(maps.Keys(files)) {
		if n := files[path]; n > mostFileLines && filepath.Base(path) != "doc.go" {
			long[path] = true
			if longFiles[path] == "" {
				t.Errorf("%s has %d lines, want at most %d: one algorithm a file", path, n, mostFileLines)
			}
		}
	}
	for _, f := range funcs {
		if f.lines > mostFuncLines {
			longer[f.name] = true
			if longFuncs[f.name] == "" {
				t.Errorf("%s has %d lines, want at most %d: give its steps their names", f.name, f.lines, mostFuncLines)
			}
		}
		if f.branches > mostBranches {
			wild[f.name] = true
			if branchy[f.name] == "" {
				t.Errorf("%s has %d branches, want at most %d: give its steps their names", f.name, f.branches, mostBranches)
			}
		}
	}
	for _, l := range []struct {
		what string
		may  map[string]string
		are  map[string]bool
		most int
	}{{"longFiles", longFiles, long, 6}, {"longFuncs", longFuncs, longer, 8}, {"branchy", branchy, wild, 8}} {
		if len(l.may) > l.most {
			t.Errorf("%s has %d exceptions, want at most %d", l.what, len(l.may), l.most)
		}
		for name := range l.may {
			if !l.are[name] {
				t.Errorf("%s: %s needs no exception", l.what, name)
			}
		}
	}
	t.Logf("%d files, %d functions", len(files), len(funcs))
}

// The list of a package's symbols begins on the third screen at the latest.
func TestDocLines(t *testing.T) {
	for name, p := range packages(t) {
		if slices.Contains(theory, name) {
			continue
		}
		var parse comment.Parser
		text := (&comment.Printer{TextWidth: 80}).Text(parse.Parse(p.Doc))
		if n := strings.Count(string(text), "\n") + 2; n > mostDocLines {
			t.Errorf("the symbols of %s begin at line %d of `go doc`, want %d or before: measurements go to BENCHMARKS.md, papers' mistakes to ERRATA.md, proofs to their types", name, n, mostDocLines)
		}
	}
}

func TestBranches(t *testing.T) {
	for src, want := range map[string]int{
		"x := 1; _ = x":                           1,
		"if a && b || c { return }":               4,
		"for range 3 { for i := 0; ; { _ = i } }": 3,
		"switch { case a: case b: default: }":     4,
	} {
		f, err := parser.ParseFile(token.NewFileSet(), "", fmt.Sprintf("package p; func f() { %s }", src), 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := branches(f.Decls[0].(*ast.FuncDecl).Body); got != want {
			t.Errorf("%s: %d branches, want %d", src, got, want)
		}
	}
}
