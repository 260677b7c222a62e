package plimsoll

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// recipe has the parts of a recipe: lines of a program, and what the program prints.
var recipe = regexp.MustCompile("(?s)```go\n(.*?)\n```\n\n```\n\\$ go run \\./(examples/start/\\w+)\n(.*?)\n```")

// The recipes of README.md are lines of the programs of examples/start, in their order, and what
// those print. The programs' own test compares the output with what they print.
func TestReadme(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), "\n"); n > 200 {
		t.Errorf("README.md has %d lines, want at most 200", n)
	}
	recipes := recipe.FindAllStringSubmatch(string(text), -1)
	if len(recipes) != 6 {
		t.Errorf("README.md has %d recipes, want 6", len(recipes))
	}
	for _, r := range recipes {
		t.Run(path.Base(r[2]), func(t *testing.T) {
			src, err := os.ReadFile(filepath.Join(r[2], "main.go"))
			if err != nil {
				t.Fatal(err)
			}
			program, output, ok := strings.Cut(string(src), "\n// Output:\n")
			if !ok {
				t.Fatal("the program has no comment // Output:")
			}
			for line := range strings.Lines(r[1]) {
				i := strings.Index(program, strings.TrimSpace(line))
				if i < 0 {
					t.Errorf("the program lacks %q, or has it before the lines above", strings.TrimSpace(line))
					continue
				}
				program = program[i:]
			}
			output = strings.TrimSpace(regexp.MustCompile(`(?m)^// ?`).ReplaceAllString(output, ""))
			if diff := cmp.Diff(output, r[3]); diff != "" {
				t.Errorf("what the program prints and README.md differ (-program +readme):\n%s", diff)
			}
		})
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
	for _, pattern := range []string{"examples/tools/*/main.go", "examples/services/*/main.go", "examples/start/*/main.go"} {
		programs, err := filepath.Glob(pattern)
		if err != nil || len(programs) == 0 {
			t.Fatal(pattern, err)
		}
		for _, p := range programs {
			dir := filepath.ToSlash(filepath.Dir(p))
			if name := path.Base(dir); !strings.Contains(string(readme), "]("+dir+")") && !strings.Contains(string(readme), "./"+dir+"\n") && !strings.Contains(string(readme), "`"+name+"`") {
				t.Errorf("README.md lacks %s", dir)
			}
		}
	}
}
