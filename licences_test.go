package plimsoll_test

import (
	"os"
	"strings"
	"testing"
)

// Each module of go.mod has its licence in LICENSES.md, and no other module has.
func TestLicences(t *testing.T) {
	mod, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
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
	required := 0
	for line := range strings.Lines(string(mod)) {
		f := strings.Fields(line)
		if len(f) < 2 || !strings.Contains(f[0], "/") || !strings.HasPrefix(f[1], "v") {
			continue
		}
		required++
		if !named[f[0]] {
			t.Errorf("LICENSES.md has no line for %s", f[0])
		}
		delete(named, f[0])
	}
	for m := range named {
		t.Errorf("LICENSES.md names %s, which go.mod does not require", m)
	}
	if required == 0 {
		t.Error("go.mod requires nothing")
	}
}
