package plimsoll

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// recipeLines is the most that a recipe of the README may be long.
const recipeLines = 15

// The programs of README.md are the Examples of example_test.go, in their order, and
// the blocks after them what they print.
func TestReadme(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	readme := string(text)
	code := fenced(readme)
	src, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "example_test.go", src, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || !strings.HasPrefix(fn.Name.Name, "Example") {
			continue
		}
		body := string(src[fset.Position(fn.Body.Lbrace).Offset+1 : fset.Position(fn.Body.Rbrace).Offset])
		body, output, ok := strings.Cut(body, "\t// Output:")
		if !ok {
			t.Errorf("%s has no output", fn.Name.Name)
		}
		body = strings.Trim(regexp.MustCompile(`(?m)^\t`).ReplaceAllString(body, ""), "\n")
		output = strings.TrimSpace(regexp.MustCompile(`(?m)^\s*// ?`).ReplaceAllString(output, ""))
		if n := strings.Count(body, "\n") + 1; n > recipeLines {
			t.Errorf("%s has %d lines, want at most %d", fn.Name.Name, n, recipeLines)
		}
		if seen >= len(code) {
			t.Fatalf("README.md has no program for %s", fn.Name.Name)
		}
		got := code[seen]
		if seen++; seen == 1 { // the first is a whole program
			_, main, _ := strings.Cut(got.program, "func main() {\n")
			got.program = strings.TrimSuffix(regexp.MustCompile(`(?m)^\t`).ReplaceAllString(main, ""), "\n}")
			if !strings.Contains(readme, "prints `"+output+"`") {
				t.Errorf("README.md does not say that its first program prints %q", output)
			}
			got.output = output
		}
		if diff := cmp.Diff(body, got.program); diff != "" {
			t.Errorf("%s and README.md differ (-example +readme):\n%s", fn.Name.Name, diff)
		}
		if diff := cmp.Diff(output, got.output); diff != "" {
			t.Errorf("what %s prints and README.md differ (-example +readme):\n%s", fn.Name.Name, diff)
		}
	}
	if seen != len(code) || seen < 7 {
		t.Errorf("%d Examples for %d programs of README.md, want as many, and at least 7", seen, len(code))
	}
}

// README.md and the root's comment name every package that programs import, and
// README.md every program.
func TestMap(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	root, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	for name := range packages(t) {
		if !strings.Contains(string(readme), "[`"+name+"`]("+name+")") {
			t.Errorf("the map of README.md lacks %s", name)
		}
		if !regexp.MustCompile(`(?m)\s` + name + `$`).Match(root) {
			t.Errorf("the table of doc.go lacks %s", name)
		}
	}
	programs, err := filepath.Glob("examples/*/*/main.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range programs {
		if name := filepath.ToSlash(filepath.Dir(p)); !strings.Contains(string(readme), "[`"+name+"`]("+name+")") {
			t.Errorf("the map of README.md lacks %s", name)
		}
	}
	if len(programs) < 8 {
		t.Errorf("%d programs seen: does the test look at the module?", len(programs))
	}
}

// A listing is a Go program of the README with the block that follows.
type listing struct{ program, output string }

func fenced(readme string) []listing {
	var all []listing
	for _, m := range regexp.MustCompile("(?s)```go\n(.*?)\n```\n\n(?:```\n(.*?)\n```\n)?").FindAllStringSubmatch(readme, -1) {
		all = append(all, listing{m[1], m[2]})
	}
	return all
}
