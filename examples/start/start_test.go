// Package start has programs of one file: each is the shortest true answer to one question.
package start

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const mostLines = 100

// Each program ends with a comment that has its output. -update of the file's comment is by hand: the
// test prints what the program says now.
func TestPrograms(t *testing.T) {
	files, err := filepath.Glob("*/main.go")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d programs, %v", len(files), err)
	}
	bin := t.TempDir()
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", bin+string(filepath.Separator), "./...").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, file := range files {
		name := filepath.Dir(file)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if n := strings.Count(string(text), "\n"); n > mostLines {
				t.Errorf("%d lines, want at most %d", n, mostLines)
			}
			for line := range strings.Lines(string(text)) {
				if strings.Contains(line, "/internal/") {
					t.Errorf("%s: a first program uses what everybody can import", strings.TrimSpace(line))
				}
			}
			_, want, ok := strings.Cut(string(text), "\n// Output:\n")
			if !ok {
				t.Fatal("no comment // Output: at the end")
			}
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			defer cancel()
			out, err := exec.CommandContext(ctx, filepath.Join(bin, name)).CombinedOutput()
			if err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			var got strings.Builder
			for line := range strings.Lines(string(out)) {
				got.WriteString(strings.TrimRight("// "+strings.TrimSuffix(line, "\n"), " ") + "\n")
			}
			if got.String() != want {
				t.Errorf("the program says\n%s\nand the comment\n%s", got.String(), want)
			}
		})
	}
}
