package plimsoll

import (
	"go/ast"
	"go/doc"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// What a reader sees of a package before the first scroll.
const (
	screenLines = 60 // lines of go doc
	mostTypes   = 30 // exported types
)

// moreTypes has the packages that export more than mostTypes types, with the number
// and the reason. A package that comes back under the limit leaves the table.
var moreTypes = map[string]struct {
	types int
	why   string
}{}

var youHave = regexp.MustCompile(`(?im)^\s*you have\s{2,}you want\s{2,}call\s*$`)

// A line of code calls a function or a method of something.
var call = regexp.MustCompile(`\w\.\w+\(.*\)|:= .*\(`)

// packages parses the library packages that programs import, without tests.
func packages(t *testing.T) map[string]*doc.Package {
	t.Helper()
	fset := token.NewFileSet()
	files := map[string][]*ast.File{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != "." && (strings.HasPrefix(d.Name(), ".") || slices.Contains([]string{"testdata", "internal", "examples"}, d.Name())) {
			return fs.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || filepath.Dir(path) == "." {
			return nil
		}
		f, err := parser.ParseFile(fset, path, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		pkg := filepath.ToSlash(filepath.Dir(path))
		files[pkg] = append(files[pkg], f)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	pkgs := map[string]*doc.Package{}
	for name, fs := range files {
		p, err := doc.NewFromFiles(fset, fs, module+name)
		if err != nil {
			t.Fatal(err)
		}
		pkgs[name] = p
	}
	if len(pkgs) < 11 {
		t.Fatalf("%d packages seen: does the test look at the module?", len(pkgs))
	}
	return pkgs
}

// firstScreen says what the first lines of a package's page lack.
func firstScreen(text string) string {
	var p comment.Parser
	parsed := p.Parse(text)
	var code, table bool
	begin := 2 // the package clause and an empty line
	for _, block := range parsed.Content {
		if begin > screenLines {
			break
		}
		if c, ok := block.(*comment.Code); ok {
			// Two blocks with nothing but an empty line between them are one.
			before := c.Text
			if at := youHave.FindStringIndex(c.Text); at != nil {
				table, before = true, c.Text[:at[0]]
			}
			code = code || call.MatchString(before)
		}
		begin += strings.Count(string((&comment.Printer{TextWidth: 80}).Text(&comment.Doc{Content: []comment.Block{block}})), "\n") + 1
	}
	switch {
	case !code && !table:
		return "a block of code and a table \"You have  You want  Call\""
	case !code:
		return "a block of code"
	case !table:
		return "a table \"You have  You want  Call\""
	}
	return ""
}

// A reader sees within one screen what to call: the decision, code that makes the
// decision, and a table of what to call for what.
func TestFirstScreen(t *testing.T) {
	for name, p := range packages(t) {
		if slices.Contains(theory, name) {
			continue
		}
		if lacks := firstScreen(p.Doc); lacks != "" {
			t.Errorf("the first %d lines of `go doc ./%s` lack %s", screenLines, name, lacks)
		}
	}
}

// theory has the packages that hold documentation alone.
var theory = []string{"reserve/theory"}

// A package exports what users call, thirty types or so.
func TestTypes(t *testing.T) {
	all := packages(t)
	total := 0
	for name, p := range all {
		n := 0
		for _, typ := range p.Types {
			if ast.IsExported(typ.Name) {
				n++
			}
		}
		total += n
		more, excepted := moreTypes[name]
		switch {
		case excepted && n <= mostTypes:
			t.Errorf("%s exports %d types and needs no exception", name, n)
		case excepted && n > more.types, !excepted && n > mostTypes:
			t.Errorf("%s exports %d types, want at most %d: unexport what only the package, its tests or one example uses, or give the reason in moreTypes", name, n, max(mostTypes, more.types))
		}
		t.Logf("%-26s %3d exported types", name, n)
	}
	t.Logf("%d packages export %d types", len(all), total)
	for name := range moreTypes {
		if all[name] == nil {
			t.Errorf("%s is no package", name)
		}
	}
}

// Comments that begin well and badly.
func TestFirstScreenFinds(t *testing.T) {
	const (
		code  = "\tvar s Solver\n\tplan, err := s.Solve(p)\n\n"
		table = "\tYou have      You want   Call\n\ta demand      a plan     Solver.Solve\n\n"
	)
	for _, c := range []struct {
		text string
		want bool
	}{
		{"Package p decides.\n\n" + code + "Text.\n\n" + table, true},
		{"Package p decides.\n\n" + table + "Text.\n\n" + code, true},
		{"Package p decides.\n\n" + code, false},
		{"Package p decides.\n\n" + table, false},
		{"Package p decides.\n\n" + strings.Repeat("A paragraph.\n\n", 30) + code + "Text.\n\n" + table, false},
		{"Package p decides.\n\n\tx = y/2\n\nText.\n\n" + table, false},
	} {
		if lacks := firstScreen(c.text); (lacks == "") != c.want {
			t.Errorf("%q lacks %q, want %v", c.text, lacks, c.want)
		}
	}
}
