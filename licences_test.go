package plimsoll_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Each module that a go.mod file requires has its licence in LICENSES.md, and no other module has.
func TestLicences(t *testing.T) {
	var mods strings.Builder
	for _, pattern := range []string{"go.mod", "pricing/parquet/go.mod", "examples/go.mod", "examples/*/*/go.mod"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatal(pattern, files, err)
		}
		for _, file := range files {
			mod, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			mods.Write(mod)
		}
	}
	page, err := os.ReadFile("LICENSES.md")
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	for line := range strings.Lines(string(page)) {
		if cells := strings.Split(line, "|"); len(cells) > 3 && strings.Contains(cells[1], "/") {
			named[strings.TrimSpace(cells[1])] = true
		}
	}
	required := map[string]bool{}
	for line := range strings.Lines(mods.String()) {
		f := strings.Fields(line)
		if len(f) < 2 || !strings.Contains(f[0], "/") || !strings.HasPrefix(f[1], "v") || strings.HasPrefix(f[0], "github.com/plimsoll/") {
			continue
		}
		required[f[0]] = true
		if !named[f[0]] {
			t.Errorf("LICENSES.md has no line for %s", f[0])
		}
	}
	for m := range named {
		if !required[m] {
			t.Errorf("LICENSES.md names %s, which no go.mod requires", m)
		}
	}
	if len(required) == 0 {
		t.Error("go.mod requires nothing")
	}
}
