package plimsoll_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Each module of go.mod, and of the go.mod files under examples/, has its licence in LICENSES.md, and no other module has.
func TestLicences(t *testing.T) {
	files, err := filepath.Glob("examples/*/*/go.mod")
	if err != nil {
		t.Fatal(err)
	}
	var mods strings.Builder
	for _, file := range append(files, "go.mod") {
		mod, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		mods.Write(mod)
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
		if len(f) < 2 || !strings.Contains(f[0], "/") || !strings.HasPrefix(f[1], "v") || f[0] == "github.com/plimsoll/plimsoll" {
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
